"""A search over architectures: how right each of them is on each experiment, over its replicates.

Reads the ledger's metrics, aggregated where they lie, and no answers. What follows from them is said in choosing.py
and effects.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from daxlab.analysis.protocols import Where
from daxlab.analysis.replicates import COLUMNS, entries
from daxlab.runs import Ledger
from daxlab.sweep import Architecture

AXES: dict[str, Any] = {"cell": str, "attention": bool, "layers": int, "hidden": int, "dropout": float}
SCHEMA: dict[str, Any] = {"experiment": str, "split": str, "network": str, **AXES, "failed": int, **COLUMNS}
SCHEMA |= {"seeds": list[int]}

Axes = Mapping[str, Sequence[Any]]
Experiments = Mapping[str, Sequence[str]]  # each with the splits that can stand for it, the preferred one first
Row = dict[str, Any]


def architectures(ledger: Ledger, axes: Axes, experiments: Experiments, where: Where | None = None) -> pl.DataFrame:
    """A row per experiment and architecture that has a run: how many failed, the others' accuracies, their summary.

    Draws of a random split are never mixed: an experiment has the one that most architectures have runs on, and of
    equals the preferred one. Of an architecture those seeds count that at least half of them have, if it has any of
    these: further runs of one give it no better chance. `axes` are the values searched over, `where` what else the runs
    must be.
    """
    splits = [split for choices in experiments.values() for split in choices]
    asked = {**(where or {}), **{name: list(axes[name]) for name in AXES}, "split": splits}
    by_split: dict[str, dict[tuple[Any, ...], Row]] = {split: {} for split in splits}
    for row in ledger.accuracies(asked):
        _add(by_split[row["split"]], row)
    found = []
    for experiment, choices in experiments.items():
        split = max(choices, key=lambda one: len(by_split[one]))  # the first of equals
        rows = by_split[split].values()
        seeds = set(shared_seeds(row["seeds"] for row in rows))
        found += [_entry(experiment, row, seeds) for row in rows]
    return pl.DataFrame(found, SCHEMA, orient="row").sort("experiment", *AXES)


def _add(rows: dict[tuple[Any, ...], Row], row: Row) -> None:
    """Two settings can be one architecture on one split, if what is not asked about differs."""
    known = rows.setdefault(tuple(row[name] for name in AXES), row)
    if known is not row:
        known |= {name: known[name] + row[name] for name in ("failed", "seeds", "accuracies")}


def _entry(experiment: str, row: Row, seeds: set[int]) -> Row:
    every = sorted(zip(row["seeds"], row["accuracies"], strict=True))
    pairs = [pair for pair in every if pair[0] in seeds] or every
    network = {name: row[name] for name in AXES}
    return {
        "experiment": experiment,
        "split": row["split"],
        "network": str(Architecture(**network)),
        **network,
        "failed": row["failed"],
        **entries([accuracy for _, accuracy in pairs]),
        "seeds": [seed for seed, _ in pairs],
    }


def completeness(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per experiment and number of runs: experiment, split, runs, architectures (that have so many), failed."""
    counts = (pl.len().cast(pl.Int64).alias("architectures"), pl.col("failed").sum())
    grouped = frame.group_by("experiment", "split", "runs", maintain_order=True)
    return grouped.agg(*counts).sort("experiment", "runs", descending=[False, True])


def shared_seeds(rows: Iterable[Sequence[int]]) -> list[int]:
    """The seeds that at least half of the architectures have a run of: one that few have says nothing of the others."""
    many = [seeds for seeds in rows if seeds]
    counts: dict[int, int] = {}
    for seeds in many:
        for seed in set(seeds):
            counts[seed] = counts.get(seed, 0) + 1
    return sorted(seed for seed, count in counts.items() if 2 * count >= len(many))
