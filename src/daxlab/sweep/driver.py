"""The driver: what the ledger lacks of some specs, as groups, given to an executor, written into the ledger.

Groups are recorded before they start and resumed as they were, because the arithmetic of a run depends, to rounding, on
the group it trains in. Groups that never started are planned again if the device changed or some members are no longer
needed. A run that failed or was deleted trains in a new group. Knows nothing of learners.
"""

import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from daxlab import learners
from daxlab.atomic import atomic_write
from daxlab.errors import InputError
from daxlab.runs import Group, Ledger, Run, Writer, is_written, key
from daxlab.runs.files import checkpoint, checkpoints, is_locked, weights_of
from daxlab.runs.spec import Spec, all_facts
from daxlab.sweep.groups import grouped, ordered, together
from daxlab.sweep.local import execute
from daxlab.sweep.status import beginning
from daxlab.sweep.task import Event, Finished, Noted, Progress, Started, Stopped, Task, TooLarge

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
    new: tuple[Group, ...] = ()  # groups that are not recorded yet
    outdated: tuple[str, ...] = ()  # recorded groups that the new ones replace


@dataclass
class Outcome:
    """What came of a sweep."""

    keys: tuple[str, ...]
    trained: int = 0
    stopped: bool = False  # by the budget or by Ctrl-C; the same call goes on
    said: list[str] = field(default_factory=list)  # notes for the user, which `show` was called with too


def sweep(
    specs: Sequence[Spec],
    ledger: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    budget: float | None = None,
    retry_failed: bool = False,
    keep_weights: bool = True,
    checkpoint_every: float = 20.0,
    checkpoint_folder: Path | None = None,
    executor: str | ExecuteAll = "local",
    address: str | None = None,
    set_aside: bool = True,
    show: Callable[[Any], None] = lambda event: None,
) -> Outcome:
    """Train what the ledger lacks of the specs; what it has stays as it is.

    `budget`: seconds after which to stop at a checkpoint; one is written every `checkpoint_every` seconds anyway, into
    `checkpoint_folder` (by default beside the ledger). `executor`: "local", this machine; "ray", the Ray cluster at
    `address`, whose workers see that folder or train each group without checkpoints; or a function that yields events
    for tasks. `workers`: so many groups at a time, at most. `set_aside`: rename a damaged checkpoint and train its runs
    from the start, instead of raising an error. `show` is called with the Plan, then with every event.
    """
    execute_all = _executor(executor, address, device, workers)
    facts, by_key = _by_key(specs)
    keys = tuple(facts)
    folder = (checkpoint_folder or checkpoints(ledger)).absolute()  # workers may be at work in another folder
    if is_written(ledger):
        with Ledger(ledger) as known:
            _remove_old_checkpoints(known, folder)
            if not known.lacking(keys, retry_failed=retry_failed):
                return Outcome(keys)
    until = time.monotonic() + budget if budget is not None else None
    with Writer(ledger) as writer:
        for draft in weights_of(ledger, "").parent.glob(".*.safetensors.*"):  # of a driver that was killed
            draft.unlink(missing_ok=True)
        with writer.transaction():  # what failed is planned again or stays as it is
            failures = _take_out_failures(writer, keys) if retry_failed else []
            plan = _planned(writer.ledger, facts, by_key, device, folder)
            for group in plan.outdated:
                writer.drop(group)
            writer.record(plan.new)
            writer.progress({group.key: group.updates for group in plan.groups})
        try:
            splits = {fact["split"]["name"] for fact in facts.values()}
            writer.progress({}, beginning(writer.ledger, plan.groups, splits))
            show(plan)
            options = {"checkpoint_every": checkpoint_every, "keep_weights": keep_weights, "set_aside": set_aside}
            name = executor if isinstance(executor, str) else "given"
            run = _Run(writer, by_key, Outcome(keys), folder, name, options, show)
            run.train(plan.groups, execute_all, until)
        except BaseException:
            _put_back(writer, failures)
            raise
        run.outcome.stopped = bool(writer.ledger.lacking(keys))
        return run.outcome


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
    folder = checkpoint_folder or checkpoints(ledger)
    with Ledger(ledger) as known:  # unless it is locked nothing is running, whatever a killed driver left
        return _planned(known, facts, by_key, device, folder, is_locked(ledger), retry_failed)


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
    busy: bool = False,
    retry_failed: bool = False,
) -> Plan:
    """Recorded groups that can be resumed as they were; the other runs in new groups. `busy`: another driver may be
    training some of them now."""
    lacking = ledger.lacking(facts, retry_failed=retry_failed)
    live = {name: ledger.live_group(name) for name in lacking}
    recorded_groups = {group.key: group for group in ledger.groups("planned", "running")}
    resumed, outdated = list[Group](), set[str]()
    for group in (recorded_groups[name] for name in dict.fromkeys(live.values()) if name in recorded_groups):
        checkpointed = checkpoint(folder, group.key).exists()
        began = group.updates or checkpointed or (busy and group.status == "running")
        fits = group.plan.get("device", device) == device and live.keys() >= set(group.keys)
        if (began or fits) and _alike(group):
            resumed.append(group if busy or checkpointed else replace(group, updates=0))
        else:
            outdated.add(group.key)
    free = {name: facts[name] for name in lacking if live[name] is None or live[name] in outdated}
    new = grouped(free, specs, device)
    groups = ordered([*resumed, *new], device, ledger)
    failed = len(ledger.lacking(facts, retry_failed=True)) - len(lacking)
    return Plan(tuple(facts), tuple(lacking), tuple(groups), failed, tuple(new), tuple(outdated))


