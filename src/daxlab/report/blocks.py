"""What a page is made of: sections, and in them paragraphs, figures, tables, folds. Knows nothing of HTML."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from daxlab.errors import InputError


@dataclass(frozen=True)
class Text:
    """A paragraph. Text between backticks is code, text between asterisks is stressed.

    Roles: "lead" opens a section, "absent" says what is not measured, "warning" what disagrees, "name" is a heading.
    """

    text: str
    role: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure: its SVG, and the numbers behind it as CSV. Files that it is saved as have its name.

    Figures that follow one another stand side by side, where there is room.
    """

    name: str
    title: str
    caption: str
    svg: str
    csv: str


@dataclass(frozen=True)
class Strip:
    """A cell with runs as dots on a line from 0 to 100, their interval, and the paper's figure or range."""

    runs: Sequence[float] = ()
    low: float | None = None
    high: float | None = None
    paper: Sequence[float] = ()

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Strip":
        """The runs of a row of an analysis."""
        return cls(row["accuracies"], row["low"], row["high"])

    def __str__(self) -> str:
        return " ".join(f"{run:.2f}" for run in self.runs)


class Note(str):
    """A cell with a row to itself: what a reader must know of the row above."""


class Faint(str):
    """The first cell of a row that is grey: what cannot be compared as it stands."""


Cell = str | Strip


@dataclass(frozen=True)
class Table:
    """A table; `right` are its columns of numbers. A row of one cell is a heading or a note."""

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()
    caption: str = ""
    data: str = ""  # CSV, where it says more than the rows

    @property
    def csv(self) -> str:
        """The table as a file."""
        written = StringIO()
        csv.writer(written, lineterminator="\n").writerows([self.head, *self.rows])
        return self.data or written.getvalue()


@dataclass(frozen=True)
class Fold:
    """Blocks under a heading that a reader opens and closes; `about` stands beside the heading."""

    name: str
    title: str
    about: str
    blocks: Sequence["Block"]
    open: bool = False


Block = Text | Picture | Table | Fold


@dataclass(frozen=True)
class Section:
    """A heading, its blocks, and the sections below it; `short` is its title in the list of contents."""

    name: str
    title: str
    blocks: Sequence[Block] = ()
    sections: Sequence["Section"] = ()
    short: str = ""


def blocks_until_missing(blocks: Iterable[Block]) -> list[Block]:
    """The blocks up to the first that needs something the ledger or this machine lacks; then the reason."""
    shown: list[Block] = []
    try:
        for block in blocks:
            shown.append(block)
    except InputError as error:
        shown.append(Text(f"More cannot be shown: {error}.", "absent"))
    return shown


def absent(what: str, experiments: str = "", *, command: str = "") -> Text:
    """What this ledger does not measure, and the command that trains its runs: that of experiments, or another."""
    command = command or f"daxlab reproduce {experiments}"
    return Text(f"Not measured in this ledger: {what}. `{command}` trains the runs.", "absent")
