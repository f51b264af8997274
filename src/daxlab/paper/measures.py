"""For each figure of the paper, its counterpart in the ledger. Judges nothing: verdicts.py does.

A measure is a function from runs to measurements: one for each network and split that the figure is about.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod
from operator import sub
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.accuracy import median_run
from daxlab.analysis.errors import by_length, composed_right, errors_by_construction, search_errors
from daxlab.analysis.neighbours import neighbours
from daxlab.analysis.parts import coverage
from daxlab.analysis.search import filled, shared_seeds, table
from daxlab.datasets import find, split
from daxlab.datasets.release import SCAN
from daxlab.paper.experiments import BEST, FEW, ONCE, OVERALL, SPLITS, both, few, simple, size
from daxlab.paper.runs import Draw, Measurement, Replicates, Row, Runs
from daxlab.paper.search import AXES
from daxlab.paper.targets import RUNS, targets

DRAWS: dict[bool, Draw] = {True: "release", False: "own"}


def accuracy(network: str, splits: Sequence[str], runs: Runs, metric: str = "accuracy") -> list[Measurement]:
    """A metric of every run."""
    replicates = runs.of(network, *splits)
    return [replicates.measurement(replicates.values(metric))]


def trained(networks: dict[str, str], runs: Runs) -> list[Measurement]:
    """Accuracy on the training set, on each main split."""
    pairs = networks.items()
    return [one for name, network in pairs for one in accuracy(network, SPLITS[name], runs, "train_accuracy")]


def oracle_at(length: int, runs: Runs) -> list[Measurement]:
    """Accuracy with the right length given, on the commands of so many actions."""
    replicates = runs.of(BEST["length"], "length")
    frame = by_length(runs.ledger, replicates.keys, by="actions", oracle=True)
    rates = dict(zip(frame["length"], frame["accuracies"], strict=True))
    return [replicates.measurement(rates.get(length, ()))]


def search_failures(names: Sequence[str], runs: Runs) -> list[Measurement]:
    """Search errors of every run of the overall-best network and the best one, on each of the splits."""
    measurements = []
    networks = [(OVERALL, name) for name in names] + [(BEST[name], name) for name in names]
    for network, name in networks:
        replicates = runs.of(network, *SPLITS[name])
        frame = search_errors(runs.ledger, replicates.keys).drop_nulls("search_errors")
        wrong, unended = frame["wrong"].to_list(), frame["unended"].to_list()
        note = f"of {fmean(wrong):,.0f} wrong answers a run" if wrong else ""
        note += f", {fmean(unended):.1f} of the search errors cut off before they ended" if any(unended) else ""
        measurements.append(replicates.measurement([float(count) for count in frame["search_errors"]], note))
    return measurements


def few_shot(shots: int, runs: Runs) -> list[Measurement]:
    """Every draw of composed commands is one value, the mean over its runs."""
    replicates = runs.draws(FEW, *(first.removesuffix("1") for first in both(few, shots, 1)))
    by_draw: dict[str, list[float]] = {}
    for row in replicates.rows:
        by_draw.setdefault(row["split"], []).append(row["accuracy"])
    return [replicates.measurement([fmean(accuracies) for accuracies in by_draw.values()])]


def paired(split: str, runs: Runs) -> tuple[list[float], list[float]]:
    """Accuracies with over-sampling and without, of the seeds that have both."""
    often, seldom = (
        {row["seed"]: row["accuracy"] for row in runs.of(OVERALL, name).rows if row["accuracy"] is not None}
        for name in (split, ONCE[split])
    )
    seeds = sorted(often.keys() & seldom.keys())
    return [often[seed] for seed in seeds], [seldom[seed] for seed in seeds]


def over_sampling(runs: Runs) -> list[Measurement]:
    """With over-sampling minus without, seed by seed."""
    measurements = []
    for name, once in ONCE.items():
        often, seldom = paired(name, runs)
        means = f"{fmean(often):.2f} with over-sampling minus {fmean(seldom):.2f} without" if often else ""
        note = f"{name} {means}, seed by seed" if means else ""
        gain = list(map(sub, often, seldom))
        measurements.append(runs.of(OVERALL, once).measurement(gain, note, claim=(0, "more than", None)))
    return measurements


def turn_left_errors(runs: Runs) -> list[Measurement]:
    """The errors of the median run by construction; how many every run made."""
    replicates = runs.of(OVERALL, "turn-left")
    if not replicates.rows:
        return [replicates.measurement()]
    median = median_run(runs.ledger, replicates.keys)
    frame = errors_by_construction(runs.ledger, median, "turn-left")
    errors = frame.filter(frame["wrong"] > 0)
    counts = [round(sum(frame["commands"]) * (100 - value) / 100) for value in replicates.values()]
    ours = {"run": median, "errors": sum(errors["wrong"]), "constructions": errors.to_dicts()}
    most = [f"{row['wrong']} {row['construction']!r} {row['place']}" for row in errors.head(4).to_dicts()]
    most += [f"{rest} in others"] if (rest := sum(errors["wrong"][4:])) else []
    note = f"median run: {'; '.join(most) or 'none'}"
    return [replicates.measurement(counts, note, ours=ours, shown=str(ours["errors"]))]


def jump_right(runs: Runs) -> list[Measurement]:
    """The composed commands that the median run gets right; how many every run does."""
    replicates = runs.of(OVERALL, "jump")
    if not replicates.rows:
        return [replicates.measurement()]
    median = median_run(runs.ledger, replicates.keys)
    right = {key: composed_right(runs.ledger, key) for key in replicates.keys}
    some = ", ".join(map(repr, right[median][:5])) + (", …" if len(right[median]) > 5 else "")
    any_run = Counter(command for commands in right.values() for command in commands)
    note = f"median run: {some or 'none right'}; in any run: {len(any_run)}"
    counts = [float(len(commands)) for commands in right.values()]
    ours = {"run": median, "right": right[median], "any_run": dict(any_run.most_common())}
    return [replicates.measurement(counts, note, ours=ours, shown=str(len(right[median])))]


def nearest(runs: Runs) -> list[Measurement]:
    """The median run's neighbours of the paper's four commands."""
    replicates = runs.of(OVERALL, "jump")
    if not replicates.rows:
        return [replicates.measurement()]
    frame = neighbours(runs.ledger, median_run(runs.ledger, replicates.keys))
    (commands,) = (target.table for target in targets() if target.table)
    ours = {
        command: [list(pair) for pair in frame.filter(frame["command"] == command)["neighbour", "cosine"].iter_rows()]
        for command in commands or ()
    }
    if not any(ours.values()):
        return [replicates.measurement(note="no neighbours were kept of the median run")]
    first = "; ".join(f"{command}: {near[0][0]} {near[0][1]:.2f}" for command, near in ours.items() if near)
    return [replicates.measurement(note=f"nearest in the median run: {first}", ours=ours, shown="a table")]


def unseen_parts(percent: int, runs: Runs) -> list[Measurement]:
    """How many conjunction-less commands of the test set are not in training."""
    release = find(SCAN) is not None
    name = size(percent, release)
    covered = coverage(split(name))
    count, parts, times = len(covered.unseen), len(covered.parts), covered.occurrences
    ours = {"unseen": list(covered.unseen), "parts": parts, "occurrences": times}
    note = f"{count} of {parts}; the others occur {times or 0:.2f} times on average"
    return [Measurement(None, name, DRAWS[release], ours=ours, shown=str(count), count=count, note=note)]


# -- the paper's search over SRNs


def srn_best(runs: Runs) -> list[Measurement]:
    """The best SRN without attention."""
    rows, lacking = _srns(False, runs)
    return [_so_far(rows, [row["mean"] for row in rows[-1:]], lacking) if lacking else _architecture(rows[-1])]


def srn_mean(runs: Runs) -> list[Measurement]:
    """Every replicate of the whole search is one value: the mean over architectures.

    A run that failed counts as the mean of its architecture's others.
    """
    rows, lacking = _srns(True, runs)
    mean = [fmean(row["mean"] for row in rows)] if rows else []
    if lacking:
        return [_so_far(rows, mean, lacking)]
    frame = pl.DataFrame(rows)
    values = table(frame, shared_seeds(frame["seeds"].to_list()))
    if without := int(np.isnan(values).all(axis=1).sum()):
        note = f"{without} of {len(rows)} architectures have none of the seeds that most of them share"
        return [_so_far(rows, mean, note)]
    return [_replicates(f"{len(rows)} SRNs with attention", rows).measurement(filled(values).mean(axis=0).tolist())]


def srn_range(runs: Runs) -> list[Measurement]:
    """The worst and the best architecture, each against its end of the paper's range."""
    rows, lacking = _srns(True, runs)
    if lacking:
        return [_so_far(rows, [row["mean"] for row in (*rows[:1], *rows[-1:])], lacking)]
    (ends,) = (target.range for target in targets() if target.id == "exp1.srn-attention-range")
    pairs = zip((rows[0], rows[-1]), ends or (), strict=True)
    return [_architecture(row, claim=(end, None, RUNS)) for row, end in pairs]


