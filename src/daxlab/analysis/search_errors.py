"""Experiments 2 and 3: are errors the network's, or the search's?

A search error is a wrong answer that the network itself holds less likely than the target: greedy decoding missed it.
"""

from collections.abc import Iterable

import polars as pl

from daxlab.analysis.answers import together
from daxlab.runs import Ledger


def search_errors(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per run: key, seed, wrong (answers), search_errors (of these), unended (of these again).

    An answer that never ended is cut off, and judged as if it ended there, which the network holds unlikely: that tells
    little about the search. Runs without likelihoods have no search errors to count, and empty columns.
    """
    missed = ~pl.col("right") & (pl.col("likelihood") > pl.col("own"))
    judged = pl.when(pl.col("own").count() == pl.len())
    frame = together(ledger, keys, ["right", "ended", "own", "likelihood"])
    return frame.group_by("key", "seed", maintain_order=True).agg(
        (~pl.col("right")).sum().cast(int).alias("wrong"),
        judged.then(missed.sum().cast(int)).alias("search_errors"),
        judged.then((missed & ~pl.col("ended")).sum().cast(int)).alias("unended"),
    )
