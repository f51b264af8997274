"""What the engine asks of a network: the loss of an example, an answer to a command, scores of a given answer.

A network need not be recurrent. Every method sees one example, as padded rows of symbol numbers: a command is its
words, <EOS>, then <PAD>; so is an action sequence (daxlab.symbols). The engine pads examples to a few lengths, and
padding must not change a result. It also stacks networks of one shape and calls their methods under `jax.vmap`.

Two optional abilities, `Encodes` and `Attends`, are protocols below. A class in a user's file also has `start`, which
makes a network from a key, the sizes of the two vocabularies and fields of its own (learners/network.py).

Knows nothing of training, data or disk.
"""

import abc
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeGuard, runtime_checkable

import equinox as eqx
from jax import Array

# The numbers of steps of the command and of the actions before only padding is left; None where it does not matter.
Steps = tuple[Array | None, Array | None]


class Network(eqx.Module):
    """A trainable map from commands to action sequences. Its floating-point arrays are its parameters."""

    encoder_fields: ClassVar[tuple[str, ...]] = ()  # what clips separately from the rest, if the protocol says so
    parallel: ClassVar[bool] = False  # its loss has no loop in time, so that padding costs work and not only waiting

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
        """The sum of the cross-entropies of one example's action symbols; of a network that is not `plain`, more.

        `forced`: the decoder is fed the right actions (teacher forcing) instead of its own greedy ones; a Python bool
        if the protocol is always the one or the other. `own_end`: the loss of a self-fed example ends at the first
        <EOS> that the network itself produces instead of the target's. `dropout`: the rate, or None for no dropout.
        `key`: for random draws, a new one for every presentation; draws must not depend on padded lengths (fold the
        time step into the key). `steps`: from these steps on there is only padding, so loops over time may stop there
        (the same for all networks of a stack).
        """

    @abc.abstractmethod
    def greedy(self, command: Array, *, cap: int, length: Array) -> Array:
        """The greedy answer, int [cap]: actions, <EOS>, <PAD>; without <EOS> if it does not end within `cap` symbols.

        `length`, if not negative, is the oracle length: <EOS> comes after exactly that many actions.
        """

    @abc.abstractmethod
    def scores(self, command: Array, actions: Array) -> Array:
        """The log-probability of every symbol at every step, [action time, vocabulary], as `actions` are fed.

        Without dropout; -inf for symbols that cannot be produced.
        """

    def plain(self) -> "Network":
        """Itself without noise of its own or penalties in its loss, where it trains with such."""
        return self


Make = Callable[[Array], Network]  # from a key to a network with its start values


@runtime_checkable
class Encodes(Protocol):
    """A network with states for a whole command, whatever its length."""

    def encoding(self, command: Array) -> dict[str, Array]:
        """Vectors by name. Commands are compared by "final"; of a recurrent encoder, the top layer's last hidden state.

        Other names are the network's own: a lower layer's hidden state, a cell state.
        """


@runtime_checkable
class Attends(Protocol):
    """A network with attention. A class whose networks do not all have it has an attribute `attends` as well."""

    def attention(self, command: Array, actions: Array) -> Array:
        """The weights [action time, command time] as `actions` are fed; zero on <PAD>."""


def has_attention(network: Any) -> TypeGuard[Attends]:
    """Whether a network has attention weights to show."""
    return isinstance(network, Attends) and bool(getattr(network, "attends", True))
