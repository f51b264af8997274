"""`daxlab examine`: anybody's learner, trained on many splits in a process of its own, and a card of how it did."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli import training
from daxlab.cli.card import card_of, facts_without, label_runs, refuse_taken, rows_of, show_card
from daxlab.cli.completion import one_of, several_splits
from daxlab.cli.help import HOW, WHAT, WHERE
from daxlab.cli.options import DataOption, JsonOption, WrittenLedgerOption, bytes_named, seconds
from daxlab.cli.take_home import write_folder
from daxlab.cli.training import Training
from daxlab.datasets import Dataset, dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.datasets.part import LIMIT, TENTH
from daxlab.errors import InputError
from daxlab.learners import Program
from daxlab.learners.registry import derives_from_daxlab
from daxlab.ledger import Ledger
from daxlab.ledger.location import LEDGER
from daxlab.ledger.spec import check_runs
from daxlab.paper.experiments import EXPERIMENTS, TRANSLATION, specs as paper_specs
from daxlab.sweep import Spec
from daxlab.terminal import print_json
from daxlab.units import counted

FEW = "few-jump-8-rep1"
MAIN = ("simple", "length", "jump", "turn-left", "template-around-right", "filler-0", FEW, "mcd1", "mcd2", "mcd3")
FILE = "Your learner: a class with fit(train, *, seed) and predict(commands), or a function: path/to/mine.py:Mine."
COMMAND = "Or a shell command that trains and answers: './run.sh {train} {commands} {answers} {seed}'."
FileArgument = Annotated[str | None, typer.Argument(metavar="FILE.py:NAME", help=FILE, show_default=False)]
CommandOption = Annotated[str, typer.Option(metavar="SHELL", help=COMMAND, rich_help_panel=HOW)]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="jsonl|scan|tsv|parallel",
        help="The format of the files that the command reads.",
        rich_help_panel=HOW,
        autocompletion=one_of("jsonl", "scan", "tsv", "parallel"),
    ),
]
PythonOption = Annotated[
    str,
    typer.Option(metavar="PATH", help="The Python to run FILE.py. Default: that of daxlab.", rich_help_panel=HOW),
]
ArgsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--arg",
        metavar="K=V",
        help="An argument of the class, such as depth=2. Can be repeated.",
        rich_help_panel=HOW,
    ),
]
TimeOption = Annotated[
    str, typer.Option(metavar="TIME", help="The longest that a run may take, by the clock.", rich_help_panel=WHERE)
]


def program(
    file: str | None, command: str, form: str, python: str, arguments: list[str] | None, time: str, memory: str = "8G"
) -> Program:
    """The program that the options describe."""
    if file and not python and derives_from_daxlab(file):
        raise InputError(f"{file} derives from daxlab's classes: train it with 'daxlab train {file} --split jump'")
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
            metavar="main|paper|all|A,B",
            help="main: ten splits of SCAN; paper: the paper's; all; or some by name.",
            rich_help_panel=WHAT,
            autocompletion=several_splits,
        ),
    ] = "main",
    data: DataOption = "scan",
    runs: Annotated[int, typer.Option(metavar="N", help="Runs on each split, a seed each.", rich_help_panel=WHAT)] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="The first seed.", rich_help_panel=WHAT)] = 0,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Ask only N commands of each test set, drawn at random.", rich_help_panel=WHAT
        ),
    ] = None,
    dev: Annotated[
        str,
        typer.Option(
            metavar="none|tenth",
            help="tenth: hold out a tenth of the training examples for validation, and give it to fit as dev.",
            rich_help_panel=WHAT,
            autocompletion=one_of("none", "tenth"),
        ),
    ] = "none",
    disguise: Annotated[
        bool,
        typer.Option(
            "--disguise",
            help="Train with made-up words too, to see whether it knew the data beforehand.",
            rich_help_panel=WHAT,
        ),
    ] = False,
    time: TimeOption = "1h",
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="The most memory that a run may use.", rich_help_panel=WHERE)
    ] = "8G",
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Runs at a time; each may use every core.", rich_help_panel=WHERE)
    ] = 1,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="TIME",
            parser=seconds,
            help="Stop after this long; the same command goes on, and begins the run that was stopped again.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Train runs again that failed before.", rich_help_panel=HOW)
    ] = False,
    take_home: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Train nothing, but write a folder of tasks to solve anywhere. 'daxlab score DIR' scores it.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and train nothing.")] = False,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What to call the learner. 'daxlab card NAME' shows its card again.")
    ] = "",
    out: Annotated[Path | None, typer.Option(metavar="CARD.json", help="Write the card into this file too.")] = None,
    ledger: WrittenLedgerOption = LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Train your own learner on many splits, and show how it did.

    Each run is a process of its own. The learner may be written in any language and need not run in daxlab's
    environment (docs/your-model.md). Its code is not sandboxed.

    Example: daxlab examine mine.py:Mine --splits jump,turn-left --runs 2
    """
    check_runs(runs)
    data = _part(data, limit, dev, command)
    if take_home:
        if file or command:
            raise InputError("--take-home runs no program: leave it out")
        if name or out:
            raise InputError(
                "nothing is run, so there is no card yet: leave out --name and --out; 'daxlab score' makes one"
            )
        names, seeds = _chosen(dataset(data), splits), range(seed, seed + runs)
        return write_folder(take_home, names, data, seeds, form, disguise, dry_run)
    learner = program(file, command, form, python, arguments, time, memory)
    names = _chosen(dataset(data), splits)
    how = Training(device="cpu", workers=jobs, budget=budget, retry_failed=retry_failed, ledger=ledger)
    where = {"learner": Program.kind, "file": learner.file, "command": learner.command}
    refuse_taken(ledger, name, learner)
    training.tell_of_change(ledger, file or command, where, {"digest": learner.digest})
    plain, disguised = (
        [Spec(split, seed + n, learner, words) for split in names for n in range(runs)]
        for words in (data, PREFIX + data)
    )
    specs = plain + disguised if disguise else plain
    plan = training.plan(specs, how)
    if plan["groups"] or dry_run:
        print(training.in_words(plan, f"{learner} on {counted(len(names), 'split')}"), file=sys.stderr)
    if dry_run:
        return print_json({"plan": plan, "splits": names}) if as_json else None
    outcome = training.train(specs, how, plan)
    label_runs(ledger, specs, name)
    with Ledger(ledger) as known:
        rows = rows_of(known, specs)
        called = name or (rows[0]["label"] if rows else str(learner))
        more: Any = {"lacking": facts_without(rows, specs), "why": "stopped", "brief": not (out or as_json)}
        card = card_of(known, called, learner.facts(), rows, dataset(data).name, **more)
    show_card(card, out, as_json)
    training.exit_if_stopped(outcome, ledger)
    if not any(entry["runs"] for entry in card["splits"].values()):
        raise typer.Exit(1)


def _part(data: str, limit: int | None, dev: str, command: str) -> str:
    """The name of the dataset, or of the part of it that is asked and trained on."""
    if dev not in ("none", "tenth"):
        raise InputError(f"--dev is none or tenth, not {dev!r}")
    if dev == "tenth" and command and "{dev}" not in command:
        raise InputError(
            "--dev tenth holds out examples for validation: the command needs {dev}, the path of their file"
        )
    return (LIMIT.format(limit) if limit else "") + (TENTH if dev == "tenth" else "") + data


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
