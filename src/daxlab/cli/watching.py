"""What one sees while networks train: how far each is, its loss, and how long it will take."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from daxlab.runs import key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Plan, Spec
from daxlab.sweep.task import Finished, Memory, Progress, Stopping, TooLarge

MOST_LINES = 24


class Watch:
    """The state of a sweep as its events tell it."""

    def __init__(self, specs: Sequence[Spec]) -> None:
        self._specs = {key(facts): spec for facts, spec in zip(all_facts(specs), specs, strict=True)}
        self._groups: dict[str, list[str]] = {}
        self._updates: dict[str, int] = {}
        self._losses: dict[str, float] = {}
        self._began: dict[str, tuple[float, int]] = {}
        self._rates: dict[str, float] = {}

    def hear(self, event: Any) -> None:
        """Takes an event in."""
        if isinstance(event, Plan):
            self._groups |= {group.key: group.keys for group in event.groups}
        elif isinstance(event, TooLarge):
            names = self._groups.pop(event.group, [])
            print(f"{len(names)} runs at once do not fit in memory; going on with half as many", file=sys.stderr)
        elif isinstance(event, Memory | Stopping):
            print(event, file=sys.stderr)
        elif isinstance(event, Progress):
            now = time.monotonic()
            began, first = self._began.setdefault(event.group, (now, event.update))
            if event.update > first:
                self._rates[event.group] = (event.update - first) / (now - began)
            for name, loss in zip(self._groups.get(event.group, ()), event.losses, strict=False):
                self._updates[name], self._losses[name] = event.update, loss
        elif isinstance(event, Finished):
            for run in event.runs:
                self._updates[run.key] = self._specs[run.key].protocol.updates if run.key in self._specs else 0

    def table(self) -> Table:
        """A line a run."""
        shown = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("split", "seed", "updates", "", "loss", "a second", "left"):
            shown.add_column(name, justify="right" if name not in ("split", "") else "left")
        group_of = {name: group for group, names in self._groups.items() for name in names}
        pending = [(name, spec) for name, spec in self._specs.items() if name in group_of]
        unfinished = sorted(pending, key=lambda one: self._updates.get(one[0], 0) >= one[1].protocol.updates)
        for name, spec in unfinished[:MOST_LINES]:
            total, done = spec.protocol.updates, self._updates.get(name, 0)
            rate = self._rates.get(group_of.get(name, ""), 0.0)
            left = _spoken((total - done) / rate) if rate and done < total else ""
            loss = f"{self._losses[name]:.3f}" if name in self._losses else ""
            bar = Text("━" * round(20 * done / total), "green") + Text("━" * (20 - round(20 * done / total)), "dim")
            shown.add_row(spec.split, str(spec.seed), f"{done:,}", bar, loss, f"{rate:,.0f}" if rate else "", left)
        if len(pending) > MOST_LINES:
            shown.add_row(f"… {len(pending) - MOST_LINES} more")
        return shown


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def watch(specs: Sequence[Spec]) -> Iterator[Callable[[Any], None]]:
    """A live table on standard error where that is a terminal; a line now and then where it is not."""
    state, console = Watch(specs), Console(stderr=True)
    if not console.is_terminal:
        yield _plain(state)
        return
    live = Live(console=console, refresh_per_second=4, transient=True, get_renderable=state.table)
    started = False

    def show(event: Any) -> None:
        nonlocal started
        state.hear(event)
        if not started:
            live.start()
            started = True

    try:
        yield show
    finally:
        if started:
            live.stop()


def _plain(state: Watch) -> Callable[[Any], None]:
    said = 0.0

    def show(event: Any) -> None:
        nonlocal said
        state.hear(event)
        if isinstance(event, Progress) and time.monotonic() - said > 30:
            said = time.monotonic()
            losses = sum(event.losses) / len(event.losses)
            print(f"group {event.group[:8]}: update {event.update:,}, mean loss {losses:.3f}", file=sys.stderr)

    return show
