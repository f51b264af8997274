"""Which runs train together, in which order groups start, and about how long they take.

On a card, runs whose learners can be fitted by one call, on one dataset, share a group. On a CPU each run is a group of
its own: together they would leave its cache. Time is estimated from what earlier runs of the same learner took.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from daxlab.learners import name_and_fields
from daxlab.ledger import Group, Ledger, key
from daxlab.ledger.spec import Spec

LEDGER_BYTES = 50_000  # of a run: its answers, likelihoods and curve
SHORTEST = 10  # a run of fewer than a tenth of the steps says nothing: most of it is compiling and scoring
SAMPLED = 20  # earlier runs that an estimate is taken from
VARIED = ("dropout", "updates")  # fields that do not change how long an update takes

Facts = Mapping[str, object]


def grouped(facts: Mapping[str, Facts], specs: Mapping[str, Spec], device: str) -> list[Group]:
    """The runs, by key, as groups."""
    plan = {"device": device}
    if device != "gpu":
        return [Group(members=[fact], plan=plan) for fact in facts.values()]
    alike: dict[object, list[str]] = {}
    for name, fact in facts.items():
        learner = specs[name].learner
        shared = (type(learner), learner.together, key(fact["language"]))
        alike.setdefault(name if learner.together is None else shared, []).append(name)
    parts = []
    for names in alike.values():
        parts += _cut(sorted(map(facts.__getitem__, names), key=_place), specs[names[0]].learner.most_together)
    return [Group(members=part, plan=plan) for part in parts]


def _place(fact: Facts) -> tuple[str, str, int]:
    """Neither the order of the specs nor that of their axes decides how runs are grouped."""
    learner = {name: part for name, part in fact.items() if name not in ("language", "split", "seed")}
    return key(learner), key(fact["split"]), int(fact["seed"])  # type: ignore[call-overload]


def _cut(members: Sequence[Facts], most: int) -> list[Sequence[Facts]]:
    """In as few groups as may be, alike in size, because groups of one size share a program."""
    size = math.ceil(len(members) / math.ceil(len(members) / most))
    return [members[start : start + size] for start in range(0, len(members), size)]


@dataclass(frozen=True)
class Estimate:
    """About what some groups will take."""

    runs: int
    groups: int
    seconds: float | None  # of the groups that could be estimated; None: of none
    estimated: int  # groups of whose learner an earlier run was timed on this kind of device
    bytes: int  # in the ledger, in the end


def estimate(groups: Sequence[Group], device: str, workers: int, ledgers: Iterable[Ledger]) -> Estimate:
    """From the times of earlier runs in some ledgers; so many workers share the groups."""
    seconds = [time for time in _seconds_by_group(groups, device, list(ledgers)) if time is not None]
    total = max(sum(seconds) / workers, *seconds) if seconds else None
    runs = sum(len(group.members) for group in groups)
    return Estimate(runs, len(groups), total, len(seconds), runs * LEDGER_BYTES)


def ordered(groups: Sequence[Group], device: str, ledger: Ledger) -> list[Group]:
    """The order in which groups start: as asked for, unless all their times are known.

    Then cores begin with the longest, so that none idles while another ends; and a card with the shortest, so that a
    budget buys as many runs as it can.
    """
    seconds = _seconds_by_group(groups, device, [ledger])
    times = {group.key: time for group, time in zip(groups, seconds, strict=True) if time is not None}
    if len(times) < len(groups):
        return list(groups)
    return sorted(groups, key=lambda group: times[group.key] if device == "gpu" else -times[group.key])


def _seconds_by_group(groups: Sequence[Group], device: str, ledgers: Sequence[Ledger]) -> list[float | None]:
    """What each group will take alone; None where no earlier run tells."""
    by_learner: dict[str, float | None] = {}  # what a step takes; many groups have one learner
    times: list[float | None] = []
    for group in groups:
        first = group.members[0]
        name = key({part: value for part, value in first.items() if part not in ("split", "seed")})
        if name not in by_learner:
            by_learner[name] = _seconds_a_step(first, device, ledgers)
        each = by_learner[name]
        times.append(None if each is None else each * max(0, steps(first) - group.updates) * len(group.members))
    return times


def steps(facts: Facts) -> int:
    """How many steps a run takes; at least one."""
    updates = name_and_fields(facts)[1].get("updates", 1)
    return max(1, updates) if isinstance(updates, int) else 1


def _seconds_a_step(facts: Facts, device: str, ledgers: Sequence[Ledger]) -> float | None:
    """What a step of such a run took, its share of its group; None where no ledger has one on this kind of device."""
    name, fields = name_and_fields(facts)
    where = {"learner": name, **{field: value for field, value in fields.items() if field not in VARIED}}
    for ledger in ledgers:
        rows = ledger.rows({**where, "dataset": facts["language"]["name"]}, limit=SAMPLED)  # type: ignore[index]
        timed = [row for row in rows if row["seconds"] and row["origin"].get("platform") == device]
        timed = [row for row in timed if steps(row["spec"]) * SHORTEST >= steps(facts)]
        if timed:
            return float(median(row["seconds"] / steps(row["spec"]) for row in timed))
    return None
