"""Synchronous rules, and the derivations that they give: how often a command, or a command and its actions, is derived.

A rule rewrites the one non-terminal as a pair of sequences, a source of words and a target of actions. Either may have
slots, 1 and 2, which stand for the same phrases on both sides; a slot stands once in the source and any number of times
in the target. A source is more than a slot alone, so that what fills a slot is shorter than the whole. A phrase may
have slots too: there a slot stands for itself, so that rules can be derived by other rules. Knows nothing of how rules
are found, nor of which derivation is the best.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

Symbol = str | int  # a word or an action; a slot
Phrase = tuple[Symbol, ...]

MOST_OUTPUTS = 200  # of a phrase, where they are listed
MOST_WORDS = 150  # of a command
MOST_ACTIONS = 10_000  # of an answer
MOST_WORK = 2_000_000  # of a chart, in ways to cut a phrase in two
TICKS = 256  # phrases between two calls of `tick`


class TimeUp(Exception):
    """The time limit is reached."""


class Rule(NamedTuple):
    """A source of words and slots, and its target of actions and slots."""

    source: Phrase
    target: Phrase

    @property
    def slots(self) -> int:
        """How many slots it has."""
        return len(slots(self.source))

    def __str__(self) -> str:
        return f"{written(self.source)} → {written(self.target)}"


class Use(NamedTuple):
    """A rule that derives a phrase, and the phrases that fill its slots."""

    rule: Rule
    parts: tuple[Phrase, ...]


def written(phrase: Phrase) -> str:
    """A phrase as people read it: slots are [1] and [2]."""
    return " ".join(f"[{symbol}]" if isinstance(symbol, int) else symbol for symbol in phrase)


def slots(phrase: Phrase) -> set[int]:
    """The slots of a phrase."""
    return {symbol for symbol in phrase if isinstance(symbol, int)}


def words(phrase: Phrase) -> frozenset[str]:
    """The words or actions of a phrase."""
    return frozenset(symbol for symbol in phrase if isinstance(symbol, str))


def canonical(source: Phrase, target: Phrase) -> Rule:
    """The rule with its slots numbered in the order of the source."""
    number = {slot: n for n, slot in enumerate((symbol for symbol in source if isinstance(symbol, int)), 1)}
    renamed = (
        tuple(number[symbol] if isinstance(symbol, int) else symbol for symbol in side) for side in (source, target)
    )
    return Rule(*renamed)


def filled(target: Phrase, parts: Sequence[Phrase]) -> Phrase:
    """A rule's target with its slots filled."""
    out: list[Symbol] = []
    for symbol in target:
        if isinstance(symbol, int):
            out += parts[symbol - 1]
        else:
            out.append(symbol)
    return tuple(out)


def length(target: Phrase, parts: Sequence[int]) -> int:
    """How long a target is when its slots are filled with so many actions each."""
    return sum(parts[symbol - 1] if isinstance(symbol, int) else 1 for symbol in target)


def solved(target: Phrase, phrase: Phrase, lengths: Mapping[int, Collection[int]]) -> Iterator[tuple[Phrase, ...]]:
    """What one or two slots of a target have to be filled with to make a phrase, each with one of these lengths."""
    times = [target.count(slot) for slot in lengths]
    rest = len(phrase) - len(target) + sum(times)
    for widths in _widths(rest, times, list(lengths.values())):
        if parts := _read(target, phrase, dict(zip(lengths, widths, strict=True))):
            yield tuple(parts[slot] for slot in lengths)


def _widths(rest: int, times: Sequence[int], options: Sequence[Collection[int]]) -> Iterator[tuple[int, ...]]:
    """Lengths of one or two slots, which stand so many times, that have a sum."""
    for first in options[0] if len(times) == 2 else [0]:
        width, odd = divmod(rest - first * times[0], times[-1])
        if not odd and width in options[-1]:
            yield (first, width)[-len(times) :]


def _read(target: Phrase, phrase: Phrase, widths: Mapping[Symbol, int]) -> dict[Symbol, Phrase] | None:
    """What fills the slots if they are that long; None if it does not fit."""
    parts: dict[Symbol, Phrase] = {}
    at = 0
    for symbol in target:
        if symbol in widths:
            part = phrase[at : at + widths[symbol]]
            if parts.setdefault(symbol, part) != part:
                return None
            at += len(part)
        elif phrase[at] != symbol:
            return None
        else:
            at += 1
    return parts


class _Pattern(NamedTuple):
    """The source of a rule with slots: what stands before, between and after them."""

    rule: Rule
    before: Phrase
    between: Phrase | None  # of two slots
    after: Phrase

    @classmethod
    def of(cls, rule: Rule) -> "_Pattern":
        places = [n for n, symbol in enumerate(rule.source) if isinstance(symbol, int)]
        between = rule.source[places[0] + 1 : places[1]] if len(places) == 2 else None
        return cls(rule, rule.source[: places[0]], between, rule.source[places[-1] + 1 :])

    def parts(self, phrase: Phrase) -> Iterator[tuple[Phrase, ...]]:
        """Every way in which the source's slots can be filled to make a phrase."""
        _, before, between, after = self
        start, end = len(before), len(phrase) - len(after)
        if end <= start or phrase[:start] != before or (after and phrase[end:] != after):
            return
        if between is None:
            yield (phrase[start:end],)
            return
        width = len(between)
        for cut in range(start + 1, end - width):
            if not width or phrase[cut : cut + width] == between:
                yield phrase[start:cut], phrase[cut + width : end]


