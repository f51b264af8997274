"""How right every learner is on every split, over its replicates. Reads the ledger's metrics, not its answers."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import polars as pl

from daxlab.analysis.answers import done
from daxlab.analysis.replicates import COLUMNS, Row, Where, entries, name_and_protocol
from daxlab.errors import InputError
from daxlab.ledger import Ledger, key
from daxlab.ledger.records import setting

FURTHER = "accuracy."  # begins the metrics of further test sets
SCHEMA: dict[str, Any] = dict.fromkeys(("network", "learner", "dataset", "split", "protocol"), str)
SCHEMA |= {"failed": int, **COLUMNS, "train_mean": float, "oracle_mean": float, "keys": list[str]}


def settings(ledger: Ledger, where: Where | None = None) -> pl.DataFrame:
    """A row per setting (learner, split): how many runs failed, the others' accuracies and their summary.

    network is the learner in words, learner its kind; protocol is what differs from the usual training, if anything;
    keys are those of the runs that are done, by seed.
    """
    by_setting: dict[str, list[Row]] = {}
    for row in ledger.each_row(where):
        by_setting.setdefault(key(setting(row["spec"])), []).append(row)
    rows = [_entry(sorted(replicates, key=lambda row: row["seed"])) for _, replicates in sorted(by_setting.items())]
    return pl.DataFrame(rows, SCHEMA, orient="row").sort("network", "dataset", "split", "protocol")


def median_run(ledger: Ledger, keys: Iterable[str]) -> str:
    """The run of median test accuracy, the most representative; of an even number, the lower of the middle two."""
    measured = [row for row in done(ledger, keys) if row["accuracy"] is not None]
    if not measured:
        raise InputError("none of these runs has an accuracy, so there is no median run")
    ranked = sorted(measured, key=lambda row: row["accuracy"])  # stable: of equals, the lower seed is the lower
    return str(ranked[(len(ranked) - 1) // 2]["key"])


def by_test_set(ledger: Ledger, keys: Sequence[str]) -> dict[str, Row]:
    """The accuracies on further test sets, by name, of runs that have some."""
    runs = [ledger.run(key).metrics for key in keys]
    names = [name for name in runs[0] if name.startswith(FURTHER)] if runs else []
    return {name.removeprefix(FURTHER): entries([run[name] for run in runs if name in run]) for name in names}


def _entry(replicates: Sequence[Row]) -> Row:
    first = replicates[0]
    network, protocol = name_and_protocol(first)
    return {
        "network": network,
        **{name: first[name] for name in ("learner", "dataset", "split")},
        "protocol": protocol,
        "failed": sum(row["status"] == "failed" for row in replicates),
        **entries(_metric(replicates, "accuracy")),
        "train_mean": _mean(_metric(replicates, "train_accuracy")),
        "oracle_mean": _mean(_metric(replicates, "oracle_accuracy")),
        "keys": [row["key"] for row in replicates if row["status"] == "done"],
    }


def _metric(replicates: Sequence[Row], metric: str) -> list[float]:
    return [row[metric] for row in replicates if row["status"] == "done" and row[metric] is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
