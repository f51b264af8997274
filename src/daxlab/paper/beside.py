"""What stands beside a learner on a split of SCAN: the paper's networks as ledgers have them, and published figures.

Each says what the system was told and how its protocol differs from the paper's.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from daxlab.analysis.replicates import summary
from daxlab.ledger import Ledger
from daxlab.paper.experiments import BEST, FEW, NETWORKS, OVERALL, SPLITS
from daxlab.paper.published import on
from daxlab.paper.runs import Runs

Row = dict[str, Any]


def beside(split: str, ledgers: Mapping[str, Ledger]) -> list[Row]:
    """A row for each system: the paper's networks in the first ledger that has runs of them; then published figures,
    the best first.

    `ledgers` by the name of their source. The columns: system, split, mean, low, high, spread, spread_kind, runs, told,
    protocol, same_protocol, source, status ("measured", or that of published.py), note.
    """
    measured = [row for network in dict.fromkeys(networks(split)) if (row := _measured(network, split, ledgers))]
    published = [figure.as_dict() | {"low": None, "high": None} for figure in on(split)]
    return [*measured, *published]


def networks(split: str) -> Iterator[str]:
    """The paper's overall best network, and the one that it chose for this split."""
    yield OVERALL
    if split.startswith("few-jump-"):
        yield FEW
    yield from (BEST[name] for name, names in SPLITS.items() if split in names)


def _measured(network: str, split: str, ledgers: Mapping[str, Ledger]) -> Row | None:
    """One of the paper's networks on a split; where that was drawn at random, on the other draw if need be."""
    draws = next((names for names in SPLITS.values() if split in names), ())
    for name, ledger in ledgers.items():
        runs = Runs(ledger).of(network, *dict.fromkeys((split, *draws)))
        if values := runs.values():
            ends = {name: summary(values)[name] for name in ("mean", "low", "high")}
            about = {"system": f"{network}: {NETWORKS[network]}", "split": runs.split, **ends, "runs": len(values)}
            protocol = "" if network == OVERALL else "the best of 180 architectures for each experiment"
            same = {"told": "nothing", "protocol": protocol, "same_protocol": not protocol}
            empty = dict.fromkeys(("spread", "spread_kind"))
            return {**about, **empty, **same, "source": name, "status": "measured", "note": ""}
    return None
