"""What determines a run: a learner, a split of a dataset, a seed.

A spec is written down as plain facts, and the run's key is a hash of them. Knows nothing of how runs are grouped or
where they are trained.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from daxlab import learners
from daxlab.datasets import Dataset, Split, dataset
from daxlab.errors import InputError
from daxlab.learners import RNN, Job, Learner
from daxlab.ledger.records import key

MOST_SEEDS = 2**32
MOST_RUNS = 100_000  # that one command asks for


@dataclass(frozen=True)
class Spec:
    """A run before it is trained."""

    split: str
    seed: int
    learner: Learner = field(default_factory=RNN)
    data: str = "scan"

    def __post_init__(self) -> None:
        if not 0 <= self.seed < MOST_SEEDS:
            raise InputError(f"a seed is a whole number from 0 to {MOST_SEEDS - 1}, not {self.seed}")

    def __str__(self) -> str:
        """The run in words.

        >>> print(Spec("jump", 3))
        LSTM 2x200, dropout 0.5 on jump, seed 3
        """
        data = "" if self.data == "scan" else f" of {self.data}"
        return f"{self.learner} on {self.split}{data}, seed {self.seed}"

    def content(self) -> Split:
        """The split itself."""
        return dataset(self.data).split(self.split)

    def job(self) -> Job:
        """The spec with the data that it names."""
        return Job(self.learner, dataset(self.data), self.content(), self.seed)

    def facts(self) -> dict[str, Any]:
        """All that determines the run, the dataset and the split by their content."""
        return all_facts([self])[0]

    @classmethod
    def of(cls, facts: Any, *, whole: bool = True, data: str | None = None) -> "Spec":
        """The spec that was written down; an error if it would no longer be the same run.

        `whole`: False compares only the dataset, not the split. `data`: where the dataset is now, if it was moved.
        """
        name = data or facts["language"]["name"]
        spec = cls(facts["split"]["name"], facts["seed"], learners.of(facts), name)
        now = spec.facts() if whole else {"language": _identity(dataset(name))}
        for part in now:
            if key(now[part]) != key(facts.get(part)):
                called = {"language": "dataset", "semantics": "version of the learner"}.get(part, part)
                why = dataset(name).changed_since(facts["language"]["digest"]) if part == "language" else ""
                changed = f"the {called} of this run is no longer what it was when the run was recorded"
                raise InputError(f"{changed}{why and ': ' + why}")
        return spec


def replicates(
    learner: Learner, data: str, splits: Sequence[str], test: str | None = None, *, runs: int, seed: int = 0
) -> list[Spec]:
    """So many runs of a learner on each split: seeds `seed`, `seed` + 1, …

    `test`: of a folder of TSV files, the test set, which is a split of that name.
    """
    check_runs(runs)
    return [Spec(split, seed + n, learner, data) for split in chosen_splits(data, splits, test) for n in range(runs)]


def check_runs(runs: int) -> None:
    """Refuse a number of replicates that nobody means."""
    if not isinstance(runs, int) or not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")


def chosen_splits(data: str, splits: Sequence[str], test: str | None = None) -> list[str]:
    """The splits to learn, by the names they give themselves, each once."""
    source = dataset(data)
    if test is not None and source.grammar is not None:
        raise InputError(f"test is for a folder of TSV files; for {source.name}, choose a split")
    names = [*splits, *([test] if test else [])]
    if not names and source.grammar is not None:
        raise InputError("say what to train on, such as the split simple ('daxlab data list' shows all splits)")
    return list(dict.fromkeys(source.split(name).name for name in names or source.split_names()[:1]))


def all_facts(specs: Iterable[Spec]) -> list[dict[str, Any]]:
    """The facts of many specs; each split and each learner is looked up once."""
    data, learner = cache(_data), cache(lambda learner: learner.facts())
    return [data(spec.data, spec.split) | learner(spec.learner) | {"seed": spec.seed} for spec in specs]


def _data(name: str, split: str) -> dict[str, Any]:
    return {"language": _identity(dataset(name)), "split": _identity(dataset(name).split(split))}


def _identity(thing: Dataset | Split) -> dict[str, str]:
    """By the name that it gives itself: a corpus that has several names is recorded as the release that it is."""
    return {"name": thing.name, "digest": thing.digest}
