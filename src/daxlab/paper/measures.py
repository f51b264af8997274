"""For each figure of the paper, what in the ledger is its counterpart. Judges nothing: verdicts.py does.

A measure is a function from runs to parts: one measurement for each network and split that the figure is about.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

from daxlab.analysis.accuracy import median_run
from daxlab.analysis.constructions import composed_right, errors_by_construction
from daxlab.analysis.lengths import by_length
from daxlab.analysis.neighbours import neighbours
from daxlab.analysis.parts import coverage
from daxlab.analysis.search import search_errors
from daxlab.corpora import find, split
from daxlab.corpora.release import SCAN
from daxlab.paper.experiments import BEST, FEW, ONCE, OVERALL, PRIMITIVES, few, simple, size
from daxlab.paper.runs import Draw, Found, Runs, Splits
from daxlab.paper.targets import paper, targets
from daxlab.splits import SHOTS, SIZES

SEARCHED = ("layers", "hidden", "dropout")
OURS = "ours."  # begins the ids of figures that the paper lacks


@dataclass(frozen=True)
class Part:
    """One measurement: runs of a network on a split, or what is no mean of runs (`ours`)."""

    network: str | None = None
    split: str | None = None
    draw: Draw | None = None
    runs: tuple[float, ...] = ()
    ours: Any = None  # what is shown as it is: a list, a table, the ends of a range
    shown: str = ""  # our figure as text, where it is not the mean
    count: int | None = None  # what has no chance in it
    claim: tuple[float, str | None, int | None] | None = None  # value, relation, the paper's runs; None: the target's
    note: str = ""


Measure = Callable[[Runs], list[Part]]


def _part(network: str, found: Found, runs: Sequence[float], **more: Any) -> Part:
    note = [f"{found.failed} failed and {'is' if found.failed == 1 else 'are'} left out"] if found.failed else []
    note += [more.pop("note")] if "note" in more else []
    return Part(network, found.split, found.draw, tuple(runs), note="; ".join(note), **more)


def _always(name: str) -> Splits:
    return lambda release: name


MAIN: dict[str, Splits] = {"simple": simple, **{name: _always(name) for name in ("length", "turn-left", "jump")}}


def accuracy(network: str, splits: Splits, runs: Runs, metric: str = "accuracy") -> list[Part]:
    """A metric of every run."""
    found = runs.of(network, splits)
    return [_part(network, found, found.values(metric))]


def trained(networks: dict[str, str], runs: Runs) -> list[Part]:
    """Accuracy on the training set, on each main split."""
    return [part for name, network in networks.items() for part in accuracy(network, MAIN[name], runs, "train_accuracy")]


def oracle_at(length: int, runs: Runs) -> list[Part]:
    """Accuracy with the right length given, on the commands of so many actions."""
    found = runs.of(BEST["length"], MAIN["length"])
    frame = by_length(runs.ledger, found.keys, by="actions", oracle=True)
    rates = dict(zip(frame["length"], frame["accuracies"], strict=True))
    return [_part(BEST["length"], found, rates.get(length, ()))]


def search_failures(names: Sequence[str], runs: Runs) -> list[Part]:
    """Search errors of every run of the overall-best network and the best one, on each of the splits."""
    parts = []
    for name, network in ((name, network) for name in names for network in (OVERALL, BEST[name])):
        found = runs.of(network, MAIN[name])
        frame = search_errors(runs.ledger, found.keys)
        wrong = f"of {frame['wrong'].mean():,.0f} wrong answers a run" if frame.height else ""
        counts = [float(count) for count in frame["search_errors"].drop_nulls()]
        parts.append(_part(network, found, counts, **({"note": wrong} if wrong else {})))
    return parts


def few_shot(shots: int, runs: Runs) -> list[Part]:
    """Every draw of composed commands is one value, the mean over its runs."""
    found = runs.draws(FEW, lambda release: few(shots, 1, release).removesuffix("1"))
    by_draw: dict[str, list[float]] = {}
    for row in found.rows:
        by_draw.setdefault(row["split"], []).append(row["accuracy"])
    return [_part(FEW, found, [fmean(some) for some in by_draw.values()])]


def over_sampling(runs: Runs) -> list[Part]:
    """With over-sampling minus without, seed by seed."""
    parts = []
    for name, once in ONCE.items():
        often, seldom = (runs.of(OVERALL, _always(split)) for split in (name, once))
        pair = [{row["seed"]: row["accuracy"] for row in found.rows} for found in (often, seldom)]
        seeds = sorted(pair[0].keys() & pair[1].keys())
        means = [fmean(one[seed] for seed in seeds) for one in pair] if seeds else []
        note = f"{name} with over-sampling {means[0]:.2f}, without {means[1]:.2f}" if means else f"{name} and {once} share no seed"
        differences = [pair[0][seed] - pair[1][seed] for seed in seeds]
        more = {"note": note} if seldom.rows else {}
        parts.append(_part(OVERALL, seldom, differences, claim=(0, "more than", None), **more))
    return parts


def turn_left_errors(runs: Runs) -> list[Part]:
    """The errors of the median run by construction; how many every run made."""
    found = runs.of(OVERALL, MAIN["turn-left"])
    if not found.rows:
        return [_part(OVERALL, found, ())]
    median = median_run(runs.ledger, found.keys)
    frame = errors_by_construction(runs.ledger, median, "turn-left")
    errors = frame.filter(frame["wrong"] > 0)
    commands = frame["commands"].sum()
    counts = [round(commands * (100 - value) / 100) for value in found.values()]
    ours = {"run": median, "errors": int(errors["wrong"].sum()), "constructions": errors.to_dicts()}
    named = "; ".join(f"{row['wrong']} {row['construction']!r} {row['place']}" for row in errors.head(4).to_dicts())
    return [_part(OVERALL, found, counts, ours=ours, shown=str(ours["errors"]), note=f"median run: {named or 'none'}")]


def jump_right(runs: Runs) -> list[Part]:
    """The composed commands that the median run gets right; how many every run does."""
    found = runs.of(OVERALL, MAIN["jump"])
    if not found.rows:
        return [_part(OVERALL, found, ())]
    median = median_run(runs.ledger, found.keys)
    right = {key: composed_right(runs.ledger, key) for key in found.keys}
    ours = {"run": median, "right": right[median]}
    some = ", ".join(map(repr, right[median][:5])) + (", …" if len(right[median]) > 5 else "")
    counts = [float(len(one)) for one in right.values()]
    shown = str(len(right[median]))
    return [_part(OVERALL, found, counts, ours=ours, shown=shown, note=f"median run: {some or 'none right'}")]


def nearest(runs: Runs) -> list[Part]:
    """The median run's neighbours of the paper's four commands."""
    found = runs.of(OVERALL, MAIN["jump"])
    if not found.rows:
        return [_part(OVERALL, found, ())]
    frame = neighbours(runs.ledger, median_run(runs.ledger, found.keys))
    (asked,) = (target.table for target in targets() if target.table)
    ours = {
        command: [list(pair) for pair in frame.filter(frame["command"] == command)["neighbour", "cosine"].iter_rows()]
        for command in asked or ()
    }
    if not any(ours.values()):
        return [_part(OVERALL, found, (), note="no neighbours were kept of the median run")]
    said = "; ".join(f"{command}: {near[0][0]} {near[0][1]:.2f}" for command, near in ours.items() if near)
    return [_part(OVERALL, found, (), ours=ours, shown="a table", note=f"nearest in the median run: {said}")]


def unseen_parts(percent: int, runs: Runs) -> list[Part]:
    """How many conjunction-less commands of the test set are not in training; the release's draw has no chance in it."""
    release = find(SCAN) is not None
    name = size(percent, release)
    found = coverage(split(name))
    ours = {"unseen": list(found.unseen), "parts": len(found.parts), "occurrences": found.occurrences}
    note = f"{len(found.unseen)} of {len(found.parts)}; the others occur {found.occurrences or 0:.2f} times on average"
    return [Part(None, name, "release" if release else "own", ours=ours, shown=str(len(found.unseen)), count=len(found.unseen), note=note)]


