"""Where random numbers come from: one key per run, purpose and update. Knows nothing of what they are used for.

    bits for a purpose = threefry(fold_in(fold_in(key(seed), purpose), update))

so a run's start values, commands, coins and masks are the same in any group and on any device. The lengths that runs
may share come from the protocol's own key. A change here is a change of the training semantics: raise SEMANTICS.
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.encoding import Presentations
from daxlab.protocol import Protocol

START, LENGTH, COMMAND, COIN, DROPOUT = range(5)  # purposes
SHARED = 0x5CA9  # the seed of the protocol's own stream


class Tables(NamedTuple):
    """All that may be presented to the runs of a stack, for draws on the device. Splits are padded to one size."""

    seeds: Array  # uint32 [runs]
    split: Array  # int [runs]: which of the splits a run learns
    commands: Array  # int [splits, examples, command time]
    actions: Array  # int [splits, examples, action time]
    ends: Array  # uint32 [splits, examples]: the number of presentations up to each example


class Drawn(NamedTuple):
    """What a chunk of updates presents to each run."""

    commands: NDArray[np.int32]  # [updates, runs, command time]
    actions: NDArray[np.int32]  # [updates, runs, action time]
    forced: NDArray[np.bool_]  # [updates, runs]


def run_key(seed: Array | int, purpose: Array | int) -> Array:
    """A run's key for a purpose; fold in the number of the update (from 0) where there is one."""
    return jax.random.fold_in(jax.random.key(seed, impl="threefry2x32"), purpose)


@partial(jax.jit, static_argnames="count")
def _bits(seeds: Array, purposes: Array, first: Array, count: int) -> Array:
    """Random bits, uint32 [updates, streams]; a stream is a seed with a purpose."""

    def one(update: Array, seed: Array, purpose: Array) -> Array:
        return jax.random.bits(jax.random.fold_in(run_key(seed, purpose), update), dtype=jnp.uint32)

    updates = first + jnp.arange(count)
    return jax.vmap(jax.vmap(one, (None, 0, 0)), (0, None, None))(updates, seeds, purposes)


@cache
def _host() -> jax.Device | None:
    """The CPU, if JAX may use it here."""
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        return None


def draw(protocol: Protocol, seeds: NDArray[np.uint32], tables: list[Presentations], first: int, count: int) -> Drawn:
    """The presentations of updates first, first + 1, … of runs with these seeds and splits."""
    runs = len(seeds)
    for_lengths = np.array([SHARED], np.uint32) if protocol.shared_lengths else seeds
    purposes = np.repeat(np.array([COMMAND, COIN, LENGTH], np.int32), [runs, runs, len(for_lengths)])
    with jax.default_device(_host()):  # so that the draws do not wait for a busy GPU
        bits = np.asarray(_bits(np.concatenate([seeds, seeds, for_lengths]), purposes, np.int32(first), count))
    own, coins, lengths = (
        bits[:, :runs],
        bits[:, runs : 2 * runs],
        np.broadcast_to(bits[:, 2 * runs :], (count, runs)),
    )
    commands, actions = [], []
    for run, table in enumerate(tables):
        chosen = table.draw(lengths[:, run], own[:, run])
        commands.append(table.commands[chosen])
        actions.append(table.actions[chosen])
    forced = coins < np.uint64(round(protocol.teacher_forcing * 2**32))
    return Drawn(np.stack(commands, axis=1), np.stack(actions, axis=1), forced)


def tables_of(seeds: NDArray[np.uint32], presentations: list[Presentations]) -> Tables:
    """The tables that `draw_batch` draws from."""
    distinct = list({id(own): own for own in presentations}.values())
    most = max(len(own.commands) for own in distinct)

    def padded(name: str) -> Array:
        rows = [getattr(own, name) for own in distinct]
        # A padded example ends where the last one does, so that it is never drawn.
        return jnp.asarray(np.stack([np.concatenate([row, row[-1:].repeat(most - len(row), axis=0)]) for row in rows]))

    split = [next(place for place, own in enumerate(distinct) if own is mine) for mine in presentations]
    return Tables(
        jnp.asarray(seeds), jnp.asarray(split, jnp.int32), padded("commands"), padded("actions"), padded("ends")
    )


def draw_batch(tables: Tables, update: Array, batch: int, forcing: float) -> tuple[Array, Array, Array]:
    """What update number `update` presents: commands and actions [runs, batch, time], forced [runs, batch].

    Lengths are not shared. An example's chance is its share of the presentations, to one part in a hundred thousand.
    """

    def one(seed: Array, split: Array) -> tuple[Array, Array, Array]:
        keys = [jax.random.fold_in(run_key(seed, purpose), update) for purpose in (COMMAND, COIN)]
        bits, coins = (jax.random.bits(key, (batch,), jnp.uint32) for key in keys)
        ends = tables.ends[split]
        chosen = jnp.searchsorted(ends, bits % ends[-1], side="right")
        forced = coins < jnp.uint32(min(round(forcing * 2**32), 2**32 - 1))
        return tables.commands[split, chosen], tables.actions[split, chosen], forced

    return jax.vmap(one)(tables.seeds, tables.split)
