"""Training a stack: chunks of updates, the learning curve, checkpoints. Prints nothing."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.engine.adam import start_moments
from daxlab.engine.checkpoint import Saver, read
from daxlab.engine.draws import DROPOUT, draw, run_key
from daxlab.engine.evaluate import sample_accuracy
from daxlab.engine.stack import Stack
from daxlab.engine.update import Program, Shown, State, compiled
from daxlab.errors import InputError
from daxlab.networks.contract import Network
from daxlab.symbols import PAD

WINDOW = 200  # updates per chunk, and per point of the loss curve
CURVE_EVERY = 10_000  # updates between two points of the learning curve


class History(NamedTuple):
    """What is recorded during training."""

    losses: NDArray[np.float64]  # [windows, runs]: sums over windows of WINDOW updates; NaN once a run has failed
    updates: NDArray[np.int64]  # [points] of the learning curve
    train: NDArray[np.float64]  # [points, runs]: accuracy on a sample of the training commands
    test: NDArray[np.float64]  # [points, runs]
    seconds: NDArray[np.float64]  # []: spent on all this, from the first start


class Progress(NamedTuple):
    """What `on_progress` is called with after every chunk."""

    update: int
    losses: NDArray[np.float64]  # [runs]: the mean loss of the chunk
    failed: NDArray[np.int32]  # [runs]: the update at which a run failed, else -1


@dataclass(frozen=True, eq=False)
class Trained:
    """A stack after some updates."""

    stack: Stack
    networks: Network  # stacked
    update: int
    failed: NDArray[np.int32]
    history: History

    @property
    def mean_losses(self) -> NDArray[np.float64]:
        """[windows, runs]."""
        counts = np.minimum(self.update - WINDOW * np.arange(len(self.history.losses)), WINDOW)
        return np.asarray(self.history.losses / counts[:, None])

    def curve(self, member: int) -> dict[str, list[float]]:
        """A run's learning curve by column, accuracies in percent."""
        losses, per_point = self.mean_losses[:, member], CURVE_EVERY // WINDOW
        return {
            "update": self.history.updates.tolist(),
            "train_accuracy": (100 * self.history.train[:, member]).tolist(),
            "test_accuracy": (100 * self.history.test[:, member]).tolist(),
            "loss": [float(losses[at : at + per_point].mean()) for at in range(0, len(losses), per_point)],
        }


