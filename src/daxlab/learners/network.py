"""Learners that are networks: many of one shape are stacked and trained by one compiled program (daxlab.engine).

`NetworkLearner` is the base of the kinds that come with daxlab. A class in a file of one's own need only be a
`daxlab.networks.Network` with a static method `start(key, *, words, actions, …)`; its further parameters become the
learner's fields, beside those that say how it is trained.
"""

import contextlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from daxlab.datasets import Dataset, Split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.learners.core import Ability, Answered, Context, Failure, Fitted, Job, Learner, Prediction, setting
from daxlab.protocol import SEMANTICS, Protocol

if TYPE_CHECKING:
    from daxlab.encoding import Encoding
    from daxlab.engine import Stack, Trained


@dataclass(frozen=True)
class NetworkLearner(Learner):
    """A network that the engine trains. Subclasses say which network, and have the fields of the protocol."""

    semantics: ClassVar[int] = SEMANTICS
    uses_jax: ClassVar[bool] = True
    dropout = 0.0  # a field, where a network has dropout

    def network(self, words: int, actions: int) -> Any:
        """A function from a key to the network with its start values, for vocabularies of these sizes."""
        raise NotImplementedError

    @property
    def protocol(self) -> Protocol:
        """How it is trained."""
        raise NotImplementedError

    @property
    def steps(self) -> int:
        """Updates."""
        return self.protocol.updates

    def fit(self, jobs: Sequence[Job], context: Context) -> "Trainees | None":
        """Train all jobs at once; resumes from the context's checkpoint."""
        import jax

        from daxlab import engine

        stack = stack_of(jobs)
        if self.source is not None:
            from daxlab.networks import check_shapes

            check_shapes(stack.make, words=len(stack.encoding.words), actions=len(stack.encoding.actions))
        rehearsal = None
        if jax.default_backend() != "cpu":  # on a CPU there is no core to spare for it
            with context.turn("compiles"):
                if _check_memory(stack, context) is False:
                    return None
            rehearsal = _rehearse(stack, jobs)
        with context.turn("trains"):
            if rehearsal is not None and context.started() is False:  # it may have waited long for its turn
                return None
            trained, resumed = _trained(stack, context)
        if trained.update < stack.protocol.updates:
            return None
        if rehearsal is not None:
            rehearsal.join()
        failures = [
            Failure(int(update) + 1, "its loss was no longer finite") if update >= 0 else None
            for update in trained.failed
        ]
        found = Trainees(jobs, stack, trained.networks, failures, seconds=float(trained.history.seconds))
        found.resumed, found.curves = resumed, [_curve(engine, trained, n) for n in range(len(jobs))]
        return found

    def load(self, path: Path, dataset: Dataset) -> "Trainees":
        """See the contract."""
        from daxlab import engine
        from daxlab.engine import weights
        from daxlab.engine.device import on_device

        on_device("cpu")  # a few commands are no work for a card, and nobody asked for one
        nothing = Split(name="", origin="rule", train=(), weights=(), tests={})
        job = Job(self, dataset, nothing, 0)
        stack = stack_of([job])
        return Trainees([job], stack, engine.stack([weights.load(path, stack.make)]), [None])


