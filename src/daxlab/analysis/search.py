"""A search over the settings of a learner: how right each is on each experiment, the best, and main effects.

Settings are called architectures, because the paper searched over those. `axes` are the fields searched over, each with
its values. Reads the ledger's metrics, aggregated where they lie, and no answers.

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

from daxlab.analysis.intervals import of_accuracies, student
from daxlab.analysis.replicates import COLUMNS, Row, Where, entries, summary
from daxlab.learners import name_and_variant
from daxlab.runs import Ledger

Axes = Mapping[str, Sequence[Any]]
Experiments = Mapping[str, Sequence[str]]  # each with the splits that can stand for it, the preferred one first
Table = NDArray[np.float64]  # [architectures, seeds], nan where there is no run
RESULTS: dict[str, Any] = {"failed": int, **COLUMNS, "seeds": list[int]}
EFFECTS: dict[str, Any] = {"experiment": str, "axis": str, "value": str, "architectures": int, **COLUMNS}
EFFECTS |= {"means": list[float]}
DIGITS = 9  # that means are compared to: equal ones stay equal, however they were summed
RESAMPLES = 2000  # of the runs, for shares of wins
LEAST = 0.05  # the share of resamples in which an architecture that cannot be told from the best reaches it
MOST_CHOOSING = 4  # runs to choose by
MOST_SEEDS = 12  # to choose from: more have too many subsets


# -- every architecture on every experiment


def architectures(ledger: Ledger, axes: Axes, experiments: Experiments, where: Where | None = None) -> pl.DataFrame:
    """A row per experiment and architecture that has a run: how many failed, the others' accuracies, their summary.

    Draws of a random split are never mixed: an experiment takes the draw that most architectures have runs on, and the
    preferred draw if two have as many. Only seeds count that at least half of the architectures have, unless an
    architecture has none of these, so that further runs give no better chance. `where` filters the runs.
    """
    splits = [split for choices in experiments.values() for split in choices]
    by_split: dict[str, dict[tuple[Any, ...], Row]] = {split: {} for split in splits}
    for row in ledger.accuracies({**(where or {}), **{name: list(axes[name]) for name in axes}, "split": splits}):
        same = by_split[row["split"]].setdefault(tuple(row["fields"][name] for name in axes), row)
        if same is not row:  # settings that differ in what is not asked about
            same |= {name: same[name] + row[name] for name in ("failed", "seeds", "accuracies")}
    rows = []
    for experiment, choices in experiments.items():
        taken = by_split[max(choices, key=lambda split: len(by_split[split]))].values()  # the first of equals
        seeds = set(shared_seeds(row["seeds"] for row in taken))
        rows += [_entry(experiment, row, axes, seeds) for row in taken]
    return pl.DataFrame(rows, schema(axes), orient="row").sort("experiment", *axes)


def schema(axes: Axes) -> dict[str, Any]:
    """The columns of `architectures`."""
    kinds = {name: float if float in map(type, values) else type(values[0]) for name, values in axes.items()}
    return {"experiment": str, "split": str, "network": str, **kinds, **RESULTS}


def _entry(experiment: str, row: Row, axes: Axes, seeds: set[int]) -> Row:
    every = sorted(zip(row["seeds"], row["accuracies"], strict=True))
    pairs = [pair for pair in every if pair[0] in seeds] or every
    return {
        "experiment": experiment,
        "split": row["split"],
        "network": name_and_variant({"learner": {"kind": row["learner"], **row["fields"]}})[0],
        **{name: row["fields"][name] for name in axes},
        "failed": row["failed"],
        **entries([accuracy for _, accuracy in pairs]),
        "seeds": [seed for seed, _ in pairs],
    }


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


# -- the best, how sure that is, and what choosing it is worth


def ranked(frame: pl.DataFrame, experiment: str) -> pl.DataFrame:
    """The architectures with runs on an experiment, best mean first: place (equals share the best), share of wins."""
    place = pl.col("mean").round(DIGITS).rank("min", descending=True).cast(pl.Int64).alias("place")
    rows = frame.filter(pl.col("runs") > 0, experiment=experiment).with_columns(place).sort("place", "network")
    shares, contenders = compared(rows["accuracies"].to_list())
    return rows.with_columns(share=pl.Series(shares, dtype=pl.Float64), contender=pl.Series(contenders))


def compared(runs_of_each: Sequence[Sequence[float]]) -> tuple[list[float | None], list[bool]]:
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
            means[n] = chance.choice(runs, (RESAMPLES, len(runs))).mean(axis=1).round(DIGITS)
    if not any(several):
        return [None] * len(means), [False] * len(means)
    wins = means == means.max(axis=0)
    shares = (wins / wins.sum(axis=0)).mean(axis=1).tolist()
    highest = max((n for n, many in enumerate(several) if many), key=lambda n: round(fmean(runs_of_each[n]), DIGITS))
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


def overall(frame: pl.DataFrame) -> pl.DataFrame:
    """The architectures that have runs on every experiment, best mean rank first, with their shares of wins.

    These architectures are ranked in each replicate of each experiment (1 is best; equals share the mean of their
    places). `rank` is the mean rank over experiments, `accuracy` the mean accuracy, both with the 95% interval over
    replicates. A replicate counts for an architecture if it has a run on every experiment; an architecture without such
    a replicate is left out. When others are ranked, a missing run counts as the mean of its architecture's other runs.
    """
    everywhere = pl.len().over("network") == pl.col("experiment").n_unique()
    rows = frame.filter(pl.col("runs") > 0).filter(everywhere).sort("network", maintain_order=True)
    if rows.is_empty():
        return pl.DataFrame()
    parts, seeds = rows.partition_by("experiment", maintain_order=True), shared_seeds(rows["seeds"].to_list())
    tables = np.array([table(part, seeds) for part in parts])  # [experiments, architectures, seeds]
    complete = ~np.isnan(tables).any(axis=0).all(axis=1)
    tables = tables[:, complete]
    accuracy = tables.mean(axis=0)  # nan where a replicate lacks an experiment
    ranks = np.mean([_ranks(filled(values)) for values in tables], axis=0)
    scores = {"rank": np.where(np.isnan(accuracy), np.nan, ranks), "accuracy": accuracy}
    networks = parts[0].filter(complete).drop("experiment", "split", *RESULTS).to_dicts()
    for n, network in enumerate(networks):
        for measure, values in scores.items():
            runs = values[n][~np.isnan(values[n])].tolist()
            numbers = summary(runs, student if measure == "rank" else of_accuracies)
            numbers = {f"{measure}_{name}": number for name, number in numbers.items()}
            network |= {measure: numbers.pop(f"{measure}_mean"), **numbers, f"{measure}_runs": runs}
    for measure, sign in (("rank", -1), ("accuracy", 1)):  # the least rank wins
        shares, contenders = compared([[sign * run for run in network[f"{measure}_runs"]] for network in networks])
        for network, share, contender in zip(networks, shares, contenders, strict=True):
            network |= {f"{measure}_share": share, f"{measure}_contender": contender}
    networks.sort(key=lambda network: (network["rank"], network["network"]))
    return pl.DataFrame(networks, infer_schema_length=None)


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
