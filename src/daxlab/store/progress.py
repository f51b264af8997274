"""What those ask who watch a ledger while it is written: which groups are under way, how far, what is best so far.

Knows the tables; knows nothing of training, nor how long anything takes.
"""

import json
from typing import Any

from daxlab.store.ledger import Ledger, Row
from daxlab.store.records import COLUMNS, Group


def group(ledger: Ledger, key: str) -> Group | None:
    """One recorded group, whole, by its whole key."""
    found = ledger._all("select id, plan, executor, status, updates from groups where key = ?", (bytes.fromhex(key),))
    for number, plan, executor, status, updates in found:
        parts = {"plan": json.loads(plan), "executor": json.loads(executor), "status": status, "updates": updates}
        return Group(members=ledger._members(number), **parts)
    return None


def under_way(ledger: Ledger) -> list[Row]:
    """Groups planned or running, as rows: key, size, status, updates, and the spec of their first member."""
    found = ledger._all(
        "select groups.key, size, status, groups.updates, spec from groups"
        " join members on group_id = groups.id and position = 0 join settings on settings.id = setting"
        " where status in ('planned', 'running') order by groups.id"
    )
    specs = {text: json.loads(text) for *_, text in found}  # many groups of one setting
    names = ("key", "size", "status", "updates", "spec")
    return [dict(zip(names, (bytes(key).hex(), *rest, specs[text]), strict=True)) for key, *rest, text in found]


def note(ledger: Ledger, name: str) -> Any:
    """What the writer noted under a name; None where it did not."""
    found = ledger._all("select value from meta where name = ?", (name,))
    return json.loads(found[0][0]) if found else None


def best(ledger: Ledger) -> list[Row]:
    """Of each split the setting with the best mean accuracy over its runs: its columns, `runs` and `mean`."""
    names = (*COLUMNS, "runs", "mean")
    found = ledger._all(
        f"select {', '.join(COLUMNS)}, runs, max(mean) from (select setting, count(accuracy) as runs,"
        " avg(accuracy) as mean from runs where status = 'done' group by setting)"
        " join settings on settings.id = setting where mean is not null group by split order by split"
    )
    rows = [dict(zip(names, row, strict=True)) for row in found]
    return [row | {"attention": None if row["attention"] is None else bool(row["attention"])} for row in rows]
