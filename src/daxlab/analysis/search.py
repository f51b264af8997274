"""Experiments 2 and 3: are errors the network's, or the search's?

A search error is a wrong answer that the network itself holds less likely than the target: greedy decoding missed it.
"""

from collections.abc import Sequence

import polars as pl

from daxlab.analysis.answers import together
from daxlab.store import Ledger


def search_errors(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """A row per run: key, seed, wrong (answers), search_errors (of these); empty if it has no likelihoods."""
    missed = ~pl.col("right") & (pl.col("likelihood") > pl.col("own"))
    counted = together(ledger, keys, ["right", "own", "likelihood"]).group_by("key", "seed", maintain_order=True)
    return counted.agg(
        (~pl.col("right")).sum().cast(pl.Int64).alias("wrong"),
        pl.when(pl.col("own").count() == pl.len()).then(missed.sum().cast(pl.Int64)).alias("search_errors"),
    )
