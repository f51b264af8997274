"""Learners by name: the kinds that come with daxlab, and classes in files of one's own (`path/to/file.py:Name`)."""

import json
import sys
import traceback
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from daxlab.errors import InputError, nearest
from daxlab.extras import Missing, missing_package
from daxlab.learners import source
from daxlab.learners.cgps import CGPS
from daxlab.learners.convs2s import ConvS2S
from daxlab.learners.copying import Copying
from daxlab.learners.core import Learner
from daxlab.learners.grammar import Grammar
from daxlab.learners.network import NetworkLearner, learner_of
from daxlab.learners.new_words import NewWords
from daxlab.learners.program import Program
from daxlab.learners.rnn import RNN
from daxlab.learners.stack import Stack
from daxlab.learners.take_home import TakeHome
from daxlab.learners.transformer import Transformer
from daxlab.settings import defaults, parsed, sized, type_of

# A new kind is one file and one line here.
KINDS: dict[str, type[Learner]] = {
    kind.kind: kind for kind in (RNN, ConvS2S, Copying, NewWords, Grammar, Transformer, CGPS, Stack, Program, TakeHome)
}
LOADED: dict[tuple[str, str], type[Learner]] = {}  # classes from files, by name (FILE.py:NAME) and the file's digest
DEFAULT = RNN.kind
Facts = Mapping[str, Any]


def find(name: str) -> type[Learner]:
    """The class of a learner: a kind that comes with daxlab, or FILE.py:NAME."""
    if name in KINDS:
        return KINDS[name]
    if name.endswith(".py") and Path(name).exists():
        raise InputError(f"which class of {name}? A learner is FILE.py:NAME")
    path, colon, wanted = name.rpartition(":")
    if colon and (path.endswith(".py") or Path(path).exists()):
        return _from_file(name, Path(path), wanted)
    advice = f"{nearest(name, KINDS)} (a class of your own is path/to/file.py:Name)"
    raise InputError(f"no learner is called {name!r}; {advice}")


def derives_from_daxlab(name: str) -> bool:
    """Whether the class FILE.py:NAME derives from one of daxlab's, as far as its file and those beside it say: nothing
    is imported."""
    path, _, wanted = name.rpartition(":")
    return any(module.split(".")[0] == "daxlab" for module in source.ancestry(Path(path), wanted)[1])


def make(name: str, settings: Mapping[str, Any] | None = None) -> Learner:
    """A learner by its name and fields; what is left out has its default. `size` stands for several fields."""
    kind, settings = find(name), settings or {}
    for field in settings:
        type_of(kind, field)  # an error if there is no such field
    return kind(**sized(kind, settings))


def from_text(name: str, settings: Mapping[str, str]) -> Learner:
    """The same, with the values as text."""
    kind = find(name)
    return make(name, {field: parsed(type_of(kind, field), text) for field, text in settings.items()})


def name_and_fields(facts: Facts) -> tuple[str, dict[str, Any]]:
    """The kind of a run's learner and its fields. Facts without a "learner" are those of the paper's networks.

    >>> name_and_fields({"network": {"cell": "gru"}, "protocol": {"clip": 5}})
    ('rnn', {'cell': 'gru', 'clip': 5})
    >>> name_and_fields({"learner": {"kind": {"name": "mine.py:Mine", "digest": "9f"}, "depth": 2}})
    ('mine.py:Mine', {'depth': 2})
    """
    if "learner" not in facts:  # the form of the first runs
        return RNN.kind, {**_mapping(facts.get("network")), **_mapping(facts.get("protocol"))}
    fields = dict(facts["learner"])
    kind = fields.pop("kind", None)
    return str(kind.get("name") if isinstance(kind, Mapping) else kind), fields


def _digest(facts: Facts) -> Any:
    """The digest of the file that a run's learner stands in; None of a kind that comes with daxlab."""
    return _mapping(_mapping(facts.get("learner")).get("kind")).get("digest")


def _mapping(value: Any) -> Facts:
    return value if isinstance(value, Mapping) else {}


def of(facts: Facts) -> Learner:
    """The learner of a run; an error if it would no longer be the same one."""
    name, fields = name_and_fields(facts)
    learner = make(name, fields)
    if learner.source and learner.source["digest"] != _digest(facts):
        raise InputError(f"{name} has changed since this run was trained: restore the file, or train it again")
    return learner


