"""What commands are made of: clauses, and how training covers those of the test commands (Experiment 1).

A clause is what conjunctions join, or the whole command where it has none: "jump twice and walk" has two. A part is
such a clause. The parts in question are the distinct ones of the test commands. A part occurs in training once for
every clause of a distinct training command that is this part, so twice in "walk and walk"; how often a command is
presented does not count. The mean is over those parts that occur at all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from daxlab.datasets import Split, dataset
from daxlab.errors import InputError
from daxlab.languages import Example, Language


def grammar_of(name: str) -> Language:
    """The grammar of a dataset; an error if it has none."""
    grammar = dataset(name).grammar
    if grammar is None:
        raise InputError(f"{name} has no grammar, so nothing can be counted by clauses or templates")
    return grammar


@lru_cache(maxsize=8)
def conjunctions(language: Language) -> tuple[str, ...]:
    """The words that join clauses: those of the rules that make a command of several parts ("and", "after")."""
    grammar = language.grammar
    joining = [rule for rule in grammar.rules[grammar.start] if sum(part in grammar.rules for part in rule.parts) > 1]
    return tuple(dict.fromkeys(part for rule in joining for part in rule.parts if part not in grammar.rules))


def clauses(commands: pl.Expr, language: Language) -> pl.Expr:
    """The clauses of each command of a column, from left to right, as a list."""
    if not conjunctions(language):
        return pl.concat_list(commands)
    joints = " (?:" + "|".join(map(re.escape, conjunctions(language))) + ") "
    return commands.str.replace_all(joints, "\n").str.split("\n")  # no word has a line's end in it


@dataclass(frozen=True)
class Coverage:
    """The parts of the test commands, against training."""

    parts: tuple[str, ...]  # all of them, sorted
    unseen: tuple[str, ...]  # those that do not occur in training
    occurrences: float | None  # how often the others occur there, on average; None if there are no others


def coverage(split: Split, language: str | Language = "scan") -> Coverage:
    """How training covers the parts of a split's test commands."""
    grammar = grammar_of(language) if isinstance(language, str) else language
    parts = _parts(split.test, grammar).unique().sort()
    occurrences = _parts(split.train, grammar).value_counts(name="occurrences")
    counts = parts.to_frame().join(occurrences, "part", "left", maintain_order="left")
    unseen = counts.filter(pl.col("occurrences").is_null())["part"]
    mean = counts["occurrences"].mean()
    return Coverage(tuple(parts), tuple(unseen), None if mean is None else float(mean))  # type: ignore[arg-type]


def _parts(examples: Sequence[Example], language: Language) -> pl.Series:
    commands = pl.DataFrame({"part": [example.command for example in examples]}, {"part": pl.String})
    return commands.select(clauses(pl.col("part"), language)).explode("part")["part"]
