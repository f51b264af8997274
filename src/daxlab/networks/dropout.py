"""Dropout masks that depend only on a key, a place in the network, time steps and a unit.

They never depend on a padded length or width. Knows nothing of networks.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.extend.random import threefry2x32_p

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


def dropped(x: Array, key: Array, rate: Array, place: int | Array) -> Array:
    """x [time, width] or [time, time, width] with units dropped: 0 with probability `rate`, to one part in 65,536.

    Four units share a block of threefry, which is hashed from the key, the place (below 65,536), the time steps and the
    number of the block. Their halves of words are taken low before high, units k, k + blocks, … from block k.
    """
    *steps, width = x.shape
    t, *s = jnp.ogrid[tuple(map(slice, steps))]
    blocks = np.arange(-(-width // 4))
    first = (jnp.uint32(place) << 16) + t.astype(jnp.uint32)[..., None]
    second = ((s[0] if s else 0 * t) << 16).astype(jnp.uint32)[..., None] + blocks.astype(np.uint32)
    counts = jnp.broadcast_arrays(*jax.random.key_data(key), first, second)
    words = threefry2x32_p.bind(*counts)
    halves = jnp.concatenate([half for word in words for half in (word & 0xFFFF, word >> 16)], axis=-1)[..., :width]
    return jnp.where(halves >= jnp.round(rate * 2**16).astype(jnp.uint32), x / (1 - rate).astype(x.dtype), 0)


def _drawn(key: Array, rate: Array, places: Sequence[int], times: Sequence[int], width: int) -> list[Array]:
    place = np.repeat(places, times)
    step = np.concatenate([np.arange(time) for time in times])

    def bits(place: Any, step: Any) -> Array:
        return jax.random.bits(jax.random.fold_in(jax.random.fold_in(key, place), step), (width,), jnp.uint32)

    drawn = jax.vmap(bits)(place, step)  # uint32 [all steps of all places, width]: one small program
    # 24 bits make a float32 in [0, 1), whatever the network's precision
    kept = (drawn >> 8).astype(jnp.float32) * 2.0**-24 >= rate
    return jnp.split(jnp.where(kept, 1 / (1 - rate), 0), np.cumsum(times)[:-1].tolist())
