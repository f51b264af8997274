"""Where the runs of a ledger were made, with which versions, and how long they took. Knows nothing of results."""

from typing import Any

import polars as pl

from daxlab.runs import Ledger

DEVICE = ("device", "platform")
VERSIONS = ("daxlab", "python", "jax", "jaxlib", "equinox", "numpy")


def devices(ledger: Ledger) -> pl.DataFrame:
    """A row per device: device, platform, runs, failed, seconds (of training, each run by its share of its group)."""
    return _over(ledger, *DEVICE).sort("seconds", descending=True)


def versions(ledger: Ledger) -> pl.DataFrame:
    """A row per combination of versions: device, platform, daxlab, python, jax, …, runs, failed, seconds."""
    return _over(ledger, *DEVICE, *VERSIONS).sort(*DEVICE, *VERSIONS, nulls_last=True)


def untimed(ledger: Ledger) -> int:
    """How many runs have no recorded time."""
    return sum(row["seconds"] is None for row in ledger.each_row())


def _over(ledger: Ledger, *columns: str) -> pl.DataFrame:
    """The runs, how many failed, and their seconds, for each combination of these columns."""
    rows = [
        [*(row["origin"].get(name) for name in columns), row["status"] == "failed", row["seconds"]]
        for row in ledger.each_row()
    ]
    schema: dict[str, Any] = {**dict.fromkeys(columns, str), "failed": bool, "seconds": float}
    frame = pl.DataFrame(rows, schema, orient="row", strict=False)
    counts = (pl.len().cast(pl.Int64).alias("runs"), pl.col("failed").sum().cast(pl.Int64), pl.col("seconds").sum())
    return frame.group_by(columns, maintain_order=True).agg(*counts)
