"""What goes wrong and a user can mend. Every room may import it."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(Exception):
    """Something that a user can mend: a bad name, file or value.

    The command line prints it as one sentence and exits with 2.
    """


def nearest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Advice for a name that is not known: the nearest known name, or else all of them, or `otherwise`.

    >>> nearest("jmup", ["jump", "walk"]), nearest("x", ["jump", "walk"])
    ("did you mean 'jump'?", 'there are jump, walk')
    """
    there = list(known)
    near = get_close_matches(name, there, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise or f"there are {', '.join(there) or 'none'}"
