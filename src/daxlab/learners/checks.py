"""What a learner has to keep so that its answers can be trusted: named checks, on a dataset of sixteen commands.

CHECKS are those of a program, and feed `daxlab check` and `pytest.mark.parametrize` alike; `checks_of` has those of any
learner. A run that several checks need is made once. Knows nothing of ledgers, nor of how findings are shown.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any, NamedTuple

from daxlab.check import Check, NotKept, in_words
from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError
from daxlab.extras import imported
from daxlab.languages import Example
from daxlab.learners.core import Actions, Context, Failed, Fitted, Job, Learner
from daxlab.learners.network import NetworkLearner
from daxlab.learners.program import Program
from daxlab.learners.take_home import TakeHome

WORDS, TIMES, UNSEEN = ("dax", "lug", "wif", "zup", "fep"), {"": 1, " twice": 2, " thrice": 3}, "fep twice"
SHORT = [Example(word + often, (word.upper(),) * n) for word in WORDS for often, n in TIMES.items()]
LONG = Example("blicket", ("ZUP", "DAX", "LUG", "FEP", "WIF", "LUG", "ZUP", "WIF") * 6)  # 48, as SCAN's longest answer
EXAMPLES = (*SHORT, LONG)
TRAIN = [example for example in EXAMPLES if example.command != UNSEEN]
COMMANDS = tuple(example.command for example in EXAMPLES)
ALONE = (UNSEEN, "dax", LONG.command)  # are asked one at a time
SEED, PAIRS, WIDTH = 0, 10, 60  # PAIRS of training are looked at; WIDTH characters of an answer are shown
AGAIN = {"attempt": 2}
NOISE = {"sitecustomize.py": "print('noise', flush=True)\n", "noise.sh": "echo noise\n"}  # Python and bash begin so


class Sixteen(Dataset):
    """The dataset of the checks: five words, each once, twice and thrice, and one with a long answer."""

    name = "sixteen"
    about = "the dataset of 'daxlab check'"
    digest = sha256(repr(EXAMPLES).encode()).hexdigest()

    def examples(self) -> tuple[Example, ...]:
        return EXAMPLES

    def split_names(self) -> list[str]:
        return ["all"]

    def split(self, name: str) -> Split:
        return learned_from(TRAIN)


SIXTEEN = Sixteen()


def learned_from(train: list[Example]) -> Split:
    """A split with this training, and every example in its test."""
    return Split("all", "rule", tuple(train), (1,) * len(train), {"test": EXAMPLES})


class Run(NamedTuple):
    """What came of a process: the answers to each command, and what it left behind."""

    answers: dict[str, set[Actions]]
    left: list[str]


@lru_cache(maxsize=64)
def _run(learner: Learner, commands: tuple[str, ...] = COMMANDS, noise: bool = False, attempt: int = 1) -> Run | Failed:
    """Train it and ask it; a program in a new process, perhaps one where whatever starts prints a line on standard
    output."""
    try:
        if isinstance(learner, Program):
            ended, left = _run_program(learner, commands, noise)
        else:
            examples = [Example(command, ()) for command in commands]
            ended, left = _fitted(learner, attempt).ask([examples])[0].answers, []
    except Failed as failure:
        return failure
    except Exception as error:  # of a learner that is imported here
        return Failed(in_words(error))
    answers: dict[str, set[Actions]] = {command: set() for command in commands}
    for command, answer in zip(commands, ended, strict=True):
        answers[command].add(tuple(answer))
    return Run(answers, left)


def _run_program(program: Program, commands: tuple[str, ...], noise: bool) -> tuple[list[Actions], list[str]]:
    """Its answers, and what it left behind: processes, and files that were not there before."""
    with TemporaryDirectory(prefix="daxlab-", ignore_cleanup_errors=True) as startup:
        environment = {"TMPDIR": _temporary_folder(program).name}
        if noise:
            for file, text in NOISE.items():
                Path(startup, file).write_text(text, encoding="utf-8")
            paths = os.pathsep.join(filter(None, [startup, os.environ.get("PYTHONPATH")]))
            environment |= {"PYTHONPATH": paths, "BASH_ENV": str(Path(startup, "noise.sh"))}
        own = Path(program.file).parent if program.file else Path()
        before = _files(folders := {Path.cwd(), own.resolve()}) | _temporary_files(program)
        ended = program.ask(TRAIN, commands, SEED, environment=environment)
        assert ended is not None  # nobody stops it
        files = sorted({path for path, _ in (_files(folders) | _temporary_files(program)) - before})
    return ended[0], [*(f"the process {name}" for name in ended[1]), *files]


@lru_cache(maxsize=64)
def _fitted(learner: Learner, attempt: int) -> Fitted:
    """A learner of daxlab's, trained in this process."""
    fitted = learner.fit([Job(learner, SIXTEEN, learned_from(TRAIN), SEED)], Context())
    assert fitted is not None  # nobody stops it
    if failure := fitted.failures[0]:
        raise Failed(failure.reason)
    return fitted


@lru_cache(maxsize=64)
def _temporary_folder(program: Program) -> "TemporaryDirectory[str]":
    """The folder for temporary files of all runs of a program, so that one finds what another has left."""
    return TemporaryDirectory(prefix="daxlab-", ignore_cleanup_errors=True)


def _temporary_files(program: Program) -> set[tuple[str, int]]:
    """Its temporary files, at any depth, with their sizes."""
    found = Path(_temporary_folder(program).name).rglob("*")
    return {(str(path), path.stat().st_size if path.is_file() else 0) for path in found}


