"""Experiment 3: accuracy by how many composed commands of the new primitive are shown in training.

Every replicate is another draw of these commands, as in the paper. Where a draw was trained with several seeds, its
runs are averaged first: mean, standard error and interval are over draws. Reads the ledger's metrics and the names of
splits; needs no file of the release.
"""

import re
from statistics import fmean
from typing import Any, NamedTuple

import polars as pl

from daxlab.analysis.protocols import Where, measured
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.runs import Ledger

SCHEMA: dict[str, Any] = {"shots": int, "draw": str, "draws": int, **COLUMNS}
Units = dict[Any, list[float]]  # accuracies of the runs of a draw, by its replicate; of a rule, each run is its own


class Drawn(NamedTuple):
    """What the name of a split says."""

    draw: str
    shots: int
    replicate: int


def curve(ledger: Ledger, architecture_where: Where, primitive: str = "jump") -> pl.DataFrame:
    """A row per draw ("release" or "own") and number of shots: shots, draw, draws (how many), and the runs' accuracies.

    No shot is the plain split. It is a rule, not drawn (draws is empty), and begins either curve.
    """
    points: dict[tuple[str, int], Units] = {}
    for row in measured(ledger, architecture_where):
        if drawn := _drawn(row["split"], primitive):
            unit = drawn.replicate if drawn.shots else row["key"]
            points.setdefault(drawn[:2], {}).setdefault(unit, []).append(row["accuracy"])
    plain = points.pop(("rule", 0), None)
    if plain:
        points |= {(draw, 0): plain for draw in {draw for draw, _ in points} or {"own"}}
    found = [_entry(draw, shots, units) for (draw, shots), units in sorted(points.items(), key=lambda point: point[0])]
    return pl.DataFrame(found, SCHEMA, orient="row")


def _entry(draw: str, shots: int, units: Units) -> dict[str, Any]:
    ordered = [units[name] for name in (sorted(units) if shots else units)]
    accuracies = [one for unit in ordered for one in unit]
    over_units = entries([fmean(unit) for unit in ordered])
    every_run = {"runs": len(accuracies), "accuracies": accuracies}
    return {"shots": shots, "draw": draw, "draws": len(units) if shots else None, **over_units, **every_run}


def _drawn(split: str, primitive: str) -> Drawn | None:
    """None for a split of another kind, or with another primitive."""
    ours = re.escape(primitive.replace(" ", "-"))
    theirs = re.escape(re.sub("[ -]", "_", primitive))
    folder = "release/add_prim_split/"
    if re.fullmatch(f"{ours}|{folder}addprim_{theirs}", split):
        return Drawn("rule", 0, 0)
    own = rf"few-{ours}-(\d+)-rep(\d+)"
    release = rf"{folder}with_additional_examples/addprim_complex_{theirs}_num(\d+)_rep(\d+)"
    for draw, pattern in (("own", own), ("release", release)):
        if match := re.fullmatch(pattern, split):
            return Drawn(draw, int(match[1]), int(match[2]))
    return None
