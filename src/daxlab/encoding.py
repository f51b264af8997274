"""From words to arrays: vocabularies, padded rows, buckets of padded lengths, and which example is presented when.

All shapes come from the dataset, not from the split, so that one compiled program serves all splits.
Knows nothing of networks, files or where random bits come from.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from daxlab.errors import InputError, nearest
from daxlab.symbols import EOS, PAD, SPECIAL

if TYPE_CHECKING:
    from daxlab.datasets import Split
    from daxlab.languages import Example

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Vocabulary:
    """Symbols and their numbers; the special ones come first."""

    symbols: tuple[str, ...]

    @classmethod
    def of(cls, words: Iterable[str]) -> "Vocabulary":
        """The special symbols, then the words in alphabetical order."""
        return cls((*SPECIAL, *sorted(set(words))))

    def __len__(self) -> int:
        return len(self.symbols)

    def rows(self, sequences: Sequence[Sequence[str]], time: int) -> Ints:
        """The numbers of each sequence, then <EOS> and <PAD>: int [sequences, time]."""
        number = {symbol: index for index, symbol in enumerate(self.symbols)}
        rows = np.full((len(sequences), time), PAD, np.int32)
        for row, sequence in zip(rows, sequences, strict=True):
            if len(sequence) >= time:
                raise InputError(f"{' '.join(sequence)!r} is longer than the {time - 1} symbols provided for")
            try:
                row[: len(sequence) + 1] = [*map(number.__getitem__, sequence), EOS]
            except KeyError as unknown:
                word = unknown.args[0]
                advice = nearest(word, self.symbols[len(SPECIAL) :], "it is in no example")
                raise InputError(f"unknown word {word!r} in {' '.join(sequence)!r}; {advice}") from None
        return rows

    def sequence(self, row: Sequence[int]) -> tuple[str, ...]:
        """The words of a row, up to its <EOS>."""
        numbers = list(row)
        end = min((numbers.index(sign) for sign in (EOS, PAD) if sign in numbers), default=len(numbers))
        return tuple(map(self.symbols.__getitem__, numbers[:end]))


@dataclass(frozen=True)
class Encoding:
    """How a dataset becomes arrays.

    `caps` are the padded lengths (command time, action time) of the buckets, in ascending order; the last one holds
    every example. Which one a program uses changes its speed and nothing else.
    """

    words: Vocabulary
    actions: Vocabulary
    caps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, examples: "Sequence[Example]", buckets: int = 5) -> "Encoding":
        """The encoding for a dataset, given all examples that will ever be trained on or asked."""
        if not examples:
            raise InputError("a dataset without examples cannot be encoded")
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
        """How many symbols an answer may have: two more than the longest target."""
        return self.action_time + 2

    def commands(self, commands: Sequence[str]) -> Ints:
        """int [commands, command time]."""
        return self.words.rows([command.split() for command in commands], self.command_time)

    def answers(self, actions: Sequence[tuple[str, ...]]) -> Ints:
        """int [sequences, action time]."""
        return self.actions.rows(actions, self.action_time)


def choose_caps(lengths: Sequence[tuple[int, int]], buckets: int) -> tuple[tuple[int, int], ...]:
    """The padded lengths (command time, action time) of at most `buckets` buckets: the fewest steps over all examples.

    Examples are sorted by their action time; a bucket holds those of some successive action times.
    """
    command_times, action_times = np.array(lengths).T
    times, counts = np.unique(action_times, return_counts=True)
    longest = np.maximum.accumulate([command_times[action_times == time].max() for time in times])
    caps = list(zip(longest.tolist(), times.tolist(), strict=True))  # of a bucket that ends with this action time
    before = [0, *np.cumsum(counts).tolist()]  # examples of the first so many action times

    @cache
    def fewest(end: int, buckets: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """The fewest steps for the first `end` action times in so many buckets, and these buckets' lengths."""
        steps = sum(caps[end - 1])  # of every example in the last bucket
        if buckets == 1:
            return steps * before[end], (caps[end - 1],)
        starts = range(buckets - 1, end)  # of the last bucket
        cost, start = min((fewest(s, buckets - 1)[0] + steps * (before[end] - before[s]), s) for s in starts)
        return cost, (*fewest(start, buckets - 1)[1], caps[end - 1])

    return fewest(len(times), min(buckets, len(times)))[1]


class Presentations:
    """The training examples of one split, and how random bits choose among them.

    The examples are sorted by the length of their action sequences. A first random number (the quantile, which runs may
    share) chooses a length by this split's distribution of presentations; a second one chooses among the examples of
    that length. So each example has exactly its weight, shared or not, and padded lengths play no part.
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
        self._ends = np.cumsum([split.weights[i] for i in order], dtype=np.uint64)  # of each example's presentations
        if self._ends[-1] >= 1 << 31:
            raise InputError("a split has more presentations than a run could draw from")
        self.ends = self._ends.astype(np.uint32)  # the number of presentations up to each example
        last = np.append(lengths[1:] != lengths[:-1], True)
        zero = np.zeros(1, np.uint64)
        self._strata = np.concatenate([zero, self._ends[last]])  # where the presentations of each length begin and end

    def draw(self, quantile: NDArray[np.uint32], bits: NDArray[np.uint32]) -> NDArray[np.intp]:
        """Places in `commands` and `actions`, each chosen by 32 + 32 random bits."""
        chosen = (quantile.astype(np.uint64) * self._strata[-1]) >> np.uint64(32)
        stratum = np.searchsorted(self._strata, chosen, side="right") - 1
        start, end = self._strata[stratum], self._strata[stratum + 1]
        presentation = start + ((bits.astype(np.uint64) * (end - start)) >> np.uint64(32))
        return np.searchsorted(self._ends, presentation, side="right")
