"""What a program has to keep so that its answers can be trusted: named checks, on a dataset of sixteen commands.

A check is a function of a program. CHECKS feeds `daxlab check` and `pytest.mark.parametrize` alike; a run that several
checks need is made once. Knows nothing of ledgers, nor of how findings are shown.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any, Literal, NamedTuple

from daxlab.languages import Example
from daxlab.learners.core import Actions, Failed
from daxlab.learners.program import Program

WORDS, TIMES, UNSEEN = ("dax", "lug", "wif", "zup", "fep"), {"": 1, " twice": 2, " thrice": 3}, "fep twice"
SHORT = [Example(word + often, (word.upper(),) * n) for word in WORDS for often, n in TIMES.items()]
LONG = Example("blicket", ("ZUP", "DAX", "LUG", "FEP", "WIF", "LUG", "ZUP", "WIF") * 6)  # 48, as SCAN's longest answer
TRAIN = [example for example in (*SHORT, LONG) if example.command != UNSEEN]
COMMANDS = tuple(example.command for example in (*SHORT, LONG))
ALONE = (UNSEEN, "dax", LONG.command)  # are asked one at a time
SEED, PAIRS, WIDTH = 0, 10, 60  # PAIRS of training are looked at; WIDTH characters of an answer are shown
AGAIN = {"attempt": 2}
NOISE = {"sitecustomize.py": "print('noise', flush=True)\n", "noise.sh": "echo noise\n"}  # Python and bash begin so
Verdict = Literal["kept", "broken", "unclear", "note"]  # unclear: because another check is broken


class NotKept(Exception):
    """Another verdict than "kept", and what was seen."""

    def __init__(self, verdict: Verdict, seen: str) -> None:
        self.verdict, self.seen = verdict, seen


class Finding(NamedTuple):
    """What a check found, and what to change."""

    id: str
    promise: str
    verdict: Verdict
    seen: str
    change: str = ""


class Check(NamedTuple):
    """A promise; what to change if it is broken; a function that says what was seen, or raises NotKept."""

    id: str
    promise: str
    change: str
    look: Callable[[Program], str]

    def __call__(self, program: Program) -> Finding:
        try:
            return Finding(self.id, self.promise, "kept", self.look(program))
        except NotKept as found:
            change = "" if found.verdict == "unclear" else self.change
            return Finding(self.id, self.promise, found.verdict, found.seen, change)


class Run(NamedTuple):
    """What came of a process: the answers to each command, and what it left behind."""

    answers: dict[str, set[Actions]]
    left: list[str]


@lru_cache(maxsize=64)
def _run(program: Program, commands: tuple[str, ...] = COMMANDS, noise: bool = False, attempt: int = 1) -> Run | Failed:
    """Train it and ask it in a new process, perhaps one where whatever starts prints a line on standard output."""
    with TemporaryDirectory(prefix="daxlab-", ignore_cleanup_errors=True) as name:
        startup, temporary = Path(name), Path(name, "temporary")
        temporary.mkdir()
        environment = {"TMPDIR": str(temporary)}
        if noise:
            for file, text in NOISE.items():
                (startup / file).write_text(text, encoding="utf-8")
            paths = os.pathsep.join(filter(None, [name, os.environ.get("PYTHONPATH")]))
            environment |= {"PYTHONPATH": paths, "BASH_ENV": str(startup / "noise.sh")}
        own = Path(program.file).parent if program.file else Path()
        folders = {Path.cwd(), own.resolve()}
        before = _files(folders)
        try:
            ended = program.ask(TRAIN, commands, SEED, environment=environment)
        except Failed as failure:
            return failure
        assert ended is not None  # nobody stops it
        files = sorted(path for path, _ in _files({*folders, temporary}) - before)
    answers: dict[str, set[Actions]] = {command: set() for command in commands}
    for command, answer in zip(commands, ended[0], strict=True):
        answers[command].add(answer)
    return Run(answers, [*(f"the process {name}" for name in ended[1]), *files])


def _files(folders: Iterable[Path]) -> set[tuple[str, int]]:
    """What is in these folders, files with the time of their last change. Python's own __pycache__ is left out."""
    found = set[tuple[str, int]]()
    for path in (path for folder in folders for path in folder.iterdir() if path.name != "__pycache__"):
        with suppress(OSError):  # somebody else has removed it meanwhile
            found.add((str(path), path.stat().st_mtime_ns if path.is_file() else 0))
    return found


