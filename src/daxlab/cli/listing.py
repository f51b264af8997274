"""`daxlab runs list`: runs, or settings with their runs together, filtered, sorted, with chosen columns."""

from collections.abc import Callable, Sequence
from datetime import datetime
from textwrap import shorten
from typing import Annotated, Any

import typer

from daxlab.cli import completion
from daxlab.cli.help import HOW, LEDGER
from daxlab.cli.options import JsonOption, LedgerOption, WhereOption, read_filters
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at
from daxlab.ledger.schema import ROW
from daxlab.ledger.trained import ANSWERS, MODEL, kept
from daxlab.terminal import print_json, show_rows
from daxlab.units import counted

Row = dict[str, Any]
COLUMNS = {"run": "key", "dataset": "dataset", "split": "split", "learner": "label", "seed": "seed"}
COLUMNS |= {"status": "status", "test %": "accuracy", "train %": "train_accuracy", "oracle %": "oracle_accuracy"}
COLUMNS |= {"has": "has"}
SETTINGS = {"dataset": "dataset", "split": "split", "learner": "label", "runs": "runs", "failed": "failed"}
SETTINGS |= {"mean %": "mean", "95% interval": "interval"}
NAMES = {"run": "key", "kind": "learner", "learner": "label"} | {
    name: COLUMNS[name] for name in ("test %", "train %", "oracle %")
}
LEAST = ("oracle %", "train %", "status", "has", "failed", "dataset")  # goes first where a terminal is narrow
HIDDEN = ("key", "label", "fields", "spec", "origin")  # that are shown by another name, or not in a table
MOST_SHOWN = 50
MOST_REASON = 60  # characters, of why a run failed
HAS = f"{MODEL}: can be asked, by 'daxlab predict' and 'daxlab evaluate'. {ANSWERS}: 'daxlab runs answers' writes them."


def list_runs(
    where: WhereOption = None,
    with_model: Annotated[
        bool, typer.Option("--with-model", help="Only runs whose model is here, to be asked.", rich_help_panel=LEDGER)
    ] = False,
    with_answers: Annotated[
        bool, typer.Option("--with-answers", help="Only runs whose answers are here.", rich_help_panel=LEDGER)
    ] = False,
    group: Annotated[
        bool,
        typer.Option(
            "--group", help="A line for each learner and split: its runs, their mean and interval.", rich_help_panel=HOW
        ),
    ] = False,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Sort by a column, such as accuracy. Default: the latest first.",
            rich_help_panel=HOW,
            autocompletion=completion.columns,
        ),
    ] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", "-r", help="Sort from the greatest to the least.", rich_help_panel=HOW)
    ] = False,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…",
            help="What to show, such as run,hidden,accuracy: columns, or fields of the learner.",
            rich_help_panel=HOW,
            autocompletion=completion.columns,
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="How many. Default: 50, with --json or --group all.", rich_help_panel=HOW
        ),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List runs, the latest first.

    Example: daxlab runs list --where split=jump --where hidden=50,100 --sort accuracy --reverse
    Example: daxlab runs list --group --where split=jump --columns cell,hidden,mean,interval
    """
    most = limit or (None if as_json or group else MOST_SHOWN)
    with Ledger(ledger_at(ledger)) as known:
        shown = _chosen(known, columns, group)
        key = _chosen(known, sort, group).popitem()[1] if sort else None
        filters = read_filters(known, where or [])
        wanted = {part for part, asked in ((MODEL, with_model), (ANSWERS, with_answers)) if asked}
        if wanted:
            filters["key"] = [run for run, parts in kept(known, filters).items() if wanted <= set(parts)]
        if group:
            rows = _settings(known, filters)
        else:
            rows = known.rows(filters, limit=None if key else most)
            parts = kept(known, {"key": [row["key"] for row in rows]})
            rows = [row | {"has": parts.get(row["key"], [])} for row in rows]
        count = len(rows) if group else known.count(filters)
    if key:
        rows.sort(key=_order(key), reverse=reverse)
        rows.sort(key=lambda row: _value(row, key) is None)  # what has no value comes last
    elif reverse:
        rows.reverse()
    rows = rows[:most]
    if as_json:
        return print_json(rows)
    dropped = show_rows(
        [{key: _text(key, _value(row, key), row.get("reason")) for key in shown.values()} for row in rows],
        _needed(shown, rows),
        LEAST,
    )
    print("\n" + ". ".join(filter(None, [f"{len(rows):,} of {counted(count, 'line' if group else 'run')}", dropped])))
    if not group and any(row["has"] for row in rows):
        print(HAS)


def column_names(ledger: Ledger) -> list[str]:
    """What --columns and --sort take."""
    names = [*NAMES, *ROW, *ledger.columns(), "mean", "interval", "runs", "failed"]
    return [name for name in dict.fromkeys(names) if name not in HIDDEN]


def _chosen(ledger: Ledger, text: str | None, group: bool) -> dict[str, str]:
    """The columns that are named, from their headings to their keys; or the usual ones."""
    usual = SETTINGS if group else COLUMNS
    if text is None:
        return dict(usual)
    names = [name.strip() for name in text.split(",")]
    known = column_names(ledger)
    for name in names:
        if name not in known:
            raise InputError(f"runs have no column {name!r}; {nearest(name, known)}")
    return {name: usual.get(name) or NAMES.get(name, name) for name in names}


def _needed(columns: dict[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Without the columns that say the same of all runs: that they are of SCAN, or done."""
    if columns not in (COLUMNS, SETTINGS):
        return columns
    usual = {"dataset": "scan", "status": "done", "failed": 0}
    return {
        heading: key
        for heading, key in columns.items()
        if heading not in usual or any(_value(row, key) != usual[heading] for row in rows)
    }


def _settings(ledger: Ledger, where: Row) -> list[Row]:
    """A row for each setting that a ledger has: its runs, their mean accuracy and its 95% interval; the best first."""
    from daxlab.analysis.intervals import of_accuracies  # scipy is slow to load

    rows = ledger.accuracies(where)
    for row in rows:
        runs, accuracies = len(row["accuracies"]), row["accuracies"]
        row |= {"runs": runs, "mean": sum(accuracies) / runs if runs else None}
        row["interval"] = of_accuracies(accuracies) if runs > 1 else None
    return sorted(rows, key=lambda row: (row["dataset"], row["split"], -1 if row["mean"] is None else -row["mean"]))


def _value(row: Row, key: str) -> Any:
    return row[key] if key in row else row["fields"].get(key)


def _order(key: str) -> Callable[[Row], Any]:
    def place(row: Row) -> Any:
        value = _value(row, key)
        number = isinstance(value, int | float)
        return (not number, value if number else 0, "" if number else str(value))

    return place


def _text(key: str, value: Any, reason: str | None) -> Any:
    """A value as a cell of a table."""
    if key == "key":
        return value[:12]
    if key == "status" and value == "failed":
        return f"failed: {shorten(reason, MOST_REASON, placeholder=' …')}" if reason else value
    if key == "interval" and value:
        return f"{value[0] + 0:.2f} to {value[1] + 0:.2f}"
    if key == "finished" and value:
        return datetime.fromtimestamp(value).strftime("%Y-%m-%d %H:%M")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if isinstance(value, bool) or key in ("seed", "updates") else value
