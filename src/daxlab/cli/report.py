"""`daxlab report`: the results as one page."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from daxlab.atomic import atomic_write
from daxlab.cli.options import LedgerOption, ledger_at, shipped_hint
from daxlab.errors import InputError
from daxlab.runs import Ledger


def report(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")] = Path("report.html"),
    ledger: LedgerOption = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Write the results as one page that needs no network: text, figures, tables, the paper's figures beside ours.

    Example: daxlab report --out report.html --open
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is a page: give --out a name that ends in .html, not {out.name!r}")
    if out.is_dir() or not out.parent.is_dir():
        reason = "it is a folder" if out.is_dir() else f"there is no folder {out.parent}"
        raise InputError(f"cannot write {out}: {reason}")
    path = ledger_at(ledger)
    with Ledger(path) as known:
        from daxlab.report.page import page  # matplotlib and jinja2 are slow to load

        written = page(known)
    atomic_write(out.resolve(), written.encode())
    print(f"{out}: {path} as a page")
    if ledger is None and (more := shipped_hint(path)):
        print(more)
    if show:
        webbrowser.open(out.resolve().as_uri())
