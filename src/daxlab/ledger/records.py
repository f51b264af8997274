"""What the ledger holds: runs and groups, each named by a hash of what determines it.

Knows nothing of SQLite. Of what a spec's entries mean it knows only which name the dataset, the split and the learner.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from daxlab import learners

Facts = Mapping[str, Any]
RunStatus = Literal["done", "failed"]
GroupStatus = Literal["planned", "running", "done", "dropped"]

# The metrics that runs can be filtered by; a run may have others.
METRICS = ("accuracy", "train_accuracy", "oracle_accuracy")


def canonical(value: Any) -> str:
    """The one JSON text of a value: names sorted, no blanks, and 1.0 written as 1.

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
    """The key of a run: sha256 of its spec's canonical text, in hexadecimal. What has a digest goes without its name.

    >>> key({"split": {"name": "jump", "digest": "9f"}}) == key({"split": {"name": "leap", "digest": "9f"}})
    True
    """
    return hashlib.sha256(canonical(_by_content(spec)).encode()).hexdigest()


def _by_content(value: Any) -> Any:
    """The value without the names of what has a digest: content identifies it, whatever it is called."""
    if isinstance(value, Mapping):
        named = "digest" in value
        return {name: _by_content(part) for name, part in value.items() if not (named and name == "name")}
    return [_by_content(part) for part in value] if isinstance(value, list | tuple) else value


def setting(spec: Facts) -> dict[str, Any]:
    """A spec without its seed. The runs of one setting are its replicates."""
    return {name: value for name, value in spec.items() if name != "seed"}


def described(facts: Facts) -> dict[str, str | None]:
    """The columns of a setting: its dataset and split, and the learner's kind, label and fields (as JSON)."""
    kind, fields = learners.name_and_fields(facts)
    try:
        label = learners.label(facts)
    except Exception:  # another version's facts, say; a label is only something to read
        label = kind
    dataset, split = (_name(facts.get(part)) for part in ("language", "split"))
    return {"dataset": dataset, "split": split, "learner": kind, "label": label, "fields": canonical(fields)}


def _name(value: Any) -> str | None:
    """What a part of a spec is called: a text, or the "name" beside a digest."""
    name = value.get("name") if isinstance(value, Mapping) else value
    return name if isinstance(name, str) else None


def _in_words(spec: Facts) -> str:
    """What a run is, in a line."""
    facts = described(spec)
    return f"{facts['label']} on {facts['split']} of {facts['dataset']}, seed {spec['seed']}"


def _check_spec(spec: Facts) -> None:
    seed, split, learner = (spec.get(name) for name in ("seed", "split", "learner"))
    if not isinstance(seed, int) or isinstance(seed, bool) or not -(2**63) <= seed < 2**63:
        raise ValueError(f"a run's spec needs a whole 'seed', not {seed!r}")
    if _name(spec.get("language")) is None:
        raise ValueError("a run's spec needs a 'language', the name of its dataset")
    if not isinstance(split, Mapping) or _name(split) is None:
        raise ValueError("a run's spec needs {'split': {'name': …}}")
    if "learner" in spec and (not isinstance(learner, Mapping) or _name(learner.get("kind")) is None):
        raise ValueError("a run's spec needs {'learner': {'kind': …}}")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One learner trained on one split with one seed: what determined it, and what came of it."""

    spec: Facts
    """What determines the run: dataset ("language") and split by digest, learner, seed, version of the semantics."""
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
    """Seconds since 1970. Nothing is ordered by it, because clocks jump."""
    artefacts: Mapping[str, bytes] = field(default_factory=dict)
    """Bytes of artefacts.py by kind: greedy, oracle, likelihoods, named, neighbours, attention, record."""

    def __post_init__(self) -> None:
        _check_spec(self.spec)
        if (self.status == "failed") != (self.failed_at is not None):
            raise ValueError("failed_at is for failed runs, and every failed run has it")
        for name, value in self.metrics.items():
            if not math.isfinite(value):
                raise ValueError(f"metric {name} is {value}: leave it out")

    @property
    def key(self) -> str:
        return key(self.spec)

    def __repr__(self) -> str:
        return f"Run {self.key[:12]}: {_in_words(self.spec)}, {self.status}"


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs that are trained together, in this order. It is recorded before it starts, and resumed as it was."""

    members: Sequence[Facts]
    plan: Mapping[str, Any] = field(default_factory=dict)
    """What else identifies it: the kind of device it was planned for."""
    executor: Mapping[str, Any] = field(default_factory=dict)
    """Where it runs or ran; not part of its key."""
    status: GroupStatus = "planned"
    updates: int = 0
    """Updates done, as last reported."""

    def __post_init__(self) -> None:
        for spec in self.members:
            _check_spec(spec)
        if not self.members or len(set(self.keys)) < len(self.members):
            raise ValueError("a group needs at least one member, and no member twice")

    def __repr__(self) -> str:
        more = f" and {len(self.members) - 1:,} more" if len(self.members) > 1 else ""
        return f"Group {self.key[:12]}, {self.status}: {_in_words(self.members[0])}{more}"

    @cached_property
    def keys(self) -> list[str]:
        """Its members' keys, in order."""
        return [key(spec) for spec in self.members]

    @cached_property
    def key(self) -> str:
        """The group's key: its members in their order, and its plan."""
        return key({"members": self.keys, "plan": self.plan})
