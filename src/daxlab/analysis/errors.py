"""What goes wrong, for any split: in which templates, action for action, and from where on."""

import re
from collections.abc import Iterable

import polars as pl

from daxlab.analysis.answers import done, of_one_split, together
from daxlab.analysis.clauses import clauses
from daxlab.datasets import language
from daxlab.languages import Language
from daxlab.runs import Ledger

END = "end"  # where an answer, or its target, has no action any more
VERB = "U"  # as the grammar calls it


def by_template(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per template: template, commands, wrong (mean over runs); the largest share of wrong ones first.

    A template is a clause with U for its verb ("U around right twice"; "turn" and the directions stay): what the
    template splits hold out. A command counts under each template that it has, so under one or two.
    """
    keys = list(keys)
    of_one_split(ledger, keys)
    names = {row["spec"]["language"]["name"] for row in done(ledger, keys)}
    asked = together(ledger, keys, ["command", "right"])
    runs = asked["key"].n_unique()
    wrong = asked.group_by("command").agg((~pl.col("right")).sum().alias("wrong"))
    lang = language(names.pop() if names else "scan")
    return (
        wrong.select(_templates(lang), "wrong")
        .explode("template")
        .group_by("template")
        .agg(pl.len().cast(int).alias("commands"), pl.col("wrong").sum() / runs)  # whole numbers add up in any order
        .sort(pl.col("wrong") / pl.col("commands"), "template", descending=[True, False])
    )


def _templates(lang: Language) -> pl.Expr:
    """The distinct templates of each command."""
    verbs = "|".join(re.escape(example.command) for example in lang.primitives if " " not in example.command)
    written = pl.col("command").str.replace_all(rf"\b(?:{verbs})\b", VERB) if verbs else pl.col("command")
    return clauses(written, lang).list.unique().alias("template")


def confusion(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """target, given, count: pairs of actions at the same position of wrong answers; "end" where one has ended."""
    pairs = _aligned(ledger, keys).group_by("target", "given").agg(pl.len().cast(int).alias("count"))
    return pairs.sort("target", "given")


def first_wrong(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """position (from 1), count: where wrong answers first depart from their targets, if only by ending there."""
    departing = _aligned(ledger, keys).filter(pl.col("target") != pl.col("given"))
    first = departing.group_by("number").agg(pl.col("position").min())
    return first.group_by("position").agg(pl.len().cast(int).alias("count")).sort("position")


def _aligned(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """Wrong answers beside their targets, position by position: number (of the answer), position, target, given."""
    wrong = together(ledger, keys, ["target", "answer", "right"]).filter(~pl.col("right"))
    sides = {"target": pl.col("target"), "given": pl.col("answer")}
    longest = pl.max_horizontal(*(side.list.len() for side in sides.values()))
    return (
        wrong.with_row_index("number")
        .select(
            "number",
            pl.int_ranges(1, longest + 1).alias("position"),
            *(
                side.list.concat(pl.lit(END).repeat_by(longest - side.list.len())).alias(name)
                for name, side in sides.items()
            ),
        )
        .explode("position", "target", "given")
    )
