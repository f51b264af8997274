"""What the paper's claims need beside the figures of the comparison: the same shape as measures.py, and no verdicts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import polars as pl

from daxlab.analysis.errors import by_length, errors_by_construction, search_errors
from daxlab.analysis.probes import neighbours
from daxlab.analysis.search import ranked, shared_seeds, table
from daxlab.datasets import find, release, split
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.paper.experiments import BEST, OVERALL, PRIMITIVES, SCAN, SPLITS, recorded_values, size
from daxlab.paper.measures import few_shot, in_each, srns
from daxlab.paper.runs import Measure, Measurement, Runs, draw_of
from daxlab.paper.verdicts import Scale
from daxlab.protocol import SEMANTICS

EXAMPLE = ("jump opposite right after", "after walk around right thrice")  # parts of Experiment 1's example
GOOD = 80.0  # per cent: a network that generalises very well
NUMBER = Scale(of=None)  # no share of anything


def example_parts(_: Runs) -> list[Measurement]:
    """How often the parts of the paper's example of a new command occur in training: the rarer one."""
    name = size(80, release=find(release.SCAN) is not None)
    commands = [f" {example.command} " for example in split(name).train]
    times = [sum(f" {part} " in command for command in commands) for part in EXAMPLE]
    return [Measurement("", name, draw_of(name), count=min(times))]


def srn_training(runs: Runs) -> list[Measurement]:
    """The best SRN without attention on its training commands."""
    (best,) = srns("best", runs)
    where = {"dataset": SCAN, "semantics": SEMANTICS, "label": best.network, "split": best.split}
    rows = runs.ledger.rows(recorded_values(runs.protocol) | where) if best.runs else []
    trained = Measurement.of(rows, best.network, best.split, best.draw)
    return [trained.measured(trained.values("train_accuracy"))]


def without_attention(runs: Runs) -> list[Measurement]:
    """The best LSTM and the best GRU without attention on simple."""
    best = []
    for cell in ("lstm", "gru"):
        frame = runs.search.filter(experiment="simple", cell=cell, attention=False).sort("mean", "network")
        searched = tuple(map(tuple, frame["accuracies"].to_list()))
        best.append(Measurement(cell.upper(), runs=searched[-1] if searched else (), searched=searched))
    return best


def _pooled(frame: pl.DataFrame) -> list[float]:
    """Each run's accuracy on the commands of all these lengths together."""
    return list(np.average(frame["accuracies"].to_list(), axis=0, weights=frame["commands"]))


def drop(ledger: Ledger, replicates: Measurement) -> Measurement:
    """How many points each run loses from 25 actions to 26."""
    frame = by_length(ledger, replicates.keys)
    before, after = (_pooled(frame.filter(length=length)) for length in (25, 26))
    return replicates.measured([a - b for a, b in zip(before, after, strict=True)], scale=NUMBER)


def beyond_25(ledger: Ledger, replicates: Measurement) -> Measurement:
    """Accuracy on commands of 26 actions and more."""
    return replicates.measured(_pooled(by_length(ledger, replicates.keys).filter(pl.col("length") > 25)))


def short_commands(ledger: Ledger, replicates: Measurement) -> Measurement:
    """Accuracy on commands of fewer than 8 words."""
    return replicates.measured(_pooled(by_length(ledger, replicates.keys, by="words").filter(pl.col("length") < 8)))