def _files(folders: Iterable[Path]) -> set[tuple[str, int]]:
    """What is in these folders, files with the time of their last change. Python's own __pycache__ is left out."""
    found = set[tuple[str, int]]()
    for path in (path for folder in folders for path in folder.iterdir() if path.name != "__pycache__"):
        with suppress(OSError):  # somebody else has removed it meanwhile
            found.add((str(path), path.stat().st_mtime_ns if path.is_file() else 0))
    return found


def _ran(learner: Learner, **how: Any) -> Run:
    if isinstance(run := _run(learner, **how), Failed):
        raise NotKept("broken", str(run))
    return run


def _first(learner: Learner) -> Run:
    """The run that others are compared with."""
    try:
        return _ran(learner)
    except NotKept:
        raise NotKept("unclear", "it does not answer: see answers-all") from None


def _same(learner: Learner, **how: Any) -> str:
    """Compare another run with the first one."""
    first, other = _first(learner).answers, _ran(learner, **how).answers
    if not (differing := [command for command in other if other[command] != first[command]]):
        return f"the same answers to {len(other)} commands"
    if how != AGAIN and _ran(learner, **AGAIN).answers != first:
        raise NotKept("unclear", "its answers do not repeat: see repeats-with-seed")
    command, count = differing[0], f"{len(differing)} of {len(other)} answers differ"
    before, now = (shorten(" ".join(min(answers[command])), WIDTH) for answers in (first, other))
    raise NotKept("broken", f"{count}; to {command!r}: {before!r}, then {now!r}")


def _answers_all(learner: Learner) -> str:
    return f"{len(_ran(learner).answers)} answers to {len(COMMANDS)} commands"


def _one_at_a_time(learner: Learner) -> str:
    for command in ALONE:
        _same(learner, commands=(command,))
    return f"the same answers to {len(ALONE)} commands"


def _asked_twice(learner: Learner) -> str:
    _first(learner)
    for command, answers in _ran(learner, commands=COMMANDS * 2).answers.items():
        if len(answers) > 1:
            both = " and ".join(repr(shorten(" ".join(answer), WIDTH)) for answer in sorted(answers))
            raise NotKept("broken", f"the answers to {command!r} are {both}")
    return f"the same answers to {len(COMMANDS)} commands"


def _long_answers(learner: Learner) -> str:
    (answer,), target = _first(learner).answers[LONG.command], LONG.actions
    if max(TIMES.values()) < len(answer) < len(target) and answer == target[: len(answer)]:
        raise NotKept("broken", f"the answer to a training command ends after {len(answer)} of {len(target)} actions")
    return f"{len(answer)} actions in answer to a training command with {len(target)}"


def _leaves_nothing(program: Program) -> str:
    """A cache among the temporary files is no breach if the next run finds it and adds nothing."""
    first, again = _first(program).left, _ran(program, **AGAIN).left
    temporary = _temporary_folder(program).name
    cache = [path for path in first if path.startswith(temporary) and path not in again]
    if left := [thing for thing in dict.fromkeys([*first, *again]) if thing not in cache]:
        raise NotKept("broken", f"it left {', '.join(left)}")
    if cache:
        return f"no process; of files only a cache, to which the next run adds nothing: {Path(cache[0]).name}"
    return "no process; no file in the working folder, in that of the program or for temporary files"


def _learns_training(learner: Learner) -> str:
    answers = _first(learner).answers
    right = sum(answers[example.command] == {example.actions} for example in TRAIN[:PAIRS])
    if not right:
        raise NotKept("note", f"right on none of {PAIRS} training pairs")
    return f"right on {right} of {PAIRS} training pairs"


# fmt: off
CHECKS: tuple[Check[Any], ...] = (
    Check("answers-all", "Every command has exactly one answer, which is text.",
          "Return a string for each command from predict, or write one line for each to {answers}; for more time, say "
          "--time 10m.", _answers_all),
    Check("repeats-with-seed", "The same seed gives the same answers in a new process.",
          "Seed every random number generator with the seed that is given.", lambda learner: _same(learner, **AGAIN)),
    Check("keeps-order", "The answers follow the commands, whatever their order.",
          "Return answers in the order of the commands: if you sort or group these, put the answers back.",
          lambda learner: _same(learner, commands=COMMANDS[::-1])),
    Check("one-at-a-time", "A command has the same answer alone as among others.",
          "Mask the padding, and compute no statistics over the batch.", _one_at_a_time),
    Check("asked-twice", "A command that is asked twice has the same answer both times.",
          "Draw nothing at random in predict, and change nothing that was learned.", _asked_twice),
    Check("long-answers", "Long answers are not cut.",
          "Raise the limit on the length of answers: SCAN has some of 48 actions.", _long_answers),
    Check("survives-noise", "What is printed on standard output is not among the answers.",
          "Write the answers to the file {answers} itself, not by standard output.",
          lambda learner: _same(learner, noise=True)),
    Check("leaves-nothing", "No process and no file is left behind.",
          "Wait for the processes that you start, and remove the files that you write.", _leaves_nothing),
    Check("learns-training", "Some training pairs are learned.",
          "This is no error, and the dataset is tiny; but look whether fit learns.", _learns_training),
)
# fmt: on
OF_A_PROCESS = ("survives-noise", "leaves-nothing")


def checks_of(learner: Learner) -> tuple[Check[Any], ...]:
    """The checks of a learner: of a program, of a network, or of another learner of daxlab's."""
    if isinstance(learner, Program):
        return CHECKS
    if isinstance(learner, NetworkLearner):
        with imported():  # JAX is slow to load
            from daxlab.learners.network_checks import CHECKS as OF_A_NETWORK
        return OF_A_NETWORK
    if isinstance(learner, TakeHome):
        raise InputError("answers that were made elsewhere cannot be checked, only scored: 'daxlab score'")
    return tuple(check for check in CHECKS if check.id not in OF_A_PROCESS)
