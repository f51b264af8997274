"""Networks that the engine trains and asks, all jobs of a group at once. Imported only when something is fitted."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from threading import Thread
from typing import Any

import equinox as eqx
import jax
import numpy as np

from daxlab import engine
from daxlab.datasets import Dataset, Split
from daxlab.encoding import Encoding
from daxlab.engine.device import on_device
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.learners.core import Ability, Answered, Context, Failure, Fitted, Job, Prediction
from daxlab.learners.network import NetworkLearner
from daxlab.learners.snapshots import Snapshots
from daxlab.networks import Encodes, check_shapes, has_attention
from daxlab.symbols import PAD


class Trainees(Fitted):
    """A stack of trained networks."""

    _snapshots: Snapshots | None = None

    def __init__(self, jobs: Sequence[Job], stack: engine.Stack, networks: Any) -> None:
        self.jobs, self.stack, self.networks = jobs, stack, networks
        self.encoding, self.failures = stack.encoding, [None] * len(jobs)
        able: set[Ability] = {"oracle length", "likelihoods", "weights"}
        able |= {"states"} if isinstance(networks, Encodes) else set()
        self.abilities = frozenset(able | ({"attention"} if has_attention(networks) else set()))

    def ask(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        return engine.evaluate(self.encoding, self.networks, asked, on_batch=self.on_answers)  # type: ignore[return-value]  # numpy's bools

    def ask_with_length(self, asked: Sequence[Sequence[Example]]) -> Sequence[Answered]:
        counted = self.on_answers
        return engine.evaluate(self.encoding, self.networks, asked, oracle_length=True, on_batch=counted)  # type: ignore[return-value]

    def likelihoods(self, answered: Sequence[Answered]) -> Sequence[tuple[Any, Any]]:
        return engine.likelihoods(self.networks, answered, self.on_answers)  # type: ignore[arg-type]

    def states(self, member: int, commands: Sequence[str]) -> Mapping[str, Any]:
        # One network at a time: all states of all training commands of many would fill the memory.
        alone = engine.subset(self.networks, [member])
        states = engine.encodings(alone, self.encoding.commands(commands), self.on_answers)
        return {name: rows[0] for name, rows in states.items()}

    def attention(self, commands: Sequence[str]) -> Sequence[Sequence[Any]]:
        rows = self.encoding.commands(commands)
        answers = engine.answers(self.networks, rows, cap=self.encoding.answer_time)  # [jobs, commands, cap]
        maps = engine.attentions(self.networks, np.stack([rows] * len(answers)), answers)
        steps, words = np.sum(answers != PAD, axis=-1), [len(command.split()) + 1 for command in commands]
        return [[own[i, : steps[n, i], : words[i]] for i in range(len(commands))] for n, own in enumerate(maps)]

    def weights(self, member: int) -> bytes:
        return engine.dump_weights(engine.unstack(self.networks, member))

    def snapshots(self, member: int) -> Mapping[int, bytes]:
        return self._snapshots.of(member) if self._snapshots else {}

    def predict(self, command: str) -> Prediction:
        """With the probability of every action, and where it looked."""
        most, words = self.encoding.command_time - 1, len(command.split())
        if words > most:
            raise InputError(f"this network reads at most {most} words, not {words}")
        rows = self.encoding.commands([command])
        answer = engine.answers(self.networks, rows, cap=self.encoding.answer_time)[0]
        actions = self.encoding.actions.sequence(answer[0].tolist())
        steps = len(actions) + bool(engine.ended(answer)[0])
        scores = engine.scores(self.networks, rows, answer)[0, 0]
        probabilities = np.exp(scores[np.arange(steps), answer[0, :steps]])
        looked = self.attention([command])[0][0] if "attention" in self.abilities else None
        return Prediction(actions, tuple(probabilities.tolist()), looked)


def fit(learner: NetworkLearner, jobs: Sequence[Job], context: Context) -> Trainees | None:
    """Train all jobs at once; None if the context said to stop."""
    stack = stack_of(jobs)
    if learner.source is not None:
        check_shapes(stack.make_first, words=len(stack.encoding.words), actions=len(stack.encoding.actions))
    rehearsal = Thread(target=_rehearse, args=(stack, jobs), daemon=True)
    on_card = jax.default_backend() != "cpu"  # on a CPU there is no core to spare for a rehearsal
    if on_card:
        context.phase("compiling")
        _check_memory(stack)
        rehearsal.start()
    snapshots = Snapshots(context.snapshots, stack.protocol.updates, context.checkpoint)
    with context.turn:
        trained, resumed = _train(stack, context, snapshots)
    if trained.update < stack.protocol.updates:
        return None
    if on_card:
        rehearsal.join()
    trainees = Trainees(jobs, stack, trained.networks)
    trainees.failures = [
        Failure(int(update) + 1, "its loss was no longer finite") if update >= 0 else None for update in trained.failed
    ]
    trainees._snapshots = snapshots
    trainees.curves = [trained.curve(member) for member in range(len(jobs))]
    trainees.seconds, trainees.resumed = float(trained.history.seconds), resumed
    return trainees


def load(learner: NetworkLearner, path: Path, dataset: Dataset) -> Trainees:
    """The network whose weights a file holds."""
    on_device("cpu")  # a few commands are no work for a card, and nobody asked for one
    job = _untrained(learner, dataset)
    stack = stack_of([job])
    return Trainees([job], stack, engine.load_weights(path, stack.make_first))


def parameters(learner: NetworkLearner, dataset: Dataset) -> int:
    """How many numbers training adjusts, from shapes alone: nothing is computed."""
    make = stack_of([_untrained(learner, dataset)]).make_first
    shapes = jax.tree.leaves(eqx.filter_eval_shape(make, jax.eval_shape(jax.random.key, 0)))
    arrays = [shape for shape in shapes if isinstance(shape, jax.ShapeDtypeStruct)]
    return sum(array.size for array in arrays if jax.numpy.issubdtype(array.dtype, jax.numpy.inexact))


def _untrained(learner: NetworkLearner, dataset: Dataset) -> Job:
    """A job without examples, which says only what network it is."""
    return Job(learner, dataset, Split(name="", origin="rule", train=(), weights=(), tests={}), 0)


@lru_cache(maxsize=4)
def _encoding(dataset: Dataset) -> Encoding:
    return Encoding.of(dataset.examples())


def stack_of(jobs: Sequence[Job]) -> engine.Stack:
    """The engine's stack for jobs that share a dataset and a network."""
    first = jobs[0].learner
    assert isinstance(first, NetworkLearner)
    if len({job.learner.together for job in jobs}) > 1:
        raise InputError("networks of several shapes cannot be trained together")
    encoding = _encoding(jobs[0].dataset)
    members = tuple(engine.Member(job.seed, job.split, job.learner.dropout) for job in jobs)  # type: ignore[attr-defined]
    splits = {id(job.split): job.split for job in jobs}
    prepared = {name: first.prepared(split, encoding) for name, split in splits.items()}
    tables = tuple(prepared[id(job.split)] for job in jobs)
    make = first.network(len(encoding.words), len(encoding.actions))
    return engine.Stack(members, make, encoding, first.protocol, tables if tables[0] is not None else ())


