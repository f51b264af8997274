"""Induction finds the rules that one would write by hand, and never makes the code longer."""

from collections.abc import Iterator
from itertools import count, pairwise, product
from math import log2

import pytest
from hypothesis import given, settings, strategies as st

from daxlab.learners.induction.rules import Parser, Rule, TimeUp
from daxlab.learners.induction.search import Code, Induced, induce

VERBS = ("dax", "lug", "wif", "zup")
TIMES = {"": 1, " twice": 2, " thrice": 3}
TURNS = {"left": "L", "right": "R"}


def rule(text: str) -> Rule:
    """A rule as it is written: "[1] twice → [1] [1]"."""
    sides = ([int(word[1]) if word.startswith("[") else word for word in side.split()] for side in text.split("→"))
    return Rule(*map(tuple, sides))


def counted_verbs() -> list[Rule]:
    """Each verb alone, twice and thrice, and any two verbs joined by "and"."""
    simple = {verb + often: (verb.upper(),) * n for verb in VERBS for often, n in TIMES.items()}
    joined = {f"{one} and {other}": (one.upper(), other.upper()) for one, other in product(VERBS, repeat=2)}
    return [Rule(tuple(command.split()), actions) for command, actions in (simple | joined).items()]


def turned_verbs() -> list[Rule]:
    """Verbs with directions, which never stand alone; "around right" is never said."""
    some = {verb: (verb.upper(),) for verb in VERBS}
    for verb, (word, turn) in product(VERBS, TURNS.items()):
        some[f"{verb} {word}"] = (turn, verb.upper())
        some[f"{verb} opposite {word}"] = (turn, turn, verb.upper())
        if word == "left":
            some[f"{verb} around {word}"] = (turn, verb.upper()) * 4
    return [Rule(tuple(command.split()), actions) for command, actions in some.items()]


def derives(found: Induced, text: str) -> bool:
    return bool(Parser(found.rules).count_pair(*rule(text)))


@pytest.mark.parametrize("repair", [True, False])
def test_the_rules_of_a_tiny_language_are_those_that_one_would_write(repair: bool) -> None:
    found = induce(counted_verbs(), Code(), repair)
    by_hand = ["[1] twice → [1] [1]", "[1] thrice → [1] [1] [1]", "[1] and [2] → [1] [2]"]
    assert set(found.rules) == {rule(text) for text in [*by_hand, *(f"{verb} → {verb.upper()}" for verb in VERBS)]}
    assert found.complete


def test_words_that_never_stand_alone_are_found_in_pairs() -> None:
    repaired, published = (induce(turned_verbs(), Code(), repair) for repair in (True, False))
    assert {rule("left → L"), rule("right → R")} <= set(repaired.rules)
    assert rule("left → L") not in published.rules
    unheard = "dax around right → R DAX R DAX R DAX R DAX"
    assert derives(repaired, unheard)
    assert not derives(published, unheard)


@st.composite
def little_languages(draw: st.DrawFn) -> list[Rule]:
    """Examples that have much or little in common."""
    meanings = draw(st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["X", "Y", "X Y"]), min_size=2))
    commands = draw(st.lists(st.lists(st.sampled_from(sorted(meanings)), min_size=1, max_size=3), max_size=14))
    sure = {tuple(words): tuple(" ".join(meanings[word] for word in words).split()) for words in commands}
    strange = draw(st.dictionaries(st.tuples(*[st.sampled_from("abcd")] * 2), st.tuples(st.sampled_from("XYZ"))))
    return [Rule(*pair) for pair in (strange | sure).items()]


@settings(max_examples=40)
@given(little_languages(), st.booleans(), st.sampled_from([Code(), Code(4, 1), Code(1, 1)]))
def test_no_step_makes_the_code_longer_and_every_example_stays_derivable(
    examples: list[Rule], repair: bool, code: Code
) -> None:
    found = induce(examples, code, repair)
    assert all(before > after for before, after in pairwise(found.lengths))
    parser = Parser(found.rules)
    assert all(parser.count_pair(*example) for example in examples)
    assert len(found.lengths) == len(found.steps) + 1


@settings(max_examples=40)
@given(little_languages(), st.booleans())
def test_the_code_length_is_that_of_the_rules_and_of_the_actions(examples: list[Rule], repair: bool) -> None:
    found, code = induce(examples, Code(), repair), Code()
    parser = Parser(found.rules)
    bits = [log2(parser.count(e.source) / parser.count_pair(*e)) for e in examples]
    assert found.lengths[-1] == pytest.approx(sum(map(code, found.rules)) + sum(bits))
    assert code(rule("[1] twice → [1] [1]")) == 32 + 3


@pytest.mark.parametrize("repair", [True, False])
def test_whenever_the_time_is_up_the_best_grammar_so_far_is_kept(repair: bool) -> None:
    ticks = count()
    whole, lengths = induce(turned_verbs(), Code(), repair, lambda: next(ticks)), []
    every = next(ticks)
    for few in range(0, every, every // 5):
        left = iter(range(few))

        def tick(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise TimeUp

        found = induce(turned_verbs(), Code(), repair, tick)
        parser = Parser(found.rules)
        assert all(parser.count_pair(*example) for example in turned_verbs())
        assert not found.complete
        assert found.lengths == whole.lengths[: len(found.lengths)]
        lengths.append(len(found.lengths))
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0]
