"""How right every network is on every split, over its replicates. Reads the ledger's metrics, not its answers."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from daxlab.analysis.answers import done
from daxlab.analysis.protocols import Where, differing
from daxlab.analysis.replicates import COLUMNS, entries, summary
from daxlab.errors import InputError
from daxlab.runs import Ledger, canonical, key
from daxlab.sweep import Architecture

NETWORK = {"cell": str, "layers": int, "hidden": int, "attention": bool, "dropout": float}
SCHEMA: dict[str, Any] = {"network": str, **NETWORK, "language": str, "split": str, "protocol": str, "failed": int}
SCHEMA |= {**COLUMNS, "train_mean": float, "oracle_mean": float}


def networks(ledger: Ledger, where: Where | None = None) -> pl.DataFrame:
    """A row per setting (network, split, protocol): how many runs failed, the others' accuracies and their summary.

    network is the architecture as text; protocol is empty for the paper's, else it says what differs.
    """
    rows = sorted(ledger.each_row(where), key=lambda row: (_setting(row), row["seed"]))
    found = [_entry(list(replicates)) for _, replicates in groupby(rows, _setting)]
    return pl.DataFrame(found, SCHEMA, orient="row").sort("network", "language", "split", "protocol")


def median_run(ledger: Ledger, keys: Iterable[str]) -> str:
    """The run of median test accuracy, the most representative; of an even number, the lower of the middle two."""
    measured = [row for row in done(ledger, keys) if row["accuracy"] is not None]
    if not measured:
        raise InputError("there is no median run: none of the runs asked about has an accuracy")
    ranked = sorted(measured, key=lambda row: row["accuracy"])  # stable: of equals, the lower seed is the lower
    return str(ranked[(len(ranked) - 1) // 2]["key"])


def network_text(network: Any) -> str:
    """A network as a reader knows it; one that is not of the paper's kinds, as the ledger has it."""
    try:
        return str(Architecture(**network))
    except (TypeError, InputError):
        return canonical(network)


def _setting(row: dict[str, Any]) -> str:
    return key({name: value for name, value in row["spec"].items() if name != "seed"})


def _entry(replicates: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first = replicates[0]
    return {
        "network": network_text(first["spec"]["network"]),
        **{name: first[name] for name in NETWORK},
        "language": first["spec"]["language"]["name"],
        "split": first["split"],
        "protocol": differing(first["spec"]),
        "failed": sum(row["status"] == "failed" for row in replicates),
        **entries(_measured(replicates, "accuracy")),
        "train_mean": summary(_measured(replicates, "train_accuracy")).mean,
        "oracle_mean": summary(_measured(replicates, "oracle_accuracy")).mean,
    }


def _measured(replicates: Sequence[dict[str, Any]], metric: str) -> list[float]:
    return [row[metric] for row in replicates if row["status"] == "done" and row[metric] is not None]
