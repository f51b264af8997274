"""Which derivation of a command is the best: rules by how often they fill a slot of another one.

A derivation's score is the product over its rules of P(rule | rule above it, slot). These are counted in the
derivations that give an example its own actions: how much each of them weighs, when they weigh 1 together, is estimated
by expectation maximisation. Two rules that were never counted together back off to how often the lower one is used at
all. The best derivation is found by dynamic programming over the phrases of the command. Knows nothing of how rules are
found.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import inf, log
from typing import Any, NamedTuple

from daxlab.errors import InputError
from daxlab.learners.induction.rules import MOST_ACTIONS, Parser, Phrase, Rule, TimeUp, Use, filled, length

Place = tuple[int, int]  # the number of the rule above, and its slot
Counts = Mapping[Place, Mapping[int, float]]  # of rules by their numbers, at each place
Pair = tuple[Phrase, Phrase]
Chance = Callable[[Place, int], float]  # of a rule at a place
TOP: Place = (-1, 1)
BACK_OFF = 1.0  # how many counts the use of a rule at other places is worth
ROUNDS = 10  # of expectation maximisation
LEAST = 1e-300  # a probability that is taken for none
MOST_KEPT = 100_000  # phrases; beyond that they are forgotten


class Tree(NamedTuple):
    """A derivation: a rule, and the derivations of what fills its slots."""

    rule: Rule
    parts: tuple["Tree", ...]

    @property
    def length(self) -> int:
        """How many actions it derives."""
        return length(self.rule.target, [part.length for part in self.parts])

    @property
    def actions(self) -> tuple[str, ...]:
        """What it derives."""
        return tuple(map(str, filled(self.rule.target, [part.actions for part in self.parts])))

    def __str__(self) -> str:
        return "\n".join(self._drawn())

    def _drawn(self) -> Iterator[str]:
        yield f"{self.rule}   ⟦ {' '.join(self.actions)} ⟧"
        for slot, part in enumerate(self.parts, 1):
            last = slot == len(self.parts)
            lines = part._drawn()
            yield f"{'└─' if last else '├─'} [{slot}] = {next(lines)}"
            yield from (f"{'  ' if last else '│ '} {line}" for line in lines)


class Forest:
    """All derivations that give some examples their actions: the pairs of phrases in them, and how each is made."""

    def __init__(self, parser: Parser, examples: Iterable[Rule]) -> None:
        number = {rule: n for n, rule in enumerate(parser.rules)}
        pairs = [(example.source, example.target) for example in examples]
        self.examples: list[Pair] = [pair for pair in pairs if parser.count_pair(*pair)]
        self.ways: dict[Pair, list[tuple[int, list[Pair]]]] = {}  # a rule's number, and the pairs in its slots
        waiting = list(self.examples)
        while waiting:
            pair = waiting.pop()
            if pair in self.ways:
                continue
            ways = [(number[u.rule], list(zip(u.parts, t, strict=True))) for u, t in parser.pair_uses(*pair)]
            self.ways[pair] = [way for way in ways if all(parser.count_pair(*part) for part in way[1])]
            waiting += [part for _, parts in self.ways[pair] for part in parts]
        self.order = sorted(self.ways, key=lambda pair: len(pair[0]))  # what lies in a slot is shorter

    def counts(self, chance: Chance) -> dict[Place, dict[int, float]]:
        """How often each rule is expected at each place, if `chance` is the probability of a rule at a place.

        The derivations of one example weigh 1 together.
        """
        inside = self._inside(chance)
        counts: dict[Place, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        above: dict[Pair, dict[Place, float]] = {pair: {TOP: 1.0} for pair in self.examples}
        for pair in reversed(self.order):
            own = inside[pair]
            weights = dict.fromkeys(own, 0.0)
            for place, weight in above.pop(pair).items():
                chances = {rule: chance(place, rule) * of_rule for rule, of_rule in own.items()}
                whole = sum(chances.values())
                for rule, of_rule in chances.items():
                    counts[place][rule] += weight * of_rule / whole
                    weights[rule] += weight * of_rule / whole
            for rule, parts in self.ways[pair]:
                share = weights[rule] * self._made(rule, parts, inside, chance) / own[rule]
                for slot, part in enumerate(parts, 1):
                    below = above.setdefault(part, {})
                    below[rule, slot] = below.get((rule, slot), 0.0) + share
        return {place: dict(rules) for place, rules in counts.items()}

    def _inside(self, chance: Chance) -> dict[Pair, dict[int, float]]:
        """The probability of each pair's derivations that begin with a rule."""
        inside: dict[Pair, dict[int, float]] = {}
        for pair in self.order:
            own: dict[int, float] = defaultdict(float)
            for rule, parts in self.ways[pair]:
                own[rule] += max(self._made(rule, parts, inside, chance), LEAST)
            inside[pair] = dict(own)
        return inside

    @staticmethod
    def _made(rule: int, parts: Sequence[Pair], inside: Mapping[Pair, Mapping[int, float]], chance: Chance) -> float:
        """The probability of what is in a rule's slots."""
        made = 1.0
        for slot, part in enumerate(parts, 1):
            made *= sum(chance((rule, slot), below) * weight for below, weight in inside[part].items())
        return made


