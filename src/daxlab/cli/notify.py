"""`--notify CMD`: a shell command that runs when training has ended, with what came of it in its environment."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from daxlab.ledger import Ledger, is_written
from daxlab.sweep import Outcome
from daxlab.units import counted, duration

STATUS, SUMMARY = "DAXLAB_STATUS", "DAXLAB_SUMMARY"
PATIENCE = 60.0  # seconds that the command may take

Status = Literal["done", "stopped", "failed"]


class Ending:
    """What there is to be said at the end; nothing where nothing was to be trained."""

    outcome: Outcome | None = None


@contextmanager
def notifying(command: str | None, ledger: Path) -> Iterator[Ending]:
    """Runs the command at the end, however that comes about."""
    ending, began = Ending(), time.monotonic()
    try:
        yield ending
    except BaseException as error:
        if command:
            stopped = isinstance(error, KeyboardInterrupt)
            reason = "interrupted" if stopped else " ".join(str(error).split()) or type(error).__name__
            _run(command, "stopped" if stopped else "failed", f"daxlab: {reason}")
        raise
    if command and ending.outcome is not None:
        took = duration(time.monotonic() - began)
        _run(command, "stopped" if ending.outcome.stopped else "done", f"{in_a_line(ending.outcome, ledger)}; {took}")


def in_a_line(outcome: Outcome, ledger: Path) -> str:
    """How many runs there are, are new, and have failed: "daxlab: 4 of 6 runs in daxlab.db, 2 of them new"."""
    asked, lacking, undone = len(outcome.keys), set(outcome.keys), set(outcome.keys)
    if is_written(ledger):
        with Ledger(ledger) as known:
            lacking, undone = (set(known.lacking(outcome.keys, retry_failed=retried)) for retried in (False, True))
    failed = len(undone) - len(lacking)
    parts = [f"{asked - len(lacking):,} of {counted(asked, 'run')} in {ledger}", f"{outcome.trained:,} of them new"]
    return "daxlab: " + ", ".join([*parts, *([f"{failed:,} of them failed"] if failed else [])])


def _run(command: str, status: Status, summary: str) -> None:
    """A command that fails is a warning: what was trained is there anyway."""
    told, wrong = os.environ | {STATUS: status, SUMMARY: summary}, ""
    try:
        subprocess.run(command, check=True, shell=True, env=told, stdin=subprocess.DEVNULL, stdout=2, timeout=PATIENCE)
    except subprocess.CalledProcessError as error:
        wrong = f"ended with exit status {error.returncode}"
    except subprocess.TimeoutExpired:
        wrong = f"did not end within {duration(PATIENCE)}"
    except (OSError, ValueError) as error:
        wrong = f"could not be run ({error})"
    if wrong:
        print(f"Warning: the command of --notify {wrong}.", file=sys.stderr)
