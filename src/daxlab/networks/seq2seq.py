"""The paper's networks: a recurrent encoder and decoder, with or without attention (see the paper's supplement).

In the paper's symbols: encoder states h_t = f_E(h_{t-1}, w_t); decoder states g_i = f_D(g_{i-1}, a_{i-1}[, c_i]); the
softmax reads g_i [and c_i]. Loops over time are in `recur`. Knows nothing of training, splits or disk.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from daxlab.errors import InputError
from daxlab.networks.cells import CELLS, CellName, Layer, State, start_layer
from daxlab.networks.contract import Network, Steps
from daxlab.networks.dropout import masks
from daxlab.networks.recur import Products, over_time, recur
from daxlab.symbols import EOS, FINAL, PAD, SOS

# Dropout is on the input of every layer (layer 0's input: the embedded word), each with a number of its own for the
# draws: 2 l in encoder layer l, 2 l + 1 in decoder layer l. A subclass may also drop some of what its softmax reads.


Head = Callable[[Array, Array | None, Any], Array]  # Seq2Seq.head


class Attention(eqx.Module):
    """Bahdanau et al. 2015: e_it = v · tanh(W g_{i-1} + U h_t)."""

    w: Array  # [hidden, hidden]
    u: Array  # [hidden, hidden]
    v: Array  # [hidden]


class Seq2Seq(Network):
    """Encoder and decoder have the same shape and share no weights; embeddings are as wide as the hidden layers."""

    words: Array  # [words, hidden]: the encoder's embedding
    encoder: tuple[Layer, ...]
    actions: Array  # [actions, hidden]: the decoder's embedding
    decoder: tuple[Layer, ...]
    attend: Attention | None
    w_output: Array  # [producible, hidden (and hidden again, of the context)]; row k is symbol EOS + k
    b_output: Array  # [producible]
    cell: CellName = eqx.field(static=True)
    encoder_fields: ClassVar[tuple[str, ...]] = ("words", "encoder")

    @staticmethod
    def head(logits: Array, weights: Array | None, constants: Any) -> Array:
        """What the softmax is taken of; a subclass makes it of the attention weights too.

        `logits`, `weights`: of one step, or of all; `constants`: what attention reads, from `_encode`.
        """
        return logits

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
        logits, produced, _ = self._decode(command, actions, forced, dropout, key, steps)
        target = jnp.maximum(actions - EOS, 0)
        entropies = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, target[:, None], axis=-1)[:, 0]
        counts = actions != PAD
        if own_end and forced is not True:
            ends = jnp.cumsum(produced == EOS) - (produced == EOS)  # the network's own <EOS>s before each step
            counts &= (ends == 0) | forced
        return jnp.sum(jnp.where(counts, entropies, 0))

    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        states, constants = self._encode(command, [])
        products = self._decoder_products()

        def unfinished(carry: Any) -> Array:
            _, previous, step, _ = carry
            return (previous != EOS) & (step < cap)

        def act(carry: Any) -> Any:
            states, previous, step, answer = carry
            inputs = {"word": previous}
            known = Products(products)
            states, (features, weights) = _decoder_step(self.cell, None, known, constants, states, inputs)
            logits = self.head(features @ self.w_output.T + self.b_output, weights, constants)
            free = jnp.argmax(logits)
            best = jnp.where(length < 0, free, jnp.where(step < length, 1 + jnp.argmax(logits[1:]), 0))
            action = (EOS + best).astype(jnp.int32)
            return states, action, step + 1, answer.at[step].set(action)

        start = (states, jnp.int32(SOS), jnp.int32(0), jnp.full(cap, PAD, jnp.int32))
        return jax.lax.while_loop(unfinished, act, start)[-1]

    def scores(self, command: Array, actions: Array) -> Array:
        logits, _, _ = self._decode(command, actions, True)
        barred = jnp.full((len(actions), EOS), -jnp.inf, logits.dtype)
        return jnp.concatenate([barred, jax.nn.log_softmax(logits)], axis=-1)

    def encoding(self, command: Array) -> dict[str, Array]:
        """After <EOS>: the hidden state of each layer, "final" the top one's, and an LSTM's cell states."""
        states, _ = self._encode(command, [])
        hidden, *cells = zip(*states, strict=True)  # each [layers]
        vectors = {FINAL: hidden[-1]}
        vectors |= {f"hidden, layer {n}": state for n, state in enumerate(hidden[:-1], 1)}
        vectors |= {f"cell, layer {n}": state for some in cells for n, state in enumerate(some, 1)}
        return vectors | ({"hidden, all layers": jnp.concatenate(hidden)} if len(hidden) > 1 else {})

    @property
    def attends(self) -> bool:
        return self.attend is not None

    def attention(self, command: Array, actions: Array) -> Array:
        if self.attend is None:
            raise InputError("this network has no attention, so it has no attention weights")
        _, _, weights = self._decode(command, actions, True)
        return weights

    def _encode(
        self, command: Array, masked: Sequence[Array], steps: Array | None = None
    ) -> tuple[tuple[State, ...], Any]:
        """Each layer's final state, and what attention reads of the top layer: (U h_t, h_t, which t are no padding)."""
        real = command != PAD
        last = jnp.sum(real) - 1
        x = self.words[command]  # [time, hidden]
        finals = []
        for index, layer in enumerate(self.encoder):
            if masked:
                x = x * masked[index]
            from_input = over_time(layer.w_input, x) + layer.b_input  # [time, gates, hidden]
            zero = (jnp.zeros_like(x[0]),) * CELLS[self.cell].states
            weights = {"hidden": (layer.w_hidden, layer.b_hidden)}
            states = recur(partial(_encoder_step, self.cell), weights, (), zero, from_input, steps)
            finals.append(tuple(s[last] for s in states))  # states after the last word are not read
            x = states[0]
        if self.attend is None:
            return tuple(finals), None
        return tuple(finals), (over_time(self.attend.u, x), x, real)

    def _decode(
        self,
        command: Array,
        actions: Array,
        forced: bool | Array,
        dropout: Array | None = None,
        key: Array | None = None,
        steps: Steps = (None, None),
    ) -> tuple[Array, Array, Array]:
        """Logits [time, producible], the greedy symbol of each step [time], attention weights (None without)."""
        to_encoder, to_decoder = self._masks(len(command), len(actions), dropout, key, steps)
        states, constants = self._encode(command, to_encoder, steps[0])
        given = jnp.concatenate([jnp.full(1, SOS, actions.dtype), actions[:-1]])
        inputs = {"word": given} | {f"mask {index}": mask for index, mask in enumerate(to_decoder)}
        products = self._decoder_products()
        if forced is True:
            step = partial(_decoder_step, self.cell, None)
            features, weights = recur(step, products, constants, states, inputs, steps[1])
            logits = self._logits(features, weights, constants)
            return logits, EOS + jnp.argmax(logits, axis=-1), weights
        inputs["forced"] = jnp.broadcast_to(forced, given.shape)
        step = partial(_decoder_step, self.cell, self.head)
        carry = (states, jnp.asarray(SOS, actions.dtype))
        features, weights, produced = recur(step, products, constants, carry, inputs, steps[1])
        # The loop's own logits only chose what to feed; these, for all steps at once, keep the gradient out of it.
        return self._logits(features, weights, constants), produced, weights

    def _logits(self, features: Array, weights: Array | None, constants: Any) -> Array:
        return self.head(over_time(self.w_output, features) + self.b_output, weights, constants)

    def _masks(
        self, command_time: int, action_time: int, dropout: Array | None, key: Array | None, steps: Steps
    ) -> tuple[list[Array], list[Array]]:
        """Dropout masks [time, width] for the inputs of the encoder's layers, and the decoder's (and its softmax)."""
        if dropout is None or key is None:
            return [], []
        layers = len(self.encoder)
        places = [2 * index for index in range(layers)] + [2 * index + 1 for index in range(layers)]
        times = [command_time] * layers + [action_time] * layers
        most = None if steps[0] is None or steps[1] is None else jnp.maximum(steps[0], steps[1])
        drawn = masks(key, dropout, places, times, self.words.shape[-1], most)
        drawn = [mask.astype(self.words.dtype) for mask in drawn]
        return drawn[:layers], drawn[layers:]

    def _decoder_products(self) -> dict[str, Any]:
        """The weights of the decoder's step, by name."""
        products: dict[str, Any] = {"embedding": self.actions, "output": (self.w_output, self.b_output)}
        for index, layer in enumerate(self.decoder):
            products[f"input {index}"] = (layer.w_input, layer.b_input)
            products[f"hidden {index}"] = (layer.w_hidden, layer.b_hidden)
        if self.attend is not None:
            products["query"] = (self.attend.w, None)
            products["energy"] = (self.attend.v, None)
        return products


