"""What one sees of a sweep, while it trains or from another terminal: counts, pace, groups under way, the best."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from daxlab.cli.terminal import table
from daxlab.ledger import Ledger
from daxlab.sweep import Plan
from daxlab.sweep.status import Running, Status, status
from daxlab.sweep.task import Noted, Progress
from daxlab.units import duration

if TYPE_CHECKING:
    from rich.console import RenderableType

LOOK_EVERY = 2.0  # seconds between two looks at the ledger
LINE_EVERY = 30  # seconds between two lines where there is no terminal
BAR = 20  # characters
MOST_SPLITS = 10  # whose best is shown
BEST = {"split": "split", "mean %": "mean", "learner": "label", "runs": "runs"}


@contextmanager
def watch(ledger: Path) -> Iterator[Callable[[Any], None]]:
    """A live status on standard error where that is a terminal; a line of it now and then where it is not."""
    from rich.console import Console  # slow to load
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    losses, planned, last = dict[str, str](), False, 0.0

    def show(event: Any) -> None:
        nonlocal planned, last
        planned = planned or isinstance(event, Plan)  # before it there may be no ledger
        if isinstance(event, Progress) and event.losses:
            losses[event.group] = f"loss {fmean(event.losses):.3f}"
        if isinstance(event, Noted):
            print(event.message, file=sys.stderr)  # rich puts it above the status
        elif isinstance(event, Progress) and not console.is_terminal and time.monotonic() - last > LINE_EVERY:
            last, now = time.monotonic(), look(ledger)
            update = [f"update {event.update:,}"] if event.update else []  # a program has none
            loss = [losses[event.group]] if event.losses else []
            print(", ".join([_counts(now), _pace(now), *update, *loss]), file=sys.stderr)

    def view() -> "RenderableType":
        return shown(ledger, look(ledger), losses) if planned else ""

    live = Live(get_renderable=view, console=console, transient=True, refresh_per_second=1 / LOOK_EVERY)
    with live if console.is_terminal else nullcontext():
        yield show


def look(ledger: Path) -> Status:
    """How far a sweep is."""
    with Ledger(ledger) as known:
        return status(known)


def shown(path: Path, now: Status, losses: Mapping[str, str] | None = None) -> "RenderableType":
    """A status as lines and tables, with the losses of groups where they are known."""
    from rich.console import Group  # slow to load
    from rich.text import Text

    parts: list[RenderableType] = [Text(f"{path}: {_counts(now)}"), _pace(now)]  # a path may have brackets
    if now.others:
        parts.append(f"{now.others:,} more wait in groups of other sweeps")
    if now.groups:
        parts += ["", table([_group_row(group, (losses or {}).get(group.group, "")) for group in now.groups])]
    if now.best:
        rows = now.best[:MOST_SPLITS]
        several = len({row["dataset"] for row in rows}) > 1
        columns = BEST | ({"dataset": "dataset"} if several else {})
        parts += ["", "best in this ledger", table(rows, columns)]
    if len(now.best) > MOST_SPLITS:
        parts.append(f"… and {len(now.best) - MOST_SPLITS:,} more")
    return Group(*parts)


def _counts(now: Status) -> str:
    return f"{now.done:,} done, {now.running:,} running, {now.waiting:,} waiting, {now.failed:,} failed"


def _pace(now: Status) -> str:
    if now.writing:
        rate = [] if now.runs_per_hour is None else [f"{now.runs_per_hour:,.0f} runs an hour"]
        left = [] if now.seconds_left is None else [f"about {duration(now.seconds_left)} left"]
        return ", ".join([*rate, *left]) or "beginning"
    if now.waiting:
        return "Nothing is training now. Run the same command again to go on."
    return "nothing is left to train" if now.done else "all have failed" if now.failed else "nothing is recorded yet"


def _group_row(group: Running, loss: str) -> dict[str, Any]:
    what = f"{group.runs:,} of {group.label}"
    if group.split is not None:
        what = f"{group.label}, on {group.split}, seed {group.seed}"
    bar = "━" * (BAR * group.step // group.steps)
    phase = "starting" if not group.step else "scoring" if group.step >= group.steps else loss
    return {"running": what, " " * BAR: bar.ljust(BAR), "updates": group.step, "of": group.steps, " ": phase}
