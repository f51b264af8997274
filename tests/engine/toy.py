"""A toy language in the manner of SCAN, and splits of it: stand-ins small enough to train in a test."""

from dataclasses import dataclass
from typing import NamedTuple

from daxlab.encoding import Encoding


class Example(NamedTuple):
    command: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    name: str
    train: tuple[Example, ...]
    weights: tuple[int, ...]
    test: tuple[Example, ...]


def example(command: str) -> Example:
    verb, *rest = command.split()
    times = {"twice": 2, "thrice": 3}.get(rest[0], 1) if rest else 1
    return Example(command, (verb.upper(),) * times)


VERBS = ("walk", "look", "run", "jump")
LANGUAGE = tuple(example(f"{verb} {times}".strip()) for verb in VERBS for times in ("", "twice", "thrice"))
ENCODING = Encoding.of(LANGUAGE, buckets=3)
KNOWN = tuple(e for e in LANGUAGE if "jump" not in e.command)
JUMP = Split("jump", (*KNOWN, example("jump")), (*(1 for _ in KNOWN), 3), (example("jump twice"), example("jump thrice")))
SHORT = Split(
    "short",
    tuple(e for e in LANGUAGE if len(e.actions) < 3),
    tuple(1 for e in LANGUAGE if len(e.actions) < 3),
    tuple(e for e in LANGUAGE if len(e.actions) == 3),
)
ALL = Split("all", LANGUAGE, tuple(1 for _ in LANGUAGE), LANGUAGE)
