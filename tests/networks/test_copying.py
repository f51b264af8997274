"""The copy head: what it computes is the paper's mixture, in probabilities; it stays finite in float32."""

from dataclasses import replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from daxlab.networks import check_network
from daxlab.networks.copying import copying
from daxlab.symbols import EOS, PAD
from engine import twin

COMMAND, ACTIONS = [3, 4, 5, EOS], [3, 4, 4, 3, EOS]
SIZES = {"words": 6, "actions": 6}
LEXICON = np.zeros((6, 4), bool)  # word 3 is action 3, word 4 is action 5, word 5 is nothing
LEXICON[EOS, 0] = LEXICON[3, 1] = LEXICON[4, 3] = True
HEAD_DROPOUT = 0.25
# how: the lexicon, whether it is trained, and layers
HOW = {"fixed": (LEXICON, False, 1), "trained": (LEXICON, True, 2)}


def made(lexicon, trained, layers, seed=1, hidden=3):
    own = {"lexicon": lexicon, "trained": trained, "layers": layers, "head_dropout": HEAD_DROPOUT, "cell": "lstm"}
    return copying(jax.random.key(seed), hidden, **SIZES, **own)


def mixture(lexicon):
    """log p of one step, from probabilities: p_gen(y) + g sum_j alpha_j L[x_j, y], of which actions have a share."""

    def head(logits, alpha, command):
        *generated, gate = jnp.exp(logits) / jnp.sum(jnp.exp(logits))
        p = jnp.stack(generated)
        for weight, word in zip(alpha, command, strict=True):
            row = lexicon[word]
            if jnp.issubdtype(lexicon.dtype, jnp.floating):
                row = jnp.exp(row) / jnp.sum(jnp.exp(row))
            p = p + gate * weight * row
        return jnp.log(p / p.sum())

    return head


def twin_loss(network, forced, own_end, drop):
    return twin.loss(network, COMMAND, ACTIONS, forced, own_end, drop, mixture(network.lexicon))


def twin_masks(network, key, rate):
    layers, times = len(network.encoder), (len(COMMAND), len(ACTIONS))
    drop = twin.masks(key, jnp.float32(rate), layers, *times, network.words.shape[1])
    width = network.w_output.shape[1]
    of_head = [twin.mask(key, 2 * layers, t, jnp.float32(HEAD_DROPOUT), width) for t in range(times[1])]
    return [*drop, of_head]


@pytest.mark.parametrize("how", HOW)
def test_losses_and_gradients_are_the_twins(how):
    with jax.enable_x64(True):
        network, key = made(*HOW[how]), jax.random.key(5)
        parameters, static = eqx.partition(network, eqx.is_inexact_array)
        padded = jnp.array([*COMMAND, PAD]), jnp.array([*ACTIONS, PAD, PAD])

        @jax.jit
        @jax.value_and_grad
        def ours(parameters, forced):
            steps = (jnp.int32(len(COMMAND)), jnp.int32(len(ACTIONS)))
            more = {"own_end": True, "dropout": jnp.float32(0.3), "key": key, "steps": steps}
            return eqx.combine(parameters, static).loss(*padded, forced=forced, **more)

        @jax.jit
        @jax.value_and_grad
        def theirs(parameters, forced, drop):
            return twin_loss(eqx.combine(parameters, static), forced, True, drop)

        for forced in (True, False):
            value, slopes = ours(parameters, jnp.bool_(forced))
            expected, expected_slopes = theirs(parameters, forced, twin_masks(network, key, 0.3))
            np.testing.assert_allclose(value, expected, rtol=1e-9)
            for a, b in zip(jax.tree.leaves(slopes), jax.tree.leaves(expected_slopes), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
        assert (slopes.lexicon is None) == (how == "fixed")


@pytest.mark.parametrize("length", [-1, 3])
def test_answers_and_attention_are_the_twins(length):
    cap, differ = 7, 0
    for seed in range(3):
        network = made(*HOW["fixed"], seed=seed)
        network = replace(network, w_output=4 * network.w_output)
        answer = jax.jit(partial(network.greedy, cap=cap))(jnp.array([*COMMAND, PAD]), length=jnp.int32(length))
        head = mixture(network.lexicon)
        assert answer.tolist() == twin.greedy(network, COMMAND, cap, length, head)
        without = twin.greedy(network, COMMAND, cap, length, lambda logits, *_: logits[:-1])
        differ += answer.tolist() != without
        states, tops = twin.encode(network, COMMAND, None)
        _, _, alpha = twin.act(network, states, tops, 1, 0, None)
        np.testing.assert_allclose(network.attention(jnp.array(COMMAND), answer)[0], alpha, rtol=1e-4)
    assert differ  # copying matters here


def test_it_keeps_the_contract():
    check_network(lambda key: copying(key, 3, **SIZES, cell="gru", lexicon=LEXICON, trained=False), **SIZES)


def test_an_open_gate_copies_what_is_attended_to():
    """As p_gen vanishes, the answer is the lexicon's, whatever the logits of the actions are."""
    network = made(*HOW["fixed"])
    weights = jnp.array([[0.9, 0.1, 0, 0], [0.1, 0.6, 0.3, 0]])
    constants = (jnp.asarray(LEXICON, jnp.float32)[jnp.array(COMMAND)],)
    log_p = jax.nn.log_softmax(network.head(jnp.array([[5.0, 3, 0, 1, 60]] * 2), weights, constants))
    expected = [[0, 0.9, 0, 0.1], [0, 1 / 7, 0, 6 / 7]]  # what is on the word without an entry is lost
    np.testing.assert_allclose(jnp.exp(log_p), expected, atol=1e-6)


@pytest.mark.parametrize("gate", [-200.0, 0.0, 200.0])
@pytest.mark.parametrize("certain", [0.0, 1e-38, 1e-20, 1.0])
def test_losses_and_gradients_are_finite_in_float32(gate, certain):
    """However sure the gate, the attention or the softmax is."""
    translations = jnp.asarray(LEXICON, jnp.float32)[jnp.array(COMMAND)]

    def loss(logits, weights):
        return -jax.nn.log_softmax(made(*HOW["fixed"]).head(logits, weights, (translations,)))[1]

    weights = jnp.array([certain, 1 - certain, 0, 0])
    value, slopes = jax.value_and_grad(loss, (0, 1))(jnp.array([0.0, -150, 0, 100, gate]), weights)
    assert jnp.isfinite(value) and all(jnp.isfinite(slope).all() for slope in slopes)


def test_what_a_lexicon_that_is_trained_starts_from():
    network = made(*HOW["trained"])
    table = np.asarray(jax.nn.softmax(network.lexicon))
    np.testing.assert_allclose(table[3:5], LEXICON[3:5], atol=1e-6)
    np.testing.assert_allclose(table[5], 1 / 4)  # nothing is known of this word
