"""From ledger to ledger, and from ledger to table: merge, export, CSV, JSONL, Parquet. Knows the tables."""

import io
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daxlab.atomic import atomic_file
from daxlab.errors import InputError
from daxlab.ledger import files
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.records import METRICS, Run
from daxlab.ledger.schema import ROW, Where, condition
from daxlab.ledger.writer import Writer

if TYPE_CHECKING:
    import polars

FORMATS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}  # how polars writes them


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
    with Ledger(other) as theirs, theirs.snapshot(), writer.transaction():
        theirs.check()  # nothing damaged is copied
        keys = theirs.select()[::-1]  # in the order in which they were added
        fresh = writer.ledger.lacking(keys)
        both = set(keys) - set(fresh)
        differ = [key for key in keys if key in both and not _agree(writer.ledger.run(key), theirs.run(key))]
        for setting in theirs.read({name: ROW[name] for name in ("spec", "label")}, "from settings", kind="setting"):
            writer.setting(**setting)  # the label is theirs: here, the file of the learner may be missing
        groups = {row["group"] for row in theirs.rows({"key": fresh})}
        for group in theirs.groups():
            if group.key in groups and not writer.ledger.group(group.key):
                complete = set(writer.ledger.lacking(group.keys)) <= set(fresh)
                writer.insert_group(group, "done" if complete else "dropped")
        writer.add(theirs.run(key) for key in fresh)
    return Merged(len(fresh), len(both) - len(differ), differ)


def _agree(ours: Run, theirs: Run) -> bool:
    """Whether two records of a run have the same status and the same predictions.

    Where they share no predictions (an export may leave them out), their metrics decide.
    """
    kinds = {"greedy", "oracle"} & set(ours.artefacts) & set(theirs.artefacts)
    names = set(METRICS) & set(ours.metrics) & set(theirs.metrics)
    same_predictions = all(ours.artefacts[kind] == theirs.artefacts[kind] for kind in kinds)
    same_metrics = all(ours.metrics[name] == theirs.metrics[name] for name in names)
    return ours.status == theirs.status and (same_predictions if kinds else same_metrics)


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


def _keep_runs(db: sqlite3.Connection, where: Where) -> None:
    chosen, values = condition(where)
    db.execute(f"delete from runs where id not in (select id from runs {chosen})", values)
    db.execute("delete from groups where id not in (select group_id from runs where group_id is not null)")
    db.execute("delete from settings where id not in (select setting from runs union select setting from members)")
    db.execute("delete from origins where id not in (select origin from runs)")


def write_table(ledger: Ledger, path: str | Path, where: Where | None = None) -> int:
    """Write the rows (schema.ROW, then a column for each field of a learner), the latest first, as a table; return
    their number."""
    import polars  # only those who want a table wait for it

    rows = ledger.rows(where)
    columns = {name: [row[name] for row in rows] for name in _TYPES}
    for field in sorted({field for row in rows for field in row["fields"]}):
        columns[f"learner.{field}" if field in ROW else field] = [row["fields"].get(field) for row in rows]
    texts = {name: [_plain(value) for value in values] for name, values in columns.items()}
    frame = polars.DataFrame(texts, schema_overrides=_TYPES, strict=False)
    write_frame(frame, Path(path))
    return frame.height


def write_frame(frame: "polars.DataFrame", target: Path) -> None:
    """Write a table in the format that its name says."""
    if target.suffix not in FORMATS:
        raise InputError(f"cannot tell the format of {target}: end its name in .csv, .jsonl or .parquet")
    content = io.BytesIO()  # polars' own words for a full disk are not for users
    getattr(frame, FORMATS[target.suffix])(content)
    with atomic_file(target) as draft:
        draft.write_bytes(content.getbuffer())


_NUMBERS = {"seed": int, "failed_at": int, "finished": float, "seconds": float, **dict.fromkeys(METRICS, float)}
_TYPES: dict[str, Any] = {name: _NUMBERS.get(name, str) for name in ROW if name != "fields"}


def _plain(value: Any) -> Any:
    """A value that a table can hold: lists and dicts as JSON, and texts that can be encoded."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    too_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return json.dumps(value) if too_large or isinstance(value, dict | list) else value
