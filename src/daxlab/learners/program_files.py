"""The files that an outside program meets: examples to learn from, commands to answer, its answers; in four formats.

Knows nothing of processes, nor of learners.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from daxlab.datasets.export import content
from daxlab.languages import Example
from daxlab.learners.core import Actions, Failed


def write_side(path: Path, examples: Sequence[Example], form: str, targets: bool = True) -> list[Path]:
    """Write examples in the format of a program's files; commands alone have no targets. The files."""
    if form != "parallel":
        path.write_bytes(content(((example, 1) for example in examples), form, categories=False))
        return [path]
    sides = {".src": [e.command for e in examples], ".tgt": [" ".join(e.actions) for e in examples]}
    files = {path.with_name(path.name + end): lines for end, lines in sides.items() if targets or end == ".src"}
    for file, lines in files.items():
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return list(files)


def read_answers(path: Path, form: str, commands: Sequence[str]) -> list[Actions]:
    """An answer to each command, from JSON lines ({"answer"}, perhaps with {"command"}), or from plain lines in order.

    A command that is asked several times may have a single answer. Failed, if one has no answer, or more than it was
    asked, or an answer is no text.
    """
    rows = _rows(path, form)
    if all("command" not in row for row in rows):
        if len(rows) != len(commands):
            raise Failed(f"wrong answers: {len(rows):,} answers to {len(commands):,} commands")
        rows = [{**row, "command": command} for row, command in zip(rows, commands, strict=True)]
    times, answers = Counter(commands), defaultdict[str, list[Actions]](list)
    for row in rows:
        command, answer = row.get("command"), row.get("answer")
        if not isinstance(command, str) or command not in times:
            raise Failed(f"wrong answers: {command!r} was not asked")
        if len(answers[command]) == times[command]:
            raise Failed(f"wrong answers: {command!r} is answered more often than asked")
        if not isinstance(answer, str):
            raise Failed(f"wrong answers: the answer to {command!r} is {row.get('not text', repr(answer))}, not text")
        if not is_unicode(answer):
            raise Failed(f"wrong answers: the answer to {command!r} has half a character: {answer[:40]!r}")
        answers[command].append(tuple(answer.split()))
    if missing := [command for command, count in times.items() if len(answers[command]) not in (1, count)]:
        raise Failed(f"wrong answers: {missing[0]!r} is not answered ({len(missing):,} of {len(times):,} are not)")
    waiting = {command: cycle(several) for command, several in answers.items()}
    return [next(waiting[command]) for command in commands]


def is_unicode(text: str) -> bool:
    """Whether a text can be written down: JSON can hold one half of a pair that makes a character, Unicode cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _rows(path: Path, form: str) -> list[dict[str, Any]]:
    if not path.is_file():  # to read what is none may take forever
        raise Failed("wrong answers: it ended without a file of answers")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Failed(f"wrong answers: the file of answers cannot be read ({error.strerror})") from None
    except ValueError:
        raise Failed("wrong answers: the file of answers is not UTF-8") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    if form != "jsonl":
        return [{"answer": line} for line in lines]
    rows = []
    for number, line in ((number, line) for number, line in enumerate(lines, 1) if line.strip()):
        row = None
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
        if not isinstance(row, dict):
            raise Failed(f'wrong answers: line {number} is not {{"command": …, "answer": …}}, but {line[:80]!r}')
        rows.append(row)
    return rows
