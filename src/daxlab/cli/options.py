"""Options that several verbs take, and how their values are read."""

import json
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger, is_written
from daxlab.ledger.records import METRICS
from daxlab.sweep import gpu_sharing

LEDGER = Path("daxlab.db")  # in the working folder
INSTALL_ROOTS = tuple(Path(__file__).resolve().parents[up] for up in (1, 3))  # an installed package; a checkout
RESULTS = "results/runs.db"
MOST_NAMED = 12  # values, in advice
PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin")

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


def device_named(name: str, executor: str = "local") -> str:
    """The device that a name stands for: cpu or gpu."""
    if name not in ("auto", "cpu", "gpu"):
        raise InputError(f"a device is auto, cpu or gpu, not {name!r}")
    if executor not in ("local", "ray"):
        raise InputError(f"an executor is local or ray, not {executor!r}")
    if name != "auto":
        return name
    if executor == "ray":
        raise InputError("what a cluster's nodes have is not known here: say --device cpu or --device gpu")
    return "gpu" if gpu_sharing.is_here() and any(map(find_spec, PLUGINS)) else "cpu"


def ledger_at(path: Path | None, run: str = "") -> Path:
    """The ledger to read: the one named, or the one in the working folder. Where that lacks the run (or has none at
    all), the results that come with daxlab."""
    results = shipped()
    if path or results is None or _has_runs(LEDGER, run):
        return path or LEDGER
    lacks = f"no run {run}" if run else "no runs"
    print(f"{LEDGER} has {lacks} here; looking in the results that come with daxlab: {results}", file=sys.stderr)
    return results


def _has_runs(path: Path, prefix: str) -> bool:
    if not is_written(path):
        return False
    with Ledger(path) as ledger:
        return bool(ledger.keys_with_prefix(prefix) if prefix else ledger.count())


def writable_ledger(path: Path) -> Path:
    """The ledger, to be written; an error for the results that come with daxlab."""
    if path.resolve() == shipped():
        raise InputError(
            f"{path} has the results that come with daxlab, which stay as they are; "
            f"'daxlab runs merge {path}' brings them into {LEDGER}"
        )
    return path


def shipped(name: str = RESULTS) -> Path | None:
    """The results that come with daxlab, or another file that does."""
    return next(((root / name).resolve() for root in INSTALL_ROOTS if (root / name).exists()), None)


def shipped_hint(ledger: Path) -> str:
    """Where more runs are, for a ledger of one's own that lacks them."""
    results = shipped()
    return "" if results in (None, ledger.resolve()) else f"\nThe results that come with daxlab: --ledger {results}"


def read_filters(ledger: Ledger, texts: Sequence[str], option: str = "") -> dict[str, Any]:
    """COLUMN=VALUE filters, checked against a ledger. Where no run fits, says which values there are.

    `option`: what to begin that sentence with, where several options have filters.
    """
    where: dict[str, Any] = {}
    for name, value in map(_filter, texts):
        if name in where and where[name] != value:
            raise InputError(f"{name} cannot be both {where[name]} and {value}: give one filter by it")
        where[name] = value
    columns = ledger.columns()
    if not ledger.count():
        return where
    for name in where:
        if "." not in name and name not in (*columns, "language"):
            raise InputError(f"runs have no column {name!r}; {nearest(name, columns)}")
    if ledger.count(where):
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
