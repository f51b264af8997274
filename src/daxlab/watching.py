"""What one sees of a sweep, while it trains or from another terminal: groups by phase, how far, how long, the best.

Knows the ledger and what the driver tells; knows nothing of notebooks.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.sweep import Plan
from daxlab.sweep.status import At, Running, Status, moved, status
from daxlab.sweep.task import Noted, OnTheWay, Progress
from daxlab.terminal import table
from daxlab.units import counted, duration

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

LOOK_EVERY = 2.0  # seconds between two looks at the ledger
DRAWN = 4  # times a second
FIRST_LINE, LINE_EVERY = 10.0, 30.0  # seconds before the first line and the next ones, where there is no terminal
BAR = 16  # characters
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MOST_GROUPS = 12  # that are shown, those that wait last
MOST_SPLITS = 10  # whose best is shown
BEST = {"split": "split", "mean %": "mean", "learner": "label", "runs": "runs"}

Losses = Mapping[str, str]  # by group
Draw = Callable[[Path, Status, Losses], "RenderableType"]
Say = Callable[[Status], str]


@dataclass
class Picture:
    """A sweep as it was at the last look, and drawn again and again in between."""

    ledger: Path
    draw: Draw | None = None  # if other than `shown`
    losses: dict[str, str] = field(default_factory=dict)
    phases: dict[str, At] = field(default_factory=dict)
    updates: dict[str, int] = field(default_factory=dict)
    planned: bool = False  # before a plan there may be no ledger
    seen: Status | None = None
    at: float = 0.0  # when

    def __call__(self) -> "RenderableType":
        if not self.planned:
            return ""
        if self.seen is None or time.monotonic() - self.at >= LOOK_EVERY:
            self.seen, self.at = self.look(), time.monotonic()
        return (self.draw or shown)(self.ledger, _aged(self.seen, time.monotonic() - self.at), self.losses)

    def look(self) -> Status:
        with Ledger(self.ledger) as known:
            return status(known, dict(self.phases), dict(self.updates))

    def take(self, event: Any) -> None:
        """What the driver hears, before it is written down."""
        self.planned = self.planned or isinstance(event, Plan)
        if isinstance(event, OnTheWay) and not isinstance(event, Noted):
            self.phases[event.group] = moved(self.phases.get(event.group), event)
        if isinstance(event, Progress):
            self.updates[event.group] = event.update
            if event.losses:
                self.losses[event.group] = f"loss {fmean(event.losses):.3f}"
        if isinstance(event, Noted):
            print(event.message, file=sys.stderr)  # rich puts it above the picture


@contextmanager
def watch(ledger: Path, draw: Draw | None = None, say: Say | None = None) -> Iterator[Callable[[Any], None]]:
    """A live picture on standard error where that is a terminal; a line of words now and then where it is not.

    `draw` and `say`: the picture and the words, if others than `shown` and `in_words`.
    """
    from rich.console import Console  # slow to load
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    picture = Picture(ledger, draw)
    if console.is_terminal:
        with Live(get_renderable=picture, console=console, transient=True, refresh_per_second=DRAWN):
            yield picture.take
        return

    def tell() -> None:
        print((say or in_words)(picture.look()), file=sys.stderr, flush=True)

    with repeated(tell, picture, FIRST_LINE, LINE_EVERY):
        yield picture.take


@contextmanager
def repeated(show: Callable[[], object], picture: Picture, first: float, every: float) -> Iterator[None]:
    """Show a picture in a thread of its own: once there is a plan, every so many seconds until the block ends."""
    ended = Event()

    def go_on() -> None:
        pause = first
        while not ended.wait(pause):
            if picture.planned:
                with suppress(InputError):  # the driver says what is wrong with the ledger
                    show()
                pause = every

    thread = Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def look(ledger: Path) -> Status:
    """How far a sweep is."""
    with Ledger(ledger) as known:
        return status(known)


def _aged(now: Status, seconds: float) -> Status:
    """A status some seconds later, as if nothing had happened but time."""
    left = None if now.seconds_left is None else max(now.seconds_left - seconds, 0.0)
    return replace(now, seconds_left=left, groups=[replace(g, seconds=g.seconds + seconds) for g in now.groups])


def shown(path: Path, now: Status, losses: Losses | None = None) -> "RenderableType":
    """A status as lines and tables, with the losses of groups where they are known."""
    from rich.console import Group  # slow to load
    from rich.text import Text

    spins = f"{spinner()} " if now.writing else ""
    parts: list[RenderableType] = [Text(f"{spins}{path}: {_counts(now)}"), _pace(now)]  # a path may have brackets
    if now.others:
        parts.append(f"{now.others:,} more wait in groups of other sweeps")
    groups = [*now.groups, *now.next][: max(MOST_GROUPS, len(now.groups))]
    labels = {group.label for group in groups}
    if groups:
        parts += ["", *map(Text, labels)] if len(labels) == 1 else [""]
        parts.append(_table([(_name(group, len(labels) > 1), group) for group in groups], losses or {}))
    if more := now.waiting - sum(group.runs for group in groups if group.phase == "waiting"):
        parts += [f"… and {counted(more, 'more run')} waiting"] if groups and more > 0 else []
    if now.best:
        rows = now.best[:MOST_SPLITS]
        several = len({row["dataset"] for row in rows}) > 1
        columns = BEST | ({"dataset": "dataset"} if several else {})
        parts += ["", "best in this ledger", table(rows, columns)]
    if len(now.best) > MOST_SPLITS:
        parts.append(f"… and {len(now.best) - MOST_SPLITS:,} more")
    return Group(*parts)


def in_words(now: Status) -> str:
    """A status as a line: how much is done, what is under way, how long the rest takes.

    "2 of 4 runs trained, 1 training (51%), 1 scoring (20%), about 40 s left"
    """
    trained, every = now.done + now.failed, now.done + now.failed + now.running + now.waiting
    parts = [f"{trained:,} of {counted(every, 'run')} trained"]
    for phase in dict.fromkeys(group.phase for group in now.groups):
        alike = [group for group in now.groups if group.phase == phase]
        parts.append(f"{sum(group.runs for group in alike):,} {phase}{share_of(*alike)}")
    return ", ".join([*parts, *time_left(now)])


def share_of(*groups: Running) -> str:
    """How far groups are with the phase that they are in, in brackets; nothing where that is not known."""
    tells = [_share(group) for group in groups if _tells(group)]
    return f" ({fmean(tells):.0%})" if tells else ""


def spinner() -> str:
    """A sign that turns with time."""
    return SPINNER[int(time.monotonic() * DRAWN) % len(SPINNER)]


def _counts(now: Status) -> str:
    return f"{now.done:,} done, {now.running:,} running, {now.waiting:,} waiting, {now.failed:,} failed"


def _pace(now: Status) -> str:
    if now.writing:
        many = now.runs_per_hour is not None and now.runs_per_hour >= 1 and now.done + now.failed > 0
        rate = [f"{now.runs_per_hour:,.0f} runs an hour"] if many else []
        return ", ".join([*rate, *time_left(now)]) or "beginning"
    if now.waiting:
        return "Nothing is training now. Run the same command again to go on."
    return "nothing is left to train" if now.done else "all have failed" if now.failed else "nothing is recorded yet"


def time_left(now: Status) -> list[str]:
    """How long the rest takes, about, where that is known."""
    if now.seconds_left is None or not now.writing:
        return []
    return [f"about {duration(now.seconds_left)} left" + ("" if now.scoring_known else ", scoring not counted")]


def _name(group: Running, with_label: bool) -> str:
    if group.split is not None:
        name = f"{group.split}, seed {group.seed}"
        return f"{group.label}, on {name}" if with_label else name
    return f"{group.runs:,} of {group.label}" if with_label else counted(group.runs, "run")


def _tells(group: Running) -> bool:
    """Whether it is known how far a group is with its phase."""
    return group.phase == "scoring" or (group.phase == "training" and group.steps > 1)


def _share(group: Running) -> float:
    """How far a group is with its phase."""
    return group.scored if group.phase == "scoring" else min(group.step / group.steps, 1.0)


def _table(groups: list[tuple[str, Running]], losses: Losses) -> "Table":
    """Groups by name: a bar, the phase, how far it is with that, the loss, the time."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(no_wrap=True, overflow="ellipsis")
    for justify in ("left", "left", "right", "left", "right"):
        drawn.add_column(no_wrap=True, justify=justify)
    for name, group in groups:
        drawn.add_row(*map(Text, (name, *phase_cells(group, losses.get(group.group, "")))))
    return drawn


def phase_cells(group: Running, loss: str = "") -> tuple[str, str, str, str, str]:
    """A bar of what is trained, the phase, the share of it, the loss, and a time: what is left or what it has taken."""
    share, trained = _share(group), 1.0 if group.phase == "scoring" else min(group.step / group.steps, 1.0)
    bar = ("━" * int(BAR * trained)).ljust(BAR)
    if group.phase == "waiting":
        return bar, "waiting", "", "", ""
    tells = _tells(group)
    time = f"{duration(group.seconds)} so far"
    if tells and group.seconds_left is not None:
        time = f"{duration(group.seconds_left)} left"
    return bar, group.phase, f"{share:.0%}" if tells else "", loss if group.phase == "training" else "", time
