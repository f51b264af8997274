"""`daxlab leaderboard`: every learner on SCAN's splits, beside what was published."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from daxlab.atomic import atomic_write
from daxlab.cli.completion import splits
from daxlab.cli.options import JsonOption, LedgerOption
from daxlab.errors import InputError
from daxlab.learners import KINDS
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at, shipped_hint
from daxlab.terminal import dots, every, print_json, show

if TYPE_CHECKING:
    from rich.table import Table

    from daxlab.paper.leaderboard import Cell, Entry
    from daxlab.paper.published import Published

FORMATS = (".md", ".csv", ".json")
SIGNS = {"agrees": "=", "differs": "≠", "undecided": "?"}
STYLES = {"agrees": "green", "differs": "red", "undecided": "yellow"}
LINE = 50  # characters from 0 to 100%
MEANS = "Mean per cent of test commands wholly right; below it the published figure."
LEGEND = f"{MEANS}\n= agrees, ≠ differs, ? undecided, by the rules of 'daxlab compare'. –: no runs."
OWN = "daxlab train path/to/file.py:Name --split jump --runs 5"
INTERVALS = "--split shows every run of one split; --to table.md has the intervals."


def leaderboard(
    split: Annotated[
        str | None,
        typer.Option(
            metavar="SPLIT", help="Only this split, with every run and what is published.", autocompletion=splits
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it, with intervals, into a .md, .csv or .json file."),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how each kind of learner does on each split of SCAN, beside published figures.

    Of the paper's networks it has the overall best and the best on jump; 'daxlab compare' has the others.

    Example: daxlab leaderboard --split jump
    Example: daxlab leaderboard --to table.md
    """
    if to and to.suffix not in FORMATS:
        raise InputError(f"a leaderboard is written as {', '.join(FORMATS)}: end the name of {to} in one of them")
    from daxlab.paper.leaderboard import leaderboard as measured, split_named  # polars is slow to load
    from daxlab.report.leaderboard import as_json as plain, written

    one, path = split and split_named(split), ledger_at(ledger)
    with Ledger(path) as known:
        entries = measured(known)
    if to:
        atomic_write(to.resolve(), written(entries, one, to.suffix).encode())
        return print(f"Wrote {to}.")
    if as_json:
        return print_json(plain(entries, one))
    print(f"{path}\n")
    if one:
        _show_split(entries, one)
    elif entries:
        show(_table(entries), wrap=True)
        print(f"\n{LEGEND}\n{INTERVALS}\n")
        _show_learners(entries)
    _say_what_lacks(entries, path)


def _table(entries: Sequence["Entry"]) -> "Table":
    """Learners by splits, within 80 columns."""
    from rich.table import Table
    from rich.text import Text

    from daxlab.paper.leaderboard import SPLITS
    from daxlab.report.leaderboard import heading

    shown = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    shown.add_column("", overflow="fold", vertical="top")
    for split in SPLITS:
        shown.add_column(heading(split).replace(" ", "\n"), justify="right", no_wrap=True, vertical="top")
    for entry in entries:
        shown.add_row(Text(entry.learner), *(_cell(entry.cells[split]) for split in SPLITS))
    return shown


def _cell(cell: "Cell") -> Any:
    """Our mean, and below it the published one with the sign of the verdict."""
    from rich.text import Text

    from daxlab.report.leaderboard import rounded

    said = Text(rounded(cell.mean))
    if cell.published:
        said.append(f"\n{cell.published.mean:g}", "dim")
        said.append(SIGNS.get(cell.verdict or "", ""), STYLES.get(cell.verdict or "", ""))
    return said


def _show_learners(entries: Sequence["Entry"]) -> None:
    """What each learner was given, and whose figures stand below its own."""
    from rich.padding import Padding
    from rich.text import Text

    from daxlab.report.leaderboard import about, systems

    for entry in entries:
        show(Text.assemble((entry.learner, "bold"), f": {about(entry)}."), wrap=True)
        for said in systems(entry):
            show(Padding(Text(f"published: {said}", "dim"), (0, 0, 0, 2)), wrap=True)


def _show_split(entries: Sequence["Entry"], split: str) -> None:
    """One split: each learner with its runs as dots, then in grey what others published."""
    from rich.padding import Padding
    from rich.text import Text

    from daxlab.paper.leaderboard import others
    from daxlab.report.leaderboard import DRAWS, published_words, rounded
    from daxlab.report.text import interval
    from daxlab.units import counted

    for entry in entries:
        cell = entry.cells[split]
        show(Text.assemble((entry.learner, "bold"), f"  told {entry.told or 'not known'}"), wrap=True)
        if cell.runs:
            ends = "" if cell.low is None else f" ({interval({'low': cell.low, 'high': cell.high})})"
            failed = f", {cell.failed} failed" if cell.failed else ""
            draw = f", on {DRAWS[cell.draw]}" if cell.draw else ""
            print(f"  {dots(cell.accuracies, 0, 100, LINE)} {rounded(cell.mean)}{ends}")
            print(f"  {counted(cell.runs, 'run')}{failed}{draw}: {every([rounded(run) for run in cell.accuracies])}")
        else:
            print("  – no runs")
        if cell.published:
            said = Text(f"published {published_words(cell.published)}", "dim")
            verdict = Text(f": {cell.verdict}", STYLES.get(cell.verdict or "", "dim")) if cell.verdict else Text("")
            show(Padding(said + verdict, (0, 0, 0, 2)), wrap=True)
    if rest := others(split, entries):
        print(f"\nOthers on {split}, not trained here, as far as is known what they were told and shown:\n")
        show(_others(rest), wrap=True)


def _others(figures: Sequence["Published"]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=False, style="dim")
    for justify in ("right", "left", "left", "left"):
        shown.add_column(justify=justify, overflow="fold", vertical="top")
    for figure in figures:
        told, protocol = (f"told {figure.told}" if figure.told else "", figure.protocol)
        about = "; ".join(filter(None, (told, "the paper's protocol" if protocol == "" else protocol)))
        spread = f"± {figure.spread:g}" if figure.spread is not None else ""
        shown.add_row(*map(Text, (f"{figure.mean:g}", spread, figure.system, about)))
    return shown


def _say_what_lacks(entries: Sequence["Entry"], path: Path) -> None:
    """Which command trains the runs that there are not."""
    from daxlab.paper.leaderboard import COMMAND

    if all(entry.of_paper for entry in entries):
        print(f"\nNo learner after the paper has runs on SCAN's splits: '{COMMAND}' trains them.{shipped_hint(path)}")
        return
    lacking = {entry.kind for entry in entries for cell in entry.cells.values() if not cell.runs}
    if lacking - KINDS.keys():
        print(f"\n'{OWN}' trains a learner of your own.")
    if lacking & KINDS.keys():
        print(f"\n'{COMMAND}' trains what is lacking.")
