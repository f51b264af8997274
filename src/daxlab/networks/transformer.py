"""Transformers: an encoder and a decoder of attention alone, with absolute or relative positions.

Equations and start values are those of Csordás, Irie and Schmidhuber 2021, with details as in their code: a layer norm
after each residual sum, the output tied to the target embedding, one symbol that starts and ends an action sequence,
and a symbol of its own that starts a command. Layers that share their weights are a Universal Transformer (Dehghani et
al. 2019) of fixed depth. Everything is teacher-forced, all positions at once.

Knows nothing of training, splits or disk.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.networks.attention import Attention, Relative, sinusoids
from daxlab.networks.contract import Network, Steps
from daxlab.networks.dropout import dropped
from daxlab.networks.seq2seq import pieces
from daxlab.symbols import EOS, FINAL, PAD, SOS

Positions = Literal["absolute", "relative"]
TIMES = (16, 32)  # the lengths to which a loss may cut actions, where it is told that only padding follows
# What is dropped, by a number for the draws; 16 n is added in layer n, 8 in the decoder.
WEIGHTS, READ, CROSS_WEIGHTS, CROSS_READ, HIDDEN, FED, INPUT = range(7)
DECODER, LAYER = 8, 16
Drop = Callable[[int | Array, Array], Array]


class Norm(eqx.Module):
    """Layer normalisation, with a scale and a shift for each unit."""

    scale: Array  # [width]
    shift: Array  # [width]

    def __call__(self, x: Array) -> Array:
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(jnp.square(centred), axis=-1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + 1e-5) * self.scale + self.shift


class Layer(eqx.Module):
    """A layer of the encoder, or, with `cross`, of the decoder. Each part has a norm."""

    own: Attention
    cross: Attention | None
    w_hidden: Array  # [feed-forward, width]
    b_hidden: Array  # [feed-forward]
    w_output: Array  # [width, feed-forward]
    b_output: Array  # [width]
    norms: tuple[Norm, ...]

    def memory(self, encoded: Array) -> Any:
        """What the decoder's attention reads of the encoder's states."""
        return None if self.cross is None else self.cross.memory(encoded)

    def after(self, x: Array, read: Array, memory: Any, real: Array, drop: Drop) -> tuple[Array, Any]:
        """The states after the layer, given what its own attention read; and the weights on the encoder's states."""
        weights = None
        x = self.norms[0](x + drop(READ, read))
        if self.cross is not None:
            read, weights = self.cross.read(self.cross.queries(x), memory, real, partial(drop, CROSS_WEIGHTS))
            x = self.norms[1](x + drop(CROSS_READ, read))
        hidden = drop(HIDDEN, jax.nn.relu(x @ self.w_hidden.T + self.b_hidden))
        return self.norms[-1](x + drop(FED, hidden @ self.w_output.T + self.b_output)), weights


