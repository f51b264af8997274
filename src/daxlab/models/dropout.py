"""Dropout masks that depend on nothing but a key, a place in the network, a time step and a unit.

Never on a padded length or width: unit k of step t has the same fate in any company. Knows nothing of networks.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


def masks(key: Array, rate: Array, places: Sequence[int], times: Sequence[int], width: int) -> list[Array]:
    """A fresh mask for every step at every place, [time, width] each: 0 with probability `rate`, else 1 / (1 - rate).

    Step t at place p draws from fold_in(fold_in(key, p), t).
    """
    place = np.repeat(places, times)
    step = np.concatenate([np.arange(time) for time in times])

    def bits(place: Array, step: Array) -> Array:
        return jax.random.bits(jax.random.fold_in(jax.random.fold_in(key, place), step), (width,))

    drawn = jax.vmap(bits)(place, step)  # all places at once: one small program
    # 24 bits as a float32 in [0, 1), whatever the network's precision
    kept = (drawn >> 8).astype(jnp.float32) * 2.0**-24 >= rate
    return jnp.split(jnp.where(kept, 1 / (1 - rate), 0), np.cumsum(times)[:-1].tolist())
