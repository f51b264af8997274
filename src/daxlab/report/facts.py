"""What sections ask of a ledger again and again: its settings, the comparison, the runs of the paper's networks."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl

from daxlab.analysis.accuracy import settings
from daxlab.analysis.replicates import entries
from daxlab.datasets import SentencePairs, dataset
from daxlab.errors import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.paper.claims import Claimed, claims
from daxlab.paper.comparison import Row as Compared, compare
from daxlab.paper.experiments import BEST, NETWORKS, SCAN
from daxlab.paper.leaderboard import Entry, leaderboard
from daxlab.paper.runs import Runs

Row = Mapping[str, Any]
NAMES = {network: f"the best on {split}" for split, network in BEST.items()}


class Facts:
    """A ledger, and what was asked of it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.runs = Runs(ledger)

    @cached_property
    def pairs(self) -> list[str]:
        """The ledger's datasets of English-French."""
        return [name for name in self.ledger.values("dataset") if isinstance(name, str) and _is_sentence_pairs(name)]

    @cached_property
    def of_paper(self) -> bool:
        """Whether there are runs of the paper's networks on its data, or no runs at all."""
        paper = {"learner": RNN.kind, "dataset": [SCAN, *self.pairs]}
        return not self.ledger.count() or bool(self.ledger.count(paper))

    @cached_property
    def settings(self) -> pl.DataFrame:
        """Every setting of the ledger with its summary, the best first."""
        return settings(self.ledger).sort("mean", "network", descending=[True, False], nulls_last=True)

    @cached_property
    def compared(self) -> dict[str, Compared]:
        """The comparison with the paper, by id."""
        return {row.id: row for row in compare(self.ledger)}

    @cached_property
    def leaderboard(self) -> list[Entry]:
        """Every learner on the splits of the leaderboard."""
        return leaderboard(self.ledger)

    @cached_property
    def claims(self) -> list[Claimed]:
        """The paper's claims, and whether they hold."""
        return claims(self.runs)

    def row(self, network: str, *splits: str) -> Row | None:
        """The summary of one of the paper's networks on a split, of the same runs that the comparison takes."""
        runs = self.runs.of(network, *splits)
        if not runs.values():
            return None
        about = {"network": str(NETWORKS[network]), "dataset": SCAN, "split": runs.split, "failed": runs.failed}
        return {**about, **entries(runs.values())}


def _is_sentence_pairs(name: str) -> bool:
    """Whether a dataset is English-French; False if it is not on this machine and its name does not tell."""
    try:
        return isinstance(dataset(name), SentencePairs)
    except InputError:
        return False


def network_name(network: str) -> str:
    """What one of the paper's networks is called: "overall-best", or what it is the best on."""
    return NAMES.get(network, network)


def described(network: str) -> str:
    """One of the paper's networks by its name and by what it is."""
    return f"{network_name(network)} ({NETWORKS[network]})"
