"""What goes wrong, for any split: in which templates, action for action, and from where on."""

from collections.abc import Sequence

import polars as pl

from daxlab.analysis.answers import done, of_one_split, together
from daxlab.analysis.clauses import pattern
from daxlab.languages import language
from daxlab.store import Ledger

END = "end"  # where an answer, or its target, has no action any more


def by_template(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """A row per template: template, commands, wrong (mean over runs); the largest share of wrong ones first.

    A template is a clause with U for its verb ("U around right twice"; "turn" and the directions stay): what the
    template splits hold out. A command counts under each template that it has, so under one or two.
    """
    of_one_split(ledger, keys)
    frame = together(ledger, keys, ["command", "right"])
    runs = max(1, frame["key"].n_unique())
    shapes = _templates(ledger, keys, frame["command"].unique())
    return (
        frame.join(shapes, "command")
        .group_by("template")
        .agg((pl.len() // runs).cast(pl.Int64).alias("commands"), ((~pl.col("right")).sum() / runs).alias("wrong"))
        .sort(pl.col("wrong") / pl.col("commands"), "template", descending=[True, False])
    )


def _templates(ledger: Ledger, keys: Sequence[str], commands: pl.Series) -> pl.DataFrame:
    """Each command with each of its templates: command, template."""
    (name,) = {row["spec"]["language"]["name"] for row in done(ledger, keys)} or {"scan"}
    lang = language(name)
    verbs = "|".join(example.command for example in lang.primitives if " " not in example.command)
    clauses = pl.col("command").str.replace_all(pattern(lang), "\n").str.split("\n")
    templates = pl.col("template").str.replace_all(rf"\b(?:{verbs})\b", "U")
    return (
        pl.DataFrame({"command": commands})
        .with_columns(clauses.alias("template"))
        .explode("template")
        .with_columns(templates)
        .unique()
    )


def confusion(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """target, given, count: pairs of actions at the same position of wrong answers; "end" where one has ended."""
    pairs = _aligned(ledger, keys).group_by("target", "given").agg(pl.len().cast(pl.Int64).alias("count"))
    return pairs.sort("target", "given")


def first_wrong(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """position (from 1), count: where wrong answers first depart from their targets, if only by ending there."""
    departing = _aligned(ledger, keys).filter(pl.col("target") != pl.col("given"))
    first = departing.group_by("number").agg(pl.col("position").min())
    return first.group_by("position").agg(pl.len().cast(pl.Int64).alias("count")).sort("position")


def _aligned(ledger: Ledger, keys: Sequence[str]) -> pl.DataFrame:
    """Wrong answers beside their targets, position by position: number (of the answer), position, target, given."""
    wrong = together(ledger, keys, ["target", "answer", "right"]).filter(~pl.col("right")).with_row_index("number")
    sides = [
        wrong.select("number", pl.col(column).alias(name))
        .with_columns(pl.int_ranges(1, pl.col(name).list.len() + 1).alias("position"))
        .explode(name, "position")
        .drop_nulls()
        for column, name in (("target", "target"), ("answer", "given"))
    ]
    joined = sides[0].join(sides[1], on=["number", "position"], how="full", coalesce=True)
    return joined.with_columns(pl.col("target", "given").fill_null(END))
