"""The three recurrent cells of the paper, as equations. Knows nothing of time, of layers or of words.

A cell maps what comes from the input (W_i x + b_i), what comes from the state before (W_h h + b_h), both
[gates, hidden], and that state, a tuple whose first entry is the hidden state [hidden], to the new state.
The equations, gate order and two bias vectors are PyTorch's, the framework of the paper.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

CellName = Literal["srn", "lstm", "gru"]
State = tuple[Array, ...]


def srn(from_input: Array, from_hidden: Array, state: State) -> State:
    """Elman 1990: h' = tanh(W_i x + b_i + W_h h + b_h)."""
    return (jnp.tanh(from_input[0] + from_hidden[0]),)


def lstm(from_input: Array, from_hidden: Array, state: State) -> State:
    """Hochreiter and Schmidhuber 1997, with a forget gate."""
    _, c = state
    i, f, g, o = from_input + from_hidden
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def gru(from_input: Array, from_hidden: Array, state: State) -> State:
    """Chung et al. 2014, the reset gate on the hidden product, its bias included."""
    (h,) = state
    r = jax.nn.sigmoid(from_input[0] + from_hidden[0])
    z = jax.nn.sigmoid(from_input[1] + from_hidden[1])
    n = jnp.tanh(from_input[2] + r * from_hidden[2])
    return ((1 - z) * n + z * h,)


class Cell(NamedTuple):
    """A cell's equations, and how many gates and state vectors it has."""

    equations: Callable[[Array, Array, State], State]
    gates: int
    states: int


CELLS: dict[str, Cell] = {"srn": Cell(srn, 1, 1), "lstm": Cell(lstm, 4, 2), "gru": Cell(gru, 3, 1)}


class Layer(eqx.Module):
    """One recurrent layer. The two biases are trained apart: merging them would change Adam's step."""

    w_input: Array  # [gates, hidden, input]
    b_input: Array  # [gates, hidden]
    w_hidden: Array  # [gates, hidden, hidden]
    b_hidden: Array  # [gates, hidden]


def start_layer(drawn: Callable[[tuple[int, ...], float], Array], gates: int, hidden: int, inputs: int) -> Layer:
    """PyTorch's start values of 2017: uniform in ±1/√hidden, as `drawn(shape, bound)` gives them."""
    bound = hidden**-0.5
    shapes = ((gates, hidden, inputs), (gates, hidden), (gates, hidden, hidden), (gates, hidden))
    return Layer(*(drawn(shape, bound) for shape in shapes))
