"""A start for new words: their vectors begin at the mean of those of words that they are like.

Knows nothing of which words are new, or like which.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from daxlab.networks.seq2seq import Seq2Seq
from daxlab.symbols import EOS


class Placed(NamedTuple):
    """Of the symbols of a vocabulary, which are placed anew, and in the middle of which."""

    new: Array  # bool [symbols]
    like: Array  # bool [symbols]

    def within(self, vectors: Array) -> Array:
        """The vectors [symbols, ...] with every new one the mean of the like ones; all others as they are."""
        new, like = (chosen.reshape(-1, *[1] * (vectors.ndim - 1)) for chosen in self)
        mean = jnp.sum(jnp.where(like, vectors, 0), axis=0) / jnp.maximum(jnp.sum(like), 1)
        return jnp.where(new, mean, vectors)


def with_new_words(network: Seq2Seq, words: Placed, actions: Placed) -> Seq2Seq:
    """The network with its word embeddings, and an action's embedding and row of the softmax, placed so."""
    producible = Placed(*(chosen[EOS:] for chosen in actions))
    placed = (
        words.within(network.words),
        actions.within(network.actions),
        producible.within(network.w_output),
        producible.within(network.b_output),
    )
    return eqx.tree_at(lambda n: (n.words, n.actions, n.w_output, n.b_output), network, placed)
