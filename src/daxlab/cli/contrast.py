"""`daxlab compare --a … --b …`: two sets of runs, compared. Only shows what analysis/contrast.py computes."""

import io
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from daxlab.atomic import atomic_write
from daxlab.cli.options import read_filters
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at
from daxlab.terminal import dots, print_json, show, show_rows, table
from daxlab.units import counted

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
COLUMNS = {"dataset": "data", "split": "split", "learner A": "name_a", "learner B": "name_b", "runs": "runs"}
COLUMNS |= {"A": "mean_a", "B": "mean_b", "A - B": "difference", "pairs": "pairs", "run of A better": "better"}
COLUMNS |= {"A higher": "higher", "A only": "only_a", "B only": "only_b"}
LEAST = ("pairs", "A higher", "run of A better", "B only", "A only", "runs")  # goes first where a terminal is narrow
COMMANDS = {name: name for name in ("command", "A %", "B %", "target", "wrong answer")}
LEGEND = """\
A, B: the mean percentage of test commands with every action right; in brackets the 95% interval, of A - B too.
pairs: seeds that both sides have, if two or more. run of A better: the probability that a run of A is better than a
run of B (ties count half). A higher: the probability that A's mean is higher. A only, B only: commands that most runs
of this side get right, and most of the other do not. src/daxlab/analysis/contrast.py has the rules."""
SCALES = ((0, 1), (99, 100), (0, 10), (90, 100), (0, 100))  # that runs are drawn on
MOST_DRAWN = 3  # comparisons
MOST_NAMED = 8  # learners
MOST_COMMANDS = 3  # for each side
WIDEST = 60  # characters of a target or an answer


def show_contrast(
    a: Sequence[str], b: Sequence[str], where: Sequence[str], to: Path | None, ledger: Path | None, as_json: bool
) -> None:
    """Print the comparison of two sets of runs, given by filters; `to`: a file for every command."""
    from daxlab.analysis import contrast  # polars is slow to load

    if to and to.suffix != ".csv":
        raise InputError(f"--items writes a .csv file: end its name in .csv, not {to.name!r}")
    path = ledger_at(ledger)
    with Ledger(path) as known:
        filters = {side: read_filters(known, [*where, *texts], f"--{side}: ") for side, texts in (("a", a), ("b", b))}
        frame = contrast.compare(known, filters["a"], filters["b"])
        every_row = frame.to_dicts()
        compared = [row for row in every_row if row["learner_a"] and row["learner_b"]]
        unmatched = [row for row in every_row if not (row["learner_a"] and row["learner_b"])]
        items, lacking = _items(known, compared)
    over = contrast.over_learners(frame).to_dicts()
    if to:
        _write(items, compared, to)
    if as_json:
        content = {"ledger": path, **filters, "compared": compared, "over_learners": over, "unmatched": unmatched}
        return print_json(content)
    print(f"{path}\n")
    names = {side: {row[f"learner_{side}"] for row in compared} for side in "ab"}
    for side, texts in (("a", a), ("b", b)):
        name = f": {next(iter(names[side]))}" if len(names[side]) == 1 else ""
        print(f"{side.upper()}  {', '.join((*texts, *where))}{name}")
    print()
    dropped = show_rows([_cells(row, names) for row in compared], COLUMNS, LEAST)
    if dropped:
        print(f"\n{dropped}")
    print()
    for row in over:
        mean = _with_ends(*(row[name] for name in contrast.DIFFERENCE))
        matched = f"the {row['learners']} matched learners on {row['split']}"
        print(f"The mean of A - B over {matched}: {mean}. A is ahead in {row['ahead']}, B in {row['behind']}.")
    print("\n" if over else "", end="")
    if len(compared) <= MOST_DRAWN:
        _draw(compared)
    _show_notes(compared, unmatched, lacking)
    if len(items) == len(compared) == 1:
        _show_items(items[0])
    print(f"\n{LEGEND}")
    if to:
        print(f"\nWrote {to}.")


def _items(ledger: Ledger, compared: Sequence[Row]) -> tuple[dict[int, "pl.DataFrame"], str]:
    """The commands of each comparison that has answers, by its place, and why another one has none. Counts go into the
    rows: answered_a, answered_b (runs with answers), only_a, only_b."""
    from daxlab.analysis import contrast

    items, lacking = {}, ""
    for place, row in enumerate(compared):
        row |= {f"answered_{side}": len(contrast.answered(ledger, row[f"keys_{side}"])) for side in "ab"}
        try:
            items[place] = contrast.items(ledger, row["keys_a"], row["keys_b"])
        except InputError as error:
            lacking = str(error)
        row["only_a"], row["only_b"] = contrast.only(items[place]) if place in items else (None, None)
    return items, lacking


def _write(items: dict[int, "pl.DataFrame"], compared: Sequence[Row], to: Path) -> None:
    import polars as pl

    if not items:
        raise InputError("there is nothing to write: in no comparison does this ledger have the answers of both sides")
    names = ("dataset", "split", "learner_a", "learner_b")
    frames = [
        frame.select(*(pl.lit(compared[place][name], pl.String).alias(name) for name in names), pl.all())
        for place, frame in items.items()
    ]
    content = io.BytesIO()
    pl.concat(frames).write_csv(content)
    atomic_write(to.resolve(), content.getvalue())