class Transformer(Network):
    """Encoder and decoder have `depth` layers each, on the leading axis of their arrays, or one that all share."""

    words: Array  # [words but <PAD>, width]; row k is symbol SOS + k
    encoder: Layer
    actions: Array  # [producible, width]: the decoder's embedding and the softmax's weights; row k is symbol EOS + k
    decoder: Layer
    b_output: Array  # [producible]
    depth: int = eqx.field(static=True)
    encoder_fields: ClassVar[tuple[str, ...]] = ("words", "encoder")
    parallel: ClassVar[bool] = True

    def loss(
        self,
        command: Array,
        actions: Array,
        *,
        forced: bool | Array,
        own_end: bool,
        dropout: Array | None,
        key: Array,
        steps: Steps = (None, None),
    ) -> Array:
        drop: Drop = _whole if dropout is None else lambda place, x: dropped(x, key, dropout, place)

        def of_first(time: int) -> Array:
            target = actions[:time]
            logits, _ = self._decode(command, target, drop)
            chosen = jnp.take_along_axis(logits, jnp.maximum(target - EOS, 0)[:, None], axis=-1)[:, 0]
            return jnp.sum(jnp.where(target != PAD, jax.nn.logsumexp(logits, axis=-1) - chosen, 0))

        if steps[1] is None:
            return of_first(len(actions))
        times = [time for time in TIMES if time < len(actions)]
        fits = jnp.sum(steps[1] > np.array(times, int))
        return jax.lax.switch(fits, [partial(of_first, time) for time in (*times, len(actions))])

    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        """Keys and values of the actions so far are kept, so that a step computes one position."""
        encoded, real = self._encode(command, _whole)
        places = np.arange(cap)
        memories = jax.vmap(lambda layer: layer.memory(encoded))(self.decoder)
        located = jax.vmap(lambda layer: layer.own.located(places))(self.decoder)
        positions = self._positions(cap)

        def unfinished(carry: Any) -> Array:
            _, previous, step, _ = carry
            return (previous != EOS) & (step < cap)

        def through(step: Array, x: Array, held: Any, cache: Any) -> tuple[Array, Any]:
            layer, memory, located = held
            queries, here = layer.own.queries(x), (places == step)[:, None, None]
            cache = jax.tree.map(partial(jnp.where, here), layer.own.memory(x), cache)
            by_place = layer.own.by_distance(queries, located)
            by_place = None if by_place is None else by_place[..., jnp.maximum(step - places, 0)]
            read, _ = layer.own.read(queries, cache, places <= step, partial(_whole, 0), by_place)
            return layer.after(x, read, memory, real, _whole)[0], cache

        def act(carry: Any) -> Any:
            caches, previous, step, answer = carry
            x = self._embed(previous[None], positions[step])
            x, caches = _over(self.depth, (self.decoder, memories, located), partial(through, step), x, caches)
            logits = (x @ self.actions.T + self.b_output)[0]
            best = jnp.where(step < length, 1 + jnp.argmax(logits[1:]), 0)
            action = (EOS + jnp.where(length < 0, jnp.argmax(logits), best)).astype(jnp.int32)
            return caches, action, step + 1, answer.at[step].set(action)

        _, heads, size, _ = self.decoder.own.key.shape
        empty = jnp.zeros((self.depth, cap, heads, size), self.actions.dtype)
        start = ((empty, empty), jnp.int32(SOS), jnp.int32(0), jnp.full(cap, PAD, jnp.int32))
        return jax.lax.while_loop(unfinished, act, start)[-1]

    def scores(self, command: Array, actions: Array) -> Array:
        logits, _ = self._decode(command, actions, _whole)
        barred = jnp.full((len(actions), EOS), -jnp.inf, logits.dtype)
        return jnp.concatenate([barred, jax.nn.log_softmax(logits)], axis=-1)

    def encoding(self, command: Array) -> dict[str, Array]:
        """The top layer's states: "final" is their mean over the words, as no single one stands for the command."""
        encoded, real = self._encode(command, _whole)
        encoded, real = encoded[1:], real[1:]
        words = real & (command != EOS)
        mean = jnp.sum(jnp.where(words[:, None], encoded, 0), axis=0) / jnp.maximum(jnp.sum(words), 1)
        return {FINAL: mean, "at <EOS>": encoded[jnp.sum(real) - 1]}

    def attention(self, command: Array, actions: Array) -> Array:
        """The top decoder layer's weights on the encoder's states, the mean over heads.

        What goes to the symbol that starts a command is shown on its <EOS>: neither is a word.
        """
        _, weights = self._decode(command, actions, _whole)
        mean = jnp.mean(weights[-1], axis=0)
        return mean[:, 1:] + mean[:, :1] * (command == EOS)

    def _embed(self, previous: Array, positions: Array) -> Array:
        """The decoder's input, one row for each action before; <SOS> is <EOS>."""
        return _rows(self.actions, jnp.maximum(previous - EOS, 0)) + positions

    def _positions(self, time: int) -> Array:
        """What is added to embeddings: absolute positions, scaled down to the embeddings' size; or nothing."""
        width = self.actions.shape[-1]
        if self.encoder.own.relative is not None:
            return jnp.zeros((time, 1), self.actions.dtype)
        return sinusoids(np.arange(time), width, self.actions.dtype) * width**-0.5

    def _encode(self, command: Array, drop: Drop) -> tuple[Array, Array]:
        """The states of <SOS> and the command, [1 + command time, width], and which of them are no padding."""
        symbols = jnp.concatenate([jnp.full(1, SOS, command.dtype), command])
        real = symbols != PAD
        x = self._input(_rows(self.words, symbols - SOS) + self._positions(len(symbols)), drop)

        def through(x: Array, layer: Layer, index: Array) -> tuple[Array, None]:
            at = partial(_at, drop, LAYER * index)
            read = layer.own.among(x, real, len(x) - 1, partial(at, WEIGHTS))
            return layer.after(x, read, None, real, at)[0], None

        return _over(self.depth, self.encoder, through, x, jnp.arange(self.depth))[0], real

    def _decode(self, command: Array, actions: Array, drop: Drop) -> tuple[Array, Array]:
        """Logits [time, producible] as `actions` are fed, and each layer's weights on the symbols of the encoder."""
        encoded, real = self._encode(command, drop)
        previous = jnp.concatenate([jnp.full(1, SOS, actions.dtype), actions[:-1]])
        x = self._input(self._embed(previous, self._positions(len(actions))), partial(_at, drop, DECODER))
        before = jnp.tri(len(actions), dtype=bool)

        def through(x: Array, layer: Layer, index: Array) -> tuple[Array, Array]:
            at = partial(_at, drop, LAYER * index + DECODER)
            read = layer.own.among(x, before, 1, partial(at, WEIGHTS))
            return layer.after(x, read, layer.memory(encoded), real, at)

        x, weights = _over(self.depth, self.decoder, through, x, jnp.arange(self.depth))
        return x @ self.actions.T + self.b_output, weights

    def _input(self, x: Array, drop: Drop) -> Array:
        return x if self.encoder.own.relative is not None else drop(INPUT, x)


