"""The learner's contract: a frozen description that turns training examples into answers.

A learner is a frozen dataclass. Its `kind` and its fields determine what it does, so they go into the key of every run.
The simplest learner has one method, `fit_one`, from a split and a seed to a `Model` that answers commands. A learner
that can fit many jobs at once overrides `fit`. Knows nothing of ledgers, nor of how a learner learns.
"""

import abc
import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Literal, Protocol, get_args, get_origin, get_type_hints

from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError, nearest
from daxlab.languages import Example
from daxlab.protocol import recorded
from daxlab.units import counted

Actions = tuple[str, ...]
MOST = 10**300  # beyond it a whole number is no float
TYPES = {str: "a name", int: "a whole number", float: "a number", bool: "true or false"}
UNBOUNDED = {"least": -math.inf, "most": math.inf, "below": math.inf}


def setting(
    default: Any,
    help: str,
    least: float = -math.inf,
    most: float = math.inf,
    below: float = math.inf,
    *,
    later: bool = False,
    keyed: bool = True,
) -> Any:
    """A field of a learner: its default, what it means, and the values it may take.

    `later`: it was added when there were runs already, which keep their keys: at its default it is no part of a key.
    `keyed`: False for what does not determine the answers, such as a time limit: it is no part of a key.
    """
    limits = {"least": least, "most": most, "below": below}
    return field(default=default, metadata={"help": help, "later": later, "keyed": keyed, **limits})


@dataclass(frozen=True)
class Learner:
    """Something that can be trained. Subclasses are frozen dataclasses whose fields all have defaults."""

    kind: ClassVar[str] = ""  # what it is called
    told: ClassVar[str] = "the training examples"  # all that it is told about the task
    origin: ClassVar[str] = ""  # where it comes from: a publication
    semantics: ClassVar[int] = 1  # raised whenever the same fields and seed would give other answers
    source: ClassVar[Mapping[str, str] | None] = None  # of a learner from a file: {"name": …, "digest": …}
    uses_jax: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for part in fields(self):
            object.__setattr__(self, part.name, checked(part, hints[part.name], getattr(self, part.name)))

    def fit_one(self, split: Split, seed: int) -> "Model":
        """Learn from one split. Override this, or `fit`."""
        raise NotImplementedError(f"{type(self).__name__} has neither fit_one nor fit")

    def fit(self, jobs: Sequence["Job"], context: "Context") -> "Fitted | None":
        """Fit every job; None if `context.progress` answered False before the end."""
        began, models = monotonic(), []
        for done, job in enumerate(jobs, 1):
            models.append(model := job.learner.fit_one(job.split, job.seed))
            if not callable(getattr(model, "answers", None)):
                needs = f"fit_one must return a model with answers(commands), not {model!r}"
                raise InputError(f"{job.learner} breaks the contract: {needs}")
            if context.progress(done, ()) is False and done < len(jobs):
                return None
        return Models(jobs, models, seconds=monotonic() - began)

    def load(self, path: Path, dataset: Dataset) -> "Fitted":
        """A model that `Fitted.weights` wrote to a file."""
        raise InputError(f"cannot load {path}: a {self.kind} learner does not save its models")

    @property
    def steps(self) -> int:
        """How many steps `context.progress` counts for one job: the field `updates`, where there is one."""
        return int(getattr(self, "updates", 1))

    @property
    def together(self) -> Hashable:
        """Jobs whose learners have equal values here may be fitted by one call; None: one at a time."""
        return None

    def facts(self) -> dict[str, Any]:
        """All that determines what it does, as plain data: a part of the run's key."""
        return {"learner": {**recorded(self), "kind": self.source or self.kind}, "semantics": self.semantics}

    def __str__(self) -> str:
        """A short description for people: the kind and the fields that are not at their defaults."""
        return ", ".join([self.kind, *changed(self, asdict(self))])

    def __reduce__(self) -> Any:
        """Pickled by name and fields, so that a learner from a file reaches a worker."""
        from daxlab.learners.registry import KINDS, make

        if self.source is None and KINDS.get(self.kind) is not type(self):
            return object.__reduce__(self)  # a class that Python finds by itself
        return make, (self.source["name"] if self.source else self.kind, asdict(self))


