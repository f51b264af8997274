"""How right the networks of a stack are. Knows nothing of how they were trained."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from daxlab.encoding import Encoding
from daxlab.engine.decode import Rows, answers, ended, log_likelihoods, right
from daxlab.engine.stack import Stack, subset
from daxlab.languages import Example
from daxlab.networks.contract import Network
from daxlab.symbols import EOS, PAD

Examples = Sequence[Example]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One network's answers to some examples, in their order."""

    asked: Examples
    rows: Rows  # [commands, cap]
    right: NDArray[np.bool_]  # [commands]
    ended: NDArray[np.bool_]  # [commands]: whether the answer has an end within the cap
    encoding: Encoding

    def __repr__(self) -> str:
        return f"Evaluation: {int(self.right.sum()):,} of {len(self.asked):,} right"

    @cached_property
    def answers(self) -> list[tuple[str, ...]]:
        """The answers in words. Slow for many rows, so a right answer is taken from its example."""
        words = self.encoding.actions.sequence
        answered = zip(self.rows.tolist(), self.right.tolist(), self.asked, strict=True)
        return [tuple(example.actions) if correct else words(row) for row, correct, example in answered]


def evaluate(
    encoding: Encoding, networks: Network, asked: Sequence[Examples], *, oracle_length: bool = False
) -> list[Evaluation]:
    """Each network's answers to its own examples. Networks with the same examples (one object) are asked together."""
    evaluations: dict[int, Evaluation] = {}
    for examples, members in _alike(asked):
        commands, targets = _rows(encoding, examples)
        lengths = np.array([len(example.actions) for example in examples]) if oracle_length else None
        rows = np.zeros((len(members), 0, encoding.answer_time), np.int32)
        if examples:  # some splits may lack a test set that others have
            rows = answers(subset(networks, members), commands, cap=rows.shape[-1], lengths=lengths, like=targets)
        for member, own in zip(members, rows, strict=True):
            evaluations[member] = Evaluation(examples, own, right(own, targets), ended(own), encoding)
    return [evaluations[member] for member in range(len(asked))]


def likelihoods(
    networks: Network, answered: Sequence[Evaluation]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """For each network, log-likelihoods [commands] of its own answers, and of the right ones."""
    pairs: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
    for examples, members in _alike([evaluation.asked for evaluation in answered]):
        encoding, chosen = answered[members[0]].encoding, subset(networks, members)
        own = np.stack([_finished(answered[member]) for member in members])  # [members, commands, cap + 1]
        targets = encoding.actions.rows([example.actions for example in examples], own.shape[-1])
        commands, _ = _rows(encoding, examples)
        of_own = log_likelihoods(chosen, np.stack([commands] * len(members)), own)
        of_targets = log_likelihoods(chosen, commands, targets)
        pairs |= dict(zip(members, zip(of_own, of_targets, strict=True), strict=True))
    return [pairs[member] for member in range(len(answered))]


def sample_accuracy(stack: Stack, networks: Network, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy [members] on `size` training and `size` test commands, evenly spread over each list; NaN without any."""
    return (
        _accuracy(stack.encoding, networks, [_spread(member.split.train, size) for member in stack.members]),
        _accuracy(stack.encoding, networks, [_spread(member.split.test, size) for member in stack.members]),
    )


def _accuracy(encoding: Encoding, networks: Network, asked: Sequence[Examples]) -> NDArray[np.float64]:
    """Accuracy [members]; all are asked together, each its own examples, equally many."""
    if not all(asked):
        return np.full(len(asked), np.nan)
    rows = [_rows(encoding, examples) for examples in asked]
    commands, targets = (np.stack(part) for part in zip(*rows, strict=True))  # [members, commands, time]
    given = answers(networks, commands, cap=encoding.answer_time, like=targets)
    return right(given, targets).mean(axis=1)


def _alike(asked: Sequence[Examples]) -> Iterator[tuple[Examples, list[int]]]:
    """Each distinct list of examples, with the members that are asked it."""
    for examples in {id(examples): examples for examples in asked}.values():
        yield examples, [member for member, own in enumerate(asked) if own is examples]


def _rows(encoding: Encoding, examples: Examples) -> tuple[Rows, Rows]:
    """The commands [commands, command time] and the right answers [commands, action time]."""
    return encoding.commands([e.command for e in examples]), encoding.answers([e.actions for e in examples])


def _finished(answered: Evaluation) -> Rows:
    """The answers with room for one more symbol: <EOS> where the cap cut an answer off."""
    last = np.where(answered.ended, PAD, EOS).astype(answered.rows.dtype)
    return np.concatenate([answered.rows, last[:, None]], axis=1)


def _spread(examples: Examples, size: int) -> list[Example]:
    """`size` of the examples, evenly spread; a shorter list repeats itself evenly."""
    return [examples[i] for i in (np.arange(size) * len(examples) // size).tolist()] if examples else []
