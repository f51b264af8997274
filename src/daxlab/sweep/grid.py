"""A sweep file: axes, whose product are the runs of a sweep. Reads TOML; knows nothing of groups or the ledger.

    learner = "rnn"                   # or a class of your own: "path/to/file.py:Name"
    cell = ["srn", "lstm", "gru"]     # any field of the learner is an axis: a value or a list of values;
    hidden = [25, 50, 100]            # what is left out has its default
    split = ["simple", "jump"]        # needed
    data = "scan"
    seeds = 5                         # 0 to 4; or a list

With [[sweep]] tables a file is the union of their products; what stands above them holds for all, unless they say
otherwise. Fields may also stand in a table called [protocol].
"""

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from daxlab import learners
from daxlab.datasets import dataset
from daxlab.errors import InputError, nearest
from daxlab.ledger.spec import MOST_SEEDS, Spec
from daxlab.settings import parsed, type_of, written

MOST_RUNS = 1_000_000
AXES = ("learner", "data", "split", "seeds")
ALIASES = {"language": "data", "seed": "seeds"}
REPLICATES = 5  # the paper's

Table = Mapping[str, Any]
Axes = dict[str, Sequence[Any]]


def read(path: Path, more: Sequence[str] = ()) -> list[Spec]:
    """The runs that a file declares, each once; `more` are axes such as "hidden=25,50" that replace the file's."""
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the sweep file {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # of TOML, of UTF-8, of a number with thousands of digits
        raise InputError(f"{path} is not TOML: {error}") from None
    try:
        return parse(declared, more)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse(declared: Table, more: Sequence[str] = ()) -> list[Spec]:
    """The runs of a declaration."""
    tables = declared.get("sweep", [{}])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError("each product needs a [[sweep]] of its own")
    above = _axes({name: value for name, value in declared.items() if name != "sweep"})
    every = [above | _axes(table) for table in tables]
    every = [axes | _from_text(axes, more) for axes in every]
    runs = sum(math.prod(len(values) for values in axes.values()) for axes in every)
    if runs > MOST_RUNS:
        raise InputError(f"{runs:,} runs are declared, and a sweep has at most {MOST_RUNS:,}")
    return list(dict.fromkeys(spec for axes in every for spec in _specs(axes)))


def part(specs: Sequence[Spec], only: Sequence[str]) -> list[Spec]:
    """The runs that have one of some values on each of some axes: "hidden=25,50". An axis may be repeated."""
    chosen: dict[str, set[Any]] = {}
    kinds = list(dict.fromkeys(type(spec.learner) for spec in specs))
    for choice in only:
        name, texts = _choice(choice, "--only")
        values = {_position(spec, name) for spec in specs} - {None}
        if not values:
            advice = nearest(name, [*AXES, *learners.defaults(kinds[0])])
            raise InputError(f"no run of the sweep has {name!r}; {advice}")
        wanted = set(_parsed(name, texts, kinds))
        if wanted - values:
            words = ", ".join(written(value) for value in sorted(values))
            raise InputError(f"--only {choice} asks for runs that the sweep does not have: there {name} is {words}")
        chosen.setdefault(name, set()).update(wanted)
    selected = [spec for spec in specs if all(_position(spec, name) in wanted for name, wanted in chosen.items())]
    if not selected:
        raise InputError(f"no run of the sweep is all of {' and '.join(only)}")
    return selected


def _position(spec: Spec, axis: str) -> Any:
    """Where a run lies on an axis; None if its learner has no such field."""
    name = spec.learner.source["name"] if spec.learner.source else spec.learner.kind
    own = {"seeds": spec.seed, "split": spec.split, "data": spec.data, "learner": name}
    return own[axis] if axis in own else getattr(spec.learner, axis, None)


def _choice(text: str, option: str) -> tuple[str, list[str]]:
    """An axis and its values as text, from "hidden=25,50"."""
    name, equals, values = (part.strip() for part in text.partition("="))
    name = name.removeprefix("protocol.")
    if not (name and equals and values):
        raise InputError(f"{option} takes an axis and values, such as hidden=25,50, not {text!r}")
    return ALIASES.get(name, name), [value.strip() for value in values.split(",")]


def _parsed(name: str, texts: Sequence[str], kinds: Sequence[type[learners.Learner]]) -> list[Any]:
    """The values that texts stand for, on an axis of learners of these kinds."""
    if name in AXES:
        return [parsed(int if name == "seeds" else str, text) for text in texts]
    owner = next((kind for kind in kinds if name in learners.defaults(kind)), None)
    if owner is None:
        raise _unknown_axis(name, kinds[0])
    return [parsed(type_of(owner, name), text) for text in texts]


def _axes(table: Table) -> Axes:
    """The axes of a table, each a list of values."""
    protocol = table.get("protocol", {})
    if not isinstance(protocol, dict):
        raise InputError("protocol is a table: [protocol], or [sweep.protocol] below a [[sweep]]")
    flat = {name: value for name, value in table.items() if name != "protocol"} | protocol
    return {ALIASES.get(name, name): _values(ALIASES.get(name, name), value) for name, value in flat.items()}


def _values(name: str, value: Any) -> Sequence[Any]:
    """The values of an axis, from a value or a list of values; for seeds a number is a count."""
    if name == "seeds" and type(value) is int:
        if not 1 <= value <= MOST_SEEDS:
            raise InputError(f"seeds are a count of 1 to {MOST_SEEDS:,}, or a list of seeds")
        return range(value)
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(item, list | dict) for item in values):
        raise InputError(f"{name} takes a value or a list of values")
    if name in AXES and any(type(item) is not (int if name == "seeds" else str) for item in values):
        raise InputError(f"{name} takes {'whole numbers' if name == 'seeds' else 'names'}, one or a list")
    return values


