"""Curves: accuracy as training goes on, by how many commands it shows, by how many composed commands it shows.

Reads the ledger's metrics and the names of splits; needs no published file.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Any

import polars as pl

from daxlab.analysis.replicates import COLUMNS, Row, Where, entries, measured
from daxlab.datasets import dataset
from daxlab.ledger import Ledger

LEARNING: dict[str, Any] = {"key": str, "seed": int, "update": int}
LEARNING |= dict.fromkeys(("train_accuracy", "test_accuracy", "loss"), float)
OWN = re.compile(r"(?:simple|size-(?P<percent>\d+))(?:-(?P<seed>seed\d+))?")
RELEASE = re.compile(r"release/simple_split/(?:simple|size_variations/simple_p(?P<percent>\d+))")
SIMPLE = 80  # per cent of the commands that the simple split shows
FOLDER = "release/add_prim_split/"


def learning(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """key, seed, update, train_accuracy, test_accuracy (of samples), loss; by seed, empty where not finite.

    A run that failed has a curve up to where it failed; a learner that keeps none has no rows.
    """
    points = []
    lines = ledger.curves({"key": list(keys)})
    for row in sorted(ledger.rows({"key": list(keys)}), key=lambda row: (row["seed"], row["key"])):
        values = zip_longest(*(lines[row["key"]].get(name, []) for name in list(LEARNING)[2:]))
        points += [(row["key"], row["seed"], *point) for point in values if point[0] is not None]
    finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
    return pl.DataFrame(points, LEARNING, orient="row").with_columns(finite)


def by_size(ledger: Ledger, where: Where) -> pl.DataFrame:
    """A row per draw and percentage: percent, train (how many commands), draw, and the runs' accuracies (Experiment 1).

    A draw is "release" (the release's permutation), "own" (daxlab's), or "seed7", another of daxlab's.
    """
    points: dict[tuple[str, int, int], list[float]] = {}
    for row in measured(ledger, where):
        for pattern in (RELEASE, OWN):
            if match := pattern.fullmatch(row["split"]):
                draw = "release" if pattern is RELEASE else match["seed"] or "own"
                percent = int(match["percent"] or SIMPLE)
                train = len(dataset(row["dataset"]).examples()) * percent // 100
                points.setdefault((draw, percent, train), []).append(row["accuracy"])
    rows = [
        {"percent": percent, "train": train, "draw": draw, **entries(accuracies)}
        for (draw, percent, train), accuracies in sorted(points.items())
    ]
    return pl.DataFrame(rows, {"percent": int, "train": int, "draw": str, **COLUMNS}, orient="row")


def by_shots(ledger: Ledger, where: Where, primitive: str = "jump") -> pl.DataFrame:
    """A row per draw ("release" or "own") and number of composed commands of the new primitive (Experiment 3).

    shots, draw, draws (how many), and the runs' accuracies. Every replicate is another draw of these commands, as in
    the paper; runs of the same draw are averaged first, so that mean, standard error and interval are over draws. Both
    curves begin with the split without shots, which is not drawn (draws is empty).
    """
    own, released = re.escape(primitive.replace(" ", "-")), re.escape(re.sub("[ -]", "_", primitive))
    patterns = {
        "own": rf"few-{own}-(\d+)-rep(\d+)",
        "release": rf"{FOLDER}with_additional_examples/addprim_complex_{released}_num(\d+)_rep(\d+)",
    }
    plain: list[float] = []
    points: dict[tuple[str, int], dict[int, list[float]]] = {}  # accuracies by replicate
    for row in measured(ledger, where):
        if re.fullmatch(f"{own}|{FOLDER}addprim_{released}", row["split"]):
            plain.append(row["accuracy"])
        for draw, pattern in patterns.items():
            if match := re.fullmatch(pattern, row["split"]):
                replicates = points.setdefault((draw, int(match[1])), {})
                replicates.setdefault(int(match[2]), []).append(row["accuracy"])
    rows: list[Row] = []
    for draw in sorted({draw for draw, _ in points} or {"own"}):
        rows += [{"shots": 0, "draw": draw, "draws": None, **entries(plain)}] if plain else []
    for (draw, shots), replicates in points.items():
        ordered = [replicates[replicate] for replicate in sorted(replicates)]
        accuracies = [accuracy for runs in ordered for accuracy in runs]
        over_draws = entries([fmean(runs) for runs in ordered])
        every_run = {"runs": len(accuracies), "accuracies": accuracies}
        rows.append({"shots": shots, "draw": draw, "draws": len(replicates), **over_draws, **every_run})
    frame = pl.DataFrame(rows, {"shots": int, "draw": str, "draws": int, **COLUMNS}, orient="row")
    return frame.sort("draw", "shots")
