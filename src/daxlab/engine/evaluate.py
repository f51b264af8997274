"""How right the networks of a stack are. Knows nothing of how they were trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daxlab.encoding import Encoding
from daxlab.engine.decode import Rows, answers, ended, log_likelihoods, right
from daxlab.engine.stack import Stack, subset
from daxlab.languages import Example
from daxlab.networks.contract import Network
from daxlab.symbols import EOS, PAD


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One network's answers to some examples, in their order."""

    rows: Rows  # [commands, cap]
    right: NDArray[np.bool_]  # [commands]
    asked: Sequence[Example]
    encoding: Encoding

    @cached_property
    def answers(self) -> list[tuple[str, ...]]:
        """In words, which takes a while; a right answer is its target."""
        words = self.encoding.actions.sequence
        read = zip(self.rows.tolist(), self.right.tolist(), self.asked, strict=True)
        return [tuple(example.actions) if good else words(row) for row, good, example in read]

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Which answers came to their end within the cap."""
        return ended(self.rows)

    @property
    def accuracy(self) -> float:
        """The share of commands whose whole action sequence is right."""
        return float(self.right.mean())


Asked = Sequence[Sequence[Example]]


def evaluate(
    stack: Stack, networks: Network, asked: Asked | None = None, *, oracle_length: bool = False
) -> list[Evaluation]:
    """Each network's answers to its own examples: its split's test commands unless others are given.

    Networks that are asked the same examples (the same object) are asked together.
    """
    examples = [member.split.test for member in stack.members] if asked is None else asked
    by_member: dict[int, Evaluation] = {}
    for same, members in _alike(examples):
        rows, correct = _ask(stack.encoding, subset(networks, members), [same] * len(members), oracle_length)
        for place, member in enumerate(members):
            by_member[member] = Evaluation(rows[place], correct[place], same, stack.encoding)
    return [by_member[member] for member in range(len(stack.members))]


def likelihoods(
    networks: Network, answered: Sequence[Evaluation]
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """For each network, log-likelihoods of its own answers, and of the right ones."""
    by_member: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
    for asked, members in _alike([evaluation.asked for evaluation in answered]):
        encoding, chosen = answered[members[0]].encoding, subset(networks, members)
        own = _finished(np.stack([answered[member].rows for member in members]))
        targets = np.broadcast_to(encoding.actions.rows([tuple(e.actions) for e in asked], own.shape[-1]), own.shape)
        rows = encoding.commands([e.command for e in asked])
        commands = np.broadcast_to(rows, (len(members), *rows.shape))
        pairs = (log_likelihoods(chosen, commands, actions) for actions in (own, targets))
        by_member |= dict(zip(members, zip(*pairs, strict=True), strict=True))
    return [by_member[member] for member in range(len(answered))]


def _alike(examples: Asked) -> list[tuple[Sequence[Example], list[int]]]:
    """Each list of examples with the places where it stands."""
    lists = {id(same): same for same in examples}
    return [(same, [n for n, other in enumerate(examples) if other is same]) for same in lists.values()]


def _finished(given: Rows) -> Rows:
    """The same answers with room for one symbol more, which is <EOS> where an answer was cut off by the cap."""
    rows = np.pad(given, ((0, 0), (0, 0), (0, 1)), constant_values=PAD)
    rows[..., -1] = np.where(ended(given), PAD, EOS)
    return rows


def sample_accuracy(stack: Stack, networks: Network, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Accuracy [members] on `size` training and `size` test commands, evenly spread over each list."""
    rates = []
    for part in ("train", "test"):
        chosen = [_spread(getattr(member.split, part), size) for member in stack.members]
        if not all(chosen):
            rates.append(np.full(len(stack.members), np.nan))
            continue
        rates.append(_ask(stack.encoding, networks, chosen, False)[1].mean(axis=1))
    return rates[0], rates[1]


def _spread(examples: Sequence[Any], size: int) -> list[Any]:
    """`size` of the examples, evenly spread; a shorter list repeats itself evenly."""
    return [examples[i] for i in (np.arange(size) * len(examples) // size).tolist()] if examples else []


def _ask(
    encoding: Encoding, networks: Network, examples: Sequence[Sequence[Any]], oracle_length: bool
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Answers [networks, commands, cap] and which are right; every network has its own examples, equally many."""
    lists = {id(own): own for own in examples}
    rows = {name: _rows(encoding, own) for name, own in lists.items()}
    commands, targets = (np.stack(part) for part in zip(*(rows[id(own)] for own in examples), strict=True))
    lengths = np.array([[len(e.actions) for e in own] for own in examples], np.int32) if oracle_length else None
    given = answers(networks, commands, cap=encoding.answer_time, lengths=lengths, like=targets)
    return given, right(given, targets)


def _rows(encoding: Encoding, examples: Sequence[Any]) -> tuple[Rows, Rows]:
    """The commands and the right answers."""
    return encoding.commands([e.command for e in examples]), encoding.answers([tuple(e.actions) for e in examples])
