"""What the Tab key completes: splits, datasets, learners and their fields, runs, filters. Loads no JAX.

Where nothing fits, the shell completes file names.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from typing import Any, Literal, get_args, get_origin

import typer

from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at

SHELL, WORDS, PLACE = "_DAXLAB_COMPLETE", "COMP_WORDS", "COMP_CWORD"  # how bash asks
MOST_RUNS = 30
Complete = Callable[[typer.Context, str], list[str]]


@contextmanager
def whole_words() -> Iterator[None]:
    """Let Typer complete the words that bash took apart at = and :, and print what bash puts for the last part."""
    if os.environ.get(SHELL) != "complete_bash":
        yield
        return
    place = int(os.environ.get(PLACE) or 0)
    parts = [*os.environ.get(WORDS, "").split("\n"), *[""] * (place + 1)][: place + 1]
    words, typed = [""], ""  # typed: of the last word, what bash keeps
    for part, before in zip(parts, ["", *parts], strict=False):
        if (part and not part.strip("=:")) or (before and not before.strip("=:")):
            words[-1] += part
        else:
            words.append(part)
    typed = words[-1].removesuffix(parts[-1] if parts[-1].strip("=:") else "")
    os.environ |= {WORDS: "\n".join(words[1:]), PLACE: str(len(words) - 2)}
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        for line in printed.getvalue().splitlines():
            print(next(line[len(typed) - n :] for n in range(len(typed) + 1) if line.startswith(typed[n:])))


def fitting(values: Iterable[str], begin: str) -> list[str]:
    """The values that begin so, each once."""
    return [value for value in dict.fromkeys(values) if value.startswith(begin)]


def one_of(*values: str) -> Complete:
    """Some values."""
    return lambda ctx, incomplete: fitting(values, incomplete)


def datasets(ctx: typer.Context, incomplete: str) -> list[str]:
    """Datasets by name; a path is completed by the shell."""
    from daxlab.datasets import catalogue

    return fitting((entry.name for entry in catalogue() if entry.name.islower()), incomplete)


def splits(ctx: typer.Context, incomplete: str) -> list[str]:
    """The splits of the dataset that --data names; published ones once they are begun to be typed."""
    with suppress(InputError, OSError):
        names = _split_names(ctx.params.get("data") or "scan")
        return fitting(names if incomplete else filter(_usual, names), incomplete)
    return []


def _usual(split: str) -> bool:
    """Whether a split is offered before anything of its name is typed: no file of the release, no replicate."""
    return "/" not in split and "-rep" not in split


def several_splits(ctx: typer.Context, incomplete: str) -> list[str]:
    """Splits between commas, or a list of them by its name."""
    before, comma, last = incomplete.rpartition(",")
    with suppress(InputError, OSError):
        names = [*([] if comma else ["main", "paper", "all"]), *_split_names(ctx.params.get("data") or "scan")]
        return fitting((before + comma + name for name in names if last or _usual(name)), incomplete)
    return []


def _split_names(data: str) -> list[str]:
    from daxlab.datasets import dataset
    from daxlab.datasets.release import NAMES
    from daxlab.datasets.rules import listed

    source = dataset(data)
    if source.grammar is None:
        return source.split_names()
    return [*listed(source.grammar), *(NAMES if data == "scan" else ())]


def learners(ctx: typer.Context, incomplete: str) -> list[str]:
    """The learners that come with daxlab; a file is completed by the shell."""
    from daxlab.learners import KINDS

    return fitting(KINDS, incomplete)


def runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of runs; where nothing is typed yet, of the latest."""
    with suppress(InputError, OSError), _ledger(ctx, incomplete) as ledger:
        keys = ledger.keys_with_prefix(incomplete) if incomplete else ledger.select(limit=MOST_RUNS)
        return fitting((key[: max(12, len(incomplete))] for key in keys), incomplete)
    return []


