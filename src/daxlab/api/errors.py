"""What goes wrong, by name: the questions of analysis/errors.py about some runs."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger

if TYPE_CHECKING:
    import polars as pl

WRONG = ("command", "target", "answer", "ended")  # columns of a list of wrong answers


def errors(ledger: Ledger, keys: Sequence[str], by: str | None) -> "pl.DataFrame":
    """The wrong answers of some runs, a row each; or what goes wrong, by one of QUESTIONS."""
    import polars as pl  # slow to load

    from daxlab.analysis.answers import together

    if by is None:
        frame = together(ledger, keys, [*WRONG, "right"]).filter(~pl.col("right")).drop("right")
        return frame.drop("key", "seed") if len(keys) == 1 else frame
    if by not in QUESTIONS:
        raise InputError(f"errors are not counted by {by!r}; {nearest(by, QUESTIONS)}")
    return QUESTIONS[by](ledger, keys)


def _question(name: str, **options: Any) -> "Callable[[Ledger, Sequence[str]], pl.DataFrame]":
    def ask(ledger: Ledger, keys: Sequence[str]) -> "pl.DataFrame":
        from daxlab.analysis import errors as questions

        frame: pl.DataFrame = getattr(questions, name)(ledger, keys, **options)
        return frame

    return ask


QUESTIONS = {
    "length": _question("by_length"),
    "words": _question("by_length", by="words"),
    "category": _question("by_category"),
    "template": _question("by_template"),
    "action": _question("confusion"),
    "position": _question("first_wrong"),
    "end": _question("ends"),
    "search": _question("search_errors"),
}
