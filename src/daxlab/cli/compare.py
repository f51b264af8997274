"""`daxlab compare`: the paper's figures beside ours."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from daxlab.cli.options import JsonOption, LedgerOption, ledger_at, shipped_hint
from daxlab.runs import Ledger

if TYPE_CHECKING:
    from daxlab.paper import Row

MOST_RUNS = 8  # that a line of the table shows
LEGEND = """\
Per cent of test commands with every action right, unless a figure is of something else. The 95% interval is of our mean
(Student's t over runs). within, beyond: by that for the difference of two means, the paper's spread taken as ours; the
margin is its half. Where it is wide, within says little.
† a network that the paper chose as its best of 180, so that what it was chosen by tends to be lower again.
‡ our own draw, not the release's."""


def compare(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Show every figure of the paper beside ours: mean, standard error, 95% interval, every run, and a verdict.

    Example: daxlab compare --ledger results/runs.db
    """
    from daxlab.paper import compare as compared  # polars is slow to load

    path = ledger_at(ledger)
    with Ledger(path) as known:
        rows = compared(known)
    if as_json:
        print(as_text(rows))
        return
    print(f"{path}\n")
    show(rows)
    if any(row.verdict == "unmeasured" for row in rows) and (more := shipped_hint(path)):
        print(f"\n{more}")


def as_text(rows: Sequence["Row"]) -> str:
    """The rows as JSON."""
    return json.dumps([asdict(row) for row in rows], indent=1, allow_nan=False)


def show(rows: Sequence["Row"]) -> None:
    """The rows as a table, what must be known to read them below it."""
    from daxlab.cli.terminal import table
    from daxlab.paper import experiments_of
    from daxlab.paper.search import COMMAND

    columns = ["figure", "paper", "ours", "sem", "95% interval", "margin", "verdict", "every run"]
    paper, ours = ([row for row in rows if (row.paper is None) == lacks] for lacks in (False, True))
    table(columns, map(_line, paper), right=(1, 2, 3, 4, 5))
    measured = [row for row in ours if row.verdict != "unmeasured"]
    if measured:
        print("\nMeasured too; the paper states no figure:\n")
        columns = [column for column in columns if column not in ("paper", "margin", "verdict")]
        table(columns, map(_beside, measured), right=(1, 2, 3))
    print()
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"{', '.join(row.id for row in rows if row.note == note)}: {note}.")
    print(f"\n{LEGEND}")
    lacking = [row.id for row in rows if row.verdict == "unmeasured"]
    if needs := experiments_of(lacking):
        print(f"\n'daxlab reproduce {' '.join(needs)}' trains what is lacking for unmeasured figures.")
    if any(row.id.startswith("exp1.srn") and row.note.startswith("so far") for row in rows):
        print(f"\nThose of all SRNs need the search: '{COMMAND}'.")


def _line(row: "Row") -> list[str]:
    marks = ("†" if row.selected else "") + ("‡" if row.draw == "own" and row.verdict != "unmeasured" else "")
    margin = "" if row.margin is None else f"{row.margin:.2f}"
    return [f"{row.id}{marks}", row.stated, row.shown or "–", *_spread(row), margin, row.verdict, _runs(row)]


def _beside(row: "Row") -> list[str]:
    marks = "‡" if row.draw == "own" else ""
    return [f"{row.id}{marks}", row.shown, *_spread(row), _runs(row)]


def _spread(row: "Row") -> list[str]:
    if row.ours is not None or row.sem is None or row.low is None or row.high is None:
        return ["", ""]  # what is shown as it is has no standard error
    return [f"{row.sem:.2f}", f"{row.low:.2f} to {row.high:.2f}"]


def _runs(row: "Row") -> str:
    return every([f"{value:.{0 if value == int(value) else 2}f}" for value in row.runs])


def every(written: Sequence[str]) -> str:
    """Every run on a line; of many the first, and how many there are."""
    more = f" … ({len(written)})" if len(written) > MOST_RUNS else ""
    return " ".join(written[:MOST_RUNS]) + more
