"""What a page is made of: sections, and in them paragraphs, figures, tables, folds. Knows nothing of HTML."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from daxlab.errors import InputError
from daxlab.units import counted


@dataclass(frozen=True)
class Text:
    """A paragraph. Text between backticks is code, text between asterisks is stressed.

    Roles: "lead" opens a section, "absent" says what cannot be shown, "warning" what disagrees, "name" is a heading.
    """

    text: str
    role: str = ""


@dataclass(frozen=True)
class Absent:
    """What a ledger does not measure, and the command that trains its runs. A page says it once, at its end."""

    what: str
    command: str

    @property
    def text(self) -> str:
        """The same as a sentence."""
        return f"Not measured in this ledger: {self.what}. `{self.command}` trains the runs."


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


@dataclass(frozen=True)
class Finding:
    """A sentence, whether it holds, and what tells; `anchor` names the part of the page that shows it."""

    said: str
    verdict: str
    evidence: Sequence[str]
    anchor: str


@dataclass(frozen=True)
class Findings:
    """Sentences with their verdicts, each with its evidence below it, folded."""

    name: str
    title: str
    rows: Sequence[Finding]
    csv: str


@dataclass(frozen=True)
class Columns:
    """Blocks side by side where there is room, the right ones wider; else one below the other."""

    left: Sequence["Block"]
    right: Sequence["Block"]


@dataclass(frozen=True)
class Asked:
    """A box that asks a network: what it is, commands to try, what the box is told as JSON, its weights as base64."""

    about: str
    examples: Sequence[str]
    data: str
    weights: str


Block = Text | Absent | Picture | Table | Fold | Findings | Columns | Asked


@dataclass(frozen=True)
class Section:
    """A heading, its blocks, and the sections below it, which are folded.

    `short` is its title in the list of contents; `about` stands beside the heading of a folded one.
    """

    name: str
    title: str
    blocks: Sequence[Block] = ()
    sections: Sequence["Section"] = ()
    short: str = ""
    about: str = ""


def blocks_until_missing(blocks: Iterable[Block]) -> list[Block]:
    """The blocks up to the first that needs something the ledger or this machine lacks; then the reason."""
    shown: list[Block] = []
    try:
        for block in blocks:
            shown.append(block)
    except InputError as error:
        shown.append(Text(f"More cannot be shown: {error}.", "absent"))
    return shown


def absent(what: str, experiments: str = "", *, command: str = "") -> Absent:
    """What this ledger does not measure, and the command that trains its runs: that of experiments, or another."""
    return Absent(what, command or f"daxlab reproduce {experiments}")


def gathered(sections: Sequence[Section]) -> tuple[list[Section], list[Absent]]:
    """The sections without what is absent, and that; a section of which nothing is left but its lead is left out."""
    kept: list[Section] = []
    lacking: list[Absent] = []
    for section in sections:
        below, more = gathered(section.sections)
        blocks = [block for block in section.blocks if not isinstance(block, Absent)]
        lacking += [block for block in section.blocks if isinstance(block, Absent)] + more
        if below or any(not isinstance(block, Text) or block.role != "lead" for block in blocks):
            about = section.about or _contents(blocks)
            kept.append(replace(section, blocks=blocks, sections=below, about=about))
    return kept, lacking


def _contents(blocks: Sequence[Block]) -> str:
    """How many figures and tables there are, those of folds too."""
    counts = {"figure": 0, "table": 0}
    rest = list(blocks)
    while rest:
        block = rest.pop()
        counts["figure"] += isinstance(block, Picture)
        counts["table"] += isinstance(block, Table)
        rest += block.blocks if isinstance(block, Fold) else ()
    return ", ".join(counted(count, noun) for noun, count in counts.items() if count)


def anchors(sections: Iterable[Section]) -> set[str]:
    """The parts of these sections that a link can point to."""
    names = {section.name for section in sections}
    return names.union(*(anchors(section.sections) for section in sections))
