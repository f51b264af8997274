"""From ledger to ledger, and from ledger to table: merge, export, CSV, Parquet. Knows the tables."""

import glob
import io
import json
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daxlab.atomic import atomic_file
from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.ledger import Ledger
from daxlab.runs.records import METRICS
from daxlab.runs.schema import ROW, Where, condition, settings_of
from daxlab.runs.writer import Writer


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
    with files.explained(Path(other)):
        writer.db.execute("attach ? as other", (files.reading(Path(other)),))
        try:
            with writer.transaction() as db:
                return _merge(writer, db)
        finally:
            writer.db.execute("detach other")


def _merge(writer: Writer, db: sqlite3.Connection) -> Merged:
    version = db.execute("pragma other.user_version").fetchone()[0]
    db.execute(f"create temp view their_settings as {settings_of(version, 'other')}")
    same_metrics = " and ".join(f"coalesce(ours.{name} = theirs.{name}, true)" for name in METRICS)
    both = db.execute(
        f"select lower(hex(ours.key)), ours.id, theirs.id, ours.status = theirs.status, {same_metrics}"
        " from main.runs ours join other.runs theirs on theirs.key = ours.key"
    ).fetchall()
    differ = [
        key
        for key, ours, theirs, same_status, same_metrics in both
        if not (same_status and _same_predictions(writer.ledger, key, ours, theirs, same_metrics))
    ]
    for statement in _MERGE.split(";\n"):
        db.execute(statement)
    added = db.execute("select key from fresh").fetchall()
    writer.close_finished_groups(key for (key,) in added)
    db.execute("update groups set status = 'dropped' where key in (select key from joining) and status = 'planned'")
    for what in ("view their_settings", "table fresh", "table joining"):
        db.execute(f"drop {what}")
    return Merged(len(added), len(both) - len(differ), differ)


def _same_predictions(ledger: Ledger, key: str, ours: int, theirs: int, otherwise: bool) -> bool:
    """Whether two records of a run have the same predictions; `otherwise` if an export left them out."""
    shared = ledger.query(
        "select a.kind, a.payload, b.payload from main.artefacts a join other.artefacts b on b.kind = a.kind"
        " where a.run = ? and b.run = ? and a.kind in ('greedy', 'oracle')",
        (ours, theirs),
    )
    if not shared:
        return otherwise
    # Other versions of zlib write other bytes for the same content.
    return all(a == b or ledger.decompress(a, kind, key) == ledger.decompress(b, kind, key) for kind, a, b in shared)


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
                _keep_runs(db, where)
            if artefacts is not None:
                kinds = ", ".join("?" * len(artefacts))
                db.execute(f"delete from artefacts where kind not in ({kinds})", list(artefacts))
            db.execute("commit")
            db.execute("vacuum")


def _remove_stale_drafts(target: Path) -> None:
    """Remove what killed exports to this place left: drafts that nobody has written to for a minute."""
    with suppress(OSError):  # the export itself will say what is wrong with the folder
        for draft in target.parent.glob(f".{glob.escape(target.name)}.{'[0-9a-f]' * 8}"):
            if time.time() - draft.stat().st_mtime > 60:
                draft.unlink(missing_ok=True)


def _keep_runs(db: sqlite3.Connection, where: Where) -> None:
    chosen, values = condition(where)
    db.execute(f"delete from runs where id not in (select id from runs {chosen})", values)
    db.execute("delete from groups where id not in (select group_id from runs where group_id is not null)")
    db.execute("delete from settings where id not in (select setting from runs union select setting from members)")
    db.execute("delete from origins where id not in (select origin from runs)")


def write_table(ledger: Ledger, path: str | Path, where: Where | None = None) -> int:
    """Write the rows (schema.ROW, then a column for each field of a learner), the latest first, as .csv or .parquet;
    return their number."""
    import polars  # only those who want a table wait for it

    target = Path(path)
    if target.suffix not in (".csv", ".parquet"):
        raise InputError(f"cannot tell the format of {target}: end its name in .csv or .parquet")
    rows = ledger.rows(where)
    columns = {name: [row[name] for row in rows] for name in _TYPES}
    for field in sorted({field for row in rows for field in row["fields"]}):
        columns[f"learner.{field}" if field in ROW else field] = [row["fields"].get(field) for row in rows]
    texts = {name: [_plain(value) for value in values] for name, values in columns.items()}
    frame = polars.DataFrame(texts, schema_overrides=_TYPES, strict=False)
    content = io.BytesIO()  # polars' own words for a full disk are not for users
    frame.write_csv(content) if target.suffix == ".csv" else frame.write_parquet(content)
    with atomic_file(target) as draft:
        draft.write_bytes(content.getbuffer())
    return frame.height


_NUMBERS = {"seed": int, "failed_at": int, "finished": float, "seconds": float, **dict.fromkeys(METRICS, float)}
_TYPES: dict[str, Any] = {name: _NUMBERS.get(name, str) for name in ROW if name != "fields"}


def _plain(value: Any) -> Any:
    """A value that a table can hold: lists and dicts as JSON, and texts that can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    too_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return json.dumps(value) if too_large or isinstance(value, dict | list) else value