def _from_text(axes: Axes, more: Sequence[str]) -> Axes:
    """Axes given as text, such as "hidden=25,50" or "seeds=3" (a count, as in a file)."""
    texts = dict(_choice(text, "--set") for text in more)
    kinds = [learners.find(name) for name in texts.get("learner", axes.get("learner", [learners.DEFAULT]))]
    parsed_axes: Axes = {name: _parsed(name, values, kinds) for name, values in texts.items()}
    if seeds := parsed_axes.get("seeds"):
        parsed_axes["seeds"] = _values("seeds", seeds[0] if len(seeds) == 1 else seeds)
    return parsed_axes


def _specs(axes: Axes) -> Iterator[Spec]:
    """Every combination, seeds fastest; names and values are checked here."""
    if "split" not in axes:
        raise InputError('no split is given: say what is learned, such as split = ["simple", "jump"]')
    names, data = axes.get("learner", [learners.DEFAULT]), axes.get("data", ["scan"])
    settings = {name: values for name, values in axes.items() if name not in AXES}
    seeds = axes.get("seeds", range(REPLICATES))
    for source, name in product(data, axes["split"]):
        dataset(source).split(name)  # says what is wrong with a name
    made = [learner for name in names for learner in _learners(name, settings)]
    for learner, source, split, seed in product(made, data, axes["split"], seeds):
        yield Spec(split, seed, learner, source)


def _learners(name: str, settings: Mapping[str, Sequence[Any]]) -> Iterator[learners.Learner]:
    kind = learners.find(name)
    for field in settings:
        if field not in learners.defaults(kind):
            raise _unknown_axis(field, kind)
    for values in product(*settings.values()):
        yield learners.make(name, dict(zip(settings, values, strict=True)))


def _unknown_axis(name: str, learner: type[learners.Learner]) -> InputError:
    return InputError(f"no axis is called {name!r}; {nearest(name, [*AXES, *learners.defaults(learner)])}")
