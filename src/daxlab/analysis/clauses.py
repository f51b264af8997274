"""A command's clauses: what its conjunctions join, or all of it where it has none.

"jump twice and walk" has two. Knows a language's grammar, nothing of splits or runs.
"""

import re
from functools import lru_cache

from daxlab.languages import Language


@lru_cache(maxsize=8)
def conjunctions(language: Language) -> tuple[str, ...]:
    """The words that join clauses: those of the rules that make a command of several parts ("and", "after")."""
    grammar = language.grammar
    joining = [rule for rule in grammar.rules[grammar.start] if sum(part in grammar.rules for part in rule.parts) > 1]
    return tuple(dict.fromkeys(part for rule in joining for part in rule.parts if part not in grammar.rules))


def pattern(language: Language) -> str:
    """A regular expression for a conjunction with its blanks; it matches nothing in a language without."""
    return " (?:" + "|".join(map(re.escape, conjunctions(language))) + ") " if conjunctions(language) else r"^\b$"


def clauses(command: str, language: Language) -> list[str]:
    """The clauses of a command, from left to right."""
    return re.split(pattern(language), command)
