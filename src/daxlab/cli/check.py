"""`daxlab check`: whether anybody's learner keeps what its answers are trusted for, in seconds."""

import typer

from daxlab.cli.examine import ArgsOption, CommandOption, FileArgument, FormatOption, PythonOption, TimeOption, program
from daxlab.cli.options import JsonOption
from daxlab.cli.terminal import print_json, show, table
from daxlab.learners.checks import CHECKS


def check(
    file: FileArgument = None,
    command: CommandOption = "",
    form: FormatOption = "jsonl",
    python: PythonOption = "",
    arguments: ArgsOption = None,
    time: TimeOption = "1m",
    as_json: JsonOption = False,
) -> None:
    """Check that a learner of your own answers as it should, on a tiny dataset. Exits with 1 if it does not.

    Example: daxlab check mine.py:Mine
    """
    learner = program(file, command, form, python, arguments, time)
    findings = [check(learner)._asdict() for check in CHECKS]
    if as_json:
        print_json(findings)
    else:
        show(table(findings, {"check": "id", "verdict": "verdict", "what was seen": "seen"}))
        for found in findings:
            if found["change"]:
                print(f"\n{found['id']}: {found['promise']} {found['change']}")
    if any(found["verdict"] == "broken" for found in findings):
        raise typer.Exit(1)
