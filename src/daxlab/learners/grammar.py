"""Rules instead of a network: a synchronous grammar, induced by description length (daxlab.learners.induction).

The grammar is induced from the shortest training examples; what it does not derive of the others is added, example by
example. Of several derivations of a command the best is chosen by how often rules stand below rules.

What was chosen, and on what data. Sample and code lengths are the published ones. That every source has a word, and
that derivations are counted by expectation maximisation, was decided on training examples of SCAN's simple split: a
seeded tenth, and five patterns such as "opposite right", held out. The order of the repair's steps, and that rules are
exchanged, was decided by code length. No test set had a part in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from time import monotonic
from typing import Any, ClassVar

from daxlab.datasets import Dataset, Split
from daxlab.learners.core import NO_ANSWER, Actions, Context, Fitted, Job, Learner, Models, Stopped
from daxlab.learners.induction.derivations import Derivations, estimated
from daxlab.learners.induction.rules import Parser, Rule, TimeUp
from daxlab.learners.induction.search import Code, Induced, induce
from daxlab.settings import setting

SEARCHING = 0.7  # the share of the time limit that the search has; then the training examples are parsed
LOOK_EVERY = 0.5  # seconds between two times that it asks whether to go on


@dataclass(frozen=True)
class Grammar(Learner):
    """A synchronous grammar, induced greedily by description length. It prints its rules and its derivations."""

    kind: ClassVar[str] = "grammar"
    told: ClassVar[str] = (
        "that commands and actions are derived by one synchronous grammar, whose rules have at most two non-terminals"
    )
    origin: ClassVar[str] = "NQG, Shaw et al. (2021), without its neural scorer; the repair is daxlab's own"
    abstains: ClassVar[bool] = True

    sample: int = setting(500, "training examples, the shortest, that the grammar is induced from", least=1)
    repair: bool = setting(
        True, "propose words in pairs too, leave out and exchange rules; false is the published search"
    )
    terminal_bits: float = setting(32.0, "the cost of a word or an action in a rule", least=0)
    slot_bits: float = setting(1.0, "the cost of a non-terminal in a rule", least=0)
    time_limit: float = setting(1800.0, "seconds, after which the best grammar so far is kept", least=0)

    @property
    def published(self) -> Sequence[str]:
        return ("NQG (ReScience replication)", "NQG-T5 (Shaw 2021)")

    def fit_job(self, job: Job, context: Context) -> "GrammarModel":
        """Induce a grammar; a note if the time limit ended the search."""
        model = self._induced(job.split, job.seed, lambda: context.progress(0, ()) is not False)
        if model.facts["stopped"]:
            context.note(f"{self} on {job.split.name}, seed {job.seed}: {model.facts['stopped']}")
        return model

    def fit_one(self, split: Split, seed: int) -> "GrammarModel":
        return self._induced(split, seed, lambda: True)

    def restore(self, record: Any, dataset: Dataset) -> Fitted:
        nothing = Split(name="", origin="rule", train=(), weights=(), tests={})
        facts = {name: fact for name, fact in record.get("shown", {}).items() if name != "rules"}
        return Models([Job(self, dataset, nothing, 0)], [GrammarModel(Derivations.restored(record), facts)])

    def _induced(self, split: Split, seed: int, going: Callable[[], bool]) -> "GrammarModel":
        clock = _Clock(self.time_limit, going)
        every = [Rule(tuple(example.command.split()), tuple(example.actions)) for example in split.train]
        examples = list(dict.fromkeys(every))
        Random(seed).shuffle(examples)  # of those of equal length, the seed decides
        examples.sort(key=lambda example: len(example.source))
        clock.share = SEARCHING
        induced = induce(examples[: self.sample], Code(self.terminal_bits, self.slot_bits), self.repair, clock.tick)
        clock.share = 1.0
        rules, single = _covering(induced.rules, examples, clock)
        return GrammarModel(_estimated(rules, examples, clock), _facts(induced, single, clock))


class _Clock:
    """Says when the time is up, or that the user stops it."""

    def __init__(self, limit: float, going: Callable[[], bool]) -> None:
        self.began, self.limit, self.share = monotonic(), limit, 1.0
        self.going, self.asked = going, -inf
        self.ran_out = False

    def tick(self) -> None:
        now = monotonic()
        if now - self.began > self.share * self.limit:
            self.ran_out = True
            raise TimeUp
        if now - self.asked > LOOK_EVERY:
            self.asked = now
            if not self.going():
                raise Stopped


def _covering(rules: Sequence[Rule], examples: Sequence[Rule], clock: _Clock) -> tuple[list[Rule], int]:
    """The rules, with one for each example that they do not derive; and how many these are.

    Once the time is up, every example that is left gets a rule of its own.
    """
    parser, lacking = Parser(rules, clock.tick), list[Rule]()
    for place, example in enumerate(examples):
        try:
            if not (parser.feasible(example.source) and parser.count_pair(*example)):
                lacking.append(example)
        except TimeUp:
            lacking += examples[place:]
            break
    known = set(rules)
    lacking = [example for example in lacking if example not in known]
    return [*rules, *lacking], len(lacking)


def _estimated(rules: Sequence[Rule], examples: Sequence[Rule], clock: _Clock) -> Derivations:
    """The rules with their counts in the examples' derivations; without, if there is no time to parse these."""
    parser = Parser(rules, clock.tick)
    try:
        return estimated(parser, [example for example in examples if parser.feasible(example.source)], clock.tick)
    except TimeUp:
        return Derivations(rules, {})


def _facts(induced: Induced, single: int, clock: _Clock) -> dict[str, Any]:
    stopped = ""
    if not induced.complete:
        stopped = f"the search stopped after {len(induced.steps)} steps: its time was up"
    elif clock.ran_out:
        stopped = "the time was up before all training examples were parsed"
    if stopped:
        stopped += "; the best grammar so far was kept ('--time-limit' gives it more seconds)"
    return {"code_length": [round(length, 1) for length in induced.lengths], "single": single, "stopped": stopped}


class GrammarModel:
    """A grammar that answers commands."""

    def __init__(self, derivations: Derivations, facts: dict[str, Any]) -> None:
        self.derivations, self.facts = derivations, facts

    def answers(self, commands: Sequence[str]) -> list[Actions]:
        """What the best derivation of each command derives."""
        trees = map(self.derivations.best, commands)
        return [NO_ANSWER if tree is None else tree.actions for tree in trees]

    def derivation(self, command: str) -> str:
        """The best derivation, as a tree of rules."""
        tree = self.derivations.best(command)
        return "no derivation: the rules do not derive this command" if tree is None else str(tree)

    def record(self) -> dict[str, Any]:
        """All that is needed to answer again, and under "shown" what people want to know."""
        ranked = sorted(zip(self.derivations.uses, self.derivations.rules, strict=True), key=lambda one: -one[0])
        shown = {"rules": [{"rule": str(rule), "uses": round(uses, 1)} for uses, rule in ranked], **self.facts}
        return {"shown": shown, **self.derivations.record}