def _check_memory(stack: engine.Stack) -> None:
    """A stack that cannot fit on the card is not even tried."""
    needed = engine.memory_needed(stack)
    available = int((jax.devices()[0].memory_stats() or {}).get("bytes_limit", 0))
    if available and needed > available:
        raise MemoryError(f"out of memory: {needed:,} bytes needed, {available:,} available")


def _rehearse(stack: engine.Stack, jobs: Sequence[Job]) -> None:
    """Ask untrained networks one command each, so that the programs are compiled when they are needed."""
    with suppress(Exception):  # what is wrong here will be wrong again where it is reported
        networks = stack.start()
        engine.sample_accuracy(stack, networks, 1)
        untrained = Trainees(jobs, stack, networks)
        short = {id(job.split): job.split.test[:1] for job in jobs}
        asked = [short[id(job.split)] for job in jobs]
        untrained.ask_with_length(asked)
        untrained.likelihoods(untrained.ask(asked))
        probes = [example.command for example in jobs[0].dataset.probes()][:1]
        if probes and "states" in untrained.abilities:
            untrained.states(0, probes)
        if probes and "attention" in untrained.abilities:
            untrained.attention(probes)


def _train(stack: engine.Stack, context: Context, snapshots: Snapshots) -> tuple[engine.Trained, bool]:
    """The stack after training, and whether it resumed from a checkpoint; a damaged checkpoint is set aside."""
    train = partial(
        engine.train,
        stack,
        checkpoint_every=context.checkpoint_every,
        on_progress=context.progress,
        on_phase=context.phase,
        on_chunk=snapshots.take,
    )
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
