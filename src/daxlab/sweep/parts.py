"""A sweep in parts, for machines that share nothing: an array of Slurm jobs, say. Every run is in exactly one part.

Each machine divides the sweep for itself, so a division depends on the runs and the kind of device alone: on no ledger,
and not on the order of the specs. Groups stay whole, as far as no part gets more runs than its share.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from daxlab.errors import InputError
from daxlab.ledger import Group, key
from daxlab.ledger.spec import Spec, all_facts
from daxlab.sweep.estimates import program, steps
from daxlab.sweep.groups import grouped

MOST_PARTS = 100_000


def part_named(text: str) -> tuple[int, int]:
    """Which part, and of how many.

    >>> part_named("3/8")
    (3, 8)
    """
    match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    number, parts = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= parts <= MOST_PARTS:
        raise InputError(f"a part is one such as 3/8, the third of eight (1/8 to 8/8), not {text!r}")
    return number, parts


def part_of(specs: Sequence[Spec], number: int, parts: int, device: str) -> list[Spec]:
    """The runs of one part, counted from 1, in the order of the specs."""
    facts = all_facts(specs)
    names = [key(fact) for fact in facts]
    by_name = dict(zip(names, specs, strict=True))
    mine = set(_parts(grouped(dict(zip(names, facts, strict=True)), by_name, device), parts)[number - 1])
    return [spec for name, spec in by_name.items() if name in mine]


Piece = list[tuple[str, Mapping[str, Any]]]  # runs that stay together: keys and facts


def _parts(groups: Sequence[Group], parts: int) -> list[list[str]]:
    """The runs of each part, by key: the most steps first, each to the part that has least so far.

    Pieces of one learner come one after the other, and so to different parts.
    """
    alike: dict[str, Piece] = {}  # what may train together: runs of one program, or one run
    for group in groups:
        for name, facts in zip(group.keys, group.members, strict=True):
            alike.setdefault(program(facts) if len(group.members) > 1 else name, []).append((name, facts))
    most = math.ceil(sum(map(len, alike.values())) / parts)
    pieces = [piece for runs in alike.values() for piece in _cut(runs, most)]
    pieces.sort(key=lambda piece: (-_work(piece), program(piece[0][1]), piece[0][0]))
    done, names = [0] * parts, [list[str]() for _ in range(parts)]
    for piece in pieces:
        least = done.index(min(done))
        done[least] += _work(piece)
        names[least] += [name for name, _ in piece]
    return names


def _cut(runs: Piece, most: int) -> list[Piece]:
    """Runs that may train together: all of them, or in pieces of like size if they are too many for a part."""
    size = math.ceil(len(runs) / math.ceil(len(runs) / most))
    return [runs[start : start + size] for start in range(0, len(runs), size)]


def _work(piece: Piece) -> int:
    return sum(steps(fact) for _, fact in piece)
