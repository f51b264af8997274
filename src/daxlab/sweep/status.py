"""How far a sweep is, from its ledger alone: by anyone, at any time, while it is written.

The driver notes down when it began and how much there was to do, by the model of cost; what is left by the same model
says how fast it really goes. Knows nothing of processes.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from daxlab.store import Ledger
from daxlab.store.progress import best, note, under_way
from daxlab.sweep.cost import modelled
from daxlab.sweep.spec import Architecture

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


@dataclass(frozen=True)
class Status:
    """A ledger that is being written, or was. Runs are counted over all of it."""

    done: int
    running: int
    waiting: int
    failed: int
    runs_per_hour: float | None  # since the sweep began, parts of runs included; None where none is under way
    seconds_left: float | None
    groups: list[Running]
    best: list[dict[str, Any]]  # of each split the setting with the best mean accuracy
    writing: bool  # whether a sweep is under way


def beginning(ledger: Ledger, device: str, workers: int, at_once: int) -> dict[str, Any]:
    """What the driver notes down before it begins: how many devices train, and how many groups at once on each."""
    rows = under_way(ledger)
    runs, seconds = ledger.count() + _trained(rows), _left(rows, device, at_once)
    how = {"device": device, "workers": workers, "at_once": at_once}
    return {NOTE: {"since": time.time(), "runs": runs, "seconds": seconds, **how}}


def status(ledger: Ledger) -> Status:
    """Where things stand."""
    now, rows, counts, began = time.time(), under_way(ledger), ledger.status(), note(ledger, NOTE)
    running = [_running(row) for row in rows if row["status"] == "running" and counts["writing"]]
    busy = sum(group.runs for group in running)
    rate = seconds = None
    if began and counts["writing"] and now > began["since"]:  # clocks jump
        elapsed, left = now - began["since"], _left(rows, began["device"], began.get("at_once", 1))
        rate = max(0.0, 3600 * (ledger.count() + _trained(rows) - began["runs"]) / elapsed)
        work = began["seconds"] - left
        seconds = left * elapsed / work if work > SURE * began["seconds"] else left / began["workers"]
    return Status(
        done=counts["done"],
        running=busy,
        waiting=max(0, counts["pending"] - busy),
        failed=counts["failed"],
        runs_per_hour=rate,
        seconds_left=seconds,
        groups=running,
        best=best(ledger),
        writing=counts["writing"],
    )


def _running(row: dict[str, Any]) -> Running:
    network = str(Architecture(**row["spec"]["network"] | {"dropout": 0})).removesuffix(", dropout 0")
    return Running(row["key"], network, row["size"], row["updates"], row["spec"]["protocol"]["updates"])


def _share(row: dict[str, Any]) -> float:
    return float(min(row["updates"] / row["spec"]["protocol"]["updates"], 1.0))


def _trained(rows: Iterable[dict[str, Any]]) -> float:
    """Runs' worth of updates in groups under way."""
    return sum(int(row["size"]) * _share(row) for row in rows)


def _left(rows: Iterable[dict[str, Any]], device: str, at_once: int) -> float:
    """Seconds of one device that the model has for the rest; a group's first member is its widest."""
    known: dict[tuple[int, int], float] = {}
    total = 0.0
    for row in rows:
        kind = (id(row["spec"]), row["size"])  # groups of one setting share the object
        if kind not in known:
            one, updates = Architecture(**row["spec"]["network"]), row["spec"]["protocol"]["updates"]
            known[kind] = modelled(one, row["size"], updates, device, at_once)
        total += known[kind] * (1 - _share(row))
    return total
