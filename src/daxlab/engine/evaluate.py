"""How right a group's networks are, each on its own split. Knows nothing of how they were trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daxlab.encoding import Example, Vocabulary
from daxlab.engine.decode import Rows, answers, ended, log_likelihoods, right
from daxlab.engine.group import Group, subset
from daxlab.networks.contract import Network
from daxlab.symbols import EOS, PAD


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One run's answers to its test commands, in their order."""

    rows: Rows  # [commands, cap]
    right: NDArray[np.bool_]  # [commands]
    asked: Sequence[Example]
    actions: Vocabulary

    @cached_property
    def answers(self) -> list[tuple[str, ...]]:
        """In words, which takes a while; a right answer is its target."""
        read = zip(self.rows.tolist(), self.right.tolist(), self.asked, strict=True)
        return [tuple(example.actions) if good else self.actions.sequence(row) for row, good, example in read]

    @property
    def accuracy(self) -> float:
        """The share of commands whose whole action sequence is right."""
        return float(self.right.mean())


def evaluate(group: Group, networks: Network, *, oracle_length: bool = False) -> list[Evaluation]:
    """Each run's answers to its own split's test commands. Runs of one split are asked together."""
    found: dict[int, Evaluation] = {}
    for split, members in group.by_split():
        chosen = subset(networks, members)
        given, correct = _ask(group, chosen, [split.test] * len(members), oracle_length)
        for place, index in enumerate(members):
            found[index] = Evaluation(given[place], correct[place], split.test, group.encoding.actions)
    return [found[index] for index in range(len(group.runs))]


def likelihoods(
    group: Group, networks: Network, answered: Sequence[Evaluation]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """For each run, log-likelihoods of its own answers to its test commands, and of the right ones."""
    found: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
    for split, members in group.by_split():
        own = _finished(np.stack([answered[index].rows for index in members]))
        targets = group.encoding.actions.rows([tuple(e.actions) for e in split.test], own.shape[-1])
        commands = group.encoding.commands([e.command for e in split.test])
        pairs = (
            log_likelihoods(
                subset(networks, members), *(np.broadcast_to(x, (*own.shape[:2], x.shape[-1])) for x in two)
            )
            for two in ((commands, own), (commands, targets))
        )
        found |= dict(zip(members, zip(*pairs, strict=True), strict=True))
    return [found[index] for index in range(len(group.runs))]


def _finished(given: Rows) -> Rows:
    """The same answers with room for one symbol more, which is <EOS> where an answer came to none within its cap."""
    rows = np.pad(given, ((0, 0), (0, 0), (0, 1)), constant_values=PAD)
    rows[..., -1] = np.where(ended(given), PAD, EOS)
    return rows


def sample_accuracy(group: Group, networks: Network, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy [runs] on `size` training and `size` test commands, evenly spread over each list."""
    rates = []
    for part in ("train", "test"):
        chosen = [_spread(getattr(run.split, part), size) for run in group.runs]
        if not all(chosen):
            rates.append(np.full(len(group.runs), np.nan))
            continue
        rates.append(_ask(group, networks, chosen, False)[1].mean(axis=1))
    return rates[0], rates[1]


def _spread(examples: Sequence[Any], size: int) -> list[Any]:
    """`size` of the examples, evenly spread; a shorter list repeats itself evenly."""
    return [examples[i] for i in (np.arange(size) * len(examples) // size).tolist()] if examples else []


def _ask(
    group: Group, networks: Network, examples: Sequence[Sequence[Any]], oracle_length: bool
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Answers [runs, commands, cap] and which are right; every run has its own examples, equally many."""
    made: dict[int, tuple[Any, Any]] = {}
    for own in examples:
        if id(own) not in made:
            commands = group.encoding.commands([e.command for e in own])
            made[id(own)] = commands, group.encoding.answers([tuple(e.actions) for e in own])
    commands = np.stack([made[id(own)][0] for own in examples])
    targets = np.stack([made[id(own)][1] for own in examples])
    lengths = np.array([[len(e.actions) for e in own] for own in examples], np.int32) if oracle_length else None
    given = answers(networks, commands, cap=group.encoding.answer_time, lengths=lengths, like=targets)
    return given, right(given, targets)