def still_here(facts: Facts) -> Learner | None:
    """The learner of a run, if it can still be made; a file of one's own is run only if it has not changed."""
    path = Path(name_and_fields(facts)[0].rpartition(":")[0])
    try:
        if (digest := _digest(facts)) and source.digest(path) != digest:
            return None
        return of(facts)
    except (InputError, OSError, TypeError):
        return None


def label(facts: Facts) -> str:
    """A run's learner in words, whether or not it can be made here."""
    return "; ".join(part for part in name_and_variant(facts) if part)


def name_and_variant(facts: Facts) -> tuple[str, str]:
    """A run's learner in words, and apart from that how its training differs from the usual."""
    return _described(json.dumps({part: facts[part] for part in ("network", "protocol", "learner") if part in facts}))


@lru_cache(maxsize=4096)
def _described(text: str) -> tuple[str, str]:
    facts = json.loads(text)
    name, fields = name_and_fields(facts)
    kind = KINDS.get(name) or LOADED.get((name, _digest(facts)))  # no file is run for a label
    try:
        learner = kind(**fields) if kind else None
    except (InputError, TypeError):
        learner = None
    if isinstance(learner, RNN):
        return learner.architecture, learner.variant
    settings = [f"{field} {json.dumps(value)}" for field, value in fields.items()]
    return str(learner) if learner else ", ".join([name.rpartition(":")[2], *settings]), ""


def _from_file(name: str, path: Path, wanted: str) -> type[Learner]:
    """The class of that name in a file, as a learner; loaded once for each content of the file."""
    try:
        digest = source.digest(path)
    except OSError as error:
        raise InputError(f"cannot read the learner {path}: {error.strerror}") from None
    if (name, digest) in LOADED:
        return LOADED[name, digest]
    module = _imported(path, f"daxlab_learner_{digest[:16]}")
    values = {name: value for name, value in vars(module).items() if isinstance(value, type)}
    classes = {name: value for name, value in values.items() if value.__module__ == module.__name__}
    if wanted not in classes:
        raise InputError(f"{path} has no class {wanted!r}; {nearest(wanted, classes)}")
    kind = _as_learner(classes[wanted], name)
    kind.kind, kind.source = wanted, {"name": name, "digest": digest, "class": wanted}
    methods = set(dir(NetworkLearner)) - set(defaults(NetworkLearner))
    if taken := [field for field in defaults(kind) if field in methods]:
        raise InputError(f"{name} breaks the contract: a field cannot be called {taken[0]!r}; give it another name")
    LOADED[name, digest] = kind
    return kind


def _as_learner(cls: type, name: str) -> type[Learner]:
    if issubclass(cls, Learner):
        own = vars(cls).get("__dataclass_params__")  # a base class's would not know this one's fields
        if own is None or not own.frozen:
            raise InputError(f"{name} is a Learner, but no frozen dataclass: decorate it with @dataclass(frozen=True)")
        if cls.fit is Learner.fit and cls.fit_one is Learner.fit_one:
            raise InputError(f"{name} breaks the contract: it needs fit_one(self, split, seed), which returns a model")
        return cls
    networks = sys.modules.get("daxlab.networks")  # which a network's file has imported
    if networks is not None and issubclass(cls, networks.Network):
        return learner_of(cls, name)
    raise InputError(
        f"{name} is neither a daxlab.learners.Learner nor a daxlab.networks.Network: make it a subclass of one of them"
    )


def _imported(path: Path, name: str) -> ModuleType:
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file: a learner is a class in FILE.py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look there
    try:
        spec.loader.exec_module(module)
    except Missing:
        raise
    except (Exception, SystemExit) as error:
        if package := missing_package(error):
            raise Missing(package) from None
        line = line_in(path, error) or getattr(error, "lineno", None)
        where = f"{path}, line {line}" if line else str(path)
        missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if missing and (beside := path.with_name(f"{missing}.py")).is_file():
            needs = f"Python does not find it: put into {path.name} what it needs of it, or its folder on PYTHONPATH"
            raise InputError(f"{where}: it imports {beside.name}, but {needs}") from None
        raise InputError(f"{where}: cannot be imported ({type(error).__name__}: {error}); mend it first") from None
    return module


def line_in(path: Path, error: BaseException) -> int | None:
    """The line of a file that raised an error; None if it was raised without it."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if Path(frame.filename) == path.absolute()), None)
