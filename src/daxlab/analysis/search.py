"""A search over the settings of a learner: how right each is on each experiment, the best, and main effects.

Settings are called architectures, because the paper searched over those. `axes` are the fields searched over, each with
its values. Reads the ledger's metrics and no answers. Intervals are left to those who show them: they take long.

The best of 180 is partly the luckiest. How sure the choice is: resample the runs of each architecture (bootstrap), and
count how often it has the best mean. What the choice is worth without its luck: choose by some replicates and score the
choice on the others. A replicate is a seed that at least half of the architectures have.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from daxlab.analysis.replicates import COLUMNS, Row, Where, entries
from daxlab.learners import name_and_variant
from daxlab.ledger import Ledger

Axes = Mapping[str, Sequence[Any]]
Experiments = Mapping[str, Sequence[str]]  # each with the splits that can stand for it, the preferred one first
Table = NDArray[np.float64]  # [architectures, seeds], nan where there is no run
RUNS: dict[str, Any] = {"failed": int, "seeds": list[int], "accuracies": list[float]}
EFFECTS: dict[str, Any] = {"experiment": str, "axis": str, "value": str, "architectures": int, **COLUMNS}
EFFECTS |= {"means": list[float]}
DIGITS = 9  # that means are compared to: equal ones stay equal, however they were summed
RESAMPLES = 2000  # of the runs, for shares of wins
LEAST = 0.05  # the share of resamples in which an architecture that cannot be told from the best reaches it
MOST_CHOOSING = 4  # runs to choose by
MOST_SEEDS = 12  # to choose from: more have too many subsets


# -- every architecture on every experiment


def architectures(ledger: Ledger, axes: Axes, experiments: Experiments, where: Where | None = None) -> pl.DataFrame:
    """A row per experiment and architecture that has a run: how many failed, the others' accuracies and their mean.

    Draws of a random split are never mixed: an experiment takes the draw that most architectures have runs on, and the
    preferred draw if two have as many. Only seeds count that at least half of the architectures have, unless an
    architecture has none of these, so that further runs give no better chance. `where` filters the runs.
    """
    splits = [split for choices in experiments.values() for split in choices]
    by_split: dict[str, dict[tuple[Any, ...], Row]] = {split: {} for split in splits}
    for row in ledger.accuracies({**(where or {}), **{name: list(axes[name]) for name in axes}, "split": splits}):
        same = by_split[row["split"]].setdefault(tuple(row["fields"][name] for name in axes), row)
        if same is not row:  # settings that differ in what is not asked about
            same |= {name: same[name] + row[name] for name in RUNS}
    rows = []
    for experiment, choices in experiments.items():
        taken = by_split[max(choices, key=lambda split: len(by_split[split]))].values()  # the first of equals
        seeds = set(shared_seeds(row["seeds"] for row in taken))
        rows += [_entry(experiment, row, axes, seeds) for row in taken]
    order = pl.col("experiment").cast(pl.Enum(list(experiments)))
    return summarised(pl.DataFrame(rows, schema(axes), orient="row").sort(order, *axes))


def schema(axes: Axes) -> dict[str, Any]:
    """The columns of `architectures` before the runs are summarised."""
    kinds = {name: float if float in map(type, values) else type(values[0]) for name, values in axes.items()}
    return {"experiment": str, "split": str, "network": str, **kinds, **RUNS}


def _entry(experiment: str, row: Row, axes: Axes, seeds: set[int]) -> Row:
    every = sorted(zip(row["seeds"], row["accuracies"], strict=True))
    pairs = [pair for pair in every if pair[0] in seeds] or every
    return {
        "experiment": experiment,
        "split": row["split"],
        "network": name_and_variant({"learner": {"kind": row["learner"], **row["fields"]}})[0],
        **{name: row["fields"][name] for name in axes},
        "failed": row["failed"],
        "seeds": [seed for seed, _ in pairs],
        "accuracies": [accuracy for _, accuracy in pairs],
    }


def summarised(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with how many runs each has, and their mean."""
    means = [fmean(runs) if runs else None for runs in rows["accuracies"].to_list()]
    return rows.with_columns(runs=pl.col("accuracies").list.len().cast(int), mean=pl.Series(means, dtype=pl.Float64))