class Trainees(Fitted):
    """A stack of trained networks."""

    def __init__(
        self,
        jobs: Sequence[Job],
        stack: "Stack",
        networks: Any,
        failures: Sequence[Failure | None],
        seconds: float = 0.0,
    ) -> None:
        from daxlab import engine
        from daxlab.networks import Encodes

        self.jobs, self.stack, self.networks, self.failures, self.seconds = jobs, stack, networks, failures, seconds
        able: set[Ability] = {"oracle length", "likelihoods", "weights"}
        able |= {"states"} if isinstance(networks, Encodes) else set()
        self.abilities = frozenset(able | ({"attention"} if engine.attend(networks) else set()))

    @property
    def encoding(self) -> "Encoding":
        """How commands become arrays."""
        return self.stack.encoding

    def ask(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        """See the contract. Networks that are asked the same list are asked together."""
        from daxlab import engine

        return engine.evaluate(self.stack, self.networks, asked)  # type: ignore[return-value]  # numpy's bools

    def ask_with_length(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        """See the contract."""
        from daxlab import engine

        return engine.evaluate(self.stack, self.networks, asked, oracle_length=True)  # type: ignore[return-value]

    def likelihoods(self, answered: Sequence[Answered]) -> Sequence[tuple[Any, Any]]:
        """See the contract."""
        from daxlab import engine

        return engine.likelihoods(self.networks, answered)  # type: ignore[arg-type]

    def states(self, members: Sequence[int], commands: Sequence[str]) -> Any:
        """The last vector of each encoding: of a recurrent network, the top layer's final state."""
        if "states" not in self.abilities:
            raise self.cannot("states")
        from daxlab import engine

        chosen = engine.subset(self.networks, members)
        return engine.encodings(chosen, self.encoding.commands(commands))[:, :, -1]

    def attention(self, commands: Sequence[str]) -> Sequence[Sequence[Any]]:
        """See the contract."""
        if "attention" not in self.abilities:
            raise self.cannot("attention")
        import numpy as np

        from daxlab import engine
        from daxlab.symbols import PAD

        rows = self.encoding.commands(commands)
        given = engine.answers(self.networks, rows, cap=self.encoding.answer_time)  # [jobs, commands, cap]
        looked = engine.attentions(self.networks, np.stack([rows] * len(given)), given)
        steps, words = np.sum(given != PAD, axis=-1), [len(command.split()) + 1 for command in commands]
        return [
            [weights[i, : steps[n, i], : words[i]] for i in range(len(commands))] for n, weights in enumerate(looked)
        ]

    def weights(self, member: int) -> bytes:
        """See the contract."""
        from daxlab import engine
        from daxlab.engine import weights

        return weights.dump(engine.unstack(self.networks, member))

    def predict(self, command: str) -> Prediction:
        """With the probability of every action, and where it looked."""
        import numpy as np

        from daxlab import engine

        most, given = self.encoding.command_time - 1, len(command.split())
        if given > most:
            raise InputError(f"this network reads at most {most} words, not {given}")
        rows = self.encoding.commands([command])
        answer = engine.answers(self.networks, rows, cap=self.encoding.answer_time)[0]
        actions = self.encoding.actions.sequence(answer[0].tolist())
        steps = len(actions) + bool(engine.ended(answer)[0])
        scores = engine.scores(self.networks, rows, answer)[0, 0]
        probabilities = np.exp(scores[np.arange(steps), answer[0, :steps]])
        looked = self.attention([command])[0][0] if "attention" in self.abilities else None
        return Prediction(actions, tuple(probabilities.tolist()), looked)


@lru_cache(maxsize=4)
def _encoding(dataset: Dataset) -> "Encoding":
    from daxlab.encoding import Encoding

    return Encoding.of(dataset.examples())


def stack_of(jobs: Sequence[Job]) -> "Stack":
    """The engine's stack for jobs that share a dataset and a network."""
    from daxlab import engine

    first = jobs[0].learner
    assert isinstance(first, NetworkLearner)
    encoding = _encoding(jobs[0].dataset)
    members = tuple(engine.Member(job.seed, job.split, job.learner.dropout) for job in jobs)  # type: ignore[attr-defined]
    return engine.Stack(members, first.network(len(encoding.words), len(encoding.actions)), encoding, first.protocol)


def _check_memory(stack: "Stack", context: Context) -> bool | None:
    """Tell what a stack needs of the card; one that cannot fit is not even tried. False: told to stop."""
    import jax

    from daxlab import engine

    needed = engine.memory_needed(stack)
    available = int((jax.devices()[0].memory_stats() or {}).get("bytes_limit", 0))
    heard = context.memory(needed, available)
    if available and needed > available:
        raise MemoryError(f"out of memory: {needed:,} bytes needed, {available:,} available")
    return heard


def _rehearse(stack: "Stack", jobs: Sequence[Job]) -> Thread:
    """Ask untrained networks one command each, in a thread, so that the programs are compiled when they are needed."""

    def work() -> None:
        from daxlab import engine

        with contextlib.suppress(Exception):  # what is wrong here will be wrong again where it is reported
            networks = stack.start()
            engine.sample_accuracy(stack, networks, 1)
            found = Trainees(jobs, stack, networks, [None] * len(jobs))
            short = {id(job.split): job.split.test[:1] for job in jobs}
            asked = [short[id(job.split)] for job in jobs]
            found.ask_with_length(asked)
            found.likelihoods(found.ask(asked))
            probes = [example.command for example in jobs[0].dataset.probes()][:1]
            if probes and "states" in found.abilities:
                found.states(range(len(jobs)), probes)
            if probes and "attention" in found.abilities:
                found.attention(probes)

    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread


def _trained(stack: "Stack", context: Context) -> tuple["Trained", bool]:
    """The stack after training, and whether it resumed from a checkpoint; a damaged checkpoint is set aside."""
    from daxlab import engine

    def on_progress(now: engine.Progress) -> bool | None:
        return context.progress(now.update, tuple(map(float, now.losses)), tuple(map(int, now.failed)))

    train = partial(engine.train, stack, checkpoint_every=context.checkpoint_every, on_progress=on_progress)
    path = context.checkpoint
    resumed = path is not None and path.exists()
    try:
        return train(checkpoint=path), resumed
    except engine.Damaged as error:
        if path is None or not context.set_aside:
            raise
        aside = path.with_suffix(".damaged")
        path.replace(aside)
        context.note(f"{error.what}: set aside as {aside.name}; its runs train from the start")
        return train(checkpoint=path), False


def _curve(engine: Any, trained: "Trained", member: int) -> dict[str, list[float]]:
    history = trained.history
    losses, per_point = trained.mean_losses[:, member], engine.CURVE_EVERY // engine.WINDOW
    return {
        "update": history.updates.tolist(),
        "train_accuracy": (100 * history.train[:, member]).tolist(),
        "test_accuracy": (100 * history.test[:, member]).tolist(),
        "loss": [float(losses[at : at + per_point].mean()) for at in range(0, len(losses), per_point)],
    }


# A class in a file as a learner.

GIVEN = ("key", "words", "actions")  # what the engine gives `start`


def learner_of(network: Any, name: str) -> type[NetworkLearner]:
    """A learner whose fields are the parameters of the network's `start`, then `dropout` and the protocol's."""
    start = getattr(network, "start", None)
    if not callable(start):
        raise InputError(f"{name} breaks the contract: it needs a static method start(key, *, words, actions, …)")
    parameters = inspect.signature(start).parameters
    missing = [one for one in GIVEN if one not in parameters]
    if missing:
        raise InputError(f"{name} breaks the contract: its start takes no {missing[0]!r}; it needs {', '.join(GIVEN)}")
    own = [_as_field(one, name) for one in parameters.values() if one.name not in GIVEN]
    taken = {one[0] for one in own}
    training: list[Any] = [("dropout", float, setting(0.0, "the share of units dropped in training", 0, below=1))]
    training += [(one.name, one.type, field(default=one.default)) for one in fields(Protocol)]
    made = make_dataclass(
        network.__name__,
        [*own, *(one for one in training if one[0] not in taken)],
        bases=(_FileNetwork,),
        frozen=True,
        namespace={"start": staticmethod(start), "own": tuple(taken), "__doc__": network.__doc__},
    )
    return made


def _as_field(parameter: inspect.Parameter, name: str) -> tuple[str, Any, Any]:
    if parameter.default is inspect.Parameter.empty:
        raise InputError(f"{name} breaks the contract: the parameter {parameter.name!r} of start needs a default")
    kind = type(parameter.default) if parameter.annotation is inspect.Parameter.empty else parameter.annotation
    return parameter.name, kind, field(default=parameter.default)


@dataclass(frozen=True)
class _FileNetwork(NetworkLearner):
    """A network whose class stands in a file."""

    start: ClassVar[Callable[..., Any]]
    own: ClassVar[tuple[str, ...]] = ()  # the fields that `start` takes

    def network(self, words: int, actions: int) -> Any:
        """See above."""
        settings = {one: getattr(self, one) for one in self.own}
        return partial(type(self).start, words=words, actions=actions, **settings)

    @property
    def protocol(self) -> Protocol:
        """The protocol's fields; those that `start` takes itself have their defaults there."""
        return Protocol(**{one.name: getattr(self, one.name) for one in fields(Protocol)})

    @property
    def together(self) -> Any:
        """Runs may differ in dropout, unless the network takes it for something of its own."""
        return self if "dropout" in self.own else replace(self, dropout=0.0)  # type: ignore[call-arg]  # a field
