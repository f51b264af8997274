"""What the ledger holds: runs and groups, each named by a hash of what determines it.

Knows nothing of SQLite, nor of what a spec's entries mean, beyond where to find those one filters by.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Spec = Mapping[str, Any]
Scalar = str | int | float | None
RunStatus = Literal["done", "failed"]
GroupStatus = Literal["planned", "running", "done", "dropped"]

# Where a spec keeps what one filters runs by. A network that has no cell leaves the column empty.
COLUMNS: dict[str, tuple[str, str]] = {
    "split": ("split", "name"),
    "cell": ("network", "cell"),
    "layers": ("network", "layers"),
    "hidden": ("network", "hidden"),
    "attention": ("network", "attention"),
    "dropout": ("network", "dropout"),
    "updates": ("protocol", "updates"),
}
# The metrics one sorts and filters by; a run may have others.
METRICS = ("accuracy", "train_accuracy", "oracle_accuracy")


def canonical(value: Any) -> str:
    """One text for one value: JSON with sorted names, no blanks, and 1.0 written as 1.

    >>> canonical({"dropout": 0.0, "cell": "lstm"})
    '{"cell":"lstm","dropout":0}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} does not determine anything; leave it out or write null")
        return int(value) if value.is_integer() else value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: _plain(item) for name, item in value.items()}
    raise TypeError(f"a spec holds names, numbers, lists and dicts of these, not {type(value).__name__}")


def key(spec: Any) -> str:
    """The key of a run: sha256, in hexadecimal, of its spec's canonical text, names of what has a digest left out.

    >>> key({"split": {"name": "jump", "digest": "9f"}}) == key({"split": {"name": "leap", "digest": "9f"}})
    True
    """
    return hashlib.sha256(canonical(_by_content(spec)).encode()).hexdigest()


def _by_content(value: Any) -> Any:
    """What has a digest is determined by it; its name is only what it was called."""
    if isinstance(value, Mapping):
        named = "digest" in value
        return {name: _by_content(part) for name, part in value.items() if not (named and name == "name")}
    return [_by_content(part) for part in value] if isinstance(value, list | tuple) else value


def setting(spec: Spec) -> dict[str, Any]:
    """A spec without its seed. The runs of one setting are its replicates."""
    return {name: value for name, value in spec.items() if name != "seed"}


def columns(spec: Spec) -> dict[str, Scalar]:
    """The entries of a spec that one filters by, empty where it has none."""
    found = {}
    for column, (part, name) in COLUMNS.items():
        inside = spec.get(part)
        value = inside.get(name) if isinstance(inside, Mapping) else None
        found[column] = value if isinstance(value, str | int | float) else None
    return found


def _check_spec(spec: Spec) -> None:
    seed = spec.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or not -(2**63) <= seed < 2**63:
        raise ValueError(f"a run's spec needs a whole 'seed', not {seed!r}")
    if not isinstance(columns(spec)["split"], str):
        raise ValueError("a run's spec needs {'split': {'name': …}}")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One trained network: what determined it, and what came of it."""

    spec: Spec
    """Language and split (by digest), network, protocol, seed, version of the semantics; see COLUMNS."""
    group: str | None = None
    """Key of the group it was trained in."""
    status: RunStatus = "done"
    failed_at: int | None = None
    """The update at which it failed."""
    reason: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Learning curve by column: "update", "loss", "test_accuracy"…. What is not finite reads back as nan."""
    timing: Mapping[str, float] = field(default_factory=dict)
    """Seconds by name; "seconds" is the run's share of the whole."""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Versions, device, git hash."""
    finished: float = 0.0
    """Seconds since 1970. A fact for the reader; nothing is ordered by it, because clocks jump."""
    artefacts: Mapping[str, bytes] = field(default_factory=dict)
    """Contents by kind ("greedy", "oracle", "likelihoods", "named", "neighbours", "attention"), from artefacts.py."""

    def __post_init__(self) -> None:
        _check_spec(self.spec)
        if (self.status == "failed") != (self.failed_at is not None):
            raise ValueError("a failed run, and only a failed run, has the update it failed at")
        for name, value in self.metrics.items():
            if not math.isfinite(value):
                raise ValueError(f"metric {name} is {value}: leave it out")

    @property
    def key(self) -> str:
        """The run's key."""
        return key(self.spec)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs trained at once, in this order. Recorded before it starts, resumed as it was."""

    members: Sequence[Spec]
    plan: Mapping[str, Any] = field(default_factory=dict)
    """What else it was planned for: the kind of device."""
    executor: Mapping[str, Any] = field(default_factory=dict)
    """Where it runs or ran; not part of its key."""
    status: GroupStatus = "planned"
    updates: int = 0
    """How far it is known to have come."""

    def __post_init__(self) -> None:
        for spec in self.members:
            _check_spec(spec)
        if not self.members or len(set(self.keys)) < len(self.members):
            raise ValueError("a group has at least one member, and each once")

    @cached_property
    def keys(self) -> list[str]:
        """Its members' keys, in order."""
        return [key(spec) for spec in self.members]

    @cached_property
    def key(self) -> str:
        """The group's key: its members in their order, and its plan."""
        return key({"members": self.keys, "plan": self.plan})
