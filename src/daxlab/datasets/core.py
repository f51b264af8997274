"""The contract of a dataset: something to learn, by name, with named splits.

Everything that trains, scores or reports works with a `Dataset` and its `Split`s, and does not know which kind it has.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, Literal

from daxlab.errors import InputError
from daxlab.languages import Example, Language

Origin = Literal["rule", "seed", "file"]
TEST, DEV = "test", "dev"


@dataclass(frozen=True)
class Split:
    """Distinct training examples, how often each is presented, and one or more named test sets."""

    name: str
    origin: Origin  # what determines it: a rule, a seeded draw, or a file
    train: tuple[Example, ...]
    weights: tuple[int, ...] = field(repr=False)  # one for each of `train`: how often it is presented
    tests: Mapping[str, tuple[Example, ...]] = field(hash=False)  # the main test set is the first

    @property
    def test(self) -> tuple[Example, ...]:
        """The main test set."""
        return next(iter(self.tests.values()))

    @property
    def presentations(self) -> int:
        """The size of the training set, repetitions included."""
        return sum(self.weights)

    @cached_property
    def digest(self) -> str:
        """A sha256 of the content, and of which test set is the main one."""
        categories = any(example.category for some in (self.train, *self.tests.values()) for example in some)
        width = 3 if categories else 2  # without categories, the digests of earlier versions
        train = [(example[:width], weight) for example, weight in zip(self.train, self.weights, strict=True)]
        tests = {name: [example[:width] for example in self.tests[name]] for name in sorted(self.tests)}
        main = next(iter(self.tests), "")
        content: Any = (train, tests, main)
        if main == TEST and tests.keys() <= {TEST, DEV} and not categories:
            content = (train, tests.get(DEV, []), tests[TEST])
        return sha256(json.dumps(content).encode()).hexdigest()


@dataclass(frozen=True)
class Sizes:
    """How large a split is; the sizes are unknown where its file is not on this machine."""

    name: str
    origin: Origin
    train: int | None = None  # presentations
    distinct_train: int | None = None
    tests: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Unseen:
    """A word that a test set has and training lacks, and where it first occurs."""

    file: str
    line: int
    word: str
    lines: int  # how many lines of the file have it

    def __str__(self) -> str:
        others = f" ({self.lines:,} lines have it)" if self.lines > 1 else ""
        return (
            f"{self.file}, line {self.line}: {self.word!r} never occurs in train.tsv{others}; "
            "learners see it as a word they were never trained on"
        )


class Dataset(ABC):
    """Something to learn. Get one by its name: `daxlab.dataset("scan")`."""

    packages: ClassVar[tuple[str, ...]] = ()  # that `scores` needs: their versions are recorded with a run
    unit: ClassVar[str] = "commands"  # what its inputs are called: "commands" or "sentences"

    @property
    def families(self) -> str:
        """The splits that `split` knows and `split_names` does not list, in words."""
        return ""

    @property
    @abstractmethod
    def name(self) -> str:
        """What `daxlab.dataset` takes to find it again."""

    @property
    @abstractmethod
    def about(self) -> str:
        """Where it comes from, in one line."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A sha256 of the content."""

    @property
    def grammar(self) -> Language | None:
        """The grammar that generates it, if there is one."""
        return None

    @abstractmethod
    def examples(self) -> Sequence[Example]:
        """Everything that may be shown or asked. Vocabularies and maximum lengths come from it."""

    @abstractmethod
    def split_names(self) -> list[str]:
        """The splits to show in a list; `split` may know more."""

    @abstractmethod
    def split(self, name: str) -> Split:
        """The split of that name."""

    def sizes(self) -> Iterator[Sizes]:
        """The sizes of every split, in the order of `split_names`."""
        for name in self.split_names():
            split = self.split(name)
            tests = {test: len(examples) for test, examples in split.tests.items()}
            yield Sizes(name, split.origin, split.presentations, len(split.train), tests)

    def probes(self) -> list[Example]:
        """Commands to look at one by one."""
        return []

    def read(self, text: str) -> str:
        """A typed command in the spelling of this dataset."""
        return " ".join(text.split())

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        """Further metrics of a run's answers to a test set."""
        return {}

    def unseen(self, split: Split) -> list[Unseen]:
        """Words of the test sets that training lacks, where these are worth a warning."""
        return []

    def _unknown(self, name: str, kind: str = "split", hint: str = "") -> InputError:
        """The error for a split that does not exist, with the nearest name."""
        option = "" if self.name == "scan" else f" --data {self.name}"
        hint = hint or nearest(name, self.split_names()) or f"'daxlab data list{option}' shows what there is"
        return InputError(f"{self.name} has no {kind} called {name!r}; {hint}")


def nearest(name: str, names: Sequence[str]) -> str:
    """ "did you mean …?" for a name that is close to a known one, or nothing."""
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else ""