def estimated(parser: Parser, examples: Iterable[Rule], tick: Callable[[], None] = lambda: None) -> "Derivations":
    """The counts that make the examples' derivations most likely, by expectation maximisation from equal chances.

    If `tick` raises TimeUp between two rounds, the last counts are kept.
    """
    forest = Forest(parser, examples)
    derivations = Derivations(parser.rules, forest.counts(lambda place, rule: 1.0))
    with suppress(TimeUp):
        for _ in range(ROUNDS):
            tick()
            derivations = Derivations(parser.rules, forest.counts(derivations.chance))
    return derivations


class Derivations:
    """Rules and their counts, and the best derivations by these."""

    def __init__(self, rules: Sequence[Rule], counts: Counts) -> None:
        self.rules, self.counts = tuple(rules), counts
        self.uses = [0.0] * len(self.rules)  # how often each rule was counted
        for here in counts.values():
            for rule, count in here.items():
                self.uses[rule] += count
        self._every = sum(self.uses) + len(self.rules)
        self._totals = {place: sum(here.values()) for place, here in counts.items()}
        self._number = {rule: n for n, rule in enumerate(self.rules)}
        self._forget()

    def _forget(self) -> None:
        self._parser = Parser(self.rules)
        self._best: dict[Phrase, dict[int, tuple[float, Use, tuple[int, ...]]]] = {}

    def chance(self, place: Place, rule: int) -> float:
        """The probability of a rule at a place."""
        apart = BACK_OFF * (self.uses[rule] + 1) / self._every
        return (self.counts.get(place, {}).get(rule, 0.0) + apart) / (self._totals.get(place, 0.0) + BACK_OFF)

    def score(self, place: Place, rule: int) -> float:
        """Its logarithm."""
        return log(self.chance(place, rule))

    def best(self, command: str) -> Tree | None:
        """The best derivation of a command; None if there is none."""
        phrase = tuple(command.split())
        if len(self._best) > MOST_KEPT:
            self._forget()
        if not self._parser.feasible(phrase) or not (below := self._choices(phrase)):
            return None
        tree = self._tree(phrase, max(below, key=lambda rule: below[rule][0] + self.score(TOP, rule)))
        return tree if tree.length <= MOST_ACTIONS else None

    def _choices(self, phrase: Phrase) -> dict[int, tuple[float, Use, tuple[int, ...]]]:
        """By the rule that it begins with, the best derivation of a phrase: its score, and the rules of its parts."""
        if phrase not in self._best:
            found: dict[int, tuple[float, Use, tuple[int, ...]]] = {}
            for use in self._parser.uses(phrase):
                rule, score, children = self._number[use.rule], 0.0, list[int]()
                for slot, part in enumerate(use.parts, 1):
                    scores = {n: c[0] + self.score((rule, slot), n) for n, c in self._choices(part).items()}
                    if not scores:
                        break
                    children.append(max(scores, key=scores.__getitem__))
                    score += scores[children[-1]]
                if len(children) == len(use.parts) and score > found.get(rule, (-inf,))[0]:
                    found[rule] = (score, use, tuple(children))
            self._best[phrase] = found
        return self._best[phrase]

    def _tree(self, phrase: Phrase, rule: int) -> Tree:
        _, use, children = self._best[phrase][rule]
        return Tree(use.rule, tuple(self._tree(*part) for part in zip(use.parts, children, strict=True)))

    # -- as plain data

    @cached_property
    def record(self) -> dict[str, Any]:
        """The rules and their counts, as `restored` reads them."""
        counts = [[*place, rule, count] for place, here in self.counts.items() for rule, count in here.items()]
        return {"rules": [[list(side) for side in rule] for rule in self.rules], "counts": counts}

    @classmethod
    def restored(cls, record: Mapping[str, Any]) -> "Derivations":
        """What `record` gave."""
        try:
            rules = [Rule(tuple(source), tuple(target)) for source, target in record["rules"]]
            counts: dict[Place, dict[int, float]] = {}
            for above, slot, rule, count in record["counts"]:
                counts.setdefault((above, slot), {})[rule] = count
            return cls(rules, counts)
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError("the grammar of this run is damaged: train the run again, or use a copy") from None
