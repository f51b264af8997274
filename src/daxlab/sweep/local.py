"""This machine as an executor: one process a core, or several for a card; takes tasks, yields events.

On a card that they can share, workers train at once. Where they cannot, two take turns: while one trains, the other
compiles its next group or scores its last. A worker is told to stop by a flag and stops at a checkpoint; if the
driver dies, its pipe closes and the worker ends. Knows nothing of the ledger.
"""

import multiprocessing
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from types import ModuleType
from typing import Any

from filelock import FileLock

from daxlab.errors import InputError
from daxlab.sweep import gpu_sharing, worker as work
from daxlab.sweep.task import TRIES, Broken, Event, Noted, OnTheWay, Started, Task

LAST_SECONDS = 5  # that a worker has to end what it has started
PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin")
IN_TURN = "the card cannot be shared here, so groups take turns"


@dataclass(frozen=True)
class _Place:
    """The device that workers share, and how they share it."""

    device: str
    workers: int
    turn: Path | None = None  # a file to lock while training, if only one worker may train at a time
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    core: int
    task: Task | None = None


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def device_named(name: str, executor: str = "local") -> str:
    """The device that a name stands for: cpu or gpu."""
    if name not in ("auto", "cpu", "gpu"):
        raise InputError(f"a device is auto, cpu or gpu, not {name!r}")
    if executor not in ("local", "ray"):
        raise InputError(f"an executor is local or ray, not {executor!r}")
    if name != "auto":
        return name
    if executor == "ray":
        raise InputError("what a cluster's nodes have is not known here: say --device cpu or --device gpu")
    return "gpu" if gpu_sharing.is_here() and any(map(find_spec, PLUGINS)) else "cpu"


def groups_at_once(device: str, workers: int | None = None) -> int:
    """How many groups train at the same time, with so many workers at most; of a card that is not here, a full one."""
    if device == "cpu":
        return min(workers or len(cores()), len(cores()))
    if not gpu_sharing.is_here():
        return workers or gpu_sharing.WORKERS
    return min(workers or gpu_sharing.WORKERS, len(cores())) if gpu_sharing.can_be_shared() else 1


def execute(tasks: Sequence[Task], device: str, workers: int | None, stop: Callable[[], bool]) -> Iterator[Event]:
    """Run the tasks, so many at a time at most; yields what workers report."""
    workers = workers or (len(cores()) if device == "cpu" else gpu_sharing.WORKERS)
    context = multiprocessing.get_context("spawn")  # JAX's threads do not survive a fork
    waiting, tries = deque(tasks), Counter[str]()
    with _place(device, max(1, min(workers, len(tasks), len(cores())))) as place:
        if place.turn and gpu_sharing.can_be_shared():
            yield Noted(tasks[0].group, IN_TURN)
        flag = context.RawValue("b", 0)  # an Event has a lock, and a worker that is killed may hold it
        crew = [_hire(context, place, core, flag) for core in cores()[: place.workers]]
        try:
            while crew:
                if stop():
                    flag.value = 1
                    waiting.clear()
                for worker in [worker for worker in crew if worker.task is None]:
                    if waiting:
                        worker.task = waiting.popleft()
                        with suppress(OSError):  # a worker that died meanwhile is noticed below
                            worker.pipe.send(worker.task)
                        yield Started(worker.task.group)
                    else:  # its pipe closes, so it ends
                        worker.pipe.close()
                        worker.process.join(LAST_SECONDS)
                        worker.process.kill()
                        crew.remove(worker)
                heard = wait([worker.pipe for worker in crew], timeout=0.2)
                for worker in [worker for worker in crew if worker.pipe in heard]:
                    try:
                        event = worker.pipe.recv()
                    except (EOFError, OSError):
                        crew.remove(worker)
                        task = worker.task
                        assert task is not None, "an idle worker is dismissed at once"
                        tries[task.group] += 1
                        if tries[task.group] >= TRIES:
                            worker.process.join(1)
                            how = f"exit code {worker.process.exitcode}; -9 may mean that memory ran out"
                            raise InputError(f"a worker died {TRIES} times on the same group ({how})") from None
                        waiting.appendleft(task)
                        crew.append(_hire(context, place, worker.core, flag))
                        continue
                    if not isinstance(event, OnTheWay):
                        worker.task = None
                    yield event
        finally:
            _end(crew)


def _end(crew: Sequence[_Worker]) -> None:
    """Stop workers in the middle of their work."""
    for worker in crew:
        worker.process.terminate()
    until = monotonic() + LAST_SECONDS
    for worker in crew:
        worker.process.join(max(0, until - monotonic()))
        worker.process.kill()


@contextmanager
def _place(device: str, workers: int) -> Iterator[_Place]:
    if device == "cpu" or workers == 1:
        yield _Place(device, workers)
        return
    with (
        TemporaryDirectory(prefix="daxlab-", ignore_cleanup_errors=True) as folder,
        gpu_sharing.shared(Path(folder)) as environment,
    ):
        if environment is None:
            yield _Place(device, 2, turn=Path(folder, "turn"))
        else:
            yield _Place(device, workers, environment=environment)


def _hire(context: Any, place: _Place, core: int, flag: Any) -> _Worker:
    pipe, workers_end = context.Pipe()
    process = context.Process(target=_serve, args=(workers_end, place, core, flag), daemon=True)
    _start(process)
    workers_end.close()
    return _Worker(process, pipe, core)


def _start(process: Any) -> None:
    """Start a process that does not import the script or notebook that trains: it would train again there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        process.start()
    finally:
        sys.modules["__main__"] = main


def _serve(pipe: Connection, place: _Place, core: int, flag: Any) -> None:
    """A worker's life: one task after another, until the pipe closes."""
    if place.device == "cpu" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    os.environ.update(place.environment)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # not before an outside program has been stopped
    work.prepare(place.device, place.workers)

    def report(event: Any) -> bool | None:
        pipe.send(event)
        return False if flag.value else None

    turn = FileLock(place.turn) if place.turn else None  # a worker that dies releases it
    at_once = place.workers if place.device == "gpu" and turn is None else 1
    while True:
        try:
            try:
                task = pipe.recv()
            except InputError as error:  # a learner's file that is gone, or cannot be imported any more
                pipe.send(Broken("", str(error), mendable=True))
                continue
            pipe.send(work.run_task(task, place.device, report, turn, at_once))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
