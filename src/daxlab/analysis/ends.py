"""Experiment 2: do wrong answers end too early, too late, or at the right place?"""

from collections.abc import Iterable

import polars as pl

from daxlab.analysis.answers import together
from daxlab.runs import Ledger


def ends(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per run: key, seed, wrong; of these early, late, same (shorter than the target, longer, as long); unended.

    An answer that never ended was cut off beyond the longest target of the language, so it is among the late ones.
    """
    wrong, longer = ~pl.col("right"), pl.col("answer").list.len().cast(int) - pl.col("actions")
    counted = {"wrong": wrong, "early": wrong & (longer < 0), "late": wrong & (longer > 0)}
    counted |= {"same": wrong & (longer == 0), "unended": wrong & ~pl.col("ended")}
    frame = together(ledger, keys, ["actions", "answer", "right", "ended"])
    return frame.group_by("key", "seed", maintain_order=True).agg(
        column.sum().cast(int).alias(name) for name, column in counted.items()
    )
