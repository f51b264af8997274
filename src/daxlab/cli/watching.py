"""What one sees while learners train: how far each run is, its loss, and how long it will take."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from daxlab.runs import key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Plan, Spec
from daxlab.sweep.task import Finished, Memory, Stopping, TooLarge
from daxlab.sweep.task import Progress as Step

MOST_LINES = 24
EVERY = 30  # seconds between two lines where there is no terminal
Show = Callable[[Any], None]


@contextmanager
def watch(specs: Sequence[Spec]) -> Iterator[Show]:
    """A bar for each run on standard error where that is a terminal; a line now and then where it is not."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain()
        return
    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[loss]}"), console=console, transient=True) as bars:
        yield _Bars(specs, bars).show


class _Bars:
    """A bar for each run of the groups that a plan has."""

    def __init__(self, specs: Sequence[Spec], bars: Progress) -> None:
        self._specs = {key(facts): spec for facts, spec in zip(all_facts(specs), specs, strict=True)}
        self._bars = bars
        self._tasks: dict[str, list[Any]] = {}  # by group, in the order of its members

    def show(self, event: Any) -> None:
        """Takes an event in."""
        if isinstance(event, Plan):
            for group in event.groups:
                self._tasks[group.key] = [self._bar(name) for name in group.keys]
        elif isinstance(event, Step):
            for n, task in enumerate(self._tasks.get(event.group, ())):
                loss = f"loss {event.losses[n]:.3f}" if n < len(event.losses) else ""
                self._bars.update(task, completed=event.update, loss=loss)
        elif isinstance(event, Finished | TooLarge):
            for task in self._tasks.pop(event.group, ()):
                self._bars.remove_task(task)
        _say(event)

    def _bar(self, name: str) -> Any:
        spec = self._specs.get(name)
        what = f"{spec.split}, seed {spec.seed}" if spec else name[:12]
        shown = len(self._bars.tasks) < MOST_LINES
        return self._bars.add_task(what, total=spec.learner.steps if spec else None, visible=shown, loss="")


def _plain() -> Show:
    said = 0.0

    def show(event: Any) -> None:
        nonlocal said
        if isinstance(event, Step) and time.monotonic() - said > EVERY:
            said = time.monotonic()
            loss = f", mean loss {sum(event.losses) / len(event.losses):.3f}" if event.losses else ""
            print(f"group {event.group[:8]}: update {event.update:,}{loss}", file=sys.stderr)
        _say(event)

    return show


def _say(event: Any) -> None:
    if isinstance(event, Memory | Stopping):
        print(event, file=sys.stderr)
