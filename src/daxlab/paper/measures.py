"""Every figure by its id: the experiments whose runs it needs, and how its counterpart is measured in a ledger.

A measure is a function from runs to measurements: one for each network and split that the figure is about. It judges
nothing: verdicts.py does.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from statistics import fmean
from typing import Any, Literal

import numpy as np

from daxlab.analysis import probes
from daxlab.analysis.accuracy import median_run
from daxlab.analysis.answers import answers
from daxlab.analysis.errors import by_length, errors_by_construction, search_errors
from daxlab.analysis.parts import coverage
from daxlab.analysis.search import pooled, shared_seeds, table
from daxlab.datasets import find, release, split
from daxlab.datasets.rules import SHOTS, SIZES
from daxlab.ledger import Ledger
from daxlab.paper import translations
from daxlab.paper.experiments import BEST, FEW, NETWORKS, ONCE, OVERALL, PRIMITIVES, SPLITS, both, few, size
from daxlab.paper.runs import Measure, Measurement, Runs, draw_of
from daxlab.paper.search import ARCHITECTURES, AXES
from daxlab.paper.targets import FIGURES, target
from daxlab.paper.verdicts import Scale, interval
from daxlab.symbols import FINAL

OURS = "ours."  # begins the ids of figures that the paper lacks


def in_each(
    measure: Callable[[Ledger, Measurement], Measurement], *places: tuple[str, Sequence[str]], artefact: str = ""
) -> Measure:
    """Measure the same in the runs of each network on its split (by its name, or two names), where there are any.

    `artefact`: what a run must have kept for it; runs without it are left out, as long as others have it.
    """

    def measured(runs: Runs) -> list[Measurement]:
        each = [_with(artefact, runs.ledger, runs.of(network, *splits)) for network, splits in places]
        return [measure(runs.ledger, replicates) if replicates.rows else replicates.measured() for replicates in each]

    return measured


def _with(artefact: str, ledger: Ledger, replicates: Measurement) -> Measurement:
    rows = tuple(row for row in replicates.rows if not artefact or ledger.artefact(row["key"], artefact) is not None)
    return replace(replicates, rows=rows) if rows else replicates


# -- measured in the runs of a network on a split


def metric(name: str, _: Ledger, replicates: Measurement) -> Measurement:
    """A metric of every run."""
    return replicates.measured(replicates.values(name))


def oracle_at(length: int, ledger: Ledger, replicates: Measurement) -> Measurement:
    """Accuracy with the right length given, on the commands of so many actions."""
    frame = by_length(ledger, replicates.keys, by="actions", oracle=True).filter(length=length)
    scale = Scale(questions=sum(frame["commands"]))
    return replicates.measured(frame["accuracies"].explode().to_list(), scale=scale)


def search_failures(ledger: Ledger, replicates: Measurement) -> Measurement:
    """Search errors of every run; answers that were cut off at our cap tell nothing of the search."""
    frame = search_errors(ledger, replicates.keys).drop_nulls("search_errors")
    if frame.is_empty():
        return replicates.measured()
    counts = (frame["search_errors"] - frame["unended"]).cast(float).to_list()
    note, wrong, cut = "", frame["wrong"].sum(), fmean(frame["unended"])
    if wrong:
        note = f"{100 * sum(counts) / wrong:.2f}% of {wrong / len(counts):,.0f} wrong answers a run"
    note += f"; {cut:.1f} more were cut off at our cap and do not count" if cut else ""
    return replicates.measured(counts, note, scale=Scale.count(frame["commands"][0]))


def turn_left_errors(ledger: Ledger, replicates: Measurement) -> Measurement:
    """The median run's errors by construction; how many every run made."""
    median = median_run(ledger, replicates.keys)
    frame = errors_by_construction(ledger, median, "turn-left")
    errors = frame.filter(frame["wrong"] > 0)
    commands = sum(frame["commands"])
    counts = [round(commands * (100 - value) / 100) for value in replicates.values()]
    ours = {"run": median, "errors": sum(errors["wrong"]), "constructions": errors.to_dicts()}
    most = [f"{row['wrong']} {row['construction']!r} {row['place']}" for row in errors.head(4).to_dicts()]
    most += [f"{rest} in others"] if (rest := sum(errors["wrong"][4:])) else []
    note = f"median run: {'; '.join(most) or 'none'}"
    return replicates.measured(counts, note, ours=ours, shown=str(ours["errors"]), scale=Scale.count(commands))


