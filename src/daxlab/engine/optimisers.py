"""Optimisers with gradients clipped by their norm, and how the learning rate changes (a test compares them with Optax).

Written out instead of called from Optax for one reason: a run that has failed must stay as it is while the rest of its
group goes on, and choosing between old and new arrays makes XLA copy all of them at every update. Here the choice is in
the scalars: for a failed run nothing decays, nothing is added, and the step is zero. Knows nothing of networks.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.protocol import Protocol

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
MOMENTUM = 0.99


class Moments(NamedTuple):
    """Running means of the gradient and of its square, shaped like the parameters; Nesterov's momentum is the first."""

    mean: Any
    square: Any


def start_moments(parameters: Any, optimiser: str = "adam") -> Moments:
    """Zeros."""

    def zeros() -> Any:
        return jax.tree.map(lambda p: jnp.asarray(np.zeros(p.shape, p.dtype)), parameters)

    return Moments(zeros(), zeros() if optimiser == "adam" else None)


def global_norm(gradients: Any) -> Array:
    """The norm of all gradients taken together."""
    return jnp.sqrt(sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(gradients)))


def learning_rate(protocol: Protocol, count: Array) -> float | Array:
    """The rate of update number `count` (the first is 1): a linear rise over `warmup` updates, then the schedule."""
    if protocol.schedule == "constant" and not protocol.warmup:
        return protocol.learning_rate
    rise = jnp.minimum(1, count / max(protocol.warmup, 1))
    if protocol.schedule == "staircase":
        rise = rise * protocol.decay ** ((count - 1) // protocol.decay_every)
    if protocol.schedule == "inverse-sqrt":
        rise = rise * jnp.sqrt(max(protocol.warmup, 1) / jnp.maximum(count, max(protocol.warmup, 1)))
    return protocol.learning_rate * rise


def adam(
    parameters: Any,
    moments: Moments,
    gradients: Any,
    *,
    norms: Sequence[Array],
    parts: Sequence[int],
    go: Array,
    count: Array,
    rate: float | Array,
    clip: float,
) -> tuple[Any, Moments]:
    """Update number `count` (the first is 1). Nothing changes unless `go`.

    Gradients are clipped by the norm of the part that they belong to: `parts` has the number of each leaf's part,
    `norms` the norm of each part.
    """
    scales = _scales(norms, clip)
    beta1, beta2 = jnp.where(go, BETA1, 1), jnp.where(go, BETA2, 1)
    step = jnp.where(go, rate / (1 - BETA1**count), 0)
    correction = jax.lax.rsqrt(1 - BETA2**count)

    def one(p: Array, m: Array, s: Array, g: Array, part: int) -> tuple[Array, Array, Array]:
        g = jnp.where(go, g * scales[part], 0)  # a failed run's gradients may be anything
        m = (beta1 * m + (1 - BETA1) * g).astype(m.dtype)
        s = (beta2 * s + (1 - BETA2) * (g * g)).astype(s.dtype)
        return (p - step * m / (jnp.sqrt(s) * correction + EPSILON)).astype(p.dtype), m, s

    p, m, s = _mapped(one, parameters, moments.mean, moments.square, gradients, parts=parts)
    return p, Moments(m, s)


def nesterov(
    parameters: Any,
    moments: Moments,
    gradients: Any,
    *,
    norms: Sequence[Array],
    parts: Sequence[int],
    go: Array,
    count: Array,
    rate: float | Array,
    clip: float,
) -> tuple[Any, Moments]:
    """Nesterov's accelerated gradient with a momentum of 0.99; its arguments are Adam's."""
    scales, step, keep = _scales(norms, clip), jnp.where(go, rate, 0), jnp.where(go, MOMENTUM, 1)

    def one(p: Array, m: Array, g: Array, part: int) -> tuple[Array, Array]:
        g = jnp.where(go, g * scales[part], 0)
        m = (keep * m + g).astype(m.dtype)
        return (p - step * (g + MOMENTUM * m)).astype(p.dtype), m

    p, m = _mapped(one, parameters, moments.mean, gradients, parts=parts)
    return p, Moments(m, None)


OPTIMISERS = {"adam": adam, "nesterov": nesterov}


def _scales(norms: Sequence[Array], clip: float) -> list[Array]:
    return [jnp.where(norm > clip, clip / norm, 1) for norm in norms]


def _mapped(function: Callable[..., tuple[Array, ...]], *trees: Any, parts: Sequence[int]) -> list[Any]:
    """The trees of a function's results, leaf by leaf."""
    shape = jax.tree.structure(trees[0])
    new = [function(*row) for row in zip(*map(jax.tree.leaves, trees), parts, strict=True)]
    return [jax.tree.unflatten(shape, column) for column in zip(*new, strict=True)]
