"""Convolutional sequence-to-sequence learning (Gehring et al. 2017): encoder and decoder see a window at a time.

Nothing is carried from step to step, so training computes all positions at once: the decoder is always fed the right
actions. Knows nothing of training, splits or disk.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from daxlab.errors import InputError
from daxlab.networks.contract import Network, Steps
from daxlab.networks.dropout import masks
from daxlab.symbols import EOS, FINAL, PAD, SOS

HALF = math.sqrt(0.5)  # keeps the variance of a sum of two
Map = Callable[[Array], Array]  # [..., in] -> [..., out]

# Dropout has a number for each place of its draws: of L layers, 0 is the embedded command, l = 1..L the input of the
# encoder's convolution l; L + 1 the embedded actions, L + 1 + l the decoder's convolution l, 2 L + 2 the last map.


class Linear(eqx.Module):
    """A weight-normalised linear map (Salimans and Kingma 2016), W_o = g_o v_o / ‖v_o‖; of windows, a convolution.

    The norm scales what comes out, so that no normalised copy of the weights is ever written.
    """

    v: Array  # [out, in]; of a convolution, [out, kernel x channels]
    g: Array  # [out]
    b: Array  # [out]

    def ready(self) -> Map:
        """The map with its norms computed, which a loop need not do again."""
        scale = self.g / jnp.sqrt(jnp.sum(self.v * self.v, axis=-1))
        return lambda x: (x @ self.v.T) * scale + self.b

    def __call__(self, x: Array) -> Array:
        return self.ready()(x)


class Embedding(eqx.Module):
    """A vector for each symbol, plus one for each position."""

    symbols: Array  # [symbols, hidden]
    positions: Array  # [positions, hidden]

    def __call__(self, row: Array) -> Array:
        if len(row) > len(self.positions):
            raise InputError(
                f"this network has vectors for {len(self.positions)} positions, but these examples need {len(row)}: "
                f"set positions={len(row)}"
            )
        return self.symbols[row] + self.positions[: len(row)]


class Side(eqx.Module):
    """What the encoder and the decoder both have."""

    embedding: Embedding
    enter: Linear  # from the embedding's width
    convolutions: tuple[Linear, ...]  # [2 hidden, kernel x hidden]
    leave: Linear


class Attention(eqx.Module):
    """Of one decoder layer."""

    query: Linear
    context: Linear

    def ready(self) -> tuple[Map, Map]:
        return self.query.ready(), self.context.ready()


class Memory(NamedTuple):
    """What the decoder's attention reads of a command."""

    keys: Array  # [command time, hidden]
    values: Array  # [command time, hidden]
    real: Array  # bool [command time]: no padding