def _ran(program: Program, **how: Any) -> Run:
    if isinstance(run := _run(program, **how), Failed):
        raise NotKept("broken", str(run))
    return run


def _first(program: Program) -> Run:
    """The run that others are compared with."""
    try:
        return _ran(program)
    except NotKept:
        raise NotKept("unclear", "it does not answer: see answers-all") from None


def _same(program: Program, **how: Any) -> str:
    """Compare another run with the first one."""
    first, other = _first(program).answers, _ran(program, **how).answers
    if not (differing := [command for command in other if other[command] != first[command]]):
        return f"the same answers to {len(other)} commands"
    if how != AGAIN and _ran(program, **AGAIN).answers != first:
        raise NotKept("unclear", "its answers do not repeat: see repeats-with-seed")
    command, count = differing[0], f"{len(differing)} of {len(other)} answers differ"
    before, now = (shorten(" ".join(min(answers[command])), WIDTH) for answers in (first, other))
    raise NotKept("broken", f"{count}; to {command!r}: {before!r}, then {now!r}")


def _answers_all(program: Program) -> str:
    return f"{len(_ran(program).answers)} answers to {len(COMMANDS)} commands"


def _one_at_a_time(program: Program) -> str:
    for command in ALONE:
        _same(program, commands=(command,))
    return f"the same answers to {len(ALONE)} commands"


def _asked_twice(program: Program) -> str:
    _first(program)
    for command, answers in _ran(program, commands=COMMANDS * 2).answers.items():
        if len(answers) > 1:
            both = " and ".join(repr(shorten(" ".join(answer), WIDTH)) for answer in sorted(answers))
            raise NotKept("broken", f"the answers to {command!r} are {both}")
    return f"the same answers to {len(COMMANDS)} commands"


def _long_answers(program: Program) -> str:
    (answer,), target = _first(program).answers[LONG.command], LONG.actions
    if max(TIMES.values()) < len(answer) < len(target) and answer == target[: len(answer)]:
        raise NotKept("broken", f"the answer to a training command ends after {len(answer)} of {len(target)} actions")
    return f"{len(answer)} actions in answer to a training command with {len(target)}"


def _leaves_nothing(program: Program) -> str:
    if left := _first(program).left:
        raise NotKept("broken", f"it left {', '.join(left)}")
    return "no process; no file in the working folder, in that of the program or for temporary files"


def _learns_training(program: Program) -> str:
    answers = _first(program).answers
    right = sum(answers[example.command] == {example.actions} for example in TRAIN[:PAIRS])
    if not right:
        raise NotKept("note", f"right on none of {PAIRS} training pairs")
    return f"right on {right} of {PAIRS} training pairs"


# fmt: off
CHECKS = (
    Check("answers-all", "Every command has exactly one answer, which is text.",
          "Return a string for each command from predict, or write one line for each to {answers}.", _answers_all),
    Check("repeats-with-seed", "The same seed gives the same answers in a new process.",
          "Seed every random number generator with the seed that is given.", lambda program: _same(program, **AGAIN)),
    Check("keeps-order", "The answers follow the commands, whatever their order.",
          "Return answers in the order of the commands: if you sort or group these, put the answers back.",
          lambda program: _same(program, commands=COMMANDS[::-1])),
    Check("one-at-a-time", "A command has the same answer alone as among others.",
          "Mask the padding, and compute no statistics over the batch.", _one_at_a_time),
    Check("asked-twice", "A command that is asked twice has the same answer both times.",
          "Draw nothing at random in predict, and change nothing that was learned.", _asked_twice),
    Check("long-answers", "Long answers are not cut.",
          "Raise the limit on the length of answers: SCAN has some of 48 actions.", _long_answers),
    Check("survives-noise", "What is printed on standard output is not among the answers.",
          "Write the answers to the file {answers} itself, not by standard output.",
          lambda program: _same(program, noise=True)),
    Check("leaves-nothing", "No process and no file is left behind.",
          "Wait for the processes that you start, and remove the files that you write.", _leaves_nothing),
    Check("learns-training", "Some training pairs are learned.",
          "This is no error, and the dataset is tiny; but look whether fit learns.", _learns_training),
)
# fmt: on
