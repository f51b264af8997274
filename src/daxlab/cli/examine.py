"""`daxlab examine`: anybody's learner, trained on many splits in a process of its own, and a card of how it did."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.analysis.replicates import summary
from daxlab.atomic import atomic_write
from daxlab.cli import training
from daxlab.cli.options import LEDGER, DataOption, JsonOption, bytes_named, seconds
from daxlab.cli.take_home import write_folder
from daxlab.cli.terminal import print_json, show, table
from daxlab.cli.training import Training
from daxlab.datasets import Dataset, dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.learners import Program
from daxlab.paper.experiments import EXPERIMENTS, TRANSLATION, specs as paper_specs
from daxlab.paper.targets import FIGURES, stated
from daxlab.protocol import recorded
from daxlab.runs import Ledger, Run, key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Spec
from daxlab.units import counted

FEW = "few-jump-8-rep1"
MAIN = ("simple", "length", "jump", "turn-left", "template-around-right", "filler-0", FEW, "mcd1", "mcd2", "mcd3")
FILE = "A class with fit(train, *, seed) and predict(commands), or a function of commands: path/to/mine.py:Mine."
COMMAND = "Anything that runs in a shell: './run.sh {train} {commands} {answers} {seed}'."
COLUMNS = {"split": "split", "mean %": "mean", "95% interval": "interval", "runs": "runs", "status": "status"}
COLUMNS |= {"disguised %": "disguised", "95% interval, disguised": "disguised interval"}
COLUMNS |= {"status, disguised": "disguised status", "verdict": "verdict", "the paper's overall best %": "paper"}
NOT_LEARNED = "It is not given the training examples: nothing is learned."
SCORE = "per cent of commands whose answer is exactly right, by the learner as it is after training"
FileArgument = Annotated[str | None, typer.Argument(metavar="[FILE.py:NAME]", help=FILE, show_default=False)]
CommandOption = Annotated[str, typer.Option(metavar="SHELL", help=COMMAND)]
FormatOption = Annotated[
    str, typer.Option("--format", metavar="jsonl|scan|tsv|parallel", help="Of the files that a command reads.")
]
PythonOption = Annotated[
    str, typer.Option(metavar="PATH", help="The interpreter for FILE.py. Default: the one that runs daxlab.")
]
ArgsOption = Annotated[
    list[str] | None, typer.Option("--arg", metavar="K=V", help="What the class is made with. Can be repeated.")
]
TimeOption = Annotated[str, typer.Option(metavar="1h", help="The longest that a run may take.")]


def program(
    file: str | None, command: str, form: str, python: str, arguments: list[str] | None, time: str, memory: str = "8G"
) -> Program:
    """The program that the options describe."""
    fields: Any = {"file": file or "", "command": command, "format": form, "python": python}
    fields |= {"args": shlex.join(arguments or []), "time": seconds(time), "memory": bytes_named(memory)}
    program = Program(**fields)
    program.check_name()
    return program


def examine(
    file: FileArgument = None,
    command: CommandOption = "",
    form: FormatOption = "jsonl",
    python: PythonOption = "",
    arguments: ArgsOption = None,
    splits: Annotated[
        str,
        typer.Option(
            metavar="main|paper|all|A,B", help="What it learns: ten splits of SCAN, the paper's, all, or some."
        ),
    ] = "main",
    data: DataOption = "scan",
    runs: Annotated[int, typer.Option(help="Runs on each split: seeds SEED, SEED + 1, …")] = 5,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    disguise: Annotated[
        bool, typer.Option("--disguise", help="Each split with made-up words too: did it know the data beforehand?")
    ] = False,
    time: TimeOption = "1h",
    memory: Annotated[str, typer.Option(metavar="8G", help="The most memory that a run may use.")] = "8G",
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time; each may use every core.")] = 1,
    budget: Annotated[
        float | None,
        typer.Option(metavar="8m", parser=seconds, help="Stop after that; the run under way starts again."),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run failed runs again.")] = False,
    take_home: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Run nothing: write a folder to train on anywhere; 'daxlab score DIR' reads it."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and run nothing.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="CARD.json", help="Write the card there too.")] = None,
    ledger: Annotated[Path, typer.Option(metavar="FILE", help="The ledger of runs.")] = LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Train a learner of your own on many splits, each run in a process of its own, and show how it did.

    It need not be in Python, nor in daxlab's environment; see docs/your-model.md. This is not a sandbox.
    Example: daxlab examine mine.py:Mine --splits jump,turn-left --runs 2
    """
    training.check_runs(runs)
    if take_home:
        if file or command:
            raise InputError("a take-home folder is for whoever opens it: leave out the program")
        return write_folder(take_home, _chosen(dataset(data), splits), data, range(seed, seed + runs), form, disguise)
    learner = program(file, command, form, python, arguments, time, memory)
    names = _chosen(dataset(data), splits)
    how = Training(device="cpu", workers=jobs, budget=budget, retry_failed=retry_failed, ledger=ledger)
    where = {"learner": Program.kind, "file": learner.file, "command": learner.command}
    training.tell_of_change(ledger, file or command, where, {"digest": learner.digest})
    plain, disguised = (
        [Spec(split, seed + n, learner, name) for split in names for n in range(runs)] for name in (data, PREFIX + data)
    )
    specs = plain + disguised if disguise else plain
    plan = training.plan(specs, how)
    if plan["groups"] or dry_run:
        print(training.in_words(plan, f"{learner} on {counted(len(names), 'split')}"), file=sys.stderr)
    if dry_run:
        return print_json({"plan": plan, "splits": names}) if as_json else None
    outcome = training.train(specs, how, plan)
    by_split, in_disguise = _runs(ledger, plain), _runs(ledger, disguised) if disguise else {}
    limits = {"time": learner.time, "memory": learner.memory}
    card = {
        "learner": {"name": str(learner), **recorded(learner), "learns": learner.learns},
        "protocol": {"data": data, "seeds": [*range(seed, seed + runs)], **limits, "score": SCORE},
        "splits": {split: _entry(some) for split, some in by_split.items()},
        "disguised": {split: _disguised(data, by_split[split], some) for split, some in in_disguise.items()},
    }
    if out:
        atomic_write(out, (json.dumps(card, indent=1) + "\n").encode())
    if as_json:
        print_json(card)
    else:
        _show(card, [run for some in (*by_split.values(), *in_disguise.values()) for run in some])
    training.exit_if_stopped(outcome, ledger)
    if not any(entry["runs"] for entry in card["splits"].values()):
        raise typer.Exit(1)


