"""How right a group's networks are, each on its own split. Knows nothing of how they were trained."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daxlab.engine.decode import answers, log_likelihoods, right
from daxlab.engine.group import Group, subset
from daxlab.models.contract import Network


class Evaluation(NamedTuple):
    """One run's answers to its test commands, in their order."""

    answers: list[tuple[str, ...]]
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        """The share of commands whose whole action sequence is right; NaN if there were none."""
        return float(self.right.mean()) if len(self.right) else float("nan")


def answer_cap(group: Group) -> int:
    """How many symbols an answer may have: above the longest of the language."""
    return group.encoding.action_time + 2


def evaluate(group: Group, networks: Network, *, oracle_length: bool = False) -> list[Evaluation]:
    """Each run's answers to its own split's test commands. Runs of one split are asked together."""
    found: dict[int, Evaluation] = {}
    for split in {id(run.split): run.split for run in group.runs}.values():
        members = [index for index, run in enumerate(group.runs) if run.split is split]
        chosen = subset(networks, members)
        given, correct = _ask(group, chosen, [split.test] * len(members), oracle_length)
        for place, index in enumerate(members):
            words = [group.encoding.actions.sequence(row) for row in given[place].tolist()]
            found[index] = Evaluation(words, correct[place])
    return [found[index] for index in range(len(group.runs))]


def likelihoods(
    group: Group, networks: Network, answered: Sequence[Evaluation]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """For each run, log-likelihoods of its own answers to its test commands, and of the right ones."""
    time = answer_cap(group) + 1
    found: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
    for split in {id(run.split): run.split for run in group.runs}.values():
        members = [index for index, run in enumerate(group.runs) if run.split is split]
        chosen, rows = subset(networks, members), group.encoding.actions.rows
        commands = np.stack([group.encoding.commands([e.command for e in split.test])] * len(members))
        own = np.stack([rows(answered[index].answers, time) for index in members])
        right_ones = np.stack([rows([tuple(e.actions) for e in split.test], time)] * len(members))
        pairs = zip(*(log_likelihoods(chosen, commands, actions) for actions in (own, right_ones)), strict=True)
        found |= dict(zip(members, pairs, strict=True))
    return [found[index] for index in range(len(group.runs))]


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
    given = answers(networks, commands, cap=answer_cap(group), lengths=lengths, like=targets)
    return given, right(given, targets)
