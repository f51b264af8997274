"""Both halves of a split together are the rule that was split."""

from hypothesis import assume, given

from daxlab.learners.induction.rules import Parser, Rule
from daxlab.learners.induction.splits import every_split, fillers_of, frame, spans, splits

from .enumeration import put, rules


@given(rules())
def test_the_halves_of_a_split_derive_the_whole(rule: Rule) -> None:
    for span in spans(rule):
        for keeps, fills in every_split(rule, span):
            assert keeps.slots <= 2
            assert keeps.source != (1,)
            assert Parser([keeps, fills]).count_pair(*rule)


@given(rules())
def test_a_half_is_found_again_from_the_other_half(rule: Rule) -> None:
    for span in spans(rule):
        below = rule.source[slice(*span)]
        for keeps, fills in every_split(rule, span):
            names = dict(enumerate([symbol for symbol in below if isinstance(symbol, int)], 1))
            target = put(fills.target, {n: (symbol,) for n, symbol in names.items()})
            assert keeps in [half for half, _ in splits(rule, span, [target])]
            holes = [symbol for symbol in frame(rule, span) if isinstance(symbol, int)]
            rest = put(keeps.target, {n: (symbol,) for n, symbol in enumerate(holes, 1)})
            assert fills in list(fillers_of(rule, span, [rest]))


def test_all_occurrences_of_a_fillers_actions_leave_the_slot() -> None:
    whole = Rule(("jump", "twice"), ("JUMP", "JUMP"))
    assert (Rule((1, "twice"), (1, 1)), Rule(("jump",), ("JUMP",))) in list(every_split(whole, (0, 1)))


@given(rules())
def test_a_phrase_that_stands_twice_leaves_no_slot(rule: Rule) -> None:
    assume(len(rule.source) > 1)
    for i, j in spans(rule):
        assert sum(rule.source[n : n + j - i] == rule.source[i:j] for n in range(len(rule.source))) == 1
