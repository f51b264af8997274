"""This machine as an executor: one process a core, or one for the card; tasks in, what became of them out.

A worker is told to stop by a flag and stops at a checkpoint; if the driver dies, its pipe closes and the worker ends.
Knows nothing of the ledger.
"""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
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


def execute(tasks: Sequence[Task], device: str, workers: int, stop: Callable[[], bool]) -> Iterator[Event]:
    """Runs the tasks; yields Started, Progress, Finished, Stopped and TooLarge as they come."""
    context = multiprocessing.get_context("spawn")  # JAX's threads do not survive a fork
    flag = context.Event()
    waiting, tries = deque(tasks), dict.fromkeys((task.group for task in tasks), 0)
    crew = [_hire(context, device, core, flag) for core in cores()[: max(1, min(workers, len(tasks)))]]
    try:
        while crew:
            if stop():
                flag.set()
                waiting.clear()
            for worker in [worker for worker in crew if worker.task is None]:
                if waiting:
                    worker.task = waiting.popleft()
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
                    crew.append(_hire(context, device, worker.core, flag))
                    continue
                if isinstance(event, Broken):
                    raise event.error()
                if not isinstance(event, OnTheWay):
                    worker.task = None
                yield event
    finally:
        for worker in crew:
            worker.process.kill()


def _died(worker: _Worker) -> str:
    worker.process.join(1)
    how = f"exit code {worker.process.exitcode}"
    return f"a worker died {TRIES} times on the same group ({how}; -9 may mean that memory ran out)"


def _hire(context: Any, device: str, core: int, flag: Any) -> _Worker:
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, device, core, flag), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, core)


def _dismiss(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.join(5)
    worker.process.kill()


def _serve(pipe: Connection, device: str, core: int, flag: Any) -> None:
    """A worker's life: a task, what became of it, the next, until the pipe closes."""
    if device == "cpu" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    process.prepare(device)

    def report(event: Any) -> bool | None:
        pipe.send(event)
        return False if flag.is_set() else None

    while True:
        try:
            pipe.send(process.outcome(pipe.recv(), device, report))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
