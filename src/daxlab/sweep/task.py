"""What passes between the driver and a worker: tasks one way, events the other. Plain data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from daxlab.ledger import Run
from daxlab.ledger.spec import Spec

Phase = Literal["starting", "waiting", "compiling", "training", "scoring"]
TRIES = 3  # of a task whose worker died; a node that is lost is not the task's fault


@dataclass(frozen=True)
class Task:
    """A group to be trained: its key, its members in order and the keys of their runs, where its checkpoint goes."""

    group: str
    members: tuple[Spec, ...]
    keys: tuple[str, ...]
    checkpoint: Path | None  # None: nowhere, so that it is trained in one go
    checkpoint_every: float = 20.0  # seconds
    keep_weights: bool = True
    snapshots: int = 0  # points of training at which networks keep their weights too
    set_aside: bool = True  # a damaged checkpoint, and train from the start; else it is an error


@dataclass(frozen=True)
class Event:
    """What a worker says of a group."""

    group: str


class Started(Event):
    """A worker has taken the group up."""


@dataclass(frozen=True)
class Entered(Event):
    """What the group does now, and how far it is with that where it can tell."""

    phase: Phase
    done: int = 0
    of: int = 0


@dataclass(frozen=True)
class Progress(Event):
    """How many steps of its training the group has done."""

    update: int
    losses: tuple[float, ...]  # of each run, the mean over the last updates


@dataclass(frozen=True)
class Noted(Event):
    """What the user should know, though the work goes on."""

    message: str


@dataclass(frozen=True)
class Finished(Event):
    """The group's runs, for the ledger, and their weights as safetensors, by key; snapshots by key and update."""

    runs: tuple[Run, ...]
    weights: dict[str, bytes]
    snapshots: dict[str, dict[int, bytes]] = field(default_factory=dict)


class Stopped(Event):
    """The group was told to stop, and did, at a checkpoint."""


@dataclass(frozen=True)
class TooLarge(Event):
    """The group does not fit in the device's memory."""

    reason: str


@dataclass(frozen=True)
class Broken(Event):
    """An error in a worker, which the user can mend or not."""

    message: str
    mendable: bool


OnTheWay = Started | Entered | Progress | Noted
Report = Callable[[OnTheWay], bool | None]  # False: stop at a checkpoint
