"""The driver: what the ledger lacks of some specs, as groups, given to an executor, written into the ledger.

Groups are recorded before they start. One that has begun is resumed as it was, because the arithmetic of a run depends,
to rounding, on the group it trains in; the runs of any other are planned again. A run that failed or was deleted trains
in a new group. Knows nothing of how learners learn.
"""

import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from daxlab import learners
from daxlab.atomic import atomic_write
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.extras import require
from daxlab.ledger import Group, Ledger, Run, Writer, is_written, key
from daxlab.ledger.files import checkpoint, checkpoints, forget_weights, snapshot_of, weights_of
from daxlab.ledger.spec import Spec, all_facts
from daxlab.sweep.groups import grouped, ordered
from daxlab.sweep.local import execute
from daxlab.sweep.status import PHASES, At, beginning, moved
from daxlab.sweep.task import Broken, Event, Finished, Noted, OnTheWay, Progress, Stopped, Task, TooLarge

ExecuteAll = Callable[[Sequence[Task], Callable[[], bool]], Iterator[Event]]  # tasks and a wish to stop in, events out
WRITTEN_EVERY = 3.0  # seconds between two times that progress is written down
STOPPING = "Stopping at the next checkpoint; Ctrl-C again stops at once."


@dataclass(frozen=True)
class Plan:
    """What is asked for, what the ledger lacks of it, and the groups that will be trained."""

    keys: tuple[str, ...]  # of the runs asked for, in order
    lacking: tuple[str, ...]
    groups: tuple[Group, ...]  # in the order in which they start
    failed: int = 0  # runs in the ledger that failed and are not trained again

    def __repr__(self) -> str:
        return f"Plan: {len(self.keys):,} runs, {len(self.lacking):,} lacking, in {len(self.groups):,} groups"


@dataclass
class Outcome:
    """What came of a sweep."""

    keys: tuple[str, ...]
    trained: int = 0
    stopped: bool = False  # by the budget or by Ctrl-C; the same call goes on
    said: list[str] = field(default_factory=list)  # notes for the user, which `show` was called with too

    def __repr__(self) -> str:
        how = "stopped" if self.stopped else "complete"
        return f"Outcome: {len(self.keys):,} runs, {self.trained:,} trained now, {how}"


def sweep(
    specs: Sequence[Spec],
    ledger: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    budget: float | None = None,
    retry_failed: bool = False,
    keep_weights: bool = True,
    snapshots: int = 0,
    checkpoint_every: float = 20.0,
    checkpoint_folder: Path | None = None,
    executor: str | ExecuteAll = "local",
    address: str | None = None,
    set_aside: bool = True,
    show: Callable[[Any], None] = lambda event: None,
) -> Outcome:
    """Train what the ledger lacks of the specs; what it has stays as it is.

    `budget`: seconds after which to stop at a checkpoint; one is written every `checkpoint_every` seconds anyway, into
    `checkpoint_folder` (by default beside the ledger). `snapshots`: points of training at which networks keep their
    weights too, where they keep any. `executor`: "local", this machine; "ray", the Ray cluster at `address`, whose
    workers see that folder or train each group without checkpoints; or a function that yields events for tasks.
    `workers`: so many groups at a time, at most. `set_aside`: rename a damaged checkpoint and train its runs from the
    start, instead of raising an error. `show` is called with the Plan, then with every event.
    """
    execute_all = _executor(executor, address, device, workers)
    facts, by_key = _by_key(specs)
    keys = tuple(facts)
    folder = (checkpoint_folder or checkpoints(ledger)).absolute()  # workers may be at work in another folder
    if is_written(ledger):
        with Ledger(ledger) as reader:
            _remove_checkpoints(reader, folder)
            if not reader.lacking(keys, retry_failed=retry_failed):
                return Outcome(keys)
    check_packages(specs, executor)
    until = time.monotonic() + budget if budget is not None else None
    with Writer(ledger) as writer:
        for draft in weights_of(ledger, "").parent.rglob(".*.safetensors.*"):  # of a driver that was killed
            draft.unlink(missing_ok=True)
        with writer.transaction():  # what failed is planned again or stays as it is
            failures = _take_out_failures(writer, keys) if retry_failed else []
            _drop_unbegun(writer, keys, folder)
            plan = _planned(writer.ledger, facts, by_key, device, folder)
            writer.record(plan.groups)
        try:
            splits = {fact["split"]["name"] for fact in facts.values()}
            writer.progress({}, beginning(writer.ledger, plan.groups, splits, device))
            show(plan)
            options = {"checkpoint_every": checkpoint_every, "keep_weights": keep_weights, "set_aside": set_aside}
            options |= {"snapshots": snapshots}
            name = executor if isinstance(executor, str) else "given"
            run = _Run(writer, by_key, Outcome(keys), folder, name, options, show)
            run.train(plan.groups, execute_all, until)
        except BaseException:
            _drop_unbegun(writer, keys, folder)  # nobody may ever ask for them again
            _put_back(writer, failures)
            raise
        run.outcome.stopped = bool(writer.ledger.lacking(keys))
        return run.outcome


