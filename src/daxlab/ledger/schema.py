"""The ledger's tables, how those of older formats become these, and filters of runs (`where`) as SQL. Opens no file.

Whoever changes the tables raises VERSION.

The tables that most queries scan are narrow; what is read run by run (curve, artefacts) lies in tables of its own.
Keys are 32 bytes: `select hex(key)`. The view `rows` is for people with a SQLite shell.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from daxlab.ledger import decoding
from daxlab.ledger.records import METRICS, canonical

APPLICATION = 0x64617821  # "dax!", by which `file` and we recognise a ledger
VERSION = 3


SETTINGS = """
create table {} (
  id integer primary key, key blob not null unique,
  dataset text, split text not null, learner text not null, label text not null, fields text not null,
  spec text not null);
"""

SETTINGS_INDEX = """
create index settings_by_split on settings (split, dataset, learner);
"""

ROWS = """
create view rows as
  select lower(hex(runs.key)) as key, dataset, split, learner, label, fields, seed,
    runs.status, failed_at, reason, accuracy, train_accuracy, oracle_accuracy, seconds, finished,
    nullif(lower(hex(groups.key)), '') as "group", origins.origin, json_insert(spec, '$.seed', seed) as spec
  from runs join settings on settings.id = runs.setting
    left join groups on groups.id = runs.group_id
    join origins on origins.id = runs.origin;
"""

SCHEMA = f"""
create table meta (name text primary key, value text not null) without rowid;

-- A setting is a spec without its seed; its runs are replicates. fields: those of the learner, as JSON.
{SETTINGS.format("settings")}{SETTINGS_INDEX}
create table origins (id integer primary key, origin text not null unique);

create table groups (
  id integer primary key, key blob not null unique, size integer not null,
  plan text not null, executor text not null,
  status text not null check (status in ('planned', 'running', 'done', 'dropped')),
  updates integer not null default 0);
create index groups_by_status on groups (status);

create table members (
  group_id integer not null references groups on delete cascade, position integer not null,
  key blob not null, setting integer not null, seed integer not null,
  primary key (group_id, position)) without rowid;
create index members_by_key on members (key);

create table runs (
  id integer primary key, key blob not null unique,
  setting integer not null references settings, seed integer not null,
  group_id integer references groups, origin integer not null references origins,
  status text not null check (status in ('done', 'failed')), failed_at integer, reason text,
  accuracy real, train_accuracy real, oracle_accuracy real, seconds real, finished real not null,
  check ((status = 'failed') = (failed_at is not null)));
create index runs_by_setting on runs (setting, status, accuracy, seed);
create index runs_by_status on runs (status);
create index runs_by_group on runs (group_id);

create table details (
  run integer primary key references runs on delete cascade,
  metrics text not null, timing text not null, curve text not null);

-- payload: bytes of artefacts.py, compressed by zlib
create table artefacts (
  run integer not null references runs on delete cascade, kind text not null, payload blob not null,
  primary key (run, kind));
{ROWS}"""


# The settings of an older format as this one has them. `described` is in files.py.
OLD_SETTINGS = """
select id, key, described(spec, 'dataset') as dataset, split, described(spec, 'learner') as learner,
  described(spec, 'label') as label, described(spec, 'fields') as fields, spec from main.settings"""

# From each format to the next. Readers do without: they read older ledgers as they are.
STEPS = {
    1: """
drop index if exists runs_by_setting;
create index runs_by_setting on runs (setting, status, accuracy, seed);
""",
    2: f"""
drop view if exists rows;
{SETTINGS.format("new_settings")}
insert into new_settings {OLD_SETTINGS};
drop table settings;
alter table new_settings rename to settings;
{SETTINGS_INDEX}{ROWS}""",
}

Columns = dict[str, tuple[str, decoding.Decoder]]
"""Where each column of a query is, and how it is decoded."""
SETTING: Columns = {
    "dataset": ("settings.dataset", decoding.text),
    "split": ("settings.split", decoding.text),
    "learner": ("settings.learner", decoding.text),
    "label": ("settings.label", decoding.text),
    "fields": ("settings.fields", decoding.fields),
}
ROW: Columns = {
    "key": ("runs.key", decoding.key),
    **SETTING,
    "seed": ("runs.seed", decoding.whole),
    "status": ("runs.status", decoding.text),
    "failed_at": ("failed_at", decoding.optional(decoding.whole)),
    "reason": ("reason", decoding.optional(decoding.text)),
    **{name: (name, decoding.optional(decoding.number)) for name in (*METRICS, "seconds")},
    "finished": ("finished", decoding.number),
    "group": ("groups.key", decoding.optional(decoding.key)),
    "origin": ("origins.origin", decoding.mapping),
    "spec": ("settings.spec", decoding.mapping),
}
RECORD: Columns = ROW | {
    "metrics": ("details.metrics", decoding.numbers),
    "timing": ("details.timing", decoding.numbers),
    "curve": ("details.curve", decoding.curve),
}
GROUP: Columns = {
    "key": ("groups.key", decoding.key),
    "number": ("groups.id", decoding.whole),
    "status": ("groups.status", decoding.text),
    "updates": ("groups.updates", decoding.whole),
}

Where = Mapping[str, Any]

RUN_COLUMNS = ("key", "group", "seed", "status", "failed_at", *METRICS)
_PLACES = {name: name for name in (*RUN_COLUMNS, "dataset", "split", "learner", "label")}
_PLACES |= {"group": "group_id", "language": "dataset", "language.name": "dataset"}
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
        table, column = "runs" if name in RUN_COLUMNS else "settings", place(name)
        options = list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
        present = [_bindable(option) for option in options if option is not None]
        any_of = [f"{column} in ({_KEYS.get(name, ', '.join('?' * len(present)))})"]
        any_of += [f"{column} is null"] * (len(present) < len(options))
        tests[table].append(f"({' or '.join(any_of)})")
        keys = [option for option in present if re.fullmatch("[0-9a-fA-F]{64}", str(option))]  # nothing else is a key
        values[table] += [json.dumps(keys)] if name in _KEYS else present
    if tests["settings"]:
        tests["runs"].append(f"setting in (select id from settings where {' and '.join(tests['settings'])})")
    return ("where " + " and ".join(tests["runs"]) if where else ""), values["runs"] + values["settings"]


def _bindable(option: Any) -> Any:
    """A value that SQLite can compare with."""
    if isinstance(option, Mapping):
        return canonical(option)
    return str(option) if isinstance(option, int) and not -(2**63) <= option < 2**63 else option
