from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from daxlab.encoding import Encoding, Presentations, Vocabulary, choose_caps
from daxlab.errors import InputError
from engine.toy import ALL, ENCODING, JUMP, LANGUAGE, Example, Split


def test_special_symbols_come_first():
    assert Vocabulary.of(["walk", "jump", "walk"]).symbols == ("<PAD>", "<SOS>", "<EOS>", "jump", "walk")


def test_a_row_is_words_then_eos_then_padding_and_back():
    rows = ENCODING.answers([("JUMP",), ("JUMP", "JUMP", "JUMP")])
    assert rows[0].tolist() == [rows[0, 0], 2, 0, 0] and rows[1, 3] == 2
    assert [ENCODING.actions.sequence(row) for row in rows] == [("JUMP",), ("JUMP",) * 3]


@pytest.mark.parametrize("command, problem", [("skip", "unknown word 'skip'"), ("jump jump jump", "longer")])
def test_what_the_language_cannot_say_is_named(command, problem):
    with pytest.raises(InputError, match=problem):
        ENCODING.commands([command])


def test_shapes_are_the_languages_not_the_splits():
    assert Presentations(ENCODING, JUMP).actions.shape[1] == Presentations(ENCODING, ALL).actions.shape[1] == 4


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 20)), min_size=1, max_size=40), st.integers(1, 6))
def test_padded_lengths_are_few_nested_and_hold_everything(lengths, buckets):
    caps = choose_caps(lengths, buckets)
    assert len(caps) <= buckets
    assert all(a[0] <= b[0] and a[1] < b[1] for a, b in pairwise(caps))
    assert all(any(c <= cap[0] and a <= cap[1] for cap in caps) for c, a in lengths)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 5), min_size=len(LANGUAGE), max_size=len(LANGUAGE)))
def test_every_command_has_exactly_its_weight(weights):
    """Evenly spaced bits in place of random ones reach every presentation equally often."""
    split = Split("any", LANGUAGE, tuple(weights), ())
    table = Presentations(ENCODING, split)
    total, per = sum(weights), {1: 0, 3: 0}
    for e, w in zip(LANGUAGE, weights, strict=True):
        per[len(e.actions)] += w
    grid = 2 * np.lcm.reduce([total, *per.values()])
    even = ((np.arange(grid) * 2**32) // grid + 2**31 // grid).astype(np.uint32)
    quantile = even[:: grid // (2 * total)]
    lengths = np.sum(table.actions[table.draw(quantile, np.zeros_like(quantile))] != 0, axis=1) - 1
    assert {n: int(np.sum(lengths == n)) / 2 for n in (1, 3)} == per  # lengths by the split's own distribution
    for length, first in ((1, 0), (3, 2**32 - 1)):
        own = even[:: grid // (2 * per[length])]
        chosen = table.draw(np.full(len(own), first, np.uint32), own)
        for e, w in zip(LANGUAGE, weights, strict=True):
            if len(e.actions) == length:
                place = np.flatnonzero((table.commands == ENCODING.commands([e.command])[0]).all(axis=1))[0]
                assert np.sum(chosen == place) == 2 * w


def test_presentations_need_commands_and_weights():
    for bad in (
        Split("none", (), (), ()),
        Split("zero", LANGUAGE[:1], (0,), ()),
        Split("few", LANGUAGE, (1,), ()),
    ):
        with pytest.raises(InputError):
            Presentations(ENCODING, bad)
    with pytest.raises(InputError):
        Encoding.of([])


def test_examples_of_any_kind_with_the_two_attributes_will_do():
    assert Encoding.of([Example("dax", ("DAX",))]).caps == ((2, 2),)