def jump_right(ledger: Ledger, replicates: Measurement) -> Measurement:
    """The composed commands that come out right in the median run; how many in every run."""
    median = median_run(ledger, replicates.keys)
    every = {key: answers(ledger, key) for key in replicates.keys}
    right = {key: frame.filter("right")["command"].to_list() for key, frame in every.items()}
    some = ", ".join(map(repr, right[median][:5])) + (", …" if len(right[median]) > 5 else "")
    any_run = Counter(command for commands in right.values() for command in commands)
    note = f"median run: {some or 'none right'}; in any run: {len(any_run)}"
    counts = [float(len(commands)) for commands in right.values()]
    ours = {"run": median, "right": right[median], "any_run": dict(any_run.most_common())}
    scale = Scale.count(every[median].height)
    return replicates.measured(counts, note, ours=ours, shown=str(len(right[median])), scale=scale)


def nearest(ledger: Ledger, replicates: Measurement) -> Measurement:
    """The nearest command to each of the paper's four in every run, by every encoder state that was kept.

    Beside the five of the paper's one run stand those of our run of the lowest seed: a choice without regard to them.
    """
    paper, keys = target("exp3.neighbours").table or {}, replicates.keys
    every = [
        _nearest(row, state, without, paper[row["command"]][0][1])
        for state in dict.fromkeys(state for key in keys for state in probes.states(ledger, key))
        for without in ("", "jump")
        for row in probes.nearest(ledger, keys, state, [without]).to_dicts()
        if row["command"] in ([f"{without} twice"] if without else paper)
    ]
    if not every:
        return replicates.measured(note="no neighbours were kept")
    frame = probes.neighbours(ledger, keys[0])
    example = {command: frame.filter(command=command)["neighbour", "cosine"].rows() for command in paper}
    ours = {"every": every, "run": keys[0], "example": example}
    return replicates.measured(note=_what_differs(every), ours=ours, shown="a table")


def _nearest(row: dict[str, Any], state: str, without: str, stated: float) -> dict[str, Any]:
    """The cosines of a command's nearest in all runs, which commands these are, and the paper's cosine."""
    cosines, counts = row["cosine"], dict(Counter(row["neighbour"]).most_common())
    about = {"state": state, "command": row["command"], "without": without, "runs": len(cosines), "paper": stated}
    return {**about, "mean": fmean(cosines), "lowest": min(cosines), "highest": max(cosines), "nearest": counts}


def _what_differs(every: Sequence[dict[str, Any]]) -> str:
    """By the final state: for which commands the nearest is nearer than in the paper in every run, and the others."""
    nearer, further, mixed = "nearer than in the paper in every run", "further in every run", "nearer in some runs only"
    sides: dict[str, list[str]] = {nearer: [], further: [], mixed: []}
    for row in every:
        if row["state"] == FINAL:
            side = nearer if row["lowest"] > row["paper"] else further if row["highest"] < row["paper"] else mixed
            most, runs = next(iter(row["nearest"].items()))
            which = f"; {most!r} in {runs} of {row['runs']}" if runs > 1 else ""
            span = f"{row['lowest']:.2f} to {row['highest']:.2f}, there {row['paper']:.2f}{which}"
            left_out = f" without {row['without']!r}" if row["without"] else ""
            sides[side].append(f"{row['command']!r}{left_out} ({span})")
    parts = [f"{side} for {', '.join(commands)}" for side, commands in sides.items() if commands]
    return f"the nearest command is {'; '.join(parts)}"


# -- measured otherwise