def _alike(group: Group) -> bool:
    """Whether the members of a recorded group may still train together: earlier versions padded networks of several
    widths to one group."""
    if len(group.members) == 1:
        return True
    try:
        shared = {together(learners.of(member), member) for member in group.members}
    except InputError:  # a learner that has changed: whoever trains the group is told
        return True
    return len(shared) == 1 and None not in shared


def _take_out_failures(writer: Writer, keys: Sequence[str]) -> list[Run]:
    """The runs that failed, taken out of the ledger, so that they are lacking like any other."""
    names = set(writer.ledger.lacking(keys, retry_failed=True)) - set(writer.ledger.lacking(keys))
    failures = [writer.ledger.run(name) for name in names]
    writer.delete(run.key for run in failures)
    return failures


def _put_back(writer: Writer, failures: Iterable[Run]) -> None:
    """Put those back that will not be trained, without their group where it is gone."""
    left = [run for run in failures if not writer.ledger.live_group(run.key)]
    writer.add(run if run.group and writer.ledger.group(run.group) else replace(run, group=None) for run in left)


def _remove_old_checkpoints(ledger: Ledger, folder: Path) -> None:
    """Remove checkpoints of groups that have ended: a driver may be killed between the one and the other."""
    matches = (re.fullmatch(r"\.?([0-9a-f]{64})\.safetensors.*", path.name) for path in folder.glob("*.safetensors*"))
    for name in {match[1] for match in matches if match}:
        group = ledger.group(name)
        if group and group.status in ("done", "dropped"):
            _remove_checkpoint(folder, name)


