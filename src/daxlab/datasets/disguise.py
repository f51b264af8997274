"""A dataset in disguise: every word has a made-up name, and nothing else changes.

A learner does not care what words are called. A look-up table, a hand-written lexicon, or a language model that has
read the data does. A word that inputs and outputs share has one name, so that copying is still copying.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import count

from daxlab.datasets.core import Dataset, Sizes, Split
from daxlab.languages import Example

PREFIX = "disguised:"
CONSONANTS, VOWELS, SYLLABLES = "bdfgklmnprstvwz", "aeiou", 3


class Disguised(Dataset):
    """Another dataset with made-up words. It has no grammar: its words are not those of the declaration."""

    def __init__(self, original: Dataset) -> None:
        self.original = original
        self.unit, self.families, self.packages = original.unit, original.families, original.packages
        self.license, self.source = original.license, original.source

    @property
    def name(self) -> str:
        return PREFIX + self.original.name

    @property
    def about(self) -> str:
        return f"{self.original.about}, with made-up words"

    @cached_property
    def digest(self) -> str:
        return sha256(json.dumps([self.original.digest, self.names]).encode()).hexdigest()

    @cached_property
    def names(self) -> dict[str, str]:
        """The made-up name of every word. The original's content determines it, wherever its files are."""
        examples = self.original.examples()
        words = sorted({word for example in examples for word in (*example.command.split(), *example.actions)})
        names, taken = dict[str, str](), set(words)
        for word in words:
            names[word] = next(name for name in _made_up(f"{self.original.digest} {word}") if name not in taken)
            taken.add(names[word])
        return names

    @cached_property
    def _swap(self) -> dict[str, str]:
        """Words to names and names to words, so that renaming twice changes nothing."""
        return self.names | {name: word for word, name in self.names.items()}

    def _rename(self, words: Iterable[str]) -> tuple[str, ...]:
        return tuple(self._swap.get(word, word) for word in words)

    def renamed(self, examples: Iterable[Example]) -> tuple[Example, ...]:
        """Examples of the original in disguise, or those in disguise as the original has them."""
        return tuple(
            Example(" ".join(self._rename(example.command.split())), self._rename(example.actions), example.category)
            for example in examples
        )

    def examples(self) -> Sequence[Example]:
        return self._examples

    @cached_property
    def _examples(self) -> tuple[Example, ...]:
        return self.renamed(self.original.examples())

    def split_names(self) -> list[str]:
        return self.original.split_names()

    def split(self, name: str) -> Split:
        return _split(self, self.original.split(name))

    def sizes(self, names: Sequence[str] | None = None) -> Iterator[Sizes]:
        return self.original.sizes(names)

    def asks(self, split: str) -> str:
        return self.original.asks(split)

    def probes(self) -> list[Example]:
        return list(self.renamed(self.original.probes()))

    def read(self, text: str) -> str:
        """A typed command, in words of the original or in made-up ones."""
        return " ".join(self.names.get(word, word) for word in self.original.read(text).split())

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        """The original's metrics; answers in the original's words are wrong, because renaming swaps these too."""
        return self.original.scores(self.renamed(test), [self._rename(answer) for answer in answers])

    def warnings(self, split: Split) -> list[str]:
        """The original's warnings, with the words of its files."""
        return self.original.warnings(self.original.split(split.name))


@lru_cache(maxsize=16)
def disguised(original: Dataset) -> Disguised:
    """A dataset in disguise; the same object for the same original."""
    return Disguised(original)


@lru_cache(maxsize=64)
def _split(dataset: Disguised, split: Split) -> Split:
    tests = {name: dataset.renamed(test) for name, test in split.tests.items()}
    again = None if split.again is None else dataset.renamed(split.again)
    return replace(split, train=dataset.renamed(split.train), tests=tests, dev=dataset.renamed(split.dev), again=again)


def _made_up(seed: str) -> Iterator[str]:
    """Words that can be pronounced, in an order that the seed determines."""
    for number in count():
        code = sha256(f"{seed} {number}".encode()).digest()
        pairs = zip(code[:SYLLABLES], code[SYLLABLES:], strict=False)
        yield "".join(CONSONANTS[one % len(CONSONANTS)] + VOWELS[other % len(VOWELS)] for one, other in pairs)
