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
    return Example(command, (verb.upper(),) * (3 if rest else 1))


VERBS = ("walk", "look", "run", "jump", "dax")
LANGUAGE = tuple(example(f"{verb} {times}".strip()) for verb in VERBS for times in ("", "thrice"))  # ten pairs
ENCODING = Encoding.of(LANGUAGE)
KNOWN = tuple(e for e in LANGUAGE if "jump" not in e.command)
JUMP = Split("jump", (*KNOWN, example("jump")), (*(1 for _ in KNOWN), 3), (example("jump thrice"),))
ALL = Split("all", LANGUAGE, tuple(1 for _ in LANGUAGE), LANGUAGE)
