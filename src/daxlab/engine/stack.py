"""A stack: networks of one shape whose arrays share a leading axis, trained by one program.

The members of a stack may differ in seed, split and dropout. Knows nothing of files or evaluation.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.encoding import Encoding, Presentations
from daxlab.engine.draws import START, Tables, run_key, tables_of
from daxlab.errors import InputError
from daxlab.networks.contract import Network
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.settings import recorded

if TYPE_CHECKING:
    from daxlab.datasets import Split


@dataclass(frozen=True)
class Member:
    """One run of a stack."""

    seed: int
    split: "Split"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise InputError(f"a seed is a whole number from 0 to 2^32 - 1, not {self.seed!r}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is at least 0 and below 1, not {self.dropout!r}")


@dataclass(frozen=True, eq=False)
class Stack:
    """The members, what they share: the kind of network (`make`), the encoding of their dataset, and the protocol.

    `prepared`: for each member a pytree of arrays that `make` takes beside a key, all of one shape.
    """

    members: tuple[Member, ...]
    make: Callable[..., Network]
    encoding: Encoding
    protocol: Protocol = field(default_factory=Protocol)
    prepared: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not self.members:
            raise InputError("a stack needs at least one member")

    @cached_property
    def seeds(self) -> NDArray[np.uint32]:
        return np.array([member.seed for member in self.members], np.uint32)

    @cached_property
    def tables(self) -> list[Presentations]:
        """Each member's presentations."""
        return self._by_member(partial(Presentations, self.encoding))

    @cached_property
    def batch_tables(self) -> Tables:
        """The members' presentations on the device, for draws of batches."""
        return tables_of(self.seeds, self.tables)

    def _by_member(self, function: "Callable[[Split], Any]") -> list[Any]:
        """A function of each member's split; it is called once for each split, as many members may share one."""
        splits = {id(member.split): member.split for member in self.members}
        values = {name: function(split) for name, split in splits.items()}
        return [values[id(member.split)] for member in self.members]

    def start(self) -> Network:
        """The networks with their start values, stacked."""
        return _start(self.make, self.seeds, self._stacked())

    def make_first(self, key: Array) -> Network:
        """A network like the first member's."""
        return self.make(key, prepared=self.prepared[0]) if self.prepared else self.make(key)

    def _stacked(self) -> Any:
        return jax.tree.map(lambda *arrays: np.stack(arrays), *self.prepared) if self.prepared else None

    def digest(self) -> str:
        """A hash of everything that determines what this stack trains."""
        networks = eqx.filter_eval_shape(self.make_first, jax.random.key(0))
        shapes = [(jax.tree_util.keystr(p), str(x)) for p, x in jax.tree_util.tree_leaves_with_path(networks)]
        contents = self._by_member(_content)
        spec = {
            "semantics": SEMANTICS,
            "protocol": recorded(self.protocol),
            "members": [(m.seed, float(m.dropout), content) for m, content in zip(self.members, contents, strict=True)],
            "network": (repr(eqx.filter(networks, eqx.is_array, inverse=True)), shapes),
            "vocabularies": (self.encoding.words.symbols, self.encoding.actions.symbols),
        }
        tables = [leaf.tobytes() for leaf in jax.tree.leaves(self._stacked())]
        return hashlib.sha256(b"".join([json.dumps(spec, sort_keys=True).encode(), *tables])).hexdigest()


def subset(networks: Network, members: Sequence[int]) -> Network:
    """A stack of some networks of a stack."""
    return jax.tree.map(lambda x: x[np.array(members)] if eqx.is_array(x) else x, networks)


def unstack(networks: Network, member: int) -> Network:
    """One network of a stack."""
    return jax.tree.map(lambda x: x[member] if eqx.is_array(x) else x, networks)


@eqx.filter_jit
def _start(make: Callable[..., Network], seeds: NDArray[np.uint32], prepared: Any) -> Any:
    if prepared is None:
        return eqx.filter_vmap(lambda seed: make(run_key(seed, START)))(seeds)
    return eqx.filter_vmap(lambda seed, own: make(run_key(seed, START), prepared=own))(seeds, prepared)


def _content(split: "Split") -> str:
    """A hash of the training and the test examples."""
    rows = [(e.command, w, *e.actions) for e, w in zip(split.train, split.weights, strict=True)]
    tests = [(e.command, *e.actions) for e in split.test]
    return hashlib.sha256(json.dumps([rows, tests]).encode()).hexdigest()
