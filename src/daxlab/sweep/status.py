"""How far a sweep is, from its ledger alone: by anyone, at any time, while it is written.

The driver notes when it began, how much was done then, and which phase each group is in. How long the rest will take
is said by the steps under way and by what earlier runs of the same learners took; without any, by what was done since
the beginning, as if all steps took equally long. Knows nothing of processes.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from daxlab import learners
from daxlab.ledger import Group, Ledger
from daxlab.sweep.estimates import Cost, Costs, steps
from daxlab.sweep.task import Entered, OnTheWay, Phase, Progress

NOTE, PHASES = "sweep", "phases"
SCORED = 0.1  # the share of the answers after which their pace tells how long the rest takes
MOST_WAITING = 12  # groups that wait and are told one by one
SAMPLE, STEADY = 0.05, 300.0  # the share of a sweep, or the seconds, after which its pace tells how long the rest takes
Row = dict[str, Any]


@dataclass(frozen=True)
class At:
    """Where a group is: its phase, since when (seconds since 1970), how far with it, and how fast it trains."""

    phase: Phase
    since: float
    done: int = 0
    of: int = 0
    pace: float | None = None  # seconds a step, since the first report of training
    first: tuple[int, float] | None = None  # that report: the step, and when


def moved(at: At | None, event: OnTheWay) -> At:
    """Where a group is after an event."""
    now = time.time()
    if isinstance(event, Entered):
        at = at if at and at.phase == event.phase else At(event.phase, now)
        return replace(at, done=event.done, of=event.of)
    if not isinstance(event, Progress):
        return at or At("starting", now)
    at = at if at and at.phase == "training" else At("training", now)
    if at.first is None or event.update <= at.first[0]:
        return replace(at, first=(event.update, now))
    return replace(at, pace=(now - at.first[1]) / (event.update - at.first[0]))


@dataclass(frozen=True)
class Running:
    """A group under way, or one that waits."""

    group: str
    label: str  # of its first learner
    runs: int
    step: int
    steps: int
    split: str | None  # of a run that trains alone, as its seed
    seed: int | None
    phase: Phase
    seconds: float = 0.0  # in this phase
    scored: float = 0.0  # the share of its answers
    seconds_left: float | None = None  # until it has trained; until it is scored, if that is its phase


@dataclass(frozen=True)
class Status:
    """A ledger that is being written, or was. Runs are those of the sweep under way; where none is, all."""

    done: int
    running: int
    waiting: int
    others: int  # runs that wait for another sweep to go on
    failed: int
    runs_per_hour: float | None  # since the sweep began, parts of runs included; None where none is under way
    seconds_left: float | None
    scoring_known: bool  # whether seconds_left counts how long scoring takes
    groups: list[Running]
    next: list[Running]  # the first groups that wait
    best: list[Row]  # of each split (of the sweep under way) the setting with the best mean accuracy
    writing: bool  # whether a sweep is under way


def beginning(ledger: Ledger, groups: Iterable[Group], splits: Iterable[str], device: str = "cpu") -> Row:
    """What the driver notes before it begins: which groups are its own, and how much was done before."""
    rows, own = ledger.under_way(), {group.key for group in groups}
    others = [row["number"] for row in rows if row["key"] not in own]
    before = ledger.count() + _trained(row for row in rows if row["key"] in own)
    ended = {name: count for name, count in ledger.status().items() if name in ("done", "failed")}
    about = {"since": time.time(), "runs": before, "others": others, "splits": sorted(splits), "device": device}
    return {NOTE: about | ended, PHASES: {}}


def status(ledger: Ledger, at: Mapping[str, At] | None = None, updates: Mapping[str, int] | None = None) -> Status:
    """Where things stand. `at` and `updates`: what the driver knows of groups under way and has not written down."""
    with ledger.snapshot():
        now, recorded, counts, began = time.time(), ledger.under_way(), ledger.status(), ledger.note(NOTE)
        every, bests, phases = ledger.count(), ledger.best(), ledger.note(PHASES) or {}
        costs = _costs(ledger, began, recorded)
    sweep = began if began and counts["writing"] else {}
    recorded = [row | {"updates": max(row["updates"], (updates or {}).get(row["key"], 0))} for row in recorded]
    now_at = {name: At(**place) for name, place in phases.items()} | dict(at or {})
    others = set(sweep.get("others", ()))  # what was recorded since it began is its own: halves of groups
    rows = [row for row in recorded if row["number"] not in others]
    busy = [row for row in rows if row["status"] == "running" and counts["writing"]]
    waiting = [row for row in rows if row not in busy]
    started = At("starting", now)
    groups = [_running(row, now_at.get(row["key"], started), costs.get(row["key"]), now) for row in busy]
    rate = seconds = None
    if sweep and now > sweep["since"]:  # clocks jump
        elapsed, done = now - sweep["since"], every + _trained(rows) - sweep["runs"]
        left = sum(int(row["lacking"]) for row in rows) - _trained(rows)
        if done > 0 and (done >= SAMPLE * (done + left) or elapsed > STEADY):  # at first, most of it is compiling
            rate, seconds = 3600 * done / elapsed, left * elapsed / done
    known = bool(costs)
    if sweep and (by_cost := _seconds_left(groups, busy, waiting, costs)) is not None:
        seconds = by_cost
    return Status(
        done=counts["done"] - sweep.get("done", 0),
        running=sum(row["lacking"] for row in busy),
        waiting=sum(row["lacking"] for row in rows) - sum(row["lacking"] for row in busy),
        others=sum(row["lacking"] for row in recorded if row["number"] in others),
        failed=counts["failed"] - sweep.get("failed", 0),
        runs_per_hour=rate,
        seconds_left=seconds,
        scoring_known=known,
        groups=groups,
        next=[_running(row, At("waiting", now), None, now) for row in waiting[:MOST_WAITING]] if sweep else [],
        best=[row for row in bests if row["split"] in sweep.get("splits", [row["split"]])],
        writing=counts["writing"],
    )


def _costs(ledger: Ledger, sweep: Row | None, rows: Iterable[Row]) -> dict[str, Cost]:
    """What runs of each group under way cost, by the runs of this ledger."""
    if not sweep:
        return {}
    costs = Costs(sweep.get("device", "cpu"), [ledger])
    return {row["key"]: cost for row in rows if (cost := costs.of(row["spec"])) is not None}


def _running(row: Row, at: At, cost: Cost | None, now: float) -> Running:
    spec, alone = row["spec"], row["size"] == 1
    split, seed = (spec["split"]["name"], row["seed"]) if alone else (None, None)
    seconds, share = max(now - at.since, 0.0), at.done / at.of if at.phase == "scoring" and at.of else 0.0
    left, to_do = None, max(steps(spec) - row["updates"], 0)
    if share > SCORED:
        left = seconds * (1 - share) / share
    elif at.phase == "scoring" and cost:
        left = max(row["size"] * cost.end - seconds, 0.0)
    elif at.phase != "scoring" and at.pace is not None:
        left = at.pace * to_do
    elif at.phase != "scoring" and cost:
        left = max(row["size"] * cost.step * to_do - (seconds if at.phase == "training" else 0.0), 0.0)
    label = learners.label(spec)
    return Running(
        row["key"], label, row["size"], row["updates"], steps(spec), split, seed, at.phase, seconds, share, left
    )


def _seconds_left(
    groups: Iterable[Running], busy: Iterable[Row], waiting: Iterable[Row], costs: dict[str, Cost]
) -> float | None:
    """Until all is trained and scored. Groups of learners that were never timed cost as others do, a step of a run."""
    ends, lacking = list[float](), list[float]()
    paces = [g.seconds_left / (g.steps - g.step) / g.runs for g in groups if g.seconds_left and g.step < g.steps]
    usual = [*(cost.step for cost in costs.values()), *([] if costs else paces)]
    if not usual:
        return None
    mean = Cost(0.0, fmean(usual), fmean(cost.end for cost in costs.values()) if costs else 0.0)
    for group, row in zip(groups, busy, strict=True):
        cost = costs.get(row["key"], mean)
        scoring = 0.0 if group.phase == "scoring" else group.runs * cost.end
        left = group.seconds_left
        ends.append(scoring + (group.runs * cost.step * (group.steps - group.step) if left is None else left))
    for row in waiting:
        to_do = max(steps(row["spec"]) - row["updates"], 0)
        lacking.append(costs.get(row["key"], mean).seconds(row["size"], to_do))
    # Nothing is left but scoring, of which nothing is known: then nothing is said.
    return max([(sum(ends) + sum(lacking)) / max(len(ends), 1), *ends, *lacking]) or None


def _trained(rows: Iterable[Row]) -> float:
    """How many runs' worth of steps groups under way have done."""
    return float(sum(int(row["lacking"]) * min(row["updates"] / steps(row["spec"]), 1.0) for row in rows))
