"""Options that several verbs take, and how their values are read."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.ledger.location import LEDGER
from daxlab.ledger.records import METRICS

MOST_NAMED = 12  # values, in advice

JsonOption = Annotated[bool, typer.Option("--json", help="For scripts.")]
DATA = "A dataset ('daxlab datasets'), a grammar file or a folder of TSV files."
DataOption = Annotated[str, typer.Option("--data", "--language", "-l", metavar="NAME|PATH", help=DATA)]
TestOption = Annotated[
    str | None,
    typer.Option("--test", metavar="NAME", help="Of a folder of TSV files: the test set, such as gen for gen.tsv."),
]
LedgerOption = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help=f"The ledger of runs. Default: {LEDGER} here.")
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", "-w", metavar="COLUMN=VALUE", help="Such as split=jump, or any field: clip=5."),
]
EXCEPT = "A check that it need not keep, and why: one-at-a-time='batch norm'. Can be repeated."
ExceptOption = Annotated[list[str] | None, typer.Option("--except", metavar="CHECK=REASON", help=EXCEPT)]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Any unique beginning of a run's key.")]


def seconds(time: str) -> float:
    """A time in seconds.

    >>> seconds("90s"), seconds("8m"), seconds("1h30m"), seconds("15")
    (90, 480, 5400, 15)
    """
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?|(\d+)", time.strip())
    if not match or not any(match.groups()):
        raise InputError(f"a time is one such as 90s, 8m or 1h30m, not {time!r}")
    hours, minutes, rest, bare = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + rest + bare


def bytes_named(amount: str) -> float:
    """An amount of memory in bytes.

    >>> bytes_named("500M"), bytes_named("1.5G")
    (500000000.0, 1500000000.0)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?)B?", amount.strip())
    if not match:
        raise InputError(f"an amount of memory is one such as 500M or 8G, not {amount!r}")
    return float(match[1]) * 1000.0 ** " kMGT".index(match[2] or " ")


def read_filters(ledger: Ledger, texts: Sequence[str], option: str = "") -> dict[str, Any]:
    """COLUMN=VALUE filters, checked against a ledger. Where no run fits, says which values there are.

    `option`: what to begin that sentence with, where several options have filters.
    """
    where: dict[str, Any] = {}
    for name, value in map(_filter, texts):
        if name in where and where[name] != value:
            raise InputError(f"{name} cannot be both {where[name]} and {value}: give one filter by it")
        where[name] = value
    ledger.check_columns(where)
    if not ledger.count() or ledger.count(where):
        return where
    for name, value in where.items():
        if name in ("key", "group", *METRICS) or ledger.count({name: value}):
            continue
        values = [str(value) for value in ledger.values(name) if value is not None]
        if values:
            some = f"there are {', '.join(values[:MOST_NAMED])}{', …' if len(values) > MOST_NAMED else ''}"
            print(f"{option}no run has {name}={value}: {nearest(str(value), values, some)}", file=sys.stderr)
    return where


def _filter(text: str) -> tuple[str, Any]:
    """The value is read as JSON where it is (5, true), else as text."""
    name, equals, words = (part.strip() for part in text.partition("="))
    if not equals:
        raise InputError(f"a filter is COLUMN=VALUE, such as split=jump, not {text!r}")
    if name in ("key", "group"):
        if not re.fullmatch("[0-9a-f]{64}", words):
            raise InputError(f"a filter by {name} needs the whole of it, 64 hexadecimal digits")
        return name, words
    try:
        value = json.loads(words)
    except ValueError:
        return name, words
    if isinstance(value, dict | list) or (isinstance(value, int) and abs(value) >= 2**63):
        raise InputError(f"a filter asks for one name or number, not {words!r}")
    return name, value
