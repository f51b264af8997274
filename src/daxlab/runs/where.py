"""Filters of runs (`where`) as SQL. Knows the tables; opens no file."""

import json
import re
from collections.abc import Mapping
from typing import Any

from daxlab.runs.records import METRICS, canonical

Where = Mapping[str, Any]

RUN_COLUMNS = ("key", "group", "seed", "status", "failed_at", *METRICS)
SETTING_COLUMNS = ("dataset", "split", "learner", "label")
_PLACES = {
    **{name: name for name in (*RUN_COLUMNS, *SETTING_COLUMNS)},
    **{"group": "group_id", "language": "dataset", "language.name": "dataset"},
}
# Any number of keys as one value, because SQLite takes some thousands; files.py defines unhex.
_LISTED = "select unhex(value) from json_each(?)"
_KEYS = {"key": _LISTED, "group": f"select id from groups where key in ({_LISTED})"}


def place(name: str, function: str = "json_extract") -> str:
    """The SQL expression for a column, a field of the learner or, by a dotted name, an entry of the spec."""
    if name in _PLACES:
        return _PLACES[name]
    part, *path = name.split(".")
    if path and part in ("protocol", "network"):
        column = "fields"
    else:
        column, path = "spec" if path or name == "semantics" else "fields", [part, *path]
    if re.search(r'["\\\0]', name):  # no path can name it
        return "null"
    steps = "".join(f".{json.dumps(step)}" for step in path).replace("'", "''")
    return f"{function}({column}, '${steps}')"


def condition(where: Where | None) -> tuple[str, list[Any]]:
    """An SQL condition on the table runs, and its values. Settings are chosen first, once each."""
    tests: dict[str, list[str]] = {"runs": [], "settings": []}
    values: dict[str, list[Any]] = {"runs": [], "settings": []}
    for name, wanted in (where or {}).items():
        table, found = "runs" if name in RUN_COLUMNS else "settings", place(name)
        options = list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
        given = [_bindable(option) for option in options if option is not None]
        any_of = [f"{found} in ({_KEYS.get(name, ', '.join('?' * len(given)))})"]
        any_of += [f"{found} is null"] * (len(given) < len(options))
        tests[table].append(f"({' or '.join(any_of)})")
        values[table] += [json.dumps(given)] if name in _KEYS else given
    if tests["settings"]:
        tests["runs"].append(f"setting in (select id from settings where {' and '.join(tests['settings'])})")
    return ("where " + " and ".join(tests["runs"]) if where else ""), values["runs"] + values["settings"]


def _bindable(option: Any) -> Any:
    """A value that SQLite can compare with."""
    if isinstance(option, Mapping):
        return canonical(option)
    return str(option) if isinstance(option, int) and not -(2**63) <= option < 2**63 else option
