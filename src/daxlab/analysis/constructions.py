"""Experiment 3: in which constructions with the new primitive a run errs, and which composed commands it gets right."""

import polars as pl

from daxlab.analysis.answers import answers
from daxlab.analysis.clauses import pattern
from daxlab.languages import language
from daxlab.store import Ledger

BOTH = " + "  # between the clauses of a command that has the primitive in more than one


def errors_by_construction(ledger: Ledger, key: str, primitive: str) -> pl.DataFrame:
    """A row per construction: construction, place, commands, wrong; most wrong first.

    A construction is the clause that holds the primitive's words side by side ("turn left thrice"), or both clauses,
    sorted ("turn left + turn left thrice"); its place is "alone" or "in a conjunction". Other commands are left out.
    """
    (row,) = ledger.rows({"key": key}) or [{"spec": {"language": {"name": "scan"}}}]
    words = primitive.replace("-", " ")  # as in the name of the split
    joint = pattern(language(row["spec"]["language"]["name"]))
    clauses = pl.col("command").str.replace_all(joint, "\n").str.split("\n")
    holding = pl.element().filter((pl.lit(" ") + pl.element() + " ").str.contains(f" {words} ", literal=True))
    return (
        answers(ledger, key)
        .select("command", "right", clauses.alias("clauses"))
        .select(
            pl.col("clauses").list.eval(holding).list.sort().list.join(BOTH).alias("construction"),
            pl.when(pl.col("clauses").list.len() > 1)
            .then(pl.lit("in a conjunction"))
            .otherwise(pl.lit("alone"))
            .alias("place"),
            "right",
        )
        .filter(pl.col("construction") != "")
        .group_by("construction", "place")
        .agg(pl.len().cast(pl.Int64).alias("commands"), (~pl.col("right")).sum().cast(pl.Int64).alias("wrong"))
        .sort("wrong", "construction", "place", descending=[True, False, False])
    )


def composed_right(ledger: Ledger, key: str) -> list[str]:
    """The test commands that a run answers right, in the split's order."""
    return answers(ledger, key).filter("right")["command"].to_list()
