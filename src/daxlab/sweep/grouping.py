"""Which runs train together, and in which order groups start. A function of the specs, and of what they train on.

A group shares cell, layers, attention, protocol and language; its runs may differ in seed, split, dropout and, by idle
units, in width. Which widths share one is chosen by the model of cost: small networks are all launches, so that a wider
group is cheaper than a second one, and large ones are not. Neither the order of the specs nor that of a spec's axes
matters: members are put in order, the widest first. Knows nothing of the ledger.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from typing import Any

from daxlab.runs import Group, key
from daxlab.runs.spec import Architecture
from daxlab.sweep.cost import DEVICES, largest, left, modelled, widest


def grouped(facts: Iterable[Any], device: str, at_once: int = 1) -> list[Group]:
    """On a card, the cheapest groups that the model knows; on a CPU each run alone (together they leave its cache).

    `at_once`: so many groups train at the same time on it.
    """
    plan = {"device": device}
    if device != "gpu":
        return [Group(members=[fact], plan=plan) for fact in facts]
    kinds: dict[str, list[Any]] = {}
    for fact in facts:
        network = {part: fact["network"][part] for part in ("cell", "layers", "attention")}
        same = {"network": network, "protocol": fact["protocol"], "language": fact["language"]}
        kinds.setdefault(key(same), []).append(fact)
    return [
        Group(members=members, plan=plan)
        for kind in sorted(kinds)
        for members in _cut(sorted(kinds[kind], key=_place), at_once)
    ]


def ordered(groups: Iterable[Group], device: str, workers: int) -> list[Group]:
    """Groups in the order in which they start.

    Several workers begin with the longest, so that none idles while another ends. One device begins with the narrowest,
    so that a budget leaves as many runs as it can buy; of one width with the longest: several may train there at once.
    """
    if workers > 1:
        return sorted(groups, key=lambda group: -left(group, device))
    return sorted(groups, key=lambda group: (widest(group).hidden, -left(group, device)))


def _place(fact: Any) -> tuple[Any, ...]:
    return -fact["network"]["hidden"], fact["network"]["dropout"], fact["split"]["digest"], fact["seed"]


def _cut(members: Sequence[Any], at_once: int) -> list[Sequence[Any]]:
    """Runs of one kind, the widest first, cut into groups of least cost by the model.

    A dynamic programme over widths: `best[j]` is the least for the j widest, and where its last set of widths begins.
    """
    first = members[0]
    one, updates = Architecture(**first["network"]), int(first["protocol"]["updates"])
    runs = [(width, len(list(some))) for width, some in groupby(members, lambda fact: fact["network"]["hidden"])]
    networks = [replace(one, hidden=width) for width, _ in runs]
    ends = [0, *accumulate(count for _, count in runs)]
    best = [(0.0, 0)]
    for j in range(1, len(ends)):
        best.append(min((best[i][0] + _seconds(networks, ends, i, j, updates, at_once), i) for i in range(j)))
    cuts, j = [], len(runs)
    while j:
        i = best[j][1]
        cuts += _chunks(networks[i], ends[i], ends[j], at_once)
        j = i
    return [members[start:end] for start, end in sorted(cuts)]


def _chunks(network: Architecture, start: int, end: int, at_once: int) -> list[tuple[int, int]]:
    """A set of runs in as few groups as may be, and these alike in size, because groups of one size share a program."""
    count = math.ceil((end - start) / largest(network, "gpu", at_once))
    size = math.ceil((end - start) / count)
    return [(at, min(at + size, end)) for at in range(start, end, size)]


def _seconds(
    networks: Sequence[Architecture], ends: Sequence[int], i: int, j: int, updates: int, at_once: int
) -> float:
    """What the networks i to j cost as a set of their own: each group as wide as its first run, programs once."""
    shapes = [
        (networks[bisect_right(ends, start) - 1], end - start)
        for start, end in _chunks(networks[i], ends[i], ends[j], at_once)
    ]
    training = sum(modelled(network, runs, updates, "gpu", at_once) for network, runs in shapes)
    return training + DEVICES["gpu"].program / at_once * len(set(shapes))  # programs too are compiled at once