def long_in_training(_: Runs) -> list[Measurement]:
    """The share of the training commands of 20 actions and more that have 8 or 9 words."""
    words = [len(example.command.split()) for example in split("length").train if len(example.actions) >= 20]
    return [Measurement("", "length", count=100 * sum(count in (8, 9) for count in words) // len(words))]


def search_share(ledger: Ledger, replicates: Measurement) -> Measurement:
    """The share of a run's errors that the network itself finds less likely than the target; not those cut off."""
    frame = search_errors(ledger, replicates.keys).drop_nulls("search_errors").filter(pl.col("wrong") > 0)
    return replicates.measured((100 * (frame["search_errors"] - frame["unended"]) / frame["wrong"]).to_list())


def oracle_gain(_: Ledger, replicates: Measurement) -> Measurement:
    """How many points each run gains when it is told the right length."""
    rows = [row for row in replicates.rows if row["oracle_accuracy"] is not None]
    return replicates.measured([row["oracle_accuracy"] - row["accuracy"] for row in rows], scale=NUMBER)


def many(runs: Runs) -> list[Measurement]:
    """In each replicate of the search on turn-left, how many architectures generalise very well."""
    frame = runs.search.filter(experiment="turn-left")
    if frame.height < 2:
        return [Measurement()]
    counts = (table(frame, shared_seeds(frame["seeds"].to_list())) >= GOOD).sum(axis=0)
    return [Measurement(runs=tuple(map(float, counts)), scale=Scale.count(frame.height))]


def odd_errors(ledger: Ledger, replicates: Measurement) -> Measurement:
    """The share of each run's errors that are conjunctions with “turn left” or “turn left thrice”."""
    shares = []
    for key in replicates.keys:
        frame = errors_by_construction(ledger, key, "turn-left")
        odd = frame.filter(pl.col("construction").is_in(["turn left", "turn left thrice"]), place="in a conjunction")
        wrong = sum(frame["wrong"])
        shares += [100 * sum(odd["wrong"]) / wrong] if wrong else []
    return replicates.measured(shares)


def cosines(command: str, primitives: bool, ledger: Ledger, replicates: Measurement) -> Measurement:
    """The cosine of a command and its nearest; with `primitives`, the nearest primitive of its nearest five, or 0."""
    frames = [neighbours(ledger, key).filter(command=command) for key in replicates.keys]
    if primitives:
        names = [name.replace("-", " ") for name in PRIMITIVES]
        frames = [frame.with_columns(cosine=pl.col("cosine") * pl.col("neighbour").is_in(names)) for frame in frames]
    return replicates.measured([max(frame["cosine"]) for frame in frames if frame.height], scale=NUMBER)


def few_shot_best(runs: Runs) -> list[Measurement]:
    """With 32 composed commands, the network that is best on jump beside the overall best."""
    ((best,), (overall,)) = (few_shot(32, runs), few_shot(32, runs, OVERALL))
    if best.runs and overall.draw != best.draw:
        splits = " ".join(f"--split {row['split']}" for row in best.rows)
        raise InputError(
            f"overall-best has no runs with composed commands; 'daxlab train --runs 1 {splits}' trains them"
        )
    return [replace(best, rivals=overall.runs)]


def best_of_all(runs: Runs) -> list[Measurement]:
    """How many architectures are the best of all four experiments: at least, and at most."""
    if set(runs.search["experiment"]) != set(SPLITS):
        return [Measurement()]
    contenders = [set(ranked(runs.search, name).filter("contender")["network"]) for name in SPLITS]
    if not all(contenders) or runs.search["network"].n_unique() < 2:  # too few runs to say which may be the best
        return [Measurement()]
    every, common = set.union(*contenders), set.intersection(*contenders)
    values = tuple(chain.from_iterable(runs.search["accuracies"].to_list()))
    return [Measurement(runs=values, ours=(float(len(every) == 1), float(len(common))))]


def _evidence() -> Iterator[tuple[str, Sequence[str], Measure]]:
    length, turn_left = (OVERALL, SPLITS["length"]), (OVERALL, SPLITS["turn-left"])
    both = [length, (BEST["length"], SPLITS["length"])]
    yield "exp1.example", ["simple"], example_parts
    yield "exp1.srn-training", ["search"], srn_training
    yield "exp1.without-attention", ["search"], without_attention
    yield "exp2.drop", ["length"], in_each(drop, length, artefact="greedy")
    yield "exp2.beyond-25", ["length"], in_each(beyond_25, length, artefact="greedy")
    yield "exp2.short-commands", ["length"], in_each(short_commands, length, artefact="greedy")
    yield "exp2.long-in-training", ["length"], long_in_training
    yield "exp2.search-share", ["length"], in_each(search_share, *both, artefact="greedy")
    yield "exp2.oracle.gain", ["length"], in_each(oracle_gain, *both)
    yield "exp3.turn-left.many", ["search"], many
    yield "exp3.turn-left.odd", ["turn-left"], in_each(odd_errors, turn_left, artefact="greedy")
    for name, command, primitives in (
        ("jump", "run", True),
        ("simple", "jump", True),
        ("jump", "jump", False),
        ("jump", "jump twice", False),
    ):
        near = in_each(partial(cosines, command, primitives), (OVERALL, SPLITS[name]), artefact="neighbours")
        yield f"cosine.{name}.{command}", [name], near
    yield "exp3.few.best", ["few-shot"], few_shot_best
    yield "search.best", ["search"], best_of_all


EVIDENCE = {name: (needs, measure) for name, needs, measure in _evidence()}
