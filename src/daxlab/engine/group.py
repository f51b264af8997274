"""A group: R runs of one architecture, trained by one program. Knows nothing of time, files or evaluation.

Runs of a group may differ in seed, split, dropout and width (a narrower network is padded with idle units).
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.encoding import Encoding, Presentations, Split
from daxlab.engine.draws import START, run_key
from daxlab.errors import InputError
from daxlab.networks.contract import Network, Widens
from daxlab.protocol import SEMANTICS, Protocol

Make = Callable[[Array, int], Network]  # (key, hidden) -> a network with its start values


@dataclass(frozen=True)
class Run:
    """One training run: what may differ within a group."""

    seed: int
    split: Split
    hidden: int
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise InputError(f"a seed is a whole number from 0 to 2^32 - 1, not {self.seed!r}")
        if self.hidden < 1:
            raise InputError(f"hidden must be at least 1, not {self.hidden!r}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is a share from 0 to below 1, not {self.dropout!r}")


@dataclass(frozen=True, eq=False)
class Group:
    """Runs, the architecture they share (`make`), how their language is encoded, and the protocol."""

    runs: tuple[Run, ...]
    make: Make
    encoding: Encoding
    protocol: Protocol = field(default_factory=Protocol)

    def __post_init__(self) -> None:
        if not self.runs:
            raise InputError("a group needs at least one run")

    @property
    def hidden(self) -> int:
        """The group's width: its widest run's."""
        return max(run.hidden for run in self.runs)

    @property
    def drops(self) -> bool:
        """Whether any run has dropout at all."""
        return any(run.dropout > 0 for run in self.runs)

    @cached_property
    def seeds(self) -> NDArray[np.uint32]:
        """[runs]."""
        return np.array([run.seed for run in self.runs], np.uint32)

    def by_split(self) -> list[tuple[Split, list[int]]]:
        """Each split with the places of its runs."""
        splits = {id(run.split): run.split for run in self.runs}
        return [(one, [n for n, run in enumerate(self.runs) if run.split is one]) for one in splits.values()]

    @cached_property
    def tables(self) -> list[Presentations]:
        """Each run's presentations; one table per split."""
        made = {id(split): Presentations(self.encoding, split) for split, _ in self.by_split()}
        return [made[id(run.split)] for run in self.runs]

    def start(self) -> Network:
        """All runs' networks with their start values, stacked: drawn at each one's own size, then widened."""
        sizes = np.array([run.hidden for run in self.runs])
        members = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
        stacks = [_start(self.make, self.seeds[chosen], int(sizes[chosen[0]]), self.hidden) for chosen in members]
        if len(stacks) == 1:
            return stacks[0]
        places = np.argsort(np.concatenate(members))
        return jax.tree.map(lambda *xs: jnp.concatenate(xs)[places] if eqx.is_array(xs[0]) else xs[0], *stacks)

    def digest(self) -> str:
        """A hash of everything that determines what this group trains."""
        networks = eqx.filter_eval_shape(self.make, jax.random.key(0), self.hidden)
        shapes = [(jax.tree_util.keystr(p), str(x)) for p, x in jax.tree_util.tree_leaves_with_path(networks)]
        contents = {id(split): _content(split) for split, _ in self.by_split()}
        spec = {
            "semantics": SEMANTICS,
            "protocol": asdict(self.protocol),
            "runs": [(run.seed, run.hidden, float(run.dropout), contents[id(run.split)]) for run in self.runs],
            "network": (repr(eqx.filter(networks, eqx.is_array, inverse=True)), shapes),
            "vocabularies": (self.encoding.words.symbols, self.encoding.actions.symbols),
        }
        return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


def stack(networks: Sequence[Network]) -> Network:
    """Networks of one shape on a leading axis."""
    return jax.tree.map(lambda *xs: jnp.stack(xs) if eqx.is_array(xs[0]) else xs[0], *networks)


def subset(networks: Network, runs: Sequence[int]) -> Network:
    """Some networks of a stack."""
    return jax.tree.map(lambda x: x[np.array(runs)] if eqx.is_array(x) else x, networks)


def unstack(networks: Network, run: int) -> Network:
    """One network of a stack."""
    return jax.tree.map(lambda x: x[run] if eqx.is_array(x) else x, networks)


@eqx.filter_jit
def _start(make: Make, seeds: NDArray[np.uint32], hidden: int, width: int) -> Any:
    def one(seed: Array) -> Network:
        network = make(run_key(seed, START), hidden)
        if hidden == width:
            return network
        if not isinstance(network, Widens):
            raise InputError("networks of this kind cannot be widened, so a group of them has one width")
        return network.widen(width)

    return eqx.filter_vmap(one)(seeds)


def _content(split: Split) -> str:
    rows = [(e.command, w, *e.actions) for e, w in zip(split.train, split.weights, strict=True)]
    tests = [(e.command, *e.actions) for e in split.test]
    return hashlib.sha256(json.dumps([rows, tests]).encode()).hexdigest()
