"""What the paper says of all its SRNs: measured where a ledger has the search over their architectures."""

from math import prod
from statistics import fmean
from typing import Any

import numpy as np
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
    """The SRNs of the paper's search that have runs, worst first; and what is lacking, if any has none."""
    of_these = (pl.col("experiment") == "simple") & (pl.col("cell") == "srn") & (pl.col("attention") == attention)
    found = runs.search.filter(of_these & (pl.col("runs") > 0)).sort("mean", "network").to_dicts()
    whole = prod(len(AXES[name]) for name in ("layers", "hidden", "dropout"))
    lacking = f"so far of {len(found)} of {whole} architectures in the ledger; the others need the search"
    return found, "" if len(found) == whole else lacking


def _so_far(found: list[Row], values: list[float], note: str) -> Part:
    """Of a part of the architectures a figure is shown, and not held against the paper's."""
    if not found:
        return Part(note=note)
    about = _found(found)
    return Part(None, about.split, about.draw, ours=values, shown=" to ".join(f"{v:.2f}" for v in values), note=note)


def _part(row: Row, **more: Any) -> Part:
    """One architecture's runs."""
    return part_of(row["network"], _found([row]), row["accuracies"], **more)


def _found(rows: list[Row]) -> Found:
    split = rows[0]["split"]
    return Found(split, DRAWS[split == simple(True)], failed=sum(row["failed"] for row in rows))


def srn_best(runs: Runs) -> list[Part]:
    """The best SRN without attention."""
    found, lacking = _searched(False, runs)
    return [_so_far(found, [row["mean"] for row in found[-1:]], lacking) if lacking else _part(found[-1])]


def srn_mean(runs: Runs) -> list[Part]:
    """Every replicate of the whole search is one value: the mean over architectures.

    A run that failed counts as the mean of its architecture's others.
    """
    found, lacking = _searched(True, runs)
    if lacking:
        return [_so_far(found, [fmean(row["mean"] for row in found)] if found else [], lacking)]
    frame = pl.DataFrame(found)
    values = table(frame, shared_seeds(frame["seeds"].to_list()))
    if without := int(np.isnan(values).all(axis=1).sum()):
        note = f"{without} of {len(found)} architectures have none of the seeds that most of them share"
        return [_so_far(found, [fmean(row["mean"] for row in found)], note)]
    return [part_of(f"{len(found)} SRNs with attention", _found(found), filled(values).mean(axis=0).tolist())]


def srn_range(runs: Runs) -> list[Part]:
    """The worst and the best architecture, each against its end of the paper's range."""
    found, lacking = _searched(True, runs)
    if lacking:
        return [_so_far(found, [row["mean"] for row in (*found[:1], *found[-1:])], lacking)]
    (ends,) = (target.range for target in targets() if target.id == "exp1.srn-attention-range")
    return [_part(row, claim=(end, None, RUNS)) for row, end in zip((found[0], found[-1]), ends or (), strict=True)]
