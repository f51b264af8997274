"""`daxlab web`: the page, served or written down."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from daxlab.atomic import atomic_write
from daxlab.cli.options import LedgerOption
from daxlab.errors import InputError
from daxlab.ledger.location import ledger_at

PORT = 8137


def web(
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR|FILE.html", help="Write it: as a folder, or as one file.")
    ] = None,
    ledger: LedgerOption = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What 'daxlab report' wrote, to link to from the results.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Where to serve it on this machine.")] = PORT,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open it in a browser.")] = True,
) -> None:
    """Show the page: teach it dax, ask the networks anything, look at every run. The networks compute in the browser.

    Without --to it is served on this machine alone, until Ctrl-C.

    Example: daxlab web
    Example: daxlab web --to page.html
    """
    path = ledger_at(ledger)
    if not path.exists():
        raise InputError(f"there is no ledger at {path}")
    if report is not None and not report.is_file():
        raise InputError(f"there is no report at {report}; 'daxlab report --out {report}' writes one")
    if to is None:
        return _serve(path, port, report, open_page)
    from daxlab.web.bundle import one_file, write_folder

    if to.suffix.lower() in (".html", ".htm"):
        if to.is_dir() or not to.absolute().parent.is_dir():
            raise InputError(
                f"cannot write {to}: " + ("it is a folder" if to.is_dir() else "its folder does not exist")
            )
        if report is not None:
            raise InputError("one file has no place for a report: write a folder, or serve the page")
        content = one_file(path)
        atomic_write(to.resolve(), content)
        print(f"Wrote {to} from {path} ({len(content) / 1e6:.1f} MB): it works from disk.")
        return None
    if to.is_file():
        raise InputError(f"{to} is a file: give --to a folder, or a name that ends in .html")
    if to.is_dir() and any(to.iterdir()) and not (to / "data" / "page.json").is_file():
        raise InputError(f"{to} has other files: give --to a new folder, or one with an earlier page")
    written = write_folder(path, to, report)
    print(f"Wrote {len(written)} files into {to} from {path}, for any static host.")
    return None


def _serve(path: Path, port: int, report: Path | None, open_page: bool) -> None:
    from daxlab.web.server import serve

    with serve(path, port, report) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"{address} shows {path}; Ctrl-C ends it.", flush=True)
        if open_page:
            webbrowser.open(address)
        server.serve_forever()
