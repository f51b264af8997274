"""What a measurement is: for each network and split that a figure is about, a part. Judges nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from daxlab.paper.runs import Draw, Found, Runs


@dataclass(frozen=True)
class Part:
    """One measurement: runs of a network on a split, or what is no mean of runs (`ours`)."""

    network: str | None = None
    split: str | None = None
    draw: Draw | None = None
    runs: tuple[float, ...] = ()
    ours: Any = None  # what is shown as it is: a list, a table, the ends of a range
    shown: str = ""  # our figure as text, where it is not the mean
    count: int | None = None  # what has no chance in it
    claim: tuple[float, str | None, int | None] | None = None  # value, relation, the paper's runs; None: the target's
    note: str = ""


Measure = Callable[[Runs], list[Part]]


def part_of(network: str, found: Found, runs: Sequence[float], note: str = "", **more: Any) -> Part:
    """A measurement of runs that were found."""
    failed = f"{found.failed} failed and {'is' if found.failed == 1 else 'are'} left out" if found.failed else ""
    said = "; ".join(one for one in (failed, note) if one)
    return Part(network, found.split, found.draw, tuple(runs), note=said, **more)
