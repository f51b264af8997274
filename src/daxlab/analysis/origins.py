"""Where the runs of a ledger were made, with which versions, and how long they took. Knows nothing of results."""

from typing import Any

import polars as pl

from daxlab.runs import Ledger

DEVICE = ("device", "platform")
VERSIONS = ("daxlab", "python", "jax", "jaxlib", "equinox", "numpy")
SCHEMA: dict[str, Any] = dict.fromkeys((*DEVICE, *VERSIONS), str) | {"status": str, "seconds": float}


def devices(ledger: Ledger) -> pl.DataFrame:
    """A row per device: device, platform, runs, failed, seconds (of training, each run by its share of its group)."""
    return _over(ledger, DEVICE).drop("untimed").sort("seconds", descending=True)


def versions(ledger: Ledger) -> pl.DataFrame:
    """A row per combination of versions: device, platform, daxlab, python, jax, …, runs, failed, seconds."""
    return _over(ledger, (*DEVICE, *VERSIONS)).drop("untimed").sort(*DEVICE, *VERSIONS, nulls_last=True)


def untimed(ledger: Ledger) -> int:
    """How many runs have no recorded time."""
    return int(_over(ledger, ())["untimed"].sum())


def _over(ledger: Ledger, columns: tuple[str, ...]) -> pl.DataFrame:
    rows = [
        [*(_text(row["origin"].get(name)) for name in (*DEVICE, *VERSIONS)), row["status"], row["seconds"]]
        for row in ledger.each_row()
    ]
    counts = (
        pl.len().cast(pl.Int64).alias("runs"),
        (pl.col("status") == "failed").sum().cast(pl.Int64).alias("failed"),
        pl.col("seconds").sum(),
        pl.col("seconds").is_null().sum().cast(pl.Int64).alias("untimed"),
    )
    frame = pl.DataFrame(rows, SCHEMA, orient="row")
    return frame.group_by(columns, maintain_order=True).agg(*counts) if columns else frame.select(*counts)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
