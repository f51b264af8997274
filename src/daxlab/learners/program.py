"""Anybody's program as a learner: a class or function in a file, under any Python, or a shell command.

It runs in a process of its own and meets daxlab in files alone: the training examples, the commands to be answered
(each once, without a target), its answers. daxlab never imports it. What it answers is all that is known of it.
"""

import ast
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from typing import ClassVar, Literal

from daxlab.errors import InputError, nearest
from daxlab.languages import Example
from daxlab.learners.core import (
    Actions,
    Context,
    Failed,
    Failure,
    Fitted,
    Job,
    Learner,
    Model,
    Models,
)
from daxlab.learners.program_files import read_answers, write_side
from daxlab.learners.source import Definition, attribute, definition, digest, statements
from daxlab.settings import changed, setting

RUNNER = Path(__file__).with_name("runner.py")
HOURS, GIGABYTES = 3600, 10**9
PLACES = ("train", "commands", "answers", "seed", "dev")  # what a command's {train}, {commands}, … stand for


@dataclass(frozen=True)
class Program(Learner):
    """Somebody's program, in a process of its own: give it a file or a command."""

    kind: ClassVar[str] = "program"

    file: str = setting("", "a class or a function of commands: path/to/mine.py:Mine")
    command: str = setting("", "for a shell: ./run.sh {train} {commands} {answers} {seed}")
    format: Literal["jsonl", "scan", "tsv", "parallel"] = setting("jsonl", "of a command's files")
    python: str = setting("", "the interpreter for the file; by default the one that runs daxlab")
    args: str = setting("", "what the class is made with: depth=2 name=x")
    digest: str = setting("", "sha256 of the file, or of the command and the files that it names; found by itself")
    time: float = setting(1.0 * HOURS, "seconds that a run may take", least=0, keyed=False)
    memory: float = setting(8.0 * GIGABYTES, "bytes of memory that a run may use", least=0, keyed=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.file) == bool(self.command):
            raise InputError("a program is a file (path/to/mine.py:Mine) or a command: give one of them")
        if self.file and not all(self._path_and_name):
            raise InputError(f"{self.file} names no class or function: a program's file is path/to/mine.py:Mine")
        if self.file:
            path, name = self._path_and_name
            object.__setattr__(self, "file", f"{Path(path)}:{name}")  # ./mine.py is mine.py
        if self.file and self.format != "jsonl":
            raise InputError("the format is that of a command's files; a class gets its examples as a list")
        if self.command and (self.python or self.args):
            raise InputError("python and args are for a file; a command has its own")
        if self.command and not ("{commands}" in self.command and "{answers}" in self.command):
            raise InputError("a command needs {commands} and {answers}, which stand for the paths of files")
        if any("=" not in text for text in self._words(self.args)):
            raise InputError(f"args are NAME=VALUE, such as depth=2, not {self.args!r}")
        if not self.digest:
            object.__setattr__(self, "digest", self._digest())

    @property
    def presentations(self) -> str:
        return "not known"

    def __str__(self) -> str:
        return ", ".join([self.file or self.command, *changed(self, ("format", "python", "args"))])

    @property
    def learns(self) -> bool:
        """Whether it is given the training examples: a function is not, nor a command without {train}."""
        if self.command:
            return "{train}" in self.command
        path, name = self._path_and_name
        meaning = definition(Path(path), name)
        return not (isinstance(meaning, Definition) and isinstance(meaning.node, ast.FunctionDef | ast.Lambda))

    @property
    def exceptions(self) -> dict[str, str]:  # type: ignore[override]  # of each file its own
        """The checks that its class says it need not keep, and why; nothing where this is no literal."""
        path, name = self._path_and_name
        declared = attribute(Path(path), name, "exceptions") if self.file else None
        return {str(check): str(why) for check, why in declared.items()} if isinstance(declared, dict) else {}

    @property
    def is_unchanged(self) -> bool:
        """Whether its file, or the command with the files that it names, is still what its runs are made of."""
        return self._digest() == self.digest

    def check_name(self) -> None:
        """Refuse a name that the file does not define, as far as reading it tells."""
        path, name = self._path_and_name
        if tree := statements(Path(path)):
            nodes = [node for statement in tree for node in ast.walk(statement)]
            defined = [node.name for node in tree if isinstance(node, ast.ClassDef | ast.FunctionDef)]
            mentioned = {node.id for node in nodes if isinstance(node, ast.Name)}
            imported = {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
            if name not in {*defined, *mentioned, *imported} and "*" not in imported:
                raise InputError(f"{path} has no class or function {name!r}; {nearest(name, defined)}")

    @property
    def _path_and_name(self) -> tuple[str, str]:
        path, _, name = self.file.rpartition(":")
        return path, name

    def _digest(self) -> str:
        """Of the file, or of the command and of the files that it names; each with what it imports from beside it."""
        path, _ = self._path_and_name
        try:
            if self.file:
                return digest(Path(path))
            parts = [sha256(self.command.encode()).digest(), *(bytes.fromhex(digest(file)) for file in self._files())]
            return sha256(b"".join(parts)).hexdigest()
        except OSError as error:
            raise InputError(f"cannot read the program {path or error.filename}: {error.strerror}") from None

    def _files(self) -> Iterator[Path]:
        """The files that the command names."""
        for word in self._words(self.command):
            with suppress(OSError, ValueError):  # a script in one word is too long for a name, or cannot be one
                if Path(word).is_file():
                    yield Path(word)

    @staticmethod
    def _words(text: str) -> list[str]:
        try:
            return shlex.split(text)
        except ValueError as error:
            raise InputError(f"a shell would not understand {text!r}: {error}") from None

    def fit(self, jobs: Sequence[Job], context: Context) -> Fitted | None:
        """Run the program for each job; one that fails is a failed run, and the others go on."""
        began, models, failures = monotonic(), list[Model](), list[Failure | None]()
        for job in jobs:
            program = job.learner
            assert isinstance(program, Program)
            if not program.is_unchanged:
                raise InputError(f"{program} has changed since this run was asked for: restore it, or run it again")
            try:
                answers = program._answers(job, context)
            except Failed as failure:
                models.append(Silent())
                failures.append(Failure(0, str(failure)))
                continue
            if answers is None:
                return None
            models.append(Answered(program, answers))
            failures.append(None)
        fitted = Models(jobs, models, seconds=monotonic() - began)
        fitted.failures = failures
        return fitted

    def _answers(self, job: Job, context: Context) -> dict[str, Actions] | None:
        """What it answers to all that a run is asked; None if it was told to stop."""
        train, commands = presented(job)

        def going() -> bool:
            return context.progress(0, ()) is not False

        ended = self.ask(train, commands, job.seed, dev=job.split.dev, going=going)
        return dict(zip(commands, ended[0], strict=True)) if ended else None

    def ask(
        self,
        train: Sequence[Example],
        commands: Sequence[str],
        seed: int,
        *,
        dev: Sequence[Example] = (),
        environment: Mapping[str, str] | None = None,
        going: Callable[[], bool] = lambda: True,
    ) -> tuple[list[Actions], list[str]] | None:
        """Run it in a new process: an answer to each command, and the names of the processes that it left behind.

        `dev`: examples for validation. `environment`: further variables. None if `going` said so before its end; Failed
        if it does not answer.
        """
        from daxlab.learners import process  # needs psutil, which a machine that only trains networks may lack

        with process.guarded_folder() as folder:
            write_side(folder / "train", train, self.format)
            write_side(folder / "dev", dev, self.format)
            write_side(folder / "commands", [Example(command, ()) for command in commands], self.format, targets=False)
            places = {name: str(folder / name) for name in PLACES} | {"seed": str(seed)}
            ended = process.run(
                self._command(places),
                folder,
                seconds=self.time,
                memory=self.memory,
                environment={"PYTHONHASHSEED": str(seed), **(environment or {})},  # the order of sets repeats too
                going=going,
            )
            if ended is None:
                return None
            try:
                return read_answers(Path(places["answers"]), self.format, commands), ended.left
            except Failed as failed:
                raise Failed("\n".join([str(failed), *ended.said])) from None

    def _command(self, places: Mapping[str, str]) -> str | list[str]:
        if self.file:
            words = [self.python or sys.executable, str(RUNNER), *self._path_and_name]
            return [*words, *(places[name] for name in PLACES), *self._words(self.args)]
        command = self.command
        for name in PLACES:
            command = command.replace(f"{{{name}}}", shlex.quote(places[name]))
        return command


def presented(job: Job) -> tuple[list[Example], list[str]]:
    """The training examples, each as often as presented, in an order drawn from the seed; and all that a run is asked,
    in an order that tells nothing."""
    pairs = zip(job.split.train, job.split.weights, strict=True)
    train = [example for example, weight in pairs for _ in range(weight)]
    Random(job.seed).shuffle(train)
    asked = [*job.split.asked_again, *(e for test in job.split.tests.values() for e in test), *job.dataset.probes()]
    return train, sorted({example.command for example in asked})


@dataclass(frozen=True)
class Answered:
    """A program that has ended, and left its answers."""

    program: Learner
    known: Mapping[str, Actions]

    def answers(self, commands: Sequence[str]) -> list[Actions]:
        for command in commands:
            if command not in self.known:
                raise InputError(
                    f"{self.program} has ended, and was never asked {command!r}: ask it about its own split"
                )
        return [self.known[command] for command in commands]


class Silent:
    """A program that failed."""

    def answers(self, commands: Sequence[str]) -> list[Actions]:
        return [()] * len(commands)
