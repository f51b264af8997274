"""The ledger as its readers see it: find a run, list and count, curves, replicates, groups, live monitoring.

Knows the tables; knows nothing of training, nor of what a metric means. Queries about many runs scan narrow tables and
indices only, so that a million runs take about a second.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.reading import SETTING, Reader, Row
from daxlab.runs.records import METRICS, Group, GroupStatus, Run
from daxlab.runs.schema import ROW, RUN_COLUMNS, SETTING_COLUMNS, Where, condition, place


class Ledger(Reader):
    """A ledger open for reading.

    `where` filters by equality: by column ("split", "learner", "seed", "status"…), by a field of the learner
    ("hidden") or by a path into the spec ("split.digest"). A list means any of its values, None an absent one.
    """

    # -- one run

    def keys_with_prefix(self, prefix: str) -> list[str]:
        """The keys that begin with a prefix, in order; six at most."""
        _, *ends = _range(prefix)
        return self.keys("select key from runs where key between ? and ? order by key limit 6", ends)

    def find(self, prefix: str) -> str:
        """The whole key of the one run whose key begins with a prefix."""
        keys, (begin, low, high) = self.keys_with_prefix(prefix), _range(prefix)
        if len(keys) == 1:
            return keys[0]
        if keys and len(begin) == 64:
            raise self.damage(f"the key {begin[:12]}, which several runs have,")
        if keys:
            enough = max(12, _shared(keys[0], keys[-1]) + 2)
            some = ", ".join(name[:enough] for name in keys[:5]) + (", …" if len(keys) > 5 else "")
            raise InputError(f"more than one run begins with {begin!r} ({some}): give more of the key")
        around = self.keys("select key from runs where key < ? order by key desc limit 1", (low,))
        around += self.keys("select key from runs where key > ? order by key limit 1", (high,))
        if not around:
            raise InputError(f"no run begins with {begin!r}: {self.path} has no runs yet")
        nearest = max(around, key=lambda name: _shared(name, begin))
        raise InputError(
            f"no run begins with {begin!r}: none of the {self.count():,} in {self.path} does (nearest: {nearest[:12]})"
        )

    def run(self, prefix: str) -> Run:
        """One run, with all that is known of it."""
        name = self.find(prefix)
        run, whole_key = "(select id from runs where key = ?)", (bytes.fromhex(name),)
        details = self.query(f"select metrics, timing, curve from details where run = {run}", whole_key)
        payloads = self.query(f"select kind, payload from artefacts where run = {run} order by kind", whole_key)
        artefacts = {kind: self.decompress(payload, kind, name) for kind, payload in payloads}
        rows = self.rows({"key": name})
        if not (rows and details):
            raise self.damage("the details", name)
        others, timing, curve = self.decode_details(name, details[0])
        metrics = {metric: rows[0][metric] for metric in METRICS if rows[0][metric] is not None} | others
        parts = ("spec", "group", "status", "failed_at", "reason", "origin", "finished")
        record = {part: rows[0][part] for part in parts}
        try:
            return Run(**record, metrics=metrics, timing=timing, curve=curve, artefacts=artefacts)
        except (TypeError, ValueError) as error:
            raise self.damage(f"the record ({error})", name) from error

    def artefact(self, run: str, kind: str) -> bytes | None:
        """One artefact of a run, by its whole key; None if it has none of that kind."""
        found = self.query(
            "select payload from artefacts where run = (select id from runs where key = ?) and kind = ?",
            (bytes.fromhex(run), kind),
        )
        return self.decompress(found[0][0], kind, run) if found else None

    # -- many runs

    def lacking(self, runs: Iterable[str], *, retry_failed: bool = False) -> list[str]:
        """Of these keys, those that are not in the ledger; with retry_failed, failed ones too."""
        ask = "select 1 from runs where key = ?" + (" and status = 'done'" if retry_failed else "")
        return [run for run in runs if not self.query(ask, (bytes.fromhex(run),))]

    def count(self, where: Where | None = None) -> int:
        """The number of runs."""
        chosen, values = condition(where)
        return int(self.query(f"select count(*) from runs {chosen}", values)[0][0])

    def columns(self) -> list[str]:
        """The names that runs can be filtered by: the columns, and the fields of the learners in this ledger."""
        return [*RUN_COLUMNS, *SETTING_COLUMNS, "semantics", *self.fields()]

    def fields(self) -> list[str]:
        """The names of all fields of the learners in this ledger."""
        found = self.query("select distinct field.key from settings, json_each(fields) field order by 1")
        return [name for (name,) in found if isinstance(name, str)]

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
        chosen, values = condition(where)
        return self.keys(
            f"select key from runs {chosen} order by id desc limit ?", (*values, -1 if limit is None else limit)
        )

    def rows(self, where: Where | None = None, *, limit: int | None = None) -> list[Row]:
        """Runs as rows (schema.ROW), the latest first; `fields`, `origin` and `spec` are dicts."""
        return list(self.each_row(where, limit=limit))

    def each_row(self, where: Where | None = None, *, limit: int | None = None) -> Iterator[Row]:
        """Like rows, one at a time, for those who cannot hold them all."""
        chosen, values = condition(where)
        ask = (
            f"select {', '.join(column for column, _ in ROW.values())}"
            " from runs left join settings on settings.id = runs.setting"
            " left join groups on groups.id = runs.group_id left join origins on origins.id = runs.origin"
            f" where runs.id in (select id from runs {chosen} order by id desc limit ?) order by runs.id desc"
        )
        with files.explained(self.path):
            for found in self.db.execute(ask, (*values, -1 if limit is None else limit)):
                yield self.decode_row(dict(zip(ROW, found, strict=True)))

    def curves(self, where: Where | None = None) -> dict[str, dict[str, list[float]]]:
        """Learning curves by key, the latest first."""
        chosen, values = condition(where)
        ask = f"select key, curve from runs left join details on run = id {chosen} order by id desc"
        found = ((self.decode_key(key), curve) for key, curve in self.query(ask, values))
        return {key: self.decode_curve(curve, key) for key, curve in found}

    def accuracies(self, where: Where | None = None) -> list[Row]:
        """A row for each setting: what it is (SETTING), how many of its runs failed, and the seed and the accuracy of
        each run that has one. Only an index of the runs is read."""
        chosen, values = condition(where)
        asked = f"id in (select setting from runs {chosen})"
        found = self.query(f"select id, {', '.join(SETTING)} from settings where {asked} order by id", values)
        rows = dict(zip((row[0] for row in found), self.decode_settings(row[1:] for row in found), strict=True))
        ask = f"select setting, status = 'failed', accuracy, seed from runs {chosen} order by setting, status, accuracy"
        with files.explained(self.path):
            for setting, runs in groupby(self.db.execute(ask, values), itemgetter(0)):
                _, failed, accuracies, seeds = map(list, zip(*runs, strict=True))
                if None in accuracies:
                    seeds = [seed for seed, accuracy in zip(seeds, accuracies, strict=True) if accuracy is not None]
                    accuracies = [accuracy for accuracy in accuracies if accuracy is not None]
                if setting not in rows or not set(map(type, seeds + accuracies)) <= {int, float}:
                    raise self.damage("a setting or an accuracy")
                rows[setting].update(failed=sum(failed), seeds=seeds, accuracies=accuracies)
        return list(rows.values())

    # -- groups, and the ledger as a whole

    def groups(self, status: GroupStatus | Sequence[GroupStatus] = ()) -> list[Group]:
        """The recorded groups in their order: all, or those of a status."""
        statuses = [status] if isinstance(status, str) else list(status)
        return self._groups(f"where status in ({', '.join('?' * len(statuses))})" if statuses else "", statuses)

    def group(self, key: str) -> Group | None:
        """One recorded group by its whole key."""
        return next(iter(self._groups("where key = ?", [bytes.fromhex(key)])), None)

    def _groups(self, chosen: str, values: Sequence[Any]) -> list[Group]:
        rows = self.query(f"select id, key, plan, executor, status, updates from groups {chosen} order by id", values)
        return [self._group(*row) for row in rows]

    def _group(self, number: int, key: bytes, plan: str, executor: str, status: GroupStatus, updates: int) -> Group:
        members = self.query(
            "select spec, seed from members left join settings on settings.id = setting"
            " where group_id = ? order by position",
            (number,),
        )
        name = f"group {self.decode_key(key)[:12]}"
        plans = [self.decode(text, dict, f"plan of {name}") for text in (plan, executor)]
        specs = [{**self.decode(spec, dict, f"spec of {name}"), "seed": seed} for spec, seed in members]
        try:
            return Group(members=specs, plan=plans[0], executor=plans[1], status=status, updates=updates)
        except (TypeError, ValueError) as error:
            raise self.damage(f"{name} ({error})") from error

    def live_group(self, run: str) -> str | None:
        """Key of the group, planned or running, that has a run among its members."""
        found = self.keys(
            "select groups.key from members join groups on groups.id = group_id where members.key = ?"
            " and status in ('planned', 'running')",
            (bytes.fromhex(run),),
        )
        return found[0] if found else None

    # -- for live monitoring

    def under_way(self) -> list[Row]:
        """Groups planned or running, in the order they were recorded: a number that grows with it, key, size, status,
        updates, how many of their runs are lacking, and seed and spec of their first member."""
        found = self.query(
            "select groups.key, status, spec, groups.id, size, groups.updates, (select count(*) from members"
            " where group_id = groups.id and not exists (select 1 from runs where runs.key = members.key)), seed"
            " from groups left join members on group_id = groups.id and position = 0"
            " left join settings on settings.id = setting"
            " where status in ('planned', 'running') order by groups.id"
        )
        specs: dict[Any, Row] = {}  # many groups have one setting
        rows = []
        for key, status, text, *numbers in found:
            name = self.decode_key(key)
            if text not in specs:
                specs[text] = self.decode(text, dict, f"spec of group {name[:12]}")
            if not all(isinstance(number, int) for number in numbers):
                raise self.damage(f"group {name[:12]}")
            counts = dict(zip(("number", "size", "updates", "lacking", "seed"), numbers, strict=True))
            rows.append({"key": name, "status": status, **counts, "spec": specs[text]})
        return rows

    def note(self, name: str) -> Any:
        """What the writer noted under a name; None if it did not."""
        found = self.query("select value from meta where name = ?", (name,))
        return self.decode(found[0][0], object, f"note {name!r}") if found else None

    def best(self) -> list[Row]:
        """The setting with the best mean accuracy for each dataset, split and number of updates (where the learner has
        such a field): what it is (SETTING), `runs` and `mean`. Those with most runs come first."""
        found = self.query(
            f"select {', '.join(SETTING)}, runs, mean from (select setting as best, dataset as d, split as s,"
            " json_extract(fields, '$.updates') as updates, runs, max(mean) as mean, sum(runs) as every"
            " from (select setting, count(accuracy) as runs, avg(accuracy) as mean from runs where status = 'done'"
            " group by setting) join settings on id = setting where mean is not null group by d, s, updates)"
            " join settings on id = best order by every desc, d, s, updates"
        )
        rows = self.decode_settings([row[: len(SETTING)] for row in found])
        return [row | {"runs": runs, "mean": mean} for row, (*_, runs, mean) in zip(rows, found, strict=True)]

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
        for _ in self.each_row():
            pass
        details = "select key, metrics, timing, curve from runs left join details on run = id"
        artefacts = "select key, kind, payload from artefacts left join runs on id = run"
        with files.explained(self.path):
            for key, *texts in self.db.execute(details):
                self.decode_details(self.decode_key(key), texts)
            for key, kind, payload in self.db.execute(artefacts):
                self.decompress(payload, kind, self.decode_key(key))
        self.groups()


def _range(prefix: str) -> tuple[str, bytes, bytes]:
    """A prefix as keys are written, and the least and the greatest key that begin with it."""
    begin = prefix.strip().lower()
    if not re.fullmatch(r"[0-9a-f]{1,64}", begin):
        raise InputError(f"{prefix!r} is not a run's key: keys are hexadecimal, and any unique beginning will do")
    return begin, bytes.fromhex(begin.ljust(64, "0")), bytes.fromhex(begin.ljust(64, "f"))


def _shared(a: str, b: str) -> int:
    """The length of the prefix that two keys share."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
