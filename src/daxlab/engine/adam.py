"""Adam with gradients clipped by their norm, as in the protocol (a test compares it with Optax).

Written out instead of called from Optax for one reason: a run that has failed must stay as it is while the rest of its
group goes on, and choosing between old and new arrays makes XLA copy all of them at every update. Here the choice is in
the scalars: for a failed run nothing decays, nothing is added, and the step is zero. Knows nothing of networks.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


class Moments(NamedTuple):
    """Running means of the gradient and of its square, shaped like the parameters."""

    mean: Any
    square: Any


def start_moments(parameters: Any) -> Moments:
    """Zeros."""

    def zeros() -> Any:
        return jax.tree.map(lambda p: jnp.asarray(np.zeros(p.shape, p.dtype)), parameters)

    return Moments(zeros(), zeros())


def global_norm(gradients: Any) -> Array:
    """The norm of all gradients taken together."""
    return jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(gradients)))


def adam(
    parameters: Any,
    moments: Moments,
    gradients: Any,
    *,
    norms: Sequence[Array],
    parts: Sequence[int],
    go: Array,
    count: Array,
    rate: float,
    clip: float,
) -> tuple[Any, Moments]:
    """Update number `count` (the first is 1). Nothing changes unless `go`.

    Gradients are clipped by the norm of the part that they belong to: `parts` has the number of each leaf's part,
    `norms` the norm of each part.
    """
    scales = [jnp.where(norm > clip, clip / norm, 1) for norm in norms]
    beta1, beta2 = jnp.where(go, BETA1, 1), jnp.where(go, BETA2, 1)
    step = jnp.where(go, rate / (1 - BETA1**count), 0)
    correction = jax.lax.rsqrt(1 - BETA2**count)

    def one(p: Array, m: Array, s: Array, g: Array, part: int) -> tuple[Array, Array, Array]:
        g = jnp.where(go, g * scales[part], 0)  # a failed run's gradients may be anything
        m = (beta1 * m + (1 - BETA1) * g).astype(m.dtype)
        s = (beta2 * s + (1 - BETA2) * (g * g)).astype(s.dtype)
        return (p - step * m / (jnp.sqrt(s) * correction + EPSILON)).astype(p.dtype), m, s

    leaves, shape = jax.tree.flatten(parameters)
    rows = (leaves, *map(jax.tree.leaves, (moments.mean, moments.square, gradients)), parts)
    new = [one(*row) for row in zip(*rows, strict=True)]
    p, m, s = (jax.tree.unflatten(shape, column) for column in zip(*new, strict=True))
    return p, Moments(m, s)