def _remove_checkpoint(folder: Path, group: str) -> None:
    """Remove a group's checkpoint, and what a worker that was killed left of the next one."""
    with suppress(OSError):  # what cannot be removed does no harm
        for path in folder.glob(f"*{group}.safetensors*"):
            path.unlink(missing_ok=True)


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
    checkpoints: Path
    executor: str
    task_options: Mapping[str, Any]
    show: Callable[[Any], None]
    begun: set[str] = field(default_factory=set)
    advanced: bool = False  # whether any group trained
    updates: dict[str, int] = field(default_factory=dict)  # of groups under way, not yet written down
    next_written: float = 0.0

    def train(self, groups: Iterable[Group], execute_all: ExecuteAll, until: float | None) -> None:
        """Until all is trained, or someone wishes to stop."""
        pending = list(groups)
        with interrupts() as interrupted:

            def stop() -> bool:
                if interrupted():
                    self.note(STOPPING)
                return interrupted() or (until is not None and time.monotonic() >= until)

            while pending and not self.outcome.stopped:
                by_key, pending = {group.key: group for group in pending}, []
                try:
                    tasks = [self.task(group) for group in by_key.values()]
                    for event in execute_all(tasks, stop):
                        pending += self.take(event, by_key)
                except BaseException:
                    self.give_up(by_key.values())
                    raise

    def task(self, group: Group) -> Task:
        # A run that is asked for by its key is what it was; any other may have changed since it was recorded. They are
        # of one dataset, whose file may have moved.
        asked = {name: self.specs[name] for name in group.keys if name in self.specs}
        where = next(iter(asked.values())).data if asked else None
        pairs = zip(group.keys, group.members, strict=True)
        members = tuple(asked.get(name) or Spec.of(member, data=where) for name, member in pairs)
        return Task(group.key, members, tuple(group.keys), self.checkpoint(group.key), **self.task_options)

    def checkpoint(self, group: str) -> Path:
        return checkpoint(self.checkpoints, group)

    def take(self, event: Event, by_key: dict[str, Group]) -> list[Group]:
        """Write down what became of a group; the groups to be trained in its place, if it was too large."""
        if isinstance(event, Noted):
            self.note(event.message)
            return []
        self._write_progress(event)
        self.advanced |= isinstance(event, Progress | Finished)
        self.show(event)
        if isinstance(event, Stopped):
            self.outcome.stopped = True
        elif isinstance(event, TooLarge):
            return self._halved(by_key[event.group], event.reason)
        elif isinstance(event, Finished):
            self._keep(event, by_key[event.group].keys)
        return []

    def note(self, message: str) -> None:
        """Tell the user, once."""
        if message not in self.outcome.said:
            self.outcome.said.append(message)
            self.show(Noted("", message))

    def _write_progress(self, event: Event) -> None:
        """For `status`: what is under way, and now and then how far it is."""
        if isinstance(event, Started | Progress) and event.group not in self.begun:
            self.begun.add(event.group)
            self.writer.begin(event.group, {"kind": self.executor})
        if isinstance(event, Progress):
            self.updates[event.group] = event.update
        elif isinstance(event, Finished | TooLarge):
            self.updates.pop(event.group, None)
        if self.updates and (isinstance(event, Stopped) or time.monotonic() >= self.next_written):
            self.writer.progress(self.updates)
            self.updates.clear()
            self.next_written = time.monotonic() + WRITTEN_EVERY

    def _keep(self, event: Finished, keys: Sequence[str]) -> None:
        """Write the runs of a group and their weights; runs that came from elsewhere meanwhile stay as they are."""
        if [run.key for run in event.runs] != keys:
            raise InputError("a worker trained other runs than it was asked for: is its daxlab the same as here?")
        for name in self.writer.ledger.lacking(keys):
            path = weights_of(self.writer.ledger.path, name)
            if name in event.weights:
                atomic_write(path, event.weights[name])
            else:  # what a deleted run may have left is not this one's
                path.unlink(missing_ok=True)
        self.outcome.trained += len(self.writer.add(event.runs))
        _remove_checkpoint(self.checkpoints, event.group)

    def give_up(self, groups: Iterable[Group]) -> None:
        """Where none came to train, they need not be trained as they were."""
        for group in () if self.advanced else groups:
            if not group.updates and not self.checkpoint(group.key).exists():
                self.writer.drop(group.key)

    def _halved(self, group: Group, reason: str) -> list[Group]:
        if len(group.members) == 1:
            raise InputError(f"one run alone does not fit in the device's memory ({reason})")
        if self.checkpoint(group.key).exists():
            raise InputError(
                f"{len(group.members)} runs that have begun do not fit in the device's memory now ({reason}); their "
                "checkpoint is kept: the same command goes on from there, where there is more memory"
            )
        middle = len(group.members) // 2
        halves = [replace(group, members=half, updates=0) for half in (group.members[:middle], group.members[middle:])]
        self.writer.drop(group.key)
        self.writer.record(halves)
        _remove_checkpoint(self.checkpoints, group.key)
        self.note(f"{len(group.members)} runs did not fit in memory; going on with {middle} at a time")
        self.show(Plan(self.outcome.keys, (), tuple(halves)))
        return halves
