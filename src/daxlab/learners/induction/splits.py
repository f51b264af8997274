"""The two smaller rules that a rule may be made of: what keeps a slot, and what fills it.

⟨jump twice, JUMP JUMP⟩ is ⟨[1] twice, [1] [1]⟩ with ⟨jump, JUMP⟩ in its slot. A filler that stands several times among
the actions leaves the slot as often. Knows nothing of which split is worth anything.
"""

from collections.abc import Iterable, Iterator

from daxlab.learners.induction.rules import Phrase, Rule, canonical, slots, solved

HOLE = 0  # a new slot, until the slots are numbered
Span = tuple[int, int]


def spans(rule: Rule) -> Iterator[Span]:
    """The parts of a rule's source that a slot may be left for."""
    source, n = rule.source, len(rule.source)
    for i in range(n):
        for j in range(i + 1, n + 1):
            part = source[i:j]
            bare = j - i == 1 and isinstance(part[0], int)
            third = rule.slots == 2 and not slots(part)
            if j - i < n and not bare and not third and _occurrences(source, part) == 1:
                yield i, j


def splits(rule: Rule, span: Span, fillers: Iterable[Phrase]) -> Iterator[tuple[Rule, Rule]]:
    """A rule's splits at a span, where the filler's target is one of these: what keeps the slot, and what fills it."""
    above, below = frame(rule, span), rule.source[slice(*span)]
    kept, filling = slots(above), slots(below)
    for filler in fillers:
        if slots(filler) == filling:
            rest = _left(rule.target, filler)
            if slots(rest) == kept:
                yield canonical(above, rest), canonical(below, filler)


def every_split(rule: Rule, span: Span) -> Iterator[tuple[Rule, Rule]]:
    """All splits of a rule at a span."""
    target, n = rule.target, len(rule.target)
    parts = dict.fromkeys(target[start:end] for start in range(n) for end in range(start + 1, n + 1))
    return splits(rule, span, parts)


def fillers_of(rule: Rule, span: Span, frames: Iterable[Phrase]) -> Iterator[Rule]:
    """What fills the slot at a span, where the target that keeps the slot is one of these."""
    for rest in frames:
        for (filler,) in solved(rest, rule.target, {HOLE: range(1, len(rule.target) + 1)}):
            if _left(rule.target, filler) == rest:
                yield from (below for _, below in splits(rule, span, [filler]))


def frame(rule: Rule, span: Span) -> Phrase:
    """The source with a hole for a slot."""
    return (*rule.source[: span[0]], HOLE, *rule.source[span[1] :])


def _left(phrase: Phrase, part: Phrase) -> Phrase:
    """The phrase with a hole wherever the part stood, from left to right."""
    out: list[str | int] = []
    at, width = 0, len(part)
    while at < len(phrase):
        hit = width > 0 and phrase[at : at + width] == part
        out.append(HOLE if hit else phrase[at])
        at += width if hit else 1
    return tuple(out)


def _occurrences(phrase: Phrase, part: Phrase) -> int:
    """How often a part stands in a phrase; overlaps count."""
    return sum(phrase[n : n + len(part)] == part for n in range(len(phrase) - len(part) + 1))
