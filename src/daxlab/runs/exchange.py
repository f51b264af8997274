"""From ledger to ledger, and from ledger to table: merge, export, CSV, Parquet.

Knows the tables, and nothing of who asks or why.
"""

import csv
import io
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daxlab.atomic import atomic_file
from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.ledger import Ledger
from daxlab.runs.records import COLUMNS, METRICS
from daxlab.runs.schema import TABLE
from daxlab.runs.where import Where
from daxlab.runs.writer import Writer

PREDICTIONS = ("greedy", "oracle")


@dataclass(frozen=True)
class Merged:
    """What a merge did: how many runs came in, how many both had alike, and the keys where the two differ."""

    added: int
    same: int
    differ: list[str]
    """Both have these, with other predictions or another end. Ours were kept."""


def merge(writer: Writer, other: str | Path) -> Merged:
    """Add the runs that we lack, with their artefacts and the groups they name; all or none.

    A group whose runs did not all come counts as dropped here, unless we had recorded it ourselves.
    """
    with Ledger(other) as theirs:
        theirs.check()  # what is damaged there shall not come in here
    with _attached(writer, Path(other)), writer.transaction() as db:
        return _merge(writer, db)


def _merge(writer: Writer, db: sqlite3.Connection) -> Merged:
    both = db.execute(
        "select ours.key, ours.id, theirs.id from main.runs ours join other.runs theirs on theirs.key = ours.key"
    ).fetchall()
    differ = [bytes(name).hex() for name, ours, its in both if not _agree(db, ours, its)]
    for statement in _MERGE.split(";\n"):
        db.execute(statement)
    added = db.execute("select key from fresh").fetchall()
    writer.settle(bytes(name) for (name,) in added)
    db.execute("update groups set status = 'dropped' where key in (select key from joining) and status = 'planned'")
    db.execute("drop table fresh")
    db.execute("drop table joining")
    return Merged(len(added), len(both) - len(differ), differ)


