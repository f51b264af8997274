"""Choosing the best of many architectures, and what becomes of the choice when it is measured again.

The best of 180 is best by merit and by luck; its luck does not come again. What such a choice is worth can be seen
without training anew, if roughly: choose by all replicates but one, score the chosen (not always the same) on the one
left out, each in turn. A replicate is a seed; those count that at least half of the architectures have.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from daxlab.analysis.architectures import AXES, shared_seeds
from daxlab.analysis.replicates import summary

Row = dict[str, Any]
Table = NDArray[np.float64]  # [architectures, seeds], nan where there is no run
MEASURES = ("rank", "accuracy")
OVERALL: dict[str, Any] = {"network": str, **AXES}
OVERALL |= {f"{measure}{end}": float for measure in MEASURES for end in ("", "_sem", "_low", "_high")}
OVERALL |= {f"{measure}_runs": list[float] for measure in MEASURES}


def ranked(frame: pl.DataFrame, experiment: str) -> pl.DataFrame:
    """The architectures with runs on an experiment, best mean first, with their place: equal means share the best."""
    some = frame.filter((pl.col("experiment") == experiment) & (pl.col("runs") > 0))
    place = pl.col("mean").rank("min", descending=True).cast(pl.Int64).alias("place")
    return some.with_columns(place).sort("place", "network")


def winners(frame: pl.DataFrame) -> pl.DataFrame:
    """The best mean of each experiment: its row of `ranked`, `of` how many, and what `again` says of such a choice.

    scores: the accuracy on each replicate that was left out; again: their mean. Empty where there is but one replicate.
    """
    found: list[Row] = []
    for experiment in frame["experiment"].unique(maintain_order=True):
        rows = ranked(frame, experiment)
        if rows.height:
            best = rows.row(0, named=True)
            scores = again(table(rows, shared_seeds(rows["seeds"].to_list())))
            found.append({**best, "of": rows.height, "again": summary(scores).mean, "scores": scores})
    more = {"place": int, "of": int, "again": float, "scores": list[float]}
    return pl.DataFrame(found, {**frame.schema, **more}, orient="row")


def again(values: Table) -> list[float]:
    """For each replicate: choose by the mean of the others, and score on this one. Equals share: their mean counts."""
    runs = ~np.isnan(values)
    sums, counts = np.nansum(values, axis=1, keepdims=True), runs.sum(axis=1, keepdims=True)
    others = np.where(runs & (counts > 1), (sums - np.nan_to_num(values)) / np.maximum(counts - 1, 1), -np.inf)
    others = others.round(9)  # equals are equal, whatever was taken from their sums
    known = [k for k in range(values.shape[1]) if np.isfinite(others[:, k]).any()]
    return [float(values[others[:, k] == others[:, k].max(), k].mean()) for k in known]


def table(rows: pl.DataFrame, seeds: Sequence[int]) -> Table:
    """The accuracies of architectures (rows) by seed (columns)."""
    place = {seed: n for n, seed in enumerate(seeds)}
    values = np.full((rows.height, len(seeds)), np.nan)
    for row, known in enumerate(rows.select("seeds", "accuracies").iter_rows()):
        for seed, accuracy in zip(*known, strict=True):
            if seed in place:
                values[row, place[seed]] = accuracy
    return values


def filled(values: Table) -> Table:
    """A run that failed, or is not there yet, counts as the mean of its architecture's others."""
    return np.where(np.isnan(values), np.nanmean(values, axis=1, keepdims=True), values)


def overall(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Row]]:
    """The architectures that have runs on every experiment, best mean rank first; and what `again` says of the best.

    In each replicate, and there on each experiment, architectures are ranked among those (1 is best; equals share the
    mean of their places); rank is the mean over the experiments, accuracy that of the accuracies. Both come with the
    95% interval (Student's t) over replicates. Of an architecture those replicates count that it has whole, on every
    experiment; where it has none it has no rank. In the others' ranks a run that is not there stands as the mean of
    its architecture's others.
    """
    some = frame.filter(pl.col("runs") > 0)
    names = some["experiment"].unique(maintain_order=True).to_list()
    parts = {name: some.filter(pl.col("experiment") == name) for name in names}
    common = set.intersection(*(set(part["network"]) for part in parts.values())) if parts else set()
    parts = {name: part.filter(pl.col("network").is_in(common)).sort("network") for name, part in parts.items()}
    seeds = shared_seeds([row for part in parts.values() for row in part["seeds"].to_list()])
    if not common or not seeds:
        return pl.DataFrame(schema=OVERALL), {}
    tables = np.array([table(part, seeds) for part in parts.values()])  # [experiments, architectures, seeds]
    some_whole = ~np.isnan(tables).any(axis=0).all(axis=1)
    tables = tables[:, some_whole]
    accuracy = tables.mean(axis=0)  # nan where a replicate is not whole
    ranks = np.mean([_ranks(filled(one)) for one in tables], axis=0)
    scores = {"rank": np.where(np.isnan(accuracy), np.nan, ranks), "accuracy": accuracy}
    networks = parts[names[0]].filter(pl.Series(some_whole)).select("network", *AXES).to_dicts()
    found = [
        {**network, **_said("rank", scores["rank"][n]), **_said("accuracy", scores["accuracy"][n])}
        for n, network in enumerate(networks)
    ]
    later = {"rank": [-score for score in again(-scores["rank"])], "accuracy": again(scores["accuracy"])}
    best = {measure: {"again": summary(some).mean, "scores": some} for measure, some in later.items()}
    return pl.DataFrame(found, OVERALL, orient="row").sort("rank", "network"), best


def _said(measure: str, values: NDArray[np.float64]) -> Row:
    runs = values[~np.isnan(values)].tolist()
    known = asdict(summary(runs))
    mean = known.pop("mean")
    return {measure: mean, **{f"{measure}_{end}": value for end, value in known.items()}, f"{measure}_runs": runs}


def _ranks(values: Table) -> Table:
    """Within each column, the greatest is 1."""
    columns = [pl.Series(column).rank("average", descending=True).to_numpy() for column in values.T]
    return np.array(columns).T
