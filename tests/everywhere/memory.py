"""A learner that is no network."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from daxlab.learners import Learner, setting


class Table:
    """Answers by looking up."""

    def __init__(self, known: dict[str, tuple[str, ...]], otherwise: str) -> None:
        self.known, self.otherwise = known, otherwise

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        return [self.known.get(command, (self.otherwise,)) for command in commands]


@dataclass(frozen=True)
class Memory(Learner):
    """Remembers the training examples and nothing else."""

    otherwise: str = setting("RED", "the answer to a command that it has not seen")
    forgets: int = setting(0, "how many training examples it forgets", least=0)

    def fit_one(self, split, seed: int) -> Table:
        kept = split.train[self.forgets :]
        return Table({example.command: example.actions for example in kept}, self.otherwise)


class NoDataclass(Learner):
    def fit_one(self, split, seed: int) -> Table:
        return Table({}, "")


@dataclass(frozen=True)
class NoFit(Learner):
    pass


@dataclass(frozen=True)
class NoDefault(Learner):
    size: int

    def fit_one(self, split, seed: int) -> Table:
        return Table({}, "")


@dataclass(frozen=True)
class Miscounts(Learner):
    def fit_one(self, split, seed: int) -> "Miscounts":
        return self

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        return []


@dataclass(frozen=True)
class Silent(Learner):
    def fit_one(self, split, seed: int) -> "Silent":
        return self

    def answers(self, commands: Sequence[str]) -> None:
        return None


@dataclass(frozen=True)
class Leaves(Learner):
    def fit_one(self, split, seed: int) -> Table:
        sys.exit(3)


@dataclass(frozen=True)
class Unlucky(Learner):
    def fit_one(self, split, seed: int) -> Table:
        if seed:
            raise ValueError("bad luck")
        return Table({}, "")


class Stranger:
    pass
