"""What one sees of training in Python: what the command line shows; in a notebook it is the output of a cell.

What it takes is said beforehand. Everything is on standard error, but for the picture in a notebook.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daxlab.ledger import Ledger
from daxlab.ledger.location import shipped
from daxlab.sweep import Plan, estimates
from daxlab.sweep.local import groups_at_once
from daxlab.units import counted
from daxlab.watching import Picture, repeated, watch

if TYPE_CHECKING:
    from rich.console import RenderableType

EVERY = 0.5  # seconds between two pictures in a notebook
WIDTH = 100  # characters of such a picture
HTML = '<pre style="white-space: pre; overflow-x: auto; line-height: normal">{code}</pre>'


@contextmanager
def watched(wanted: bool, ledger: Path, device: str, workers: int | None) -> Iterator[Callable[[Any], None]]:
    """What to call with the driver's plan and events, so that they are seen if that is wanted."""
    if not wanted:
        yield lambda event: None
        return
    with _in_cell(ledger) if _is_notebook() else watch(ledger) as show:

        def take(event: Any) -> None:
            if isinstance(event, Plan):
                print("\n".join(_beforehand(event, ledger, device, workers)), file=sys.stderr)
            show(event)

        yield take


def _beforehand(plan: Plan, path: Path, device: str, workers: int | None) -> list[str]:
    """About what training will take, and how many of the runs the results that come with daxlab have already."""
    results, at_once, there = shipped(), groups_at_once(device, workers), 0
    with ExitStack() as stack:
        ledgers = [stack.enter_context(Ledger(path))]
        if results is not None:
            ledgers.append(stack.enter_context(Ledger(results)))
            there = len(plan.lacking) - len(ledgers[1].lacking(plan.lacking, retry_failed=True))
        taken = estimates.estimate(plan.groups, device, at_once, ledgers)
    lines = [estimates.in_words({"executor": "local", "device": device, "workers": at_once, **asdict(taken)})]
    if there:
        which = f"{there:,} of these {counted(len(plan.lacking), 'run')}" if there < len(plan.lacking) else "these runs"
        lines.append(f"The results that come with daxlab have {which}: daxlab.runs(ledger='shipped')")
    return lines


def _is_notebook() -> bool:
    """Whether a cell of a notebook is run."""
    shell = sys.modules.get("IPython")
    return hasattr(shell.get_ipython() if shell else None, "kernel")


@contextmanager
def _in_cell(ledger: Path) -> Iterator[Callable[[Any], None]]:
    """A picture in the cell's output, drawn again and again and removed in the end."""
    from IPython.display import display  # of the notebook itself

    empty, picture, handle = {"text/plain": "", "text/html": ""}, Picture(ledger), None

    def take(event: Any) -> None:
        nonlocal handle
        if isinstance(event, Plan):
            handle = display(empty, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        picture.take(event)

    def show() -> None:
        if handle is not None:
            handle.update(_drawn(picture()), raw=True)

    try:
        with repeated(show, picture, EVERY, EVERY):
            yield take
    finally:
        if handle is not None:
            handle.update(empty, raw=True)


def _drawn(picture: "RenderableType") -> dict[str, str]:
    """A picture as a notebook shows it."""
    from rich.console import Console  # slow to load

    console = Console(record=True, file=StringIO(), width=WIDTH, force_jupyter=False)
    console.print(picture, highlight=False)
    text = console.export_text(clear=False)
    return {"text/plain": text, "text/html": console.export_html(inline_styles=True, code_format=HTML)}
