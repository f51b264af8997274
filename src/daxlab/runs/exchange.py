"""From ledger to ledger, and from ledger to table: merge, export, CSV, Parquet. Knows the tables."""

import csv
import io
import json
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daxlab.atomic import atomic_file
from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.ledger import Ledger
from daxlab.runs.reading import Row
from daxlab.runs.records import METRICS
from daxlab.runs.schema import ROW, Where, settings_of
from daxlab.runs.writer import Writer

PREDICTIONS = ("greedy", "oracle")


@dataclass(frozen=True)
class Merged:
    """What a merge did: how many runs it added, how many both had alike, and the keys of those that differ."""

    added: int
    same: int
    differ: list[str]
    """Both ledgers have these, with different predictions or a different status. Ours were kept."""


def merge(writer: Writer, other: str | Path) -> Merged:
    """Add the runs of another ledger that we lack, with their artefacts and groups, in one transaction.

    A group of which some runs are lacking counts as dropped here, unless we had recorded it ourselves.
    """
    with Ledger(other) as theirs:
        theirs.check()  # nothing damaged is copied
    with _attached(writer, Path(other)), writer.transaction() as db:
        return _merge(writer, db)


def _merge(writer: Writer, db: sqlite3.Connection) -> Merged:
    version = db.execute("pragma other.user_version").fetchone()[0]
    db.execute(f"create temp view their_settings as {settings_of(version, 'other')}")
    measured = [f"{side}.{name}" for name in METRICS for side in ("ours", "theirs")]
    both = db.execute(
        f"select ours.key, ours.id, theirs.id, ours.status = theirs.status, {', '.join(measured)}"
        " from main.runs ours join other.runs theirs on theirs.key = ours.key"
    ).fetchall()
    runs = ((writer.ledger.decode_key(key), record) for key, *record in both)
    differ = [key for key, record in runs if not _agree(writer.ledger, key, *record)]
    for statement in _MERGE.split(";\n"):
        db.execute(statement)
    added = db.execute("select key from fresh").fetchall()
    writer.close_finished_groups(bytes(name) for (name,) in added)
    db.execute("update groups set status = 'dropped' where key in (select key from joining) and status = 'planned'")
    for what in ("view their_settings", "table fresh", "table joining"):
        db.execute(f"drop {what}")
    return Merged(len(added), len(both) - len(differ), differ)


_SETTING, _MEASURED = "key, dataset, split, learner, label, fields, spec", ", ".join(METRICS)
# In this order, because a run's row points to its origin, setting and group. Payloads are copied as they are.
_MERGE = f"""
create temp table fresh as
  select id, key, origin, setting, group_id from other.runs where key not in (select key from main.runs);

insert or ignore into main.origins (origin)
  select origin from other.origins where id in (select origin from fresh);

insert or ignore into main.settings ({_SETTING})
  select {_SETTING} from their_settings where id in (select setting from fresh union
    select setting from other.members where group_id in (select group_id from fresh));

create temp table joining as
  select id, key from other.groups
  where id in (select group_id from fresh) and key not in (select key from main.groups);

insert into main.groups (key, size, plan, executor, status, updates)
  select key, size, plan, executor, 'planned', updates
  from other.groups where id in (select id from joining) order by id;

insert into main.members (group_id, position, key, setting, seed)
  select ours.id, position, member.key, setting.id, seed
  from joining join other.members member on member.group_id = joining.id
    join main.groups ours on ours.key = joining.key
    join other.settings named on named.id = member.setting
    join main.settings setting on setting.key = named.key;

insert into main.runs
    (key, setting, seed, group_id, origin, status, failed_at, reason, {_MEASURED}, seconds, finished)
  select theirs.key, setting.id, seed, ours.id, source.id, theirs.status, failed_at, reason, {_MEASURED},
    seconds, finished
  from fresh join other.runs theirs on theirs.id = fresh.id
    join other.settings named on named.id = theirs.setting
    join main.settings setting on setting.key = named.key
    join other.origins o on o.id = theirs.origin join main.origins source on source.origin = o.origin
    left join other.groups its on its.id = theirs.group_id left join main.groups ours on ours.key = its.key
  order by theirs.id;

insert into main.details (run, metrics, timing, curve)
  select ours.id, metrics, timing, curve
  from fresh join main.runs ours on ours.key = fresh.key join other.details on run = fresh.id;

insert into main.artefacts (run, kind, payload)
  select ours.id, kind, payload
  from fresh join main.runs ours on ours.key = fresh.key join other.artefacts on run = fresh.id;
"""


@contextmanager
def _attached(writer: Writer, other: Path) -> Iterator[None]:
    with files.explained(other):
        writer.db.execute("attach ? as other", (files.reading(other),))
    try:
        yield
    finally:
        with files.explained(other):
            writer.db.execute("detach other")


def _agree(ledger: Ledger, key: str, ours: int, theirs: int, same_status: bool, *metrics: float | None) -> bool:
    """Whether two records of a run have the same status and the same predictions.

    Where they share no predictions (an export may leave them out), their metrics decide, which alternate.
    """
    if not same_status:
        return False
    shared = ledger.query(
        "select a.kind, a.payload, b.payload from main.artefacts a join other.artefacts b on b.kind = a.kind"
        f" where a.run = ? and b.run = ? and a.kind in ({', '.join('?' * len(PREDICTIONS))})",
        (ours, theirs, *PREDICTIONS),
    )
    if shared:  # other versions of zlib write other bytes for the same content
        return all(
            a == b or ledger.decompress(a, kind, key) == ledger.decompress(b, kind, key) for kind, a, b in shared
        )
    return all(a == b for a, b in zip(metrics[::2], metrics[1::2], strict=True) if a is not None and b is not None)


