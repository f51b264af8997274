"""How far a sweep is, from its ledger alone: by anyone, at any time, while it is written.

The driver notes when it began and how much was done then; what was done since says how fast it goes, and so how long
the rest will take, as if all steps took equally long. Knows nothing of processes.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from daxlab import learners
from daxlab.ledger import Group, Ledger
from daxlab.sweep.estimates import steps

NOTE = "sweep"
SAMPLE, STEADY = 0.05, 300.0  # the share of a sweep, or the seconds, after which its pace tells how long the rest takes
Row = dict[str, Any]


@dataclass(frozen=True)
class Running:
    """A group under way."""

    group: str
    label: str  # of its first learner
    runs: int
    step: int
    steps: int
    split: str | None  # of a run that trains alone, as its seed
    seed: int | None


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
    groups: list[Running]
    best: list[Row]  # of each split (of the sweep under way) the setting with the best mean accuracy
    writing: bool  # whether a sweep is under way


def beginning(ledger: Ledger, groups: Iterable[Group], splits: Iterable[str]) -> Row:
    """What the driver notes before it begins: which groups are its own, and how much was done before."""
    rows, own = ledger.under_way(), {group.key for group in groups}
    others = [row["number"] for row in rows if row["key"] not in own]
    before = ledger.count() + _trained(row for row in rows if row["key"] in own)
    ended = {name: count for name, count in ledger.status().items() if name in ("done", "failed")}
    return {NOTE: {"since": time.time(), "runs": before, "others": others, "splits": sorted(splits), **ended}}


def status(ledger: Ledger) -> Status:
    """Where things stand."""
    with ledger.snapshot():
        now, recorded, counts, began = time.time(), ledger.under_way(), ledger.status(), ledger.note(NOTE)
        every, bests = ledger.count(), ledger.best()
    sweep = began if began and counts["writing"] else {}
    others = set(sweep.get("others", ()))  # what was recorded since it began is its own: halves of groups
    rows = [row for row in recorded if row["number"] not in others]
    busy = [row for row in rows if row["status"] == "running" and counts["writing"]]
    rate = seconds = None
    if sweep and now > sweep["since"]:  # clocks jump
        elapsed, done = now - sweep["since"], every + _trained(rows) - sweep["runs"]
        left = sum(int(row["lacking"]) for row in rows) - _trained(rows)
        if done > 0 and (done >= SAMPLE * (done + left) or elapsed > STEADY):  # at first, most of it is compiling
            rate, seconds = 3600 * done / elapsed, left * elapsed / done
    return Status(
        done=counts["done"] - sweep.get("done", 0),
        running=sum(row["lacking"] for row in busy),
        waiting=sum(row["lacking"] for row in rows) - sum(row["lacking"] for row in busy),
        others=sum(row["lacking"] for row in recorded if row["number"] in others),
        failed=counts["failed"] - sweep.get("failed", 0),
        runs_per_hour=rate,
        seconds_left=seconds,
        groups=[_running(row) for row in busy],
        best=[row for row in bests if row["split"] in sweep.get("splits", [row["split"]])],
        writing=counts["writing"],
    )


def _running(row: Row) -> Running:
    spec, alone = row["spec"], row["size"] == 1
    place = (spec["split"]["name"], row["seed"]) if alone else (None, None)
    return Running(row["key"], learners.label(spec), row["size"], row["updates"], steps(spec), *place)


def _trained(rows: Iterable[Row]) -> float:
    """How many runs' worth of steps groups under way have done."""
    return float(sum(int(row["lacking"]) * min(row["updates"] / steps(row["spec"]), 1.0) for row in rows))