# The search over SRNs.


def _searched(attention: bool, runs: Runs) -> tuple[dict[Any, Found], str]:
    """Every SRN architecture of the paper's search with its runs; if one lacks runs, nothing, and what is lacking."""
    grid = set(product(*(paper()["search"][name] for name in SEARCHED)))
    found = {
        kind: some
        for kind, some in runs.architectures({"cell": "srn", "attention": attention}, simple).items()
        if some.rows and tuple(getattr(kind, name) for name in SEARCHED) in grid
    }
    if len(found) < len(grid):
        return {}, f"needs the search over architectures: {len(found)} of {len(grid)} architectures are in the ledger"
    return found, ""


def srn_best(runs: Runs) -> list[Part]:
    """The best SRN without attention."""
    found, lacking = _searched(False, runs)
    if not found:
        return [Part(note=lacking)]
    best = max(found, key=lambda kind: fmean(found[kind].values()))
    return [_part(str(best), found[best], found[best].values())]


def srn_mean(runs: Runs) -> list[Part]:
    """Every replicate of the whole search is one value: the mean over architectures (its own mean for a run that failed)."""
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    by_seed = [{row["seed"]: row["accuracy"] for row in some.rows} for some in found.values()]
    seeds = sorted({seed for one in by_seed for seed in one})
    values = [fmean(one.get(seed, fmean(one.values())) for one in by_seed) for seed in seeds]
    some = next(iter(found.values()))
    return [_part(f"{len(found)} SRNs with attention", some, values)]


