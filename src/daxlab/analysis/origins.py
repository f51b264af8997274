"""Where the runs of a ledger were made, with which versions, and how long they took. Knows nothing of results."""

from typing import Any

import polars as pl

from daxlab.ledger import Ledger

DEVICE = ("device", "platform")
VERSIONS = ("daxlab", "python", "jax", "jaxlib", "equinox", "numpy")
COUNTS = ("runs", "failed", "untimed", "seconds")


def versions(ledger: Ledger) -> pl.DataFrame:
    """A row per device and combination of versions: device, platform, daxlab, python, jax, …, and counts.

    The counts: runs, failed, untimed (how many have no recorded time), seconds (of training, each run by its share of
    its group).
    """
    columns = (*DEVICE, *VERSIONS)
    rows = [
        [*(row["origin"].get(name) for name in columns), row["status"] == "failed", row["seconds"]]
        for row in ledger.each_row()
    ]
    schema: dict[str, Any] = {**dict.fromkeys(columns, str), "failed": bool, "seconds": float}
    frame = pl.DataFrame(rows, schema, orient="row", strict=False).with_columns(
        pl.lit(1).alias("runs"), pl.col("seconds").is_null().alias("untimed")
    )
    return frame.group_by(columns).agg(pl.col(COUNTS).sum()).sort(columns, nulls_last=True)


def devices(versions: pl.DataFrame) -> pl.DataFrame:
    """The same counts by device and platform, the one with most seconds first."""
    return versions.group_by(DEVICE, maintain_order=True).agg(pl.col(COUNTS).sum()).sort("seconds", descending=True)
