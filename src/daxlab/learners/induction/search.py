"""Greedy induction of a synchronous grammar by description length.

It begins with a rule for each example, and goes on by splitting rules in two. Where one half of a rule can be derived
already, the other half is a candidate, which makes the whole rule redundant. The candidate that shortens the code most
is taken, until none does. So far this is the search of Shaw et al. (2021).

The repair is daxlab's own. Where no half can be derived, as of "[1] around left" if "left" never stands alone, two
words are proposed together, with all the rules that they leave a slot in. A candidate that makes a single rule
redundant has to wait for these. Rules that are better left out are left out, or exchanged for a cheaper one that an
example has. Every source has a word.

Knows nothing of datasets, nor of how a grammar answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import inf, log2

from daxlab.learners.induction.rules import Parser, Rule, TimeUp, words
from daxlab.learners.induction.splits import Span, every_split, fillers_of, frame, spans, splits

Rules = dict[Rule, None]  # a set that keeps its order, so that nothing depends on hashes
LEAST_GAIN = 1e-6  # bits; less is rounding
MOST_SPLIT_AGAIN = 2  # words of half a rule that is split again, where rules are exchanged
SCORED = 50  # sets of two words, of which the gain is computed in one step


@dataclass(frozen=True)
class Code:
    """What a grammar costs: bits of a word or an action in a rule, and of a slot."""

    terminal: float = 32.0
    slot: float = 1.0

    def __call__(self, rule: Rule) -> float:
        return sum(self.slot if isinstance(symbol, int) else self.terminal for side in rule for symbol in side)


@dataclass(frozen=True)
class Edit:
    """A step of the search: rules to add, rules to leave out, and by how many bits the rules get shorter."""

    added: tuple[Rule, ...]
    removed: tuple[Rule, ...]
    saved: float


@dataclass
class Induced:
    """What a search came to: the rules, the code length after each step, and whether it came to its end."""

    rules: list[Rule]
    lengths: list[float] = field(default_factory=list)
    steps: list[Edit] = field(default_factory=list)
    complete: bool = True


def induce(examples: Sequence[Rule], code: Code, repair: bool, tick: Callable[[], None] = lambda: None) -> Induced:
    """A short grammar that derives all of the examples, which are rules without slots.

    `tick` is called now and then; when it raises TimeUp, the search ends with what it has.
    """
    found = Induced(list(examples))
    try:
        search = _Search(examples, code, repair, tick)
        found.lengths.append(search.length())
        while edit := search.best():
            search.apply(edit)
            found.rules = list(search.rules)
            found.lengths.append(search.length())
            found.steps.append(edit)
    except TimeUp:
        found.complete = False
    return found


class _Search:
    """The state of a search: the rules, what may replace each of them, and what each example costs."""

    def __init__(self, examples: Sequence[Rule], code: Code, repair: bool, tick: Callable[[], None]) -> None:
        self.code, self.repair, self.tick = code, repair, tick
        self.rules: Rules = dict.fromkeys(examples)
        self.candidates: dict[Rule, Rules] = {}  # of each rule, the rules that would make it redundant
        self.parser = Parser(self.rules, tick)
        self.costs = {example: _cost(self.parser, example) for example in self.rules}
        self.words = {example: words(example.source) for example in self.rules}
        self._propose(self.rules)

    def length(self) -> float:
        """The code length: of the rules, and of the examples' actions for those who know the commands."""
        return sum(map(self.code, self.rules)) + sum(self.costs.values())

    def best(self) -> Edit | None:
        """The step to take; None if none shortens the code.

        With the repair, a candidate that makes a single rule redundant waits until nothing else is left to do: it
        generalises nothing, and hides what that rule has in common with others.
        """
        if not self.repair:
            return self._best_split(1)
        last = partial(self._best_split, 1)
        steps = (partial(self._best_split, 2), self._best_pair, self._best_omission, self._best_exchange, last)
        return next(filter(None, (step() for step in steps)), None)

    def apply(self, edit: Edit) -> None:
        """Take a step; leave out rules that can be derived by the others now; and look for new candidates."""
        self._replace(edit)
        for rule in [rule for rule in self.rules if any(_may_use(rule, new) for new in edit.added)]:
            without = self._edit((), (rule,))
            parser = self._edited(without)
            if parser.count_pair(*rule) and self._gain(without, parser) > LEAST_GAIN:
                self._replace(without)
        new = set(edit.added)
        self._propose([rule for rule in self.rules if rule in new or any(_may_use(rule, part) for part in new)])

    # -- candidates, each of which makes rules redundant because their other halves can be derived

    def _propose(self, rules: Iterable[Rule]) -> None:
        """Find candidates of these rules by the grammar as it is now, beside those that they have."""
        for rule in rules:
            self.tick()
            found = self.candidates.setdefault(rule, {})
            found |= dict.fromkeys(self._new_halves(rule))

    def _missing_halves(self, rule: Rule, span: Span) -> Iterator[Rule]:
        below, above = rule.source[slice(*span)], frame(rule, span)
        yield from (keeps for keeps, _ in splits(rule, span, self.parser.outputs(below)))
        yield from fillers_of(rule, span, self.parser.outputs(above))

    def _may_add(self, rule: Rule) -> bool:
        return not self.repair or bool(words(rule.source))

    def _best_split(self, least: int) -> Edit | None:
        """The candidate that shortens the code most, of those that make at least so many rules redundant."""
        redundant: dict[Rule, list[Rule]] = {}
        for rule in self.rules:
            for candidate in self.candidates[rule]:
                redundant.setdefault(candidate, []).append(rule)
        edits = [self._edit((new,), whole) for new, whole in redundant.items() if len(whole) >= least]
        return self._best(edit for edit in edits if edit.added[0] not in self.rules)

    def _best_omission(self) -> Edit | None:
        """The rule that is better left out, though the others may not derive it; None if there is none."""
        return self._best(self._edit((), (rule,)) for rule in self.rules)

    def _best_exchange(self) -> Edit | None:
        """A rule that an example has, in place of dearer ones with the same words; None if none shortens the code.

        The rules at hand were found one after the other, and the examples are no longer among them.
        """
        found: Rules = {}
        for example in self.costs:
            self.tick()
            for half in self._new_halves(example):
                found[half] = None
                if len(words(half.source)) <= MOST_SPLIT_AGAIN:
                    found |= dict.fromkeys(self._new_halves(half))
        edits: list[Edit] = []
        for new in found:
            own = words(new.source)
            dear = [rule for rule in self.rules if own <= words(rule.source)]
            edits.append(self._edit((new,), dear))
            edits += [self._edit((new,), (rule,)) for rule in dear if len(dear) > 1]
        return self._best(edits)

    def _new_halves(self, rule: Rule) -> Iterator[Rule]:
        for span in spans(rule):
            for half in self._missing_halves(rule, span):
                if self._may_add(half) and not self.parser.count_pair(*half):
                    yield half

    # -- what an edit gains

    def _edit(self, added: Sequence[Rule], removed: Sequence[Rule]) -> Edit:
        return Edit(tuple(added), tuple(removed), sum(map(self.code, removed)) - sum(map(self.code, added)))

    def _edited(self, edit: Edit) -> Parser:
        gone = set(edit.removed)
        return Parser([*(rule for rule in self.rules if rule not in gone), *edit.added], self.tick)

    def _gain(self, edit: Edit, parser: Parser | None = None) -> float:
        """By how much an edit shortens the code: that of the rules, and that of the examples' actions."""
        self.tick()
        parser, gain = parser or self._edited(edit), edit.saved
        for example in self._touched(edit):
            gain -= _cost(parser, example) - self.costs[example]
            if gain == -inf:
                break
        return gain

    def _touched(self, edit: Edit) -> Iterator[Rule]:
        """The examples that the rules of an edit may have a part in."""
        needed = [words(rule.source) for rule in (*edit.added, *edit.removed)]
        return (example for example in self.costs if any(part <= self.words[example] for part in needed))

    def _best(self, edits: Iterable[Edit]) -> Edit | None:
        """The edit that gains most; None if none gains. As published, one that saves less in rules is not looked at."""
        best, most = None, LEAST_GAIN
        for edit in sorted(edits, key=_by_saving):
            if edit.saved <= most:
                break
            if (gain := self._gain(edit)) > most:
                best, most = edit, gain
        return best

    def _replace(self, edit: Edit) -> None:
        for rule in edit.removed:
            del self.rules[rule]
            self.candidates.pop(rule, None)
        self.rules |= dict.fromkeys(edit.added)
        self.parser = Parser(self.rules, self.tick)
        for example in self._touched(edit):
            self.costs[example] = _cost(self.parser, example)

    # -- the repair: two words at once, where no half of a rule can be derived

    def _best_pair(self) -> Edit | None:
        """Two words that never stand alone, and rules with a slot for them, that shorten the code most."""
        frames, fillers = self._open_splits()
        pairs = {pair: None for own in frames.values() for pair in combinations(own, 2)}
        sets = [(pair, self._frames([fillers[word] for word in pair])) for pair in pairs]
        ranked = sorted(sets, key=lambda one: _by_saving(self._joint(*one)))
        best, most = None, LEAST_GAIN
        for pair, paying in ranked[:SCORED]:
            if self._joint(pair, paying).saved <= most:
                break
            edit, gain = self._pruned(pair, paying)
            if gain > most:
                best, most = edit, gain
        return best

    def _open_splits(self) -> tuple[dict[Rule, Rules], dict[Rule, dict[Rule, Rules]]]:
        """The splits into a word and a rule with a slot for it, of which neither can be derived.

        The words by the rule with the slot; and by the word, the rules with a slot, each with what is made of it.
        """
        frames: dict[Rule, Rules] = {}
        fillers: dict[Rule, dict[Rule, Rules]] = {}
        for rule in self.rules:
            self.tick()
            for span in (span for span in spans(rule) if span[1] - span[0] == 1):
                for keeps, word in every_split(rule, span):
                    if self._may_add(keeps) and not any(self.parser.count_pair(*half) for half in (keeps, word)):
                        frames.setdefault(keeps, {})[word] = None
                        fillers.setdefault(word, {}).setdefault(keeps, {})[rule] = None
        return frames, fillers

    def _frames(self, uses: Sequence[Mapping[Rule, Rules]]) -> dict[Rule, list[Rule]]:
        """Of the rules with a slot for two words, those that are shorter than what they replace; and what that is."""
        whole: dict[Rule, Rules] = {}
        for of_one in uses:
            for keeps, rules in of_one.items():
                whole.setdefault(keeps, {}).update(rules)
        paying, gone = dict[Rule, list[Rule]](), set[Rule]()
        for edit in sorted((self._edit((keeps,), tuple(rules)) for keeps, rules in whole.items()), key=_by_saving):
            fresh = [rule for rule in edit.removed if rule not in gone]
            if self._edit(edit.added, fresh).saved > 0:
                paying[edit.added[0]] = fresh
                gone |= set(fresh)
        return paying

    def _joint(self, pair: Sequence[Rule], frames: Mapping[Rule, Sequence[Rule]]) -> Edit:
        return self._edit([*pair, *frames], [rule for rules in frames.values() for rule in rules])

    def _pruned(self, pair: Sequence[Rule], frames: Mapping[Rule, Sequence[Rule]]) -> tuple[Edit, float]:
        """The set without the rules that make the examples' actions dearer than they save; and its gain."""
        edit = self._joint(pair, frames)
        gain = self._gain(edit)
        for keeps in frames:
            kept = set(edit.added)
            fewer = self._joint(pair, {other: frames[other] for other in frames if other in kept and other != keeps})
            if gain < edit.saved and (more := self._gain(fewer)) > gain:
                edit, gain = fewer, more
        return edit, gain


def _cost(parser: Parser, example: Rule) -> float:
    """Bits that tell an example's actions from the others that are derived for its command."""
    right = parser.count_pair(*example)
    return log2(parser.count(example.source)) - log2(right) if right else inf


def _may_use(whole: Rule, part: Rule) -> bool:
    """Whether a rule may have a part in deriving another: all its words are there, and all its actions."""
    return whole != part and all(words(inner) <= words(outer) for outer, inner in zip(whole, part, strict=True))


def _by_saving(edit: Edit) -> tuple[float, str]:
    """The edits that save most come first; of equal ones, the order is that of their texts."""
    return -edit.saved, str((edit.added, edit.removed))