def few_shot(shots: int, runs: Runs, network: str = FEW) -> list[Measurement]:
    """Every draw of composed commands is one value, the mean over its runs."""
    replicates = runs.of(network, *(first.removesuffix("1") for first in both(few, shots, 1)), family=True)
    by_draw: dict[str, list[float]] = {}
    for row in replicates.rows:
        by_draw.setdefault(row["split"], []).append(row["accuracy"])
    return [replicates.measured([fmean(accuracies) for accuracies in by_draw.values()])]


def over_sampling(runs: Runs) -> list[Measurement]:
    """Accuracy without over-sampling, beside that with it."""
    measurements = []
    for name, once in ONCE.items():
        often, seldom = runs.of(OVERALL, name).values(), runs.of(OVERALL, once)
        note = f"{name} without over-sampling {fmean(seldom.values()):.2f}, " if often and seldom.values() else ""
        note += f"with it {fmean(often):.2f} ({len(often)} runs)" if note else ""
        measurements.append(seldom.measured(seldom.values() if often else (), note, rivals=often))
    return measurements


def unseen_parts(percent: int, _: Runs) -> list[Measurement]:
    """How many conjunction-less commands of the test set are not in training."""
    name = size(percent, release=find(release.SCAN) is not None)
    covered = coverage(split(name))
    count, parts, times = len(covered.unseen), len(covered.parts), covered.occurrences
    ours = {"unseen": list(covered.unseen), "parts": parts, "occurrences": times}
    note = f"{count} of {parts}; the others occur {times or 0:.2f} times on average"
    return [Measurement("", name, draw_of(name), ours=ours, shown=str(count), count=count, note=note)]


def best(experiment: str, runs: Runs) -> list[Measurement]:
    """The best of our search, as the paper's figure is the best of its own; the note has the paper's choice run again.

    Where the ledger has less than half of the search, the paper's choice run again.
    """
    again = runs.of(BEST[experiment], *SPLITS[experiment])
    frame = runs.search.filter(experiment=experiment).sort("mean", "network")
    if 2 * frame.height < ARCHITECTURES:
        return [again.measured(again.values())]
    row = frame.row(-1, named=True)
    note = f"the best of {frame.height} of {ARCHITECTURES} architectures"
    if again.values():
        low, high = interval(again.values(), Scale())
        where = f"{fmean(again.values()):.2f} ({low:.2f} to {high:.2f}) in {len(again.values())} runs"
        note += f"; the paper's choice ({NETWORKS[BEST[experiment]]}) has {where}"
    draw = draw_of(row["split"]) if len(SPLITS[experiment]) > 1 else None
    searched = tuple(map(tuple, frame["accuracies"].to_list()))
    winner = Measurement(row["network"], row["split"], draw, failed=row["failed"])
    return [winner.measured(row["accuracies"], note, searched=searched)]


def srns(figure: Literal["best", "attention-mean", "attention-range"], runs: Runs) -> list[Measurement]:
    """The best SRN without attention; of those with attention, the mean, or the worst and the best.

    For the mean, every replicate of the whole search is one value; a run that failed counts as the mean of its
    architecture's others. As long as architectures are lacking, what there is of them is shown without a verdict; so is
    the range, because the ends of thirty means depend on all of them.
    """
    frame = runs.search.sort("mean", "network")  # the worst first
    frame = frame.filter(experiment="simple", cell="srn", attention=figure != "best")
    rows = frame.to_dicts()
    every = prod(len(AXES[name]) for name in ("layers", "hidden", "dropout"))
    note = f"so far of {len(rows)} of {every} architectures in the ledger; the others need the search"
    if not rows:
        return [Measurement(note=note)]
    split, draw, winner = rows[0]["split"], draw_of(rows[0]["split"]), rows[-1]
    means = [row["mean"] for row in rows]
    values = table(frame, shared_seeds(frame["seeds"].to_list()))
    without = int(np.isnan(values).all(axis=1).sum()) if figure == "attention-mean" else 0
    if len(rows) < every or without or figure == "attention-range":
        ours = {"best": means[-1:], "attention-mean": [fmean(means)], "attention-range": [means[0], means[-1]]}[figure]
        if without:
            note = f"{without} of {every} architectures have none of the seeds that most of them share"
        elif len(rows) == every:
            note = f"{rows[0]['network']} to {winner['network']}"
        return [Measurement("", split, draw, ours=ours, shown=" to ".join(f"{mean:.2f}" for mean in ours), note=note)]
    if figure == "best":
        return [Measurement(winner["network"], split, draw, failed=winner["failed"]).measured(winner["accuracies"])]
    replicates = Measurement(f"{every} SRNs with attention", split, draw, failed=sum(row["failed"] for row in rows))
    return [replicates.measured(pooled(values))]


