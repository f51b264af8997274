"""What goes wrong, for any split: by length, category, template and construction, action for action, and why."""

import re
from collections.abc import Iterable
from typing import Literal

import polars as pl

from daxlab.analysis.answers import SCHEMA, answers, done, of_one_split, runs, together
from daxlab.analysis.parts import clauses, grammar_of
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.ledger import Ledger

END = "end"  # where an answer, or its target, has no action any more


# -- accuracy by what is asked


def by_length(
    ledger: Ledger, keys: Iterable[str], by: Literal["actions", "words"] = "actions", oracle: bool = False
) -> pl.DataFrame:
    """A row per length in the test set: length, commands, and the runs' accuracies on them (Experiment 2).

    A length is the target's in actions, or the command's in words. With `oracle`, answers of the right length count.
    """
    return _by(ledger, keys, by, "oracle_right" if oracle else "right").rename({by: "length"})


def by_category(ledger: Ledger, keys: Iterable[str], test: str | None = None) -> pl.DataFrame:
    """A row per category of a test set: category, commands, and the runs' accuracies on them.

    The test set is the main one, or a further one by name. Empty if its examples have no categories.
    """
    return _by(ledger, keys, "category", "right", test).filter(pl.col("category") != "")


def _by(ledger: Ledger, keys: Iterable[str], column: str, right: str, test: str | None = None) -> pl.DataFrame:
    """The runs' accuracies by the values of a column of the answers."""
    keys = list(keys)
    of_one_split(ledger, keys)
    frame = together(ledger, keys, [column, right], test)
    per_run = (
        frame.drop_nulls(right)
        .group_by("key", "seed", column)
        .agg(pl.len().alias("commands"), (100 * pl.col(right).mean()).alias("accuracy"))
        .sort("seed", "key")
    )
    per_value = per_run.group_by(column, maintain_order=True).agg(pl.col("commands").first(), "accuracy").sort(column)
    rows = [{column: value, "commands": count, **entries(rates)} for value, count, rates in per_value.iter_rows()]
    return pl.DataFrame(rows, {column: SCHEMA[column], "commands": int, **COLUMNS}, orient="row")


def by_template(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per template: template, commands, wrong (mean over runs); the largest share of wrong answers first.

    A template is a clause with U for its verb ("U around right twice"; "turn" and the directions stay): what the
    template splits hold out. A command counts under each template that it has, so under one or two. Needs a grammar.
    """
    keys = list(keys)
    of_one_split(ledger, keys)
    language = grammar_of(next((row["dataset"] for row in done(ledger, keys)), "scan"))
    verbs = "|".join(re.escape(example.command) for example in language.primitives if " " not in example.command)
    written = pl.col("command").str.replace_all(rf"\b(?:{verbs})\b", "U") if verbs else pl.col("command")
    frame = together(ledger, keys, ["command", "right"])
    wrong = frame.group_by("command").agg((~pl.col("right")).sum().alias("wrong"))
    share = pl.col("wrong").sum() / frame["key"].n_unique()  # whole numbers add up in any order
    return (
        wrong.select(clauses(written, language).list.unique().alias("template"), "wrong")
        .explode("template")
        .group_by("template")
        .agg(pl.len().cast(int).alias("commands"), share)
        .sort(pl.col("wrong") / pl.col("commands"), "template", descending=[True, False])
    )


def errors_by_construction(ledger: Ledger, key: str, primitive: str) -> pl.DataFrame:
    """A row per construction: construction, place, commands, wrong; most wrong first (Experiment 3).

    A construction is the clause that holds the primitive's words side by side ("turn left thrice"), or both clauses,
    sorted ("turn left + turn left thrice"); its place is "alone" or "in a conjunction". Other commands are left out.
    Needs a grammar.
    """
    (row,) = runs(ledger, [key])
    parts = clauses(pl.col("command"), grammar_of(row["dataset"]))
    words = f" {primitive.replace('-', ' ')} "  # the split is called "turn-left"
    holding = pl.element().filter((" " + pl.element() + " ").str.contains(words, literal=True))
    return (
        answers(ledger, key)
        .select(
            parts.list.eval(holding).list.sort().list.join(" + ").alias("construction"),
            pl.when(parts.list.len() > 1).then(pl.lit("in a conjunction")).otherwise(pl.lit("alone")).alias("place"),
            "right",
        )
        .filter(pl.col("construction") != "")
        .group_by("construction", "place")
        .agg(pl.len().cast(int).alias("commands"), (~pl.col("right")).sum().cast(int).alias("wrong"))
        .sort("wrong", "construction", "place", descending=[True, False, False])
    )


# -- how answers are wrong


def confusion(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """target, given, count: pairs of actions at the same position of wrong answers; "end" where one has ended."""
    pairs = _aligned(ledger, keys).group_by("target", "given")
    return pairs.agg(pl.len().cast(int).alias("count")).sort("target", "given")


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
    padded = [
        side.list.concat(pl.lit(END).repeat_by(longest - side.list.len())).alias(name) for name, side in sides.items()
    ]
    positions = pl.int_ranges(1, longest + 1).alias("position")
    return wrong.with_row_index("number").select("number", positions, *padded).explode("position", *sides)


def ends(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per run: key, seed, wrong; of these early, late, same (shorter than the target, longer, as long); unended.

    An answer that never ended was cut off beyond the longest target, so it is among the late ones (Experiment 2).
    """
    wrong, longer = ~pl.col("right"), pl.col("answer").list.len().cast(int) - pl.col("actions")
    counts = {"wrong": wrong, "early": wrong & (longer < 0), "late": wrong & (longer > 0)}
    counts |= {"same": wrong & (longer == 0), "unended": wrong & ~pl.col("ended")}
    frame = together(ledger, keys, ["actions", "answer", "right", "ended"])
    return frame.group_by("key", "seed", maintain_order=True).agg(
        column.sum().cast(int).alias(name) for name, column in counts.items()
    )


def search_errors(ledger: Ledger, keys: Iterable[str]) -> pl.DataFrame:
    """A row per run: key, seed, commands, wrong (answers), search_errors (of these), unended (of these again).

    A search error is a wrong answer that the network itself finds less likely than the target, which greedy decoding
    missed (Experiments 2 and 3). An answer that was cut off is judged as if it ended there, which the network finds
    unlikely, so it tells little about the search. Runs without likelihoods have empty columns.
    """
    missed = ~pl.col("right") & (pl.col("likelihood") > pl.col("own"))
    judged = pl.when(pl.col("own").count() == pl.len())
    frame = together(ledger, keys, ["right", "ended", "own", "likelihood"])
    return frame.group_by("key", "seed", maintain_order=True).agg(
        pl.len().cast(int).alias("commands"),
        (~pl.col("right")).sum().cast(int).alias("wrong"),
        judged.then(missed.sum().cast(int)).alias("search_errors"),
        judged.then((missed & ~pl.col("ended")).sum().cast(int)).alias("unended"),
    )
