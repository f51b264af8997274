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

from daxlab.atomic import atomic_write
from daxlab.errors import InputError
from daxlab.runs import Group, Ledger, Run, Writer, is_written, key
from daxlab.runs.files import checkpoint, checkpoints, is_locked, weights_of
from daxlab.runs.spec import Spec, all_facts
from daxlab.sweep import gpu_sharing
from daxlab.sweep.groups import grouped, ordered
from daxlab.sweep.local import cores, execute
from daxlab.sweep.status import beginning
from daxlab.sweep.task import Event, Finished, Memory, Noted, Progress, Started, Stopped, Stopping, Task, TooLarge

ExecuteAll = Callable[[Sequence[Task], Callable[[], bool]], Iterator[Event]]  # tasks and a wish to stop in, events out
HEARD_EVERY = 3.0  # seconds between two times that progress is written down


@dataclass(frozen=True)
class Plan:
    """What is asked for, what the ledger has of it, and the groups that will be trained."""

    keys: tuple[str, ...]  # of the runs asked for, in order
    done: int
    groups: tuple[Group, ...]


@dataclass
class Outcome:
    """What came of a sweep."""

    keys: tuple[str, ...]
    trained: int = 0
    stopped: bool = False  # by the budget or by Ctrl-C; the same call goes on
    said: list[str] = field(default_factory=list)


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
    from the start, instead of raising an error. `show` is called with the Plan, then with every event; and with
    Stopping, after Ctrl-C.
    """
    crew = crew_of(device, executor if isinstance(executor, str) else "local", workers)
    execute_all = _executor(executor, address, device, crew.processes)
    facts, known_specs = _by_key(specs)
    keys = tuple(facts)
    folder = (checkpoint_folder or checkpoints(ledger)).absolute()  # workers may be at work in another folder
    if is_written(ledger):
        with Ledger(ledger) as known:
            _tidied(known, folder)
            if not known.lacking(keys, retry_failed=retry_failed):
                return Outcome(keys)
    until = time.monotonic() + budget if budget is not None else None
    with Writer(ledger) as writer:
        for draft in weights_of(ledger, "").parent.glob(".*.safetensors.*"):  # of a driver that was killed
            draft.unlink(missing_ok=True)
        with writer.transaction():  # what failed is planned again or stays as it is
            failures = _forgotten(writer, keys) if retry_failed else []
            plan = _planned(writer, facts, known_specs, device, folder)
        try:
            splits = {fact["split"]["name"] for fact in facts.values()}
            writer.progress({}, beginning(writer.ledger, plan.groups, splits))
            show(plan)
            kept = (keep_weights, checkpoint_every, set_aside)
            name = executor if isinstance(executor, str) else "given"
            run = _Run(writer, ledger, known_specs, Outcome(keys), folder, name, *kept, show)
            run.train(plan.groups, execute_all, until)
        except BaseException:
            _remember(writer, failures)
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
        return lambda tasks, stop: execute(tasks, device, workers or 1, stop)
    if name == "ray":
        from daxlab.sweep import cluster  # Ray is an extra

        return lambda tasks, stop: cluster.execute(tasks, device, workers, stop, address)
    raise InputError(f"an executor is local or ray, not {name!r}")


@dataclass(frozen=True)
class Crew:
    """Who trains."""

    devices: int  # at a time; of a cluster it is only known yet that there are several
    at_once: int  # groups that train at the same time on one device
    processes: int | None  # in all; None: as many as a cluster holds


def crew_of(device: str, executor: str = "local", workers: int | None = None) -> Crew:
    """The crew of a sweep, of so many workers at most."""
    if executor == "ray":
        return Crew(workers or 2, 1, workers)
    if device == "cpu":
        hands = min(workers or len(cores()), len(cores()))
        return Crew(hands, 1, hands)
    hands = workers or gpu_sharing.WORKERS
    if not gpu_sharing.is_here():  # what is planned is for another machine, that has all that belongs to a card
        return Crew(1, hands, hands)
    hands = min(hands, len(cores()))
    return Crew(1, hands if gpu_sharing.can_be_shared() else 1, hands)


def _by_key(specs: Sequence[Spec]) -> tuple[dict[str, Any], dict[str, Spec]]:
    """The facts of specs, and the specs, by the keys of their runs."""
    facts = all_facts(specs)
    keys = [key(fact) for fact in facts]
    return dict(zip(keys, facts, strict=True)), dict(zip(keys, specs, strict=True))


def _forgotten(writer: Writer, keys: Sequence[str]) -> list[Run]:
    """The runs that failed, taken out of the ledger, so that they are lacking like any other."""
    names = set(writer.ledger.lacking(keys, retry_failed=True)) - set(writer.ledger.lacking(keys))
    failures = [writer.ledger.run(name) for name in names]
    writer.delete(run.key for run in failures)
    return failures


def _remember(writer: Writer, failures: Iterable[Run]) -> None:
    """Puts those back that will not be trained; what group they were of may have gone with them."""
    left = [one for one in failures if not writer.ledger.live_group(one.key)]
    writer.add(one if one.group and writer.ledger.group(one.group) else replace(one, group=None) for one in left)


def _tidied(ledger: Ledger, folder: Path) -> None:
    """Removes checkpoints, and drafts of such, of groups that have ended: a driver may be killed between the one and
    the other."""
    for path in folder.glob("*.safetensors*"):
        named = re.match(r"\.?([0-9a-f]{64})\.safetensors", path.name)
        found = ledger.group(named[1]) if named else None
        if found and found.status in ("done", "dropped"):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Ctrl-C, once, is a wish to stop at a checkpoint; the second time it is Ctrl-C."""
    heard = []

    if threading.current_thread() is not threading.main_thread():  # only the main thread hears signals
        yield lambda: False
        return

    def hear(number: int, frame: object) -> None:
        heard.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield lambda: bool(heard)
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class _Run:
    """A sweep under way."""

    writer: Writer
    ledger: Path
    specs: Mapping[str, Spec]
    outcome: Outcome
    checkpoints: Path
    executor: str
    keep_weights: bool
    checkpoint_every: float
    set_aside: bool
    show: Callable[[Any], None]
    begun: set[str] = field(default_factory=set)
    advanced: bool = False  # whether any of them trained
    updates: dict[str, int] = field(default_factory=dict)  # of groups under way, not yet written down
    next_written: float = 0.0

    def train(self, groups: Iterable[Group], execute_all: ExecuteAll, until: float | None) -> None:
        """Until all is trained, or someone wishes to stop."""
        pending, told = list(groups), False
        with interrupts() as interrupted:

            def stop() -> bool:
                nonlocal told
                if interrupted() and not told:
                    told = True
                    self.show(Stopping())
                return told or _over(until)

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
        kept = (self.checkpoint_every, self.keep_weights, self.set_aside)
        return Task(group.key, members, tuple(group.keys), self.checkpoint(group.key), *kept)

    def checkpoint(self, group: str) -> Path:
        return checkpoint(self.checkpoints, group)

    def take(self, event: Event, by_key: dict[str, Group]) -> list[Group]:
        """Writes down what became of a group; the groups to be trained in its place, if it was too large."""
        self._note(event)
        self.advanced |= isinstance(event, Progress | Finished)
        self.show(event)
        if isinstance(event, Stopped):
            self.outcome.stopped = True
        elif isinstance(event, TooLarge):
            return self._halved(by_key[event.group], event.reason)
        elif isinstance(event, Noted) and event.message not in self.outcome.said:
            self.outcome.said.append(event.message)
        elif isinstance(event, Finished):
            if [run.key for run in event.runs] != by_key[event.group].keys:
                raise InputError("a worker trained other runs than it was asked for: is its daxlab the same as here?")
            for name in self.writer.ledger.lacking(by_key[event.group].keys):  # the others' runs stay as they are
                if name in event.weights:
                    atomic_write(weights_of(self.ledger, name), event.weights[name])
                else:  # what a deleted run may have left is not this one's
                    weights_of(self.ledger, name).unlink(missing_ok=True)
            self.outcome.trained += len(self.writer.add(event.runs))
            self._forget(event.group)
        return []

    def _note(self, event: Event) -> None:
        """For those who watch: what is under way, and now and then how far it is."""
        if isinstance(event, Started | Memory | Progress) and event.group not in self.begun:
            self.begun.add(event.group)
            self.writer.begin(event.group, {"kind": self.executor})
        if isinstance(event, Progress):
            self.updates[event.group] = event.update
        elif isinstance(event, Finished | TooLarge):
            self.updates.pop(event.group, None)
        if self.updates and (isinstance(event, Stopped) or time.monotonic() >= self.next_written):
            self.writer.progress(self.updates)
            self.updates.clear()
            self.next_written = time.monotonic() + HEARD_EVERY

    def give_up(self, groups: Iterable[Group]) -> None:
        """Where none came to train, they need not be trained as they were."""
        for group in () if self.advanced else groups:
            if not group.updates and not self.checkpoint(group.key).exists():
                self.writer.drop(group.key)

    def _forget(self, group: str) -> None:
        """Removes a group's checkpoint, and what a worker that was killed left of a next one."""
        with suppress(OSError):  # what cannot be removed does no harm
            self.checkpoint(group).unlink(missing_ok=True)
            for draft in self.checkpoints.glob(f".{group}.safetensors.*"):
                draft.unlink(missing_ok=True)

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
        self._forget(group.key)
        self.outcome.said.append(f"{len(group.members)} runs did not fit in memory; going on with {middle} at a time")
        self.show(Plan(self.outcome.keys, 0, tuple(halves)))
        return halves


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
        return Plan(tuple(facts), 0, tuple(grouped(facts, by_key, device)))
    folder = checkpoint_folder or checkpoints(ledger)
    with Ledger(ledger) as known:
        busy = is_locked(ledger)  # else nothing is running, whatever a killed driver left
        done, _, resumed, fresh = _groups(known, facts, by_key, device, folder, busy, retry_failed)
        return Plan(tuple(facts), done, tuple(ordered([*resumed, *fresh], device, known)))


