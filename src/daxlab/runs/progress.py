"""Queries for live monitoring: which groups are under way, how far they are, which setting leads.

Knows the tables; knows nothing of training, nor how long anything takes.
"""

from typing import Any

from daxlab.runs.ledger import Ledger
from daxlab.runs.reading import SETTING, Row
from daxlab.runs.records import Group


def group(ledger: Ledger, key: str) -> Group | None:
    """One recorded group by its whole key."""
    return next(iter(ledger.groups(key=key)), None)


def under_way(ledger: Ledger) -> list[Row]:
    """Groups planned or running, in the order they were recorded: a number that grows with it, key, size, status,
    updates, how many of their runs are lacking, and seed and spec of their first member."""
    found = ledger.query(
        "select groups.key, status, spec, groups.id, size, groups.updates, (select count(*) from members"
        " where group_id = groups.id and not exists (select 1 from runs where runs.key = members.key)), seed"
        " from groups left join members on group_id = groups.id and position = 0"
        " left join settings on settings.id = setting"
        " where status in ('planned', 'running') order by groups.id"
    )
    specs: dict[Any, Row] = {}  # many groups have one setting
    rows = []
    for key, status, text, *numbers in found:
        row = {"key": ledger.decode_key(key), "status": status}
        if text not in specs:
            specs[text] = ledger.decode(text, dict, f"spec of group {row['key'][:12]}")
        if not all(isinstance(number, int) for number in numbers):
            raise ledger.damage(f"group {row['key'][:12]}")
        row |= dict(zip(("number", "size", "updates", "lacking", "seed"), numbers, strict=True))
        rows.append(row | {"spec": specs[text]})
    return rows


def note(ledger: Ledger, name: str) -> Any:
    """What the writer noted under a name; None if it did not."""
    found = ledger.query("select value from meta where name = ?", (name,))
    return ledger.decode(found[0][0], object, f"note {name!r}") if found else None


def best(ledger: Ledger) -> list[Row]:
    """The setting with the best mean accuracy for each dataset, split and number of updates (where the learner has
    such a field): what it is (SETTING), `runs` and `mean`. Those with most runs come first."""
    found = ledger.query(
        f"select {', '.join(SETTING)}, runs, mean from (select setting as best, dataset as d, split as s,"
        " json_extract(fields, '$.updates') as updates, runs, max(mean) as mean, sum(runs) as every"
        " from (select setting, count(accuracy) as runs, avg(accuracy) as mean from runs where status = 'done'"
        " group by setting) join settings on id = setting where mean is not null group by d, s, updates)"
        " join settings on id = best order by every desc, d, s, updates"
    )
    rows = ledger.decode_settings([row[: len(SETTING)] for row in found])
    return [row | {"runs": runs, "mean": mean} for row, (*_, runs, mean) in zip(rows, found, strict=True)]
