"""Which runs train together, and in which order groups start.

On a card, runs whose learners can be fitted by one call, on one dataset, share a group. On a CPU each run is a group of
its own: together they would leave its cache.
"""

import math
from collections.abc import Mapping, Sequence

from daxlab.ledger import Group, Ledger, key
from daxlab.ledger.spec import Spec
from daxlab.sweep.estimates import Costs

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


def ordered(groups: Sequence[Group], device: str, ledger: Ledger) -> list[Group]:
    """The order in which groups start: as asked for, unless all their times are known.

    Then cores begin with the longest, so that none idles while another ends; and a card with the shortest, so that a
    budget buys as many runs as it can.
    """
    costs = Costs(device, [ledger])
    times = {group.key: time for group in groups if (time := costs.of_group(group)) is not None}
    if len(times) < len(groups):
        return list(groups)
    return sorted(groups, key=lambda group: times[group.key] if device == "gpu" else -times[group.key])
