"""Experiment 1: how many of the parts that test commands are made of also occur in training, and how often.

A part is a command without a conjunction, alone or as a clause of one ("jump opposite left twice"). The parts in
question are the distinct ones of the test commands. A part occurs in training once for every clause of a distinct
training command that is this part, so twice in "walk and walk"; how often a command is presented does not count. The
mean is over those parts that occur at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from daxlab.analysis.clauses import clauses
from daxlab.datasets import Split
from daxlab.datasets import language as load
from daxlab.languages import Example, Language


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
    asked = _parts(split.test, lang).unique().sort()
    shown = _parts(split.train, lang).value_counts(name="occurrences")
    against = asked.to_frame().join(shown, "part", "left", maintain_order="left")
    unseen = against.filter(pl.col("occurrences").is_null())["part"]
    mean = against["occurrences"].mean()
    return Coverage(tuple(asked), tuple(unseen), None if mean is None else float(mean))  # type: ignore[arg-type]


def _parts(examples: Sequence[Example], lang: Language) -> pl.Series:
    commands = pl.DataFrame({"part": [example.command for example in examples]}, {"part": pl.String})
    return commands.select(clauses(pl.col("part"), lang)).explode("part")["part"]
