"""Options that several verbs take, and how their values are read."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli import completion
from daxlab.cli.help import HOW, LEDGER as LEDGER_PANEL, WHAT
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.ledger.location import LEDGER, VARIABLE
from daxlab.ledger.records import METRICS

MOST_NAMED = 12  # values, in advice
LEAST_BUDGET = 30  # seconds, unless it is 0: compiling takes most of that

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
DATA = "The dataset: a name ('daxlab datasets'), a grammar file, or a folder of TSV files."
DataOption = Annotated[
    str,
    typer.Option(
        "--data",
        "--language",
        "-l",
        metavar="NAME|PATH",
        help=DATA,
        rich_help_panel=WHAT,
        autocompletion=completion.datasets,
    ),
]
TEST = "For a folder of TSV files: the test set, such as gen for gen.tsv."
TestOption = Annotated[str | None, typer.Option("--test", metavar="NAME", help=TEST, rich_help_panel=WHAT)]
DEFAULT_LEDGER = f"Default: {LEDGER} in this folder, or the file that {VARIABLE} names."
LedgerOption = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help=f"The ledger to read. {DEFAULT_LEDGER} If it has no such runs: the results that come with daxlab.",
        rich_help_panel=LEDGER_PANEL,
    ),
]
WrittenLedgerOption = Annotated[
    Path,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help=f"The ledger to write to. {DEFAULT_LEDGER}",
        envvar=VARIABLE,
        show_envvar=False,
        show_default=False,
        rich_help_panel=LEDGER_PANEL,
    ),
]
WHERE = "Only runs with this value, such as split=jump or hidden=50,100. Can be repeated."
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        "-w",
        metavar="COLUMN=VALUE",
        help=WHERE,
        rich_help_panel=LEDGER_PANEL,
        autocompletion=completion.filters,
    ),
]
EXCEPT = "A check that may fail, and why: one-at-a-time='batch norm'. Can be repeated."
ExceptOption = Annotated[
    list[str] | None, typer.Option("--except", metavar="CHECK=REASON", help=EXCEPT, rich_help_panel=HOW)
]
RUN = "A run: the first few characters of its key, as 'daxlab runs list' shows it."
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help=RUN, autocompletion=completion.runs)]
ModelArgument = Annotated[str, typer.Argument(metavar="RUN", help=RUN, autocompletion=completion.askable_runs)]


def seconds(time: str) -> float:
    """A time in seconds.

    >>> seconds("90s"), seconds("8m"), seconds("1h30m"), seconds("15")
    (90, 480, 5400, 15)
    """
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?|(\d+)", time.strip())
    if not match or not any(match.groups()):
        raise InputError(f"{time!r} is not a time: write 90s, 8m or 1h30m")
    hours, minutes, rest, bare = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + rest + bare


def budget_of(time: str) -> float:
    """A time to stop after, in seconds; 0 trains nothing."""
    if 0 < (amount := seconds(time)) < LEAST_BUDGET:
        raise InputError(
            f"a budget of {time} is too short, because compiling takes longer: give {LEAST_BUDGET}s or more"
        )
    return amount


def bytes_named(amount: str) -> float:
    """An amount of memory in bytes.

    >>> bytes_named("500M"), bytes_named("1.5G")
    (500000000.0, 1500000000.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?)B?", amount.strip())
    if not match:
        raise InputError(f"{amount!r} is not an amount of memory: write 500M or 8G")
    return float(match[1]) * 1000.0 ** " kMGT".index(match[2] or " ")


def read_filters(ledger: Ledger, texts: Sequence[str], option: str = "") -> dict[str, Any]:
    """COLUMN=VALUE filters, checked against a ledger. Where no run fits, says which values there are.

    `option`: what to begin that sentence with, where several options have filters.
    """
    where: dict[str, Any] = {}
    for name, value in (read_filter(text, ledger) for text in texts):
        if name in where and where[name] != value:
            raise InputError(f"{name} cannot be both {where[name]} and {value}: filter by it once, or by {name}=A,B")
        where[name] = value
    ledger.check_columns(where)
    if not ledger.count():
        return where
    lists = {name: value for name, value in where.items() if isinstance(value, list)}
    each = [
        (name, value)
        for name, values in (lists if ledger.count(where) else where).items()
        for value in (values if isinstance(values, list) else [values])
    ]
    for name, value in each:
        if name in ("key", "group", *METRICS) or ledger.count({name: value}):
            continue
        values = [str(value) for value in ledger.values(name) if value is not None]
        if values:
            some = f"there are {', '.join(values[:MOST_NAMED])}{', …' if len(values) > MOST_NAMED else ''}"
            print(f"{option}no run has {name}={value}: {nearest(str(value), values, some)}", file=sys.stderr)
    return where


def read_filter(text: str, ledger: Ledger) -> tuple[str, Any]:
    """A column and its value, or several values with commas between. Each is read as JSON where it is (5, true)."""
    name, equals, words = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise InputError(f"{text!r} is not a filter: write COLUMN=VALUE, such as split=jump")
    if name in ("key", "group"):
        if not re.fullmatch("[0-9a-f]{64}", words):
            raise InputError(f"to filter by {name}, give all of its 64 hexadecimal digits")
        return name, words
    try:
        value = json.loads(words)
    except ValueError:
        several = "," in words and not ledger.count({name: words})  # the name of a learner may have commas
        return name, [_value(word.strip()) for word in words.split(",")] if several else words
    if isinstance(value, dict | list) or (isinstance(value, int) and abs(value) >= 2**63):
        raise InputError(f"a filter takes a name or a number, or several: hidden=50,100; not {words!r}")
    return name, value


def _value(word: str) -> Any:
    """JSON where it is, else text."""
    try:
        return json.loads(word)
    except ValueError:
        return word
