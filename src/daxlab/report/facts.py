"""What the sections ask of the ledger again and again: which runs a network has on a split, and their summary.

The paper's experiments look at runs by the paper's protocol, in SCAN; the last part of the page looks at all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import polars as pl

from daxlab.analysis.accuracy import network_text, networks
from daxlab.analysis.protocols import differing
from daxlab.analysis.replicates import entries, summary
from daxlab.datasets import SentencePairs, dataset
from daxlab.errors import InputError
from daxlab.paper.comparison import Row as Compared
from daxlab.paper.comparison import compare_runs
from daxlab.paper.experiments import NETWORKS
from daxlab.paper.runs import Runs
from daxlab.runs import Ledger

Row = Mapping[str, Any]
SCAN = "scan"
MOST_NETWORKS = 12  # that are shown closely on one split; of more, the paper's and the best


@dataclass(frozen=True)
class Setting:
    """Runs that differ in their seeds alone, or in their draws too where a split has several."""

    network: str
    attention: bool
    split: str
    language: str
    protocol: str | None
    """What differs from the paper's."""
    keys: tuple[str, ...]
    """Of the runs that are done, by seed."""

    @property
    def title(self) -> str:
        """The network, and how else it was trained."""
        return f"{self.network} ({self.protocol})" if self.protocol else self.network


class Facts:
    """A ledger, and what was asked of it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.runs = Runs(ledger)

    @cached_property
    def networks(self) -> pl.DataFrame:
        """Every setting of the ledger with its summary."""
        return networks(self.ledger)

    @cached_property
    def compared(self) -> dict[str, Compared]:
        """The comparison with the paper, by id."""
        return {row.id: row for row in compare_runs(self.runs)}

    def row(self, network: str, *splits: str) -> Row | None:
        """The summary of one of the paper's networks on a split, of the same runs that the comparison takes."""
        found = self.runs.of(network, *splits)
        if not found.values():
            return None
        about = {"network": str(NETWORKS[network]), **asdict(NETWORKS[network]), "language": SCAN}
        about |= {"split": found.split, "protocol": None, "failed": found.failed}
        means = {f"{part}_mean": summary(found.values(f"{part}_accuracy")).mean for part in ("train", "oracle")}
        return {**about, **entries(found.values()), **means}

    def keys(self, network: str, split: str) -> list[str]:
        """The runs behind `row`."""
        return self.runs.of(network, split).keys

    @cached_property
    def splits(self) -> dict[str, list[Setting]]:
        """Every split, or family of draws, with the settings that have done runs on it."""
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in sorted(self.ledger.rows({"status": "done"}), key=lambda row: (row["seed"], row["key"])):
            spec = row["spec"]
            if is_sentence_pairs(spec["language"]["name"]):  # has no templates; experiment4.py looks at it
                continue
            protocol = differing(spec) or ""
            place = (family(row["split"]), spec["language"]["name"], network_text(spec["network"]), protocol)
            found.setdefault(place, []).append(row)
        splits: dict[str, list[Setting]] = {}
        for (split, language, network, protocol), runs in sorted(found.items()):
            title = split if language == SCAN else f"{split} ({language})"
            attention = bool(runs[0]["attention"])
            keys = tuple(row["key"] for row in runs)
            one = Setting(network, attention, runs[0]["split"], language, protocol or None, keys)
            splits.setdefault(title, []).append(one)
        return splits


def is_sentence_pairs(name: str) -> bool:
    """Whether a dataset is English-French; False if it is not on this machine and its name does not tell."""
    try:
        return isinstance(dataset(name), SentencePairs)
    except InputError:
        return False


def closely(networks: Sequence[str], best: Sequence[str]) -> set[str]:
    """Which of the networks on a split are shown closely: all, or of many the paper's and the first of the best."""
    if len(set(networks)) <= MOST_NETWORKS:
        return set(networks)
    papers = [str(network) for network in NETWORKS.values() if str(network) in set(networks)]
    others = [network for network in best if network not in papers]
    return {*papers, *others[: max(MOST_NETWORKS - len(papers), 0)]}


def where(network: str) -> dict[str, Any]:
    """What chooses the runs of one of the paper's networks."""
    return asdict(NETWORKS[network]) | {"language.name": SCAN}


def described(network: str) -> str:
    """One of the paper's networks by its name and by what it is."""
    return f"{network} ({NETWORKS[network]})"


def family(split: str) -> str:
    """A split's name without the number of its replicate: draws of one kind are looked at together."""
    return re.sub(r"[-_]rep\d+$", "", split)