def _encoder_step(cell: CellName, products: Products, _: Any, state: State, from_input: Array) -> tuple[State, State]:
    """One layer of h_t = f_E(h_{t-1}, w_t)."""
    state = CELLS[cell].equations(from_input, products("hidden", state[0]), state)
    return state, state


def _decoder_step(
    cell: CellName, head: Head | None, products: Products, constants: Any, carry: Any, inputs: dict[str, Array]
) -> tuple[Any, Any]:
    """All layers of g_i = f_D(g_{i-1}, a_{i-1}[, c_i]).

    `head`: of a network that is fed, where an example is not forced, the action a_{i-1} that it produced itself.
    """
    states, word = carry if head else (carry, inputs["word"])
    if head:
        word = jnp.where(inputs["forced"], inputs["word"], word)
    x = products.lookup("embedding", word)
    if "mask 0" in inputs:
        x = x * inputs["mask 0"]
    weights, context = None, None
    if constants is not None:
        keys, encoded, real, *_ = constants  # [command time, hidden] twice, [command time]
        energies = products("energy", jnp.tanh(products("query", states[-1][0]) + keys))
        weights = jax.nn.softmax(jnp.where(real, energies, -jnp.inf))
        context = weights @ encoded
        x = jnp.concatenate([x, context])
    new = []
    for index, state in enumerate(states):
        if index and f"mask {index}" in inputs:
            x = x * inputs[f"mask {index}"]
        gates = products(f"input {index}", x), products(f"hidden {index}", state[0])
        new.append(CELLS[cell].equations(*gates, state))
        x = new[-1][0]
    features = x if context is None else jnp.concatenate([x, context])
    if f"mask {len(states)}" in inputs:
        features = features * inputs[f"mask {len(states)}"]
    if not head:
        return tuple(new), (features, weights)
    logits = head(products.reading("output", features), weights, constants)
    produced = (EOS + jnp.argmax(logits)).astype(inputs["word"].dtype)
    return (tuple(new), produced), (features, weights, produced)


