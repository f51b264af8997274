"""The one writer of a ledger: records groups before they start, and adds their runs in one transaction.

Knows the tables; knows nothing of training, nor of why a group is formed as it is.
"""

import json
import math
import os
import socket
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from daxlab.runs import files
from daxlab.runs.ledger import Ledger
from daxlab.runs.records import METRICS, Group, Run, Spec, canonical, described, key, setting


class Writer:
    """A ledger open for writing, created if there is none; one writer at a time. Query it by its `ledger`.

    It belongs to the thread that opened it. Groups that a killed writer left running are planned again.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.db, self._lock = files.writer(self.path)
        self.ledger = Ledger(self.path, self.db)
        try:
            self._sign()
        except BaseException:
            self.close()
            raise

    def _sign(self) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            daxlab = f"daxlab {version('daxlab')}"
        except PackageNotFoundError:
            daxlab = "daxlab, not installed"
        with self.transaction() as db:
            db.executemany("insert or ignore into meta values (?, ?)", [("created by", daxlab), ("created", now)])
            who = f"process {os.getpid()} on {socket.gethostname()}, since {now}"
            db.execute("insert or replace into meta values ('writer', ?)", (who,))
            # The notes of the last writer are of no use to this one.
            db.execute("delete from meta where name not in ('created by', 'created', 'writer')")
            db.execute("update groups set status = 'planned' where status = 'running'")

    def close(self) -> None:
        """Close the file, and let others write it."""
        self.db.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything inside happens, or nothing. A transaction within another is part of that."""
        if self.db.in_transaction:
            yield self.db
            return
        with files.explained(self.path):
            self.db.execute("begin immediate")
            try:
                yield self.db
                self.db.execute("commit")
            except BaseException:
                if self.db.in_transaction:  # a full disk has rolled it back already
                    self.db.execute("rollback")
                raise

    # -- groups

    def record(self, groups: Iterable[Group]) -> None:
        """Record groups before they start. A recorded one stays as it is; a dropped one is planned again."""
        with self.transaction() as db:
            for group in groups:
                name = bytes.fromhex(group.key)
                recorded = db.execute("select id, status from groups where key = ?", (name,)).fetchone()
                if not recorded:
                    self._refuse_live(group)
                    self._insert_group(name, group)
                elif recorded[1] == "dropped":
                    self._refuse_live(group)
                    db.execute("update groups set status = 'planned', updates = 0 where id = ?", (recorded[0],))
                self.close_finished_groups(bytes.fromhex(member) for member in group.keys)

    def _refuse_live(self, group: Group) -> None:
        """Refuse a group with a run that another live group has: it would be trained twice."""
        for member in group.keys:
            if other := self.ledger.live_group(member):
                raise ValueError(f"run {member[:12]} is in group {other[:12]}, which has not ended: drop that first")

    def _insert_group(self, name: bytes, group: Group) -> None:
        number = self.db.execute(
            "insert into groups (key, size, plan, executor, updates, status) values (?, ?, ?, ?, ?, 'planned')",
            (name, len(group.members), canonical(group.plan), canonical(group.executor), group.updates),
        ).lastrowid
        members = [
            (number, position, bytes.fromhex(key(spec)), self._setting(spec), spec["seed"])
            for position, spec in enumerate(group.members)
        ]
        self.db.executemany("insert into members values (?, ?, ?, ?, ?)", members)

    def begin(self, group: str, executor: Mapping[str, Any]) -> None:
        """A recorded group starts, resumes, or is retried."""
        self._change(group, "status = 'running', executor = ?", canonical(executor))

    def progress(self, updates: Mapping[str, int], notes: Mapping[str, Any] | None = None) -> None:
        """Report how many updates running groups have done, and notes by name, for live monitoring."""
        with self.transaction() as db:
            done = [(count, bytes.fromhex(group)) for group, count in updates.items()]
            db.executemany("update groups set updates = ? where key = ?", done)
            written = [(name, canonical(note)) for name, note in (notes or {}).items()]
            db.executemany("insert or replace into meta values (?, ?)", written)

    def drop(self, group: str) -> None:
        """Give up a group that did not fit in memory, say: its members may now be recorded in other groups."""
        self._change(group, "status = 'dropped'")

    def _change(self, group: str, what: str, *values: Any) -> None:
        with self.transaction() as db:
            changed = db.execute(f"update groups set {what} where key = ?", (*values, bytes.fromhex(group)))
            if not changed.rowcount:
                raise ValueError(f"group {group[:12]} was not recorded")

    def close_finished_groups(self, members: Iterable[bytes]) -> None:
        """Inside a transaction: mark as done the groups with any of these members of which all runs are there."""
        self.db.executemany(
            "update groups set status = 'done' where id in (select group_id from members where key = ?)"
            " and status in ('planned', 'running') and not exists (select 1 from members"
            " where group_id = groups.id and not exists (select 1 from runs where runs.key = members.key))",
            ((member,) for member in members),
        )

    # -- runs

    def add(self, runs: Iterable[Run]) -> list[str]:
        """Add runs in one transaction, and return the keys of those that are new. Runs that are there stay as they are.

        A group is done when its last member is added.
        """
        added = []
        with self.transaction() as db:
            for run in runs:
                name = bytes.fromhex(run.key)
                if not db.execute("select 1 from runs where key = ?", (name,)).fetchone():
                    self._insert(name, run)
                    added.append(run.key)
            self.close_finished_groups(bytes.fromhex(name) for name in added)
        return added

    def _insert(self, name: bytes, run: Run) -> None:
        columns = {"key": name, "setting": self._setting(run.spec), "seed": run.spec["seed"]}
        columns |= {"group_id": self._group(run.group), "origin": self._origin(run.origin)}
        columns |= {part: getattr(run, part) for part in ("status", "failed_at", "reason", "finished")}
        columns |= {metric: run.metrics.get(metric) for metric in METRICS} | {"seconds": run.timing.get("seconds")}
        number = self._insert_row("runs", columns)
        others = {metric: value for metric, value in run.metrics.items() if metric not in METRICS}
        curve = {name: [point if math.isfinite(point) else None for point in line] for name, line in run.curve.items()}
        details = [json.dumps(part, allow_nan=False) for part in (others, dict(run.timing), curve)]
        self.db.execute("insert into details values (?, ?, ?, ?)", (number, *details))
        payloads = [(number, kind, zlib.compress(content, 9)) for kind, content in run.artefacts.items()]
        self.db.executemany("insert into artefacts values (?, ?, ?)", payloads)

    def _group(self, group: str | None) -> int | None:
        if group is None:
            return None
        number = self._number("groups", "key", bytes.fromhex(group))
        if number is None:
            raise ValueError(f"group {group[:12]} was not recorded before its runs came in")
        return number

    def _setting(self, spec: Spec) -> int | None:
        name = bytes.fromhex(key(setting(spec)))
        if (number := self._number("settings", "key", name)) is not None:
            return number
        return self._insert_row("settings", {"key": name, **described(spec), "spec": canonical(setting(spec))})

    def _origin(self, origin: Mapping[str, Any]) -> int | None:
        self.db.execute("insert or ignore into origins (origin) values (?)", (canonical(origin),))
        return self._number("origins", "origin", canonical(origin))

    def _insert_row(self, table: str, columns: Mapping[str, Any]) -> int | None:
        names, places = ", ".join(columns), ", ".join("?" * len(columns))
        return self.db.execute(f"insert into {table} ({names}) values ({places})", list(columns.values())).lastrowid

    def _number(self, table: str, column: str, value: Any) -> int | None:
        """The id of the row that has a value; None if there is none."""
        found = self.db.execute(f"select id from {table} where {column} = ?", (value,)).fetchone()
        if found and not isinstance(found[0], int):
            raise self.ledger.damage("id", f"row of table {table}")
        return found[0] if found else None

    def delete(self, runs: Iterable[str]) -> int:
        """Delete runs by their whole keys, and ended groups without any run left; return the number of runs deleted.

        A group with some runs left stays recorded, because they were trained in it.
        """
        with self.transaction() as db:
            gone = sum(db.execute("delete from runs where key = ?", (bytes.fromhex(run),)).rowcount for run in runs)
            db.execute(
                "delete from groups where status in ('done', 'dropped')"
                " and not exists (select 1 from runs where group_id = groups.id)"
            )
        return gone
