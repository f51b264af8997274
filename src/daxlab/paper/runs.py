"""The runs of a ledger that count as the paper's (one protocol, today's semantics), and what is measured in them.

Where the paper drew at random, the release's own draw is taken if it has runs, else ours; the two are never mixed.
Whether runs share the sequence of lengths does not matter: that only makes training faster (results/README.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

from daxlab.datasets.release import PREFIX
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.paper.experiments import NETWORKS, SCAN, recorded_values, trained_by
from daxlab.paper.verdicts import Scale
from daxlab.protocol import SEMANTICS, Protocol

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
Draw = Literal["release", "own"]


@dataclass(frozen=True)
class Measurement:
    """The runs of one network on one split, and what is measured in them for a figure."""

    network: str = ""
    split: str = ""
    draw: Draw | None = None  # None: a rule determines the split
    rows: tuple[Row, ...] = ()  # the runs that are done, by split and seed
    failed: int = 0  # how many others failed
    runs: tuple[float, ...] = ()  # the figure in every run
    ours: Any = None  # what is no mean of runs: a list, a table, the ends of a range
    shown: str = ""  # our figure as text, where it is not the mean
    count: int | None = None  # a count that does not depend on chance
    scale: Scale = field(default_factory=Scale)  # of the values
    rivals: tuple[float, ...] = ()  # the accuracies of other runs of ours, which the paper says are better
    searched: tuple[tuple[float, ...], ...] = ()  # the accuracies of each architecture of a search that this is best of
    note: str = ""

    @classmethod
    def of(cls, rows: Sequence[Row], network: str, split: str, draw: Draw | None = None, **more: Any) -> Self:
        """Some runs of a network on a split, before anything is measured in them."""
        done = sorted((row for row in rows if row["status"] == "done"), key=lambda row: (row["split"], row["seed"]))
        return cls(network, split, draw, tuple(done), len(rows) - len(done), **more)

    @property
    def keys(self) -> list[str]:
        return [row["key"] for row in self.rows]

    @property
    def seeds(self) -> list[int]:
        return [row["seed"] for row in self.rows]

    def values(self, metric: str = "accuracy") -> tuple[float, ...]:
        """A metric of every run that has it."""
        return tuple(row[metric] for row in self.rows if row[metric] is not None)

    def measured(self, values: Sequence[float] = (), note: str = "", **more: Any) -> Self:
        """The same runs with these values; the note says how many runs failed."""
        failed = f"{self.failed} failed and {'is' if self.failed == 1 else 'are'} left out" if self.failed else ""
        return replace(self, runs=tuple(values), note="; ".join(filter(None, (failed, note))), **more)


Measure = Callable[["Runs"], Sequence[Measurement]]


@dataclass(frozen=True)
class Runs:
    """A ledger's runs by one protocol."""

    ledger: Ledger
    protocol: Protocol = field(default_factory=Protocol)

    @cached_property
    def search(self) -> "pl.DataFrame":
        """The architectures of the paper's search that have runs on an experiment."""
        from daxlab.paper.search import search  # needs polars, which a machine that only trains may lack

        frame = search(self.ledger, self.protocol)
        return frame.filter(frame["runs"] > 0)

    def of(self, network: str, *splits: str, family: bool = False) -> Measurement:
        """The runs of one of the paper's networks on a split, which has one name or two: the release's draw, and ours.

        With `family`, of all splits whose names begin so: other draws of the same kind.
        """
        where = {"dataset": SCAN, **filters(NETWORKS[network], self.protocol)}
        for split in splits:
            rows = self.ledger.rows(where if family else where | {"split": split})
            if rows := [row for row in rows if row["split"].startswith(split)]:
                return Measurement.of(rows, network, split, draw_of(split) if len(splits) > 1 else None)
        return Measurement(network, splits[-1])


def draw_of(split: str) -> Draw:
    """Who drew a random split."""
    return "release" if split.startswith(PREFIX) else "own"


def filters(network: RNN, protocol: Protocol) -> Row:
    """The filters (`where`) for runs of a network by a protocol, with today's semantics."""
    fields = recorded_values(trained_by(network, protocol))
    return {"learner": network.kind, "semantics": SEMANTICS, **fields, "shared_lengths": [True, False]}
