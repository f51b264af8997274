"""A named check: a promise, what was seen, and what to change if it is broken. Knows nothing of what is checked."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Literal, NamedTuple, TypeVar

from daxlab.errors import InputError

T = TypeVar("T")
# unclear: because another check is broken; excepted: broken, and somebody has said why that is right
Verdict = Literal["kept", "broken", "excepted", "unclear", "note"]


class NotKept(Exception):
    """Another verdict than "kept", and what was seen."""

    def __init__(self, verdict: Verdict, seen: str) -> None:
        super().__init__(seen)
        self.verdict, self.seen = verdict, seen


class Finding(NamedTuple):
    """What a check found, what to change, and why it need not be changed."""

    id: str
    promise: str
    verdict: Verdict
    seen: str
    change: str = ""
    reason: str = ""

    def but(self, reason: str) -> "Finding":
        """The same with a declared exception: it counts if the promise is broken, and only then."""
        is_broken = self.verdict in ("broken", "excepted")
        return self._replace(verdict="excepted", change="", reason=reason) if is_broken else self


class Check(NamedTuple, Generic[T]):
    """A promise; what to change if it is broken; a function that says what was seen, or raises NotKept.

    Whatever else it raises breaks the promise too: what is checked is somebody's code. A subject may have `exceptions`,
    from the ids of checks that it need not keep to the reasons.
    """

    id: str
    promise: str
    change: str
    look: Callable[[T], str]

    def __call__(self, subject: T) -> Finding:
        finding = self._finding(subject)
        reason = getattr(subject, "exceptions", {}).get(self.id)
        return finding.but(reason) if reason else finding

    def _finding(self, subject: T) -> Finding:
        try:
            return Finding(self.id, self.promise, "kept", self.look(subject))
        except NotKept as found:
            change = "" if found.verdict == "unclear" else self.change
            return Finding(self.id, self.promise, found.verdict, found.seen, change)
        except Exception as error:
            return Finding(self.id, self.promise, "broken", in_words(error), self.change)


def in_words(error: Exception) -> str:
    """What was raised, and by which line of code that is not a library's."""
    first = next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, InputError):
        return first
    places = [frame for frame in traceback.extract_tb(error.__traceback__) if "site-packages" not in frame.filename]
    where = f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {first}{where}"
