"""Counts and best derivations are those of an enumeration of all derivations."""

from collections import defaultdict
from math import exp, isclose

import pytest
from hypothesis import given, settings, strategies as st

from daxlab import InputError
from daxlab.learners.induction.derivations import TOP, Derivations, Forest, Tree, estimated
from daxlab.learners.induction.rules import MOST_WORDS, Parser, Rule

from .enumeration import GRAMMARS, every_tree, meaning

CHANCES = st.dictionaries(
    st.tuples(st.integers(-1, 3), st.integers(1, 2)),
    st.dictionaries(st.integers(0, 3), st.floats(0.1, 9), min_size=1),
    max_size=6,
)


def places(tree: Tree, number: dict[Rule, int], place: tuple[int, int] = TOP):
    """Each rule of a derivation, with its place."""
    rule = number[tree.rule]
    yield place, rule
    for slot, part in enumerate(tree.parts, 1):
        yield from places(part, number, (rule, slot))


def weight(tree: Tree, derivations: Derivations, number: dict[Rule, int]) -> float:
    """The probability of a derivation."""
    product = 1.0
    for place, rule in places(tree, number):
        product *= derivations.chance(place, rule)
    return product


def model(grammar: list[Rule], chances: dict) -> tuple[Derivations, dict[Rule, int]]:
    number = {rule: n for n, rule in enumerate(grammar)}
    counts = {place: {n: c for n, c in here.items() if n < len(grammar)} for place, here in chances.items()}
    return Derivations(grammar, counts), number


@settings(max_examples=60)
@given(GRAMMARS, CHANCES)
def test_the_best_derivation_is_the_best_of_all(grammar: list[Rule], chances: dict) -> None:
    derivations, number = model(grammar, chances)
    for source, some in every_tree(grammar).items():
        best = derivations.best(" ".join(source))
        assert best is not None
        most = max(weight(tree, derivations, number) for tree in some)
        assert isclose(weight(best, derivations, number), most, rel_tol=1e-9)
        assert best.actions == meaning(best)


@settings(max_examples=60)
@given(GRAMMARS, CHANCES, st.booleans())
def test_rules_are_counted_as_in_all_derivations_with_the_right_actions(
    grammar: list[Rule], chances: dict, alike: bool
) -> None:
    derivations, number = model(grammar, chances)
    trees = every_tree(grammar)
    examples = [Rule(source, meaning(some[0])) for source, some in trees.items()]
    expected: dict = defaultdict(lambda: defaultdict(float))
    for example in examples:
        right = [tree for tree in trees[example.source] if meaning(tree) == example.target]
        weights = [1.0 if alike else weight(tree, derivations, number) for tree in right]
        for tree, own in zip(right, weights, strict=True):
            for place, rule in places(tree, number):
                expected[place][rule] += own / sum(weights)
    forest = Forest(Parser(grammar), examples)
    counts = forest.counts((lambda place, rule: 1.0) if alike else derivations.chance)
    assert {place: set(rules) for place, rules in counts.items()} == {place: set(r) for place, r in expected.items()}
    for place, rules in counts.items():
        assert all(isclose(count, expected[place][rule], rel_tol=1e-9) for rule, count in rules.items())


def test_the_context_of_a_rule_decides_between_derivations() -> None:
    go, run, twice = Rule(("go",), ("GO",)), Rule(("run",), ("RUN",)), Rule((1, "twice"), (1, 1))
    both = Rule((1, "and", 2), (1, 2))
    shown = [Rule(("go", "and", "run", "twice"), ("GO", "RUN", "RUN")), Rule(("go", "twice"), ("GO", "GO"))]
    derivations = estimated(Parser([go, run, twice, both]), shown)
    assert derivations.best("run and go twice").actions == ("RUN", "GO", "GO")
    assert derivations.best("run and walk") is None
    assert exp(derivations.score(TOP, 3)) > exp(derivations.score(TOP, 0))


def test_a_derivation_is_drawn_as_a_tree() -> None:
    derivations = Derivations([Rule(("go",), ("GO",)), Rule((1, "twice"), (1, 1))], {})
    assert str(derivations.best("go twice")).split("\n") == [
        "[1] twice → [1] [1]   ⟦ GO GO ⟧",
        "└─ [1] = go → GO   ⟦ GO ⟧",
    ]


def test_an_answer_that_would_be_endless_is_none() -> None:
    derivations = Derivations([Rule(("go",), ("GO",)), Rule((1, "thrice"), (1, 1, 1))], {})
    assert len(derivations.best("go thrice thrice").actions) == 9
    assert derivations.best("go" + " thrice" * 100) is None


@given(GRAMMARS, CHANCES)
def test_a_record_is_read_as_it_was(grammar: list[Rule], chances: dict) -> None:
    derivations, _ = model(grammar, chances)
    again = Derivations.restored(derivations.record)
    assert (again.rules, again.record) == (derivations.rules, derivations.record)


@pytest.mark.parametrize("record", [{}, {"rules": 3}, {"rules": [[["a"]]], "counts": []}, {"rules": [], "counts": [1]}])
def test_a_damaged_record_is_named(record: dict) -> None:
    with pytest.raises(InputError, match="damaged"):
        Derivations.restored(record)


def test_the_longest_command_that_is_parsed_is_parsed_to_its_end() -> None:
    grammar = [Rule(("a", 1), ("A", 1)), Rule(("b",), ("B",))]
    words = ("a",) * (MOST_WORDS - 1) + ("b",)
    answer = ("A",) * (MOST_WORDS - 1) + ("B",)
    tree = estimated(Parser(grammar), [Rule(words, answer)]).best(" ".join(words))
    assert tree is not None
    assert tree.actions == answer
    assert str(tree).count("\n") == MOST_WORDS - 1
