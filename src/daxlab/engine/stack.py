"""A stack: networks of one shape on a leading axis, trained by one program. Knows nothing of files or evaluation.

The members of a stack may differ in seed, split and dropout.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.encoding import Encoding, Presentations
from daxlab.engine.draws import START, run_key
from daxlab.errors import InputError
from daxlab.networks.contract import Network
from daxlab.protocol import SEMANTICS, Protocol

if TYPE_CHECKING:
    from daxlab.datasets import Split

Make = Callable[[Array], Network]  # from a key to a network with its start values


@dataclass(frozen=True)
class Member:
    """What may differ within a stack."""

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
    """Members, the network they share (`make`), how their dataset is encoded, and the protocol."""

    members: tuple[Member, ...]
    make: Make
    encoding: Encoding
    protocol: Protocol = field(default_factory=Protocol)

    def __post_init__(self) -> None:
        if not self.members:
            raise InputError("a stack needs at least one member")

    @property
    def has_dropout(self) -> bool:
        """Whether any member has dropout at all."""
        return any(member.dropout > 0 for member in self.members)

    @cached_property
    def seeds(self) -> NDArray[np.uint32]:
        """[members]."""
        return np.array([member.seed for member in self.members], np.uint32)

    @cached_property
    def tables(self) -> list[Presentations]:
        """Each member's presentations; one table per split."""
        tables = {id(split): Presentations(self.encoding, split) for split in self._splits()}
        return [tables[id(member.split)] for member in self.members]

    def _splits(self) -> Iterable["Split"]:
        """Each split once."""
        return {id(member.split): member.split for member in self.members}.values()

    def start(self) -> Network:
        """The networks with their start values, stacked."""
        return _start(self.make, self.seeds)

    def digest(self) -> str:
        """A hash of everything that determines what this stack trains."""
        networks = eqx.filter_eval_shape(self.make, jax.random.key(0))
        shapes = [(jax.tree_util.keystr(p), str(x)) for p, x in jax.tree_util.tree_leaves_with_path(networks)]
        contents = {id(split): _content(split) for split in self._splits()}
        spec = {
            "semantics": SEMANTICS,
            "protocol": asdict(self.protocol),
            "members": [(member.seed, float(member.dropout), contents[id(member.split)]) for member in self.members],
            "network": (repr(eqx.filter(networks, eqx.is_array, inverse=True)), shapes),
            "vocabularies": (self.encoding.words.symbols, self.encoding.actions.symbols),
        }
        return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def stack(networks: Sequence[Network]) -> Network:
    """Networks of one shape on a leading axis."""
    return jax.tree.map(lambda *xs: jnp.stack(xs) if eqx.is_array(xs[0]) else xs[0], *networks)


def subset(networks: Network, members: Sequence[int]) -> Network:
    """Some networks of a stack."""
    return jax.tree.map(lambda x: x[np.array(members)] if eqx.is_array(x) else x, networks)


def unstack(networks: Network, member: int) -> Network:
    """One network of a stack."""
    return jax.tree.map(lambda x: x[member] if eqx.is_array(x) else x, networks)


@eqx.filter_jit
def _start(make: Make, seeds: NDArray[np.uint32]) -> Any:
    return eqx.filter_vmap(lambda seed: make(run_key(seed, START)))(seeds)


def _content(split: "Split") -> str:
    rows = [(e.command, w, *e.actions) for e, w in zip(split.train, split.weights, strict=True)]
    tests = [(e.command, *e.actions) for e in split.test]
    return hashlib.sha256(json.dumps([rows, tests]).encode()).hexdigest()
