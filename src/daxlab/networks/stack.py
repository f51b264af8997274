"""The paper's recurrent network with a stack that it can push to and pop from (Joulin and Mikolov 2015).

All layers of a step read the stack's top beside the word; the top layer's state then decides, by a softmax, how much to
push, to pop, and to do nothing. The stack is read before it is changed, and goes on from the encoder to the decoder as
the state does. With its weights for the stack at zero this is the paper's network, whose start values all others have.
Knows nothing of training, splits or disk.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from daxlab.networks.cells import CELLS, CellName, State
from daxlab.networks.contract import Steps
from daxlab.networks.recur import Products, over_time, recur
from daxlab.networks.seq2seq import Seq2Seq, seq2seq
from daxlab.symbols import EOS, FINAL, PAD, SOS

Memory = tuple[tuple[State, ...], Array]  # each layer's state, and the stack [depth, width], its top first


class Control(eqx.Module):
    """How a recurrence reads and changes its stack."""

    w_read: Array  # [gates, hidden, width]: the stack's top as an input of the first layer
    w_act: Array  # [3, hidden]: push, pop, nothing
    b_act: Array  # [3]
    w_push: Array  # [width, hidden]: what is pushed
    b_push: Array  # [width]


class StackSeq2Seq(Seq2Seq):
    """The encoder and the decoder have weights of their own for their one stack."""

    encoder_stack: Control
    decoder_stack: Control
    depth: int = eqx.field(static=True)
    encoder_fields: ClassVar[tuple[str, ...]] = ("words", "encoder", "encoder_stack")

    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        products = self._decoder_products()

        def unfinished(carry: Any) -> Array:
            _, previous, step, _ = carry
            return (previous != EOS) & (step < cap)

        def act(carry: Any) -> Any:
            memory, previous, step, answer = carry
            inputs = {"word": previous}
            memory, features = _decoder_step(self.cell, False, Products(products), None, memory, inputs)
            logits = features @ self.w_output.T + self.b_output
            free = jnp.argmax(logits)
            best = jnp.where(length < 0, free, jnp.where(step < length, 1 + jnp.argmax(logits[1:]), 0))
            action = (EOS + best).astype(jnp.int32)
            return memory, action, step + 1, answer.at[step].set(action)

        start = (self._memory(command), jnp.int32(SOS), jnp.int32(0), jnp.full(cap, PAD, jnp.int32))
        return jax.lax.while_loop(unfinished, act, start)[-1]

    def encoding(self, command: Array) -> dict[str, Array]:
        """After <EOS>: "final", the top layer's hidden state, the other states by layer, and the top of the stack."""
        states, stack = self._memory(command)
        hidden, *cells = zip(*states, strict=True)
        vectors = {FINAL: hidden[-1]}
        vectors |= {f"hidden, layer {n}": state for n, state in enumerate(hidden[:-1], 1)}
        vectors |= {f"cell, layer {n}": state for some in cells for n, state in enumerate(some, 1)}
        return vectors | {"top of the stack": stack[0]}

    def _memory(self, command: Array, masked: Sequence[Array] = (), steps: Array | None = None) -> Memory:
        """What the encoder leaves behind after the last word."""
        x = self.words[command]
        if masked:
            x = x * masked[0]
        first = self.encoder[0]
        inputs = {"word": over_time(first.w_input, x) + first.b_input}  # [time, gates, hidden]
        inputs |= {f"mask {n}": mask for n, mask in enumerate(masked) if n}
        products = _products(self.encoder, self.encoder_stack)
        del products["input 0"]  # of all words at once, above
        memories = recur(partial(_encoder_step, self.cell), products, (), self._empty(), inputs, steps)
        last = jnp.sum(command != PAD) - 1
        return jax.tree.map(lambda m: m[last], memories)  # what comes after the last word is not read

    def _empty(self) -> Memory:
        hidden, width = self.words.shape[-1], self.encoder_stack.b_push.shape[-1]
        zero = jnp.zeros(hidden, self.words.dtype)
        states = tuple((zero,) * CELLS[self.cell].states for _ in self.encoder)
        return states, jnp.zeros((self.depth, width), self.words.dtype)

    def _decode(
        self,
        command: Array,
        actions: Array,
        forced: bool | Array,
        dropout: Array | None = None,
        key: Array | None = None,
        steps: Steps = (None, None),
    ) -> tuple[Array, Array, Any]:
        """Logits [time, producible] and the greedy symbol of each step [time]."""
        to_encoder, to_decoder = self._masks(len(command), len(actions), dropout, key, steps)
        memory = self._memory(command, to_encoder, steps[0])
        given = jnp.concatenate([jnp.full(1, SOS, actions.dtype), actions[:-1]])
        inputs = {"word": given} | {f"mask {index}": mask for index, mask in enumerate(to_decoder)}
        products = self._decoder_products()
        if forced is True:
            features = recur(partial(_decoder_step, self.cell, False), products, None, memory, inputs, steps[1])
            logits = over_time(self.w_output, features) + self.b_output
            return logits, EOS + jnp.argmax(logits, axis=-1), None
        inputs["forced"] = jnp.broadcast_to(forced, given.shape)
        carry = (memory, jnp.asarray(SOS, actions.dtype))
        features, produced = recur(partial(_decoder_step, self.cell, True), products, None, carry, inputs, steps[1])
        # As in Seq2Seq, these logits of all steps at once, not the loop's own, have the gradient.
        return over_time(self.w_output, features) + self.b_output, produced, None

    def _decoder_products(self) -> dict[str, Any]:
        output = {"embedding": self.actions, "output": (self.w_output, self.b_output)}
        return output | _products(self.decoder, self.decoder_stack)