def _planned(writer: Writer, facts: dict[str, Any], specs: Mapping[str, Spec], device: str, folder: Path) -> Plan:
    done, unfit, resumed, fresh = _groups(writer.ledger, facts, specs, device, folder, busy=False)
    for group in unfit:
        writer.drop(group)
    writer.progress({group.key: group.updates for group in resumed})
    writer.record(fresh)
    return Plan(tuple(facts), done, tuple(ordered([*resumed, *fresh], device, writer.ledger)))


def _groups(
    ledger: Ledger,
    facts: dict[str, Any],
    specs: Mapping[str, Spec],
    device: str,
    folder: Path,
    busy: bool,
    retry_failed: bool = False,
) -> tuple[int, set[str], list[Group], list[Group]]:
    """How many runs are done; recorded groups that do not fit what is asked for; those that are resumed as they were;
    the other runs in new groups. `busy`: another driver may be training some of them now."""
    lacking = ledger.lacking(facts, retry_failed=retry_failed)
    ours, live = set(lacking), {name: ledger.live_group(name) for name in lacking}
    known = {group.key: group for group in ledger.groups(("planned", "running"))}
    asked = [known[name] for name in dict.fromkeys(live.values()) if name in known]  # else it has just ended
    unfit = {
        group.key
        for group in asked
        if not (group.updates or (busy and group.status == "running") or checkpoint(folder, group.key).exists())
        and (group.plan.get("device", device) != device or not set(group.keys) <= ours)
    }
    new = {name: facts[name] for name in lacking if live[name] is None or live[name] in unfit}
    resumed = [
        group if busy or checkpoint(folder, group.key).exists() else replace(group, updates=0)
        for group in asked
        if group.key not in unfit
    ]
    return len(facts) - len(lacking), unfit, resumed, grouped(new, specs, device)
