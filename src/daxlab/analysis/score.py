"""Answers that exist, from whatever program, scored on a test set by exact match.

Reads them from JSONL or TSV. Knows nothing of runs or the ledger.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.learners.program_files import is_unicode

Answer = tuple[str, ...]
Answered = Mapping[str, list[Answer]]  # the answers to each command, in the order of the file


@dataclass(frozen=True)
class Score:
    """How a test set was answered."""

    asked: Sequence[Example]
    answers: Sequence[Answer | None]  # None: missing
    duplicate: Sequence[str]  # commands with more answers than the test set asks for; the first ones count
    unknown: Sequence[str]  # commands that the test set does not ask

    @property
    def right(self) -> list[bool]:
        return [answer == example.actions for answer, example in zip(self.answers, self.asked, strict=True)]

    @property
    def missing(self) -> list[str]:
        """Commands without an answer, which counts as a wrong one."""
        unanswered = (e.command for e, answer in zip(self.asked, self.answers, strict=True) if answer is None)
        return list(dict.fromkeys(unanswered))


def score(asked: Sequence[Example], answered: Answered) -> Score:
    """Score answers. Of a command that is asked several times, the n-th answer is to the n-th time; a single answer is
    to all of them."""
    times = Counter(example.command for example in asked)
    waiting = {
        command: iter(several * times[command] if len(several) == 1 else several)
        for command, several in answered.items()
    }
    answers = [next(waiting.get(example.command, iter(())), None) for example in asked]
    duplicate = [command for command, several in answered.items() if len(several) > times[command] > 0]
    return Score(asked, answers, duplicate, [command for command in answered if command not in times])


def by_category(asked: Sequence[Example], right: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """Accuracy in percent, right and of, for each category of the examples; empty if they have none."""
    of = Counter(example.category for example in asked)
    if not any(of):
        return {}
    rights = Counter(example.category for example, good in zip(asked, right, strict=True) if good)
    return {
        name or "(none)": {"accuracy": 100 * rights[name] / count, "right": rights[name], "of": count}
        for name, count in sorted(of.items())
    }


def better_split(data: Dataset, answered: Answered, asked: Sequence[Example]) -> tuple[Split, str] | None:
    """The split, and the name of its test set, whose commands are more nearly those that are answered than the ones
    that were asked; None if there is none that shares more than half of them."""
    given, best = set(answered), None
    nearest = max(0.5, _overlap(given, asked))
    others, here = given.difference(e.command for e in asked), given.intersection(e.command for e in data.examples())
    if not here or (nearest > 0.5 and others.isdisjoint(here)):
        return None  # to other data; or answers are lacking, that is all. To look through all splits takes seconds
    for name in data.split_names():
        with suppress(InputError):  # its files are not here, or the language is too small for it
            split = data.split(name)
            for test, examples in split.tests.items():
                if (overlap := _overlap(given, examples)) > nearest:
                    nearest, best = overlap, (split, test)
        if nearest == 1:
            break
    return best


def _overlap(commands: set[str], asked: Sequence[Example]) -> float:
    """Commands in both, as a share of those in either."""
    others = {example.command for example in asked}
    return len(commands & others) / len(commands | others)


def read_answers(path: Path) -> Answered:
    """The answers in a file: JSONL with "command" and "answer", or TSV with a command, a tab and an answer."""
    readers = {".jsonl": _from_json, ".tsv": _from_tsv}
    if path.suffix not in readers:
        raise InputError(f"cannot tell the format of {path}: end its name in .jsonl or .tsv")
    answered = defaultdict[str, list[Answer]](list)
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                command, answer = readers[path.suffix](line.rstrip("\r"))
            except ValueError as error:
                raise InputError(f"{path}, line {number}: {error}") from None
            answered[" ".join(command.split())].append(tuple(answer.split()))
    if not answered:
        raise InputError(f"{path} is empty")
    return answered


def _from_json(line: str) -> Iterator[str]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None
    for name in ("command", "answer"):
        value = row.get(name) if isinstance(row, dict) else None
        words: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(word, str) for word in words):
            raise ValueError(
                f'expected {{"command": "…", "answer": "…"}}, as text or as lists of words, not {line[:80]}'
            )
        if not all(map(is_unicode, words)):
            raise ValueError(f"the {name} has half a character: {words}")
        yield " ".join(words)


def _from_tsv(line: str) -> list[str]:
    fields = line.split("\t")
    if len(fields) != 2:
        raise ValueError(f"expected a command, a tab and an answer, not {line[:80]!r}")
    return fields
