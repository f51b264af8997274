"""Derivation trees, and building from the bottom up everything that a grammar derives.

Knows rules and their meanings. Knows nothing of text: parser.py finds the derivation of a command.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from daxlab.languages.grammar import Grammar, Rule

T = TypeVar("T")


class Example(NamedTuple):
    """A command and what it means; a dataset may sort its examples into categories."""

    command: str
    actions: tuple[str, ...]
    category: str = ""


@dataclass(frozen=True)
class Tree:
    """How a phrase is built: a category, the rule as the declaration writes it, and the parts."""

    category: str
    rule: str
    actions: tuple[str, ...]
    parts: tuple["Tree | str", ...]  # a word is a leaf

    @property
    def leaves(self) -> tuple[str, ...]:
        """The words, from left to right."""
        return tuple(word for part in self.parts for word in ((part,) if isinstance(part, str) else part.leaves))

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain data, for JSON."""
        return {
            "category": self.category,
            "rule": self.rule,
            "actions": list(self.actions),
            "parts": [part if isinstance(part, str) else part.to_dict() for part in self.parts],
        }

    def __str__(self) -> str:
        return "\n".join(self._drawn())

    def _drawn(self) -> Iterator[str]:
        yield f"{self.category} → {self.rule}   ⟦ {' '.join(self.actions)} ⟧"
        for n, part in enumerate(self.parts, 1):
            last = n == len(self.parts)
            lines = iter((part,) if isinstance(part, str) else part._drawn())
            yield ("└─ " if last else "├─ ") + next(lines)
            yield from (("   " if last else "│  ") + line for line in lines)


def interpretation(rule: Rule) -> Callable[[Sequence[Any]], tuple[str, ...]]:
    """The function from the meanings of a rule's parts to the meaning of what it builds."""
    items = rule.meaning
    constant = tuple(item for item in items if isinstance(item, str))
    if len(constant) == len(items):
        return lambda parts: constant
    if len(items) == 1:
        return itemgetter(items[0])

    def composed(parts: Sequence[Any]) -> tuple[str, ...]:
        actions: tuple[str, ...] = ()
        for item in items:
            actions += (item,) if isinstance(item, str) else parts[item]
        return actions

    return composed


def bottom_up(
    grammar: Grammar,
    of_word: Callable[[str], T],
    of_rule: Callable[[Rule, list[T]], T],
    of_category: Callable[[list[T]], T],
) -> T:
    """A value for the whole language from values of its words, each category worked out once.

    In a recursive grammar a category stands inside itself at most `grammar.recursion` times, so what a
    category derives depends on how often each recursive one may still be entered (`left`); maybe nothing.
    """
    recursive = grammar.recursive
    below = {category: grammar.below(category) & recursive for category in grammar.rules}
    known: dict[tuple[str, frozenset[tuple[str, int]]], T | None] = {}

    def of(part: str, left: dict[str, int]) -> T | None:
        if part not in grammar.rules:
            return of_word(part)
        if left.get(part) == 0:
            return None
        state = (part, frozenset((name, left[name]) for name in below[part]))
        if state not in known:
            within = {name: times - (name == part) for name, times in left.items()}
            values = [derived for rule in grammar.rules[part] if (derived := by(rule, within)) is not None]
            known[state] = of_category(values) if values else None
        return known[state]

    def by(rule: Rule, left: dict[str, int]) -> T | None:
        parts: list[T] = []
        for part in rule.parts:
            value = of(part, left)
            if value is None:
                return None
            parts.append(value)
        return of_rule(rule, parts)

    whole = of(grammar.start, dict.fromkeys(recursive, grammar.recursion + 1))
    assert whole is not None, "grammar.py lets no grammar pass without a command"
    return whole


def count(grammar: Grammar, most: int) -> int:
    """How many derivations there are; `most`, if so many or more. A recursive grammar soon has astronomically many."""
    return bottom_up(grammar, _one, lambda _, parts: min(prod(parts), most), lambda rules: min(sum(rules), most))


def longest(grammar: Grammar, most: int) -> int:
    """How many words the longest command has; `most`, if so many or more."""
    return bottom_up(grammar, _one, lambda _, parts: min(sum(parts), most), lambda rules: max(rules))


def _one(_: str) -> int:
    return 1


def shortest(grammar: Grammar) -> str:
    """A command with the fewest words, to show as an example."""
    return bottom_up(
        grammar,
        lambda word: word,
        lambda _, parts: " ".join(parts),
        lambda rules: min(rules, key=lambda r: r.count(" ")),
    )


def phrases(grammar: Grammar) -> list[Example]:
    """Every command with its meaning."""

    def of_rule(rule: Rule, parts: list[list[Example]]) -> list[Example]:
        meaning = interpretation(rule)
        return [
            Example(" ".join([part[0] for part in chosen]), meaning([part[1] for part in chosen]))
            for chosen in product(*parts)
        ]

    return bottom_up(
        grammar, lambda word: [Example(word, ())], of_rule, lambda rules: [one for some in rules for one in some]
    )
