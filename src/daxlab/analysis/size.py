"""Experiment 1: accuracy by how many commands are shown in training, the sample-complexity curve."""

import re
from typing import Any

import polars as pl

from daxlab.analysis.protocols import Where, rows
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.corpora import split
from daxlab.store import Ledger

OWN = re.compile(r"(?:simple|size-(?P<percent>\d+))(?:-(?P<seed>seed\d+))?")
RELEASE = re.compile(r"release/simple_split/(?:simple|size_variations/simple_p(?P<percent>\d+))")
SIMPLE = 80  # per cent of the commands that the simple split shows
SCHEMA: dict[str, Any] = {"percent": int, "train": int, "draw": str, **COLUMNS}


def curve(ledger: Ledger, where: Where) -> pl.DataFrame:
    """A row per percentage and draw: its training commands, and the accuracies of the networks that `where` chooses.

    A draw is "release" (the release's permutation), "own" (ours), or "seed7", one of ours that was asked for.
    """
    points: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows(ledger, where):
        if row["accuracy"] is not None and (point := _point(row["split"])):
            points.setdefault(point, []).append(row)
    found = [
        {"percent": percent, "train": _train(runs[0]), "draw": draw, **entries([row["accuracy"] for row in runs])}
        for (draw, percent), runs in sorted(points.items())
    ]
    return pl.DataFrame(found, SCHEMA, orient="row")


def _point(name: str) -> tuple[str, int] | None:
    """The draw that a split is from, and its percentage; None for a split of another kind."""
    if match := RELEASE.fullmatch(name):
        return "release", int(match["percent"] or SIMPLE)
    if match := OWN.fullmatch(name):
        return ("own" if match["seed"] in (None, "seed0") else match["seed"]), int(match["percent"] or SIMPLE)
    return None


def _train(row: dict[str, Any]) -> int:
    return len(split(row["split"], row["spec"]["language"]["name"]).train)
