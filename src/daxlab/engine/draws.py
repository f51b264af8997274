"""Where chance comes from: one key per run, purpose and update. Knows nothing of what is drawn for.

    bits for a purpose = threefry(fold_in(fold_in(key(seed), purpose), update))

so a run's start values, commands, coins and masks are the same in any group, on any device. The lengths that runs may
share come from the protocol's own key. Anything here is semantics: change it, and the version changes.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.encoding import Presentations
from daxlab.engine.protocol import Protocol

SEMANTICS = 1  # of training: raised whenever the same spec and seed would train another network
START, LENGTH, COMMAND, COIN, DROPOUT = range(5)  # purposes
SHARED = 0x5CA9  # the seed of the protocol's own stream


class Drawn(NamedTuple):
    """What a chunk of updates presents to each run."""

    commands: NDArray[np.int32]  # [updates, runs, command time]
    actions: NDArray[np.int32]  # [updates, runs, action time]
    forced: NDArray[np.bool_]  # [updates, runs]


def run_key(seed: Array | int, purpose: int) -> Array:
    """A run's key for a purpose; fold in the number of the update (from 0) where there is one."""
    return jax.random.fold_in(jax.random.key(seed, impl="threefry2x32"), purpose)


@partial(jax.jit, static_argnames=("count", "purpose"))
def _bits(seeds: Array, first: Array, count: int, purpose: int) -> Array:
    """uint32 [updates, seeds]."""

    def one(update: Array, seed: Array) -> Array:
        return jax.random.bits(jax.random.fold_in(run_key(seed, purpose), update))

    return jax.vmap(lambda update: jax.vmap(lambda seed: one(update, seed))(seeds))(first + jnp.arange(count))


def draw(
    protocol: Protocol, seeds: NDArray[np.uint32], tables: list[Presentations], first: int, count: int
) -> Drawn:
    """The presentations of updates first, first + 1, … of runs with these seeds and splits."""

    def bits(seeds: NDArray[np.uint32], purpose: int) -> NDArray[np.uint32]:
        return np.asarray(_bits(seeds, np.int32(first), count, purpose))

    own, coins = bits(seeds, COMMAND), bits(seeds, COIN)
    lengths = bits(np.array([SHARED], np.uint32) if protocol.shared_lengths else seeds, LENGTH)
    lengths = np.broadcast_to(lengths, own.shape)
    commands, actions = [], []
    for run, table in enumerate(tables):
        chosen = table.draw(lengths[:, run], own[:, run])
        commands.append(table.commands[chosen])
        actions.append(table.actions[chosen])
    forced = coins < np.uint64(round(protocol.teacher_forcing * 2**32))
    return Drawn(np.stack(commands, axis=1), np.stack(actions, axis=1), forced)
