"""Equinox: a network that daxlab's engine trains, many runs at a time: daxlab train reader.py:Reader --split simple

A GRU reads the command; each action is told from what it has read and the action's place, whatever the others are.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from daxlab.networks import Network
from daxlab.symbols import EOS, PAD


class Reader(Network):
    """`start` makes it from a key and the sizes of the vocabularies; its further parameters are fields to set."""

    words: eqx.nn.Embedding
    reader: eqx.nn.GRUCell
    places: jax.Array
    writer: eqx.nn.MLP

    @staticmethod
    def start(key, *, words: int, actions: int, width: int = 64, longest: int = 64):
        first, second, third, fourth = jax.random.split(key, 4)
        return Reader(
            eqx.nn.Embedding(words, width, key=first),
            eqx.nn.GRUCell(width, width, key=second),
            jax.random.normal(third, (longest, width)),
            eqx.nn.MLP(2 * width, actions - EOS, width, 1, key=fourth),  # symbols before <EOS> are never produced
        )

    def encoding(self, command):
        def read(state, word):
            return jnp.where(word == PAD, state, self.reader(self.words(word), state)), None

        return {"final": jax.lax.scan(read, jnp.zeros(self.reader.hidden_size), command)[0]}

    def _logits(self, command, time):
        state = self.encoding(command)["final"]
        return jax.vmap(lambda place: self.writer(jnp.concatenate([state, place])))(self.places[:time])

    def loss(self, command, actions, *, forced, own_end, dropout, key, steps=(None, None)):
        scores = self.scores(command, actions)
        counts = actions != PAD
        if own_end and forced is not True:  # the loss of a self-fed example ends with the network's own <EOS>
            own = jnp.argmax(scores, axis=1) == EOS
            counts &= (jnp.cumsum(own) - own == 0) | forced
        return -jnp.sum(jnp.where(counts, jnp.take_along_axis(scores, actions[:, None], axis=1)[:, 0], 0))

    def greedy(self, command, *, cap, length):
        logits, time = self._logits(command, cap), jnp.arange(cap)
        told = jnp.where(time < length, 1 + jnp.argmax(logits[:, 1:], axis=1), 0)  # the oracle length
        best = EOS + jnp.where(length < 0, jnp.argmax(logits, axis=1), told)
        return jnp.where(jnp.cumsum(best == EOS) - (best == EOS) > 0, PAD, best).astype(jnp.int32)

    def scores(self, command, actions):
        scores = jax.nn.log_softmax(self._logits(command, len(actions)))
        return jnp.concatenate([jnp.full((len(actions), EOS), -jnp.inf), scores], axis=1)
