"""Derivation trees, and the enumeration of everything that a grammar derives.

Knows rules and their meanings, not text: parser.py finds the derivation of a command.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from html import escape
from itertools import chain, islice, product
from math import prod
from operator import or_
from typing import Any, NamedTuple, TypeVar

from daxlab.languages.grammar import Grammar, Rule
from daxlab.units import counted

T = TypeVar("T")
MOST_PHRASES = 300_000  # commands and their parts; with more, listing the splits takes minutes
MOST_SYMBOLS = 20_000_000  # words and actions in these
MOST_STATES = 20_000  # combinations of a category and the recursion left to it
MOST_ACTIONS = 100_000  # of one command
SHOWN_WORDS = 50  # of an example
MOST_SHOWN = 10  # examples in a notebook


class TooLargeError(Exception):
    """A language or a command exceeds a limit: the message says which one."""


class Example(NamedTuple):
    """A command and what it means."""

    command: str
    actions: tuple[str, ...]
    category: str = ""  # of a test example, where the data has such


class Examples(tuple[Example, ...]):
    """Examples, which a notebook shows as a short table."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(example.command)}</td><td>{escape(' '.join(example.actions))}</td></tr>"
            for example in self[:MOST_SHOWN]
        )
        more = len(self) - MOST_SHOWN
        return f"<table>{rows}</table>" + (f"<p>… and {more:,} more</p>" if more > 0 else "")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        first = "; ".join(f"{example.command} → {' '.join(example.actions)}" for example in self[:1])
        printer.text(f"{counted(len(self), 'example')}: {first}{' …' if len(self) > 1 else ''}")


@dataclass(frozen=True)
class Tree:
    """A phrase of a command: its category, the rule as the declaration writes it, and its parts."""

    category: str
    rule: str
    actions: tuple[str, ...]
    parts: tuple["Tree | str", ...]  # subtrees and words

    @cached_property
    def depths(self) -> Counter[str]:
        """How deeply each category is nested in itself."""
        inner = (part.depths for part in self.parts if isinstance(part, Tree))
        return reduce(or_, inner, Counter[str]()) + Counter([self.category])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The words, from left to right."""
        return tuple(word for part in self.parts for word in ((part,) if isinstance(part, str) else part.leaves))

    def to_dict(self) -> dict[str, Any]:
        """The tree as dictionaries and lists, for JSON."""
        return {
            "category": self.category,
            "rule": self.rule,
            "actions": list(self.actions),
            "parts": [part if isinstance(part, str) else part.to_dict() for part in self.parts],
        }

    def __str__(self) -> str:
        return "\n".join(self._drawn())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _drawn(self) -> Iterator[str]:
        yield f"{self.category} → {self.rule}   ⟦ {' '.join(self.actions)} ⟧"
        for n, part in enumerate(self.parts, 1):
            last = n == len(self.parts)
            lines = iter((part,) if isinstance(part, str) else part._drawn())
            yield ("└─ " if last else "├─ ") + next(lines)
            yield from (("   " if last else "│  ") + line for line in lines)


def interpret(rule: Rule, parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The meaning of a phrase, from the meanings of its parts."""
    actions: tuple[str, ...] = ()
    for item in rule.meaning:
        actions += (item,) if isinstance(item, str) else parts[item]
        if len(actions) > MOST_ACTIONS:
            raise TooLargeError(f"a command denotes more than {MOST_ACTIONS:,} actions")
    return actions


def bottom_up(
    grammar: Grammar,
    of_word: Callable[[str], T],
    of_rule: Callable[[Rule, list[T]], T],
    of_category: Callable[[list[T]], T],
) -> T:
    """Compute a value for the whole language from the values of its words, rules and categories.

    A recursive category occurs inside itself at most `grammar.recursion` times. What a category derives therefore
    depends on how often each recursive category may still occur (`left`); if that is nothing, its value is None.
    """
    recursive = grammar.recursive
    below = {category: grammar.below(category) & recursive for category in grammar.rules}
    values: dict[tuple[str, frozenset[tuple[str, int]]], T | None] = {}

    def value_of(part: str, left: dict[str, int]) -> T | None:
        if part not in grammar.rules:
            return of_word(part)
        if left.get(part) == 0:
            return None
        state = (part, frozenset((name, left[name]) for name in below[part]))
        if state not in values:
            within = {name: times - (name == part) for name, times in left.items()}
            by_rule: list[T] = []
            for rule in grammar.rules[part]:
                parts: list[T] = []
                for inner in rule.parts:
                    value = value_of(inner, within)
                    if value is None:
                        break
                    parts.append(value)
                else:
                    by_rule.append(of_rule(rule, parts))
            if len(values) >= MOST_STATES:
                raise TooLargeError(f"its {len(recursive)} recursive categories combine in over {MOST_STATES:,} ways")
            values[state] = of_category(by_rule) if by_rule else None
        return values[state]

    whole = value_of(grammar.start, dict.fromkeys(recursive, grammar.recursion + 1))
    assert whole is not None, "grammar.py accepts no grammar without commands"
    return whole


def longest(grammar: Grammar, most: int) -> int:
    """The number of words of the longest command, or `most` if that is smaller."""
    try:
        return bottom_up(grammar, lambda _: 1, lambda _, parts: min(sum(parts), most), lambda rules: max(rules))
    except TooLargeError:
        return most


def shortest(grammar: Grammar) -> str:
    """A command with the fewest words, to show as an example; of a long one, the beginning."""

    def words_of(part: str) -> Iterator[str]:
        if part not in grammar.rules:
            yield part
        else:
            for inner in grammar.shortest[part][1].parts:
                yield from words_of(inner)

    return " ".join(islice(words_of(grammar.start), SHOWN_WORDS))


class _Size(NamedTuple):
    """How much a set of phrases has."""

    phrases: int
    words: int
    actions: int


def _check_size(grammar: Grammar) -> None:
    """Raise TooLargeError if `phrases` would build too much; nothing is built to find out."""
    built = symbols = 0

    def of_rule(rule: Rule, parts: list[_Size]) -> _Size:
        nonlocal built, symbols
        number = prod(part.phrases for part in parts)
        words = sum(number // part.phrases * part.words for part in parts)
        meanings = [parts[item] for item in rule.meaning if isinstance(item, int)]
        actions = number * (len(rule.meaning) - len(meanings))
        actions += sum(number // part.phrases * part.actions for part in meanings)
        built, symbols = built + number, symbols + words + actions
        if built > MOST_PHRASES:
            raise TooLargeError(f"it has more than {MOST_PHRASES:,} commands and phrases")
        if symbols > MOST_SYMBOLS:
            raise TooLargeError(f"its commands have more than {MOST_SYMBOLS:,} words and actions in all")
        return _Size(number, words, actions)

    bottom_up(grammar, lambda _: _Size(1, 1, 0), of_rule, lambda rules: _Size(*map(sum, zip(*rules, strict=True))))


def phrases(grammar: Grammar) -> list[Example]:
    """Every command with its meaning, once for each derivation; TooLargeError at once if there are too many."""
    _check_size(grammar)

    def of_rule(rule: Rule, parts: list[list[Example]]) -> list[Example]:
        return [
            Example(" ".join([part[0] for part in chosen]), interpret(rule, [part[1] for part in chosen]))
            for chosen in product(*parts)
        ]

    return bottom_up(grammar, lambda word: [Example(word, ())], of_rule, lambda rules: list(chain.from_iterable(rules)))
