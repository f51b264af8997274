"""Whether a run was trained by the paper's protocol, and in what it differs. Knows nothing of its results."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from daxlab.protocol import SEMANTICS, Protocol
from daxlab.store import Ledger

Where = Mapping[str, Any]


def differing(spec: Mapping[str, Any]) -> str | None:
    """The entries of a run's protocol that are not the paper's, as text; None if all are."""
    usual = asdict(Protocol()) | {"semantics": SEMANTICS}
    given = {**spec.get("protocol", {}), "semantics": spec.get("semantics", SEMANTICS)}
    others = {name: value for name, value in given.items() if usual.get(name) != value}
    return ", ".join(f"{name} {value}" for name, value in sorted(others.items())) or None


def rows(ledger: Ledger, where: Where) -> list[dict[str, Any]]:
    """The runs chosen, by seed: of the paper's protocol, unless `where` itself asks for another."""
    asked = any(name == "updates" or name.startswith("protocol.") for name in where)
    chosen = [row for row in ledger.rows(where) if asked or differing(row["spec"]) is None]
    return sorted(chosen, key=lambda row: (row["seed"], row["key"]))
