"""The runs of a ledger that speak to the paper: of one protocol and today's semantics, by network and split.

Where the paper drew at random, the release's own draw is taken if it has runs, else ours; the two are never mixed.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from daxlab.paper.experiments import NETWORKS
from daxlab.paper.search import search
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.runs import Ledger

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
Draw = Literal["release", "own"]


@dataclass(frozen=True)
class Found:
    """Runs of one network on one split, by seed."""

    split: str
    draw: Draw | None  # None: a rule determines the split
    rows: tuple[Row, ...] = ()
    failed: int = 0

    @property
    def keys(self) -> list[str]:
        """Keys of the runs."""
        return [row["key"] for row in self.rows]

    def values(self, metric: str = "accuracy") -> tuple[float, ...]:
        """A metric of every run that has it."""
        return tuple(row[metric] for row in self.rows if row[metric] is not None)


@dataclass(frozen=True)
class Runs:
    """A ledger, asked about one protocol."""

    ledger: Ledger
    protocol: Protocol = field(default_factory=Protocol)

    def of(self, network: str, *splits: str) -> Found:
        """The runs of one of the paper's networks on a split, which has one name or two: the release's draw, ours."""
        where = asdict(NETWORKS[network])
        return self._preferred(splits, lambda split: self._rows(where | {"split": split}))

    def draws(self, network: str, *prefixes: str) -> Found:
        """The runs of a network on all splits whose names begin so: other draws of the same kind."""
        rows = self._rows(asdict(NETWORKS[network]))
        return self._preferred(prefixes, lambda prefix: [row for row in rows if row["split"].startswith(prefix)])

    @cached_property
    def search(self) -> "pl.DataFrame":
        """Every architecture of the paper's search on its four experiments, as far as there are runs."""
        return search(self.ledger, self.protocol)

    def _preferred(self, splits: Sequence[str], rows: Callable[[str], list[Row]]) -> Found:
        draws: tuple[Draw | None, ...] = ("release", "own") if len(splits) > 1 else (None,)
        for split, draw in zip(splits, draws, strict=True):
            some = rows(split)
            if some:
                done = tuple(row for row in some if row["status"] == "done")
                return Found(split, draw, done, len(some) - len(done))
        return Found(splits[-1], None)

    def _rows(self, where: Row) -> list[Row]:
        """By seed."""
        protocol = {f"protocol.{name}": value for name, value in asdict(self.protocol).items()}
        rows = self.ledger.rows({"language.name": "scan"} | protocol | where)
        now = [row for row in rows if row["spec"]["semantics"] == SEMANTICS]
        return sorted(now, key=lambda row: (row["split"], row["seed"]))