def shared_seeds(seeds_of_each: Iterable[Sequence[int]]) -> list[int]:
    """The seeds that at least half of the architectures have a run of."""
    each = [set(seeds) for seeds in seeds_of_each if seeds]
    return sorted(seed for seed in set().union(*each) if 2 * sum(seed in seeds for seeds in each) >= len(each))


def table(rows: pl.DataFrame, seeds: Sequence[int]) -> Table:
    """The accuracies of architectures (rows) by seed (columns)."""
    by_seed = [dict(zip(*runs, strict=True)) for runs in rows.select("seeds", "accuracies").iter_rows()]
    values = [[runs.get(seed, np.nan) for seed in seeds] for runs in by_seed]
    return np.array(values, float).reshape(rows.height, len(seeds))


def filled(values: Table) -> Table:
    """A table without holes: a missing run counts as the mean of its architecture's others."""
    return np.where(np.isnan(values), np.nanmean(values, axis=1, keepdims=True), values)


def pooled(values: Table) -> list[float]:
    """The mean over architectures in each replicate, of those that have a replicate."""
    some = values[~np.isnan(values).all(axis=1)]
    return filled(some).mean(axis=0).tolist() if len(some) else []


# -- the best, how sure that is, and what choosing it is worth


def ranked(frame: pl.DataFrame, experiment: str) -> pl.DataFrame:
    """The ranking on an experiment: of the architectures that have runs."""
    rows = frame.filter(pl.col("runs") > 0, experiment=experiment)
    return ranking(rows.sort(-pl.col("mean").round(DIGITS), "network"))  # the order of the draws


def ranking(rows: pl.DataFrame, *, least: bool = False) -> pl.DataFrame:
    """The architectures, best mean first: the greatest, or with `least` the least.

    `place`: equals share the best. `share` and `contender`: its share of wins, and whether it cannot be told from the
    best (see `resampled`).
    """
    place = pl.col("mean").round(DIGITS).rank("min", descending=not least).cast(int)
    shares, contenders = resampled([(-1 if least else 1) * np.array(runs) for runs in rows["accuracies"]])
    share, contender = pl.Series(shares, dtype=pl.Float64), pl.Series(contenders, dtype=pl.Boolean)
    return rows.with_columns(place=place, share=share, contender=contender).sort("place", "network")


def resampled(runs_of_each: Sequence[Table]) -> tuple[list[float | None], list[bool]]:
    """Each architecture's share of wins, and whether it cannot be told from the best: by resampling the runs of each.

    A share of wins is how often its mean is the highest; equals share a win. It cannot be told from the best (the one
    with the highest mean) if its mean reaches that one's in at least 5% of the resamples. One run has no spread to
    resample: such an architecture takes no part, and its share is None. A few runs show less than the whole spread, so
    that all of this is a little too sure.
    """
    chance, means = np.random.default_rng(0), np.full((len(runs_of_each), RESAMPLES), -np.inf)
    several = [len(runs) > 1 for runs in runs_of_each]
    for n, runs in enumerate(runs_of_each):
        if several[n]:
            drawn = chance.integers(len(runs), size=(RESAMPLES, len(runs)), dtype=np.uint32)  # wider ones take longer
            means[n] = runs[drawn].mean(axis=1).round(DIGITS)
    if not any(several):
        return [None] * len(means), [False] * len(means)
    wins = means == means.max(axis=0)
    shares = (wins / wins.sum(axis=0)).mean(axis=1).tolist()
    highest = max((n for n, many in enumerate(several) if many), key=lambda n: round(runs_of_each[n].mean(), DIGITS))
    reached = (means >= means[highest]).mean(axis=1) >= LEAST
    return [share if many else None for many, share in zip(several, shares, strict=True)], (reached & several).tolist()


def worth(values: Table) -> dict[int, float]:
    """By k = 1, 2, …: what the best by the mean of k replicates scores on the others, the mean over all such choices.

    Of several best ones, their mean score counts. The choice is among the architectures that have every replicate. A
    single replicate has no others, so it says nothing.
    """
    values = values[:, :MOST_SEEDS]
    values = values[~np.isnan(values).any(axis=1)]
    seeds, by_count = range(values.shape[1]), {}
    for k in range(1, min(len(seeds), MOST_CHOOSING + 1)) if len(values) else ():
        scores = []
        for chosen in combinations(seeds, k):
            means = values[:, chosen].mean(axis=1).round(DIGITS)
            scores.append(np.delete(values, chosen, axis=1)[means == means.max()].mean())
        by_count[k] = float(np.mean(scores))
    return by_count


