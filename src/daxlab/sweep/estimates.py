"""About how long groups take, from what earlier runs of the same learner took: before the first step, a step, the end.

The first group of a learner in a process imports and compiles; those after it do not. What XLA has compiled on this
machine lies in its cache on disk, so compiling that was timed apart is not counted again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from daxlab.learners import name_and_fields
from daxlab.ledger import Group, Ledger, key
from daxlab.ledger.records import Facts
from daxlab.units import counted, duration, size

LEDGER_BYTES = 50_000  # of a run: its answers, likelihoods and curve
SHORTEST = 10  # of a run whose phases were not timed: with fewer than a tenth of the steps, it says nothing
SAMPLED = 60  # earlier runs that an estimate is taken from
VARIED = ("dropout", "updates")  # fields that do not change how long an update takes


@dataclass(frozen=True)
class Cost:
    """What a run takes, in seconds: its share of its group, as if the group were alone."""

    start: float  # of its group, before the first step: the first time in a process
    step: float
    end: float  # after the last step: mostly scoring
    at_once: float = 1.0  # groups that shared the card when this was timed

    def seconds(self, runs: int, steps: int) -> float:
        """Of a group of so many runs, for so many steps, without its start."""
        return runs * (self.step * steps + self.end)


class Costs:
    """What runs cost on a kind of device, by the first of some ledgers that has such runs; each looked up once."""

    def __init__(self, device: str, ledgers: Iterable[Ledger]) -> None:
        self._device, self._ledgers = device, list(ledgers)
        self._rows = dict[str, list[Any]]()
        self._costs = dict[tuple[str, str, int], Cost | None]()

    def of(self, facts: Facts) -> Cost | None:
        """What such a run costs; None where no ledger has one on this kind of device."""
        name = program(facts)
        if name not in self._rows:
            self._rows[name] = self._timed(facts)
        split = str(facts["split"]["name"])
        place = (name, split, steps(facts))
        if place not in self._costs:
            self._costs[place] = _cost(self._rows[name], split, place[2])
        return self._costs[place]

    def of_group(self, group: Group) -> float | None:
        """Seconds that a group will take after its start, with the whole device for itself."""
        cost = self.of(group.members[0])
        if cost is None:
            return None
        return cost.seconds(len(group.members), max(0, steps(group.members[0]) - group.updates))

    def _timed(self, facts: Facts) -> list[Any]:
        """The latest runs of this learner in the first ledger that has any of this device."""
        name, fields = name_and_fields(facts)
        where = {"learner": name, **{field: value for field, value in fields.items() if field not in VARIED}}
        for ledger in self._ledgers:
            rows = ledger.timings({**where, "dataset": facts["language"]["name"]}, limit=SAMPLED)
            if timed := [row for row in rows if row["seconds"] and row["origin"].get("platform") == self._device]:
                return timed
        return []


def _cost(rows: Sequence[Any], split: str, wanted: int) -> Cost | None:
    """By the median of earlier runs; what comes after the last step, by those of the same split where there are any."""
    phased = [row for row in rows if "step_seconds" in row["timing"]]
    if not phased:
        parts = [_undivided(row) for row in rows if _steps_of(row) * SHORTEST >= wanted]
        if not parts:
            return None
        return Cost(0.0, median(step for step, _ in parts), median(end for _, end in parts))
    times = [(row["timing"], _runs_of(row)) for row in phased]
    alike = [(row["timing"], _runs_of(row)) for row in phased if row["split"] == split] or times
    first, later = ([pair for pair in alike if bool(pair[0]["fresh"]) is fresh] for fresh in (True, False))
    ends = [median(time["end_seconds"] / runs for time, runs in part) for part in (later or first, first or later)]
    starts = [time["start_seconds"] for time, _ in times if time["fresh"]]
    return Cost(
        (median(starts) if starts else 0.0) + max(ends[1] - ends[0], 0.0),
        median(time["step_seconds"] / runs for time, runs in times),
        ends[0],
        median(time.get("at_once", 1) for time, _ in times),
    )


def _undivided(row: Any) -> tuple[float, float]:
    """A step and the scoring of a run whose phases were not timed, its share of a card that others shared too."""
    timing, seconds = row["timing"], row["seconds"]
    whole = timing.get("group_seconds", seconds) or seconds
    end = seconds * timing.get("examine_seconds", 0.0) / whole
    return (seconds - end) / _steps_of(row), end


def _runs_of(row: Any) -> int:
    """How many runs its group had."""
    groups = row["timing"]["group_seconds"] / row["seconds"]
    return max(1, round(float(groups / row["timing"].get("at_once", 1))))


def _steps_of(row: Any) -> int:
    return _at_least_one(row["fields"].get("updates"))


def steps(facts: Facts) -> int:
    """How many steps a run takes; at least one."""
    return _at_least_one(name_and_fields(facts)[1].get("updates"))


def _at_least_one(updates: Any) -> int:
    return max(1, updates) if isinstance(updates, int) else 1


def program(facts: Facts) -> str:
    """What one process starts once for all its groups: a learner on a dataset, by a name for it."""
    return key({part: value for part, value in facts.items() if part not in ("split", "seed")})


@dataclass(frozen=True)
class Estimate:
    """About what some groups will take."""

    runs: int
    groups: int
    seconds: float | None  # of the groups that could be estimated; None: of none
    estimated: int  # groups of whose learner an earlier run was timed on this kind of device
    bytes: int  # in the ledger, in the end


def estimate(groups: Sequence[Group], device: str, workers: int, ledgers: Iterable[Ledger]) -> Estimate:
    """From the times of earlier runs in some ledgers. So many workers take up the groups in this order."""
    costs, estimated = Costs(device, ledgers), 0
    # A run on a shared card was timed with others beside it: its time is its share of the card already.
    workers = workers if device == "cpu" else 1
    ends, started = [0.0] * workers, [set[str]() for _ in range(workers)]  # of each worker
    for group in groups:
        seconds = costs.of_group(group)
        if seconds is None:
            continue
        estimated += 1
        free, name = ends.index(min(ends)), program(group.members[0])
        cost = costs.of(group.members[0])
        assert cost is not None
        seconds += cost.start if name not in started[free] else 0.0
        started[free].add(name)
        ends[free] += seconds / (cost.at_once if device == "gpu" else 1)
    runs = sum(len(group.members) for group in groups)
    return Estimate(runs, len(groups), max(ends) if estimated else None, estimated, runs * LEDGER_BYTES)


def in_words(plan: Mapping[str, Any]) -> str:
    """An estimate as a line. The plan has its fields beside the executor, the device and how many workers train there.

    >>> here = {"executor": "local", "device": "cpu", "workers": 2}
    >>> in_words({**here, "runs": 5, "groups": 5, "seconds": 40.0, "estimated": 5, "bytes": 250_000})
    '5 runs in 5 groups on 2 CPU cores: about 40 s, estimated from earlier runs; 0.2 MB in the ledger.'
    """
    work = f"{counted(plan['runs'], 'run')} in {counted(plan['groups'], 'group')} on {_place(plan)}"
    return f"{work}: {_time(plan)}; {size(plan['bytes'])} in the ledger."


def _place(plan: Mapping[str, Any]) -> str:
    if plan["executor"] == "ray":
        return f"one {plan['device'].upper()} (divide by how many the cluster has)"
    if plan["device"] == "cpu":
        return counted(plan["workers"], "CPU core")
    return "the GPU" + (f", up to {plan['workers']} groups at once" if plan["workers"] > 1 else "")


def _time(plan: Mapping[str, Any]) -> str:
    if not plan["estimated"]:
        return "its time is unknown until it trains"
    about = f"about {duration(plan['seconds'])}"
    if plan["estimated"] == plan["groups"]:
        return f"{about}, estimated from earlier runs"
    return f"{about} for {plan['estimated']:,} of the groups, by earlier runs; the rest is unknown"
