"""The Transformer is its readable twin: losses, gradients, answers, states and attention, to rounding."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from daxlab.networks import check_network
from daxlab.networks.transformer import transformer
from daxlab.symbols import PAD

from . import transformer_twin as twin

COMMAND, ACTIONS = (3, 4, 2), (4, 3, 3, 5, 2)
PADDED = jnp.array([*COMMAND, PAD]), jnp.array([*ACTIONS, PAD, PAD])
SMALL = {"words": 6, "actions": 6, "depth": 2, "width": 6, "heads": 3, "feed_forward": 5}
ROWS = [("relative", True), ("absolute", False)]
KEY, RATE, CAP = jax.random.key(5, impl="threefry2x32"), jnp.float32(0.3), 7


@pytest.fixture(scope="module", params=ROWS, ids=lambda row: f"{row[0]}, {'shared' if row[1] else 'separate'}")
def network(request):
    """In float64, with biases and norms that are not at their start values."""
    positions, shared = request.param
    with jax.enable_x64(True):
        made = eqx.filter_jit(partial(transformer, positions=positions, shared=shared, **SMALL))(jax.random.key(1))
        rng = np.random.default_rng(0)
        yield jax.tree.map(lambda p: p + 0.3 * rng.normal(size=p.shape), made)


@eqx.filter_jit
def loss(network, actions=PADDED[1], steps=(None, None)):
    how = {"forced": True, "own_end": True, "dropout": RATE, "key": KEY}
    return network.loss(PADDED[0], actions, steps=steps, **how)


def test_losses_and_their_gradients_are_the_twins(network):
    """With dropout; the gradient of each array along a random direction, against the twin's finite differences."""
    of_twin = partial(twin.loss, command=COMMAND, actions=ACTIONS, key=KEY, rate=RATE)
    value, slopes = eqx.filter_value_and_grad(loss)(network)
    np.testing.assert_allclose(value, of_twin(network), rtol=1e-10)
    rng = np.random.default_rng(1)
    leaves, structure = jax.tree.flatten(jax.tree.map(np.asarray, network))
    for index, (leaf, slope) in enumerate(zip(leaves, jax.tree.leaves(slopes), strict=True)):
        direction = rng.normal(size=leaf.shape)
        moved = [[*leaves[:index], leaf + e * direction, *leaves[index + 1 :]] for e in (1e-5, -1e-5)]
        up, down = (of_twin(jax.tree.unflatten(structure, those)) for those in moved)
        np.testing.assert_allclose(np.tensordot(slope, direction, leaf.ndim), (up - down) / 2e-5, rtol=1e-6, atol=1e-7)


def test_answers_scores_states_and_attention_are_the_twins(network):
    @eqx.filter_jit
    def asked(network, command, actions):
        answers = [network.greedy(command, cap=CAP, length=jnp.int32(length)) for length in (-1, 4)]
        return answers, network.scores(command, actions), network.encoding(command), network.attention(command, actions)

    answers, scores, states, attention = asked(network, *PADDED)
    assert [answer.tolist() for answer in answers] == [twin.greedy(network, COMMAND, CAP, n) for n in (-1, 4)]
    logits, encoded, weights = twin.run(network, COMMAND, ACTIONS)
    expected = [z - np.log(np.exp(z).sum()) for z in logits]
    np.testing.assert_allclose(scores[: len(ACTIONS), 2:], expected, rtol=1e-10)
    np.testing.assert_allclose(states["final"], encoded[1:-1].mean(0), rtol=1e-10)
    np.testing.assert_allclose(states["at <EOS>"], encoded[-1], rtol=1e-10)
    shown = attention[: len(ACTIONS)]
    np.testing.assert_allclose(shown[:, :2], weights[:, 1:3], rtol=1e-10)
    np.testing.assert_allclose(shown[:, 2], weights[:, 0] + weights[:, 3], rtol=1e-10)
    assert (shown[:, 3] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("time", [20, 40])
def test_a_loss_that_stops_where_padding_begins_is_the_same(network, time):
    actions = jnp.full(time + 3, PAD).at[:time].set(3).at[time - 1].set(2)
    stopped = loss(network, actions, (jnp.int32(3), jnp.int32(time)))
    np.testing.assert_allclose(stopped, loss(network, actions), rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("positions", ["relative", "absolute"])
@pytest.mark.parametrize("shared", [True, False])
def test_it_keeps_the_contract(positions, shared):
    sizes = SMALL | {"words": 9, "actions": 7}
    check_network(partial(transformer, positions=positions, shared=shared, **sizes), words=9, actions=7)


def test_layers_that_share_weights_have_a_third_of_them():
    def parameters(shared, positions="relative"):
        sizes = {"depth": 3, "width": 128, "heads": 8, "feed_forward": 256, "words": 16, "actions": 9}
        make = partial(transformer, shared=shared, positions=positions, **sizes)
        return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter_eval_shape(make, jax.random.key(0))))

    tables = (15 + 7) * 128 + 7
    assert parameters(False) - tables == 3 * (parameters(True) - tables)
    attention, relative, fed, norm = 4 * 128**2, 128**2 + 2 * 128, 2 * 128 * 256 + 256 + 128, 2 * 128
    assert parameters(True) - tables == 3 * attention + 2 * relative + 2 * fed + 5 * norm
    assert parameters(True) - parameters(True, "absolute") == 2 * relative
