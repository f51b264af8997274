"""A take-home folder on the command line: `examine --take-home` writes one, `score` reads what came back."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from daxlab.cli.card import card_of, facts_without, rows_of, show_card
from daxlab.datasets import dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.learners import Job
from daxlab.learners.core import Actions, Answers, Failed
from daxlab.learners.program import presented
from daxlab.learners.take_home import TakeHome, Task, answers_in, digest_of, read, write
from daxlab.ledger import Ledger, Run, Writer, is_written, key, pack_answers, unpack_answers
from daxlab.ledger.location import writable_ledger
from daxlab.ledger.scoring import accuracy
from daxlab.sweep import Spec, sweep
from daxlab.sweep.task import Event, Task as Group
from daxlab.terminal import print_json
from daxlab.units import counted

SURELY, LIKELY, SURELY_NOT = 0.99, 0.5, 0.94  # shares of a split's training commands that answers to it get right


def write_folder(
    folder: Path, splits: Sequence[str], data: str, seeds: Sequence[int], form: str, disguise: bool, dry_run: bool
) -> None:
    """Write the tasks: each split, in disguise too if that is wished, with each seed."""
    names = (data, PREFIX + data) if disguise else (data,)
    specs = [Spec(split, seed, TakeHome(), name) for name in names for split in splits for seed in seeds]
    if dry_run:
        return print(f"{folder} would have {counted(len(specs), 'task')} on {', '.join(splits)}.")
    write(folder, [(spec.data, spec.job()) for spec in specs], form)
    print(f"{folder} has {counted(len(specs), 'task')}; README.txt in it says what to do.")


def score_folder(folder: Path, name: str, path: Path, as_json: bool) -> None:
    """Write what was answered into the ledger, and show how it did: the card of whoever answered."""
    learner = TakeHome(name or folder.resolve().name, str(folder))
    tasks = read(folder)
    specs = {task: Spec(task.split, task.seed, learner, task.data) for task in tasks}
    wrong = {task: reason for task in tasks if task.is_answered(folder) and (reason := _wrong(folder, task, tasks))}
    answered = [task for task in tasks if task.is_answered(folder) and task not in wrong]
    _refuse_others(path, folder, {task: specs[task] for task in answered})
    still = [_place(task) for task in tasks if not task.is_answered(folder)]
    problems = [f"{_place(task)}: {reason}" for task, reason in wrong.items()]
    if answered:
        writable_ledger(path)
        sweep([specs[task] for task in answered], path, executor=_here)
        with Ledger(path) as ledger:
            rows = rows_of(ledger, [specs[task] for task in answered])
            data = dataset(tasks[0].data.removeprefix(PREFIX)).name
            lacking = facts_without(rows, list(specs.values()))
            card = card_of(ledger, str(learner), learner.facts(), rows, data, lacking=lacking, brief=not as_json)
        show_card(card | {"open": still, "wrong": problems}, None, as_json)
    elif as_json:
        print_json({"open": still, "wrong": problems})
    if still and not as_json:
        print(f"\nNot answered yet: {'; '.join(still)}.")
    if problems:
        raise InputError("not scored: " + "; ".join(problems))


def keep_answers(spec: Spec, answers: Sequence[Actions], path: Path, as_json: bool) -> None:
    """Write answers to a split's test set into the ledger, as a run of whoever gave them, and show the card."""
    test, targets = spec.content().test, [example.actions for example in spec.content().test]
    name = key(spec.facts())
    with Writer(writable_ledger(path)) as writer:
        if not writer.ledger.lacking([name]):
            before = unpack_answers(writer.ledger.artefact(name, "greedy") or b"", targets)
            _refuse_unless(before == list(answers), path, spec, f"{spec.split}, seed {spec.seed}")
        given = Answers(test, list(answers))
        artefacts = {"greedy": pack_answers(given.answers, targets)}
        writer.add([Run(spec=spec.facts(), metrics={"accuracy": accuracy(given)}, artefacts=artefacts)])
    with Ledger(path) as ledger:
        rows = ledger.rows({"label": str(spec.learner), "dataset": dataset(spec.data).name})
        card = card_of(ledger, str(spec.learner), spec.learner.facts(), rows, spec.job().dataset.name)
    show_card(card, None, as_json)


def _refuse_unless(same: bool, path: Path, spec: Spec, place: str) -> None:
    if not same:
        raise InputError(f"{path} has other answers of {spec.learner} to {place}: give these another --name")


def _here(groups: Sequence[Group], stop: Any) -> Iterator[Event]:
    """An executor that needs no process: reading answers takes a moment."""
    from daxlab.sweep.worker import run_task

    return (run_task(group, "cpu", lambda event: None) for group in groups if not stop())


def _wrong(folder: Path, task: Task, tasks: Sequence[Task]) -> str:
    """Why the answers to a task cannot be scored; nothing if they can."""
    job = _job(task)
    if (job.dataset.digest, job.split.digest) != (task.data_digest, task.split_digest):
        return "the folder was made from another version of the data, so its answers do not count for this one"
    if digest_of(presented(job)[1]) != task.commands_digest:
        return "the folder was made by another version of daxlab, which asked other commands: score it with that one"
    failure, own = "", 0.0
    try:
        own = _recalled(task.read(folder, presented(job)[1]), job)
    except Failed as failed:
        failure = str(failed)
    if not failure and own > SURELY_NOT:
        return ""
    others = {(other.data, other.split): other for other in tasks if other.split_digest != task.split_digest}
    shares = {place: _fit(folder / task.answers, other) for place, other in others.items()}
    fits = {place: share for place, share in shares.items() if share is not None}
    best = max(fits, key=lambda place: fits[place], default=None)
    least = SURELY if not failure else LIKELY if task.format != "jsonl" else 0  # JSON lines say to what they answer
    if best is None or fits[best] < least:
        return failure
    return f"{failure or f'right on {own:.0%} of its training commands'}; these are answers to {_named(*best)}"


def _job(task: Task) -> Job:
    return Spec(task.split, task.seed, TakeHome(), task.data).job()


def _fit(path: Path, task: Task) -> float | None:
    """How well a file answers the training commands of a task; None if it cannot be answers to it."""
    job = _job(task)
    try:
        return _recalled(answers_in(path, task.format, presented(job)[1]), job)
    except Failed:
        return None


def _recalled(answers: Mapping[str, Actions], job: Job) -> float:
    """The share of the training commands that are answered right."""
    asked = job.split.asked_again
    return sum(answers[example.command] == example.actions for example in asked) / len(asked)


def _refuse_others(path: Path, folder: Path, specs: dict[Task, Spec]) -> None:
    """A name stands for one learner: refuse answers that differ from those that the ledger has under it."""
    if not is_written(path):
        return
    with Ledger(path) as ledger:
        for task, spec in specs.items():
            name, test = key(spec.facts()), spec.content().test
            if not ledger.lacking([name]):
                answers = task.read(folder, presented(spec.job())[1])
                targets = [example.actions for example in test]
                before = unpack_answers(ledger.artefact(name, "greedy") or b"", targets)
                _refuse_unless(before == [answers[e.command] for e in test], path, spec, _place(task))


def _place(task: Task) -> str:
    return f"{_named(task.data, task.split)}, seed {task.seed}"


def _named(data: str, split: str) -> str:
    return f"{split}{' in disguise' if data.startswith(PREFIX) else ''}"
