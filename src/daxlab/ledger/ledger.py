"""The ledger as its readers see it: find a run, list and count, curves, replicates, groups, live monitoring.

Knows the tables; knows nothing of training, nor of what a metric means. Queries about many runs scan narrow tables and
indices only, so that a million runs take about a second. What cannot be read is an InputError that names it.
"""

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Self

from daxlab.errors import InputError, nearest
from daxlab.ledger import decoding, files
from daxlab.ledger.records import METRICS, Group, GroupStatus, Run
from daxlab.ledger.schema import GROUP, RECORD, ROW, RUN_COLUMNS, SETTING, Columns, Where, condition, place

Row = dict[str, Any]
_RUNS = (
    "from runs left join settings on settings.id = runs.setting left join groups on groups.id = runs.group_id"
    " left join origins on origins.id = runs.origin left join details on details.run = runs.id"
)


class Ledger:
    """A ledger open for reading: also while a writer writes, or in a folder that cannot be written.

    `where` filters by equality: by column ("split", "learner", "seed", "status"…), by a field of the learner
    ("hidden") or by a path into the spec ("split.digest"). A list means any of its values, None an absent one.
    """

    def __init__(self, path: str | Path, db: sqlite3.Connection | None = None) -> None:
        self.path = Path(path)
        self.db = db or files.reader(self.path)

    def __repr__(self) -> str:
        return f"Ledger {self.path}"

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Every query inside sees the same state, whatever is written meanwhile."""
        with files.explained(self.path), self.db:
            self.db.execute("begin")
            yield

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows that a query gives."""
        with files.explained(self.path):
            return self.db.execute(sql, values).fetchall()

    def read(self, columns: Columns, source: str, values: Sequence[Any] = (), kind: str = "run") -> Iterator[Row]:
        """Rows of a query, decoded one at a time. `kind`: what a row is about."""
        with files.explained(self.path):
            for record in self.db.execute(f"select {', '.join(sql for sql, _ in columns.values())} {source}", values):
                row: Row = {}
                for (name, (_, decode)), value in zip(columns.items(), record, strict=True):
                    try:
                        row[name] = decode(value)
                    except decoding.MALFORMED as error:
                        raise self.damage(name, kind, row.get("key")) from error
                yield row

    def damage(self, part: str, kind: str, key: str | None = None, reason: str = "") -> InputError:
        """The error for a part of a run (or a group, a setting) that cannot be read."""
        name, remedy = f"{kind} {key[:12]}" if key else f"a {kind}", "use a copy of the ledger"
        if key and kind == "run":
            remedy = f"delete that run ('daxlab runs delete {key[:12]}') and train it again, or {remedy}"
        return InputError(f"{self.path} is damaged: the {part} of {name}{reason} cannot be read; {remedy}")

    # -- one run

    def keys_with_prefix(self, prefix: str) -> list[str]:
        """The keys that begin with a prefix, in order; six at most."""
        return self._keys("where key between ? and ? order by key limit 6", _range(prefix))

    def find(self, prefix: str) -> str:
        """The whole key of the one run whose key begins with a prefix."""
        keys, begin = self.keys_with_prefix(prefix), prefix.strip().lower()
        if len(keys) == 1:
            return keys[0]
        if keys:
            names = ", ".join(key[:12] for key in keys)
            raise InputError(f"more than one run in {self.path} begins with {begin!r} ({names}): give more of the key")
        low, high = _range(prefix)
        around = self._keys("where key < ? order by key desc limit 1", [low])
        around += self._keys("where key > ? order by key limit 1", [high])
        if not around:
            raise InputError(f"no run begins with {begin!r}: {self.path} has no runs yet")
        nearest = min(around, key=lambda key: abs(int(key, 16) - int(low.hex(), 16)))
        raise InputError(
            f"no run begins with {begin!r}: none of the {self.count():,} in {self.path} does (nearest: {nearest[:12]})"
        )

    def _keys(self, chosen: str, values: Sequence[Any]) -> list[str]:
        return [row["key"] for row in self.read({"key": ROW["key"]}, f"from runs {chosen}", values)]

    def run(self, prefix: str) -> Run:
        """One run, with all that is known of it."""
        key = self.find(prefix)
        row = next(self._runs(RECORD, {"key": key}), None)
        if row is None:
            raise self.damage("record", "run", key)
        artefacts = dict(self._artefacts("where runs.key = ? order by kind", [bytes.fromhex(key)]))
        metrics = {name: row[name] for name in METRICS if row[name] is not None} | row["metrics"]
        parts = ("spec", "group", "status", "failed_at", "reason", "curve", "timing", "origin", "finished")
        try:
            return Run(**{part: row[part] for part in parts}, metrics=metrics, artefacts=artefacts)
        except (TypeError, ValueError) as error:
            raise self.damage("record", "run", key, f" ({error})") from error

    def artefact(self, run: str, kind: str) -> bytes | None:
        """One artefact of a run, by its whole key; None if it has none of that kind."""
        contents = dict(self._artefacts("where runs.key = ? and kind = ?", [bytes.fromhex(run), kind]))
        return contents.get(kind)

    def having(self, kind: str) -> set[str]:
        """The keys of the runs that have an artefact of a kind."""
        ask = "select lower(hex(runs.key)) from artefacts join runs on runs.id = run where kind = ?"
        return {key for (key,) in self.query(ask, [kind])}

    def _artefacts(self, chosen: str = "", values: Sequence[Any] = ()) -> Iterator[tuple[str, bytes]]:
        """The kinds and the contents of artefacts."""
        ask = f"select lower(hex(runs.key)), kind, payload from artefacts join runs on runs.id = run {chosen}"
        with files.explained(self.path):
            for key, kind, payload in self.db.execute(ask, values):
                try:
                    content = zlib.decompress(payload)
                except (TypeError, zlib.error) as error:
                    raise self.damage(kind, "run", key) from error
                yield kind, content

    # -- many runs

    def lacking(self, runs: Iterable[str], *, retry_failed: bool = False) -> list[str]:
        """Of these keys, those that are not in the ledger; with retry_failed, failed ones too."""
        ask = "select 1 from runs where key = ?" + (" and status = 'done'" if retry_failed else "")
        return [run for run in runs if not self.query(ask, (bytes.fromhex(run),))]

    def count(self, where: Where | None = None) -> int:
        chosen, values = condition(where)
        return int(self.query(f"select count(*) from runs {chosen}", values)[0][0])

    def columns(self) -> list[str]:
        """The names that runs can be filtered by: the columns, and the fields of the learners in this ledger."""
        fields = self.query("select distinct field.key from settings, json_each(fields) field order by 1")
        settings = [name for name in SETTING if name != "fields"]
        return [*RUN_COLUMNS, *settings, "semantics", *(name for (name,) in fields if isinstance(name, str))]

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse to filter by what no run has, with the nearest name. In a ledger without runs nothing is known."""
        columns = self.columns() if self.count() else []
        for name in names:
            if columns and "." not in name and name not in (*columns, "language"):
                raise InputError(f"runs have no column {name!r}; {nearest(name, columns)}")

    def values(self, column: str) -> list[Any]:
        """The values that runs have in a column or field, each once, in order."""
        if column in RUN_COLUMNS:
            return [value for (value,) in self.query(f"select distinct {place(column)} from runs order by 1")]
        here, kind = place(column), place(column, "json_type")  # for SQLite, true is 1
        truth = f"{kind} in ('true', 'false')" if kind != here else "0"
        ask = f"select distinct {here}, {truth} from settings where id in (select setting from runs) order by 1"
        return [bool(value) if is_truth else value for value, is_truth in self.query(ask)]

    def select(self, where: Where | None = None, *, limit: int | None = None) -> list[str]:
        """Keys of runs, the latest first."""
        return [row["key"] for row in self._runs({"key": ROW["key"]}, where, limit)]

    def rows(self, where: Where | None = None, *, limit: int | None = None) -> list[Row]:
        """Runs as rows (schema.ROW), the latest first."""
        return list(self.each_row(where, limit=limit))

    def each_row(self, where: Where | None = None, *, limit: int | None = None) -> Iterator[Row]:
        """Like rows, one at a time, for those who cannot hold them all."""
        return self._runs(ROW, where, limit)

    def _runs(self, columns: Columns, where: Where | None = None, limit: int | None = None) -> Iterator[Row]:
        chosen, values = condition(where)
        source = f"{_RUNS} where runs.id in (select id from runs {chosen} order by id desc limit ?)"
        most = -1 if limit is None else limit
        for row in self.read(columns, f"{source} order by runs.id desc", (*values, most)):
            if "spec" in row:
                row["spec"]["seed"] = row["seed"]
            yield row

    def curves(self, where: Where | None = None) -> dict[str, dict[str, list[float]]]:
        """Learning curves by key, the latest first."""
        columns = {name: RECORD[name] for name in ("key", "curve")}
        return {row["key"]: row["curve"] for row in self._runs(columns, where)}

    def accuracies(self, where: Where | None = None) -> list[Row]:
        """A row for each setting: what it is (SETTING), how many of its runs failed, and the seed and the accuracy of
        each run that has one. Only an index of the runs is read."""
        chosen, values = condition(where)
        columns: Columns = {"id": ("id", decoding.whole), **SETTING}
        source = f"from settings where id in (select setting from runs {chosen}) order by id"
        rows = {row.pop("id"): row for row in self.read(columns, source, values, "setting")}
        for row in rows.values():
            row |= {"failed": 0, "seeds": [], "accuracies": []}
        ask = (
            f"select setting, status is 'failed', accuracy, seed from runs {chosen} order by setting, status, accuracy"
        )
        with files.explained(self.path):
            for setting, failed, accuracy, seed in self.db.execute(ask, values):
                if setting not in rows:
                    raise self.damage("setting", "run")
                row = rows[setting]
                row["failed"] += failed
                if accuracy is not None:
                    row["seeds"].append(seed)
                    row["accuracies"].append(accuracy)
        for row in rows.values():
            if not set(map(type, row["seeds"] + row["accuracies"])) <= {int, float}:
                raise self.damage("accuracies", "setting")
        return list(rows.values())

    # -- groups, and the ledger as a whole

    def groups(self, *statuses: GroupStatus) -> list[Group]:
        """The recorded groups in their order: all, or those of a status."""
        return self._groups(f"where status in ({', '.join('?' * len(statuses))})" if statuses else "", statuses)

    def group(self, key: str) -> Group | None:
        """One recorded group by its whole key."""
        return next(iter(self._groups("where key = ?", [bytes.fromhex(key)])), None)

    def _groups(self, chosen: str, values: Sequence[Any]) -> list[Group]:
        columns = GROUP | {name: (name, decoding.mapping) for name in ("plan", "executor")}
        rows = self.read(columns, f"from groups {chosen} order by id", values, "group")
        return [self._group(**row) for row in rows]

    def _group(self, key: str, number: int, **parts: Any) -> Group:
        columns: Columns = {"spec": ROW["spec"], "seed": ("seed", decoding.whole)}
        source = "from members left join settings on settings.id = setting where group_id = ? order by position"
        members = [row["spec"] | {"seed": row["seed"]} for row in self.read(columns, source, [number], "group")]
        try:
            return Group(members=members, **parts)
        except (TypeError, ValueError) as error:
            raise self.damage("record", "group", key, f" ({error})") from error

    def live_group(self, run: str) -> str | None:
        """Key of the group, planned or running, that has a run among its members."""
        source = "from members join groups on groups.id = group_id where members.key = ?"
        live = f"{source} and status in ('planned', 'running')"
        rows = self.read({"key": GROUP["key"]}, live, [bytes.fromhex(run)], "group")
        return next((row["key"] for row in rows), None)

    # -- for live monitoring

    def under_way(self) -> list[Row]:
        """Groups planned or running, in the order they were recorded: a number that grows with it, key, size, status,
        updates, how many of their runs are lacking, and seed and spec of their first member."""
        lacking = "select count(*) from members where group_id = groups.id and not exists"
        columns = GROUP | {
            "size": ("size", decoding.whole),
            "lacking": (f"({lacking} (select 1 from runs where runs.key = members.key))", decoding.whole),
            "seed": ("seed", decoding.whole),
            "spec": ROW["spec"],
        }
        source = (
            "from groups left join members on group_id = groups.id and position = 0"
            " left join settings on settings.id = setting"
            " where status in ('planned', 'running') order by groups.id"
        )
        return list(self.read(columns, source, kind="group"))

    def note(self, name: str) -> Any:
        """What the writer noted under a name; None if it did not."""
        notes = self.read({"value": ("value", json.loads)}, "from meta where name = ?", [name], "note")
        return next((note["value"] for note in notes), None)

    def best(self) -> list[Row]:
        """The setting with the best mean accuracy for each dataset, split and number of updates (where the learner has
        such a field): what it is (SETTING), `runs` and `mean`. Those with most runs come first."""
        columns = SETTING | {"runs": ("runs", decoding.whole), "mean": ("mean", decoding.number)}
        source = (
            "from (select setting as best, dataset as d, split as s,"
            " json_extract(fields, '$.updates') as updates, runs, max(mean) as mean, sum(runs) as every"
            " from (select setting, count(accuracy) as runs, avg(accuracy) as mean from runs where status = 'done'"
            " group by setting) join settings on id = setting where mean is not null group by d, s, updates)"
            " join settings on id = best order by every desc, d, s, updates"
        )
        return list(self.read(columns, source, kind="setting"))

    def status(self) -> Row:
        """Runs done and failed, and whether somebody writes now."""
        runs = dict(self.query("select status, count(*) from runs group by status"))
        return {"done": runs.get("done", 0), "failed": runs.get("failed", 0), "writing": files.is_locked(self.path)}

    def check(self) -> None:
        """Read everything, and raise an error that names what is damaged."""
        for (verdict,) in self.query("pragma integrity_check(1)"):
            if verdict != "ok":
                raise InputError(f"{self.path} is damaged ({' '.join(str(verdict).split())}): use a copy")
        for table, *_ in self.query("pragma foreign_key_check"):
            raise InputError(f"{self.path} is damaged (table {table} refers to rows that are missing): use a copy")
        for _ in chain(self._runs(RECORD), self._artefacts()):
            pass
        self.groups()


def _range(prefix: str) -> tuple[bytes, bytes]:
    """The least and the greatest key that begin with a prefix."""
    begin = prefix.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{1,64}", begin):
        raise InputError(f"{prefix!r} is not a run's key: keys are hexadecimal, and any unique beginning will do")
    return bytes.fromhex(begin.ljust(64, "0")), bytes.fromhex(begin.ljust(64, "f"))
