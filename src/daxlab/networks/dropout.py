"""Dropout masks that depend only on a key, a place in the network, a time step and a unit.

They never depend on a padded length or width. Knows nothing of networks.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

BLOCK = 16  # steps


def masks(
    key: Array, rate: Array, places: Sequence[int], times: Sequence[int], width: int, steps: Array | None = None
) -> list[Array]:
    """For every place the masks of all its time steps, [time, width]: 0 with probability `rate`, else 1 / (1 - rate).

    Step t at place p draws from fold_in(fold_in(key, p), t). If `steps` is given, later masks are not used, and
    need not be drawn.
    """
    if steps is None or max(times) <= BLOCK:
        return _drawn(key, rate, places, times, width)
    blocks = -(-max(times) // BLOCK)

    def first_blocks(count: int) -> list[Array]:
        drawn = _drawn(key, rate, places, [min(time, BLOCK * count) for time in times], width)
        return [jnp.pad(mask, ((0, time - len(mask)), (0, 0))) for mask, time in zip(drawn, times, strict=True)]

    branches = [partial(first_blocks, count) for count in range(1, blocks + 1)]
    return jax.lax.switch(jnp.clip((steps - 1) // BLOCK, 0, blocks - 1), branches)


def _drawn(key: Array, rate: Array, places: Sequence[int], times: Sequence[int], width: int) -> list[Array]:
    place = np.repeat(places, times)
    step = np.concatenate([np.arange(time) for time in times])

    def bits(place: Any, step: Any) -> Array:
        return jax.random.bits(jax.random.fold_in(jax.random.fold_in(key, place), step), (width,), jnp.uint32)

    drawn = jax.vmap(bits)(place, step)  # uint32 [all steps of all places, width]: one small program
    # 24 bits make a float32 in [0, 1), whatever the network's precision
    kept = (drawn >> 8).astype(jnp.float32) * 2.0**-24 >= rate
    return jnp.split(jnp.where(kept, 1 / (1 - rate), 0), np.cumsum(times)[:-1].tolist())
