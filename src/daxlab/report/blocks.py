"""What a page is made of: sections, and in them paragraphs, rows of figures, tables. Knows nothing of HTML."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import ClassVar

from daxlab.errors import InputError
from daxlab.report.drawing import Picture


@dataclass(frozen=True)
class Text:
    """A paragraph. What stands between backticks is a command or a key, to be read letter by letter."""

    kind: ClassVar[str] = "text"
    text: str
    role: str = ""
    """"lead" opens a section, "absent" is what is not measured, "beyond" what lies beyond, "name" a heading."""


@dataclass(frozen=True)
class Row:
    """Figures that stand side by side where there is room."""

    kind: ClassVar[str] = "row"
    pictures: Sequence[Picture]


@dataclass(frozen=True)
class Strip:
    """A cell that shows runs as dots on a line from 0 to 100, their interval, and the paper's figure."""

    runs: Sequence[float] = ()
    low: float | None = None
    high: float | None = None
    paper: Sequence[float] = ()
    """One figure, or the two ends of a range."""

    def __str__(self) -> str:
        return " ".join(f"{run:.2f}" for run in self.runs)


@dataclass(frozen=True)
class Note:
    """A cell that has a row to itself: what a reader must know of the row above."""

    text: str

    def __str__(self) -> str:
        return self.text


Cell = str | Strip | Note


@dataclass(frozen=True)
class Table:
    """A table; `right` are the columns of numbers. A row of one cell is the heading of those below it, or a note."""

    kind: ClassVar[str] = "table"
    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()
    caption: str = ""
    data: str = ""
    """CSV that says more than the rows."""

    @property
    def csv(self) -> str:
        """The table as a file."""
        if self.data:
            return self.data
        written = StringIO()
        csv.writer(written, lineterminator="\n").writerows([self.head, *self.rows])
        return written.getvalue()


@dataclass(frozen=True)
class Fold:
    """Blocks under a heading that a reader opens and shuts."""

    kind: ClassVar[str] = "fold"
    name: str
    title: str
    about: str
    blocks: Sequence["Block"]
    shut: bool = False


Block = Text | Row | Table | Fold


def told(blocks: Iterable[Block]) -> list[Block]:
    """The blocks, as far as they go: where the ledger or this machine lacks something, the page says what."""
    found: list[Block] = []
    try:
        for block in blocks:
            found.append(block)
    except InputError as error:
        found.append(Text(f"More cannot be shown: {error}.", "absent"))
    return found


@dataclass(frozen=True)
class Section:
    """A heading, what stands under it, and the sections below it."""

    name: str
    title: str
    blocks: Sequence[Block] = ()
    sections: Sequence["Section"] = ()
    short: str = ""
    """Its title where there is little room."""