def train(
    stack: Stack,
    *,
    until: int | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 20.0,
    on_progress: Callable[[Progress], bool | None] | None = None,
    sample: int = 256,
) -> Trained:
    """Train a stack to the protocol's end, or until an earlier update; from `checkpoint`, if that file exists.

    A checkpoint is written every `checkpoint_every` seconds (less often where writing takes more than a
    twentieth of the time) and at the end; when it is written changes no bit. `on_progress` hears after every
    chunk; if it answers False, training stops there, with a checkpoint. `sample`: commands per point of the
    curve, 0 for no curve.
    """
    end = stack.protocol.updates if until is None else until
    if not 0 <= end <= stack.protocol.updates:
        raise InputError(f"a run of {stack.protocol.updates} updates cannot be trained until update {end}")
    digest = stack.digest()
    networks = stack.start()
    arrays, static = eqx.partition(networks, eqx.is_array)
    state, history = start_state(arrays), start_history(len(stack.members))
    if checkpoint is not None and checkpoint.exists():
        state, history = read(checkpoint, digest, (state, history))
        state = jax.tree.map(jnp.asarray, state)
    began = time.monotonic() - float(history.seconds)
    program = make_program(stack, static)
    rates, keys = run_inputs(stack)
    done = int(state.update)
    with ThreadPoolExecutor(1) as drawing, Saver(checkpoint, digest, checkpoint_every) as saver:
        ready = drawing.submit(draw_chunk, stack, program, done) if done < end else None
        while ready is not None:
            shown, stop = ready.result(), min((done // WINDOW + 1) * WINDOW, end)
            # the next chunk is drawn while the device works on this one
            ready = drawing.submit(draw_chunk, stack, program, stop) if stop < end else None
            count = jnp.int32(stop - done)
            state, losses = compiled(program, state, shown, rates, keys, count)(state, shown, rates, keys, count)
            chunk = np.asarray(losses, np.float64)[: stop - done]
            history = _note_losses(history, chunk, done // WINDOW)
            done = stop
            if sample and (done % CURVE_EVERY == 0 or done == stack.protocol.updates):
                history = _note_curve(history, stack, eqx.combine(state.arrays, static), done, sample)
            now = Progress(done, chunk.mean(0), np.asarray(state.failed))
            go_on = on_progress is None or on_progress(now) is not False
            if saver.due() or done == end or not go_on:
                saver.save((state, history._replace(seconds=np.array(time.monotonic() - began))))
            if not go_on:
                break
    history = history._replace(seconds=np.array(time.monotonic() - began))
    return Trained(stack, eqx.combine(state.arrays, static), done, np.asarray(state.failed), history)


def memory_needed(stack: Stack) -> int:
    """Bytes on the device that the stack's program asks for, by XLA's own analysis. Compiles it."""
    arrays, static = eqx.partition(stack.start(), eqx.is_array)
    program = make_program(stack, static)
    rates, keys = run_inputs(stack)
    shown = draw_chunk(stack, program, 0)
    memory = compiled(program, start_state(arrays), shown, rates, keys, jnp.int32(0)).memory_analysis()
    if memory is None:  # a device that does not tell
        return 0
    sizes = memory.temp_size_in_bytes + memory.argument_size_in_bytes + memory.output_size_in_bytes
    return sizes - memory.alias_size_in_bytes


def start_state(arrays: Any) -> State:
    """A stack before its first update."""
    runs = jax.tree.leaves(arrays)[0].shape[0]
    moments = start_moments(eqx.filter(arrays, eqx.is_inexact_array))
    return State(arrays, moments, jnp.full(runs, -1, jnp.int32), jnp.zeros((), jnp.int32))


def start_history(runs: int) -> History:
    """Nothing recorded yet."""
    points = np.zeros((0, runs))
    return History(points, np.zeros(0, np.int64), points, points, np.zeros(()))


def make_program(stack: Stack, static: Any, early_exit: bool | None = None) -> Program:
    """The program for a stack: on a CPU its loops stop early, so that one padded length is enough."""
    early_exit = jax.default_backend() == "cpu" if early_exit is None else early_exit
    forcing = stack.protocol.teacher_forcing
    return Program(
        static=static,
        caps=stack.encoding.caps[-1:] if early_exit else stack.encoding.caps,
        early_exit=early_exit,
        has_dropout=stack.has_dropout,
        forced=bool(forcing) if forcing in (0, 1) else None,
        own_end=stack.protocol.self_fed_loss_ends == "own",
        learning_rate=stack.protocol.learning_rate,
        clip=stack.protocol.clip,
    )


def run_inputs(stack: Stack) -> tuple[Array, Array]:
    """Each run's dropout rate and its key for masks."""
    rates = jnp.array([member.dropout for member in stack.members], jnp.float32)
    return rates, jax.vmap(partial(run_key, purpose=DROPOUT))(jnp.asarray(stack.seeds))


def draw_chunk(stack: Stack, program: Program, first: int, count: int = WINDOW) -> Shown:
    """The presentations of `count` updates, and the padded length that holds those of all runs."""
    drawn = draw(stack.protocol, stack.seeds, stack.tables, first, count)
    lengths = np.stack([np.sum(rows != PAD, axis=-1).max(axis=1) for rows in (drawn.commands, drawn.actions)], axis=1)
    fits = np.all(lengths[:, None] <= np.array(program.caps)[None], axis=-1)  # [updates, caps]
    return Shown(*map(jnp.asarray, (*drawn, np.argmax(fits, axis=1).astype(np.int32))))


def _note_losses(history: History, losses: NDArray[np.float64], window: int) -> History:
    sums = history.losses
    if len(sums) <= window:
        sums = np.concatenate([sums, np.zeros((1, losses.shape[1]))])
    for row in losses:  # one by one: the same sum, however the window was cut
        sums[window] += row
    return history._replace(losses=sums)


def _note_curve(history: History, stack: Stack, networks: Network, update: int, sample: int) -> History:
    train, test = sample_accuracy(stack, networks, sample)
    return history._replace(
        updates=np.append(history.updates, update),
        train=np.concatenate([history.train, train[None]]),
        test=np.concatenate([history.test, test[None]]),
    )
