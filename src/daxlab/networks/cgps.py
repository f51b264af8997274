"""CGPS: two representations of a word, so that what is said and where it goes are learned apart (Li et al. 2019).

In the paper's words: a word has a primitive representation p and a functional one f. The attention of each output step
is computed from the f alone, and what is said is read from the p alone, by that attention. Noise on both, with a
penalty on their sizes, bounds how much they can tell (the paper's entropy regularisation). The decoder is fed nothing
back, so that there is no teacher forcing. Knows nothing of training, splits or disk.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.networks.cells import State, lstm
from daxlab.networks.contract import Network, Steps
from daxlab.symbols import EOS, FINAL, PAD

# Under vmap over a batch a weight's gradient is one product over the batch at each step, so that plain `lax.scan` is as
# fast as `recur`, which would form one gradient for each example.


class LSTM(eqx.Module):
    """One layer; the gates, in the order of daxlab.networks.cells, read the input and the hidden state together."""

    kernel: Array  # [input + hidden, 4 hidden]
    bias: Array  # [4 hidden]

    def __call__(self, x: Array, state: State) -> State:
        gates = jnp.concatenate([x, state[0]]) @ self.kernel + self.bias
        gates = gates.reshape(4, -1)
        return lstm(gates, jnp.zeros_like(gates), state)


class CGPS(Network):
    """An encoder in both directions over f, a decoder with attention to it, and a reading of p by a second attention.

    The second attention is over the places of a command: the first word, the second word, ….
    """

    primitives: Array  # [words, primitive]: p
    functions: Array  # [words, function]: f
    encoder: LSTM  # two of hidden / 2 units on a leading axis: from the first word on, and from the last
    decoder: LSTM  # its input: the attentional state of the step before
    w_memory: Array  # [hidden, hidden]
    w_attend: Array  # [2 hidden, hidden]
    w_place: Array  # [hidden, places]
    b_place: Array  # [places]
    w_output: Array  # [primitive, producible]; column k is symbol EOS + k
    b_output: Array  # [producible]
    noise: float = eqx.field(static=True)
    penalty: float = eqx.field(static=True)
    encoder_fields: ClassVar[tuple[str, ...]] = ("functions", "encoder")

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
        """The cross-entropies under noise, and the penalty: a coefficient times mean(p²) + mean(f²) of every word."""
        said, where = self._words(command)
        real = command != PAD
        sizes = jnp.mean(said**2, axis=-1) + jnp.mean(where**2, axis=-1)
        if self.noise:
            drawn = self.noise * self._noise(key, len(command))
            said, where = said + drawn[:, : said.shape[-1]], where + drawn[:, said.shape[-1] :]
        logits, _ = self._decode(said, where, real, len(actions))
        target = jnp.maximum(actions - EOS, 0)
        entropies = jax.nn.logsumexp(logits, axis=-1) - jnp.sum(
            jnp.where(target[:, None] == jnp.arange(logits.shape[-1]), logits, 0), axis=-1
        )
        return jnp.sum(jnp.where(actions != PAD, entropies, 0)) + self.penalty * jnp.sum(jnp.where(real, sizes, 0))

    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        (said, where), real = self._words(command), command != PAD
        memory, state = self._encode(where, real)

        def unfinished(carry: Any) -> Array:
            _, previous, step, _ = carry
            return (previous != EOS) & (step < cap)

        def act(carry: Any) -> Any:
            state, _, step, answer = carry
            state, attended = self._step(memory, real, state)
            logits = self._read(said, self._looks(attended[None], real))[0]
            free = jnp.argmax(logits)
            best = jnp.where(length < 0, free, jnp.where(step < length, 1 + jnp.argmax(logits[1:]), 0))
            action = (EOS + best).astype(jnp.int32)
            return state, action, step + 1, answer.at[step].set(action)

        start = (state, jnp.int32(PAD), jnp.int32(0), jnp.full(cap, PAD, jnp.int32))
        return jax.lax.while_loop(unfinished, act, start)[-1]

    def scores(self, command: Array, actions: Array) -> Array:
        logits, _ = self._decode(*self._words(command), command != PAD, len(actions))
        barred = jnp.full((len(actions), EOS), -jnp.inf, logits.dtype)
        return jnp.concatenate([barred, jax.nn.log_softmax(logits)], axis=-1)

    def plain(self) -> "CGPS":
        return replace(self, noise=0.0, penalty=0.0)

    def encoding(self, command: Array) -> dict[str, Array]:
        """What the decoder starts with: the last states of both directions, hidden ("final") and cell."""
        _, ((hidden, cell), _) = self._encode(self._words(command)[1], command != PAD)
        return {FINAL: hidden, "cell": cell}

    def attention(self, command: Array, actions: Array) -> Array:
        """The attention by which the p are read; the one that the decoder computes it with is not shown."""
        return self._decode(*self._words(command), command != PAD, len(actions))[1]

    def _words(self, command: Array) -> tuple[Array, Array]:
        """p [time, primitive] and f [time, function]; as products, because many additions to few rows are slow."""
        chosen = jax.nn.one_hot(command, len(self.primitives), dtype=self.primitives.dtype)
        return chosen @ self.primitives, chosen @ self.functions

    def _noise(self, key: Array, time: int) -> Array:
        """Standard normal, of place t from fold_in(key, t): [time, primitive + function]."""
        size = self.primitives.shape[-1] + self.functions.shape[-1]
        keys = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(time))
        return jax.vmap(lambda key: jax.random.normal(key, (size,), self.primitives.dtype))(keys)

    def _encode(self, where: Array, real: Array) -> tuple[tuple[Array, Array], tuple[State, Array]]:
        """The memory (W_m h_t and h_t, [time, hidden] each); what the decoder starts with: its state, no attention."""

        def one_way(layer: LSTM, xs: Array, real: Array) -> tuple[State, Array]:
            def step(state: State, at: tuple[Array, Array]) -> tuple[State, Array]:
                x, is_word = at
                new = layer(x, state)
                state = tuple(jnp.where(is_word, a, b) for a, b in zip(new, state, strict=True))
                return state, state[0]

            zero = jnp.zeros(len(layer.bias) // 4, xs.dtype)
            return jax.lax.scan(step, (zero, zero), (xs, real))

        both = jnp.stack([where, where[::-1]]), jnp.stack([real, real[::-1]])
        states, hidden = jax.vmap(one_way)(self.encoder, *both)
        memory = jnp.concatenate([hidden[0], hidden[1, ::-1]], axis=-1)
        state = tuple(last.reshape(-1) for last in states)  # both directions beside each other
        return (memory @ self.w_memory, memory), (state, jnp.zeros_like(state[0]))

    def _step(self, memory: tuple[Array, Array], real: Array, state: Any) -> tuple[Any, Array]:
        """Luong et al. 2015 with input feeding: g = LSTM(s, g), a_j ∝ exp(g · W_m h_j), s = W_c [g; Σ a_j h_j]."""
        (keys, encoded), (cell, attended) = memory, state
        cell = self.decoder(attended, cell)
        weights = jax.nn.softmax(jnp.where(real, keys @ cell[0], -jnp.inf))
        attended = jnp.concatenate([cell[0], weights @ encoded]) @ self.w_attend
        return (cell, attended), attended

    def _looks(self, attended: Array, real: Array) -> Array:
        """From attentional states [steps, hidden] the attention to the command's places, [steps, time]."""
        places = np.minimum(np.arange(len(real)), len(self.b_place) - 1)  # beyond the last place is padding
        energies = attended @ self.w_place[:, places] + self.b_place[places]
        return jax.nn.softmax(jnp.where(real, energies, -jnp.inf), axis=-1)

    def _read(self, said: Array, looks: Array) -> Array:
        """The logits [steps, producible], from nothing but Σ_j a_j p_j."""
        return (looks @ said) @ self.w_output + self.b_output

    def _decode(self, said: Array, where: Array, real: Array, time: int) -> tuple[Array, Array]:
        """Logits [time, producible] and the attention to places [time, command time]."""
        memory, start = self._encode(where, real)
        _, attended = jax.lax.scan(
            lambda state, _: self._step(memory, real, state),
            start,
            length=time,
            unroll=1 if jax.default_backend() == "cpu" else 4,
        )
        looks = self._looks(attended, real)
        return self._read(said, looks), looks