def _over(depth: int, held: Any, through: Callable[..., Any], x: Array, inputs: Any) -> Any:
    """`x, output = through(x, held, input)` over all layers. `held` has one layer on its leading axis, or all."""
    unroll = 1 if jax.default_backend() == "cpu" else depth  # on a CPU unrolling only lengthens compilation
    if jax.tree.leaves(held)[0].shape[0] == depth:
        return jax.lax.scan(lambda x, at: through(x, *at), x, (held, inputs), unroll=unroll)
    only = jax.tree.map(lambda array: array[0], held)
    return jax.lax.scan(lambda x, at: through(x, only, at), x, inputs, unroll=unroll)


def _whole(place: int | Array, x: Array) -> Array:
    """Nothing is dropped."""
    return x


def _at(drop: Drop, first: int | Array, place: int | Array, x: Array) -> Array:
    return drop(first + place, x)


def _rows(table: Array, index: Array) -> Array:
    """Rows of an embedding, as a product, whose gradient is one too (adding into rows is slow on a card)."""
    return jax.nn.one_hot(index, len(table), dtype=table.dtype) @ table


def transformer(
    key: Array,
    *,
    words: int,
    actions: int,
    positions: Positions,
    shared: bool,
    depth: int,
    width: int,
    heads: int,
    feed_forward: int,
) -> Transformer:
    """A network with the start values of the paper's code; `words`, `actions`: sizes of the vocabularies.

    Linear maps are uniform in ±√(6 / (in + out)) (Glorot), √2 times that before the ReLU; attention with relative
    positions in ±1/√in. Embeddings are Glorot's with relative positions, else normal (He), with variance 2 / width.
    """
    size, held = (heads, width // heads, width), 1 if shared else depth
    glorot = math.sqrt(3 / width)

    def attention(drawn: Any, relative: bool = False) -> Attention:
        bound = width**-0.5 if relative else glorot
        query, key, value = (drawn(size, bound) for _ in range(3))
        nothing = jnp.zeros(size[:2])
        places = Relative(drawn(size, bound), u=nothing, v=nothing) if relative else None
        return Attention(query, key, value, merge=drawn((width, *size[:2]), bound), relative=places)

    def layer(drawn: Any, parts: int) -> Layer:
        bound, norm = math.sqrt(6 / (width + feed_forward)), Norm(jnp.ones(width), jnp.zeros(width))
        return Layer(
            own=attention(drawn, positions == "relative"),
            cross=attention(drawn) if parts == 3 else None,
            w_hidden=drawn((feed_forward, width), math.sqrt(2) * bound),
            b_hidden=drawn((feed_forward,), width**-0.5),
            w_output=drawn((width, feed_forward), bound),
            b_output=drawn((width,), feed_forward**-0.5),
            norms=(norm,) * parts,
        )

    def network(drawn: Any) -> Transformer:
        rows = (words - SOS, actions - EOS)
        tables = [drawn((count, width), math.sqrt(6 / (count + width))) for count in rows]
        if positions == "absolute":
            normal = jax.random.normal(jax.random.fold_in(key, 1), (sum(rows), width)) * math.sqrt(2 / width)
            tables = [normal[: rows[0]], normal[rows[0] :]]
        layers = ([layer(drawn, parts) for _ in range(held)] for parts in (2, 3))
        encoder, decoder = (jax.tree.map(lambda *arrays: jnp.stack(arrays), *same) for same in layers)
        return Transformer(tables[0], encoder, tables[1], decoder, jnp.zeros(rows[1]), depth)

    shapes = jax.eval_shape(lambda: eqx.filter(network(lambda shape, bound: jnp.zeros(shape)), eqx.is_array))
    total = sum(leaf.size for leaf in jax.tree.leaves(shapes))
    return network(pieces(jax.random.uniform(jax.random.fold_in(key, 0), (total,), minval=-1.0, maxval=1.0)))