def check_packages(specs: Sequence[Spec], executor: str | ExecuteAll) -> None:
    """An error with what to install, if specs cannot be trained on this machine for want of a package."""
    if executor == "ray":  # its nodes have packages of their own
        return
    if executor == "local" and any(spec.learner.uses_jax for spec in specs):
        require("jax")
    for package in {package for name in {spec.data for spec in specs} for package in dataset(name).packages}:
        require(package)


def _executor(name: str | ExecuteAll, address: str | None, device: str, workers: int | None) -> ExecuteAll:
    """Who trains the tasks."""
    if callable(name):
        return name
    if address is not None and name != "ray":
        raise InputError("an address is a Ray cluster's: say --executor ray too")
    if name == "local":
        return lambda tasks, stop: execute(tasks, device, workers, stop)
    if name == "ray":
        from daxlab.sweep import cluster  # Ray is an extra

        return lambda tasks, stop: cluster.execute(tasks, device, workers, stop, address)
    raise InputError(f"an executor is local or ray, not {name!r}")


def plan_sweep(
    specs: Sequence[Spec],
    ledger: Path,
    device: str,
    *,
    retry_failed: bool = False,
    checkpoint_folder: Path | None = None,
) -> Plan:
    """What a sweep would do; writes nothing."""
    facts, by_key = _by_key(specs)
    if not is_written(ledger):
        return Plan(tuple(facts), tuple(facts), tuple(grouped(facts, by_key, device)))
    with Ledger(ledger) as reader:
        return _planned(reader, facts, by_key, device, checkpoint_folder or checkpoints(ledger), retry_failed)


def _by_key(specs: Sequence[Spec]) -> tuple[dict[str, Any], dict[str, Spec]]:
    """The facts of specs, and the specs, by the keys of their runs."""
    facts = all_facts(specs)
    keys = [key(fact) for fact in facts]
    return dict(zip(keys, facts, strict=True)), dict(zip(keys, specs, strict=True))


def _planned(
    ledger: Ledger,
    facts: Mapping[str, Any],
    specs: Mapping[str, Spec],
    device: str,
    folder: Path,
    retry_failed: bool = False,
) -> Plan:
    """Recorded groups that have begun, as they were; the other runs in new groups."""
    lacking = ledger.lacking(facts, retry_failed=retry_failed)
    live = {name: ledger.live_group(name) for name in lacking}
    wanted = set(live.values())
    begun = [group for group in ledger.groups("planned", "running") if group.key in wanted and _begun(group, folder)]
    resumed = [group if checkpoint(folder, group.key).exists() else replace(group, updates=0) for group in begun]
    kept = {group.key for group in begun}
    new = grouped({name: facts[name] for name in lacking if live[name] not in kept}, specs, device)
    groups = ordered([*resumed, *new], device, ledger)
    failed = len(ledger.lacking(facts, retry_failed=True)) - len(lacking)
    return Plan(tuple(facts), tuple(lacking), tuple(groups), failed)


def _begun(group: Group, folder: Path) -> bool:
    """Whether a recorded group has trained, perhaps with its checkpoint in another folder, and can go on.

    Groups of several widths, which earlier versions padded to one, cannot.
    """
    if not (group.updates or checkpoint(folder, group.key).exists()):
        return False
    with suppress(InputError):  # a learner that has changed: whoever trains the group is told
        return len({learners.of(member).together for member in group.members}) == 1
    return True


def _drop_unbegun(writer: Writer, keys: Iterable[str], folder: Path) -> None:
    """Drop the recorded groups of these runs that have not begun: nothing is lost with them."""
    names = {writer.ledger.live_group(name) for name in writer.ledger.lacking(keys)}
    for group in writer.ledger.groups("planned", "running"):
        if group.key in names and not _begun(group, folder):
            writer.drop(group.key)


def _take_out_failures(writer: Writer, keys: Sequence[str]) -> list[Run]:
    """The runs that failed, taken out of the ledger, so that they are lacking like any other."""
    names = set(writer.ledger.lacking(keys, retry_failed=True)) - set(writer.ledger.lacking(keys))
    failures = [writer.ledger.run(name) for name in names]
    writer.delete(run.key for run in failures)
    return failures


def _put_back(writer: Writer, failures: Iterable[Run]) -> None:
    """Put back the failed runs that will not be trained, without their group where it is gone."""
    left = [run for run in failures if not writer.ledger.live_group(run.key)]
    writer.add(run if run.group and writer.ledger.group(run.group) else replace(run, group=None) for run in left)


