"""What groups of runs will take, about: seconds on a device, and bytes on disk.

A small model of what was measured, corrected by what groups of the same architecture took on this kind of device, where
the ledger has some. An update streams every weight of every run through the device, and has a price however small it
is. Knows nothing of JAX.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daxlab.store import Group, Ledger
from daxlab.sweep.spec import Architecture

GATES = {"srn": 1, "gru": 3, "lstm": 4}
WORDS, ACTIONS, PRODUCED = 16, 9, 7  # SCAN's vocabularies with their signs; for other languages near enough
LEDGER_BYTES = 30_000  # of a run: its predictions, likelihoods and curve


@dataclass(frozen=True)
class Device:
    """Seconds that a kind of device was measured to take; updates are within a tenth of every measurement."""

    update: float  # whatever its size
    weight: float  # more for each weight of each run
    start: float  # of a group: loading, compiling
    examine: float  # all the answers
    examine_weight: float = 0.0  # more for each weight of each run


# Measured, ms an update. One H200: LSTM 2x200 1.17 (5 runs), 2.04 (20), 4.1 (64); LSTM 1x100 with attention 1.02 (20),
# 2.76 (180). One CPU core, one run: 4.5 and 0.85; examining it, 45 and 25 s.
DEVICES = {
    "gpu": Device(update=0.9e-3, weight=0.042e-9, start=40, examine=15),
    "cpu": Device(update=0.08e-3, weight=3.4e-9, start=10, examine=20, examine_weight=20e-6),
}


@dataclass(frozen=True)
class Cost:
    """About what a plan will take."""

    runs: int
    groups: int
    seconds: float
    bytes: int
    measured: int  # groups whose architecture the ledger has timed on this kind of device


def cost(groups: Sequence[Group], device: str, workers: int, ledger: Ledger | None = None) -> Cost:
    """About what these groups will take, so many at a time; a group is of one architecture but for dropout."""
    speeds: dict[str, float | None] = {}
    seconds, measured, disk = [], 0, 0
    for group in groups:
        first = group.members[0]
        kind = str(Architecture(**first["network"] | {"dropout": 0}))
        if kind not in speeds:
            speeds[kind] = _speed(ledger, first, device) if ledger else None
        measured += speeds[kind] is not None
        seconds.append((speeds[kind] or 1.0) * modelled(first, len(group.members), device))
        disk += len(group.members) * (LEDGER_BYTES + 4 * parameters(Architecture(**first["network"])))
    # No group is shared by workers, so the longest is the least it can take.
    spent = max(sum(seconds) / workers, max(seconds, default=0.0))
    return Cost(sum(len(group.members) for group in groups), len(groups), spent, disk, measured)


def modelled(spec: Any, runs: int, device: str) -> float:
    """Seconds that the model has for training and examining so many runs of a spec at once."""
    how, weights = DEVICES[device], runs * parameters(Architecture(**spec["network"]))
    training = how.start + int(spec["protocol"]["updates"]) * (how.update + how.weight * weights)
    return training + how.examine + how.examine_weight * weights


def _speed(ledger: Ledger, spec: Any, device: str) -> float | None:
    """What the latest group of an architecture and so many updates took on such a device, in terms of the model."""
    parts = {name: spec["network"][name] for name in ("cell", "layers", "hidden", "attention")}
    for row in ledger.rows(parts | {"updates": spec["protocol"]["updates"]}, limit=64):
        if row["group"] is None or row["origin"].get("platform") != device:
            continue
        timing = ledger.run(row["key"]).timing
        whole = "examine_seconds" in timing  # older timings leave examining out, and what was before a resumption
        if timing.get("group_seconds") and (whole or not timing.get("resumed")):
            took = timing["group_seconds"] + (0 if whole else DEVICES[device].examine)
            return float(took) / modelled(row["spec"], ledger.count({"group": row["group"]}), device)
    return None


def parameters(architecture: Architecture) -> int:
    """How many weights a network has."""
    hidden, gates = architecture.hidden, GATES[architecture.cell]

    def recurrent(inputs: int) -> int:
        return gates * hidden * (inputs + hidden + 2)  # two bias vectors

    first = recurrent(2 * hidden if architecture.attention else hidden)  # the decoder sees the context too
    layers = recurrent(hidden) + first + 2 * (architecture.layers - 1) * recurrent(hidden)
    attention = hidden * (2 * hidden + 1) if architecture.attention else 0
    output = PRODUCED * ((2 if architecture.attention else 1) * hidden + 1)
    return layers + attention + output + (WORDS + ACTIONS) * hidden
