"""The learner's contract: a frozen description that turns training examples into answers.

A learner is a frozen dataclass. Its `kind` and its fields determine what it does, so they go into the key of every run.
The simplest learner has one method, `fit_one`, from a split and a seed to a `Model` that answers commands. A learner
that can fit many jobs at once overrides `fit`. Knows nothing of ledgers, nor of how a learner learns.
"""

import abc
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Literal, Protocol

from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.settings import changed, check, ordered, recorded
from daxlab.units import counted

Actions = tuple[str, ...]
NO_ANSWER: Actions = ("<no answer>",)  # of a learner that may have none: it is always wrong
EACH_ONCE = "each example once"
MOST_ACTIONS = 24  # of an answer in a line


@dataclass(frozen=True)
class Learner:
    """Something that can be trained. Subclasses are frozen dataclasses whose fields all have defaults."""

    kind: ClassVar[str] = ""  # what it is called
    told: ClassVar[str] = "the training examples"  # all that it is told about the task
    origin: ClassVar[str] = ""  # where it comes from: a publication
    semantics: ClassVar[int] = 1  # raised whenever the same fields and seed would give other answers
    named_sizes: ClassVar[
        Mapping[str, Mapping[str, Any]]
    ] = {}  # configurations by name: `size=small` stands for its fields
    source: ClassVar[Mapping[str, str] | None] = None  # of a learner from a file: {"name": …, "digest": …}
    uses_jax: ClassVar[bool] = False
    abstains: ClassVar[bool] = False  # whether it may answer NO_ANSWER
    most_together: ClassVar[int] = 128  # jobs that one call should fit at most: more gain nothing, fewer end sooner
    exceptions: ClassVar[Mapping[str, str]] = {}  # the checks of 'daxlab check' that it need not keep, and why

    def __post_init__(self) -> None:
        check(self)

    def fit_one(self, split: Split, seed: int) -> "Model":
        """Learn from one split. Override this, or `fit`."""
        raise NotImplementedError(f"{type(self).__name__} has neither fit_one nor fit")

    def fit_job(self, job: "Job", context: "Context") -> "Model":
        """The same for a learner that takes long: it can tell the context something, and raises Stopped when
        `context.progress` answers False."""
        return self.fit_one(job.split, job.seed)

    def fit(self, jobs: Sequence["Job"], context: "Context") -> "Fitted | None":
        """Fit every job; None if `context.progress` answered False before the end."""
        began, models = monotonic(), []
        for done, job in enumerate(jobs, 1):
            try:
                models.append(model := job.learner.fit_job(job, context))
            except Stopped:
                return None
            if not callable(getattr(model, "answers", None)):
                needs = f"fit_one must return a model with answers(commands), not {model!r}"
                raise InputError(f"{job.learner} breaks the contract: {needs}")
            if context.progress(done, ()) is False and done < len(jobs):
                return None
        return Models(jobs, models, seconds=monotonic() - began)

    def load(self, path: Path, dataset: Dataset) -> "Fitted":
        """A model that `Fitted.weights` wrote to a file."""
        raise InputError(f"cannot load {path}: a {self.kind} learner does not save its models")

    def restore(self, record: Mapping[str, Any], dataset: Dataset) -> "Fitted":
        """A model that was written down by `Fitted.record`."""
        raise InputError(f"a {self.kind} learner does not write its models down")

    @property
    def steps(self) -> int:
        """How many steps `context.progress` counts for one job: the field `updates`, where there is one."""
        return int(getattr(self, "updates", 1))

    @property
    def presentations(self) -> int | str:
        """How many examples training shows it: `updates` of `batch` each, where it has such fields; or in words."""
        updates = getattr(self, "updates", None)
        return EACH_ONCE if updates is None else int(updates * getattr(self, "batch", 1))

    def parameters(self, dataset: Dataset) -> int | None:
        """How many numbers training adjusts; None if it has none, or cannot tell."""
        return None

    @property
    def published(self) -> Sequence[str]:
        """The systems of paper/published.json that it is a version of, the closest first."""
        return ()

    @property
    def together(self) -> Hashable:
        """Jobs whose learners have equal values here may be fitted by one call; None: one at a time."""
        return None

    def facts(self) -> dict[str, Any]:
        """All that determines what it does, as plain data: a part of the run's key."""
        return {"learner": {**recorded(self), "kind": self.source or self.kind}, "semantics": self.semantics}

    def __str__(self) -> str:
        """A short description for people: the kind, its size if that has a name, other fields not at their defaults."""
        sizes = [
            (name, size) for name, size in self.named_sizes.items() if all(getattr(self, f) == size[f] for f in size)
        ]
        name, size = max(sizes, key=lambda named: len(named[1]), default=("", {}))
        rest = [part.name for part in ordered(type(self)) if part.name not in size]
        return ", ".join([f"{self.kind} {name}".strip(), *changed(self, rest)])

    def __reduce__(self) -> Any:
        """Pickled by name and fields, so that a learner from a file reaches a worker."""
        from daxlab.learners.registry import KINDS, make

        if self.source is None and KINDS.get(self.kind) is not type(self):
            return object.__reduce__(self)  # a class that Python finds by itself
        return make, (self.source["name"] if self.source else self.kind, asdict(self))


