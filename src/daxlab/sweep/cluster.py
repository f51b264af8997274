"""A Ray cluster as an executor: a group is a Ray task on one card or one core; takes tasks, yields events.

Lost workers and nodes are ordinary: their groups are run again, from their checkpoints where the nodes share a
folder with the driver. If the driver dies, Ray ends its tasks. Knows nothing of the ledger. Ray is an extra, and
imported only here.
"""

import logging
import os
import pickle
import socket
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from daxlab.errors import InputError
from daxlab.extras import imported
from daxlab.sweep import worker
from daxlab.sweep.task import TRIES, Broken, Entered, Event, Noted, OnTheWay, Progress, Started, Stopped, Task

with imported():
    import ray
    from ray import exceptions as lost
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

SPARE = 2  # tasks given out beyond what the cluster holds, so that no place waits for the driver
EVERY = 0.2  # seconds between two words of a worker, and between two looks of the driver
DEATHS = (lost.WorkerCrashedError, lost.OutOfMemoryError)  # of a worker, while its node goes on
CARRIED = ("DAXLAB_DATA", "DAXLAB_COMMIT")  # of the driver's environment


def execute(
    tasks: Sequence[Task], device: str, workers: int | None, stop: Callable[[], bool], address: str | None = None
) -> Iterator[Event]:
    """Run the tasks, so many at a time or as many as the cluster holds; yields what local.py's execute does."""
    for folder in {task.checkpoint.parent for task in tasks if task.checkpoint}:
        with suppress(OSError):  # a worker that cannot use it says so
            folder.mkdir(parents=True, exist_ok=True)
    with _connected(address):
        if not _places(device):
            raise InputError(f"no node of the Ray cluster has a {device.upper()} for tasks: add one that has")
        flight = _Flight(tasks, device, workers)
        try:
            yield from flight.events(stop)
        except lost.RayError as error:
            reason = _first_line(error)
            raise InputError(f"the Ray cluster is lost ({reason}); the same command goes on with another") from error
        finally:
            flight.end()


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """A connection to the cluster: the caller's own, if there is one."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    _answers(address)
    with redirect_stdout(sys.stderr):  # Ray tells of lost workers on standard output, which is for results
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
        except (ConnectionError, ImportError, RuntimeError, ValueError, lost.RayError) as error:
            where = address or "this machine"
            raise InputError(f"cannot use a Ray cluster at {where}: {_first_line(error)}") from error
        try:
            yield
        finally:
            ray.shutdown()


def _answers(address: str | None) -> None:
    """Makes sure that something listens at an address: Ray itself would wait for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # auto, local, or what Ray will refuse
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster answers at {address} ({error}): 'ray start' says its address") from None


def _first_line(error: object) -> str:
    return str(error).strip().splitlines()[0]


def _places(device: str) -> int:
    """How many groups the cluster can train at once, as it is now."""
    return int(ray.cluster_resources().get("GPU" if device == "gpu" else "CPU", 0))


