"""What determines a run: a learner, a split of a dataset, a seed.

A spec is written down as plain facts, and the run's key is a hash of them. Knows nothing of how runs are grouped or
where they are trained.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from daxlab import learners
from daxlab.datasets import Split, dataset
from daxlab.errors import InputError
from daxlab.learners import RNN, Job, Learner
from daxlab.runs.records import key

MOST_SEEDS = 2**32


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

    def content(self) -> Split:
        """The split itself."""
        return dataset(self.data).split(self.split)

    def job(self) -> Job:
        """The spec with the data that it names."""
        return Job(self.learner, dataset(self.data), self.content(), self.seed)

    def facts(self) -> dict[str, Any]:
        """All that determines the run, the dataset and the split by their content."""
        return self._data() | self.learner.facts() | {"seed": self.seed}

    def _data(self) -> dict[str, Any]:
        content = self.content()
        return {"language": self._dataset(), "split": {"name": content.name, "digest": content.digest}}

    def _dataset(self) -> dict[str, str]:
        """By the name that it gives itself: a corpus that has several names is recorded as the release that it is."""
        found = dataset(self.data)
        return {"name": found.name, "digest": found.digest}

    @classmethod
    def of(cls, facts: Any, *, whole: bool = True, data: str | None = None) -> "Spec":
        """The spec that was written down; an error if it would no longer be the same run.

        `whole`: False compares only the dataset, not the split. `data`: where the dataset is now, if it was moved.
        """
        name = data or facts["language"]["name"]
        spec = cls(facts["split"]["name"], facts["seed"], learners.of(facts), name)
        now = spec.facts() if whole else {"language": spec._dataset()}
        for part in now:
            if key(now[part]) != key(facts.get(part)):
                called = {"language": "dataset", "semantics": "version of the learner"}.get(part, part)
                raise InputError(f"the {called} of this run is no longer what it was when the run was recorded")
        return spec


def all_facts(specs: Iterable[Spec]) -> list[dict[str, Any]]:
    """The facts of many specs; each split is looked up once."""
    data: dict[tuple[str, str], dict[str, Any]] = {}
    learnt: dict[Learner, dict[str, Any]] = {}
    found = []
    for spec in specs:
        place = (spec.data, spec.split)
        if place not in data:
            data[place] = spec._data()
        if spec.learner not in learnt:
            learnt[spec.learner] = spec.learner.facts()
        found.append(data[place] | learnt[spec.learner] | {"seed": spec.seed})
    return found
