"""Experiment 1: how many of the parts that test commands are made of also occur in training, and how often.

A part is a command without a conjunction, alone or as a clause of one ("jump opposite left twice"). The parts in
question are the distinct ones of the test commands. A part occurs in training once for every clause of a distinct
training command that is this part, so twice in "walk and walk"; how often a command is presented does not count. The
mean is over those parts that occur at all.
"""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean

from daxlab.analysis.clauses import clauses
from daxlab.languages import Example, Language
from daxlab.languages import language as load
from daxlab.splits import Split


@dataclass(frozen=True)
class Coverage:
    """The parts of the test commands, against training."""

    parts: tuple[str, ...]
    """All of them, sorted."""
    unseen: tuple[str, ...]
    """Those that do not occur in training."""
    occurrences: float | None
    """How often the others occur there, on average; None if there are no others."""


def coverage(split: Split, language: str | Language = "scan") -> Coverage:
    """How training covers the parts of a split's test commands."""
    lang = load(language) if isinstance(language, str) else language
    seen, asked = _counted(split.train, lang), _counted(split.test, lang)
    known = [seen[part] for part in asked if part in seen]
    unseen = tuple(sorted(part for part in asked if part not in seen))
    return Coverage(tuple(sorted(asked)), unseen, fmean(known) if known else None)


def _counted(examples: tuple[Example, ...], lang: Language) -> Counter[str]:
    return Counter(part for example in examples for part in clauses(example.command, lang))
