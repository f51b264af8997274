"""For each figure of the paper, what in the ledger is its counterpart. Judges nothing: verdicts.py does.

A measure is a function from runs to parts: one measurement for each network and split that the figure is about.
"""

from collections.abc import Sequence
from operator import sub
from statistics import fmean

from daxlab.analysis.accuracy import median_run
from daxlab.analysis.constructions import composed_right, errors_by_construction
from daxlab.analysis.lengths import by_length
from daxlab.analysis.neighbours import neighbours
from daxlab.analysis.parts import coverage
from daxlab.analysis.search_errors import search_errors
from daxlab.datasets import find, split
from daxlab.datasets.release import SCAN
from daxlab.paper.experiments import BEST, FEW, ONCE, OVERALL, SPLITS, both, few, size
from daxlab.paper.parts import Part, part_of
from daxlab.paper.runs import Draw, Runs
from daxlab.paper.targets import targets

DRAWS: dict[bool, Draw] = {True: "release", False: "own"}


def accuracy(network: str, splits: Sequence[str], runs: Runs, metric: str = "accuracy") -> list[Part]:
    """A metric of every run."""
    found = runs.of(network, *splits)
    return [part_of(network, found, found.values(metric))]


def trained(networks: dict[str, str], runs: Runs) -> list[Part]:
    """Accuracy on the training set, on each main split."""
    return [
        part for name, network in networks.items() for part in accuracy(network, SPLITS[name], runs, "train_accuracy")
    ]


def oracle_at(length: int, runs: Runs) -> list[Part]:
    """Accuracy with the right length given, on the commands of so many actions."""
    found = runs.of(BEST["length"], "length")
    frame = by_length(runs.ledger, found.keys, by="actions", oracle=True)
    rates = dict(zip(frame["length"], frame["accuracies"], strict=True))
    return [part_of(BEST["length"], found, rates.get(length, ()))]


def search_failures(names: Sequence[str], runs: Runs) -> list[Part]:
    """Search errors of every run of the overall-best network and the best one, on each of the splits."""
    parts = []
    networks = [(OVERALL, name) for name in names] + [(BEST[name], name) for name in names]
    for network, name in networks:
        found = runs.of(network, *SPLITS[name])
        frame = search_errors(runs.ledger, found.keys).drop_nulls("search_errors")
        wrong, unended = frame["wrong"].to_list(), frame["unended"].to_list()
        note = f"of {fmean(wrong):,.0f} wrong answers a run" if wrong else ""
        note += f", {fmean(unended):.1f} of the search errors cut off before they ended" if any(unended) else ""
        parts.append(part_of(network, found, [float(count) for count in frame["search_errors"]], note=note))
    return parts


def few_shot(shots: int, runs: Runs) -> list[Part]:
    """Every draw of composed commands is one value, the mean over its runs."""
    found = runs.draws(FEW, *(first.removesuffix("1") for first in both(few, shots, 1)))
    by_draw: dict[str, list[float]] = {}
    for row in found.rows:
        by_draw.setdefault(row["split"], []).append(row["accuracy"])
    return [part_of(FEW, found, [fmean(some) for some in by_draw.values()])]


def paired(split: str, runs: Runs) -> tuple[list[float], list[float]]:
    """Accuracies with over-sampling and without, of the seeds that have both."""
    often, seldom = (
        {row["seed"]: row["accuracy"] for row in runs.of(OVERALL, name).rows if row["accuracy"] is not None}
        for name in (split, ONCE[split])
    )
    seeds = sorted(often.keys() & seldom.keys())
    return [often[seed] for seed in seeds], [seldom[seed] for seed in seeds]


def over_sampling(runs: Runs) -> list[Part]:
    """With over-sampling minus without, seed by seed."""
    parts = []
    for name, once in ONCE.items():
        often, seldom = paired(name, runs)
        means = [fmean(one) for one in (often, seldom) if one]
        note = f"{name} {means[0]:.2f} with over-sampling minus {means[1]:.2f} without, seed by seed" if means else ""
        gain = list(map(sub, often, seldom))
        parts.append(part_of(OVERALL, runs.of(OVERALL, once), gain, claim=(0, "more than", None), note=note))
    return parts


def turn_left_errors(runs: Runs) -> list[Part]:
    """The errors of the median run by construction; how many every run made."""
    found = runs.of(OVERALL, "turn-left")
    if not found.rows:
        return [part_of(OVERALL, found, ())]
    median = median_run(runs.ledger, found.keys)
    frame = errors_by_construction(runs.ledger, median, "turn-left")
    errors = frame.filter(frame["wrong"] > 0)
    counts = [round(sum(frame["commands"]) * (100 - value) / 100) for value in found.values()]
    ours = {"run": median, "errors": sum(errors["wrong"]), "constructions": errors.to_dicts()}
    most = [f"{row['wrong']} {row['construction']!r} {row['place']}" for row in errors.head(4).to_dicts()]
    most += [f"{rest} in others"] if (rest := sum(errors["wrong"][4:])) else []
    note = f"median run: {'; '.join(most) or 'none'}"
    return [part_of(OVERALL, found, counts, ours=ours, shown=str(ours["errors"]), note=note)]


def jump_right(runs: Runs) -> list[Part]:
    """The composed commands that the median run gets right; how many every run does."""
    found = runs.of(OVERALL, "jump")
    if not found.rows:
        return [part_of(OVERALL, found, ())]
    median = median_run(runs.ledger, found.keys)
    right = {key: composed_right(runs.ledger, key) for key in found.keys}
    ours = {"run": median, "right": right[median]}
    some = ", ".join(map(repr, right[median][:5])) + (", …" if len(right[median]) > 5 else "")
    counts = [float(len(one)) for one in right.values()]
    shown = str(len(right[median]))
    note = f"median run: {some or 'none right'}; in any run: {len({one for each in right.values() for one in each})}"
    return [part_of(OVERALL, found, counts, ours=ours, shown=shown, note=note)]


def nearest(runs: Runs) -> list[Part]:
    """The median run's neighbours of the paper's four commands."""
    found = runs.of(OVERALL, "jump")
    if not found.rows:
        return [part_of(OVERALL, found, ())]
    frame = neighbours(runs.ledger, median_run(runs.ledger, found.keys))
    (asked,) = (target.table for target in targets() if target.table)
    ours = {
        command: [list(pair) for pair in frame.filter(frame["command"] == command)["neighbour", "cosine"].iter_rows()]
        for command in asked or ()
    }
    if not any(ours.values()):
        return [part_of(OVERALL, found, (), note="no neighbours were kept of the median run")]
    said = "; ".join(f"{command}: {near[0][0]} {near[0][1]:.2f}" for command, near in ours.items() if near)
    return [part_of(OVERALL, found, (), ours=ours, shown="a table", note=f"nearest in the median run: {said}")]


def unseen_parts(percent: int, runs: Runs) -> list[Part]:
    """How many conjunction-less commands of the test set are not in training."""
    release = find(SCAN) is not None
    name = size(percent, release)
    found = coverage(split(name))
    ours = {"unseen": list(found.unseen), "parts": len(found.parts), "occurrences": found.occurrences}
    note = f"{len(found.unseen)} of {len(found.parts)}; the others occur {found.occurrences or 0:.2f} times on average"
    count, draw = len(found.unseen), DRAWS[release]
    return [Part(None, name, draw, ours=ours, shown=str(count), count=count, note=note)]
