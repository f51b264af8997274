"""An Equinox network: the house's own contract, so that daxlab trains it, many at a time, and looks inside.

At each step it looks at the words of the command with weights that depend on the step and on all words, and says an
action. It has states and attention to show. `start` makes it; its further parameters can be set: --set width=64.
"""

import jax
import jax.numpy as jnp

from daxlab.networks import Network
from daxlab.symbols import EOS, PAD


class Glance(Network):
    """Answers without recurrence: every action by a glance at the command."""

    words: jax.Array  # [words, width]
    places: jax.Array  # [command time, width]
    steps: jax.Array  # [action time, width]
    output: jax.Array  # [actions that can be produced, width]

    @staticmethod
    def start(key, *, words, actions, width: int = 32, longest: int = 64):
        sizes = (words, longest, longest, actions - EOS)
        keys = jax.random.split(key, len(sizes))
        return Glance(*(0.3 * jax.random.normal(key, (size, width)) for key, size in zip(keys, sizes, strict=True)))

    def encoding(self, command):
        return {"final": jnp.sum(jnp.where((command != PAD)[:, None], self.words[command], 0), axis=0)}

    def _look(self, command, time):
        keys = self.words[command] + self.places[: len(command)]  # [command time, width]
        queries = self.steps[:time] + self.encoding(command)["final"]  # [action time, width]
        weights = jax.nn.softmax(jnp.where(command != PAD, queries @ keys.T, -jnp.inf))  # [action time, command time]
        return weights, jnp.tanh(weights @ keys + queries) @ self.output.T  # [action time, actions]

    def attention(self, command, actions):
        return self._look(command, len(actions))[0]

    def loss(self, command, actions, *, forced, own_end, dropout, key, steps=(None, None)):
        scores = jax.nn.log_softmax(self._look(command, len(actions))[1])
        right = jnp.take_along_axis(scores, jnp.maximum(actions - EOS, 0)[:, None], axis=1)[:, 0]
        counts = actions != PAD
        if own_end and forced is not True:  # the loss of a self-fed example ends with the network's own <EOS>
            own = jnp.argmax(scores, axis=1) == 0
            counts &= (jnp.cumsum(own) - own == 0) | forced
        return -jnp.sum(jnp.where(counts, right, 0))

    def greedy(self, command, *, cap, length):
        logits, time = self._look(command, cap)[1], jnp.arange(cap)
        told = jnp.where(time < length, 1 + jnp.argmax(logits[:, 1:], axis=1), 0)  # the oracle length
        best = EOS + jnp.where(length < 0, jnp.argmax(logits, axis=1), told)
        return jnp.where(jnp.cumsum(best == EOS) - (best == EOS) > 0, PAD, best).astype(jnp.int32)

    def scores(self, command, actions):
        scores = jax.nn.log_softmax(self._look(command, len(actions))[1])
        return jnp.concatenate([jnp.full((len(actions), EOS), -jnp.inf), scores], axis=1)
