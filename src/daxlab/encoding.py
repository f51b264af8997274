"""From words to arrays: vocabularies, padded rows, a few padded lengths, and the stream of presentations.

Everything about shapes comes from the dataset, not from the split, so that one compiled program serves all splits.
Knows nothing of networks, files or where random bits come from.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from daxlab.errors import InputError
from daxlab.symbols import EOS, PAD, SPECIAL

if TYPE_CHECKING:
    from daxlab.datasets import Split
    from daxlab.languages import Example

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Vocabulary:
    """Symbols by number; the special ones first."""

    symbols: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str]) -> "Vocabulary":
        """The special symbols, then the words in alphabetical order."""
        return cls((*SPECIAL, *sorted(set(words))))

    def __len__(self) -> int:
        return len(self.symbols)

    def rows(self, sequences: Sequence[Sequence[str]], time: int) -> Ints:
        """Each sequence's numbers, <EOS>, <PAD>: int [sequences, time]."""
        number = {symbol: index for index, symbol in enumerate(self.symbols)}
        rows = np.full((len(sequences), time), PAD, np.int32)
        for row, sequence in zip(rows, sequences, strict=True):
            if len(sequence) >= time:
                raise InputError(f"{' '.join(sequence)!r} is longer than the {time - 1} symbols provided for")
            try:
                row[: len(sequence) + 1] = [*map(number.__getitem__, sequence), EOS]
            except KeyError as unknown:
                raise InputError(f"unknown word {unknown.args[0]!r} in {' '.join(sequence)!r}") from None
        return rows

    def sequence(self, row: Sequence[int]) -> tuple[str, ...]:
        """The words of a row, up to its <EOS>."""
        numbers = list(row)
        end = min((numbers.index(sign) for sign in (EOS, PAD) if sign in numbers), default=len(numbers))
        return tuple(map(self.symbols.__getitem__, numbers[:end]))


@dataclass(frozen=True)
class Encoding:
    """How a dataset becomes arrays.

    `caps` are the few padded lengths (command time, action time) a program is compiled for, each holding
    the one before; the last holds everything. Which one is used changes a program's speed and nothing else.
    """

    words: Vocabulary
    actions: Vocabulary
    caps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, examples: "Sequence[Example]", buckets: int = 5) -> "Encoding":
        """The encoding of a dataset: of all examples that will ever be trained on or asked."""
        if not examples:
            raise InputError("a language without examples cannot be encoded")
        commands = [example.command.split() for example in examples]
        lengths = [(len(c) + 1, len(e.actions) + 1) for c, e in zip(commands, examples, strict=True)]
        return cls(
            words=Vocabulary.of(word for command in commands for word in command),
            actions=Vocabulary.of(action for example in examples for action in example.actions),
            caps=choose_caps(lengths, buckets),
        )

    @property
    def command_time(self) -> int:
        """The longest command, <EOS> included."""
        return self.caps[-1][0]

    @property
    def action_time(self) -> int:
        """The longest action sequence, <EOS> included."""
        return self.caps[-1][1]

    @property
    def answer_time(self) -> int:
        """How many symbols an answer may have: a few more than the longest target."""
        return self.action_time + 2

    def commands(self, commands: Sequence[str]) -> Ints:
        """int [commands, command time]."""
        return self.words.rows([command.split() for command in commands], self.command_time)

    def answers(self, actions: Sequence[tuple[str, ...]]) -> Ints:
        """int [sequences, action time]."""
        return self.actions.rows(actions, self.action_time)


def choose_caps(lengths: Sequence[tuple[int, int]], buckets: int) -> tuple[tuple[int, int], ...]:
    """At most `buckets` nested (command time, action time), with the fewest steps over all examples."""
    sizes = sorted({actions for _, actions in lengths})
    counts = [sum(actions == size for _, actions in lengths) for size in sizes]
    command = np.maximum.accumulate([max(c for c, a in lengths if a == size) for size in sizes])
    before = np.concatenate([[0], np.cumsum(counts)])
    # best[k][j]: the fewest steps for examples of sizes[:j] in k buckets, and where the last of these begins
    best: list[dict[int, tuple[int, int]]] = [{0: (0, 0)}]
    for _ in range(min(buckets, len(sizes))):
        last = best[-1]
        best.append({})
        for j in range(1, len(sizes) + 1):
            step = int(command[j - 1]) + sizes[j - 1]
            options = [(last[i][0] + step * int(before[j] - before[i]), i) for i in range(j) if i in last]
            if options:
                best[-1][j] = min(options)
    caps, j = [], len(sizes)
    for level in reversed(best[1:]):
        caps.append((int(command[j - 1]), sizes[j - 1]))
        j = level[j][1]
    return tuple(reversed(caps))


class Presentations:
    """The training commands of one split, and how random bits choose among them.

    The commands are ordered by the length of their action sequences. A first number (the quantile, which the protocol
    may share between runs) chooses the length by this split's own distribution of presentations, a second one the
    command among those of that length; so each command has exactly its weight, whatever is shared. Neither depends on
    the padded lengths of a program.
    """

    def __init__(self, encoding: Encoding, split: "Split") -> None:
        if not split.train:
            raise InputError("a split without training commands cannot be trained on")
        if len(split.weights) != len(split.train) or min(split.weights) < 1:
            raise InputError("every training command needs a positive number of presentations")
        order = sorted(range(len(split.train)), key=lambda i: len(split.train[i].actions))  # stable
        examples = [split.train[i] for i in order]
        self.commands = encoding.commands([e.command for e in examples])
        self.actions = encoding.answers([tuple(e.actions) for e in examples])
        lengths = np.array([len(e.actions) for e in examples])
        self._ends = np.cumsum([split.weights[i] for i in order], dtype=np.uint64)  # of each command's presentations
        if self._ends[-1] >= 1 << 31:
            raise InputError("a split has more presentations than a run could draw from")
        last = np.append(lengths[1:] != lengths[:-1], True)
        self._strata = np.concatenate(
            [np.zeros(1, np.uint64), self._ends[last]]
        )  # where each length begins, and the end

    def draw(self, quantile: NDArray[np.uint32], bits: NDArray[np.uint32]) -> NDArray[np.intp]:
        """The positions in `commands` and `actions` chosen by 32 + 32 random bits each."""
        chosen = (quantile.astype(np.uint64) * self._strata[-1]) >> np.uint64(32)
        stratum = np.searchsorted(self._strata, chosen, side="right") - 1
        start, end = self._strata[stratum], self._strata[stratum + 1]
        presentation = start + ((bits.astype(np.uint64) * (end - start)) >> np.uint64(32))
        return np.searchsorted(self._ends, presentation, side="right")