def _srns(attention: bool, runs: Runs) -> tuple[list[Row], str]:
    """The SRNs of the paper's search that have runs, worst first; and what is lacking, if anything is."""
    of_these = (pl.col("experiment") == "simple") & (pl.col("cell") == "srn") & (pl.col("attention") == attention)
    rows = runs.search.filter(of_these & (pl.col("runs") > 0)).sort("mean", "network").to_dicts()
    every = prod(len(AXES[name]) for name in ("layers", "hidden", "dropout"))
    lacking = f"so far of {len(rows)} of {every} architectures in the ledger; the others need the search"
    return rows, "" if len(rows) == every else lacking


def _so_far(rows: list[Row], values: list[float], note: str) -> Measurement:
    """A figure of some of the architectures is shown, and not held against the paper's."""
    if not rows:
        return Measurement(note=note)
    some, shown = _replicates("", rows), " to ".join(f"{value:.2f}" for value in values)
    return Measurement(None, some.split, some.draw, ours=values, shown=shown, note=note)


def _architecture(row: Row, **more: Any) -> Measurement:
    return _replicates(row["network"], [row]).measurement(row["accuracies"], **more)


def _replicates(network: str, rows: list[Row]) -> Replicates:
    split = rows[0]["split"]
    return Replicates(network, split, DRAWS[split == simple(True)], failed=sum(row["failed"] for row in rows))
