"""One outside process under supervision: it is given a time and an amount of memory, and nothing of it stays behind.

It runs in a session of its own. What it starts inherits a mark in the environment, the path of a temporary folder, by
which it is found even if it leaves that session. If we are killed, a guard ends it and removes the folder. This is no
sandbox: a process that means harm can do it. Knows nothing of what it runs.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import gettempdir
from threading import Thread
from time import monotonic
from typing import NamedTuple

import psutil

from daxlab.learners.core import Failed
from daxlab.units import duration, size

MARK = "DAXLAB_PROCESS"
POLL = 0.1  # seconds between two looks at it, at least
WATCHING = 0.1  # the most of a processor's time that looking at it may take: among thousands of processes it is slow
SETTLE = 1.0  # seconds that what it started has to end by itself after it
GRACE = 2.0  # seconds between SIGTERM and SIGKILL
GIVE_UP = 10.0  # seconds after SIGKILL, if even that does not end it
LAST_LINES, LAST_BYTES = 8, 4096  # of its standard error
NOT_FOUND = (126, 127)  # a shell's exit status where a command cannot be started
GUARD = 'read -r ended || exec "$@"'  # a shell's: standard input that ends without a line means that we were killed


class Ended(NamedTuple):
    """A process that exited with 0."""

    left: list[str]  # the names of the processes that it left behind
    said: list[str]  # the last lines of its standard error


@contextmanager
def guarded_folder() -> Iterator[Path]:
    """A temporary folder for `run`; whatever runs for it is ended, and it is removed, even if we are killed.

    The guard is there before the folder and after it, so that there is no moment at which a kill would leave it behind.
    """
    folder = Path(gettempdir(), f"daxlab-{token_hex(8)}")
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, "sh", sys.executable, "-P", "-m", "daxlab.learners.process", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)
        guard.communicate(b"ended\n")


def run(
    command: Sequence[str] | str,
    folder: Path,
    *,
    seconds: float,
    memory: float,
    environment: Mapping[str, str],
    going: Callable[[], bool],
) -> Ended | None:
    """Run a command to its end; a text is a shell's. None if `going` said so before its end.

    Failed, with the end of its standard error, if it did not exit with 0. What it leaves behind is ended. `folder`: a
    guarded one. `seconds` of the wall clock; `memory` in bytes, resident, of the process and all that it started.
    """
    mark, shell = str(folder), isinstance(command, str)
    try:
        child = subprocess.Popen(
            command,
            shell=shell,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, **environment, MARK: mark},
        )
    except (OSError, ValueError) as error:
        raise Failed(f"unavailable: it cannot be started ({error})") from None
    last = bytearray()
    reader = Thread(target=_read_last, args=(child.stderr, last), daemon=True)
    reader.start()
    failure, status = "", None
    try:
        if hasattr(os, "sched_setaffinity"):  # a worker keeps to one core; the program may use those of the driver
            with suppress(OSError):
                os.sched_setaffinity(child.pid, os.sched_getaffinity(os.getppid()))
        status = _watched(child, mark, seconds, memory, going)
    except Failed as failed:
        failure = str(failed)
    finally:
        left = _end(mark, {child.pid})
        with suppress(subprocess.TimeoutExpired):
            child.wait(POLL)
        reader.join(GRACE)  # what has got away from us may still hold the other end
    said = _last_lines(last)
    if status:
        word = "unavailable" if shell and status in NOT_FOUND else "crashed"
        how = f"exit status {status}" if status > 0 else f"signal {-status} ({signal.strsignal(-status)})"
        failure = f"{word}: {how}"
    if failure:
        raise Failed("\n".join([failure, *said]))
    return None if status is None else Ended(left, said)


def _watched(
    child: "subprocess.Popen[bytes]", mark: str, seconds: float, memory: float, going: Callable[[], bool]
) -> int | None:
    """Its exit status; None if it is to be stopped."""
    until, pause = monotonic() + seconds, POLL
    while True:
        with suppress(subprocess.TimeoutExpired):
            return child.wait(pause)
        if (began := monotonic()) > until:
            raise Failed(f"timed out: it was stopped after {duration(seconds)}")
        resident = sum(map(_resident, _family(mark, {child.pid})))
        pause = max(POLL, (monotonic() - began) / WATCHING)
        if resident > memory:
            raise Failed(f"out of memory: it used {size(resident)}, and may use {size(memory)}")
        if not going():
            return None


def _family(mark: str, groups: Collection[int]) -> list[psutil.Process]:
    """All that runs for a mark: what bears it, and the processes of these groups."""
    return [process for process in psutil.process_iter() if _belongs(process, mark, groups)]


def _belongs(process: psutil.Process, mark: str, groups: Collection[int]) -> bool:
    try:
        ours = os.getpgid(process.pid) in groups or process.environ().get(MARK) == mark
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


def _end(mark: str, groups: Collection[int]) -> list[str]:
    """Stop all that runs for a mark: SIGTERM, and at the end of the grace, or if we are told to end too, SIGKILL until
    nothing is left. The names of what did not end by itself."""
    try:
        _, left = psutil.wait_procs(_family(mark, groups), timeout=SETTLE)
        names = [_name(process) for process in left]
        _send(signal.SIGTERM, left, GRACE)
        return names
    finally:
        until = monotonic() + GIVE_UP
        while (family := _family(mark, groups)) and monotonic() < until:
            _send(signal.SIGKILL, family, POLL)


def _send(number: signal.Signals, family: Sequence[psutil.Process], seconds: float) -> None:
    """Send a signal to processes and wait until they have ended, at most so long."""
    for process in family:
        with suppress(psutil.Error):
            process.send_signal(number)
    psutil.wait_procs(family, timeout=seconds)


def _read_last(stream: BufferedReader, last: bytearray) -> None:
    """Read a stream to its end, and keep its last bytes."""
    with stream:
        while chunk := stream.read1():
            last += chunk
            del last[:-LAST_BYTES]


def _last_lines(last: bytearray) -> list[str]:
    return last.decode(errors="replace").splitlines()[-LAST_LINES:]


def _tidy(folder: str) -> None:
    """What the guard does when we were killed."""
    groups = set[int]()
    for process in _family(folder, ()):
        with suppress(OSError):
            groups.add(os.getpgid(process.pid))
    _end(folder, groups)
    rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _tidy(sys.argv[1])
