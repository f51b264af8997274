"""The ledger as its readers see it: find a run, list and count, curves, replicates, status.

Knows the tables; knows nothing of training, nor of what a metric means. Questions about many runs walk narrow
tables and indices only, so that a million runs answer at once.
"""

import json
import math
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.records import COLUMNS, METRICS, Group, GroupStatus, Run, Spec
from daxlab.runs.schema import TABLE
from daxlab.runs.where import RUNS, SETTING, Where, by_setting, condition, place

Row = dict[str, Any]


class Ledger:
    """A ledger open for reading: while a writer writes, or in a folder that cannot be written.

    `where` in the questions below asks for equality, by column ("split", "cell", …, "seed", "status")
    or by a place in the spec ("protocol.clip"); a list asks for any of its values, None for an absent one.
    """

    def __init__(self, path: str | Path, db: sqlite3.Connection | None = None) -> None:
        self.path = Path(path)
        self.db = db or files.reader(self.path)

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def moment(self) -> Iterator[None]:
        """All that is asked inside is answered as of one moment, whatever is written meanwhile."""
        with files.explained(self.path):
            self.db.execute("begin")
            try:
                yield
            finally:
                if self.db.in_transaction:  # a disk that does not answer has ended it already
                    self.db.execute("rollback")

    # -- one run

    def begun(self, prefix: str) -> list[str]:
        """The keys of runs that begin so, six at most."""
        _, *ends = _between(prefix)
        return self._keys("select key from runs where key between ? and ? order by key limit 6", ends)

    def find(self, prefix: str) -> str:
        """The whole key of the one run whose key begins so."""
        keys, (begin, low, high) = self.begun(prefix), _between(prefix)
        if len(keys) == 1:
            return keys[0]
        if keys:
            enough = max(12, _shared(keys[0], keys[-1]) + 2)
            some = ", ".join(name[:enough] for name in keys[:5]) + (", …" if len(keys) > 5 else "")
            raise InputError(f"more than one run begins with {begin!r} ({some}): give more of the key")
        around = self._keys("select max(key) from runs where key < ?", (low,))
        around += self._keys("select min(key) from runs where key > ?", (high,))
        if not around:
            raise InputError(f"no run begins with {begin!r}: {self.path} has no runs yet")
        nearest = max(around, key=lambda name: _shared(name, begin))
        raise InputError(
            f"no run begins with {begin!r}: none of the {self.count():,} in {self.path} does (nearest: {nearest[:12]})"
        )

    def run(self, prefix: str) -> Run:
        """One run, whole."""
        name = self.find(prefix)
        (row,) = self.rows({"key": name})
        ((number, others, timing, curve),) = self._all(
            "select run, metrics, timing, curve from details where run = (select id from runs where key = ?)",
            (bytes.fromhex(name),),
        )
        payloads = self._all("select kind, payload from artefacts where run = ? order by kind", (number,))
        return Run(
            **{part: row[part] for part in ("spec", "group", "status", "failed_at", "reason", "origin", "finished")},
            metrics={metric: row[metric] for metric in METRICS if row[metric] is not None} | json.loads(others),
            timing=json.loads(timing),
            curve=_curve(curve),
            artefacts={kind: self._inflate(name, kind, payload) for kind, payload in payloads},
        )

    def artefact(self, run: str, kind: str) -> bytes | None:
        """One content of a run, by its whole key; None if it has no such."""
        found = self._all(
            "select payload from artefacts where run = (select id from runs where key = ?) and kind = ?",
            (bytes.fromhex(run), kind),
        )
        return self._inflate(run, kind, found[0][0]) if found else None

    def _inflate(self, run: str, kind: str, payload: bytes) -> bytes:
        try:
            return zlib.decompress(payload)
        except zlib.error as error:
            raise InputError(f"{self.path} is damaged: the {kind} of run {run[:12]} cannot be read") from error

    # -- many runs

    def lacking(self, runs: Iterable[str], *, retry_failed: bool = False) -> list[str]:
        """Of these keys, those that are not in the ledger; with retry_failed, failed ones too."""
        ask = "select 1 from runs where key = ?" + (" and status = 'done'" if retry_failed else "")
        with files.explained(self.path):
            return [run for run in runs if not self.db.execute(ask, (bytes.fromhex(run),)).fetchone()]

    def count(self, where: Where | None = None) -> int:
        """How many runs."""
        asked, values = condition(where)
        return int(self._all(f"select count(*) from {RUNS if where else 'runs'} {asked}", values)[0][0])

    def values(self, column: str) -> list[Any]:
        """What runs have in a column, each once, in order."""
        return [value for (value,) in self._all(f"select distinct {place(column)} from {RUNS} order by 1", [])]

    def select(self, where: Where | None = None, *, limit: int | None = None) -> list[str]:
        """Keys of the runs, the latest first."""
        asked, values = condition(where)
        ask = f"select runs.key from {RUNS} {asked} order by runs.id desc limit ?"
        return self._keys(ask, (*values, -1 if limit is None else limit))

    def rows(self, where: Where | None = None, *, limit: int | None = None) -> list[Row]:
        """Runs as rows (schema.TABLE), the latest first; `origin` and `spec` are dicts."""
        return list(self.each_row(where, limit=limit))

    def each_row(self, where: Where | None = None, *, limit: int | None = None) -> Iterator[Row]:
        """Like rows, one at a time, for those who cannot hold them all."""
        asked, values = condition(where)
        # The wide view is asked only about runs that were chosen on narrow tables.
        chosen = f"select runs.id from {RUNS} {asked} order by runs.id desc limit ?"
        places = {"language": "json_extract(spec, '$.language.name')"}
        names = ", ".join(places.get(name, f'"{name}"') for name in TABLE)
        ask = f"select {names} from rows where id in ({chosen}) order by id desc"
        with files.explained(self.path):
            for found in self.db.execute(ask, (*values, -1 if limit is None else limit)):
                row = dict(zip(TABLE, found, strict=True))
                row["attention"] = None if row["attention"] is None else bool(row["attention"])
                row["origin"], row["spec"] = json.loads(row["origin"]), json.loads(row["spec"])
                yield row

    def curves(self, where: Where | None = None) -> dict[str, dict[str, list[float]]]:
        """Learning curves by key, the latest first."""
        asked, values = condition(where)
        ask = f"select runs.key, curve from {RUNS} join details on run = runs.id {asked}"
        found = self._all(f"{ask} order by runs.id desc", values)
        return {bytes(name).hex(): _curve(curve) for name, curve in found}

    def accuracies(self, where: Where | None = None) -> list[Row]:
        """A row per setting: its columns, how many of its runs failed, and of each run that has an accuracy its
        seed and the accuracy (to 15 digits). Nothing but an index is read, so a million runs are no burden.
        """
        ask, values = by_setting(where, "sum(runs.status = 'failed') as failed, json_group_array(seed) filter"
                                  " (where accuracy not null) as seeds, json_group_array(accuracy) filter"
                                  " (where accuracy not null) as accuracies")  # fmt: skip
        names = (*COLUMNS, "failed", "seeds", "accuracies")
        rows = []
        for found in self._all(f"select {SETTING}, failed, seeds, accuracies {ask} order by settings.id", values):
            row = dict(zip(names, found, strict=True))
            row |= {name: json.loads(row[name]) for name in ("seeds", "accuracies")}
            rows.append(row | {"attention": None if row["attention"] is None else bool(row["attention"])})
        return rows

    # -- groups, and the whole

    def groups(self, status: GroupStatus | Sequence[GroupStatus] = ()) -> list[Group]:
        """The recorded groups in the order they were recorded: all, or those of a status."""
        wanted = [status] if isinstance(status, str) else list(status)
        asked = f"where status in ({', '.join('?' * len(wanted))})" if wanted else ""
        found = self._all(f"select id, plan, executor, status, updates from groups {asked} order by id", wanted)
        return [
            Group(
                members=self._members(number),
                plan=json.loads(plan),
                executor=json.loads(executor),
                status=state,
                updates=updates,
            )
            for number, plan, executor, state, updates in found
        ]

    def _members(self, group: int) -> list[Spec]:
        found = self._all(
            "select spec, seed from members join settings on settings.id = setting"
            " where group_id = ? order by position",
            (group,),
        )
        return [{**json.loads(spec), "seed": seed} for spec, seed in found]

    def live_group(self, run: str) -> str | None:
        """Key of the group, planned or running, that has a run among its members."""
        found = self._keys(
            "select groups.key from members join groups on groups.id = group_id where members.key = ?"
            " and status in ('planned', 'running')",
            (bytes.fromhex(run),),
        )
        return found[0] if found else None

    def status(self) -> Row:
        """Runs done and failed, and whether one writes now."""
        runs = dict(self._all("select status, count(*) from runs group by status"))
        return {
            "done": runs.get("done", 0),
            "failed": runs.get("failed", 0),
            "writing": files.is_locked(self.path),
        }

    def check(self) -> None:
        """Read all of it, and say what is damaged."""
        for (verdict,) in self._all("pragma integrity_check(1)"):
            if verdict != "ok":
                raise InputError(f"{self.path} is damaged: {verdict}")
        with files.explained(self.path):
            ask = "select runs.key, kind, payload from artefacts join runs on runs.id = run"
            for name, kind, payload in self.db.execute(ask):
                self._inflate(bytes(name).hex(), kind, payload)

    def _all(self, ask: str, values: Sequence[Any] = ()) -> list[Any]:
        with files.explained(self.path):
            return self.db.execute(ask, values).fetchall()

    def _keys(self, ask: str, values: Sequence[Any]) -> list[str]:
        return [bytes(name).hex() for (name,) in self._all(ask, values) if name is not None]


def _between(prefix: str) -> tuple[str, bytes, bytes]:
    """The beginning of a key as it is written, and the least and the greatest key that begin so."""
    begin = prefix.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{1,64}", begin):
        raise InputError(f"{prefix!r} is not a run's key: keys are hexadecimal, and any unique beginning will do")
    return begin, bytes.fromhex(begin.ljust(64, "0")), bytes.fromhex(begin.ljust(64, "f"))


def _shared(a: str, b: str) -> int:
    """How many letters two keys share before they part."""
    return next((n for n, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def _curve(text: str) -> dict[str, list[float]]:
    return {name: [math.nan if point is None else point for point in line] for name, line in json.loads(text).items()}