def checked(part: "Field[Any]", kind: Any, value: Any) -> Any:
    """A field's value if it is one that the field takes; a whole number is taken for a float."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise InputError(f"{part.name} is one of {', '.join(map(str, get_args(kind)))}, not {value!r}")
        return value
    if isinstance(value, list):
        value = tuple(value)  # a learner can be hashed
    if isinstance(value, int) and abs(value) > MOST:
        raise InputError(f"{part.name} is too large a number")
    if kind is float and type(value) is int:  # True is no number
        value = float(value)
    if kind in TYPES and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise InputError(f"{part.name} takes {TYPES[kind]}, not {value!r}")
    if kind in (int, float):
        least, most, below = (part.metadata.get(bound, limit) for bound, limit in UNBOUNDED.items())
        if not (math.isfinite(value) and least <= value <= most and value < below):
            limits = {"at least": least, "at most": most, "below": below}
            bounds = [f"{words} {limit:,g}" for words, limit in limits.items() if math.isfinite(limit)]
            raise InputError(f"{part.name} must be {' and '.join(bounds) or 'a finite number'}, not {value}")
    return value


def parsed(kind: Any, text: str) -> Any:
    """The value of a field of some type from text, as the command line gives it: `hidden=100`, `attention=true`.

    Text that has no such value stays text, which is refused when the learner is made.
    """
    if get_origin(kind) is Literal:
        return next((value for value in get_args(kind) if str(value) == text), text)
    try:
        return kind(text) if kind in (str, int, float) else json.loads(text.lower() if kind is bool else text)
    except ValueError:
        return text


def type_of(learner: type[Learner], name: str) -> Any:
    """The type of the field of that name, or an error with the nearest one."""
    names = [part.name for part in fields(learner)]
    if name not in names:
        raise InputError(f"the learner {learner.kind} has no field {name!r}; {nearest(name, names)}")
    return get_type_hints(learner)[name]


def defaults(learner: type[Learner]) -> dict[str, Any]:
    """Every field with its default."""
    values = {part.name: part.default for part in fields(learner)}
    if missing := [name for name, value in values.items() if value is MISSING]:
        raise InputError(f"every field of a learner needs a default; {learner.__name__} gives none for {missing[0]!r}")
    return values


def changed(learner: Learner, names: Iterable[str]) -> list[str]:
    """Which of these fields are not at their defaults, in words: "clip 1"."""
    usual, values = defaults(type(learner)), asdict(learner)
    return [f"{name.replace('_', ' ')} {written(values[name])}" for name in names if values[name] != usual[name]]


def written(value: Any) -> str:
    """A value as the command line takes it."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, eq=False)
class Job:
    """One run to be fitted: a learner, what it learns, and a seed."""

    learner: Learner
    dataset: Dataset
    split: Split
    seed: int


@dataclass(frozen=True)
class Context:
    """Where and how a learner fits its jobs, and whom it tells."""

    checkpoint: Path | None = None  # where to write checkpoints, and to resume from
    checkpoint_every: float = 20.0  # seconds
    set_aside: bool = False  # rename a damaged checkpoint and start again, instead of raising an error
    progress: Callable[[int, Sequence[float]], bool | None] = lambda step, losses: None  # False: stop here
    note: Callable[[str], object] = lambda message: None  # what the user should know
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)  # held while it trains