def _cells(row: Row, names: dict[str, set[str]]) -> Row:
    """A comparison as a row of a table."""
    several = {side: len(names[side]) > 1 for side in "ab"}
    return {
        "data": None if row["dataset"] == "scan" else row["dataset"],
        "split": row["split"],
        "name_a": row["learner_a"] if several["a"] else None,
        "name_b": row["learner_b"] if several["b"] and (row["also"] or not several["a"]) else None,
        "runs": f"{row['runs_a']} and {row['runs_b']}",
        "mean_a": _with_ends(row["mean_a"], row["low_a"], row["high_a"]),
        "mean_b": _with_ends(row["mean_b"], row["low_b"], row["high_b"]),
        "difference": _with_ends(row["difference"], row["difference_low"], row["difference_high"]),
        "pairs": row["pairs"],
        "better": _with_ends(row["better"], row["better_low"], row["better_high"]),
        "higher": row["higher"],
        "only_a": row["only_a"],
        "only_b": row["only_b"],
    }


def _with_ends(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None:
        return None
    mean, *ends = (f"{round(number or 0, 2) + 0:.2f}" for number in (value, low, high))  # no -0.00
    return mean if low is None else f"{mean} ({' to '.join(ends)})"


def _draw(compared: Sequence[Row]) -> None:
    """Every run as a dot."""
    for row in compared:
        values = row["accuracies_a"] + row["accuracies_b"]
        low, high = next(ends for ends in SCALES if all(ends[0] <= value <= ends[1] for value in values))
        print(f"{row['split']}, every run on a line from {low} to {high}%:")
        for side in "ab":
            print(f"  {side.upper()} {dots(row[f'accuracies_{side}'], low, high)}")
        print()


def _show_notes(compared: Sequence[Row], unmatched: Sequence[Row], lacking: str) -> None:
    """What a reader has to know besides, a sentence each."""
    for fields in dict.fromkeys(tuple(row["also"]) for row in compared if row["also"]):
        print(f"A and B also differ in {', '.join(fields)}, which may be what makes the difference.")
    for side, other in (("a", "b"), ("b", "a")):
        if failed := sum(row[f"failed_{side}"] for row in compared):
            print(f"Left out, because training failed: {counted(failed, 'run')} of {side.upper()}.")
        shared = {row["digest"] for row in (*compared, *unmatched) if row[f"learner_{other}"]}
        alone = [row for row in unmatched if row[f"learner_{side}"]]
        if splits := list(dict.fromkeys(row["split"] for row in alone if row["digest"] not in shared)):
            print(f"Only {side.upper()} has runs on {_some(splits)}.")
        if learners := [f"{row[f'learner_{side}']} on {row['split']}" for row in alone if row["digest"] in shared]:
            print(f"Not compared, because {other.upper()} has no such learner: {side.upper()}'s")
            print(f"  {_some(learners, between=chr(10) + '  ')}")
    partly = [row for row in compared if row["only_a"] is not None]
    if lacking:
        print(f"Commands are compared in {len(partly)} of {counted(len(compared), 'row')}: {lacking}.")
    if fewer := [row for row in partly if row["answered_a"] < row["runs_a"] or row["answered_b"] < row["runs_b"]]:
        counts = _some([f"{row['split']} ({row['answered_a']} and {row['answered_b']})" for row in fewer])
        print(f"Of some runs the ledger has no answers; commands are compared by the others: {counts}.")


def _some(names: Sequence[str], between: str = ", ") -> str:
    return between.join([*names[:MOST_NAMED], *["…"][: len(names) > MOST_NAMED]])


def _show_items(frame: "pl.DataFrame") -> None:
    """The commands on which the two sides differ most."""
    rows = frame.to_dicts()
    for side, other, ranked in (("a", "b", rows), ("b", "a", rows[::-1])):
        ahead = [row for row in ranked[:MOST_COMMANDS] if row[side] > row[other]]
        if ahead:
            print(f"\nRight more often in {side.upper()}, such as:\n")
            cells = [
                {
                    "command": row["command"],
                    "A %": f"{row['a']:.0f}",
                    "B %": f"{row['b']:.0f}",
                    **_departing(row["target"], row[f"wrong_{other}"]),
                }
                for row in ahead
            ]
            show(table(cells, COMMANDS))


def _departing(target: str, answer: str) -> Row:
    """A target and a wrong answer; where one is too long, from shortly before the answer departs from the target."""
    both = {"target": target.split(), "wrong answer": answer.split()}
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*both.values(), strict=False))
    start = max(len(list(same)) - 1, 0) if max(len(target), len(answer)) > WIDEST else 0
    before = ["…"] if start else []
    return {name: shorten(" ".join(before + words[start:]), WIDEST, placeholder=" …") for name, words in both.items()}