class Parser:
    """The derivations by some rules. What is found is kept by the phrase: commands share most of their phrases."""

    def __init__(self, rules: Iterable[Rule], tick: Callable[[], None] = lambda: None) -> None:
        """`tick` is called now and then, and may raise TimeUp."""
        self.rules = tuple(rules)
        self._tick, self._met = tick, 0
        self._plain: dict[Phrase, list[Rule]] = {}  # rules without slots, by their source
        self._patterns: dict[Symbol | None, list[_Pattern]] = {}  # the others, by the first word of their source
        for rule in self.rules:
            if rule.slots:
                word = next((symbol for symbol in rule.source if isinstance(symbol, str)), None)
                self._patterns.setdefault(word, []).append(_Pattern.of(rule))
            else:
                self._plain.setdefault(rule.source, []).append(rule)
        self._uses: dict[Phrase, list[Use]] = {}
        self._counts: dict[Phrase, int] = {}
        self._pairs: dict[tuple[Phrase, Phrase], int] = {}
        self._lengths: dict[Phrase, frozenset[int]] = {}
        self._outputs: dict[Phrase, tuple[Phrase, ...]] = {}

    def feasible(self, phrase: Phrase) -> bool:
        """Whether a chart of the phrase is small enough, whatever has been parsed before."""
        n, ways = len(phrase), 0
        for word in (None, *set(phrase)):
            for pattern in self._patterns.get(word, ()):
                ways += 1 if pattern.between is None else n if not pattern.between else phrase.count(pattern.between[0])
        return n <= MOST_WORDS and n * n * ways <= MOST_WORK

    def _meet(self) -> None:
        """A phrase is met that was not parsed before."""
        self._met += 1
        if self._met % TICKS == 0:
            self._tick()

    def uses(self, phrase: Phrase) -> list[Use]:
        """The rules that a derivation of the phrase can begin with. The parts need not be derivable."""
        if phrase not in self._uses:
            self._meet()
            found = [Use(rule, ()) for rule in self._plain.get(phrase, ())]
            for word in (None, *dict.fromkeys(phrase)):
                for pattern in self._patterns.get(word, ()):
                    found += [Use(pattern.rule, parts) for parts in pattern.parts(phrase)]
            self._uses[phrase] = found
        return self._uses[phrase]

    def count(self, phrase: Phrase) -> int:
        """The number of derivations of a source, whatever its target."""
        if phrase not in self._counts:
            own = int(_is_slot(phrase))
            self._counts[phrase] = own + sum(prod(map(self.count, parts)) for _, parts in self.uses(phrase))
        return self._counts[phrase]

    def count_pair(self, source: Phrase, target: Phrase) -> int:
        """The number of derivations of a source together with its target."""
        known = self._pairs.get((source, target))
        if known is None:
            self._meet()
            known = int(_is_slot(source) and source == target)
            for use, targets in self.pair_uses(source, target):
                ways = 1
                for part in zip(use.parts, targets, strict=True):
                    ways = ways and ways * self.count_pair(*part)
                known += ways
            self._pairs[source, target] = known
        return known

    def pair_uses(self, source: Phrase, target: Phrase) -> Iterator[tuple[Use, tuple[Phrase, ...]]]:
        """The rules that a derivation of the pair can begin with, and the targets of the parts."""
        for use in self.uses(source):
            if not use.parts:
                if use.rule.target == target:
                    yield use, ()
            elif all(lengths := [self.lengths(part) for part in use.parts]):
                yield from ((use, parts) for parts in solved(use.rule.target, target, dict(enumerate(lengths, 1))))

    def lengths(self, phrase: Phrase) -> frozenset[int]:
        """How many actions the targets that can be derived for a source may have, up to MOST_ACTIONS."""
        if phrase not in self._lengths:
            found = {1} if _is_slot(phrase) else set[int]()
            for rule, parts in self.uses(phrase):
                found |= {length(rule.target, each) for each in product(*map(self.lengths, parts))}
            self._lengths[phrase] = frozenset(n for n in found if n <= MOST_ACTIONS)
        return self._lengths[phrase]

    def outputs(self, phrase: Phrase) -> tuple[Phrase, ...]:
        """The targets that can be derived for a source, at most MOST_OUTPUTS."""
        if phrase not in self._outputs:
            found: dict[Phrase, None] = {phrase: None} if _is_slot(phrase) else {}
            for rule, parts in self.uses(phrase):
                for targets in product(*map(self.outputs, parts)):
                    if len(found) >= MOST_OUTPUTS:
                        break
                    if length(rule.target, list(map(len, targets))) <= MOST_ACTIONS:
                        found[filled(rule.target, targets)] = None
            self._outputs[phrase] = tuple(found)
        return self._outputs[phrase]


def _is_slot(phrase: Phrase) -> bool:
    return len(phrase) == 1 and isinstance(phrase[0], int)
