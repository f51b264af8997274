"""Experiment 2: accuracy by the length of the action sequence, or of the command."""

from collections.abc import Iterable
from typing import Any, Literal

import polars as pl

from daxlab.analysis.answers import of_one_split, together
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.runs import Ledger

SCHEMA: dict[str, Any] = {"length": int, "commands": int, **COLUMNS}


def by_length(
    ledger: Ledger, keys: Iterable[str], by: Literal["actions", "words"] = "actions", oracle: bool = False
) -> pl.DataFrame:
    """A row per length attested in the test set: its commands, and the runs' accuracies on them.

    A length is the target's in actions, or the command's in words. With `oracle`, answers of the right length count.
    """
    keys = list(keys)
    of_one_split(ledger, keys)
    right = "oracle_right" if oracle else "right"
    per_run = (
        together(ledger, keys, [by, right])
        .drop_nulls(right)
        .group_by("key", "seed", by)
        .agg(pl.len().alias("commands"), (100 * pl.col(right).mean()).alias("accuracy"))
        .sort("seed", "key")
    )
    per_length = per_run.group_by(by, maintain_order=True).agg(pl.col("commands").first(), "accuracy").sort(by)
    found = [{"length": n, "commands": count, **entries(rates)} for n, count, rates in per_length.iter_rows()]
    return pl.DataFrame(found, SCHEMA, orient="row")
