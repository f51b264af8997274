"""What the paper says of all its SRNs: measured where a ledger has the search over their architectures."""

from math import prod
from typing import Any

import polars as pl

from daxlab.analysis.architectures import shared_seeds
from daxlab.analysis.choosing import filled, table
from daxlab.paper.experiments import simple
from daxlab.paper.measures import DRAWS
from daxlab.paper.parts import Part, part_of
from daxlab.paper.runs import Found, Runs
from daxlab.paper.search import AXES
from daxlab.paper.targets import RUNS, targets

Row = dict[str, Any]


def _searched(attention: bool, runs: Runs) -> tuple[list[Row], str]:
    """Every SRN of the paper's search with its runs, worst first; if one lacks runs, none, and what is lacking."""
    of_these = (pl.col("experiment") == "simple") & (pl.col("cell") == "srn") & (pl.col("attention") == attention)
    found = runs.search.filter(of_these & (pl.col("runs") > 0)).sort("mean", "network").to_dicts()
    whole = prod(len(AXES[name]) for name in ("layers", "hidden", "dropout"))
    if len(found) < whole:
        return [], f"needs the search over architectures: {len(found)} of {whole} architectures are in the ledger"
    return found, ""


def _part(row: Row, **more: Any) -> Part:
    """One architecture's runs."""
    return part_of(row["network"], _found([row]), row["accuracies"], **more)


def _found(rows: list[Row]) -> Found:
    split = rows[0]["split"]
    return Found(split, DRAWS[split == simple(True)], failed=sum(row["failed"] for row in rows))


def srn_best(runs: Runs) -> list[Part]:
    """The best SRN without attention."""
    found, lacking = _searched(False, runs)
    return [_part(found[-1]) if found else Part(note=lacking)]


def srn_mean(runs: Runs) -> list[Part]:
    """Every replicate of the whole search is one value: the mean over architectures.

    A run that failed counts as the mean of its architecture's others.
    """
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    frame = pl.DataFrame(found)
    values = filled(table(frame, shared_seeds(frame["seeds"].to_list()))).mean(axis=0).tolist()
    return [part_of(f"{len(found)} SRNs with attention", _found(found), values)]


def srn_range(runs: Runs) -> list[Part]:
    """The worst and the best architecture, each against its end of the paper's range."""
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    (ends,) = (target.range for target in targets() if target.id == "exp1.srn-attention-range")
    return [_part(row, claim=(end, None, RUNS)) for row, end in zip((found[0], found[-1]), ends or (), strict=True)]
