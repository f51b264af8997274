"""Where ledgers are: one's own (DAXLAB_LEDGER, or daxlab.db in the working folder), and the results of daxlab's own.

Knows files and folders; knows nothing of what a ledger has, except whether it has a run.
"""

import os
import sys
from pathlib import Path

from daxlab.errors import InputError
from daxlab.ledger.files import is_written
from daxlab.ledger.ledger import Ledger

LEDGER = Path("daxlab.db")  # in the working folder
VARIABLE = "DAXLAB_LEDGER"
INSTALL_ROOTS = tuple(Path(__file__).resolve().parents[up] for up in (1, 3))  # an installed package; a checkout
RESULTS = "results/runs.db"


def default_ledger() -> Path:
    """The ledger that is meant where none is named: the environment variable DAXLAB_LEDGER, or daxlab.db here."""
    return Path(os.environ.get(VARIABLE) or LEDGER)


def ledger_at(path: Path | None, run: str = "", *, quiet: bool = False) -> Path:
    """The ledger to read: the one named, or the default one. Where that lacks the run (or has none at all), the
    results that come with daxlab, which is said on standard error, unless it is to be `quiet`."""
    results, own = shipped(), default_ledger()
    if path or results is None or _has_runs(own, run):
        return path or own
    if quiet:
        return results
    lacks = f"no run {run}" if run else "no runs"
    where = f"{own} has {lacks} here" if own == LEDGER else f"{own} has {lacks}"
    print(f"{where}; looking in the results that come with daxlab: {results}", file=sys.stderr)
    return results


def _has_runs(path: Path, prefix: str) -> bool:
    if not is_written(path):
        return False
    with Ledger(path) as ledger:
        return bool(ledger.keys_with_prefix(prefix) if prefix else ledger.count())


def writable_ledger(path: Path) -> Path:
    """The ledger, to be written; an error for the results that come with daxlab."""
    if path.resolve() == shipped():
        raise InputError(
            f"{path} has the results that come with daxlab, which stay as they are; "
            f"'daxlab runs merge {path}' brings them into {LEDGER}"
        )
    return path


def shipped(name: str = RESULTS) -> Path | None:
    """The results that come with daxlab, or another file that does."""
    return next(((root / name).resolve() for root in INSTALL_ROOTS if (root / name).exists()), None)


def shipped_hint(ledger: Path) -> str:
    """Where more runs are, for a ledger of one's own that lacks them."""
    results = shipped()
    return "" if results in (None, ledger.resolve()) else f"\nThe results that come with daxlab: --ledger {results}"
