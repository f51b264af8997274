"""Whether a run was trained by the paper's protocol, and in what it differs. Knows nothing of its results."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from daxlab.protocol import SEMANTICS, Protocol
from daxlab.runs import Ledger

Where = Mapping[str, Any]


def differing(spec: Mapping[str, Any]) -> str | None:
    """The entries of a run's protocol that are not the paper's, as text; None if all are."""
    usual = asdict(Protocol()) | {"semantics": SEMANTICS}
    given = {**spec.get("protocol", {}), "semantics": spec.get("semantics", SEMANTICS)}
    others = {name: value for name, value in given.items() if usual.get(name) != value}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in sorted(others.items())) or None


def measured(ledger: Ledger, where: Where) -> list[dict[str, Any]]:
    """The rows of the runs chosen that have an accuracy, by seed.

    Of the paper's protocol only, unless `where` itself asks for another: a trial of 500 updates is no replicate.
    """
    asked = any(name == "updates" or name.startswith("protocol.") for name in where)
    rows = [row for row in ledger.rows(where) if row["status"] == "done" and row["accuracy"] is not None]
    return sorted((row for row in rows if asked or differing(row["spec"]) is None), key=lambda row: row["seed"])