# -- all figures


def accuracy(network: str, splits: Sequence[str], name: str = "accuracy") -> Measure:
    """How the accuracy of a network on a split is measured, or another metric."""
    return in_each(partial(metric, name), (network, splits))


def _paper() -> Iterator[tuple[str, Sequence[str], Measure]]:
    """The paper's figures."""
    for name, figure in FIGURES.items():
        yield f"{figure}.best", [name], partial(best, name)
        yield f"{figure}.overall", [name], accuracy(OVERALL, SPLITS[name])
    for srn in ("best", "attention-mean", "attention-range"):
        yield f"exp1.srn-{srn}", ["search"], partial(srns, srn)
    for percent in (1, 2, 4):
        yield f"exp1.size.{percent}", ["size"], accuracy(OVERALL, both(size, percent))
    for percent in (1, 2):
        yield f"exp1.size.{percent}.parts", ["size"], partial(unseen_parts, percent)
    for name, network in (("overall", OVERALL), ("best", BEST["length"])):
        yield f"exp2.oracle.{name}", ["length"], accuracy(network, SPLITS["length"], "oracle_accuracy")
    for length in (24, 48):
        place = (BEST["length"], SPLITS["length"])
        yield f"exp2.oracle.best.{length}", ["length"], in_each(partial(oracle_at, length), place, artefact="oracle")
    for experiment, names in (("exp2", ["length"]), ("exp3", ["turn-left", "jump"])):
        places = [(network[name], SPLITS[name]) for network in (dict.fromkeys(BEST, OVERALL), BEST) for name in names]
        yield f"{experiment}.search-errors", names, in_each(search_failures, *places, artefact="greedy")
    yield (
        "exp3.turn-left.errors",
        ["turn-left"],
        in_each(turn_left_errors, (OVERALL, SPLITS["turn-left"]), artefact="greedy"),
    )
    yield "exp3.jump.right", ["jump"], in_each(jump_right, (OVERALL, SPLITS["jump"]), artefact="greedy")
    yield "exp3.neighbours", ["jump"], in_each(nearest, (OVERALL, SPLITS["jump"]), artefact="neighbours")
    for shots in (8, 16, 32):
        yield f"exp3.few.{shots}", ["few-shot"], partial(few_shot, shots)
    yield "exp3.oversampling", ["turn-left", "jump"], over_sampling
    for kind, networks in (("overall", dict.fromkeys(BEST, OVERALL)), ("best", BEST)):
        places = [(network, SPLITS[name]) for name, network in networks.items()]
        yield f"train.{kind}", list(BEST), in_each(partial(metric, "train_accuracy"), *places)
    yield from translations.figures()


def _others() -> Iterator[tuple[str, Sequence[str], Measure]]:
    """Other results of the experiments, for which the paper states no figure."""
    for primitive in PRIMITIVES:
        yield f"{OURS}primitives.{primitive}", ["primitives"], accuracy(OVERALL, (primitive,))
    for percent in SIZES[3:]:
        yield f"{OURS}size.{percent}", ["size"], accuracy(OVERALL, both(size, percent))
    for shots in SHOTS[:3]:
        yield f"{OURS}few.{shots}", ["few-shot"], partial(few_shot, shots)
    for name in BEST:
        for network in BEST.values():
            yield f"{OURS}{name}.{network}", [name], accuracy(network, SPLITS[name])


CATALOGUE = {name: (needs, measure) for name, needs, measure in (*_paper(), *_others())}
