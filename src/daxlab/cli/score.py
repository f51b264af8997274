"""`daxlab score`: answers that exist, from whatever program."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from daxlab.analysis.score import Answered, Score, better_split, by_category, read_answers, score as scored
from daxlab.cli.ask import chosen_test, show_accuracy
from daxlab.cli.completion import splits
from daxlab.cli.options import DataOption, JsonOption, TestOption, WrittenLedgerOption
from daxlab.cli.take_home import keep_answers, score_folder
from daxlab.datasets import Split, dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.errors import InputError
from daxlab.learners.take_home import TakeHome
from daxlab.ledger.location import LEDGER
from daxlab.sweep import Spec
from daxlab.terminal import print_json
from daxlab.units import counted

MOST_SHOWN = 5  # wrong answers
MOST_NAMED = 3  # commands
COUNTED = {  # what may be wrong with the commands of a file, and what --partial makes of it
    "missing": ("not answered", "counted as wrong"),
    "unknown": ("not asked", "left out"),
    "duplicate": ("answered more often than asked", "the first answers count"),
}


def score(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|DIR",
            help='Answers: .jsonl with "command" and "answer", or .tsv (command, tab, answer); or a take-home folder.',
        ),
    ],
    split_name: Annotated[
        str | None,
        typer.Option("--split", metavar="SPLIT", help="The split whose test set they answer.", autocompletion=splits),
    ] = None,
    data: DataOption = "scan",
    test: TestOption = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Count missing answers as wrong, and leave out those to other commands.")
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who answered. With a name the answers become a run in the ledger, and its card is shown. Default: "
            "of a take-home folder its name; of a file none.",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(metavar="N", help="With --name: the seed of the run that answered.")] = 0,
    ledger: WrittenLedgerOption = LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Score answers that some other program wrote.

    An answer is right if every word of it is. Answers in a folder of 'daxlab examine --take-home' become runs in the
    ledger.

    Example: daxlab score answers.jsonl --split jump --name mine
    """
    if path.is_dir():
        if split_name or test or partial or seed:
            raise InputError(
                "a take-home folder has its splits and seeds: leave out --split, --test, --partial and --seed"
            )
        return score_folder(path, name, ledger, as_json)
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    source = dataset(data)
    if split_name is None and source.grammar is not None:
        raise InputError("say which split they answer, such as --split jump ('daxlab data list' shows all splits)")
    split = source.split(split_name or source.split_names()[0])
    test = chosen_test(split, test)
    answered = read_answers(path)
    result = scored(split.tests[test], answered)
    problems = {kind: some for kind in COUNTED if (some := getattr(result, kind))}
    if problems and not partial:
        parts = ", ".join(_named(kind, some) for kind, some in problems.items())
        advice = _better(data, answered, result)
        raise InputError(f"{path} does not fit {_place(split, test)}: {parts}; {advice}--partial scores it as it is")
    if name:
        if problems or test != next(iter(split.tests)):
            raise InputError("only complete answers to the main test set become a run: leave out --name to score these")
        given = [answer for answer in result.answers if answer is not None]
        return keep_answers(Spec(split.name, seed, TakeHome(name), data), given, ledger, as_json)
    right, of, categories = sum(result.right), len(result.asked), by_category(result.asked, result.right)
    wrong = _wrong(result)
    if as_json:
        content = {"split": split.name, "test": test, "accuracy": 100 * (right / of), "right": right, "commands": of}
        counts = {kind: {"count": len(some), "first": some[:MOST_NAMED]} for kind, some in problems.items()}
        return print_json(content | counts | {"categories": categories, "wrong": wrong})
    for kind, some in problems.items():
        print(f"{_named(kind, some)}: {COUNTED[kind][1]}", file=sys.stderr)
    show_accuracy(right, of, f"{source.unit} right on {_place(split, test)}", categories)
    if wrong:
        print(f"\nThe first wrong answers of {of - right:,}:")
    for row in wrong:
        answer = "–" if row["answer"] is None else row["answer"]
        print(f"\n{row['command']}\n  target  {row['target']}\n  answer  {answer}")


def _better(data: str, answered: Answered, result: Score) -> str:
    """Which test set the answers seem to be to: of another split, or of one with other words."""
    plain = data.removeprefix(PREFIX)
    for name in dict.fromkeys((data, plain, PREFIX + plain)):
        if better := better_split(dataset(name), answered, result.asked):
            return f"are they answers to {_place(*better)}{'' if name == data else f' of --data {name}'}? "
    return ""


def _wrong(result: Score) -> list[dict[str, str | None]]:
    """The first wrong answers; None where one is missing."""
    rows = zip(result.asked, result.answers, result.right, strict=True)
    wrong = [(example, answer) for example, answer, good in rows if not good][:MOST_SHOWN]
    return [
        {"command": e.command, "target": " ".join(e.actions), "answer": None if answer is None else " ".join(answer)}
        for e, answer in wrong
    ]


def _named(kind: str, commands: Sequence[str]) -> str:
    """How many commands, and the first of them."""
    some = ", ".join(map(repr, commands[:MOST_NAMED])) + (", …" if len(commands) > MOST_NAMED else "")
    return f"{counted(len(commands), 'command')} {COUNTED[kind][0]} ({some})"


def _place(split: Split, test: str) -> str:
    return split.name if test == next(iter(split.tests)) else f"{test} of {split.name}"
