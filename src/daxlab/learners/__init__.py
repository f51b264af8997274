"""What can be trained: the contract, the registry of names, one file a kind."""

from collections.abc import Mapping
from typing import Any


def label(facts: Mapping[str, Any]) -> str:
    """The label of a run's learner, of its facts."""
    if "learner" not in facts:
        network = facts["network"]
        shape = f"{network['cell'].upper()} {network['layers']}x{network['hidden']}"
        return f"{shape}{', attention' if network['attention'] else ''}, dropout {network['dropout']:g}"
    fields = dict(facts["learner"])
    kind = fields.pop("kind")
    name = kind["name"] if isinstance(kind, Mapping) else kind
    return ", ".join([name, *(f"{field} {value}" for field, value in fields.items())])
