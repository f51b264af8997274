"""Experiment 3: in which constructions with the new primitive a run errs, and which composed commands it gets right."""

import polars as pl

from daxlab.analysis.answers import answers, runs
from daxlab.analysis.clauses import clauses
from daxlab.datasets import language
from daxlab.runs import Ledger

BOTH = " + "  # between the clauses of a command that has the primitive in more than one
ALONE, JOINED = "alone", "in a conjunction"


def errors_by_construction(ledger: Ledger, key: str, primitive: str) -> pl.DataFrame:
    """A row per construction: construction, place, commands, wrong; most wrong first.

    A construction is the clause that holds the primitive's words side by side ("turn left thrice"), or both clauses,
    sorted ("turn left + turn left thrice"); its place is "alone" or "in a conjunction". Other commands are left out.
    """
    (row,) = runs(ledger, [key])
    parts = clauses(pl.col("command"), language(row["spec"]["language"]["name"]))
    words = f" {primitive.replace('-', ' ')} "  # "turn-left" is how the split is called
    holding = pl.element().filter((" " + pl.element() + " ").str.contains(words, literal=True))
    return (
        answers(ledger, key)
        .select(
            parts.list.eval(holding).list.sort().list.join(BOTH).alias("construction"),
            pl.when(parts.list.len() > 1).then(pl.lit(JOINED)).otherwise(pl.lit(ALONE)).alias("place"),
            "right",
        )
        .filter(pl.col("construction") != "")
        .group_by("construction", "place")
        .agg(pl.len().cast(int).alias("commands"), (~pl.col("right")).sum().cast(int).alias("wrong"))
        .sort("wrong", "construction", "place", descending=[True, False, False])
    )


def composed_right(ledger: Ledger, key: str) -> list[str]:
    """The test commands that a run answers right, in the split's order."""
    return answers(ledger, key).filter("right")["command"].to_list()
