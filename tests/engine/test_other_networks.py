"""The contract is not recurrent: a convolution that sees the whole command trains in the engine as it is."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from daxlab.engine import Member, Stack, evaluate, train, unstack
from daxlab.engine.train import prepare
from daxlab.networks import Network, check_network
from daxlab.protocol import Protocol
from daxlab.symbols import EOS, PAD, SOS

from .test_group_equals_twin import trained
from .toy import ALL, ENCODING, JUMP


class Convolution(Network):
    """Action t from a bag of the command, the position t, and the two actions before."""

    words: jax.Array
    actions: jax.Array
    positions: jax.Array
    mix: jax.Array
    output: jax.Array

    def _logits(self, command, before, t):  # before: the two symbols before
        bag = jnp.sum(jnp.where((command != PAD)[:, None], self.words[command], 0), axis=0)
        return self.output @ jnp.tanh(self.mix @ jnp.concatenate([bag + self.positions[t], *self.actions[before]]))

    def _run(self, command, actions, forced):
        given = jnp.concatenate([jnp.full(1, SOS), actions[:-1]])
        before, logits, produced = jnp.full(2, SOS), [], []
        for t in range(len(actions)):
            word = given[t] if t == 0 else jnp.where(forced, given[t], produced[-1])
            before = jnp.stack([before[1], word])
            logits.append(self._logits(command, before, t))
            produced.append(EOS + jnp.argmax(logits[-1]))
        return jnp.stack(logits), jnp.stack(produced)

    def loss(self, command, actions, *, forced, own_end, dropout, key, steps=(None, None)):
        logits, produced = self._run(command, actions, forced)
        own = produced == EOS
        counts = (actions != PAD) & (forced | (not own_end) | (jnp.cumsum(own) - own == 0))
        scores = jnp.take_along_axis(jax.nn.log_softmax(logits), jnp.maximum(actions - EOS, 0)[:, None], axis=1)[:, 0]
        return -jnp.sum(jnp.where(counts, scores, 0))

    def greedy(self, command, *, cap, length):
        def step(carry, t):
            before, done = carry
            logits = self._logits(command, before, t)
            best = jnp.where(length < 0, jnp.argmax(logits), jnp.where(t < length, 1 + jnp.argmax(logits[1:]), 0))
            symbol = jnp.where(done, PAD, EOS + best)
            return (jnp.stack([before[1], symbol]), done | (symbol == EOS)), symbol

        return jax.lax.scan(step, (jnp.full(2, SOS), False), jnp.arange(cap))[1]

    def scores(self, command, actions):
        logits = jax.nn.log_softmax(self._run(command, actions, True)[0])
        return jnp.concatenate([jnp.full((len(actions), EOS), -jnp.inf), logits], axis=1)


def convolution(key, *, words, actions, hidden=6):
    shapes = ((words, hidden), (actions, hidden), (20, hidden), (hidden, 3 * hidden), (actions - EOS, hidden))
    keys = jax.random.split(key, 5)
    return Convolution(*(jax.random.normal(k, s) * 0.3 for k, s in zip(keys, shapes, strict=True)))


SIZES = {"words": len(ENCODING.words), "actions": len(ENCODING.actions)}
MAKE = partial(convolution, **SIZES)


def test_it_keeps_the_contract():
    check_network(MAKE, **SIZES)


@pytest.mark.parametrize("early_exit", [True, False])
def test_a_group_of_them_is_separate_runs(early_exit):
    protocol = Protocol(updates=50)
    runs = (Member(0, ALL), Member(1, JUMP), Member(2, ALL))
    together, losses = trained(Stack(runs, MAKE, ENCODING, protocol), early_exit=early_exit)
    for place, run in enumerate(runs[:2]):
        alone, its = trained(Stack((run,), MAKE, ENCODING, protocol), early_exit=early_exit)
        np.testing.assert_allclose(losses[:, place], its[:, 0], rtol=1e-3)
        for a, b in zip(jax.tree.leaves(unstack(together, place)), jax.tree.leaves(unstack(alone, 0)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def test_it_learns_ten_pairs():
    group = Stack((Member(0, ALL),), partial(MAKE, hidden=16), ENCODING, Protocol(updates=2000, learning_rate=5e-3))
    assert evaluate(ENCODING, train(group, sample=0).networks, [ALL.test])[0].right.all()


def test_a_program_is_made_for_no_split():
    programs = [prepare(Stack((Member(0, split),), MAKE, ENCODING))[0] for split in (ALL, JUMP)]
    assert programs[0] == programs[1] and hash(programs[0]) == hash(programs[1])
