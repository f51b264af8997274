"""What one sees of training in Python: a bar a group, in a terminal or a notebook; lines now and then where neither is.

Made of what the driver tells, its plan and its events.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from statistics import fmean
from typing import Any

from daxlab import learners
from daxlab.errors import InputError
from daxlab.ledger import Group, Ledger
from daxlab.ledger.location import shipped
from daxlab.sweep import Plan
from daxlab.sweep.task import Event, Finished, Noted, Progress, Started, Stopped, TooLarge
from daxlab.units import counted, duration

EVERY = 0.5  # seconds between two pictures
LINE_EVERY = 30.0  # seconds between two lines
WIDE = 24  # characters of a bar
MOST_BARS = 8


@dataclass
class _Bar:
    """A group of runs: how far it is."""

    group: Group
    steps: int
    step: int = 0
    loss: str = ""
    state: str = "waiting"

    def line(self) -> str:
        done = WIDE * self.step // max(self.steps, 1)
        bar = "━" * done + "─" * (WIDE - done)
        first, *others = self.group.members
        what = counted(len(self.group.members), "run") if others else f"{first['split']['name']}, seed {first['seed']}"
        return f"{bar} {what}: {self._phase()}"

    def _phase(self) -> str:
        if self.state != "training":
            return self.state
        if not self.step:
            return "starting"
        if self.step >= self.steps:
            return "scoring"
        return f"{self.step:,} of {self.steps:,} updates{self.loss}"


@dataclass
class _Watch:
    """What has been told so far, as lines."""

    title: str
    bars: dict[str, _Bar] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def take(self, event: Any) -> None:
        if isinstance(event, Plan):
            self.bars = {group.key: _Bar(group, _steps(group)) for group in event.groups}
        bar = self.bars.get(event.group) if isinstance(event, Event) else None
        if bar is None:
            return
        if isinstance(event, Started):
            bar.state = "training"
        elif isinstance(event, Progress):
            bar.state, bar.step = "training", event.update
            bar.loss = f", loss {fmean(event.losses):.3f}" if event.losses else ""
        elif isinstance(event, Finished):
            bar.state, bar.step = "done", bar.steps
        elif isinstance(event, Stopped):
            bar.state = "stopped at a checkpoint"
        elif isinstance(event, TooLarge):
            bar.state = "divided, because it did not fit in memory"

    def lines(self) -> list[str]:
        runs = sum(len(bar.group.members) for bar in self.bars.values())
        done = sum(len(bar.group.members) for bar in self.bars.values() if bar.state == "done")
        took = duration(time.monotonic() - self.began)
        busy = sorted(self.bars.values(), key=lambda bar: (bar.state != "training", bar.state == "done"))
        more = [f"… and {counted(len(busy) - MOST_BARS, 'more group')}"] if len(busy) > MOST_BARS else []
        return [
            f"{self.title}: {done:,} of {counted(runs, 'run')}, {took}",
            *(b.line() for b in busy[:MOST_BARS]),
            *more,
        ]


def _steps(group: Group) -> int:
    """How many updates a group takes; 1 of a learner whose file has gone."""
    try:
        return max(learners.of(member).steps for member in group.members)
    except InputError:
        return 1


@contextmanager
def watched(wanted: bool, title: str) -> Iterator[Callable[[Any], None]]:
    """What to call with the driver's plan and events, so that they are seen."""
    if not wanted:
        yield lambda event: None
        return
    watch, show = _Watch(title), _notebook() or _terminal() or _plain()
    last = 0.0

    def take(event: Any) -> None:
        nonlocal last
        watch.take(event)
        if isinstance(event, Plan) and (there := _shipped(event)):
            print(there, file=sys.stderr)
        if isinstance(event, Noted):
            print(event.message, file=sys.stderr)
        if watch.bars and time.monotonic() - last > EVERY:
            last = time.monotonic()
            show(watch.lines())

    try:
        yield take
    finally:
        show([])


def _shipped(plan: Plan) -> str:
    """How many of the runs that will be trained the results that come with daxlab have already."""
    results = shipped()
    if results is None:
        return ""
    with Ledger(results) as ledger:
        there = len(plan.lacking) - len(ledger.lacking(plan.lacking, retry_failed=True))
    which = f"{there:,} of these {counted(len(plan.lacking), 'run')}" if there < len(plan.lacking) else "these runs"
    return f"The results that come with daxlab have {which}: daxlab.runs(ledger='shipped')" if there else ""


Show = Callable[[list[str]], None]  # lines to be seen instead of those before; none at the end


def _notebook() -> Show | None:
    """A cell's output that changes; None where there is no notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell else None
    if running is None or not hasattr(running, "kernel"):
        return None
    from IPython.display import display  # of the notebook itself

    handle: Any = None

    def show(lines: list[str]) -> None:
        nonlocal handle
        html = f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""
        shown = {"text/html": html, "text/plain": chr(10).join(lines)}
        if handle is None and lines:
            handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        elif handle is not None:
            handle.update(shown, raw=True)

    return show


def _terminal() -> Show | None:
    """Lines that are written over; None where standard error is no terminal."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console  # slow to load
    from rich.live import Live
    from rich.text import Text

    live = Live(console=Console(stderr=True, highlight=False), transient=True, auto_refresh=False)

    def show(lines: list[str]) -> None:
        if lines:
            live.start()
            live.update(Text("\n".join(lines)), refresh=True)
        else:
            live.stop()

    return show


def _plain() -> Show:
    """A line now and then."""
    last = time.monotonic()

    def show(lines: list[str]) -> None:
        nonlocal last
        if lines and time.monotonic() - last > LINE_EVERY:
            last = time.monotonic()
            print("; ".join(lines[:2]), file=sys.stderr)

    return show
