"""A network that is not recurrent, with fields of its own; and some that break the contract."""

import jax
import jax.numpy as jnp

from daxlab.networks import Network
from daxlab.symbols import EOS, PAD


class Bag(Network):
    """Action t from a bag of the command's words and the position t."""

    words: jax.Array
    positions: jax.Array
    output: jax.Array

    @staticmethod
    def start(key, *, words, actions, width: int = 8, longest: int = 32):
        first, second, third = jax.random.split(key, 3)
        return Bag(
            jax.random.normal(first, (words, width)),
            jax.random.normal(second, (longest, width)),
            0.1 * jax.random.normal(third, (actions - EOS, width)),
        )

    def _logits(self, command, time):
        bag = jnp.sum(jnp.where((command != PAD)[:, None], self.words[command], 0), axis=0)
        return jnp.tanh(bag + self.positions[:time]) @ self.output.T

    def loss(self, command, actions, *, forced, own_end, dropout, key, steps=(None, None)):
        scores = jax.nn.log_softmax(self._logits(command, len(actions)))
        right = jnp.take_along_axis(scores, jnp.maximum(actions - EOS, 0)[:, None], axis=1)[:, 0]
        counts = actions != PAD
        if own_end and forced is not True:
            own = jnp.argmax(scores, axis=1) == 0
            counts &= (jnp.cumsum(own) - own == 0) | forced
        return -jnp.sum(jnp.where(counts, right, 0))

    def greedy(self, command, *, cap, length):
        logits, time = self._logits(command, cap), jnp.arange(cap)
        given = jnp.where(time < length, 1 + jnp.argmax(logits[:, 1:], axis=1), 0)
        best = EOS + jnp.where(length < 0, jnp.argmax(logits, axis=1), given)
        return jnp.where(jnp.cumsum(best == EOS) - (best == EOS) > 0, PAD, best).astype(jnp.int32)

    def scores(self, command, actions):
        scores = jax.nn.log_softmax(self._logits(command, len(actions)))
        return jnp.concatenate([jnp.full((len(actions), EOS), -jnp.inf), scores], axis=1)


class WrongShape(Bag):
    """Its loss is a vector."""

    @staticmethod
    def start(key, *, words, actions, width: int = 8):
        return WrongShape(**vars(Bag.start(key, words=words, actions=actions, width=width)))

    def loss(self, command, actions, **more):
        return jnp.zeros(3)


class NoStart(Network):
    """It cannot be made."""


class NoDefault(Bag):
    """A field without a default."""

    @staticmethod
    def start(key, *, words, actions, width):
        return Bag.start(key, words=words, actions=actions, width=width)


class NoActions(Bag):
    """Its start does not take the size of a vocabulary."""

    @staticmethod
    def start(key, *, words):
        raise NotImplementedError
