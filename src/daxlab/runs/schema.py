"""The ledger's tables, and how those of older formats become these. Whoever changes them raises VERSION.

The tables that most queries scan are narrow; what is read run by run (curve, artefacts) lies in tables of its own.
Keys are 32 bytes: `select hex(key)`. The view `rows` is for people with a SQLite shell.
"""

from daxlab.runs.records import METRICS

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


def settings_of(version: int, database: str) -> str:
    """A query for the settings of a ledger of any format, as this format has them. `described` is in files.py."""
    columns = ("dataset", "split", "learner", "label", "fields")
    new = {name: f"described(spec, '{name}') as {name}" for name in columns if version < 3 and name != "split"}
    return f"select id, key, {', '.join(new.get(name, name) for name in columns)}, spec from {database}.settings"


# From each format to the next. Readers do without: they read older ledgers as they are.
STEPS = {
    1: """
drop index if exists runs_by_setting;
create index runs_by_setting on runs (setting, status, accuracy, seed);
""",
    2: f"""
drop view if exists rows;
{SETTINGS.format("new_settings")}
insert into new_settings {settings_of(2, "main")};
drop table settings;
alter table new_settings rename to settings;
{SETTINGS_INDEX}{ROWS}""",
}

# The columns of a row: where each is, and what type it has.
ROW: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "key": ("runs.key", bytes),
    "dataset": ("settings.dataset", (str, type(None))),
    "split": ("settings.split", str),
    "learner": ("settings.learner", str),
    "label": ("settings.label", str),
    "fields": ("settings.fields", str),
    "seed": ("runs.seed", int),
    "status": ("runs.status", str),
    "failed_at": ("failed_at", (int, type(None))),
    "reason": ("reason", (str, type(None))),
    **{name: (name, (int, float, type(None))) for name in (*METRICS, "seconds")},
    "finished": ("finished", (int, float)),
    "group": ("groups.key", (bytes, type(None))),
    "origin": ("origins.origin", str),
    "spec": ("settings.spec", str),
}
