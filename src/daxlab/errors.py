"""Errors that a user can mend. Every room may import this."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(Exception):
    """A name, file or value that a user can mend. The command line prints it as one sentence and exits with 2."""


def nearest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Advice for an unknown name: the nearest known name, or else all of them, or `otherwise`.

    >>> nearest("jmup", ["jump", "walk"]), nearest("x", ["jump", "walk"])
    ("did you mean 'jump'?", 'there are jump, walk')
    """
    names = list(known)
    near = get_close_matches(name, names, n=1)
    there = f"there is only {names[0]}" if len(names) == 1 else f"there are {', '.join(names) or 'none'}"
    return f"did you mean {near[0]!r}?" if near else otherwise or there
