"""Learning curves of runs, side by side. A run that failed has one too, up to where it failed."""

from collections.abc import Sequence
from itertools import zip_longest
from math import isfinite
from typing import Any

import polars as pl

from daxlab.runs import Ledger

LINES = ("update", "train_accuracy", "test_accuracy", "loss")
SCHEMA: dict[str, Any] = {"key": str, "seed": int, "update": int, **dict.fromkeys(LINES[1:], float)}


def curves(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """key, seed, update, train_accuracy, test_accuracy (of samples), loss; by seed, empty where not finite."""
    found = []
    lines = ledger.curves({"key": list(keys)})
    for row in sorted(ledger.rows({"key": list(keys)}), key=lambda row: (row["seed"], row["key"])):
        points = zip_longest(*(lines[row["key"]].get(name, []) for name in LINES))
        found += [(row["key"], row["seed"], *map(_number, point)) for point in points if point[0] is not None]
    return pl.DataFrame(found, SCHEMA, orient="row")


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
