"""Experiment 1: accuracy by how many commands are shown in training, the sample-complexity curve.

Reads the ledger's metrics and the names of splits; needs no file of the release.
"""

import re
from typing import Any

import polars as pl

from daxlab.analysis.protocols import Where, measured
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.datasets import dataset
from daxlab.runs import Ledger

OWN = re.compile(r"(?:simple|size-(?P<percent>\d+))(?:-(?P<seed>seed\d+))?")
RELEASE = re.compile(r"release/simple_split/(?:simple|size_variations/simple_p(?P<percent>\d+))")
SIMPLE = 80  # per cent of the commands that the simple split shows
SCHEMA: dict[str, Any] = {"percent": int, "train": int, "draw": str, **COLUMNS}


def curve(ledger: Ledger, architecture_where: Where) -> pl.DataFrame:
    """A row per draw and percentage: percent, train (how many commands), draw, and the chosen runs' accuracies.

    A draw is "release" (the release's permutation), "own" (ours), or "seed7", another of ours that was asked for.
    """
    points: dict[tuple[str, int, int], list[float]] = {}
    for row in measured(ledger, architecture_where):
        if drawn := _drawn(row["split"]):
            draw, percent = drawn
            train = len(dataset(row["spec"]["language"]["name"]).examples()) * percent // 100
            points.setdefault((draw, percent, train), []).append(row["accuracy"])
    found = [
        {"percent": percent, "train": train, "draw": draw, **entries(accuracies)}
        for (draw, percent, train), accuracies in sorted(points.items())
    ]
    return pl.DataFrame(found, SCHEMA, orient="row")


def _drawn(split: str) -> tuple[str, int] | None:
    """The draw that a split is from, and its percentage; None for a split of another kind."""
    if match := RELEASE.fullmatch(split):
        return "release", int(match["percent"] or SIMPLE)
    if match := OWN.fullmatch(split):
        return "own" if match["seed"] is None else match["seed"], int(match["percent"] or SIMPLE)
    return None
