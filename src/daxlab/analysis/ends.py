"""Experiment 2: do wrong answers end too early, too late, or at the right place?"""

from collections.abc import Sequence

import polars as pl

from daxlab.analysis.answers import together
from daxlab.store import Ledger


def ends(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """A row per run: key, seed, wrong, and of these early, late, same: shorter than the target, longer, as long.

    An answer that never ended was cut off beyond the longest target of the language, so it is late.
    """
    wrong, longer = ~pl.col("right"), pl.col("answer").list.len().cast(pl.Int64) - pl.col("actions")
    counts = {
        "wrong": wrong,
        "early": wrong & (longer < 0),
        "late": wrong & (longer > 0),
        "same": wrong & (longer == 0),
    }
    frame = together(ledger, keys, ["actions", "answer", "right"])
    return frame.group_by("key", "seed", maintain_order=True).agg(
        count.sum().cast(pl.Int64).alias(name) for name, count in counts.items()
    )
