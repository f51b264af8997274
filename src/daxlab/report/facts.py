"""What sections ask of a ledger again and again: its settings, splits, and the runs of the paper's networks."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from daxlab.analysis.accuracy import settings
from daxlab.analysis.replicates import entries, name_and_protocol
from daxlab.datasets import SentencePairs, dataset
from daxlab.errors import InputError
from daxlab.learners import RNN
from daxlab.paper.comparison import Row as Compared, compare
from daxlab.paper.experiments import NETWORKS, SCAN, TRANSLATOR
from daxlab.paper.runs import Runs
from daxlab.runs import Ledger

Row = Mapping[str, Any]


class Setting(NamedTuple):
    """Runs that differ only in their seeds, or also in their draws where a split has several."""

    network: str
    protocol: str  # what differs from the usual training, if anything
    split: str
    dataset: str
    keys: tuple[str, ...]  # of the runs that are done, by seed


class Facts:
    """A ledger, and what was asked of it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.runs = Runs(ledger)

    @cached_property
    def of_paper(self) -> bool:
        """Whether there are runs of the paper's networks on its data, or no runs at all."""
        names = [name for name in self.ledger.values("dataset") if isinstance(name, str)]
        paper = [name for name in names if name == SCAN or is_sentence_pairs(name)]
        return not self.ledger.count() or bool(self.ledger.count({"learner": RNN.kind, "dataset": paper}))

    @cached_property
    def settings(self) -> pl.DataFrame:
        """Every setting of the ledger with its summary, the best first."""
        return settings(self.ledger).sort("mean", "network", descending=[True, False], nulls_last=True)

    @cached_property
    def compared(self) -> dict[str, Compared]:
        """The comparison with the paper, by id."""
        return {row.id: row for row in compare(self.ledger)}

    def row(self, network: str, *splits: str) -> Row | None:
        """The summary of one of the paper's networks on a split, of the same runs that the comparison takes."""
        runs = self.runs.of(network, *splits)
        if not runs.values():
            return None
        about = {"network": str(NETWORKS[network]), "dataset": SCAN, "split": runs.split, "failed": runs.failed}
        return {**about, **entries(runs.values())}

    @cached_property
    def splits(self) -> dict[tuple[str, str], list[Setting]]:
        """The settings that have runs, by dataset and split (all draws of a kind); without those of Experiment 4."""
        groups: dict[tuple[str, str, str, str], list[Row]] = {}
        for row in sorted(self.ledger.rows({"status": "done"}), key=lambda row: (row["seed"], row["key"])):
            if row["label"] != str(TRANSLATOR) or not is_sentence_pairs(row["dataset"]):
                name, protocol = name_and_protocol(row)
                family = re.sub(r"[-_]rep\d+$", "", row["split"])
                groups.setdefault((row["dataset"], family, name, protocol or ""), []).append(row)
        splits: dict[tuple[str, str], list[Setting]] = {}
        for (data, family, name, protocol), rows in sorted(groups.items()):
            setting = Setting(name, protocol, rows[0]["split"], data, tuple(row["key"] for row in rows))
            splits.setdefault((data, family), []).append(setting)
        return splits


def is_sentence_pairs(name: str) -> bool:
    """Whether a dataset is English-French; False if it is not on this machine and its name does not tell."""
    try:
        return isinstance(dataset(name), SentencePairs)
    except InputError:
        return False


def described(network: str) -> str:
    """One of the paper's networks by its name and by what it is."""
    return f"{network} ({NETWORKS[network]})"


def title_of(data: str, split: str) -> str:
    """A split by its name, and its dataset unless that is SCAN; of a path, the last part."""
    return split if data == SCAN else f"{split} ({Path(data).name})"
