"""What is printed: tables, JSON, progress bars. Bars go to standard error, if that is a terminal. rich loads slowly."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from daxlab.datasets.source import Progress as Report

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

T = TypeVar("T")
BLOCKS = "▁▂▃▄▅▆▇█"
WIDE = 400  # columns, more than any table needs
MOST_VALUES = 8  # that a cell of a table shows
NUMBER = re.compile(r"([<>≥] )?-?\d[\d,.]*( to -?[\d,.]+)?( \(.*\))?")


def print_json(content: Any) -> None:
    """Print content for scripts: dataclasses as objects, arrays as lists, paths as text."""

    def plain(value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        return value.tolist() if hasattr(value, "tolist") else str(value)

    print(json.dumps(content, indent=1, allow_nan=False, default=plain))


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str] | None = None) -> "Table":
    """Rows as a table: numbers on the right, columns with nothing in them left out.

    `columns`: from each heading to its key in the rows. By default the keys are the headings.
    """
    from rich.table import Table
    from rich.text import Text

    shown, lines = Table(box=None, pad_edge=False, header_style="bold"), []
    for heading, key in (columns or {key: key for key in rows[0]} if rows else {}).items():
        values = [row[key] for row in rows]
        if any(value not in (None, "") for value in values):
            cells = [_cell(value) for value in values]
            first = next((cell for cell in cells if cell not in ("", "–")), "")
            number = NUMBER.fullmatch(first) is not None
            words = [len(word) for cell in (heading, *cells) for word in ([cell] if number else cell.split())]
            justify: Literal["left", "right"] = "right" if number else "left"
            shown.add_column(heading, justify=justify, overflow="fold", min_width=max(words, default=0))
            lines.append(cells)
    for line in zip(*lines, strict=True):
        shown.add_row(*map(Text, line))
    return shown


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def every(values: Sequence[str]) -> str:
    """The values of every run, as a cell of a table; of many, the first ones and the number of all."""
    more = f" … ({len(values)})" if len(values) > MOST_VALUES else ""
    return " ".join(values[:MOST_VALUES]) + more


def show(what: "RenderableType", wrap: bool = False) -> None:
    """Print tables and lines. In a terminal, texts are folded to its width, and no name is broken unless `wrap`."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    if not wrap:
        widest = _width(console, what)
        if widest > console.width and isinstance(what, Table) and _has_width(console):
            widest -= _fold(what, widest - console.width)
        console.width = max(console.width, widest)  # a name that the terminal wraps can be copied, one we break cannot
    console.print(what)


def _fold(what: "Table", excess: int) -> int:
    """Make the widest texts of a table narrower, by so many characters or as far as no word breaks; by how many."""
    widths = [
        max(len(line) for cell in (column.header, *column.cells) for line in str(cell).split("\n"))
        for column in what.columns
    ]
    for done in range(excess):
        rooms = [n for n, column in enumerate(what.columns) if widths[n] > (column.min_width or widths[n])]
        if not rooms:
            return done
        widths[max(rooms, key=lambda n: widths[n])] -= 1
        for column, width in zip(what.columns, widths, strict=True):
            column.width = width
    return excess


def show_rows(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], least: Sequence[str] = ()) -> str:
    """Print rows as a table that fits the terminal: where it is too narrow, without the least important columns.

    Returns a sentence that names these, if any.
    """
    from rich.console import Console

    console, kept, dropped = Console(), dict(columns), list[str]()
    for heading in least:
        if not _has_width(console) or _width(console, table(rows, kept)) <= console.width:
            break
        if any(row[key] not in (None, "") for row in rows if (key := kept.pop(heading, None)) is not None):
            dropped.append(heading)
    show(table(rows, kept))
    return f"Not shown in {console.width} columns: {', '.join(dropped)}." if dropped else ""


def _has_width(console: "Console") -> bool:
    """Whether a width is to be kept to: a terminal's, or that of the environment."""
    return console.is_terminal or "COLUMNS" in os.environ


def _width(console: "Console", what: "RenderableType") -> int:
    """The width in which nothing is folded."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(width=WIDE), what).maximum


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


def sparkline(values: Sequence[float], bounds: tuple[float, float] | None = None) -> str:
    """Numbers as a line of blocks, on the scale of these bounds or else of their own; a gap where one is not finite.

    >>> sparkline([0, 50, float("nan"), 100], (0, 100)), sparkline([2, 3])
    ('▁▅ █', '▁█')
    """
    finite = [value for value in values if isfinite(value)]
    low, high = bounds or (min(finite, default=0.0), max(finite, default=1.0))
    scale = (len(BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(BLOCKS[round((value - low) * scale)] if isfinite(value) else " " for value in values)


def dots(values: Sequence[float], low: float, high: float, width: int = 60) -> str:
    """Numbers as dots on a line between two bounds: the larger a dot, the more of them stand there.

    >>> dots([0, 50, 51, 100, 100, 100, 100], 0, 100, 10)
    '|·    •   ●|'
    """
    places = Counter(min(int((value - low) / (high - low) * width), width - 1) for value in values)
    return "|" + "".join(" ·••●"[min(places[place], 4)] for place in range(width)) + "|"
