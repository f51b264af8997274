"""A part of a dataset: so many commands of each test set are asked, or a tenth of training is held out for validation.

Both are draws that the name of a split determines, so every run of it, of any learner, has the same ones. They are
datasets of their own, with keys of their own: what was asked less, or trained on less, is never taken for the whole.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from daxlab.datasets.core import Dataset, Sizes, Split
from daxlab.datasets.rules import drawn
from daxlab.errors import InputError
from daxlab.languages import Example

LIMIT, TENTH = "limit-{}:", "dev-tenth:"
PATTERN = re.compile(r"(limit-(?P<limit>\d+)|dev-tenth):(?P<whole>.*)", re.DOTALL)


class Parts(NamedTuple):
    """What the name of a dataset says of its parts."""

    whole: str  # the dataset that it is a part of
    limit: int | None = None  # commands of each test set that are asked; None: all
    dev: bool = False  # whether a tenth of training is held out


def parts_of(name: str) -> Parts:
    """The parts of a dataset by its name.

    >>> parts_of("limit-50:dev-tenth:scan"), parts_of("scan")
    (Parts(whole='scan', limit=50, dev=True), Parts(whole='scan', limit=None, dev=False))
    """
    if not (match := PATTERN.fullmatch(name)):
        return Parts(name)
    parts = parts_of(match["whole"])
    return parts._replace(limit=int(match["limit"])) if match["limit"] else parts._replace(dev=True)


class Part(Dataset):
    """Another dataset of which each split is changed."""

    def __init__(self, original: Dataset, prefix: str, change: Callable[[Split], Split]) -> None:
        self.original, self.prefix, self.change = original, prefix, change
        self.unit, self.grammar, self.families = original.unit, original.grammar, original.families
        self.packages, self.license, self.source = original.packages, original.license, original.source

    @property
    def name(self) -> str:
        return self.prefix + self.original.name

    @property
    def about(self) -> str:
        limit, dev = parts_of(self.prefix)[1:]
        what = "a tenth of training held out" if dev else f"at most {limit:,} commands of each test set asked"
        return f"{self.original.about}, {what}"

    @property
    def digest(self) -> str:
        return sha256(json.dumps([self.prefix, self.original.digest]).encode()).hexdigest()

    def examples(self) -> Sequence[Example]:
        return self.original.examples()

    def split_names(self) -> list[str]:
        return self.original.split_names()

    def split(self, name: str) -> Split:
        return _split(self, self.original.split(name))

    def sizes(self, names: Sequence[str] | None = None) -> Iterator[Sizes]:
        return (self.split(sizes.name).sizes if sizes.train else sizes for sizes in self.original.sizes(names))

    def asks(self, split: str) -> str:
        return self.original.asks(split)

    def probes(self) -> list[Example]:
        return self.original.probes()

    def read(self, text: str) -> str:
        return self.original.read(text)

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        return self.original.scores(test, answers)

    def warnings(self, split: Split) -> list[str]:
        return self.original.warnings(self.original.split(split.name))


@lru_cache(maxsize=64)
def _split(part: Part, split: Split) -> Split:
    return part.change(split)


@lru_cache(maxsize=16)
def part(original: Dataset, prefix: str) -> Part:
    """A part of a dataset, by the beginning of its name; the same object for the same original."""
    limit = parts_of(prefix).limit
    if limit == 0:
        raise InputError("at least one command of a test set is asked: give a limit of 1 or more")
    if limit is not None:
        return Part(original, prefix, lambda split: limited(split, limit))
    primitives = original.grammar.primitives if original.grammar else ()
    return Part(original, prefix, lambda split: tenth_held_out(split, primitives))


def limited(split: Split, limit: int) -> Split:
    """A split of which so many commands of each test set are asked, and as many of training again."""

    def some(examples: Sequence[Example], what: str) -> tuple[Example, ...]:
        return tuple(drawn(examples, f"limit {split.name} {what}")[:limit])

    tests = {name: some(test, name) for name, test in split.tests.items()}
    return replace(split, tests=tests, again=some(split.train, "train"))


def tenth_held_out(split: Split, primitives: Sequence[Example] = ()) -> Split:
    """A split without a tenth of its distinct training examples, which are there for validation.

    What a split is about stays in training: its primitives, what it presents more often than the rest, and every word.
    """
    least, presented = min(split.weights), zip(split.train, split.weights, strict=True)
    kept = {*primitives, *(example for example, weight in presented if weight > least)}
    left = Counter(word for example in split.train for word in _words(example))
    held = set[Example]()
    for example in drawn(split.train, f"dev {split.name}"):
        if len(held) == len(split.train) // 10:
            break
        if example not in kept and all(left[word] > 1 for word in _words(example)):
            held.add(example)
            left.subtract(_words(example))
    rest = [(e, weight) for e, weight in zip(split.train, split.weights, strict=True) if e not in held]
    train, weights = (tuple(side) for side in zip(*rest, strict=True))
    return replace(split, train=train, weights=weights, dev=tuple(e for e in split.train if e in held))


def _words(example: Example) -> set[str]:
    return {*example.command.split(), *(f"action {action}" for action in example.actions)}
