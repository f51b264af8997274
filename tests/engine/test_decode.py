"""Answers of many networks to many commands at once are the twin's, one at a time."""

from functools import partial

import jax
import numpy as np
import pytest

from daxlab.engine import Member, Stack, answers, attentions, encodings, evaluate, log_likelihoods, right, unstack
from daxlab.errors import InputError
from daxlab.networks import seq2seq

from . import twin
from .toy import ALL, ENCODING, LANGUAGE

MAKE = partial(
    seq2seq, hidden=8, cell="lstm", layers=2, attention=True, words=len(ENCODING.words), actions=len(ENCODING.actions)
)
NETWORKS = Stack((Member(0, ALL), Member(1, ALL)), MAKE, ENCODING).start()
COMMANDS, ACTIONS = (
    ENCODING.commands([e.command for e in LANGUAGE]),
    ENCODING.answers([e.actions for e in LANGUAGE]),
)


def test_greedy_and_oracle_answers_are_the_twins():
    free = answers(NETWORKS, COMMANDS, cap=6, like=ACTIONS)
    lengths = np.arange(len(COMMANDS), dtype=np.int32) % 5
    oracle = answers(NETWORKS, COMMANDS, cap=6, lengths=lengths)
    assert free.shape == oracle.shape == (2, 10, 6)
    for run in range(2):
        for place in (0, 3, 7):
            network = unstack(NETWORKS, run)
            assert free[run, place].tolist() == twin.greedy(network, COMMANDS[place], 6)
            assert oracle[run, place].tolist() == twin.greedy(network, COMMANDS[place], 6, int(lengths[place]))
    assert ((oracle > 2).sum(axis=-1) == lengths).all()


def test_likelihoods_are_the_twins():
    found = log_likelihoods(NETWORKS, COMMANDS, ACTIONS)
    for place in (0, 5):
        network, rows = unstack(NETWORKS, 1), (row[place][row[place] != 0] for row in (COMMANDS, ACTIONS))
        np.testing.assert_allclose(found[1, place], -twin.loss(network, *rows, True, True, None), rtol=1e-4)


def test_states_and_attention_are_the_twins():
    states, weights = encodings(NETWORKS, COMMANDS), attentions(NETWORKS, COMMANDS, ACTIONS)
    assert {state.shape for state in states.values()} == {(2, 10, 8), (2, 10, 16)} and weights.shape == (2, 10, 4, 3)
    network = unstack(NETWORKS, 0)
    its, tops = twin.encode(network, COMMANDS[0][COMMANDS[0] != 0], None)
    (h1, c1), (h2, c2) = its
    expected = {"final": h2, "hidden, layer 1": h1, "cell, layer 1": c1, "cell, layer 2": c2}
    expected["hidden, all layers"] = np.concatenate([h1, h2])
    assert set(states) == set(expected)
    for name, state in expected.items():
        np.testing.assert_allclose(states[name][0, 0], state, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(weights[0, 0, 0, :2], twin.act(network, its, tops, 1, 0, None)[2], rtol=1e-4)
    assert (weights[0, 0, :, 2] == 0).all()


def test_networks_may_be_asked_different_examples_or_none():
    first, second = evaluate(ENCODING, NETWORKS, [LANGUAGE, ()])
    assert len(first.answers) == len(LANGUAGE) and second.answers == []
    first, second = evaluate(ENCODING, NETWORKS, [LANGUAGE[:3], LANGUAGE], oracle_length=True)
    assert [len(answer) for answer in first.answers] == [len(e.actions) for e in LANGUAGE[:3]]
    assert second.ended.all() and first.right.shape == (3,)


def test_only_the_whole_sequence_is_right():
    target = ACTIONS[:2]
    given = np.pad(target, ((0, 0), (0, 2)))
    assert right(given, target).all()
    given[0, 1] = 5  # no <EOS> where it belongs
    assert right(given, target).tolist() == [False, True]


def test_what_a_network_cannot_show_is_said():
    plain = jax.tree.map(lambda x: x[None], seq2seq(jax.random.key(0), 3, words=8, actions=8, cell="srn"))
    with pytest.raises(InputError):
        attentions(plain, COMMANDS, ACTIONS)