_SPEC, _MEASURED = ", ".join(COLUMNS), ", ".join(METRICS)
# In this order, because a run's row points to its origin, setting and group. Payloads are copied as they are.
_MERGE = f"""
create temp table fresh as
  select id, key, origin, setting, group_id from other.runs where key not in (select key from main.runs);

insert or ignore into main.origins (origin)
  select origin from other.origins where id in (select origin from fresh);

insert or ignore into main.settings (key, {_SPEC}, spec)
  select key, {_SPEC}, spec from other.settings where id in (select setting from fresh union
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
        writer.db.execute("attach ? as other", (files.reading_uri(other),))
    try:
        yield
    finally:
        writer.db.execute("detach other")


def _agree(db: sqlite3.Connection, ours: int, theirs: int) -> bool:
    """Whether two records of one run came to the same: the same end, the same predictions.

    Where the two share no predictions (an export may leave them out), their metrics decide.
    """
    end = "select status, {} from {}.runs where id = ?"
    (status, *measured), (its_status, *its_measured) = (
        db.execute(end.format(_MEASURED, name), (run,)).fetchone() for name, run in (("main", ours), ("other", theirs))
    )
    shared = db.execute(
        "select a.payload, b.payload from main.artefacts a join other.artefacts b on b.kind = a.kind"
        f" where a.run = ? and b.run = ? and a.kind in ({', '.join('?' * len(PREDICTIONS))})",
        (ours, theirs, *PREDICTIONS),
    ).fetchall()
    if status != its_status:
        return False
    if shared:  # other versions of zlib write other bytes for the same content
        return all(a == b or zlib.decompress(a) == zlib.decompress(b) for a, b in shared)
    return all(a == b for a, b in zip(measured, its_measured, strict=True) if a is not None and b is not None)


def export(
    ledger: Ledger, path: str | Path, where: Where | None = None, *, artefacts: Sequence[str] | None = None
) -> None:
    """Write a copy to ship: one file, rollback journal, readable where nothing can be written.

    Of all runs or those chosen, with all artefacts or those of the kinds given. An earlier export is replaced
    at once or not at all; a file that is no ledger is not replaced.
    """
    target = Path(path)
    if target.exists():
        if target.samefile(ledger.path):
            raise InputError(f"{target} is the ledger itself: export it to another place")
        Ledger(target).close()  # raises if it is something else
        if files.is_working(target):
            raise InputError(
                f"{target} is a ledger at work, not an export: export to another place, or delete it first"
            )
    with atomic_file(target) as draft, files.explained(target):
        ledger.db.execute("vacuum into ?", (str(draft),))
        with closing(sqlite3.connect(draft, isolation_level=None)) as db:
            db.execute("pragma journal_mode = delete")  # what is shipped is no longer written
            db.execute("pragma journal_mode = memory")  # and a draft needs no file beside it
            db.execute("pragma foreign_keys = on")
            db.execute("begin")
            db.execute("delete from meta where name = 'writer'")
            if where:
                _keep_runs(db, ledger.select(where))
            if artefacts is not None:
                db.execute(
                    f"delete from artefacts where kind not in ({', '.join('?' * len(artefacts))})",
                    list(artefacts),
                )
            db.execute("commit")
            db.execute("vacuum")


def _keep_runs(db: sqlite3.Connection, keys: Sequence[str]) -> None:
    db.execute("create temp table chosen (key blob primary key) without rowid")
    db.executemany("insert into chosen values (?)", ((bytes.fromhex(key),) for key in keys))
    db.execute("delete from runs where key not in (select key from chosen)")
    db.execute("delete from groups where id not in (select group_id from runs where group_id is not null)")
    db.execute("delete from settings where id not in (select setting from runs union select setting from members)")
    db.execute("delete from origins where id not in (select origin from runs)")


def write_table(ledger: Ledger, path: str | Path, where: Where | None = None) -> int:
    """Write the rows (schema.TABLE and the protocol's other entries, the latest first) as .csv or .parquet; says how
    many."""
    target = Path(path)
    kinds = {".csv": _write_csv, ".parquet": _write_parquet}
    if target.suffix not in kinds:
        raise InputError(f"cannot tell the format of {target}: end its name in .csv or .parquet")
    protocol = {name: kind for name, kind in ledger._all(_PROTOCOL) if name not in TABLE}

    def flat(row: dict[str, Any]) -> dict[str, Any]:
        entries = row["spec"].get("protocol", {})
        return {
            **{name: json.dumps(part) if name in ("origin", "spec") else part for name, part in row.items()},
            **{f"protocol.{name}": entries.get(name) for name in protocol},
        }

    with atomic_file(target) as draft:
        rows = map(flat, ledger.each_row(where))
        return kinds[target.suffix](draft, rows, {f"protocol.{name}": kind for name, kind in protocol.items()})


_PROTOCOL = "select entries.key, max(entries.type) from settings, json_each(spec, '$.protocol') entries group by 1"


def _write_csv(path: Path, rows: Iterator[dict[str, Any]], more: Mapping[str, str]) -> int:
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [*TABLE, *more])
        table.writeheader()
        for row in rows:
            table.writerow(row)
            count += 1
    return count


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]], more: Mapping[str, str]) -> int:
    import polars  # only those who want Parquet wait for it

    counts = dict.fromkeys(("layers", "hidden", "updates", "seed", "failed_at"), polars.Int64)
    types = {**dict.fromkeys(TABLE, polars.String), **counts, "attention": polars.Boolean}
    types |= dict.fromkeys(("dropout", *METRICS, "seconds", "finished"), polars.Float64)
    of_json = dict.fromkeys(("integer", "real"), polars.Float64) | dict.fromkeys(("true", "false"), polars.Boolean)
    types |= {name: of_json.get(kind, polars.String) for name, kind in more.items()}
    frame = polars.DataFrame(list(rows), schema={name: types[name] for name in (*TABLE, *more)})
    content = io.BytesIO()  # polars' own words for a full disk are not for users
    frame.write_parquet(content)
    path.write_bytes(content.getbuffer())
    return frame.height