def _chosen(data: Dataset, wanted: str) -> list[str]:
    """The splits to learn. Those of a list of ours that this dataset or this machine lacks are left out, and named."""
    if wanted not in ("main", "paper", "all"):
        return list(dict.fromkeys(data.split(name.strip()).name for name in wanted.split(",")))
    experiments = [name for name in EXPERIMENTS if name != TRANSLATION]
    names, missing = MAIN if wanted == "main" else [spec.split for spec in paper_specs(experiments, 1)], []
    if wanted == "all":
        names = data.split_names()
    here = []
    for name in dict.fromkeys(names):
        try:
            here.append(data.split(name).name)
        except InputError as error:
            missing.append((name, error))
    if not here:
        return data.split_names()[:1]
    if missing:
        print(f"Left out: {', '.join(name for name, _ in missing)} ({missing[0][1]}).", file=sys.stderr)
    return here


def _runs(path: Path, specs: Sequence[Spec]) -> dict[str, list[Run]]:
    """The runs of each split that the ledger has."""
    by_split: dict[str, list[Run]] = {spec.split: [] for spec in specs}
    keys = map(key, all_facts(specs))
    with Ledger(path) as ledger:
        for spec, name in zip(specs, keys, strict=True):
            by_split[spec.split] += [] if ledger.lacking([name]) else [ledger.run(name)]
    return by_split


def _status(run: Run) -> str:
    """The first words of its failure: crashed, timed out, …"""
    return "ok" if run.status == "done" else (run.reason or "failed").partition(":")[0]


def _scores(runs: Sequence[Run]) -> list[tuple[int, float]]:
    """The seed and the accuracy of each run that did not fail."""
    return [(run.spec["seed"], run.metrics["accuracy"]) for run in runs if run.status == "done"]


def _entry(runs: Sequence[Run]) -> dict[str, Any]:
    """What the card says of a split: failed runs have no accuracy, and are counted by their status."""
    accuracies = [accuracy for _, accuracy in _scores(runs)]
    statuses = Counter(map(_status, runs))
    single = next(iter(statuses), "not run yet") if len(statuses) < 2 else ""
    status = single or ", ".join(f"{word} {count}" for word, count in statuses.items())
    parts = summary(accuracies)
    return {
        "mean": parts["mean"],
        "low": parts["low"],
        "high": parts["high"],
        "runs": len(accuracies),
        "status": status,
    }


def _disguised(data: str, plain: Sequence[Run], disguised: Sequence[Run]) -> dict[str, Any]:
    """What the card says of a split in disguise, and whether the learner knows the dataset beforehand."""
    from daxlab.analysis.contrast import beforehand  # polars is slow to load

    return _entry(disguised) | beforehand(dataset(data).name, _scores(plain), _scores(disguised))


def _interval(entry: Mapping[str, Any]) -> str:
    return "" if entry.get("low") is None else f"{entry['low']:.2f} to {entry['high']:.2f}"


def _show(card: Mapping[str, Any], runs: Sequence[Run]) -> None:
    print(f"\n{card['learner']['name']}\n")
    rows = []
    for split, entry in card["splits"].items():
        disguised = card["disguised"].get(split, {})
        published = split in FIGURES and card["protocol"]["data"] == "scan"
        paper = stated(split, "overall") if published else ""
        rows.append({**entry, "split": split, "interval": _interval(entry), "paper": paper})
        rows[-1] |= {"disguised": disguised.get("mean", ""), "disguised interval": _interval(disguised)}
        rows[-1] |= {"disguised status": disguised.get("status"), "verdict": disguised.get("verdict")}
    show(table(rows, COLUMNS))
    if not card["learner"]["learns"]:
        print(f"\n{NOT_LEARNED}")
    for reason, count in Counter(run.reason for run in runs if run.status == "failed").items():
        print(f"\n{counted(count, 'run')} {reason}")
