"""Workers share a card where they can; where they cannot, they take turns; the service ends with the sweep."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daxlab.learners import RNN
from daxlab.sweep import Spec, gpu_sharing, local, sweep
from daxlab.sweep.local import _place

CONTROL = """#!/bin/sh
if [ "$1" = -d ]; then echo began >> {log}; exit {code}; else cat >> {log}; fi
"""


@pytest.fixture(autouse=True)
def nothing_there(monkeypatch) -> None:
    monkeypatch.delenv(gpu_sharing.PIPES, raising=False)


def control(folder: Path, code: int = 0) -> Path:
    """A service in name only, first on the path: no CUDA starts by it. What it was told is in its log."""
    log, file = folder / "log", folder / gpu_sharing.CONTROL
    file.write_text(CONTROL.format(log=log, code=code))
    file.chmod(0o755)
    log.touch()
    return log


def test_without_the_service_two_workers_take_turns(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not gpu_sharing.can_be_shared()
    with _place("gpu", 8) as place:
        assert (place.workers, place.turn is not None, dict(place.environment)) == (2, True, {})


@pytest.mark.parametrize("code", [0, 1])
def test_a_service_with_which_cuda_does_not_start_is_ended_and_not_used(tmp_path: Path, monkeypatch, code: int) -> None:
    log = control(tmp_path, code)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(gpu_sharing, "STARTS", "import sys; sys.exit(1)")
    with _place("gpu", 8) as place:
        assert (place.workers, place.turn is not None) == (2, True)
    assert log.read_text() == "began\nquit -t 10\n"


def test_the_user_is_told_when_the_service_does_not_start(tmp_path: Path, monkeypatch) -> None:
    control(tmp_path, code=1)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(local, "cores", lambda: [0, 1, 2])
    monkeypatch.setattr(gpu_sharing, "is_here", lambda: True)
    asked = [Spec("jump", 0, RNN(cell=cell)) for cell in ("srn", "gru", "lstm")]
    assert local.groups_at_once("gpu") == 3
    outcome = sweep(asked, tmp_path / "runs.db", device="gpu", budget=0.0)
    assert outcome.said == ["the card cannot be shared here, so groups take turns"]


def test_where_the_service_works_all_workers_train_at_once(tmp_path: Path, monkeypatch) -> None:
    log = control(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(gpu_sharing, "STARTS", f"import os, sys; sys.exit('{gpu_sharing.PIPES}' not in os.environ)")
    with _place("gpu", 8) as place:
        assert (place.workers, place.turn) == (8, None)
        assert Path(place.environment[gpu_sharing.PIPES]).is_dir()
        assert log.read_text() == "began\n"
    assert log.read_text() == "began\nquit -t 10\n"


def test_a_service_that_is_running_already_is_used_and_left_alone(tmp_path: Path, monkeypatch) -> None:
    log = control(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv(gpu_sharing.PIPES, str(tmp_path))
    monkeypatch.setattr(gpu_sharing, "STARTS", "")
    with _place("gpu", 8) as place:
        assert (place.workers, place.turn, dict(place.environment)) == (8, None, {})
    assert log.read_text() == ""


def test_one_worker_needs_no_service(tmp_path: Path, monkeypatch) -> None:
    log = control(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with _place("gpu", 1) as place:
        assert (place.workers, place.turn) == (1, None)
    assert log.read_text() == ""


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])  # of the whole group: as Ctrl-C does it
def test_the_service_ends_even_if_the_driver_is_killed(tmp_path: Path, blow: signal.Signals) -> None:
    log = control(tmp_path)
    code = f"""
import signal, time
from pathlib import Path
from daxlab.sweep import gpu_sharing
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
with gpu_sharing.shared(Path({str(tmp_path)!r})):
    print("there", flush=True)
    time.sleep(60)
"""
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    how = {"env": environment, "stdout": -1, "stderr": -3, "text": True, "start_new_session": True}
    with subprocess.Popen([sys.executable, "-c", code], **how) as ours:
        assert ours.stdout is not None
        assert ours.stdout.readline() == "there\n"
        os.killpg(ours.pid, blow)
    until = time.monotonic() + 10
    while "quit" not in log.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    assert log.read_text() == "began\nquit -t 10\n"
