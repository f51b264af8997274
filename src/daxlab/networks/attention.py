"""Attention with several heads, whose scores may depend on how far apart two positions are.

Arrays have no batch axis; time comes first. Knows nothing of layers, of words or of training.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray


class Relative(eqx.Module):
    """What a head learns of distances: W_r, and u and v, which it adds to queries for contents and for distances."""

    w: Array  # [heads, size, width]
    u: Array  # [heads, size]
    v: Array  # [heads, size]


class Attention(eqx.Module):
    """Softmax of (q_i · k_j) / √size, or of ((q_i + u) · k_j + (q_i + v) · W_r r_{i-j}) / √size (Dai et al. 2019).

    r is sinusoidal. No projection has a bias.
    """

    query: Array  # [heads, size, width]
    key: Array  # [heads, size, width]
    value: Array  # [heads, size, width]
    merge: Array  # [width, heads, size]
    relative: Relative | None

    def queries(self, x: Array) -> Array:
        """[time, heads, size]."""
        return jnp.einsum("hkd,td->thk", self.query, x)

    def memory(self, x: Array) -> tuple[Array, Array]:
        """Keys and values, each [time, heads, size]."""
        return jnp.einsum("hkd,td->thk", self.key, x), jnp.einsum("hkd,td->thk", self.value, x)

    def among(self, x: Array, seen: Array, ahead: int, drop: Callable[[Array], Array]) -> Array:
        """What each position reads of those that it sees, which are at most `ahead` (at least 1) beyond it."""
        queries, memory = self.queries(x), self.memory(x)
        by_place = None
        if self.relative is not None:
            located = self.located(np.arange(len(x) - 1, -ahead - 1, -1))
            by_place = _shifted(self.by_distance(queries, located))
        return self.read(queries, memory, seen, drop, by_place)[0]

    def read(
        self,
        queries: Array,
        memory: tuple[Array, Array],
        seen: Array,
        drop: Callable[[Array], Array],
        by_place: Array | None = None,
    ) -> tuple[Array, Array]:
        """What queries read [time, width], and the weights [heads, time, memory time] before `drop` drops some.

        `seen`: bool, of a shape that fits the weights; `drop` has the heads on the last axis.
        """
        keys, values = memory
        content = queries if self.relative is None else queries + self.relative.u
        scores = jnp.einsum("thk,shk->hts", content, keys) + (0 if by_place is None else by_place)
        weights = jax.nn.softmax(jnp.where(seen, scores * self.query.shape[1] ** -0.5, -jnp.inf))
        kept = jnp.moveaxis(drop(jnp.moveaxis(weights, 0, -1)), -1, 0)
        return jnp.einsum("dhk,thk->td", self.merge, jnp.einsum("hts,shk->thk", kept, values)), weights

    def located(self, distances: NDArray[np.int_]) -> Any:
        """W_r r of distances, [distances, heads, size]; None where distances play no part."""
        if self.relative is None:
            return None
        r = sinusoids(distances, self.relative.w.shape[-1], self.relative.w.dtype)
        return jnp.einsum("hkd,nd->nhk", self.relative.w, r)

    def by_distance(self, queries: Array, located: Any) -> Any:
        """The scores of distances, [heads, time, distances]; None where distances play no part."""
        if self.relative is None:
            return None
        return jnp.einsum("thk,nhk->htn", queries + self.relative.v, located)


def sinusoids(positions: NDArray[np.int_], width: int, dtype: Any = jnp.float32) -> Array:
    """Vaswani et al. 2017: sin(p / 10000^(2k / width)) and its cosine, [positions, width]."""
    angles = positions[:, None] * 10_000.0 ** (-np.arange(0, width, 2) / width)
    return jnp.asarray(np.concatenate([np.sin(angles), np.cos(angles)], axis=-1), dtype)


def _shifted(by_distance: Array) -> Array:
    """[heads, time, time] from [heads, time, distances], where distances fall from time - 1 to -1 or lower.

    Place j of row i is at distance i - j, so each row begins one place before the row above it.
    """
    heads, time, distances = by_distance.shape
    flat = by_distance.reshape(heads, -1)[:, time - 1 : time - 1 + time * (distances - 1)]
    return flat.reshape(heads, time, distances - 1)[:, :, :time]
