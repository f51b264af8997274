"""Tables and progress bars, with rich, which is slow to load. Progress goes to standard error, if a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

from daxlab.datasets.source import Progress as Report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

T = TypeVar("T")
BLOCKS = "▁▂▃▄▅▆▇█"
WIDE = 400  # columns, more than any table needs


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table; numbers stand on the right."""
    show(tabled(columns, rows, right))


def tabled(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> "Table":
    """A table, to be shown with other things."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for n, column in enumerate(columns):
        shown.add_column(column, justify="right" if n in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*map(Text, row))
    return shown


def show(what: "RenderableType") -> None:
    """Print tables and lines, and break no name in them."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(highlight=False, markup=False)
    # Never narrower than the table: a name that the terminal wraps can still be copied, one that we break cannot.
    console.width = max(console.width, Measurement.get(console, console.options.update(width=WIDE), what).maximum)
    console.print(what)


def percent(value: float | None) -> str:
    """An accuracy as the tables write it."""
    return "–" if value is None else f"{value:.2f}"


def progress(items: Iterable[T], what: str, total: int) -> Iterator[T]:
    """The items, with a bar."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(items, what, total, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def download(what: str) -> Iterator[Report]:
    """A bar for bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def sparkline(values: Sequence[float]) -> str:
    """A line of numbers as a line of blocks; a gap where there is none."""
    finite = [value for value in values if isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    scale = (len(BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(BLOCKS[round((value - low) * scale)] if isfinite(value) else " " for value in values)
