"""What one sees while runs are trained: how many are done, how far each group is, its losses, the time left."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from daxlab import learners
from daxlab.runs import Group
from daxlab.sweep import Plan
from daxlab.sweep.groups import steps
from daxlab.sweep.task import Finished, Noted, TooLarge
from daxlab.sweep.task import Progress as Step

EVERY = 30  # seconds between two lines where there is no terminal
MOST_LOSSES = 5  # that are shown one by one


@contextmanager
def watch() -> Iterator[Callable[[Any], None]]:
    """Bars on standard error where that is a terminal; a line now and then where it is not."""
    console = Console(stderr=True, highlight=False)
    words, loss = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[loss]}", markup=False)
    columns = (words, BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn(), loss)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield View(bars).show


class View:
    """A bar for all runs, and one for each group under way."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._all = bars.add_task("runs", total=0, visible=False, loss="")
        self._groups: dict[str, Group] = {}
        self._tasks: dict[str, TaskID] = {}  # by group
        self._parts: dict[str, float] = {}  # of groups under way: how many runs' worth of steps they have done
        self._done = 0
        self._last_line = 0.0

    def show(self, event: Any) -> None:
        """Take in a plan or an event."""
        if isinstance(event, Noted):
            print(event.message, file=sys.stderr)  # rich puts it above the bars
        elif isinstance(event, Plan):
            if not self._groups:  # a later one has the halves of a group
                self._bars.update(self._all, total=sum(len(group.members) for group in event.groups), visible=True)
            self._groups |= {group.key: group for group in event.groups}
        elif isinstance(event, Step):
            self._step(event, self._groups[event.group])
        elif isinstance(event, Finished | TooLarge):
            self._end(event)

    def _step(self, event: Step, group: Group) -> None:
        what, total, loss = _label(group), steps(group.members[0]), _loss(event.losses)
        if group.key not in self._tasks:
            self._tasks[group.key] = self._bars.add_task(what, total=total, loss="")
        self._bars.update(self._tasks[group.key], completed=event.update, loss=loss)
        self._parts[group.key] = len(group.members) * event.update / total
        self._count()
        if self._bars.disable and time.monotonic() - self._last_line > EVERY:
            self._last_line = time.monotonic()
            print(f"{what}: {event.update:,} of {total:,} updates{loss and ', '}{loss}", file=sys.stderr)

    def _end(self, event: Finished | TooLarge) -> None:
        self._parts.pop(event.group, None)
        if event.group in self._tasks:
            self._bars.remove_task(self._tasks.pop(event.group))
        if isinstance(event, Finished):
            self._done += len(event.runs)
            if self._bars.disable:
                print(f"{self._done:,} of {self._bars.tasks[0].total:,} runs", file=sys.stderr)
        self._count()

    def _count(self) -> None:
        self._bars.update(self._all, completed=self._done + sum(self._parts.values()))


def _label(group: Group) -> str:
    first = group.members[0]
    if len(group.members) > 1:
        return f"{len(group.members):,} runs of {learners.label(first)}"
    return f"{first['split']['name']}, seed {first['seed']}"


def _loss(losses: Sequence[float]) -> str:
    if len(losses) > MOST_LOSSES:
        return f"mean loss {fmean(losses):.3f}"
    return " ".join(["loss", *(f"{loss:.3f}" for loss in losses)]) if losses else ""
