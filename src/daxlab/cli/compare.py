"""`daxlab compare`: the paper's figures beside ours."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from daxlab.cli.options import JsonOption, LedgerOption, ledger_at, shipped_hint
from daxlab.cli.terminal import table
from daxlab.runs import Ledger

if TYPE_CHECKING:
    from daxlab.paper.comparison import Row

MOST_RUNS = 8  # that a line of the table shows
NUMBERS = ("paper", "ours", "sem", "95% interval", "margin")
COLUMNS = ["figure", *NUMBERS, "verdict", "every run"]
LEGEND = """\
Percentages of test commands with every action right, unless the figure says otherwise. The 95% interval is that of our
mean (Student's t over runs). within, beyond: by the 95% interval for the difference of two means, with our spread for
the paper's; the margin is half of it. Where the margin is wide, within says little.
† a network that the paper chose as its best of 180, so its figure tends to be lower when it is measured again.
‡ our own draw, not the release's."""


def compare(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Show every figure of the paper beside ours: mean, standard error, 95% interval, every run and a verdict.

    Example: daxlab compare --ledger results/runs.db
    """
    from daxlab.paper.comparison import compare as compared  # polars is slow to load

    path = ledger_at(ledger)
    with Ledger(path) as known:
        rows = compared(known)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1, allow_nan=False))
        return
    print(f"{path}\n")
    show(rows)
    if any(row.verdict == "unmeasured" for row in rows) and (more := shipped_hint(path)):
        print(f"\n{more}")


def show(rows: Sequence["Row"]) -> None:
    """The rows as a table, with notes below."""
    from daxlab.paper.comparison import experiments_of
    from daxlab.paper.search import COMMAND

    show_figures([row for row in rows if row.paper is not None], COLUMNS)
    others = [row for row in rows if row.paper is None and row.verdict != "unmeasured"]
    if others:
        print("\nOther results, for which the paper states no figure:\n")
        show_figures(others, [column for column in COLUMNS if column not in ("paper", "margin", "verdict")])
    print()
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"{', '.join(row.id for row in rows if row.note == note)}: {note}.")
    print(f"\n{LEGEND}")
    if needs := experiments_of([row.id for row in rows if row.verdict == "unmeasured"]):
        print(f"\n'daxlab reproduce {' '.join(needs)}' trains what the unmeasured figures need.")
    if any(row.id.startswith("exp1.srn") and row.note.startswith("so far") for row in rows):
        print(f"\nFigures about all SRNs need the search: '{COMMAND}'.")


def show_figures(rows: Sequence["Row"], columns: Sequence[str]) -> None:
    """Figures of the paper beside ours, as a table."""
    from daxlab.paper.comparison import cells

    lines = []
    for row in rows:
        text = cells(row)
        text |= {"figure": row.id + text["marks"], "95% interval": text["interval"], "note": row.note}
        text |= {"every run": every(text["runs"].split())}
        lines.append([text[column] for column in columns])
    table(columns, lines, right=[n for n, column in enumerate(columns) if column in NUMBERS])


def every(values: Sequence[str]) -> str:
    """The runs on one line; of many, the first ones and the number of all."""
    more = f" … ({len(values)})" if len(values) > MOST_RUNS else ""
    return " ".join(values[:MOST_RUNS]) + more
