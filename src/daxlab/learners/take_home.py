"""A take-home: a folder to train on anywhere, for as long as it takes, and the learner whose answers come back in it.

The folder has training files and commands, no target of a test, and a manifest that says where each file of answers
belongs. Of whoever answers only a name is known, so the name identifies the learner. Knows nothing of ledgers.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from daxlab.atomic import atomic_folder
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.learners.core import Actions, Context, Failed, Fitted, Job, Learner, Models
from daxlab.learners.program import Answered, presented
from daxlab.learners.program_files import read_answers, write_side
from daxlab.settings import setting

FORMAT = 1
MANIFEST = "manifest.json"
SUFFIX = {"jsonl": ".jsonl", "scan": ".txt", "tsv": ".tsv", "parallel": ""}
README = """What to do with this folder
1. manifest.json lists the tasks: each is a split of the data and a seed.
2. For each task, train a new model on its training file ("train"), and on nothing else. Use the seed, if you need one.
   If it has "dev", these examples are for validation.
3. Answer every command of its file of commands ("commands"). The targets of the tests are nowhere in this folder.
4. Write the answers into the file that "answers" names: {answers}.
5. You need not finish: tasks without a file of answers are left out, and can be scored later.
6. Do not change the other files.
7. To score what is there: daxlab score {folder}
"""
ANSWERS = {True: 'lines such as {"command": "…", "answer": "…"}, in any order', False: "one a line, in the same order"}


@dataclass(frozen=True)
class TakeHome(Learner):
    """Somebody who was given a folder of tasks ('daxlab examine --take-home') and has answered."""

    kind: ClassVar[str] = "take-home"

    name: str = setting("", "who answered; runs of one name are replicates")
    folder: str = setting("", "where the answers are", keyed=False)

    @property
    def presentations(self) -> str:
        return "not known"

    def __str__(self) -> str:
        return f"{self.name}, at home"

    def fit(self, jobs: Sequence[Job], context: Context) -> Fitted:
        """Read the answers to each job."""
        if not self.folder:
            raise InputError(
                f"{self} answered elsewhere and cannot be asked again; 'daxlab runs answers' writes its answers"
            )
        tasks = {(task.split_digest, task.seed): task for task in read(Path(self.folder))}
        models = []
        for job in jobs:
            try:
                answers = tasks[job.split.digest, job.seed].read(Path(self.folder), presented(job)[1])
            except (KeyError, Failed) as error:
                raise InputError(
                    f"{self.folder} has no answers to {job.split.name}, seed {job.seed}: {error}"
                ) from None
            models.append(Answered(self, answers))
        return Models(jobs, models)


@dataclass(frozen=True)
class Task:
    """One run to be done elsewhere: an entry of the manifest. Files are named from the folder on."""

    data: str
    data_digest: str
    split: str
    split_digest: str
    seed: int
    format: str
    commands_digest: str
    train: tuple[str, ...]
    commands: tuple[str, ...]
    answers: str
    dev: tuple[str, ...] = ()

    def is_answered(self, folder: Path) -> bool:
        """Whether there is a file of answers."""
        return (folder / self.answers).is_file()

    def read(self, folder: Path, commands: Sequence[str]) -> dict[str, Actions]:
        """The answer to each command; Failed if they do not fit."""
        return answers_in(folder / self.answers, self.format, commands)


def answers_in(path: Path, form: str, commands: Sequence[str]) -> dict[str, Actions]:
    """A file's answer to each of these commands; Failed if they do not fit."""
    return dict(zip(commands, read_answers(path, form, commands), strict=True))


def digest_of(commands: Iterable[str]) -> str:
    """A sha256 of commands in their order."""
    return sha256("\n".join(commands).encode()).hexdigest()


def write(folder: Path, jobs: Sequence[tuple[str, Job]], form: str) -> None:
    """Write a folder of tasks: jobs, each with the name of its dataset. The whole folder appears at once, or none."""
    if form not in SUFFIX:
        raise InputError(f"a format is one of {', '.join(SUFFIX)}, not {form!r}")
    folder = folder.absolute()
    with atomic_folder(folder) as draft:
        tasks = [_write_task(draft, data, job, form) for data, job in jobs]
        manifest = {"format": FORMAT, "tasks": [vars(task) for task in tasks]}
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        text = README.format(answers=ANSWERS[form == "jsonl"], folder=folder.name)
        (draft / "README.txt").write_text(text, encoding="utf-8")


def _write_task(folder: Path, data: str, job: Job, form: str) -> Task:
    disguised = ["disguised"][: data.startswith(PREFIX)]
    place = folder / "-".join([*disguised, job.split.name])
    own = place / f"seed-{job.seed}"
    own.mkdir(parents=True)
    train, commands = presented(job)
    ends = SUFFIX[form]
    asked = write_side(place / f"commands{ends}", [Example(command, ()) for command in commands], form, targets=False)
    learnt = write_side(own / f"train{ends}", train, form)
    held_out = write_side(own / f"dev{ends}", job.split.dev, form) if job.split.dev else []
    files: dict[str, Any] = {
        side: tuple(path.relative_to(folder).as_posix() for path in paths)
        for side, paths in (("train", learnt), ("commands", asked), ("dev", held_out))
    }
    answers = (own / ("answers.jsonl" if form == "jsonl" else "answers.txt")).relative_to(folder).as_posix()
    digests: dict[str, Any] = {"data_digest": job.dataset.digest, "split_digest": job.split.digest}
    digests["commands_digest"] = digest_of(commands)
    return Task(data=data, split=job.split.name, seed=job.seed, format=form, answers=answers, **digests, **files)


def read(folder: Path) -> list[Task]:
    """The tasks of a folder."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise InputError(f"{folder / MANIFEST} has format {manifest['format']}; this daxlab reads {FORMAT}")
        sides = ("train", "commands", "dev")
        return [Task(**entry | {side: tuple(entry.get(side, ())) for side in sides}) for entry in manifest["tasks"]]
    except OSError:
        raise InputError(f"{folder} is no take-home folder: it has no {MANIFEST} that can be read") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / MANIFEST} is damaged: {error}") from None