def askable_runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of runs whose model is here; where none fits, of any."""
    from daxlab.ledger.files import weights_of
    from daxlab.ledger.trained import MODEL, kept

    with suppress(InputError, OSError), _ledger(ctx, incomplete) as ledger:
        keys = ledger.select({"key": [key for key, parts in kept(ledger).items() if MODEL in parts]})
        keys.sort(key=lambda key: not weights_of(ledger.path, key).exists())  # networks first
        some = fitting((key[: max(12, len(incomplete))] for key in keys), incomplete)[:MOST_RUNS]
        return some or runs(ctx, incomplete)
    return []


def filters(ctx: typer.Context, incomplete: str) -> list[str]:
    """COLUMN=VALUE: what runs can be filtered by, with the values that they have."""
    with suppress(InputError, OSError), _ledger(ctx) as ledger:
        names = [name for name in ledger.columns() if name not in ("key", "group", "failed_at")]
        found = _axes(names, ledger.values, incomplete)
        return [text for text in found if "/" in incomplete or "/" not in text] or found
    return []


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Columns of a list of runs, with commas between."""
    from daxlab.cli.listing import column_names

    before, comma, _ = incomplete.rpartition(",")
    with suppress(InputError, OSError), _ledger(ctx) as ledger:
        return fitting((before + comma + name for name in column_names(ledger)), incomplete)
    return []


def settings(ctx: typer.Context, incomplete: str) -> list[str]:
    """FIELD=VALUE: the fields of the learner, with their values or default."""
    with suppress(InputError, OSError):
        known = _fields(_learner())
        return _axes(known, lambda name: known[name], incomplete)
    return []


def axes(ctx: typer.Context, incomplete: str) -> list[str]:
    """AXIS=VALUES of a sweep: learner, data, split, seeds, and the fields of learners."""
    from daxlab.learners import KINDS

    name, _, values = incomplete.partition("=")
    if name in ("split", "data"):
        before, comma, last = values.rpartition(",")
        return fitting((f"{name}={before}{comma}{value}" for value in _names(name, last)), incomplete)
    known: dict[str, Sequence[Any]] = {"split": [], "data": [], "seeds": [5], "learner": list(KINDS)}
    with suppress(InputError, OSError):
        for kind in KINDS:
            known |= {name: values for name, values in _fields(kind).items() if name not in known}
    return _axes(known, lambda name: known[name], incomplete)


def _names(axis: str, begin: str) -> list[str]:
    from daxlab.datasets import catalogue

    if axis == "data":
        return [entry.name for entry in catalogue() if entry.name.islower()]
    return [name for name in _split_names("scan") if begin or _usual(name)]


def _learner() -> str:
    """The learner that is typed already, or the default one. No file of one's own is run to complete a word."""
    from daxlab.learners import DEFAULT, KINDS

    typed = os.environ.get(WORDS) or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return next((word for word in typed.split()[2:] if word in KINDS), DEFAULT)


def _fields(learner: str) -> dict[str, Sequence[Any]]:
    """The fields of a learner, each with the values to offer."""
    from daxlab.learners import defaults, find
    from daxlab.settings import type_of

    kind = find(learner)
    return {name: _values(type_of(kind, name), default) for name, default in defaults(kind).items()}


def _values(kind: Any, default: Any) -> Sequence[Any]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return (True, False) if kind is bool else (default,)


def _axes(names: Iterable[str], values: Callable[[str], Sequence[Any]], incomplete: str) -> list[str]:
    """NAME=VALUE; where several names fit still, NAME= alone."""
    from daxlab.settings import written

    name, equals, _ = incomplete.partition("=")
    there = [known for known in names if (known == name if equals else known.startswith(name))]
    if len(there) > 1:
        return fitting((f"{known}=" for known in there), incomplete)
    return fitting(
        (f"{known}={written(value)}" for known in there for value in values(known) if value is not None), incomplete
    )


def _ledger(ctx: typer.Context, run: str = "") -> Ledger:
    """The ledger that the command would read."""
    with redirect_stderr(StringIO()):  # nothing is said while one types
        return Ledger(ledger_at(ctx.params.get("ledger"), run))