class _Flight:
    """Tasks that wait, and those given out."""

    def __init__(self, tasks: Sequence[Task], device: str, workers: int | None) -> None:
        self.waiting, self.out = deque(tasks), dict[Any, Task]()
        self.stopping = False
        self._device, self._workers = device, workers
        self._tries, self._begun = Counter[str](), set[str]()
        # Beside the driver: what takes the one away takes the other.
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        post = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here)(_Post)
        self.post = post.remote()
        # A card's memory is only free when the process has ended that used it.
        needs = {"num_gpus": 1, "num_cpus": 1, "max_calls": 1} if device == "gpu" else {"num_cpus": 1}
        self._work = ray.remote(max_retries=0, **needs)(_work)
        self._environment = {name: os.environ[name] for name in CARRIED if name in os.environ}

    def events(self, stop: Callable[[], bool]) -> Iterator[Event]:
        """What workers report and what becomes of the tasks, until all have ended."""
        while True:
            if stop() and not self.stopping:
                self.halt()
            self.give_out()
            if not self.out:
                return
            ended, _ = ray.wait(list(self.out), num_returns=len(self.out), timeout=EVERY)
            # A worker's last report is there before its result is. The next one is answered with whether to stop.
            reports: list[OnTheWay] = ray.get(self.post.collect.remote(self.stopping))
            self._begun |= {event.group for event in reports}
            yield from reports
            yield from filter(None, map(self.taken, ended))

    def end(self) -> None:
        """Whatever happens, no task is left behind on the cluster."""
        with suppress(lost.RayError, ConnectionError):  # a cluster that is gone has let go of them
            for reference in self.out:
                ray.cancel(reference, force=True)
            ray.kill(self.post)

    def give_out(self) -> None:
        """As many as there are places, and a few more."""
        most = self._workers or _places(self._device) + SPARE
        while self.waiting and len(self.out) < most:
            task = self.waiting.popleft()
            content = (pickle.dumps(task), self._device, self.post, Path.cwd(), self._environment)
            self.out[self._work.remote(*content)] = task

    def halt(self) -> None:
        """Tasks under way stop at their next report; the others need not begin."""
        self.stopping = True
        self.waiting.clear()
        for reference, task in self.out.items():
            if task.group not in self._begun:
                ray.cancel(reference)

    def taken(self, reference: Any) -> Event | None:
        """What became of a task; None if it was lost with its worker, and waits again."""
        task = self.out.pop(reference)
        try:
            event: Event = ray.get(reference)
        except lost.TaskCancelledError:
            return Stopped(task.group)
        except (*DEATHS, lost.NodeDiedError, lost.ObjectLostError) as error:
            return self._again(task, error)
        except lost.RayTaskError as error:
            reason = str(error).strip().splitlines()[-1]
            raise InputError(f"a node of the Ray cluster cannot run daxlab as it is here: {reason}") from error
        return event

    def _again(self, task: Task, error: Exception) -> Event | None:
        self._tries[task.group] += isinstance(error, DEATHS)
        if self._tries[task.group] >= TRIES:
            how = f"memory may have run out: {_first_line(error)}"
            raise InputError(f"a worker died {TRIES} times on the same group ({how})")
        if self.stopping:
            return Stopped(task.group)
        self._begun.discard(task.group)
        self.waiting.appendleft(task)
        return None


class _Post:
    """An actor that takes workers' reports and tells them whether to stop. It may be restarted at any time."""

    def __init__(self) -> None:
        self._events: list[OnTheWay] = []
        self._stop = False

    def tell(self, event: OnTheWay) -> bool:
        self._events.append(event)
        return self._stop

    def collect(self, stop: bool) -> list[OnTheWay]:
        events, self._events, self._stop = self._events, [], stop
        return events


def _work(pickled: bytes, device: str, post: Any, folder: Path, environment: Mapping[str, str]) -> Event:
    """A task, in a worker's process somewhere on the cluster."""
    os.environ.update(environment)
    with suppress(OSError):  # where the nodes share it, a grammar's path means there what it means here
        os.chdir(folder)
    try:
        task: Task = pickle.loads(pickled)  # here, because a learner's file may have a relative path
    except InputError as error:
        return Broken("", str(error), mendable=True)
    worker.prepare(device)
    # Only futures: while a task is in `ray.get`, Ray gives its core to another one.
    answer, last = post.tell.remote(Started(task.group)).future(), time.monotonic()

    def report(event: OnTheWay) -> bool | None:
        """Tells the driver, progress only now and then; False if the last answer was to stop."""
        nonlocal answer, last
        answered = answer.done()
        if answered and answer.result():
            return False
        passing = isinstance(event, Progress) or (isinstance(event, Entered) and event.done > 0)
        if not passing or (answered and time.monotonic() - last >= EVERY):
            answer, last = post.tell.remote(event).future(), time.monotonic()
        return None

    if answer.result():
        return Stopped(task.group)
    if task.checkpoint and not _writable(task.checkpoint.parent):
        cannot = f"{socket.gethostname()} cannot write to {task.checkpoint.parent}"
        report(Noted(task.group, f"{cannot}: what it trains has no checkpoints"))
        task = replace(task, checkpoint=None)
    event = worker.run_task(task, device, report)
    answer.result()  # all is reported before this task ends
    return event


def _writable(folder: Path) -> bool:
    """Whether the driver's folder is here too; one that the driver did not make is not made here."""
    with suppress(OSError), tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        return file.write(b"\0") == 1
    return False
