"""A take-home folder on the command line: `examine --take-home` writes one, `score` reads what came back."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from daxlab.cli.options import writable_ledger
from daxlab.cli.terminal import print_json, show, table
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.learners.core import Failed
from daxlab.learners.program import presented
from daxlab.learners.take_home import TakeHome, Task, read, write
from daxlab.runs import Ledger, is_written, key, unpack_answers
from daxlab.sweep import Spec, sweep
from daxlab.sweep.task import Event, Task as Group
from daxlab.units import counted

COLUMNS = {"data": "data", "split": "split", "mean %": "mean", "95% interval": "interval", "runs": "runs"}
COLUMNS |= {"not answered yet": "open"}


def write_folder(
    folder: Path, splits: Iterable[str], data: str, seeds: Sequence[int], form: str, disguise: bool
) -> None:
    """Write the tasks: each split, in disguise too if that is wished, with each seed."""
    names = (data, PREFIX + data) if disguise else (data,)
    specs = [Spec(split, seed, TakeHome(), name) for name in names for split in splits for seed in seeds]
    write(folder, [(spec.data, spec.job()) for spec in specs], form)
    print(f"{folder} has {counted(len(specs), 'task')}; README.txt in it says what to do.")


def score_folder(folder: Path, name: str, path: Path, as_json: bool) -> None:
    """Write what was answered into the ledger, and show how it did."""
    from daxlab.analysis.replicates import summary  # scipy is slow to load

    learner = TakeHome(name or folder.resolve().name, str(folder))
    tasks = read(folder)
    specs = {task: Spec(task.split, task.seed, learner, task.data) for task in tasks}
    wrong = {task: reason for task in tasks if task.is_answered(folder) and (reason := _wrong(folder, task, tasks))}
    answered = [task for task in tasks if task.is_answered(folder) and task not in wrong]
    _refuse_others(path, folder, {task: specs[task] for task in answered})
    if answered:
        writable_ledger(path)
        sweep([specs[task] for task in answered], path, executor=_here)
    rows = defaultdict[tuple[str, str], dict[str, Any]](lambda: {"scores": [], "open": []})
    for task in tasks:
        row = rows[task.data, task.split]
        if task in answered:
            with Ledger(path) as ledger:
                row["scores"].append(ledger.run(key(specs[task].facts())).metrics["accuracy"])
        elif task not in wrong:
            row["open"].append(task.seed)
    problems = [f"{_place(task)}: {reason}" for task, reason in wrong.items()]
    card = [
        {"data": data, "split": split, **summary(row["scores"]), "runs": len(row["scores"]), "open": row["open"]}
        for (data, split), row in rows.items()
    ]
    if as_json:
        print_json({"learner": learner.name, "splits": card, "wrong": problems})
    else:
        for row in card:
            row["interval"] = "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
            row["open"] = ", ".join(f"seed {seed}" for seed in row["open"])
        print(f"\n{learner.name}\n")
        show(table(card, COLUMNS))
    if problems:
        raise InputError("not scored: " + "; ".join(problems))


def _here(groups: Sequence[Group], stop: Any) -> Iterator[Event]:
    """An executor that needs no process: reading answers takes a moment."""
    from daxlab.sweep.worker import run_task

    return (run_task(group, "cpu", lambda event: None) for group in groups if not stop())


def _wrong(folder: Path, task: Task, tasks: Sequence[Task]) -> str:
    """Why the answers to a task cannot be scored; nothing if they can."""
    job = Spec(task.split, task.seed, TakeHome(), task.data).job()
    if (job.dataset.digest, job.split.digest) != (task.data_digest, task.split_digest):
        return "the folder was made from another version of the data, so its answers do not count for this one"
    try:
        task.read(folder, presented(job)[1])
    except Failed as failure:
        others = (other for other in tasks if other.commands_digest != task.commands_digest)
        better = next((other for other in others if other.is_answered_by(folder / task.answers)), None)
        return f"{failure}" + (f"; these are answers to {_place(better)}" if better else "")
    return ""


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
                if before != [answers[example.command] for example in test]:
                    other = f"{path} has other answers of {spec.learner} to {_place(task)}"
                    raise InputError(f"{other}: give these another --name")


def _place(task: Task) -> str:
    return f"{task.split}{' in disguise' if task.data.startswith(PREFIX) else ''}, seed {task.seed}"