class ConvS2S(Network):
    """Encoder and decoder share no weights; all layers and both embeddings are equally wide."""

    encoder: Side
    decoder: Side
    attend: tuple[Attention | None, ...]  # of each decoder layer
    output: Linear  # row k is symbol EOS + k
    kernel: int = eqx.field(static=True)
    encoder_fields: ClassVar[tuple[str, ...]] = ("encoder",)
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
        logits, _ = self._decode(command, actions, self._masks(len(command), len(actions), dropout, key, steps))
        target = jnp.maximum(actions - EOS, 0)
        entropies = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, target[:, None], axis=-1)[:, 0]
        return jnp.sum(jnp.where(actions != PAD, entropies, 0))

    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        memory = self._encode(command)
        act = self._step(memory, cap)

        def unfinished(carry: Any) -> Array:
            _, previous, step, _ = carry
            return (previous != EOS) & (step < cap)

        def one(carry: Any) -> Any:
            windows, previous, step, answer = carry
            windows, logits = act(windows, previous, step)
            best = jnp.where(length < 0, jnp.argmax(logits), jnp.where(step < length, 1 + jnp.argmax(logits[1:]), 0))
            action = (EOS + best).astype(jnp.int32)
            return windows, action, step + 1, answer.at[step].set(action)

        before = jnp.zeros((len(self.attend), self.kernel - 1, memory.keys.shape[-1]), memory.keys.dtype)
        start = (before, jnp.int32(SOS), jnp.int32(0), jnp.full(cap, PAD, jnp.int32))
        return jax.lax.while_loop(unfinished, one, start)[-1]

    def scores(self, command: Array, actions: Array) -> Array:
        logits, _ = self._decode(command, actions)
        barred = jnp.full((len(actions), EOS), -jnp.inf, logits.dtype)
        return jnp.concatenate([barred, jax.nn.log_softmax(logits)], axis=-1)

    def encoding(self, command: Array) -> dict[str, Array]:
        """Means over the command, <EOS> included: of the encoder's output (attention's keys), and of the values."""
        memory = self._encode(command)
        mean = memory.real / jnp.sum(memory.real)
        return {FINAL: mean @ memory.keys, "values": mean @ memory.values}

    def attention(self, command: Array, actions: Array) -> Array:
        """The mean over the layers that have attention."""
        _, weights = self._decode(command, actions)
        return jnp.mean(jnp.stack(weights), axis=0)

    def _encode(self, command: Array, masked: list[Array] | None = None) -> Memory:
        real = command != PAD
        layers = self.encoder.convolutions
        embedded, *drops = _dropped(masked, len(layers) + 1)
        e = embedded(self.encoder.embedding(command))
        x = self.encoder.enter(e)
        for convolution, drop in zip(layers, drops, strict=True):
            beyond = jnp.where(real[:, None], drop(x), 0)  # padding is as empty as what lies beyond the ends
            windows = _windows(beyond, (self.kernel - 1) // 2, self.kernel // 2)
            x = HALF * (x + jax.nn.glu(convolution(windows)))
        layers_with = sum(attention is not None for attention in self.attend)
        keys = _gradient_times(self.encoder.leave(x), 1 / (2 * layers_with))
        return Memory(keys, HALF * (keys + e), real)

    def _decode(
        self, command: Array, actions: Array, masked: tuple[list[Array], list[Array]] | None = None
    ) -> tuple[Array, list[Array]]:
        """Logits [time, producible] and each attention's weights [time, command time], as `actions` are fed."""
        to_encoder, to_decoder = masked or (None, None)
        memory = self._encode(command, to_encoder)
        layers = self.decoder.convolutions
        embedded, *drops, last = _dropped(to_decoder, len(layers) + 2)
        given = jnp.concatenate([jnp.full(1, SOS, actions.dtype), actions[:-1]])
        e = embedded(self.decoder.embedding(given))
        x, found = self.decoder.enter(e), []
        for convolution, attend, drop in zip(layers, self.attend, drops, strict=True):
            windows = _windows(drop(x), self.kernel - 1, 0)
            x, weights = _layer(convolution, attend.ready() if attend else None, windows, x, e, memory)
            found += [] if weights is None else [weights]
        return self.output(last(self.decoder.leave(x))), found

    def _step(self, memory: Memory, cap: int) -> Callable[[Array, Array, Array], tuple[Array, Array]]:
        """One step of the decoder: from each layer's last inputs [layers, kernel - 1, hidden] and the action before."""
        embedding = self.decoder.embedding
        positions = embedding(jnp.full(cap, PAD)) - embedding.symbols[PAD]  # refuses too long a cap
        enter, leave, output = self.decoder.enter.ready(), self.decoder.leave.ready(), self.output.ready()
        convolutions = [convolution.ready() for convolution in self.decoder.convolutions]
        attends = [attend.ready() if attend else None for attend in self.attend]

        def act(before: Array, previous: Array, step: Array) -> tuple[Array, Array]:
            e = embedding.symbols[previous] + positions[step]
            x, after = enter(e), []
            for index, (convolution, attend) in enumerate(zip(convolutions, attends, strict=True)):
                window = jnp.concatenate([before[index], x[None]])
                after.append(window[1:])
                x, _ = _layer(convolution, attend, window.ravel(), x, e, memory)
            return jnp.stack(after), output(leave(x))

        return act

    def _masks(
        self, command_time: int, action_time: int, dropout: Array | None, key: Array, steps: Steps
    ) -> tuple[list[Array], list[Array]] | None:
        """Dropout masks [time, hidden] of the encoder's places, and of the decoder's."""
        if dropout is None:
            return None
        ours, theirs = len(self.encoder.convolutions) + 1, len(self.decoder.convolutions) + 2
        times = [command_time] * ours + [action_time] * theirs
        most = None if steps[0] is None or steps[1] is None else jnp.maximum(steps[0], steps[1])
        dtype, hidden = self.encoder.embedding.symbols.dtype, self.encoder.embedding.symbols.shape[-1]
        drawn = [m.astype(dtype) for m in masks(key, dropout, range(ours + theirs), times, hidden, most)]
        return drawn[:ours], drawn[ours:]


def _layer(
    convolution: Map, attend: tuple[Map, Map] | None, windows: Array, x: Array, e: Array, memory: Memory
) -> tuple[Array, Array | None]:
    """One decoder layer, at all times [time, …] or at one […]; `x`: its input, `e`: the embedded actions before."""
    h, weights = jax.nn.glu(convolution(windows)), None
    if attend is not None:
        query, context = attend
        q = HALF * (query(h) + e)
        weights = jax.nn.softmax(jnp.where(memory.real, q @ memory.keys.T, -jnp.inf))
        c = (weights @ memory.values) * jnp.sqrt(jnp.sum(memory.real).astype(h.dtype))
        h = HALF * (h + context(c))
    return HALF * (x + h), weights


def _windows(x: Array, before: int, after: int) -> Array:
    """[time, channels] -> [time, (before + 1 + after) x channels]: each step with its neighbours, zero beyond."""
    padded = jnp.pad(x, ((before, after), (0, 0)))
    return jnp.concatenate([padded[first : first + len(x)] for first in range(before + 1 + after)], axis=-1)


def _dropped(drawn: list[Array] | None, places: int) -> list[Map]:
    """Dropout at each place."""
    if drawn is None:
        return [lambda x: x] * places
    return [partial(jnp.multiply, mask) for mask in drawn]


def _gradient_times(x: Array, factor: float) -> Array:
    """The same value, but a gradient times `factor`."""
    still = jax.lax.stop_gradient(x)
    return still + factor * (x - still)


def convs2s(
    key: Array,
    hidden: int,
    *,
    words: int,
    actions: int,
    layers: int,
    kernel: int,
    attention_layers: int,
    positions: int,
    dropout: float,
) -> ConvS2S:
    """A network with its start values, which make up for `dropout`; `words`, `actions`: sizes of the vocabularies."""
    maps = hidden * (4 * layers * kernel * hidden + (4 + 2 * attention_layers) * hidden + actions - EOS)
    numbers = jax.random.normal(key, (hidden * (words + actions + 2 * positions) + maps,))
    place = 0

    def drawn(rows: int, columns: int, deviation: float) -> Array:
        nonlocal place  # of one long draw: a draw for each array would take seconds to compile
        first, place = place, place + rows * columns
        return deviation * numbers[first:place].reshape(rows, columns)

    def linear(inputs: int, outputs: int, gain: float) -> Linear:
        v = drawn(outputs, inputs, math.sqrt(gain / inputs))
        return Linear(v, jnp.sqrt(jnp.sum(v * v, axis=-1)), jnp.zeros(outputs))

    def side(symbols: int) -> Side:
        embedding = Embedding(drawn(symbols, hidden, 0.1), drawn(positions, hidden, 0.1))
        enter = linear(hidden, hidden, kept)
        convolutions = tuple(linear(kernel * hidden, 2 * hidden, 4 * kept) for _ in range(layers))
        return Side(embedding, enter, convolutions, linear(hidden, hidden, 1))

    kept = 1 - dropout
    without: tuple[None, ...] = (None,) * (layers - attention_layers)
    return ConvS2S(
        encoder=side(words),
        decoder=side(actions),
        attend=(
            *without,
            *(Attention(linear(hidden, hidden, 1), linear(hidden, hidden, 1)) for _ in range(attention_layers)),
        ),
        output=linear(hidden, actions - EOS, kept),
        kernel=kernel,
    )
