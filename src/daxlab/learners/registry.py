"""Learners by name: the kinds that come with daxlab, and classes in files of one's own (`path/to/file.py:Name`)."""

import json
import sys
import traceback
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from daxlab.errors import InputError
from daxlab.learners.core import Learner, defaults, field_of, parsed
from daxlab.learners.rnn import RNN

KINDS: dict[str, type[Learner]] = {RNN.kind: RNN}  # a new kind is one file and one line here
LOADED: dict[str, type[Learner]] = {}  # classes from files, by the digest of the file and their name
DEFAULT = RNN.kind
Facts = Mapping[str, Any]


def find(name: str) -> type[Learner]:
    """The class of a learner: a kind that comes with daxlab, or FILE.py:NAME."""
    if name in KINDS:
        return KINDS[name]
    path, colon, wanted = name.rpartition(":")
    if colon and (path.endswith(".py") or Path(path).exists()):
        return _from_file(name, Path(path), wanted)
    near = get_close_matches(name, KINDS, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(KINDS)}"
    raise InputError(f"no learner is called {name!r}; {advice} (a class of your own is path/to/file.py:Name)")


def make(name: str, settings: Mapping[str, Any] | None = None) -> Learner:
    """A learner by its name and fields; what is left out has its default."""
    kind = find(name)
    for field in settings or {}:
        field_of(kind, field)
    return kind(**(settings or {}))


def from_text(name: str, settings: Mapping[str, str]) -> Learner:
    """The same, with the values as text."""
    kind = find(name)
    return make(name, {field: parsed(kind, field, text) for field, text in settings.items()})


def name_and_fields(facts: Facts) -> tuple[str, dict[str, Any]]:
    """What a run's facts say of its learner: its name, and its fields."""
    if "network" in facts:  # the form of the first runs
        return RNN.kind, {**facts["network"], **facts.get("protocol", {})}
    fields = dict(facts["learner"])
    kind = fields.pop("kind")
    return (kind["name"] if isinstance(kind, Mapping) else kind), fields


def of(facts: Facts) -> Learner:
    """The learner of a run; an error if it would no longer be the same one."""
    name, fields = name_and_fields(facts)
    learner = make(name, fields)
    recorded = facts.get("learner", {}).get("kind")
    if isinstance(recorded, Mapping) and learner.source and learner.source["digest"] != recorded.get("digest"):
        raise InputError(f"{name} has changed since this run was trained: restore the file, or train it again")
    return learner


def label(facts: Facts) -> str:
    """A run's learner in words, whether or not it can be made here."""
    return "; ".join(part for part in name_and_variant(facts) if part)


def name_and_variant(facts: Facts) -> tuple[str, str]:
    """A run's learner in words, and apart from that how its training differs from the usual."""
    return _described(json.dumps({part: facts[part] for part in ("network", "protocol", "learner") if part in facts}))


@lru_cache(maxsize=4096)
def _described(facts: str) -> tuple[str, str]:
    known = json.loads(facts)
    name, fields = name_and_fields(known)
    kind = KINDS.get(name)
    if kind is None and isinstance(source := known["learner"]["kind"], dict):
        kind = LOADED.get(f"{source.get('digest')}:{name.rpartition(':')[2]}")  # no file is run for a label
    try:
        learner = kind(**fields) if kind else None
    except (InputError, TypeError):
        learner = None
    if isinstance(learner, RNN):
        return learner.architecture, learner.variant
    if learner is not None:
        return str(learner), ""
    settings = ", ".join(f"{field} {json.dumps(value)}" for field, value in fields.items())
    return f"{name.rpartition(':')[2]}{', ' if settings else ''}{settings}", ""


def _from_file(name: str, path: Path, wanted: str) -> type[Learner]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the learner {path}: {error.strerror}") from None
    return _loaded(name, path, wanted, sha256(content).hexdigest())


@lru_cache(maxsize=64)
def _loaded(name: str, path: Path, wanted: str, digest: str) -> type[Learner]:
    """The class of that name in a file, as a learner; cached by the file's content."""
    module = _imported(path, f"daxlab_learner_{digest[:16]}")
    classes = {found: one for found, one in vars(module).items() if isinstance(one, type)}
    if wanted not in classes:
        own = [found for found, one in classes.items() if one.__module__ == module.__name__]
        near = get_close_matches(wanted, own, n=1)
        advice = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(own) or 'no classes'}"
        raise InputError(f"{path} has no class {wanted!r}; {advice}")
    kind = _as_learner(classes[wanted], name)
    kind.kind, kind.source = wanted, {"name": name, "digest": digest}
    defaults(kind)  # every field needs one
    LOADED[f"{digest}:{wanted}"] = kind
    return kind


def _as_learner(given: type, name: str) -> type[Learner]:
    if issubclass(given, Learner):
        own = vars(given).get("__dataclass_params__")  # a base class's would not know this one's fields
        if own is None or not own.frozen:
            raise InputError(f"{name} is a Learner, but no frozen dataclass: decorate it with @dataclass(frozen=True)")
        if given.fit is Learner.fit and given.fit_one is Learner.fit_one:
            raise InputError(f"{name} breaks the contract: it needs fit_one(self, split, seed), which returns a model")
        return given
    network = import_module("daxlab.networks").Network
    if issubclass(given, network):
        from daxlab.learners.network import learner_of

        return learner_of(given, name)
    raise InputError(
        f"{name} is neither a daxlab.learners.Learner nor a daxlab.networks.Network: make it a subclass of one of them"
    )


def _imported(path: Path, name: str) -> ModuleType:
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, path
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception | SystemExit):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == path.absolute()]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
        where = f"{path}, line {line}" if line else str(path)
        raise InputError(f"{where}: cannot be imported ({type(error).__name__}: {error}); mend it first") from None
    return module
