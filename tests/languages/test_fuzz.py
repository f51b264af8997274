"""Mutated grammars and commands: each is either understood or refused in one sentence, and quickly."""

import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daxlab import InputError
from daxlab.cli import app

NESTED = """\
recursion 2
grammar:
  C -> C and S
  C -> S
  S -> ( C ) twice
  S -> walk
  S -> run
meaning:
  x, x1, x2 in any
  [[x1 and x2]] = [[x1]] [[x2]]
  [[( x ) twice]] = [[x]] [[x]]
  [[walk]] = W
  [[run]] = R
"""
FILES = sorted(resources.files("daxlab.languages").glob("*.grammar"))
GRAMMARS = [*(re.sub(r"(?m)^#.*\n", "", file.read_text()) for file in FILES), NESTED]
TOKENS = ["C", "S", "x", "[[x]]", "->", "=", "[1]", "D[2]", "in", "any", "#", "grammar:", "meaning:", "recursion", "9"]


def mutated_grammar(chance: random.Random) -> str:
    """A shipped grammar with a few lines, words or characters changed."""
    text = chance.choice(GRAMMARS)
    if chance.random() < 0.5:
        text = f"recursion {chance.choice([1, 2, 3, 7, 20, 50])}\n{text}"
    edits = [_change_line, _change_token, _change_character, *[_change_category, _change_meaning] * 5]
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(edits)(text, chance)
    return text


def _edit(parts: list[str], chance: random.Random, new: str) -> None:
    """Drop, duplicate, swap, replace or insert one of the parts."""
    if not parts:
        return
    at, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    match chance.randrange(5):
        case 0:
            del parts[at]
        case 1:
            parts.insert(other, parts[at])
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case 3:
            parts[at] = new
        case 4:
            parts.insert(at, new)


def _change_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    _edit(lines, chance, chance.choice(chance.choice(GRAMMARS).splitlines()))
    return "\n".join(lines)


def _change_token(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    at = chance.randrange(len(lines))
    tokens = lines[at].split()
    _edit(tokens, chance, chance.choice([*TOKENS, *text.split()]))
    lines[at] = " ".join(tokens)
    return "\n".join(lines)


def _change_category(text: str, chance: random.Random) -> str:
    """Replace a category of a rule by another, in place or in a copy of the rule."""
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if "->" in line]
    categories = sorted({lines[n].split("->")[0].strip() for n in rules})
    if not rules:
        return text
    at = chance.choice(rules)
    tokens = lines[at].split()
    places = [n for n, token in enumerate(tokens) if token in categories]
    if places:
        tokens[chance.choice(places)] = chance.choice(categories)
    lines[at : at + chance.randrange(2)] = [" ".join(tokens)]
    return "\n".join(lines)


def _change_meaning(text: str, chance: random.Random) -> str:
    """Edit the right side of a meaning."""
    lines = text.splitlines()
    meanings = [n for n, line in enumerate(lines) if "]] " in line and "=" in line]
    if not meanings:
        return text
    at = chance.choice(meanings)
    left, _, right = lines[at].partition("=")
    tokens = right.replace("]] [[", "]]\0[[").replace("]] ", "]]\0").split("\0")
    _edit(tokens, chance, chance.choice(["", "A", *tokens]))
    lines[at] = f"{left}= {' '.join(tokens)}"
    return "\n".join(lines)


def _change_character(text: str, chance: random.Random) -> str:
    characters = list(text)
    _edit(characters, chance, chance.choice("CSUx[]=->#0123456789 \n\té"))
    return "".join(characters)


class TooSlow(Exception):
    """Raised inside code that exceeds its time limit."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def list_splits(grammar: str, folder: Path, seconds: float = 10) -> str:
    """What `daxlab data list` answers: its output, or the message of its error."""
    path = folder / "mutant.grammar"
    path.write_text(grammar)
    with time_limit(seconds):
        try:
            return CliRunner().invoke(app, ["data", "list", "--json", "--language", str(path)], catch_exceptions=False).output
        except InputError as error:
            return str(error)
