"""What a parser counts is what an independent enumeration of all derivations counts."""

from collections import Counter
from itertools import product

from hypothesis import given, settings, strategies as st

from daxlab.learners.induction.rules import Parser, Rule, canonical, filled, solved

from .enumeration import GRAMMARS, LONGEST, SLOT, every_tree, meaning, put

PHRASES = [phrase for size in range(LONGEST + 1) for phrase in product(("a", "b", 1), repeat=size)]


@settings(max_examples=60)
@given(GRAMMARS)
def test_derivations_are_as_many_as_an_enumeration_finds(grammar: list[Rule]) -> None:
    trees, parser = every_tree([*grammar, SLOT]), Parser(grammar)
    for source in PHRASES:
        targets = Counter(meaning(tree) for tree in trees.get(source, []))
        assert parser.count(source) == targets.total()
        assert {target: parser.count_pair(source, target) for target in targets} == targets
        assert set(parser.outputs(source)) == set(targets)
        assert parser.lengths(source) == {len(target) for target in targets}
        assert not parser.count_pair(source, ("x", "z"))


@settings(max_examples=60)
@given(GRAMMARS)
def test_the_uses_of_a_pair_begin_all_of_its_derivations(grammar: list[Rule]) -> None:
    parser = Parser(grammar)
    for source, some in every_tree(grammar).items():
        for target in {meaning(tree) for tree in some}:
            begins = Counter(tree.rule for tree in some if meaning(tree) == target)
            found: Counter[Rule] = Counter()
            for use, targets in parser.pair_uses(source, target):
                ways = [parser.count_pair(*part) for part in zip(use.parts, targets, strict=True)]
                found[use.rule] += 0 if 0 in ways else (ways[0] * ways[-1] if len(ways) == 2 else sum(ways) or 1)
            assert +found == begins


@given(st.lists(st.sampled_from(["x", "y", 1, 2]), max_size=5), *[st.text("xy", max_size=3)] * 2)
def test_what_fills_the_slots_of_a_target_is_found_again(symbols: list, first: str, second: str) -> None:
    target = (*symbols, 1, 2)
    whole = filled(target, [tuple(first), tuple(second)])
    every = dict.fromkeys((1, 2), range(len(whole) + 1))
    found = list(solved(target, whole, every))
    assert (tuple(first), tuple(second)) in found
    assert all(filled(target, parts) == whole for parts in found)


def test_slots_are_numbered_in_the_order_of_the_source() -> None:
    assert canonical((2, "and", 0), (0, 2, 0)) == Rule((1, "and", 2), (2, 1, 2))
    assert str(Rule((1, "and", 2), (2, 1, "X"))) == "[1] and [2] → [2] [1] X"


def test_a_rule_with_a_slot_is_derived_like_a_command() -> None:
    parser = Parser([Rule((1, "twice"), (1, 1)), Rule((1, "and", 2), (1, 2)), Rule(("go",), ("GO",))])
    assert parser.count_pair(("go", "and", 1, "twice"), ("GO", 1, 1)) == 1  # go and [[1] twice]
    assert parser.count_pair(("go", "and", 1, "twice"), ("GO", 1, "GO", 1)) == 1  # [go and [1]] twice
    assert not parser.count_pair(("go", "and", 1, "twice"), ("GO", 1))
    assert put(("go", 1), {1: ("a", "b")}) == ("go", "a", "b")


def test_a_chart_that_would_be_too_large_is_refused_before_it_is_made() -> None:
    branching = Parser([Rule((1, 2), (1, 2)), Rule(("a",), ("A",))])
    assert branching.feasible(("a",) * 100)
    assert not branching.feasible(("a",) * 150)
    assert not Parser([Rule(("b", 1), (1,))]).feasible(("b",) * 1000)
