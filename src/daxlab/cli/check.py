"""`daxlab check`: whether a learner keeps what its answers are trusted for, in seconds."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.atomic import atomic_write
from daxlab.check import Check, Finding
from daxlab.cli.completion import learners as learners_here, settings as fields
from daxlab.cli.examine import ArgsOption, CommandOption, FormatOption, PythonOption, TimeOption, program
from daxlab.cli.help import HOW
from daxlab.cli.options import ExceptOption, JsonOption
from daxlab.cli.train import SET, name_and_settings
from daxlab.errors import InputError, nearest
from daxlab.learners import Learner
from daxlab.learners.checks import checks_of
from daxlab.learners.registry import derives_from_daxlab
from daxlab.terminal import print_json, show, table

LEARNER = "A class or function of yours, path/to/mine.py:Mine, or a learner of daxlab's ('daxlab learners')."
COLUMNS = {"check": "id", "verdict": "verdict", "what was seen": "seen", "declared reason": "reason"}


def check(
    learner: Annotated[
        str | None, typer.Argument(metavar="LEARNER", help=LEARNER, show_default=False, autocompletion=learners_here)
    ] = None,
    command: CommandOption = "",
    form: FormatOption = "jsonl",
    python: PythonOption = "",
    arguments: ArgsOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help=SET, rich_help_panel=HOW, autocompletion=fields),
    ] = None,
    time: TimeOption = "1m",
    exceptions: ExceptOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="CHECKS.json", help="Write the findings into this file too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check in seconds, on tiny data, that your own learner works as it should.

    The exit code is 1 if a check fails. A class that derives from daxlab's Network or Learner is trained as 'daxlab
    train' does it; anything else as 'daxlab examine' does, in a process of its own.

    Example: daxlab check mine.py:Mine --except one-at-a-time="answers depend on the batch: batch norm"
    """
    if learner in learners.KINDS or (learner and not python and derives_from_daxlab(learner)):
        if command or arguments or form != "jsonl":
            raise InputError(f"{learner} is a learner of daxlab's: its fields are set by --set")
        checked: Learner = learners.from_text(*name_and_settings([learner], settings or []))
    elif settings:
        raise InputError("--set is for the fields of a network; what a program's class is made with is --arg")
    else:
        checked = program(learner, command, form, python, arguments, time)
    findings = checked_by(checked, exceptions or [])
    if out:
        atomic_write(out, (json.dumps(findings, indent=1) + "\n").encode())
    if as_json:
        print_json(findings)
    else:
        show(table(findings, COLUMNS))
        for found in findings:
            if found["change"]:
                print(f"\n{found['id']}: {found['promise']} {found['change']}")
    if any(found["verdict"] == "broken" for found in findings):
        raise typer.Exit(1)


def checked_by(learner: Learner, exceptions: Sequence[str]) -> list[dict[str, Any]]:
    """What each check of a learner found; `exceptions`, CHECK=REASON, are beside those that its class declares."""
    checks = checks_of(learner)
    if not isinstance(learner.exceptions, Mapping):
        raise InputError(f"the exceptions of {learner} are no dictionary: write exceptions = {{'CHECK': 'reason'}}")
    declared = [f"{name}={reason}" for name, reason in learner.exceptions.items()]
    reasons = _reasons([*declared, *exceptions], checks)
    return [_looked(check, learner, reasons)._asdict() for check in checks]


def _looked(check: Check[Learner], learner: Learner, reasons: dict[str, str]) -> Finding:
    finding = check(learner)
    if check.id in reasons and finding.verdict == "kept":
        print(f"{check.id} is kept: it needs no exception", file=sys.stderr)
    return finding.but(reasons[check.id]) if check.id in reasons else finding


def _reasons(exceptions: Sequence[str], checks: Sequence[Check[Learner]]) -> dict[str, str]:
    """The declared exceptions: from a check's id to the reason."""
    reasons, ids = dict[str, str](), [check.id for check in checks]
    for text in exceptions:
        name, _, reason = (part.strip() for part in text.partition("="))
        if name not in ids:
            raise InputError(f"there is no check {name!r}; {nearest(name, ids)}")
        if not reason:
            raise InputError(f"an exception needs a reason: --except {name}='why it need not be kept'")
        reasons[name] = reason
    return reasons
