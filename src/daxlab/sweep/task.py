"""What passes between the driver and a worker: tasks one way, what became of them the other. Plain data."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from daxlab.errors import InputError
from daxlab.runs import Run
from daxlab.runs.spec import Spec

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
    set_aside: bool = True  # a damaged checkpoint, and train from the start; else it is an error


@dataclass(frozen=True)
class Started:
    """A worker has taken a group up."""

    group: str


@dataclass(frozen=True)
class Progress:
    """How far a group has come."""

    group: str
    update: int
    losses: tuple[float, ...]  # of each run, the mean over the last updates
    failed: tuple[int, ...]  # the update at which a run failed, else -1


@dataclass(frozen=True)
class Memory:
    """What a group will take of the device's memory, by XLA's own analysis, and what there is."""

    group: str
    runs: int
    needed: int
    available: int

    def __str__(self) -> str:
        sizes = f"{self.needed / 1e9:.1f} GB of the {self.available / 1e9:.0f} GB available"
        return f"{self.runs} runs at once need {sizes}"


@dataclass(frozen=True)
class Noted:
    """What the user should know, though the work goes on."""

    group: str
    message: str


@dataclass(frozen=True)
class Stopping:
    """The driver has heard Ctrl-C."""

    def __str__(self) -> str:
        return "Stopping at the next checkpoint; Ctrl-C again stops at once."


@dataclass(frozen=True)
class Finished:
    """A group's runs, for the ledger, and their weights as safetensors, by key."""

    group: str
    runs: tuple[Run, ...]
    weights: dict[str, bytes]


@dataclass(frozen=True)
class Stopped:
    """A group that was told to stop, and did, at a checkpoint."""

    group: str


@dataclass(frozen=True)
class TooLarge:
    """A group that does not fit in the device's memory."""

    group: str
    reason: str


@dataclass(frozen=True)
class Broken:
    """An error in a worker: for the user to mend, or ours."""

    group: str
    message: str
    mendable: bool

    def error(self) -> Exception:
        """The same, to be raised in the driver."""
        return InputError(self.message) if self.mendable else RuntimeError(self.message)


OnTheWay = Started | Progress | Memory | Noted
Event = OnTheWay | Finished | Stopped | TooLarge | Broken
Report = Callable[[OnTheWay], bool | None]  # False: stop at a checkpoint
Turn = Callable[[str], AbstractContextManager[object]]  # to hold while a worker "compiles" or "trains"
