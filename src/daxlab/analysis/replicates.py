"""What replicates say together: mean, standard error, and a 95% interval."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from math import fsum, sqrt
from statistics import fmean
from typing import Any

from daxlab.learners import KINDS, name_and_fields, name_and_variant
from daxlab.ledger import Ledger
from daxlab.protocol import Protocol

Where = Mapping[str, Any]
Row = dict[str, Any]
Interval = Callable[[Sequence[float]], tuple[float, float]]
COLUMNS: dict[str, Any] = {"runs": int, "mean": float, "sem": float, "low": float, "high": float}
COLUMNS |= {"accuracies": list[float]}  # of every run, by seed
PROTOCOL = {field.name for field in fields(Protocol)}


def summary(values: Sequence[float], interval: Interval | None = None) -> Row:
    """The mean, its standard error (sem) and its 95% interval (low, high); None where there are too few values.

    `interval`: how to compute it; by default for accuracies in per cent, so that it stays between 0 and 100.
    """
    if len(values) < 2:
        return {"mean": next(iter(values), None), "sem": None, "low": None, "high": None}
    from daxlab.analysis.intervals import of_accuracies  # scipy is slow to load

    mean = fmean(values)
    sem = sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    low, high = (interval or of_accuracies)(values)
    return {"mean": mean, "sem": sem, "low": low, "high": high}


def entries(accuracies: Sequence[float]) -> Row:
    """The columns of a frame (COLUMNS) that summarise some runs."""
    return {"runs": len(accuracies), **summary(accuracies), "accuracies": list(accuracies)}


def differing(spec: Mapping[str, Any]) -> str | None:
    """How a run's training differs from the usual (the paper's protocol, for its networks); None if it does not."""
    kind, _ = name_and_fields(spec)
    semantics = spec.get("semantics")
    older = f"semantics {semantics}" if kind in KINDS and semantics not in (None, KINDS[kind].semantics) else ""
    return ", ".join(filter(None, (name_and_variant(spec)[1], older))) or None


def name_and_protocol(row: Row) -> tuple[str, str | None]:
    """A run's learner in words, and apart from that how its training differs from the usual, if it does.

    Of a learner from a file also the version, so that runs of a changed file are not taken for replicates.
    """
    spec = row["spec"]
    learner = spec.get("learner") or {}
    source = learner["kind"] if isinstance(learner.get("kind"), Mapping) else learner
    digest = f"source {source['digest'][:6]}" if "digest" in source else ""
    name = str(row["label"]) if "learner" in spec else name_and_variant(spec)[0]
    return name, ", ".join(filter(None, (differing(spec), digest))) or None


def measured(ledger: Ledger, where: Where) -> list[Row]:
    """The rows of the runs that have an accuracy, by seed.

    Only of runs by the usual protocol (a trial of 500 updates is no replicate), unless `where` filters by the protocol.
    """
    any_protocol = any(name.removeprefix("protocol.") in PROTOCOL for name in where)
    rows = [row for row in ledger.rows(where) if row["status"] == "done" and row["accuracy"] is not None]
    return sorted((row for row in rows if any_protocol or differing(row["spec"]) is None), key=lambda row: row["seed"])