def seq2seq(
    key: Array, hidden: int, *, words: int, actions: int, cell: CellName, layers: int = 1, attention: bool = False
) -> Seq2Seq:
    """A network with PyTorch's start values of 2017; `words`, `actions`: sizes of the vocabularies."""
    gates = CELLS[cell].gates
    read = 2 * hidden if attention else hidden  # the size of what the decoder and the softmax read: with the context
    inputs = [read] + [hidden] * (layers - 1)
    layer = gates * hidden * (2 * hidden + 2)
    total = 2 * layers * layer + gates * hidden * (read - hidden) + (actions - EOS) * (read + 1)
    total += hidden * (2 * hidden + 1) if attention else 0
    for_words, for_rest = jax.random.split(key)
    drawn = pieces(jax.random.uniform(for_rest, (total,), minval=-1.0, maxval=1.0))
    embeddings = jax.random.normal(for_words, (words + actions, hidden))
    square, fan_in = (hidden, hidden), hidden**-0.5
    return Seq2Seq(
        words=embeddings[:words],
        encoder=tuple(start_layer(drawn, gates, hidden, hidden) for _ in range(layers)),
        actions=embeddings[words:],
        decoder=tuple(start_layer(drawn, gates, hidden, size) for size in inputs),
        attend=Attention(drawn(square, fan_in), drawn(square, fan_in), drawn((hidden,), fan_in)) if attention else None,
        w_output=drawn((actions - EOS, read), read**-0.5),
        b_output=drawn((actions - EOS,), read**-0.5),
        cell=cell,
    )


def pieces(numbers: Array) -> Callable[[tuple[int, ...], float], Array]:
    """Cuts one long draw into arrays (a draw for each array would take seconds to compile)."""
    place = 0

    def piece(shape: tuple[int, ...], bound: float) -> Array:
        nonlocal place
        first, place = place, place + math.prod(shape)
        return bound * numbers[first:place].reshape(shape)

    return piece
