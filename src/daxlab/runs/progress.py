"""What those ask who watch a ledger while it is written: which groups are under way, how far, what is best so far.

Knows the tables; knows nothing of training, nor how long anything takes.
"""

import json
from typing import Any

from daxlab.runs.ledger import Ledger, Row
from daxlab.runs.records import COLUMNS, Group
from daxlab.runs.where import COLUMN


def group(ledger: Ledger, key: str) -> Group | None:
    """One recorded group, whole, by its whole key."""
    found = ledger._all("select id, plan, executor, status, updates from groups where key = ?", (bytes.fromhex(key),))
    for number, plan, executor, status, updates in found:
        parts = {"plan": json.loads(plan), "executor": json.loads(executor), "status": status, "updates": updates}
        return Group(members=ledger._members(number), **parts)
    return None


def under_way(ledger: Ledger) -> list[Row]:
    """Groups planned or running, as rows in the order they were recorded: a number that grows with it, their key, size,
    status, updates, how many of their runs are not there, and of their first member seed and spec."""
    found = ledger._all(
        "select groups.id, groups.key, size, status, groups.updates, (select count(*) from members"
        " where group_id = groups.id and not exists (select 1 from runs where runs.key = members.key)), seed, spec"
        " from groups"
        " join members on group_id = groups.id and position = 0 join settings on settings.id = setting"
        " where status in ('planned', 'running') order by groups.id"
    )
    specs = {text: json.loads(text) for *_, text in found}  # many groups of one setting
    names = ("number", "key", "size", "status", "updates", "lacking", "seed", "spec")
    return [
        dict(zip(names, (number, bytes(key).hex(), *rest, specs[text]), strict=True))
        for number, key, *rest, text in found
    ]


def note(ledger: Ledger, name: str) -> Any:
    """What the writer noted under a name; None where it did not."""
    found = ledger._all("select value from meta where name = ?", (name,))
    return json.loads(found[0][0]) if found else None


def best(ledger: Ledger) -> list[Row]:
    """Of each split of a language, after so many updates, the setting with the best mean accuracy over its runs: its
    columns, `language`, `runs` and `mean`; first where there are most runs."""
    names = (*COLUMNS, "language", "runs", "mean")
    found = ledger._all(
        f"select {', '.join(COLUMNS)}, {COLUMN['language']} as language, runs, max(mean) from (select setting,"
        " count(accuracy) as runs, avg(accuracy) as mean from runs where status = 'done' group by setting)"
        " join settings on settings.id = setting where mean is not null"
        " group by language, split, updates order by sum(runs) desc, language, split, updates"
    )
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return [row | {"attention": None if row["attention"] is None else bool(row["attention"])} for row in rows]