def srn_range(runs: Runs) -> list[Part]:
    """The worst and the best architecture, each against its end of the paper's range."""
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    ranked = sorted(found, key=lambda kind: fmean(found[kind].values()))
    (ends,) = (target.range for target in targets() if target.id == "exp1.srn-attention-range")
    return [
        _part(str(kind), found[kind], found[kind].values(), claim=(end, None, 5))
        for kind, end in zip((ranked[0], ranked[-1]), ends or (), strict=True)
    ]


def translation(runs: Runs) -> list[Part]:
    """Experiment 4 has no runs in this ledger's language."""
    return [Part(note="needs the English-French experiment")]


def _catalogue() -> Iterator[tuple[str, tuple[str, ...], Measure]]:
    """Ids, the experiments whose runs they need, and how they are measured."""
    yield "exp1.best", ("simple",), partial(accuracy, BEST["simple"], simple)
    yield "exp1.overall", ("simple",), partial(accuracy, OVERALL, simple)
    yield "exp1.srn-best", (), srn_best
    yield "exp1.srn-attention-mean", (), srn_mean
    yield "exp1.srn-attention-range", (), srn_range
    for percent in (1, 2, 4):
        yield f"exp1.size.{percent}", ("size",), partial(accuracy, OVERALL, partial(size, percent))
    for percent in (1, 2):
        yield f"exp1.size.{percent}.parts", ("size",), partial(unseen_parts, percent)
    yield "exp2.best", ("length",), partial(accuracy, BEST["length"], MAIN["length"])
    yield "exp2.overall", ("length",), partial(accuracy, OVERALL, MAIN["length"])
    for name, network in (("overall", OVERALL), ("best", BEST["length"])):
        how = partial(accuracy, network, MAIN["length"], metric="oracle_accuracy")
        yield f"exp2.oracle.{name}", ("length",), how
    for length in (24, 48):
        yield f"exp2.oracle.best.{length}", ("length",), partial(oracle_at, length)
    yield "exp2.search-errors", ("length",), partial(search_failures, ("length",))
    for name in ("turn-left", "jump"):
        yield f"exp3.{name}.best", (name,), partial(accuracy, BEST[name], MAIN[name])
        yield f"exp3.{name}.overall", (name,), partial(accuracy, OVERALL, MAIN[name])
    yield "exp3.turn-left.errors", ("turn-left",), turn_left_errors
    yield "exp3.jump.right", ("jump",), jump_right
    yield "exp3.neighbours", ("jump",), nearest
    for shots in (8, 16, 32):
        yield f"exp3.few.{shots}", ("few-shot",), partial(few_shot, shots)
    yield "exp3.search-errors", ("turn-left", "jump"), partial(search_failures, ("turn-left", "jump"))
    yield "exp3.oversampling", ("turn-left", "jump"), over_sampling
    yield "train.overall", tuple(MAIN), partial(trained, dict.fromkeys(MAIN, OVERALL))
    yield "train.best", tuple(MAIN), partial(trained, BEST)
    for target in targets():
        if target.id.startswith("exp4."):
            yield target.id, (), translation



def _beside() -> Iterator[tuple[str, tuple[str, ...], Measure]]:
    """What the experiments measure too and the paper states no figure for."""
    for primitive in PRIMITIVES:
        yield f"{OURS}primitives.{primitive}", ("primitives",), partial(accuracy, OVERALL, _always(primitive))
    for percent in SIZES[3:]:
        yield f"{OURS}size.{percent}", ("size",), partial(accuracy, OVERALL, partial(size, percent))
    for shots in SHOTS[:3]:
        yield f"{OURS}few.{shots}", ("few-shot",), partial(few_shot, shots)
    for name, splits in MAIN.items():
        for network in (one for one in BEST.values() if one != BEST[name]):
            yield f"{OURS}{name}.{network}", (name,), partial(accuracy, network, splits)


CATALOGUE = {name: (needs, measure) for name, needs, measure in (*_catalogue(), *_beside())}
