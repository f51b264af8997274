"""The ledger's tables. Whoever changes them raises VERSION and writes the step from the last.

The tables that every question walks through are narrow; what is only read run by run (spec, curve, artefacts)
lies elsewhere. Keys are 32 bytes: `select hex(key)`. The view `rows` is for people with a SQLite shell.
"""

from daxlab.runs.records import COLUMNS, METRICS

APPLICATION = 0x64617821  # "dax!", so that `file` and we know a ledger when we see one
VERSION = 2

SCHEMA = """
create table meta (name text primary key, value text not null) without rowid;

-- A setting is a spec without its seed; its runs are replicates.
create table settings (
  id integer primary key, key blob not null unique,
  split text not null, cell text, layers integer, hidden integer, attention integer, dropout real,
  updates integer,
  spec text not null);
create index settings_by_column on settings (split, cell, layers, hidden, attention, dropout, updates);

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

-- payload: zlib over a content of artefacts.py
create table artefacts (
  run integer not null references runs on delete cascade, kind text not null, payload blob not null,
  primary key (run, kind));

create view rows as
  select runs.id, lower(hex(runs.key)) as key,
    split, cell, layers, hidden, attention, dropout, settings.updates, seed,
    runs.status, failed_at, reason, accuracy, train_accuracy, oracle_accuracy, seconds, finished,
    nullif(lower(hex(groups.key)), '') as "group", origins.origin, json_insert(spec, '$.seed', seed) as spec
  from runs join settings on settings.id = runs.setting
    left join groups on groups.id = runs.group_id
    join origins on origins.id = runs.origin;
"""

# From a version to the next one. Readers need none of it: an older ledger answers them too, if more slowly.
STEPS = {
    1: """
drop index runs_by_setting;

create index runs_by_setting on runs (setting, status, accuracy, seed);
""",
}

ROW = (
    "key",
    *COLUMNS,
    "seed",
    "status",
    "failed_at",
    "reason",
    *METRICS,
    "seconds",
    "finished",
    "group",
    "origin",
    "spec",
)
"""The columns of the view, in its order."""
TABLE = (ROW[0], "language", *ROW[1:])
"""The columns of a row as readers have it: with the language's name, which is in the spec."""