def _products(layers: Any, control: Control) -> dict[str, Any]:
    """The weights of a step, by name."""
    products: dict[str, Any] = {"read": (control.w_read, None)}
    products |= {"act": (control.w_act, control.b_act), "push": (control.w_push, control.b_push)}
    for index, layer in enumerate(layers):
        products[f"input {index}"] = (layer.w_input, layer.b_input)
        products[f"hidden {index}"] = (layer.w_hidden, layer.b_hidden)
    return products


def _step(cell: CellName, products: Products, memory: Memory, from_word: Array, inputs: dict[str, Array]) -> Memory:
    """All layers, and then the stack: h_t = f(h_{t-1}, [x_t; s_0]), a = softmax(W_a h_t), v = tanh(W_v h_t)."""
    states, stack = memory
    from_input = from_word + products("read", stack[0])
    new: list[State] = []
    for index, state in enumerate(states):
        if index:
            x = new[-1][0]
            x = x * inputs[f"mask {index}"] if f"mask {index}" in inputs else x
            from_input = products(f"input {index}", x)
        new.append(CELLS[cell].equations(from_input, products(f"hidden {index}", state[0]), state))
    top = new[-1][0]
    push, pop, nothing = jax.nn.softmax(products("act", top))
    pushed = jnp.concatenate([jnp.tanh(products("push", top))[None], stack[:-1]])
    popped = jnp.concatenate([stack[1:], jnp.zeros_like(stack[:1])])
    return tuple(new), push * pushed + pop * popped + nothing * stack


def _encoder_step(
    cell: CellName, products: Products, _: Any, memory: Memory, inputs: dict[str, Array]
) -> tuple[Memory, Memory]:
    memory = _step(cell, products, memory, inputs["word"], inputs)
    return memory, memory


def _decoder_step(
    cell: CellName, feeds: bool, products: Products, _: Any, carry: Any, inputs: dict[str, Array]
) -> tuple[Any, Any]:
    """`feeds`: where an example is not forced, the word is the action that the network itself produced."""
    memory, word = carry if feeds else (carry, inputs["word"])
    if feeds:
        word = jnp.where(inputs["forced"], inputs["word"], word)
    x = products.lookup("embedding", word)
    if "mask 0" in inputs:
        x = x * inputs["mask 0"]
    memory = _step(cell, products, memory, products("input 0", x), inputs)
    features = memory[0][-1][0]
    if not feeds:
        return memory, features
    produced = (EOS + jnp.argmax(products.reading("output", features))).astype(inputs["word"].dtype)
    return (memory, produced), (features, produced)


def stack_seq2seq(
    key: Array,
    *,
    words: int,
    actions: int,
    cell: CellName = "lstm",
    layers: int = 2,
    hidden: int = 200,
    width: int = 32,
    depth: int = 32,
) -> StackSeq2Seq:
    """The paper's network of this key, and a stack of `depth` vectors, each of `width` numbers."""
    plain = seq2seq(key, hidden, words=words, actions=actions, cell=cell, layers=layers)
    of_encoder, of_decoder = jax.random.split(jax.random.fold_in(key, 1))
    start = partial(_control, gates=CELLS[cell].gates, hidden=hidden, width=width)
    return StackSeq2Seq(
        **{part.name: getattr(plain, part.name) for part in fields(plain)},
        encoder_stack=start(of_encoder),
        decoder_stack=start(of_decoder),
        depth=depth,
    )


def _control(key: Array, *, gates: int, hidden: int, width: int) -> Control:
    """Uniform in ±1/√hidden, as the network's other weights; doing nothing is likelier at first, for calm gradients."""
    sizes = (gates * hidden * width, 3 * hidden, width * hidden, width)
    drawn = jax.random.uniform(key, (sum(sizes),), minval=-(hidden**-0.5), maxval=hidden**-0.5)
    read, act, push, bias = jnp.split(drawn, [sum(sizes[:n]) for n in (1, 2, 3)])
    return Control(
        w_read=read.reshape(gates, hidden, width),
        w_act=act.reshape(3, hidden),
        b_act=jnp.array([0.0, 0.0, 1.0]),
        w_push=push.reshape(width, hidden),
        b_push=bias,
    )