def cgps(
    key: Array,
    *,
    words: int,
    actions: int,
    places: int,
    hidden: int = 64,
    primitive: int = 16,
    function: int = 8,
    noise: float = 1.0,
    penalty: float = 0.1,
) -> CGPS:
    """A network with the start values of the authors' program: p and f in ±1, Glorot's elsewhere, forget gates at 1.

    `places`: the longest command, <EOS> included.
    """
    drawn = _drawn(key)
    half, producible = hidden // 2, actions - EOS
    forget = jnp.array([0.0, 1.0, 0.0, 0.0])  # the gates are input, forget, cell, output
    return CGPS(
        primitives=drawn((words, primitive), 1.0),
        functions=drawn((words, function), 1.0),
        encoder=LSTM(drawn((2, function + half, 4 * half)), jnp.tile(jnp.repeat(forget, half), (2, 1))),
        decoder=LSTM(drawn((2 * hidden, 4 * hidden)), jnp.repeat(forget, hidden)),
        w_memory=drawn((hidden, hidden)),
        w_attend=drawn((2 * hidden, hidden)),
        w_place=drawn((hidden, places)),
        b_place=jnp.zeros(places),
        w_output=drawn((primitive, producible)),
        b_output=jnp.zeros(producible),
        noise=noise,
        penalty=penalty,
    )


def _drawn(key: Array) -> Callable[..., Array]:
    """Draws one array after the other, uniform in ± a bound: Glorot's, if none is given."""
    drawn = 0

    def draw(shape: tuple[int, ...], bound: float | None = None) -> Array:
        nonlocal drawn
        drawn += 1
        bound = math.sqrt(6 / sum(shape[-2:])) if bound is None else bound
        return jax.random.uniform(jax.random.fold_in(key, drawn), shape, minval=-bound, maxval=bound)

    return draw
