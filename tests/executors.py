"""Executors for tests: they take tasks and yield events like daxlab.sweep.local, without processes of their own."""

from collections.abc import Callable, Iterator, Sequence
from queue import Queue
from threading import Thread
from typing import Any

from daxlab.ledger import Run
from daxlab.sweep import worker
from daxlab.sweep.task import Event, Finished, OnTheWay, Progress, Stopped, Task

Stop = Callable[[], bool]


def in_process(tasks: Sequence[Task], stop: Stop) -> Iterator[Event]:
    """Train each task in a thread of this process, where programs are compiled once for all tests."""
    for task in tasks:
        if stop():
            return
        events, answers = Queue[Any](), Queue[bool | None]()

        def report(event: OnTheWay, events: Queue[Any] = events, answers: Queue[bool | None] = answers) -> bool | None:
            events.put(event)
            return answers.get()

        def run(task: Task = task, events: Queue[Any] = events, report: Any = report) -> None:
            events.put(worker.run_task(task, "cpu", report))

        Thread(target=run, daemon=True).start()
        while isinstance(event := events.get(), OnTheWay):
            yield event
            answers.put(False if stop() else None)
        yield event


def untrained(task: Task, **content: Any) -> tuple[Run, ...]:
    """Runs for a task that nobody trained."""
    return tuple(Run(spec=spec.facts(), group=task.group, **content) for spec in task.members)


def at_once(tasks: Sequence[Task], stop: Stop) -> Iterator[Event]:
    """Finish every task as soon as it is asked for."""
    for task in tasks:
        yield Finished(task.group, untrained(task), {})


def progress(task: Task, update: int) -> Progress:
    """A task that has come so far."""
    return Progress(task.group, update, (0.0,) * len(task.members))


def stopped_with_checkpoint(tasks: Sequence[Task], stop: Stop) -> Iterator[Event]:
    """Stop every task after 50 updates, with a checkpoint."""
    for task in tasks:
        yield progress(task, 50)
        assert task.checkpoint is not None
        task.checkpoint.parent.mkdir(exist_ok=True)
        task.checkpoint.write_bytes(b"fifty updates")
        yield Stopped(task.group)
