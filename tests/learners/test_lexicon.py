"""Lexicons from training examples: on SCAN, those that were published."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from daxlab.datasets import Split, split
from daxlab.languages import Example
from daxlab.learners.lexicon import MOST_CLAIMS, by_pairs, by_pmi

SIX = {word: f"I_{word.upper()}" for word in ("walk", "look", "run", "jump")}
SIX |= {"left": "I_TURN_LEFT", "right": "I_TURN_RIGHT"}
COMMANDS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3).map(" ".join)
ANSWERS = st.lists(st.sampled_from("ABC"), min_size=1, max_size=3).map(" ".join)
EXAMPLES = st.lists(st.tuples(COMMANDS, ANSWERS, st.integers(1, 3)), min_size=1, max_size=6)


def learned(*rows: tuple[str, str, int]) -> Split:
    train = tuple(Example(command, tuple(actions.split())) for command, actions, _ in rows)
    return Split("", "rule", train, tuple(weight for *_, weight in rows), {})


@pytest.mark.parametrize(
    "name",
    ["simple", "length", "jump", "turn-left", "template-around-right", "few-jump-8-rep1", "filler-0"],
)
def test_on_scan_six_words_have_an_action(name: str) -> None:
    assert by_pairs(split(name)) == SIX


@pytest.mark.parametrize("name", ["mcd1", "mcd2", "mcd3"])
def test_so_it_is_where_compounds_diverge(name: str, data: Path) -> None:
    assert by_pairs(split(name)) == SIX


def test_mutual_information_has_around_turn_left_on_around_right_as_was_published() -> None:
    """These nine entries are those of Akyürek and Andreas's own file; the other four words have a tie in it."""
    lexicon = by_pmi(split("template-around-right"))
    published = SIX | {"turn": "I_TURN_RIGHT", "opposite": "I_TURN_RIGHT", "around": "I_TURN_LEFT"}
    assert {word: lexicon[word] for word in published} == published
    assert set(lexicon) == {*published, "and", "after", "twice", "thrice"}


def test_mutual_information_counts_presentations() -> None:
    assert by_pmi(learned(("a", "A B", 3), ("b", "A", 5), ("b", "B", 4)))["a"] == "B"
    assert by_pmi(learned(("a", "A B", 3), ("b", "A", 4), ("b", "B", 5)))["a"] == "A"


def test_of_two_words_that_claim_an_action_the_one_that_it_needs_has_it() -> None:
    without, more = ("walk around left", "L W", 1), ("walk", "W", 1)
    assert by_pairs(learned(("turn left", "L", 1), without, more)) == {"left": "L", "walk": "W"}


@given(EXAMPLES)
def test_pairs_are_what_their_definition_says(rows: list[tuple[str, str, int]]) -> None:
    examples = [(command.split(), actions.split()) for command, actions, _ in rows]
    words, actions = ({symbol for row in examples for symbol in row[side]} for side in (0, 1))
    claims = {(w, a) for w in words for a in actions if all(a in y for x, y in examples if w in x)}
    entries = set()
    for action in actions:
        claiming = [w for w in words if (w, action) in claims]
        needed = [w for w in claiming if all(w in x for x, y in examples if action in y)]
        if len(claiming) <= MOST_CLAIMS:
            entries |= {(w, action) for w in (needed if len(needed) == 1 else claiming)}
    expected = {w: min(a for v, a in entries if v == w) for w, _ in entries}
    assert by_pairs(learned(*rows)) == expected
