"""A recurrent network with attention that may also copy: translate the words it attends to by a lexicon.

After Akyürek and Andreas (2021). The last row of the softmax is no action but COPY. Its probability g_t is divided
among the actions that the lexicon L gives for the words that step t attends to:

    p(y_t) ~ p_gen(y_t) + g_t sum_j alpha_tj L[x_j, y_t]

It is proportional to that because what falls on words without an entry is lost. Knows nothing of where a lexicon comes
from.
"""

from dataclasses import fields
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from daxlab.networks.cells import CellName, State
from daxlab.networks.contract import Steps
from daxlab.networks.dropout import masks
from daxlab.networks.seq2seq import Seq2Seq, seq2seq

LEAST = 1e-30  # what counts as attention: less is none, and float32 can still divide by it
OTHER = 1e-7  # the odds of any other action, where a lexicon that is trained has an entry


class Copying(Seq2Seq):
    """A Seq2Seq with attention whose softmax has a row more, the last one: COPY."""

    lexicon: Array  # [words, producible]; bool: as it is; floating-point: trained, a softmax is taken of each row
    head_dropout: float = eqx.field(static=True)  # of what the softmax reads; where there is no dropout, none

    @staticmethod
    def head(logits: Array, weights: Array | None, constants: Any) -> Array:
        # With logits s and q_t(y) = sum_j alpha_tj L[x_j, y], p_t(y) ~ exp s_y + exp(s_COPY + log q_t(y)).
        copied = jnp.maximum(weights @ constants[-1], LEAST)  # [..., producible]
        return jnp.logaddexp(logits[..., :-1], logits[..., -1:] + jnp.log(copied))

    def _encode(self, command: Array, *rest: Any) -> tuple[tuple[State, ...], Any]:
        """Attention also reads the translations L[x_j] of all words, [command time, producible]."""
        finals, constants = super()._encode(command, *rest)
        trained = eqx.is_inexact_array(self.lexicon)
        lexicon = jax.nn.softmax(self.lexicon) if trained else self.lexicon.astype(self.words.dtype)
        return finals, (*constants, lexicon[command])

    def _masks(
        self, command_time: int, action_time: int, dropout: Array | None, key: Array | None, steps: Steps
    ) -> tuple[list[Array], list[Array]]:
        to_encoder, to_decoder = super()._masks(command_time, action_time, dropout, key, steps)
        if dropout is None or key is None or not self.head_dropout:
            return to_encoder, to_decoder
        rate = jnp.where(dropout > 0, jnp.asarray(self.head_dropout, dropout.dtype), 0)
        place = 2 * len(self.encoder)
        drawn = masks(key, rate, [place], [action_time], self.w_output.shape[-1], steps[1])
        return to_encoder, [*to_decoder, drawn[0].astype(self.words.dtype)]


def copying(
    key: Array,
    hidden: int,
    *,
    words: int,
    actions: int,
    cell: CellName,
    lexicon: Array,
    trained: bool,
    layers: int = 1,
    head_dropout: float = 0.0,
) -> Copying:
    """A network with a lexicon, bool [words, producible actions], as it is or as the start of one that is trained."""
    plain = seq2seq(key, hidden, words=words, actions=actions + 1, cell=cell, layers=layers, attention=True)
    parts = {part.name: getattr(plain, part.name) for part in fields(plain)}
    parts["actions"] = plain.actions[:-1]  # COPY is never fed
    # A word without an entry starts with all actions alike.
    table = jnp.where(lexicon, 0.0, jnp.log(OTHER)) if trained else jnp.asarray(lexicon)
    return Copying(**parts, lexicon=table, head_dropout=head_dropout)