def overall(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rankings of the architectures with runs on every experiment: by mean rank and by mean accuracy.

    These architectures are ranked in each replicate of each experiment (1 is best; equals share the mean of their
    places), and the mean over experiments counts. A replicate counts for an architecture if it has a run on every
    experiment; an architecture without such a replicate is left out, and without any architecture there is no ranking.
    When others are ranked, a missing run counts as the mean of its architecture's other runs.
    """
    everywhere = pl.len().over("network") == pl.col("experiment").n_unique()
    rows = frame.filter(pl.col("runs") > 0).filter(everywhere).sort("network", maintain_order=True)
    if rows.is_empty():
        return {}
    parts, seeds = rows.partition_by("experiment", maintain_order=True), shared_seeds(rows["seeds"].to_list())
    tables = np.array([table(part, seeds) for part in parts])  # [experiments, architectures, seeds]
    complete = ~np.isnan(tables).any(axis=0).all(axis=1)
    if not complete.any():
        return {}
    accuracy = tables[:, complete].mean(axis=0)  # nan where a replicate lacks an experiment
    ranks = np.mean([_ranks(filled(values)) for values in tables[:, complete]], axis=0)
    networks, rankings = parts[0].filter(complete).drop("experiment", "split", *RUNS), {}
    for measure, values in {"rank": ranks, "accuracy": accuracy}.items():
        runs = [row[~np.isnan(own)].tolist() for row, own in zip(values, accuracy, strict=True)]
        rows = summarised(networks.with_columns(accuracies=pl.Series(runs)))
        rankings[measure] = ranking(rows, least=measure == "rank")
    return rankings


def _ranks(values: Table) -> Table:
    """Within each column, the greatest is 1."""
    return pl.DataFrame(values).select(pl.all().rank("average", descending=True)).to_numpy()


# -- main effects


def effects(frame: pl.DataFrame, experiment: str, axes: Axes) -> pl.DataFrame:
    """What each value of an axis is worth, other things being equal: how many architectures, their mean accuracy.

    Where the search has holes, the mean over all runs of a value would compare unlike with unlike. So only matched
    architectures count: sets that differ in this axis alone, with runs of every value compared. Each replicate of the
    search has an accuracy: the mean over the matched architectures, where a run that failed counts as the mean of its
    architecture's other runs. `means` has the mean of each matched architecture. A value is compared if it has at least
    half as many architectures as the value with most, and an axis if at least two of its values are.
    """
    rows = frame.filter(pl.col("runs") > 0, experiment=experiment)
    seeds = shared_seeds(rows["seeds"].to_list())
    rows = rows.filter(pl.col("seeds").list.set_intersection(seeds).list.len() > 0)
    values = filled(table(rows, seeds))
    place = {key: n for n, key in enumerate(rows.select(*axes).iter_rows())}
    compared = []
    for at, axis in enumerate(axes):
        for value, matched in _matched(place, at, axes[axis]).items():
            own, by_seed = (values[matched].mean(axis=over).tolist() for over in (1, 0))
            what = {"experiment": experiment, "axis": axis, "value": written(value), "architectures": len(matched)}
            compared.append({**what, **entries(by_seed), "means": own})
    return pl.DataFrame(compared, EFFECTS, orient="row")


def _matched(place: Mapping[tuple[Any, ...], int], at: int, values: Sequence[Any]) -> dict[Any, list[int]]:
    """For each value of the axis at this position that is compared, its matched architectures, in one order."""
    rest = {value: {key[:at] + key[at + 1 :] for key in place if key[at] == value} for value in values}
    most = max(map(len, rest.values()), default=0)
    compared = [value for value in values if most and 2 * len(rest[value]) >= most]
    common = sorted(set.intersection(*(rest[value] for value in compared))) if len(compared) > 1 else []
    return {value: [place[(*key[:at], value, *key[at:])] for key in common] for value in compared if common}


def written(value: Any) -> str:
    """A value of an axis as a reader knows it."""
    if isinstance(value, bool):
        return "with" if value else "without"
    return value.upper() if isinstance(value, str) else f"{value:g}"
