"""A spec file: axes, whose product are the runs of a sweep. Reads TOML; knows nothing of groups or the ledger.

    cell = ["srn", "lstm", "gru"]     # an axis is a value or a list of values; what is left out
    hidden = [25, 50, 100]            # is as in the paper's overall-best network
    split = ["simple", "jump"]        # needed
    seeds = 5                         # 0 to 4; or a list
    language = "scan"
    [protocol]                        # the paper's where left out
    teacher_forcing = [0, 0.5, 1]

With [[sweep]] tables a file is the union of their products; what stands above them holds for all, unless they say
otherwise.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from daxlab.datasets import split
from daxlab.errors import InputError
from daxlab.protocol import Protocol
from daxlab.runs.spec import MOST_SEEDS, Architecture, Spec

MOST_RUNS = 1_000_000
NETWORK = {"cell": str, "layers": int, "hidden": int, "attention": bool, "dropout": float}
PROTOCOL = {
    "updates": int,
    "learning_rate": float,
    "clip": float,
    "teacher_forcing": float,
    "self_fed_loss_ends": str,
    "shared_lengths": bool,
}
OTHERS = {"split": str, "language": str, "seeds": int}
REPLICATES = 5  # the paper's
WANTED = {str: "names", int: "whole numbers", float: "numbers", bool: "true or false"}

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Product:
    """Axes whose every combination is a run."""

    networks: tuple[Architecture, ...]
    protocols: tuple[Protocol, ...]
    splits: tuple[str, ...]
    languages: tuple[str, ...]
    seeds: tuple[int, ...]

    def specs(self) -> Iterator[Spec]:
        """The runs, seeds fastest."""
        for protocol, network, language, name in product(self.protocols, self.networks, self.languages, self.splits):
            for seed in self.seeds:
                yield Spec(name, seed, network, protocol, language)


@dataclass(frozen=True)
class Grid:
    """What a spec file declares: a union of products."""

    products: tuple[Product, ...]

    def specs(self) -> list[Spec]:
        """Every run, once."""
        return list(dict.fromkeys(spec for one in self.products for spec in one.specs()))


def part(specs: Sequence[Spec], only: Sequence[str]) -> list[Spec]:
    """Those of the runs that have one of some values on each of some axes: "hidden=25,50". An axis may come again."""
    chosen: dict[str, set[Any]] = {}
    for choice in only:
        name, wanted = _choice(choice)
        there = {_on(spec, name) for spec in specs}
        if wanted - there:
            some = ", ".join(str(value).lower() for value in sorted(there))
            raise InputError(f"--only {choice} asks for runs that the spec does not have: there {name} is {some}")
        chosen.setdefault(name, set()).update(wanted)
    found = [spec for spec in specs if all(_on(spec, name) in wanted for name, wanted in chosen.items())]
    if not found:
        raise InputError(f"no run of the spec is all of {' and '.join(only)}")
    return found


def _choice(text: str) -> tuple[str, set[Any]]:
    """An axis and values on it; those of the protocol may be called protocol.… here too."""
    known = NETWORK | OTHERS | PROTOCOL
    given, _, values = text.partition("=")
    name = given.removeprefix("protocol.")
    if name not in (PROTOCOL if name != given else known) or not values:
        near = get_close_matches(name, known, n=1)
        advice = f"did you mean {near[0]}=…?" if near and near[0] != given else f"axes are {', '.join(known)}"
        raise InputError(f"--only takes an axis and values, such as hidden=25,50, not {text!r}; {advice}")
    return name, {_value(one.strip(), name, known[name]) for one in values.split(",")}


def _value(text: str, axis: str, kind: type) -> Any:
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise InputError(f"{axis} takes {WANTED[kind]}, not {text!r}") from None


def _on(spec: Spec, axis: str) -> Any:
    """Where a run lies on an axis."""
    if axis in OTHERS:
        return getattr(spec, "seed" if axis == "seeds" else axis)
    return getattr(spec.architecture if axis in NETWORK else spec.protocol, axis)


def read(path: Path) -> Grid:
    """The grid that a file declares; every name and value in it has been checked."""
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the spec {path}: {error.strerror}") from None
    except ValueError as error:  # of TOML's, or of UTF-8's
        raise InputError(f"{path} is not TOML: {error}") from None
    try:
        return parse(declared)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse(declared: Table) -> Grid:
    """The grid of a declaration."""
    tables = declared.get("sweep", [{}])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError("each product stands under a [[sweep]] of its own")
    above = {name: value for name, value in declared.items() if name != "sweep"}
    axes = [_axes(above) | _axes(table) for table in tables]
    runs = sum(math.prod(map(len, one.values())) for one in axes)
    if runs > MOST_RUNS:
        raise InputError(f"{runs:,} runs are declared, and a sweep has at most {MOST_RUNS:,}")
    return Grid(tuple(map(_product, axes)))


def _axes(table: Table) -> dict[str, Sequence[Any]]:
    """The axes of a table; those of the protocol are called protocol.…"""
    protocol = table.get("protocol", {})
    if not isinstance(protocol, dict):
        raise InputError("protocol is a table: [protocol], or [sweep.protocol] below a [[sweep]]")
    rest = {name: value for name, value in table.items() if name != "protocol"}
    found = {name: _axis(name, value, NETWORK | OTHERS) for name, value in rest.items()}
    return found | {f"protocol.{name}": _axis(name, value, PROTOCOL) for name, value in protocol.items()}


def _axis(name: str, value: Any, known: Mapping[str, type]) -> Sequence[Any]:
    """The values of one axis, of the kind that it takes."""
    if name not in known:
        near = get_close_matches(name, [*known, *PROTOCOL], n=1)
        place = " (under [protocol])" if near and near[0] not in known else ""
        advice = f"did you mean {near[0]!r}{place}?" if near else f"there are {', '.join(known)}"
        raise InputError(f"no axis is called {name!r}; {advice}")
    if name == "seeds" and isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MOST_SEEDS:
            raise InputError(f"seeds are a count of 1 to {MOST_SEEDS:,}, or a list of seeds, not {value}")
        return range(value)
    values, kind = value if isinstance(value, list) else [value], known[name]
    taken = (int, float) if kind is float else (kind,)
    if not values or not all(isinstance(one, taken) and isinstance(one, bool) == (kind is bool) for one in values):
        raise InputError(f"{name} takes {WANTED[kind]}, one or a list, not {value!r}")
    return values


def _product(axes: Mapping[str, Sequence[Any]]) -> Product:
    if "split" not in axes:
        raise InputError('no split is given: say what the networks learn, such as split = ["simple", "jump"]')
    networks = [Architecture(**one) for one in _each({name: axes[name] for name in NETWORK if name in axes})]
    how = {name: axes[f"protocol.{name}"] for name in PROTOCOL if f"protocol.{name}" in axes}
    protocols = [Protocol(**one) for one in _each(how)]
    splits, languages, seeds = tuple(axes["split"]), tuple(axes.get("language", ["scan"])), axes.get("seeds")
    for name, language in product(splits, languages):
        split(name, language)  # says what is wrong with a name
    chosen = tuple(range(REPLICATES) if seeds is None else seeds)
    for seed in (min(chosen), max(chosen)):
        Spec(splits[0], seed)  # says what is wrong with a seed
    return Product(tuple(networks), tuple(protocols), splits, languages, chosen)


def _each(axes: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination of the values of some axes."""
    for values in product(*axes.values()):
        yield dict(zip(axes, values, strict=True))
