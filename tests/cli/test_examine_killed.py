"""`examine`, killed at any moment: no row is lost, none is there twice, and nothing is left running."""

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from daxlab.ledger import Ledger, is_written
from fuzzing import parts

TESTS = Path(__file__).parents[1]
SLOW = """
import signal, subprocess, time
from spiteful import Good

class Slow(Good):
    def fit(self, train, *, seed):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        time.sleep(0.3)
        child.kill(), child.wait()
        super().fit(train, seed=seed)
"""
WORDS = ("slow.py:Slow", "--data", "colours", "--splits", "test,gen", "--runs", "3", "--jobs", "2")
RUNS = 6
LEDGER = Path("daxlab.db")
# Whom a kill meets: examine; one of its workers, which it replaces; examine and all its workers at once.
VICTIMS: dict[str, Callable[[psutil.Process, list[psutil.Process]], list[psutil.Process]]] = {
    "examine": lambda examine, workers: [examine],
    "a worker": lambda examine, workers: workers[-1:],
    "all of daxlab": lambda examine, workers: [examine, *workers],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(TESTS / "learners" / "spiteful.py", tmp_path)
    shutil.copytree(TESTS / "everywhere" / "colours", tmp_path / "colours")
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAXLAB_TEST", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return tmp_path


def start() -> psutil.Popen:
    return psutil.Popen([sys.executable, "-m", "daxlab", "examine", *WORDS], stdout=-3, stderr=-3)


def rows() -> dict[str, tuple]:
    """By key: when each run of the ledger was finished, and how it did."""
    if not is_written(LEDGER):
        return {}
    with Ledger(LEDGER) as ledger:
        ledger.check()
        runs = [(key, ledger.run(key)) for key in ledger.select()]
    assert len(dict(runs)) == len(runs)
    return {key: (run.finished, run.status, run.metrics.get("train_accuracy")) for key, run in runs}


def workers_of(examine: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return [child for child in examine.children() if "spawn_main" in " ".join(child.cmdline())]
    return []


def still_running(folder: Path) -> list[str]:
    """What the test has started, and the temporary folders of programs."""
    names = [path.name for path in (folder / "temporary").glob("daxlab-*")]
    for running in psutil.process_iter():
        with suppress(psutil.Error):
            if running.pid != os.getpid() and running.environ().get("DAXLAB_TEST") == str(folder):
                names += [" ".join(running.cmdline())] if running.status() != psutil.STATUS_ZOMBIE else []
    return names


@pytest.mark.parametrize("seeds", parts(5, of=50))
def test_a_killed_examine_loses_no_row_and_leaves_nothing_running(folder: Path, seeds: range) -> None:
    began = time.monotonic()
    assert start().wait() == 0
    longest, complete = time.monotonic() - began, rows()
    assert len(complete) == RUNS and {row[1:] for row in complete.values()} == {("done", 100.0)}
    LEDGER.unlink()
    before: dict[str, tuple] = {}
    for seed in seeds:
        chance = random.Random(seed)
        name = chance.choice([*VICTIMS])
        examine = start()
        time.sleep(chance.uniform(0, longest))
        for victim in VICTIMS[name](examine, workers_of(examine)):
            with suppress(psutil.Error):
                victim.send_signal(signal.SIGKILL)
        ended = examine.wait(120)
        until = time.monotonic() + 30
        while (left := still_running(folder)) and time.monotonic() < until:
            time.sleep(0.1)
        assert left == [], f"seed {seed}, {name} killed"
        after = rows()
        assert before.items() <= after.items() and after.keys() <= complete.keys(), f"seed {seed}, {name} killed"
        assert ended != 0 or after.keys() == complete.keys()
        before = after
        if len(before) == RUNS:
            LEDGER.unlink()
            before = {}
    assert start().wait() == 0
    after = rows()
    assert before.items() <= after.items() and after.keys() == complete.keys()
    assert {row[1:] for row in after.values()} == {("done", 100.0)}