class Answered(Protocol):
    """A run's answers to some examples, in their order."""

    @property
    def asked(self) -> Sequence[Example]: ...
    @property
    def answers(self) -> list[Actions]: ...
    @property
    def right(self) -> Sequence[bool]: ...
    @property
    def ended(self) -> Sequence[bool]: ...


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of a model that always comes to an end."""

    asked: Sequence[Example]
    answers: list[Actions]

    @property
    def right(self) -> list[bool]:
        return [tuple(answer) == tuple(e.actions) for answer, e in zip(self.answers, self.asked, strict=True)]

    @property
    def ended(self) -> list[bool]:
        return [True] * len(self.answers)


@dataclass(frozen=True)
class Failure:
    """A job that came to nothing: at which step, and why."""

    step: int
    reason: str


class Failed(Exception):
    """Why an outside process did not do its work: "crashed: …", "timed out: …"; the first words are a status."""


@dataclass(frozen=True)
class Prediction:
    """An answer to one command; what the learner cannot tell is None."""

    actions: Actions
    probabilities: tuple[float, ...] | None = None  # of each action, and of the end where it came to one
    attention: Any = None  # [steps, words and end]


class Model(Protocol):
    """What `fit_one` returns."""

    def answers(self, commands: Sequence[str]) -> Sequence[Sequence[str]]:
        """The actions for each command, in the same order."""


Ability = Literal["oracle length", "likelihoods", "states", "attention", "weights"]


class Fitted(abc.ABC):
    """The models of some jobs, in the jobs' order. `abilities` says what can be asked beyond answers."""

    jobs: Sequence[Job]
    abilities: frozenset[Ability] = frozenset()
    failures: Sequence[Failure | None] = ()
    curves: Sequence[Mapping[str, Sequence[float]]] = ()
    seconds: float = 0.0  # spent fitting, from the first start
    resumed: bool = False

    @abc.abstractmethod
    def ask(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        """Each job's answers to its own examples."""

    def ask_with_length(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        """The same with the right number of actions given (the oracle length)."""
        raise self.cannot("oracle length")

    def likelihoods(self, answered: Sequence[Answered]) -> Sequence[tuple[Any, Any]]:
        """Each job's log-likelihoods of its own answers, and of the right ones."""
        raise self.cannot("likelihoods")

    def states(self, member: int, commands: Sequence[str]) -> Mapping[str, Any]:
        """What one job's encoder makes of each command: by name, [commands, size].

        Commands are compared by the state named "final"; there may be others.
        """
        raise self.cannot("states")

    def attention(self, commands: Sequence[str]) -> Sequence[Sequence[Any]]:
        """Each job's weights for each command as it answers: [steps, words and end]."""
        raise self.cannot("attention")

    def weights(self, member: int) -> bytes:
        """One job's model as bytes, which `Learner.load` reads."""
        raise self.cannot("weights")

    def predict(self, command: str) -> Prediction:
        """The first job's answer to one command."""
        return Prediction(self.ask([[Example(command, ())]] * len(self.jobs))[0].answers[0])

    def cannot(self, ability: Ability) -> InputError:
        """What to raise where an ability is lacking."""
        lacks = f"cannot be told the {ability}" if ability == "oracle length" else f"has no {ability} to ask for"
        return InputError(f"{self.jobs[0].learner} {lacks}")


class Models(Fitted):
    """Models that were fitted one at a time."""

    def __init__(self, jobs: Sequence[Job], models: Sequence[Model], seconds: float = 0.0) -> None:
        self.jobs, self.models, self.seconds = jobs, models, seconds
        self.failures = [None] * len(jobs)
        self.curves = [{}] * len(jobs)

    def ask(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        return [self._ask(model, examples) for model, examples in zip(self.models, asked, strict=True)]

    def _ask(self, model: Model, examples: Sequence[Example]) -> Answers:
        answered = model.answers([example.command for example in examples])
        answers = list(answered) if isinstance(answered, Iterable) else []
        broken = ""
        if not isinstance(answered, Iterable):
            broken = f"answers(commands) must return a list of answers, not {answered!r}"
        elif len(answers) != len(examples):
            broken = f"{counted(len(answers), 'answer')} to {counted(len(examples), 'command')}"
        elif wrong := [answer for answer in answers if not _is_list_of_words(answer)]:
            broken = f"an answer is a list of words, not {wrong[0]!r}"
        if broken:
            raise InputError(f"{self.jobs[0].learner} breaks the contract: {broken}")
        return Answers(examples, [tuple(answer) for answer in answers])


def _is_list_of_words(answer: object) -> bool:
    return (
        isinstance(answer, Iterable) and not isinstance(answer, str) and all(isinstance(word, str) for word in answer)
    )
