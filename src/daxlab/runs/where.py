"""What `where` asks of runs and their settings, as SQL. Knows the tables; opens no file."""

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

from daxlab.errors import InputError
from daxlab.runs.records import COLUMNS, METRICS

Where = Mapping[str, Any]

RUNS = "runs join settings on settings.id = setting"
SETTING = ", ".join(f"settings.{name}" for name in COLUMNS)
COLUMN = {
    "key": "runs.key",
    "group": "group_id",
    **{name: f"settings.{name}" for name in COLUMNS},
    **{name: f"runs.{name}" for name in ("seed", "status", "failed_at", *METRICS)},
    "language": "json_extract(settings.spec, '$.language.name')",
    "semantics": "json_extract(settings.spec, '$.semantics')",
}
# Any number of keys as one value, because SQLite takes some thousands; unhex: files.py has it where SQLite has not.
_LISTED = "select unhex(value) from json_each(?)"
KEYS = {"key": _LISTED, "group": f"select id from groups where key in ({_LISTED})"}


def place(name: str) -> str:
    """Where a column is, in SQL; a dotted name is a path into the spec."""
    if name in COLUMN:
        return COLUMN[name]
    if not re.fullmatch(r"\w+(\.\w+)+", name):
        guess = difflib.get_close_matches(name, COLUMN, 1)
        hint = f"did you mean {guess[0]!r}?" if guess else f"there are {', '.join(COLUMN)}"
        raise InputError(f"runs have no column {name!r}: {hint}")
    return f"json_extract(settings.spec, '$.{name}')"


def condition(where: Where | None) -> tuple[str, list[Any]]:
    """An SQL condition on runs and their settings, and its values."""
    parts: list[str] = []
    values: list[Any] = []
    for name, wanted in (where or {}).items():
        column = place(name)
        options = list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
        given = [option for option in options if option is not None]
        tests = [f"{column} in ({KEYS.get(name, ', '.join('?' * len(given)))})"]
        tests += [f"{column} is null"] * (len(given) < len(options))
        parts.append(f"({' or '.join(tests)})")
        values += [json.dumps(given)] if name in KEYS else given
    return ("where " + " and ".join(parts) if parts else ""), values


def by_setting(where: Where | None, aggregates: str) -> tuple[str, list[Any]]:
    """The end of a question about settings, each with aggregates over its runs; and the values it takes."""
    asked, values = condition(where)
    inner = f"select setting, {aggregates} from {RUNS if where else 'runs'} {asked} group by setting"
    return f"from ({inner}) join settings on settings.id = setting", values
