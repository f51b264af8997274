"""Experiment 3: accuracy by how many composed commands of the new primitive are shown in training.

Every replicate is another draw of these commands, as in the paper. Where a draw was trained with several seeds, its
runs are averaged first: the standard error and the interval are over draws.
"""

import re
from statistics import fmean
from typing import Any

import polars as pl

from daxlab.analysis.protocols import Where, rows
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.store import Ledger

SCHEMA: dict[str, Any] = {"shots": int, "draw": str, "draws": int, **COLUMNS}
Point = tuple[str, int]


def curve(ledger: Ledger, where: Where, primitive: str = "jump") -> pl.DataFrame:
    """A row per number of shots and draw ("release" or "own"): draws (how many), and the accuracies of their runs.

    No shot is the plain split. It is a rule, no draw, and begins either curve.
    """
    points: dict[Point, dict[str, list[float]]] = {}
    for row in rows(ledger, where):
        if row["accuracy"] is not None and (point := _point(row["split"], primitive)):
            points.setdefault(point, {}).setdefault(row["split"], []).append(row["accuracy"])
    plain = points.pop(("rule", 0), None)
    if plain:
        points |= {(draw, 0): plain for draw in {draw for draw, _ in points} or {"own"}}
    return pl.DataFrame([_entry(*point, draws) for point, draws in sorted(points.items())], SCHEMA, orient="row")


def _entry(draw: str, shots: int, draws: dict[str, list[float]]) -> dict[str, Any]:
    if shots == 0:  # one split, however it is called
        draws = {str(n): [one] for n, one in enumerate(one for some in draws.values() for one in some)}
    runs = [one for name in sorted(draws) for one in draws[name]]
    found = entries([fmean(draws[name]) for name in sorted(draws)])
    return {
        "shots": shots,
        "draw": draw,
        "draws": len(draws) if shots else 1,
        **found,
        "runs": len(runs),
        "accuracies": runs,
    }


def _point(name: str, primitive: str) -> Point | None:
    """The kind of draw and the number of shots; None for a split of another kind."""
    dashed = re.escape(primitive.replace(" ", "-"))
    scored = re.escape(re.sub("[ -]", "_", primitive))
    if re.fullmatch(f"{dashed}|release/add_prim_split/addprim_{scored}", name):
        return "rule", 0
    if match := re.fullmatch(rf"few-{dashed}-(\d+)-rep\d+", name):
        return "own", int(match[1])
    released = rf"release/add_prim_split/with_additional_examples/addprim_complex_{scored}_num(\d+)_rep\d+"
    if match := re.fullmatch(released, name):
        return "release", int(match[1])
    return None
