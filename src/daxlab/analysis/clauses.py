"""A command's clauses: what its conjunctions join, or all of it where it has none.

"jump twice and walk" has two. Knows a language's grammar, nothing of splits or runs.
"""

import re
from functools import lru_cache

import polars as pl

from daxlab.languages import Language


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
