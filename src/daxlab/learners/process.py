"""One outside process under supervision: it is given a time and an amount of memory, and nothing of it stays behind.

It runs in a session of its own. What it starts inherits a mark in the environment, by which it is found even if it
leaves that session. This is no sandbox: a process that means harm can do it. Knows nothing of what it runs.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic

import psutil

from daxlab.learners.core import Failed
from daxlab.units import duration, size

MARK = "DAXLAB_PROCESS"
POLL = 0.1  # seconds between two looks at it
GRACE = 2.0  # seconds between SIGTERM and SIGKILL
GIVE_UP = 10.0  # seconds after SIGKILL, if even that does not end it
LAST_LINES, LAST_BYTES = 8, 4096  # of its standard error
NOT_FOUND = (126, 127)  # a shell's exit status where a command cannot be started


def run(
    command: Sequence[str] | str,
    errors: Path,
    *,
    seconds: float,
    memory: float,
    environment: Mapping[str, str],
    going: Callable[[], bool],
) -> list[str] | None:
    """Run a command to its end; a text is a shell's. Failed if it did not exit with 0.

    Returns the names of the processes that it left behind, which are ended; None if `going` said so before its end.
    `errors`: the file for its standard error. `seconds` of the wall clock; `memory` in bytes, resident, of the process
    and all that it started.
    """
    mark = token_hex(16)
    shell = isinstance(command, str)
    try:
        with errors.open("wb") as stderr:
            child = subprocess.Popen(
                command,
                shell=shell,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
                env={**os.environ, **environment, MARK: mark},
            )
    except (OSError, ValueError) as error:
        raise Failed(f"unavailable: it cannot be started ({error})") from None
    try:
        if hasattr(os, "sched_setaffinity"):  # a worker keeps to one core; the program may use those of the driver
            with suppress(OSError):
                os.sched_setaffinity(child.pid, os.sched_getaffinity(os.getppid()))
        status = _watched(child, mark, seconds, memory, going)
    finally:
        left = _end(child, mark)
    if status is None:
        return None
    if status:
        word = "unavailable" if shell and status in NOT_FOUND else "crashed"
        how = f"exit status {status}" if status > 0 else f"signal {-status} ({signal.strsignal(-status)})"
        raise Failed("\n".join([f"{word}: {how}", *_last_lines(errors)]))
    return left


def _watched(
    child: "subprocess.Popen[bytes]", mark: str, seconds: float, memory: float, going: Callable[[], bool]
) -> int | None:
    """Its exit status; None if it is to be stopped."""
    until = monotonic() + seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(POLL)
        if monotonic() > until:
            raise Failed(f"timed out: it was stopped after {duration(seconds)}")
        resident = sum(map(_resident, _family(child, mark)))
        if resident > memory:
            raise Failed(f"out of memory: it used {size(resident)}, and may use {size(memory)}")
        if not going():
            return None


def _family(child: "subprocess.Popen[bytes]", mark: str) -> list[psutil.Process]:
    """The process and all that it started: its group, and whatever bears its mark."""
    return [process for process in psutil.process_iter() if _belongs(process, child.pid, mark)]


def _belongs(process: psutil.Process, group: int, mark: str) -> bool:
    try:
        ours = os.getpgid(process.pid) == group or process.environ().get(MARK) == mark
        return ours and bool(process.status() != psutil.STATUS_ZOMBIE)  # whose parent has not looked yet
    except (psutil.Error, OSError):  # it has ended, or is somebody else's
        return False


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _name(process: psutil.Process) -> str:
    try:
        return str(process.name())
    except psutil.Error:
        return f"process {process.pid}"


def _end(child: "subprocess.Popen[bytes]", mark: str) -> list[str]:
    """Stop the process and all that it started: SIGTERM, and at the end of the grace, or if we are told to end too,
    SIGKILL until nothing is left. The names of what did not end by itself."""
    try:
        _, left = psutil.wait_procs(_family(child, mark), timeout=POLL)
        names = [_name(process) for process in left]
        _send(signal.SIGTERM, left, GRACE)
        return names
    finally:
        until = monotonic() + GIVE_UP
        while (family := _family(child, mark)) and monotonic() < until:
            _send(signal.SIGKILL, family, POLL)
        with suppress(subprocess.TimeoutExpired):
            child.wait(POLL)


def _send(number: signal.Signals, family: Sequence[psutil.Process], seconds: float) -> None:
    """Send a signal to processes and wait until they have ended, at most so long."""
    for process in family:
        with suppress(psutil.Error):
            process.send_signal(number)
    psutil.wait_procs(family, timeout=seconds)


def _last_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LAST_BYTES))
        return file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
