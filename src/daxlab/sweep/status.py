"""How far a sweep is, from its ledger alone: by anyone, at any time, while it is written.

The driver notes down when it began and how much there was to do, by the model of cost; what is left by the same model
says how fast it really goes. It notes too which recorded groups are not its own, but of a sweep that was interrupted.
Knows nothing of processes.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from daxlab.runs import Group, Ledger
from daxlab.runs.progress import best, note, under_way
from daxlab.runs.spec import Architecture
from daxlab.sweep.cost import ahead, examining, training

NOTE = "sweep"
SURE = 0.01  # the share of the work after which its pace says more than the model


@dataclass(frozen=True)
class Running:
    """A group under way, the widest of its networks for all."""

    group: str
    network: str
    runs: int
    update: int
    updates: int
    split: str | None  # of a run that trains alone, as its seed
    seed: int | None


@dataclass(frozen=True)
class Status:
    """A ledger that is being written, or was. Runs done and failed are counted over all of it."""

    done: int
    running: int
    waiting: int  # of the sweep under way; where none is, of all
    others: int  # runs that wait for another sweep to go on
    failed: int
    runs_per_hour: float | None  # since the sweep began, parts of runs included; None where none is under way
    seconds_left: float | None
    groups: list[Running]
    best: list[dict[str, Any]]  # of each split (of the sweep under way) the setting with the best mean accuracy
    writing: bool  # whether a sweep is under way


def beginning(
    ledger: Ledger, groups: Iterable[Group], splits: Iterable[str], device: str, workers: int, at_once: int
) -> dict[str, Any]:
    """What the driver notes down before it begins: which groups are its own, which splits it was asked for, how many
    devices train, and how many groups at once on each."""
    rows, own = under_way(ledger), {group.key for group in groups}
    others = _spans(row["number"] for row in rows if row["key"] not in own)
    rows = [row for row in rows if row["key"] in own]
    runs, seconds = ledger.count() + _trained(rows), _left(rows, device, at_once)
    how = {"device": device, "workers": workers, "at_once": at_once, "others": others, "splits": sorted(splits)}
    return {NOTE: {"since": time.time(), "runs": runs, "seconds": seconds, **how}}


def _spans(numbers: Iterable[int]) -> list[list[int]]:
    """Rising numbers as few first and last ones: groups are recorded many at a time."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return spans


def status(ledger: Ledger) -> Status:
    """Where things stand."""
    with ledger.snapshot():
        now, recorded, counts, began = time.time(), under_way(ledger), ledger.status(), note(ledger, NOTE)
        every, bests = ledger.count(), best(ledger)
    ours = began if began and counts["writing"] else {}
    # What was recorded since it began is its own: halves of groups.
    others = {number for first, last in ours.get("others", ()) for number in range(first, last + 1)}
    rows = [row for row in recorded if row["number"] not in others]
    busy = [row for row in rows if row["status"] == "running" and counts["writing"]]
    rate = seconds = None
    if ours and now > ours["since"]:  # clocks jump
        elapsed, rest = now - ours["since"], _left(rows, ours["device"], ours.get("at_once", 1))
        rate = max(0.0, 3600 * (every + _trained(rows) - ours["runs"]) / elapsed)
        before, work = ahead(ours["device"], ours.get("at_once", 1)), ours["seconds"] - rest
        if work > SURE * ours["seconds"]:
            seconds = rest * elapsed / (work + ours["workers"] * before)
        else:
            seconds = rest / ours["workers"] + max(0.0, before - elapsed)
    return Status(
        done=counts["done"],
        running=sum(row["lacking"] for row in busy),
        waiting=sum(row["lacking"] for row in rows) - sum(row["lacking"] for row in busy),
        others=sum(row["lacking"] for row in recorded if row["number"] in others),
        failed=counts["failed"],
        runs_per_hour=rate,
        seconds_left=seconds,
        groups=[_running(row) for row in busy],
        best=[row for row in bests if row["split"] in ours.get("splits", [row["split"]])],
        writing=counts["writing"],
    )


def _running(row: dict[str, Any]) -> Running:
    spec, alone = row["spec"], row["size"] == 1
    network = Architecture(**spec["network"])
    one = (spec["split"]["name"], row["seed"]) if alone else (None, None)
    shown = str(network) if alone else network.shape
    return Running(row["key"], shown, row["size"], row["updates"], spec["protocol"]["updates"], *one)


def _share(row: dict[str, Any]) -> float:
    return float(min(row["updates"] / row["spec"]["protocol"]["updates"], 1.0))


def _trained(rows: Iterable[dict[str, Any]]) -> float:
    """Runs' worth of updates in groups under way."""
    return sum(int(row["lacking"]) * _share(row) for row in rows)


def _left(rows: Iterable[dict[str, Any]], device: str, at_once: int) -> float:
    """Seconds of one device that the model has for the rest; a group's first member is its widest."""
    total = 0.0
    for row in rows:
        spec, one = row["spec"], Architecture(**row["spec"]["network"])
        updates = max(0, spec["protocol"]["updates"] - row["updates"])
        language = spec["language"]["name"]
        total += training(one, row["size"], updates, device, at_once, language)
        total += examining(one, row["size"], device, language)
    return total
