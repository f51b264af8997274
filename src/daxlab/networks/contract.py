"""What the engine asks of a network: a loss for an example, an answer to a command, scores of a given answer.

Nothing here is recurrent. Every method sees one example, as padded rows of word numbers: a command is its
words, <EOS>, then <PAD>; an action sequence likewise (daxlab.symbols). Padding must not change a
result: the engine pads to a few lengths, and stacks many networks of one shape (jax.vmap) without their knowing.

Two optional abilities are protocols below. A class in a file of its own also has `start`, which makes a network from a
key, the sizes of the two vocabularies and fields of its own (learners/network.py).

Knows nothing of training, data or disk.
"""

import abc
from typing import Protocol, runtime_checkable

import equinox as eqx
from jax import Array

# How many steps of the command and of the actions hold anything.
Steps = tuple[Array | None, Array | None]


class Network(eqx.Module):
    """A trainable map from commands to action sequences. Its floating-point arrays are its parameters."""

    @abc.abstractmethod
    def loss(
        self,
        command: Array,  # int [command time]
        actions: Array,  # int [action time]
        *,
        forced: bool | Array,
        own_end: bool,
        dropout: Array | None,
        key: Array,
        steps: Steps = (None, None),
    ) -> Array:
        """The sum of the token cross-entropies of one presentation.

        `forced`: the right actions are fed (teacher forcing), else the network's own greedy ones; a Python bool where
        the protocol fixes it. `own_end`: the loss of a self-fed example ends with the first <EOS> that the network
        itself produces, else with the target's. `dropout`: the rate, None for none at all. `key`: this presentation's
        own; a draw must not depend on the padded lengths (fold the time step into the key). `steps`: after so many of
        the command and of the actions there is only padding; a network with loops in time may stop there (the numbers
        are the same for all networks of a stack).
        """

    @abc.abstractmethod
    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        """The greedy answer, int [cap]: actions, <EOS>, <PAD>; without <EOS> if `cap` symbols did not
        suffice.

        `length`, if not negative, is the oracle's: <EOS> is barred until that many actions and forced there.
        """

    @abc.abstractmethod
    def scores(self, command: Array, actions: Array) -> Array:
        """The log-probability of every symbol at every step, the right actions fed, without dropout.

        [action time, vocabulary]; -inf for symbols that cannot be produced.
        """


@runtime_checkable
class Encodes(Protocol):
    """A network with a final representation of the command."""

    def encoding(self, command: Array) -> Array:
        """One vector or more for the whole command, whatever its length: [vectors, size].

        The last one is what commands are compared by (the top layer of a recurrent encoder).
        """


@runtime_checkable
class Attends(Protocol):
    """A network that weighs the command's words as it acts."""

    def attention(self, command: Array, actions: Array) -> Array:
        """The weights [action time, command time] while the given actions are fed; zero on <PAD>."""