def export(
    ledger: Ledger, path: str | Path, where: Where | None = None, *, artefacts: Sequence[str] | None = None
) -> None:
    """Write a copy of a ledger to ship: one file of the current format, which opens where nothing can be written.

    `where` chooses runs, `artefacts` the kinds of artefacts to keep. An earlier export is replaced atomically; a
    working ledger, or a file that is no ledger, is not replaced.
    """
    target = Path(path)
    if target.exists():
        if target.samefile(ledger.path):
            raise InputError(f"{target} is the ledger itself: export it to another place")
        with Ledger(target) as earlier:
            if earlier.query("pragma journal_mode") == [("wal",)]:
                advice = "export to another place, or delete it first"
                raise InputError(f"{target} is a working ledger, not an export: {advice}")
    _remove_stale_drafts(target)
    with atomic_file(target) as draft, files.explained(ledger.path, writing=target):
        with closing(files.connect(files.reading(ledger.path))) as db:
            db.execute("vacuum into ?", (str(draft),))
        with closing(files.connect(files.address(draft, "mode=rw"))) as db:
            db.execute("pragma journal_mode = delete")  # an export is no longer written
            db.execute("pragma journal_mode = memory")  # and a draft needs no file beside it
            files.upgrade(db)
            db.execute("pragma foreign_keys = on")
            db.execute("begin")
            db.execute("delete from meta where name = 'writer'")
            if where:
                _keep_runs(db, ledger.select(where))
            if artefacts is not None:
                kinds = ", ".join("?" * len(artefacts))
                db.execute(f"delete from artefacts where kind not in ({kinds})", list(artefacts))
            db.execute("commit")
            db.execute("vacuum")


def _remove_stale_drafts(target: Path) -> None:
    """Remove what killed exports to this place left: drafts that nobody has written to for a minute."""
    draft = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}")
    with suppress(OSError):  # the export itself will say what is wrong with the folder
        for path in target.absolute().parent.iterdir():
            if draft.fullmatch(path.name) and time.time() - path.stat().st_mtime > 60:
                path.unlink(missing_ok=True)


def _keep_runs(db: sqlite3.Connection, keys: Sequence[str]) -> None:
    db.execute("create temp table chosen (key blob primary key) without rowid")
    db.executemany("insert into chosen values (?)", ((bytes.fromhex(key),) for key in keys))
    db.execute("delete from runs where key not in (select key from chosen)")
    db.execute("delete from groups where id not in (select group_id from runs where group_id is not null)")
    db.execute("delete from settings where id not in (select setting from runs union select setting from members)")
    db.execute("delete from origins where id not in (select origin from runs)")


def write_table(ledger: Ledger, path: str | Path, where: Where | None = None) -> int:
    """Write the rows (schema.ROW, then a column for each field of a learner), the latest first, as .csv or .parquet;
    return their number."""
    target = Path(path)
    kinds = {".csv": _write_csv, ".parquet": _write_parquet}
    if target.suffix not in kinds:
        raise InputError(f"cannot tell the format of {target}: end its name in .csv or .parquet")
    names = {name: f"learner.{name}" if name in ROW else name for name in ledger.fields()}
    fixed = [name for name in ROW if name != "fields"]

    def flat(row: Row) -> Row:
        values = {name: row[name] for name in fixed} | {name: row["fields"].get(field) for field, name in names.items()}
        return {name: _plain(value) for name, value in values.items()}

    _remove_stale_drafts(target)
    with atomic_file(target) as draft:
        return kinds[target.suffix](draft, map(flat, ledger.each_row(where)), [*fixed, *names.values()])


def _plain(value: Any) -> Any:
    """A value that a table can hold: lists and dicts as JSON, and texts that can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return json.dumps(value) if isinstance(value, dict | list) else value


def _write_csv(path: Path, rows: Iterable[Row], names: Sequence[str]) -> int:
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, names)
        table.writeheader()
        for row in rows:
            table.writerow(row)
            count += 1
    return count


def _write_parquet(path: Path, rows: Iterable[Row], names: Sequence[str]) -> int:
    import polars  # only those who want Parquet wait for it

    table = list(rows)
    types = {(int,): polars.Int64, (float,): polars.Float64, (float, int): polars.Float64, (bool,): polars.Boolean}
    columns = []
    for name in names:
        values = [row[name] for row in table]
        kinds = sorted(_kinds(name, values), key=lambda kind: kind.__name__)
        if tuple(kinds) not in types:  # values of several types as JSON
            values = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
        columns.append(polars.Series(name, values, types.get(tuple(kinds), polars.String)))
    frame = polars.DataFrame(columns)
    content = io.BytesIO()  # polars' own words for a full disk are not for users
    frame.write_parquet(content)
    path.write_bytes(content.getbuffer())
    return frame.height


def _kinds(name: str, values: Sequence[Any]) -> set[type]:
    """The types that a column may hold, or that the values of a field have."""
    if name in ROW:
        declared = ROW[name][1]
        return set(declared if isinstance(declared, tuple) else [declared]) - {type(None)}
    if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        return {str}  # more than 64 bits
    return {type(value) for value in values if value is not None}
