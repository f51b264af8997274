"""Equinox's cells are the oracles; the simple recurrent network has a formula."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from daxlab.networks.cells import CELLS, Layer, start_layer

H, IN = 4, 3
KEYS = jax.random.split(jax.random.key(0), 8)
X, h, C = (jax.random.normal(k, (n,)) for k, n in zip(KEYS[:3], (IN, H, H), strict=True))


def layer(gates):
    return start_layer(lambda s, b: b * jax.random.uniform(KEYS[len(s)], s, minval=-1.0), gates, H, IN)


def new(cell, weights, state):
    return CELLS[cell].equations(
        weights.w_input @ X + weights.b_input, weights.w_hidden @ state[0] + weights.b_hidden, state
    )


def test_srn_is_its_formula():
    w = layer(1)
    expected = jnp.tanh(w.w_input[0] @ X + w.b_input[0] + w.w_hidden[0] @ h + w.b_hidden[0])
    np.testing.assert_allclose(new("srn", w, (h,))[0], expected, rtol=1e-6)


def test_lstm_is_equinoxs():
    w, cell = layer(4), eqx.nn.LSTMCell(IN, H, key=KEYS[7])
    flat = (w.w_input.reshape(-1, IN), w.w_hidden.reshape(-1, H), (w.b_input + w.b_hidden).reshape(-1))
    cell = eqx.tree_at(lambda c: (c.weight_ih, c.weight_hh, c.bias), cell, flat)
    for ours, theirs in zip(new("lstm", w, (h, C)), cell(X, (h, C)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_gru_is_equinoxs():
    w, cell = layer(3), eqx.nn.GRUCell(IN, H, key=KEYS[7])
    # Equinox has one bias for all gates, and a second one inside the reset product: PyTorch's hidden bias
    bias = jnp.concatenate([w.b_input[0] + w.b_hidden[0], w.b_input[1] + w.b_hidden[1], w.b_input[2]])
    flat = (w.w_input.reshape(-1, IN), w.w_hidden.reshape(-1, H), bias, w.b_hidden[2])
    cell = eqx.tree_at(lambda c: (c.weight_ih, c.weight_hh, c.bias, c.bias_n), cell, flat)
    np.testing.assert_allclose(new("gru", w, (h,))[0], cell(X, h), rtol=1e-5, atol=1e-6)


def test_a_layer_has_two_biases_of_its_own():
    w = layer(4)
    assert isinstance(w, Layer) and w.b_input.shape == w.b_hidden.shape == (4, H)
    assert float(jnp.abs(w.w_hidden).max()) <= H**-0.5
