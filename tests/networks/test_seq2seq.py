"""The networks: gradients, start values, and the contract."""

from dataclasses import fields
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from daxlab.errors import InputError
from daxlab.networks import CELLS, Attends, Encodes, Seq2Seq, check_network, seq2seq

COMMAND, ACTIONS = jnp.array([3, 4, 5, 2, 0]), jnp.array([3, 4, 4, 2, 0, 0])


@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("cell", CELLS)
def test_gradients_are_finite_differences(cell, attention):
    """In float64, along a random direction of each parameter, with dropout, forced and self-fed."""
    with jax.enable_x64(True):
        network = seq2seq(jax.random.key(1), 3, words=6, actions=6, cell=cell, layers=2, attention=attention)
        parameters, static = eqx.partition(network, eqx.is_inexact_array)

        @jax.jit
        def losses(parameters, steps):
            network = eqx.combine(parameters, static)
            how = {"own_end": True, "dropout": jnp.float32(0.3), "key": jax.random.key(5), "steps": steps}
            return jnp.stack([network.loss(COMMAND, ACTIONS, forced=f, **how) for f in (True, False)])

        steps = (jnp.int32(4), jnp.int32(4))
        slopes = jax.jit(jax.jacrev(losses))(parameters, steps)
        rng = np.random.default_rng(0)
        for leaf in range(len(jax.tree.leaves(parameters))):  # every parameter on its own
            leaves, shape = jax.tree.flatten(jax.tree.map(lambda p: np.zeros(p.shape), parameters))
            leaves[leaf] = rng.normal(size=leaves[leaf].shape)
            direction = jax.tree.unflatten(shape, leaves)
            moved = [jax.tree.map(lambda p, d, e=e: p + e * d, parameters, direction) for e in (1e-6, -1e-6)]
            numeric = (losses(moved[0], steps) - losses(moved[1], steps)) / 2e-6
            exact = sum(jnp.tensordot(s, d, d.ndim) for s, d in zip(jax.tree.leaves(slopes), leaves, strict=True))
            np.testing.assert_allclose(exact, numeric, rtol=1e-5, atol=1e-7)


def test_the_paper_networks_keep_the_contract():
    make = partial(seq2seq, hidden=3, cell="lstm", layers=2, attention=True, words=9, actions=7)
    check_network(make, words=9, actions=7)
    network = make(jax.random.key(0))
    assert isinstance(network, Encodes) and isinstance(network, Attends)


def test_a_network_that_sees_its_padding_is_found_out():
    class Careless(Seq2Seq):
        def loss(self, command, actions, **how):
            return super().loss(command, actions, **how) + len(actions)

    with pytest.raises(InputError, match="its loss depends on padding"):
        check_network(partial(_as, Careless), words=9, actions=7)


def _as(kind, key):
    """An SRN as a network of another class."""
    network = seq2seq(key, 3, words=9, actions=7, cell="srn")
    return kind(**{field.name: getattr(network, field.name) for field in fields(network)})


@pytest.mark.parametrize(
    ("cell", "layers", "states"),
    [
        ("srn", 1, {"final"}),
        ("gru", 2, {"final", "hidden, layer 1", "hidden, all layers"}),
        ("lstm", 1, {"final", "cell, layer 1"}),
    ],
)
def test_only_an_lstm_has_cell_states_and_no_state_has_two_names(cell, layers, states):
    network = seq2seq(jax.random.key(0), 3, words=9, actions=7, cell=cell, layers=layers)
    assert set(network.encoding(COMMAND)) == states


@pytest.mark.parametrize(
    ("encoding", "broken"),
    [
        (lambda command: jnp.zeros((2, 3)), "not a dict with 'final'"),
        (lambda command: {"first": jnp.zeros(3)}, "not a dict with 'final'"),
        (lambda command: {"final": jnp.zeros((len(command), 3))}, "'final' is not one vector"),
        (lambda command: {"final": jnp.zeros(3), "words": jnp.zeros(len(command))}, "'words' depends on padding"),
        (lambda command: {"final": jnp.full(3, len(command))}, "'final' depends on padding"),
    ],
)
def test_states_that_break_the_contract_are_found_out(encoding, broken):
    class Encoder(Seq2Seq):
        def encoding(self, command):
            return encoding(command)

    with pytest.raises(InputError, match=broken):
        check_network(partial(_as, Encoder), words=9, actions=7)


def test_start_values_are_pytorchs_of_2017():
    network = seq2seq(jax.random.key(0), 100, words=50, actions=10, cell="lstm", attention=True)
    bound = lambda x: float(jnp.abs(x).max())  # noqa: E731
    assert 0.099 < bound(network.encoder[0].w_hidden) <= 0.1 and 0.099 < bound(network.decoder[0].w_input) <= 0.1
    assert 0.069 < bound(network.w_output) <= 200**-0.5 and 0.09 < bound(network.attend.w) <= 0.1
    assert abs(float(network.words.std()) - 1) < 0.05 and bound(network.words) > 3


def test_a_network_without_attention_has_no_weights_to_show():
    with pytest.raises(InputError):
        seq2seq(jax.random.key(0), 3, words=6, actions=6, cell="gru").attention(COMMAND, ACTIONS)
