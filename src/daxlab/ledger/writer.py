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
from pathlib import Path
from typing import Any, Self

from daxlab import __version__
from daxlab.ledger import files
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.records import METRICS, Facts, Group, GroupStatus, Run, canonical, described, key, setting


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
        with self.transaction() as db:
            # The notes of the last writer are of no use to this one.
            db.execute("delete from meta where name not in ('created by', 'created')")
            who = f"process {os.getpid()} on {socket.gethostname()}, since {now}"
            notes = [("created by", f"daxlab {__version__}"), ("created", now), ("writer", who)]
            db.executemany("insert or ignore into meta values (?, ?)", notes)
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
        with files.explained(self.path), self.db:  # which commits, or rolls back
            self.db.execute("begin immediate")
            yield self.db

    # -- groups

    def record(self, groups: Iterable[Group]) -> None:
        """Record groups before they start. A recorded one stays as it is; a dropped one is planned again."""
        with self.transaction() as db:
            for group in groups:
                name = (bytes.fromhex(group.key),)
                recorded = db.execute("select status from groups where key = ?", name).fetchone()
                if recorded in (None, ("dropped",)):
                    self._refuse_live(group)
                if recorded is None:
                    self.insert_group(group, "planned")
                elif recorded == ("dropped",):
                    db.execute("update groups set status = 'planned', updates = 0 where key = ?", name)
                self._close_finished_groups(group.keys)

    def _refuse_live(self, group: Group) -> None:
        """Refuse a group with a run that another live group has: it would be trained twice."""
        for member in group.keys:
            if other := self.ledger.live_group(member):
                raise ValueError(f"run {member[:12]} is in group {other[:12]}, which has not ended: drop that first")

    def insert_group(self, group: Group, status: GroupStatus) -> None:
        """Inside a transaction: insert a group that is not recorded yet."""
        columns = {"key": bytes.fromhex(group.key), "size": len(group.members), "status": status}
        columns |= {"plan": canonical(group.plan), "executor": canonical(group.executor), "updates": group.updates}
        number = self._insert("groups", columns)
        members = zip(group.keys, group.members, strict=True)
        self.db.executemany(
            "insert into members values (?, ?, ?, ?, ?)",
            [
                (number, position, bytes.fromhex(member), self.setting(spec), spec["seed"])
                for position, (member, spec) in enumerate(members)
            ],
        )

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

    def _close_finished_groups(self, members: Iterable[str]) -> None:
        """Mark as done the groups with any of these members of which all runs are there."""
        self.db.executemany(
            "update groups set status = 'done' where id in (select group_id from members where key = ?)"
            " and status in ('planned', 'running') and not exists (select 1 from members"
            " where group_id = groups.id and not exists (select 1 from runs where runs.key = members.key))",
            ((bytes.fromhex(member),) for member in members),
        )

    # -- runs

    def add(self, runs: Iterable[Run]) -> list[str]:
        """Add runs in one transaction, and return the keys of those that are new. Runs that are there stay as they are.

        A group is done when its last member is added.
        """
        with self.transaction():
            added = [run.key for run in runs if self._add(run)]
            self._close_finished_groups(added)
        return added

    def _add(self, run: Run) -> bool:
        if not self.ledger.lacking([run.key]):
            return False
        group = self.db.execute("select id from groups where key = ?", (bytes.fromhex(run.group or ""),)).fetchone()
        if run.group and not group:
            raise ValueError(f"group {run.group[:12]} was not recorded before its runs came in")
        columns = {"key": bytes.fromhex(run.key), "setting": self.setting(run.spec), "seed": run.spec["seed"]}
        columns |= {"group_id": group and group[0], "origin": self._id("origins", {"origin": canonical(run.origin)})}
        columns |= {part: getattr(run, part) for part in ("status", "failed_at", "reason", "finished")}
        columns |= {metric: run.metrics.get(metric) for metric in METRICS} | {"seconds": run.timing.get("seconds")}
        number = self._insert("runs", columns)
        others = {metric: value for metric, value in run.metrics.items() if metric not in METRICS}
        curve = {name: [point if math.isfinite(point) else None for point in line] for name, line in run.curve.items()}
        details = [json.dumps(part, allow_nan=False) for part in (others, dict(run.timing), curve)]
        self.db.execute("insert into details values (?, ?, ?, ?)", (number, *details))
        payloads = [(number, kind, zlib.compress(content)) for kind, content in run.artefacts.items()]
        self.db.executemany("insert into artefacts values (?, ?, ?)", payloads)
        return True

    def setting(self, spec: Facts, **columns: str | None) -> Any:
        """The id of a run's setting, which is inserted if it is new."""
        facts = setting(spec)
        columns = {"spec": canonical(facts), **described(spec), **columns}
        return self._id("settings", {"key": bytes.fromhex(key(facts)), **columns})

    def _id(self, table: str, columns: Mapping[str, Any]) -> Any:
        """The id of the row that has the first of these columns; the row is inserted if it is new."""
        name, value = next(iter(columns.items()))
        row = self.db.execute(f"select id from {table} where {name} = ?", (value,)).fetchone()
        return row[0] if row else self._insert(table, columns)

    def _insert(self, table: str, columns: Mapping[str, Any]) -> int | None:
        names, places = ", ".join(columns), ", ".join("?" * len(columns))
        return self.db.execute(f"insert into {table} ({names}) values ({places})", list(columns.values())).lastrowid

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

    def label(self, runs: Iterable[str], label: str) -> None:
        """Call the learner of these runs so: in lists, tables and cards. A label is no part of a key."""
        with self.transaction() as db:
            keys = [(label, bytes.fromhex(run)) for run in runs]
            db.executemany("update settings set label = ? where id in (select setting from runs where key = ?)", keys)
