"""Sentences have vocabularies of thousands: no gradient of that size is held, or written, at every time step."""

from functools import partial

import jax
import jax.numpy as jnp
import pytest

from daxlab.datasets.rules import Split
from daxlab.encoding import Encoding
from daxlab.engine import Member, Stack
from daxlab.engine.train import draw_chunk, prepare
from daxlab.engine.update import compiled
from daxlab.languages import Example
from daxlab.networks import seq2seq
from daxlab.protocol import Protocol


def temporary(words: int, time: int, early_exit: bool) -> tuple[int, int]:
    """Bytes that XLA holds beside its arguments, and bytes of the weights, for sentences of so many words."""
    sentences = [[f"w{(n * time + k) % words}" for k in range(time)] for n in range(-(-words // time))]
    examples = tuple(Example(" ".join(some), tuple(some)) for some in sentences)
    coding = Encoding.of(examples, buckets=1)
    make = partial(seq2seq, hidden=8, words=len(coding.words), actions=len(coding.actions), cell="lstm", attention=True)
    split = Split("all", "rule", examples, (1,) * len(examples), {"test": examples})
    group = Stack(tuple(Member(seed, split, 0.1) for seed in range(2)), make, coding, Protocol())
    program, state, rates, keys = prepare(group, early_exit)
    shown = draw_chunk(group, program, 0, 2)
    analysis = compiled(program, state, shown, rates, keys, jnp.int32(0)).memory_analysis()
    return analysis.temp_size_in_bytes, sum(4 * leaf.size for leaf in jax.tree.leaves(state.arrays))


@pytest.mark.parametrize("early_exit", [True, False], ids=["loops that stop", "scan"])
def test_beside_the_weights_there_is_one_gradient_whatever_the_length(early_exit: bool) -> None:
    held, weights = temporary(words=4_000, time=12, early_exit=early_exit)
    per_step = 2 * 12 * 4_000 * 4  # a row of logits a step and run
    assert held < 1.1 * weights + 3 * per_step
