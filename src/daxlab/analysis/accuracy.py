"""How right every network is on every split, over its replicates. Reads the ledger's metrics, not its answers."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import polars as pl

from daxlab.analysis.answers import done
from daxlab.analysis.protocols import Where, differing
from daxlab.analysis.replicates import COLUMNS, entries, summary
from daxlab.errors import InputError
from daxlab.store import Ledger, canonical, key
from daxlab.sweep import Architecture

NETWORK = {"cell": str, "layers": int, "hidden": int, "attention": bool, "dropout": float}
SCHEMA: dict[str, Any] = {"network": str, **NETWORK, "language": str, "split": str, "protocol": str, "failed": int}
SCHEMA |= {**COLUMNS, "train_mean": float, "oracle_mean": float}


def networks(ledger: Ledger, where: Where | None = None) -> pl.DataFrame:
    """A row per setting (network, split, protocol): how many runs failed, the others' accuracies and their summary.

    network is the architecture as text; protocol is empty for the paper's, else it says what differs.
    """
    ordered = sorted(ledger.rows(where), key=lambda row: (_setting(row), row["seed"]))
    found = [_entry(list(runs)) for _, runs in groupby(ordered, _setting)]
    frame = pl.DataFrame(found, SCHEMA, orient="row")
    return frame.sort("network", "split", "protocol", nulls_last=False, maintain_order=True)


def median_run(ledger: Ledger, keys: Sequence[str]) -> str:
    """The run of median test accuracy, the most representative one; of an even number, the lower of the middle two."""
    ranked = sorted((row["accuracy"], row["seed"], row["key"]) for row in done(ledger, keys))
    if not ranked:
        raise InputError("there is no median run: none of the runs asked about is done")
    return str(ranked[(len(ranked) - 1) // 2][-1])


def _setting(row: dict[str, Any]) -> str:
    return key({name: value for name, value in row["spec"].items() if name != "seed"})


def _entry(runs: list[dict[str, Any]]) -> dict[str, Any]:
    first = runs[0]
    return {
        "network": network_text(first["spec"]["network"]),
        **{name: first[name] for name in NETWORK},
        "language": first["spec"]["language"]["name"],
        "split": first["split"],
        "protocol": differing(first["spec"]),
        "failed": sum(row["status"] == "failed" for row in runs),
        **entries(_values(runs, "accuracy")),
        "train_mean": summary(_values(runs, "train_accuracy")).mean,
        "oracle_mean": summary(_values(runs, "oracle_accuracy")).mean,
    }


def _values(runs: list[dict[str, Any]], metric: str) -> list[float]:
    return [row[metric] for row in runs if row["status"] == "done" and row[metric] is not None]


def network_text(network: Any) -> str:
    """A network as a reader knows it; one that is none of the paper's kinds, as the ledger has it."""
    try:
        return str(Architecture(**network))
    except (TypeError, InputError):
        return canonical(network)
