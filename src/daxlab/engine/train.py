"""Training a stack: chunks of updates, the learning curve, checkpoints. Prints nothing."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.engine.checkpoint import checkpoints, read
from daxlab.engine.draws import DROPOUT, Tables, draw, run_key
from daxlab.engine.evaluate import sample_accuracy
from daxlab.engine.optimisers import start_moments
from daxlab.engine.stack import Stack
from daxlab.engine.update import WINDOW, Program, Shown, State, compiled
from daxlab.networks.contract import Network
from daxlab.symbols import PAD

CURVE_EVERY = 10_000  # updates between two points of the learning curve


class History(NamedTuple):
    """What is recorded during training."""

    losses: NDArray[np.float64]  # [windows, runs]: sums over WINDOW updates (the last: the rest); NaN once a run failed
    updates: NDArray[np.int64]  # [points] of the learning curve
    train: NDArray[np.float64]  # [points, runs]: accuracy on a sample of the training commands
    test: NDArray[np.float64]  # [points, runs]
    seconds: NDArray[np.float64]  # []: spent on training, interruptions not counted


@dataclass(frozen=True, eq=False)
class Trained:
    """A stack after some updates."""

    networks: Network  # stacked
    update: int
    failed: NDArray[np.int32]  # [runs]: the update at which a run failed, else -1
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
    checkpoint: Path | None = None,
    checkpoint_every: float = 20.0,
    on_progress: Callable[[int, Sequence[float]], bool | None] | None = None,
    on_phase: Callable[[Literal["compiling", "training"]], object] = lambda name: None,
    on_chunk: Callable[[int, Network], object] = lambda update, networks: None,
    sample: int = 256,
) -> Trained:
    """Train a stack to the protocol's end; from `checkpoint`, if that file exists.

    A checkpoint is written every `checkpoint_every` seconds (less often if writing takes more than a twentieth of the
    time) and at the end; resumed training ends with the same bits. After every chunk `on_progress` is called with the
    number of updates done and each run's mean loss in the chunk; if it returns False, training stops there, with a
    checkpoint. `on_phase` is told when it compiles, and when training begins; `on_chunk` sees the networks after
    every chunk, before they train on. `sample`: commands per point of the learning curve, 0 for no curve.
    """
    on_phase("compiling")
    digest, runs, end = stack.digest(), len(stack.members), stack.protocol.updates
    program, state, rates, keys = prepare(stack)
    nothing = np.zeros((0, runs))
    history = History(nothing, np.zeros(0, np.int64), nothing, nothing, seconds=np.zeros(()))
    if checkpoint is not None and checkpoint.exists():
        state, history = read(checkpoint, digest, (state, history))
        state = jax.tree.map(jnp.asarray, state)
    began = time.monotonic() - float(history.seconds)
    done, go_on, began_training = int(state.update), True, False
    with ThreadPoolExecutor(1) as drawing, checkpoints(checkpoint, digest, checkpoint_every) as save:
        ready = drawing.submit(draw_chunk, stack, program, done) if done < end else None
        while ready is not None and go_on:
            shown, count = ready.result(), min(WINDOW, end - done)
            done += count
            # the next chunk is drawn while the device works on this one
            ready = drawing.submit(draw_chunk, stack, program, done) if done < end else None
            arguments = (state, shown, rates, keys, jnp.int32(count))
            step = compiled(program, *arguments)
            if not began_training:
                began_training = True
                on_phase("training")
            state, losses = step(*arguments)
            losses = np.asarray(losses, np.float64)[:count]
            sums = np.cumsum(losses, axis=0)[-1]  # in the order of the updates
            history = history._replace(losses=np.vstack([history.losses, sums]))
            if sample and (done % CURVE_EVERY == 0 or done == end):
                on_train, on_test = sample_accuracy(stack, eqx.combine(state.arrays, program.static), sample)
                history = history._replace(
                    updates=np.append(history.updates, done),
                    train=np.vstack([history.train, on_train]),
                    test=np.vstack([history.test, on_test]),
                )
            on_chunk(done, eqx.combine(state.arrays, program.static))
            history = history._replace(seconds=np.array(time.monotonic() - began))
            if on_progress is not None:
                go_on = on_progress(done, losses.mean(0).tolist()) is not False
            save((state, history), done == end or not go_on)
    return Trained(eqx.combine(state.arrays, program.static), done, np.asarray(state.failed), history)


def memory_needed(stack: Stack) -> int:
    """Bytes on the device that the stack's program needs, by XLA's own analysis; 0 if the device does not say."""
    program, state, rates, keys = prepare(stack)
    memory = compiled(program, state, draw_chunk(stack, program, 0), rates, keys, jnp.int32(0)).memory_analysis()
    if memory is None:
        return 0
    sizes = memory.temp_size_in_bytes + memory.argument_size_in_bytes + memory.output_size_in_bytes
    return sizes - memory.alias_size_in_bytes


def prepare(stack: Stack, early_exit: bool | None = None) -> tuple[Program, State, Array, Array]:
    """A stack's program, its state before the first update, and each run's dropout rate and key for masks.

    `early_exit` (by default on a CPU): loops over time stop at the padding, so that one padded length is enough.
    """
    arrays, static = eqx.partition(stack.start(), eqx.is_array)
    protocol = stack.protocol
    moments = start_moments(eqx.filter(arrays, eqx.is_inexact_array), protocol.optimiser)
    state = State(arrays, moments, jnp.full(len(stack.members), -1, jnp.int32), jnp.zeros((), jnp.int32))
    rates = jnp.array([member.dropout for member in stack.members], jnp.float32)
    keys = jax.vmap(partial(run_key, purpose=DROPOUT))(jnp.asarray(stack.seeds))
    if early_exit is None:
        early_exit = jax.default_backend() == "cpu"
    forcing = protocol.teacher_forcing
    one_length = early_exit or (protocol.batch > 1 and not static.parallel)  # a large batch has some long example
    program = Program(
        static=static,
        caps=stack.encoding.caps[-1:] if one_length else stack.encoding.caps,
        early_exit=early_exit,
        has_dropout=any(member.dropout > 0 for member in stack.members),
        forced=bool(forcing) if forcing in (0, 1) else None,
        protocol=replace(protocol, updates=1),  # one program, however long the training
    )
    return program, state, rates, keys


def draw_chunk(stack: Stack, program: Program, first: int, count: int = WINDOW) -> Shown | Tables:
    """The presentations of `count` updates, and for each update the padded length that holds those of all runs.

    Batches are drawn on the device, from tables that serve every chunk.
    """
    if stack.protocol.batch > 1:
        return stack.batch_tables
    drawn = draw(stack.protocol, stack.seeds, stack.tables, first, count)
    lengths = np.stack([np.sum(rows != PAD, axis=-1).max(axis=1) for rows in (drawn.commands, drawn.actions)], axis=1)
    fits = np.all(lengths[:, None] <= np.array(program.caps)[None], axis=-1)  # [updates, caps]
    return Shown(*map(jnp.asarray, (*drawn, np.argmax(fits, axis=1).astype(np.int32))))
