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
Percentages of test commands with every action right, unless the figure says otherwise. The 95% interval is that of our
mean (Student's t over runs). within, beyond: by the 95% interval for the difference of two means, with our spread for
the paper's; the margin is half of it. Where the margin is wide, within says little.
† a network that the paper chose as its best of 180, so its figure tends to be lower when it is measured again.
‡ our own draw, not the release's."""


def compare(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Show every figure of the paper beside ours: mean, standard error, 95% interval, every run and a verdict.

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
    """The rows as a table, with notes below."""
    from daxlab.cli.terminal import table
    from daxlab.paper import experiments_of
    from daxlab.paper.search import COMMAND

    columns = ["figure", "paper", "ours", "sem", "95% interval", "margin", "verdict", "every run"]
    table(columns, [_line(row, columns) for row in rows if row.paper is not None], right=(1, 2, 3, 4, 5))
    others = [row for row in rows if row.paper is None and row.verdict != "unmeasured"]
    if others:
        print("\nOther results, for which the paper states no figure:\n")
        columns = [column for column in columns if column not in ("paper", "margin", "verdict")]
        table(columns, [_line(row, columns) for row in others], right=(1, 2, 3))
    print()
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"{', '.join(row.id for row in rows if row.note == note)}: {note}.")
    print(f"\n{LEGEND}")
    lacking = [row.id for row in rows if row.verdict == "unmeasured"]
    if needs := experiments_of(lacking):
        print(f"\n'daxlab reproduce {' '.join(needs)}' trains what the unmeasured figures need.")
    if any(row.id.startswith("exp1.srn") and row.note.startswith("so far") for row in rows):
        print(f"\nFigures about all SRNs need the search: '{COMMAND}'.")


def _line(row: "Row", columns: Sequence[str]) -> list[str]:
    from daxlab.paper.comparison import cells

    text = cells(row)
    text |= {"figure": row.id + text["marks"], "95% interval": text["interval"]}
    text |= {"every run": every(text["runs"].split())}
    return [text[column] for column in columns]


def every(written: Sequence[str]) -> str:
    """The runs on one line; of many, the first ones and the number of all."""
    more = f" … ({len(written)})" if len(written) > MOST_RUNS else ""
    return " ".join(written[:MOST_RUNS]) + more