@dataclass(frozen=True, eq=False)
class Job:
    """One run to be fitted: a learner, what it learns, and a seed."""

    learner: Learner
    dataset: Dataset
    split: Split
    seed: int

    def __repr__(self) -> str:
        return f"Job: {self.learner} on {self.split.name} of {self.dataset.name}, seed {self.seed}"


@dataclass(frozen=True)
class Context:
    """Where and how a learner fits its jobs, and whom it tells."""

    checkpoint: Path | None = None  # where to write checkpoints, and to resume from
    checkpoint_every: float = 20.0  # seconds
    snapshots: int = 0  # points of training at which to keep the weights of networks too
    set_aside: bool = False  # rename a damaged checkpoint and start again, instead of raising an error
    progress: Callable[[int, Sequence[float]], bool | None] = lambda step, losses: None  # False: stop here
    phase: Callable[[Literal["compiling", "training"]], object] = lambda name: None  # what it does now
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

    def __repr__(self) -> str:
        return f"Answers: {sum(self.right):,} of {len(self.answers):,} right"

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


class Stopped(Exception):
    """A learner was told to stop before its end."""


class Failed(Exception):
    """Why an outside process did not do its work: "crashed: …", "timed out: …"; the first words are a status."""


@dataclass(frozen=True)
class Prediction:
    """An answer to one command; what the learner cannot tell is None."""

    actions: Actions
    probabilities: tuple[float, ...] | None = None  # of each action, and of the end where it came to one
    attention: Any = None  # [steps, words and end]
    derivation: str | None = None  # how it came to the answer, to be read
    command: str = ""  # what was asked
    targets: tuple[Actions, ...] = ()  # the right answers; none to what is no command of the dataset

    @property
    def ended(self) -> bool:
        """Whether it came to an end, and was not cut off."""
        return self.probabilities is None or len(self.probabilities) > len(self.actions)

    @property
    def right(self) -> bool | None:
        """Whether it is right; None if nobody can tell."""
        return self.ended and self.actions in self.targets if self.targets else None

    def __str__(self) -> str:
        """The answer and, where it is known, whether it is right.

        >>> print(Prediction(("JUMP",), command="jump twice", targets=(("JUMP", "JUMP"),)))
        jump twice → JUMP ✗ should be JUMP JUMP
        """
        answer = _few(self.actions) + ("" if self.ended else ", cut off")
        verdict = {None: "", True: " ✓", False: f" ✗ should be {_few(next(iter(self.targets), ()))}"}[self.right]
        return f"{self.command} → {answer}{verdict}" if self.command else f"{answer}{verdict}"

    __repr__ = __str__


def _few(actions: Actions) -> str:
    """Actions as a line has room for them."""
    more = f" … ({len(actions):,} actions)" if len(actions) > MOST_ACTIONS else ""
    return " ".join(actions[:MOST_ACTIONS]) + more or "(nothing)"


class Model(Protocol):
    """What `fit_one` returns. Two methods more are asked for where there are such.

    `derivation(command)`: how it comes to its answer, as text. `record()`: the whole model as plain data (JSON), which
    `Learner.restore` takes; what stands under "shown" is for people.
    """

    def answers(self, commands: Sequence[str]) -> Sequence[Sequence[str]]:
        """The actions for each command, in the same order."""


Ability = Literal["oracle length", "likelihoods", "states", "attention", "weights", "record"]


class Fitted(abc.ABC):
    """The models of some jobs, in the jobs' order. `abilities` says what can be asked beyond answers."""

    jobs: Sequence[Job]
    abilities: frozenset[Ability] = frozenset()
    failures: Sequence[Failure | None] = ()
    curves: Sequence[Mapping[str, Sequence[float]]] = ()
    seconds: float = 0.0  # spent fitting, from the first start
    resumed: bool = False
    on_answers: Callable[[int], object] = staticmethod(lambda count: None)  # told of every so many more answers

    def __repr__(self) -> str:
        first = str(self.jobs[0]).partition(": ")[2] if self.jobs else "nothing"
        return f"{type(self).__name__}: {first}" + (f" and {len(self.jobs) - 1:,} more" if len(self.jobs) > 1 else "")

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

    def snapshots(self, member: int) -> Mapping[int, bytes]:
        """One job's weights on the way, by update, where the context asked for them."""
        return {}

    def record(self, member: int) -> Mapping[str, Any]:
        """One job's model as plain data, which `Learner.restore` takes; its "shown" is for people."""
        raise self.cannot("record")

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
        if all(callable(getattr(model, "record", None)) for model in models):
            self.abilities = frozenset({"record"})

    def record(self, member: int) -> Mapping[str, Any]:
        if "record" not in self.abilities:
            raise self.cannot("record")
        return self.models[member].record()  # type: ignore[attr-defined, no-any-return]

    def predict(self, command: str) -> Prediction:
        derive = getattr(self.models[0], "derivation", None)
        actions = self.ask([[Example(command, ())]] * len(self.jobs))[0].answers[0]
        return Prediction(actions, derivation=derive(command) if derive else None)

    def ask(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        answers = []
        for model, examples in zip(self.models, asked, strict=True):
            answers.append(self._ask(model, examples))
            self.on_answers(len(examples))
        return answers

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
