"""The contract of a dataset: something to learn, by name, with named splits.

Everything that trains, scores or reports works with a `Dataset`, and does not know which kind it has.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from daxlab.errors import InputError, nearest
from daxlab.languages import Example, Examples, Language
from daxlab.units import counted

Origin = Literal["rule", "seed", "file"]
TEST, DEV = "test", "dev"


@dataclass(frozen=True)
class Sizes:
    """How large a split is; the sizes are unknown where its file is not on this machine."""

    name: str
    origin: Origin
    train: int | None = None  # presentations
    distinct_train: int | None = None
    tests: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Split:
    """Distinct training examples, how often each is presented, and one or more named test sets."""

    name: str
    origin: Origin  # what determines it: a rule, a seeded draw, or a file
    train: tuple[Example, ...]
    weights: tuple[int, ...] = field(repr=False)  # one for each of `train`: how often it is presented
    tests: Mapping[str, tuple[Example, ...]] = field(hash=False)  # the main test set is the first
    dev: tuple[Example, ...] = ()  # held out of training, for validation: never trained on, and never scored
    again: tuple[Example, ...] | None = None  # of training, what is asked again; None: all of it

    def __post_init__(self) -> None:
        object.__setattr__(self, "train", Examples(self.train))
        object.__setattr__(self, "tests", {name: Examples(test) for name, test in self.tests.items()})

    def __repr__(self) -> str:
        """Its sizes in a line.

        >>> Split("two", "rule", (Example("a", ("A",)),), (3,), {"test": (Example("b", ("B",)),)})
        Split two: 1 training example, shown 3 times in all; test: 1
        """
        tests = ", ".join(f"{name}: {len(test):,}" for name, test in self.tests.items())
        shown = "" if self.presentations == len(self.train) else f", shown {self.presentations:,} times in all"
        return f"Split {self.name}: {counted(len(self.train), 'training example')}{shown}; {tests}"

    @property
    def asked_again(self) -> tuple[Example, ...]:
        """The training examples that a run is asked again, for its accuracy on training."""
        return self.train if self.again is None else self.again

    @property
    def test(self) -> tuple[Example, ...]:
        """The main test set."""
        return next(iter(self.tests.values()))

    @property
    def presentations(self) -> int:
        """The size of the training set, repetitions included."""
        return sum(self.weights)

    @property
    def sizes(self) -> Sizes:
        """How large it is."""
        tests = {name: len(examples) for name, examples in self.tests.items()}
        return Sizes(self.name, self.origin, self.presentations, len(self.train), tests)

    @property
    def has_categories(self) -> bool:
        """Whether any example has a category."""
        return any(example.category for examples in (self.train, *self.tests.values()) for example in examples)

    @cached_property
    def digest(self) -> str:
        """A sha256 of the content, and of which test set is the main one."""
        width = 3 if self.has_categories else 2  # without categories, the digests of earlier versions
        train = [(example[:width], weight) for example, weight in zip(self.train, self.weights, strict=True)]
        tests = {name: [example[:width] for example in self.tests[name]] for name in sorted(self.tests)}
        main = next(iter(self.tests), "")
        content: Any = (train, tests, main)
        if main == TEST and tests.keys() <= {TEST, DEV} and width == 2:
            content = (train, tests.get(DEV, []), tests[TEST])
        if self.dev or self.again is not None:
            content = (content, [example[:width] for example in self.dev], [e[:width] for e in self.asked_again])
        return sha256(json.dumps(content).encode()).hexdigest()


class Dataset(ABC):
    """Something to learn. Get one by its name: `daxlab.dataset("scan")`."""

    unit: str = "commands"  # what its inputs are called: "commands" or "sentences"
    grammar: Language | None = None  # that generates it
    families: str = ""  # the splits that `split` knows and `split_names` does not list, in words
    packages: tuple[str, ...] = ()  # that `scores` needs: their versions are recorded with a run
    license: str = ""  # as Hugging Face abbreviates it, and
    source: str = ""  # where the data was published; empty where daxlab does not know

    def __repr__(self) -> str:
        return f"Dataset {self.name}: {self.about}"

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

    @abstractmethod
    def examples(self) -> Sequence[Example]:
        """Everything that may be shown or asked. Vocabularies and maximum lengths come from it."""

    @abstractmethod
    def split_names(self) -> list[str]:
        """The splits to show in a list; `split` may know more."""

    @abstractmethod
    def split(self, name: str) -> Split:
        """The split of that name."""

    def sizes(self, names: Sequence[str] | None = None) -> Iterator[Sizes]:
        """The sizes of these splits, or of all that `split_names` has, in its order."""
        return (self.split(name).sizes for name in (self.split_names() if names is None else names))

    def asks(self, split: str) -> str:
        """What a split asks for, in a few words; nothing where that is not known."""
        return ""

    def probes(self) -> list[Example]:
        """Commands to look at one by one."""
        return []

    def read(self, text: str) -> str:
        """A typed command in the spelling of this dataset."""
        return " ".join(text.split())

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        """Further metrics of a run's answers to a test set."""
        return {}

    def changed_since(self, digest: str) -> str:
        """What has changed since the dataset had this digest; nothing where that is not known."""
        return ""

    def warnings(self, split: Split) -> list[str]:
        """What a user may not expect of a split, each with the line where it first occurs."""
        return []

    def _unknown(self, name: str, kind: str = "split", hint: str = "") -> InputError:
        """The error for a split that does not exist, with the nearest name."""
        option = "" if self.name == "scan" else f" --data {self.name}"
        hint = hint or nearest(name, self.split_names(), f"'daxlab data list{option}' shows what there is")
        return InputError(f"{self.name} has no {kind} called {name!r}; {hint}")
