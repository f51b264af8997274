"""Fields of frozen dataclasses that people set: a default, what it means, the values it may take.

A learner's fields and those of the training protocol are such fields. Knows nothing of either.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, asdict, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from daxlab.errors import InputError, nearest

SIZE, DEFAULT_SIZE = "size", "default"
MOST = 10**300  # beyond it a whole number is no float
TYPES = {str: "a name", int: "a whole number", float: "a number", bool: "true or false"}
UNBOUNDED = {"least": -math.inf, "most": math.inf, "above": -math.inf, "below": math.inf}
WORDS = {"least": "at least", "most": "at most", "above": "above", "below": "below"}


def setting(
    default: Any,
    help: str,
    least: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
    *,
    above: float = -math.inf,
    later: bool = False,
    keyed: bool = True,
) -> Any:
    """A field: its default, what it means, and the values it may take.

    `later`: it was added when there were runs already, which keep their keys: at its default it is no part of a key.
    `keyed`: False for what does not determine the answers, such as a time limit: it is no part of a key.
    """
    limits = {"least": least, "most": most, "above": above, "below": below}
    return field(default=default, metadata={"help": help, "later": later, "keyed": keyed, **limits})


def usual(base: type, name: str, default: Any) -> Any:
    """A field of a base class again, with another default, which is always a part of the key."""
    part = next(part for part in fields(base) if part.name == name)
    return field(default=default, metadata={**part.metadata, "later": False}, kw_only=bool(part.kw_only))


def check(description: Any) -> None:
    """Raise InputError unless every field has a value that it takes; a whole number is taken for a float."""
    hints = get_type_hints(type(description))
    for part in fields(description):
        value = checked(part, hints[part.name], getattr(description, part.name))
        object.__setattr__(description, part.name, value)  # 5 and 5.0 are one protocol


def checked(part: "Field[Any]", kind: Any, value: Any) -> Any:
    """A field's value if it is one that the field takes."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise InputError(f"{part.name} is one of {', '.join(map(str, get_args(kind)))}, not {value!r}")
        return value
    if isinstance(value, list):
        value = tuple(value)  # a learner can be hashed
    if isinstance(value, int) and abs(value) > MOST:
        raise InputError(f"{part.name} is too large a number")
    if kind is float and type(value) is int:  # True is no number
        value = float(value)
    if kind in TYPES and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise InputError(f"{part.name} takes {TYPES[kind]}, not {value!r}")
    if kind in (int, float):
        limits = {bound: part.metadata.get(bound, limit) for bound, limit in UNBOUNDED.items()}
        within = limits["least"] <= value <= limits["most"] and limits["above"] < value < limits["below"]
        if not (math.isfinite(value) and within):
            bounds = [f"{WORDS[bound]} {limit:,g}" for bound, limit in limits.items() if math.isfinite(limit)]
            raise InputError(f"{part.name} must be {' and '.join(bounds) or 'a finite number'}, not {value}")
    return value


def parsed(kind: Any, text: str) -> Any:
    """The value of a field of some type from text, as the command line gives it: `hidden=100`, `attention=true`.

    Text that has no such value stays text, which is refused when the learner is made.
    """
    if get_origin(kind) is Literal:
        return next((value for value in get_args(kind) if str(value) == text), text)
    try:
        return kind(text) if kind in (str, int, float) else json.loads(text.lower() if kind is bool else text)
    except ValueError:
        return text


def ordered(described: type) -> "list[Field[Any]]":
    """The fields, a class's own before those that it inherits."""
    own = list(vars(described).get("__annotations__", {}))
    return sorted(fields(described), key=lambda part: own.index(part.name) if part.name in own else len(own))


def type_of(described: Any, name: str) -> Any:
    """The type of the field of that name, or an error with the nearest one."""
    names = list(defaults(described))
    if name == SIZE and name in names:
        return Literal[(DEFAULT_SIZE, *described.named_sizes)]
    if name not in names:
        raise InputError(f"the learner {described.kind} has no field {name!r}; {nearest(name, names)}")
    return get_type_hints(described)[name]


def defaults(described: Any) -> dict[str, Any]:
    """Every field with its default; and first, where a class has named sizes, the size."""
    values = {part.name: part.default for part in ordered(described)}
    if missing := [name for name, value in values.items() if value is MISSING]:
        raise InputError(
            f"every field of a learner needs a default; {described.__name__} gives none for {missing[0]!r}"
        )
    return {SIZE: DEFAULT_SIZE, **values} if described.named_sizes else values


def sized(described: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with a named size replaced by the fields that it stands for; those that are given take precedence."""
    rest = {name: value for name, value in values.items() if name != SIZE or not described.named_sizes}
    if len(rest) == len(values) or values[SIZE] == DEFAULT_SIZE:
        return rest
    if values[SIZE] not in described.named_sizes:
        raise InputError(f"size is one of {', '.join([DEFAULT_SIZE, *described.named_sizes])}, not {values[SIZE]!r}")
    return {**described.named_sizes[values[SIZE]], **rest}


def changed(description: Any, names: Iterable[str]) -> list[str]:
    """Which of these fields are not at their defaults, in words: "clip 1"."""
    usual, values = defaults(type(description)), asdict(description)
    return [f"{name.replace('_', ' ')} {written(values[name])}" for name in names if values[name] != usual[name]]


def written(value: Any) -> str:
    """A value as the command line takes it."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def recorded(description: Any) -> dict[str, Any]:
    """The fields that a run's key is made of.

    A field that was added later counts only where it is not at its default, so that earlier runs keep their keys. A
    field that is not keyed never counts.
    """
    parts = [part for part in fields(description) if part.metadata.get("keyed", True)]
    values = asdict(description)
    return {
        part.name: values[part.name]
        for part in parts
        if not (part.metadata.get("later") and values[part.name] == part.default)
    }
