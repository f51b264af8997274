"""Which ledger is meant: a file, the results that come with daxlab, or the one that is usual in this folder."""

from pathlib import Path

from daxlab.errors import InputError
from daxlab.ledger.location import default_ledger, ledger_at, shipped, writable_ledger

SHIPPED = "shipped"  # as a ledger's name


def to_read(ledger: str | Path | None, run: str = "") -> Path:
    """The ledger to read. None: DAXLAB_LEDGER, or daxlab.db here; where that lacks the run (or has none at all), the
    results that come with daxlab, whose name is "shipped"."""
    if ledger != SHIPPED:
        return ledger_at(None if ledger is None else Path(ledger), run, quiet=True)
    results = shipped()
    if results is None:
        raise InputError("this daxlab has no results with it: install it from its repository, or name a ledger")
    return results


def to_write(ledger: str | Path | None) -> Path:
    """The ledger that new runs go into: DAXLAB_LEDGER, or daxlab.db here, unless one is named."""
    if ledger == SHIPPED:
        raise InputError("the results that come with daxlab stay as they are: leave out ledger, or name a file")
    return writable_ledger(default_ledger() if ledger is None else Path(ledger))
