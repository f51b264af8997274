"""How the ledger's values are decoded: by functions of what SQLite holds, which raise MALFORMED if it is malformed."""

import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Decoder = Callable[[Any], Any]
MALFORMED = (TypeError, ValueError, AttributeError, RecursionError)


def of_type(*kinds: type) -> Decoder:
    """Decodes a value of any of these types as itself."""

    def decode(value: Any) -> Any:
        if not isinstance(value, kinds):
            raise TypeError(f"{value!r} has another type")
        return value

    return decode


def optional(decoder: Decoder) -> Decoder:
    """Decodes an absent value as None."""
    return lambda value: None if value is None else decoder(value)


text, whole = of_type(str), of_type(int)


def number(value: Any) -> float:
    """A number, which the ledger only stores if it is finite."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a finite number")
    return value


def key(value: Any) -> str:
    """The key of a run or a group, in hexadecimal."""
    if len(value) != 32:
        raise ValueError("a key has 32 bytes")
    return str(value.hex())


def mapping(value: Any) -> dict[str, Any]:
    """An object that is stored as JSON."""
    decoded = json.loads(value, parse_float=_finite, parse_constant=_finite)
    if not isinstance(decoded, dict):
        raise TypeError(f"{value} is not an object")
    return decoded


def _finite(text: str) -> float:
    return number(float(text))


_cached_mapping = lru_cache(maxsize=4096)(mapping)


def fields(value: Any) -> dict[str, Any]:
    """The fields of a learner, which many settings share."""
    return _cached_mapping(value).copy()


def numbers(value: Any) -> dict[str, float]:
    """Numbers by name."""
    return {name: number(item) for name, item in mapping(value).items()}


def curve(value: Any) -> dict[str, list[float]]:
    """A learning curve by column; what is not finite was stored as null."""
    return {
        name: [math.nan if point is None else number(point) for point in line] for name, line in mapping(value).items()
    }
