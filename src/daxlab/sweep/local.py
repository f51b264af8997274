"""This machine as an executor: one process a core, or two for a card; tasks in, what became of them out.

Two workers on a card take turns: while one trains, the other compiles its next group or examines its last. A worker is
told to stop by a flag and stops at a checkpoint; if the driver dies, its pipe closes and the worker ends.
Knows nothing of the ledger.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from daxlab.errors import InputError
from daxlab.sweep import process
from daxlab.sweep.task import Broken, Event, OnTheWay, Started, Task

TRIES = 3  # of a task whose worker died


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    core: int
    task: Task | None = None


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def execute(
    tasks: Sequence[Task], device: str, workers: int, stop: Callable[[], bool], *, in_turn: bool = False
) -> Iterator[Event]:
    """Runs the tasks; yields Started, Progress, Finished, Stopped and TooLarge as they come.

    `in_turn`: of all workers one compiles and one trains at a time.
    """
    context = multiprocessing.get_context("spawn")  # JAX's threads do not survive a fork
    waiting, tries = deque(tasks), dict.fromkeys((task.group for task in tasks), 0)
    with TemporaryDirectory(prefix="daxlab-") as folder:
        wanted = cores()[: max(1, min(workers, len(tasks)))]
        turns = Path(folder) if in_turn and len(wanted) > 1 else None
        flag = context.Event()
        crew = [_hire(context, device, core, flag, turns) for core in wanted]
        try:
            while crew:
                if stop():
                    flag.set()
                    waiting.clear()
                for worker in [worker for worker in crew if worker.task is None]:
                    if waiting:
                        worker.task = waiting.popleft()
                        with suppress(OSError):  # one that died meanwhile is found out below
                            worker.pipe.send(worker.task)
                        yield Started(worker.task.group)
                    else:
                        _dismiss(worker)
                        crew.remove(worker)
                by_pipe = {worker.pipe: worker for worker in crew}
                for pipe in wait(list(by_pipe), timeout=0.2):
                    worker = by_pipe[pipe]  # type: ignore[index]
                    try:
                        event = worker.pipe.recv()
                    except (EOFError, OSError):
                        crew.remove(worker)
                        task = worker.task
                        assert task is not None, "an idle worker is dismissed at once"
                        tries[task.group] += 1
                        if tries[task.group] >= TRIES:
                            raise InputError(_died(worker)) from None
                        waiting.appendleft(task)
                        crew.append(_hire(context, device, worker.core, flag, turns))
                        continue
                    if isinstance(event, Broken):
                        raise event.error()
                    if not isinstance(event, OnTheWay):
                        worker.task = None
                    yield event
        finally:
            for worker in crew:
                worker.process.kill()


@contextmanager
def _turn(turns: Path, what: str) -> Iterator[None]:
    """A turn is a lock on a file, so that a worker that dies has let go."""
    import fcntl  # noqa: PLC0415 - not everywhere; where it is not, there is no CUDA either

    with (turns / what).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _died(worker: _Worker) -> str:
    worker.process.join(1)
    how = f"exit code {worker.process.exitcode}"
    return f"a worker died {TRIES} times on the same group ({how}; -9 may mean that memory ran out)"


def _hire(context: Any, device: str, core: int, flag: Any, turns: Path | None) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, device, core, flag, turns), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, core)


def _dismiss(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.join(5)
    worker.process.kill()


def _serve(pipe: Connection, device: str, core: int, flag: Any, turns: Path | None) -> None:
    """A worker's life: a task, what became of it, the next, until the pipe closes."""
    if device == "cpu" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    process.prepare(device, beside=turns is not None)

    def report(event: Any) -> bool | None:
        pipe.send(event)
        return False if flag.is_set() else None

    turn = partial(_turn, turns) if turns is not None else nullcontext
    while True:
        try:
            pipe.send(process.outcome(pipe.recv(), device, report, turn))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
