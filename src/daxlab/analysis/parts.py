"""What commands are made of: clauses, and how training covers those of the test commands (Experiment 1).

A clause is what conjunctions join, or the whole command if it has none: "jump twice and walk" has two. The parts are
the distinct clauses of the test commands. A part occurs in training as often as it is a clause of a distinct training
command, so twice in "walk and walk"; how often a command is presented does not count.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

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


def conjunctions(language: Language) -> tuple[str, ...]:
    """The words that join clauses: those of the rules that make a command of several parts ("and", "after")."""
    grammar = language.grammar
    joining = [rule for rule in grammar.rules[grammar.start] if sum(part in grammar.rules for part in rule.parts) > 1]
    return tuple(dict.fromkeys(part for rule in joining for part in rule.parts if part not in grammar.rules))


def clauses(commands: pl.Expr, language: Language) -> pl.Expr:
    """The clauses of each command of a column, from left to right, as a list."""
    words = conjunctions(language)
    if not words:
        return pl.concat_list(commands)
    joints = " (?:" + "|".join(map(re.escape, words)) + ") "
    return commands.str.replace_all(joints, "\n").str.split("\n")  # no word has a line's end in it


@dataclass(frozen=True)
class Coverage:
    """The parts of the test commands, against training."""

    parts: tuple[str, ...]  # all of them, sorted
    unseen: tuple[str, ...]  # those that do not occur in training
    occurrences: float | None  # how often the others occur there, on average; None if there are no others


def coverage(split: Split, data: str = "scan") -> Coverage:
    """How training covers the parts of the test commands, of a split of a dataset with a grammar."""
    parts, occurrences = sorted(set(_parts(split.test, data))), Counter(_parts(split.train, data))
    unseen = tuple(part for part in parts if part not in occurrences)
    seen = [occurrences[part] for part in parts if part in occurrences]
    return Coverage(tuple(parts), unseen, fmean(seen) if seen else None)


def _parts(examples: Sequence[Example], data: str) -> pl.Series:
    commands = pl.DataFrame({"part": [example.command for example in examples]}, {"part": pl.String})
    return commands.select(clauses(pl.col("part"), grammar_of(data)).explode())["part"]