def _remove_checkpoints(ledger: Ledger, folder: Path) -> None:
    """Remove the checkpoints of groups that have ended, and what a worker that was killed left of the next one."""
    for path in folder.glob("*.safetensors*"):
        name = re.match(r"\.?([0-9a-f]{64})\.", path.name)
        group = ledger.group(name[1]) if name else None
        if group and group.status == "done":
            with suppress(OSError):  # what cannot be removed does no harm
                path.unlink()


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: a wish to stop at a checkpoint. The second time it is Ctrl-C as usual."""
    signals = []

    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield lambda: False
        return

    def on_signal(number: int, frame: object) -> None:
        signals.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield lambda: bool(signals)
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class _Run:
    """A sweep under way."""

    writer: Writer
    specs: Mapping[str, Spec]
    outcome: Outcome
    folder: Path  # of checkpoints
    executor: str
    task_options: Mapping[str, Any]
    show: Callable[[Any], None]
    begun: set[str] = field(default_factory=set)
    updates: dict[str, int] = field(default_factory=dict)  # of groups under way, not yet written down
    phases: dict[str, At] = field(default_factory=dict)  # of groups under way
    next_written: float = 0.0

    def train(self, groups: Iterable[Group], execute_all: ExecuteAll, until: float | None) -> None:
        """Until all is trained, or someone wishes to stop."""
        pending = list(groups)
        with interrupts() as interrupted:

            def stop() -> bool:
                if interrupted():
                    self.note(STOPPING)
                return interrupted() or (until is not None and time.monotonic() >= until)

            while pending:
                by_key, pending = {group.key: group for group in pending}, []
                for event in execute_all([self.task(group) for group in by_key.values()], stop):
                    pending += self.take(event, by_key)

    def task(self, group: Group) -> Task:
        # A run that is asked for by its key is what it was; any other may have changed since it was recorded. They are
        # of one dataset, whose file may have moved.
        asked = {name: self.specs[name] for name in group.keys if name in self.specs}
        where = next(iter(asked.values())).data if asked else None
        pairs = zip(group.keys, group.members, strict=True)
        members = tuple(asked.get(name) or Spec.of(member, data=where) for name, member in pairs)
        place = checkpoint(self.folder, group.key)
        return Task(group.key, members, tuple(group.keys), place, **self.task_options)

    def take(self, event: Event, by_key: dict[str, Group]) -> list[Group]:
        """Write down what became of a group; the groups to be trained in its place, if it was too large."""
        if isinstance(event, Broken):
            raise InputError(event.message) if event.mendable else RuntimeError(event.message)
        if isinstance(event, Noted):
            self.note(event.message)
            return []
        self._write_progress(event)
        self.show(event)
        if isinstance(event, TooLarge):
            return self._halved(by_key[event.group], event.reason)
        if isinstance(event, Finished):
            self._keep(event, by_key[event.group].keys)
        return []

    def note(self, message: str) -> None:
        """Tell the user, once."""
        if message not in self.outcome.said:
            self.outcome.said.append(message)
            self.show(Noted("", message))

    def _write_progress(self, event: Event) -> None:
        """For `status`: what is under way, and now and then how far it is."""
        before = self.phases.get(event.group)
        if isinstance(event, OnTheWay):
            if event.group not in self.begun:
                self.begun.add(event.group)
                self.writer.begin(event.group, {"kind": self.executor})
            self.phases[event.group] = moved(before, event)
        else:
            self.phases.pop(event.group, None)
        if isinstance(event, Progress):
            self.updates[event.group] = event.update
        at = self.phases.get(event.group)
        news = bool(self.updates) or (at is not None and at.phase == "scoring")
        if isinstance(event, Stopped) or (news and time.monotonic() >= self.next_written):
            self._write(self.updates)
            self.updates.clear()
            self.next_written = time.monotonic() + WRITTEN_EVERY
        elif at and (before is None or at.phase != before.phase):
            self._write({})

    def _write(self, updates: Mapping[str, int]) -> None:
        phases = {name: asdict(at) for name, at in self.phases.items()}
        self.writer.progress(updates, {PHASES: phases})

    def _keep(self, event: Finished, keys: Sequence[str]) -> None:
        """Write the runs of a group and their weights; runs that came from elsewhere meanwhile stay as they are."""
        if [run.key for run in event.runs] != keys:
            raise InputError("a worker trained other runs than it was asked for: is its daxlab the same as here?")
        for name in self.writer.ledger.lacking(keys):
            path = self.writer.ledger.path
            forget_weights(path, name)  # what a deleted run may have left is not this one's
            if name in event.weights:
                atomic_write(weights_of(path, name), event.weights[name])
            for update, content in event.snapshots.get(name, {}).items():
                atomic_write(snapshot_of(path, name, update), content)
        self.outcome.trained += len(self.writer.add(event.runs))
        _remove_checkpoints(self.writer.ledger, self.folder)

    def _halved(self, group: Group, reason: str) -> list[Group]:
        if len(group.members) == 1:
            raise InputError(f"one run alone does not fit in the device's memory ({reason})")
        if checkpoint(self.folder, group.key).exists():
            raise InputError(
                f"{len(group.members)} runs that have begun do not fit in the device's memory now ({reason}); their "
                "checkpoint is kept: the same command goes on from there, where there is more memory"
            )
        middle = len(group.members) // 2
        halves = [replace(group, members=half, updates=0) for half in (group.members[:middle], group.members[middle:])]
        self.writer.drop(group.key)
        self.writer.record(halves)
        self.note(f"{len(group.members)} runs did not fit in memory; going on with {middle} at a time")
        return halves
