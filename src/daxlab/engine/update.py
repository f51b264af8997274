"""One update of a stack of networks, and a chunk of updates as one compiled program.

The weights of R runs are stacked on a leading axis. Knows nothing of splits, vocabularies, files or wall clocks.
"""

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from daxlab.engine.draws import Tables, draw_batch
from daxlab.engine.optimisers import OPTIMISERS, Moments, global_norm, learning_rate
from daxlab.errors import InputError
from daxlab.protocol import Protocol
from daxlab.symbols import PAD

WINDOW = 200  # updates per chunk, and per point of the loss curve
PARTS = 4  # of a batch: each holds examples of like length, and is padded only as far as these need
PRECISION = "highest"  # float32 products, whatever the device would rather do
# Small steps are mostly launch latency: a GPU may run independent kernels concurrently (a tenth faster).
CARD: dict[str, str | bool] = {"xla_gpu_command_buffer_scheduling_mode": "CONCURRENT"}


class State(NamedTuple):
    """A stack between two updates. Every array but `update` has the runs on its leading axis."""

    arrays: Any  # the networks' arrays
    moments: Moments  # the optimiser's, of their parameters
    failed: Array  # int [runs]: the update whose loss or gradient was not finite, else -1; the run is then frozen
    update: Array  # int: updates done


class Shown(NamedTuple):
    """What is presented to the runs in a chunk of updates."""

    commands: Array  # int [updates, runs, command time]
    actions: Array  # int [updates, runs, action time]
    forced: Array  # bool [updates, runs]
    cap: Array  # int [updates]: which of the program's padded lengths holds the examples of all runs


class Program(NamedTuple):
    """All that a compiled program depends on, besides the shapes of its arrays. It serves any split."""

    static: Any  # the networks without their arrays
    caps: tuple[tuple[int, int], ...]  # padded lengths: (command time, action time)
    early_exit: bool  # loops over time stop where the padding begins (a CPU), or go to its end (an accelerator)
    has_dropout: bool
    forced: bool | None  # teacher forcing, if it is the same for every presentation; None: drawn for each
    protocol: Protocol


def run_gradient(
    program: Program,
    arrays: Any,
    commands: Array,
    actions: Array,
    forced: Array,
    rate: Array,
    key: Array,
    steps: tuple[Array | None, Array | None],
) -> tuple[Array, Any]:
    """The loss of one run on one example, and its gradient; or the sum over examples, with a key for each of them."""
    parameters, others = eqx.partition(arrays, eqx.is_inexact_array)

    def example_loss(network: Any, command: Array, actions: Array, forced: Array, key: Array) -> Array:
        return network.loss(
            command,
            actions,
            forced=forced if program.forced is None else program.forced,
            own_end=program.protocol.self_fed_loss_ends == "own",
            dropout=rate if program.has_dropout else None,
            key=key,
            steps=steps,
        )

    def loss(parameters: Any) -> Array:
        of_example = partial(example_loss, eqx.combine(parameters, others, program.static))
        if commands.ndim > 1:
            return jnp.sum(jax.vmap(of_example)(commands, actions, forced, key))
        total = of_example(commands, actions, forced, key)
        return total / jnp.sum(actions != PAD) if program.protocol.loss_per == "symbol" else total

    with jax.default_matmul_precision(PRECISION):
        return jax.value_and_grad(loss)(parameters)


def group_gradient(
    program: Program, cap: tuple[int, int], arrays: Any, commands: Array, actions: Array, *rest: Array
) -> tuple[Array, Any]:
    """The losses [runs] and gradients of all runs, their examples padded to one of the program's lengths."""
    commands, actions = commands[..., : cap[0]], actions[..., : cap[1]]
    steps: tuple[Array | None, Array | None] = (None, None)
    if program.early_exit:
        steps = (jnp.max(jnp.sum(commands != PAD, axis=-1)), jnp.max(jnp.sum(actions != PAD, axis=-1)))
    gradient: Callable[..., tuple[Array, Any]] = partial(run_gradient, program, steps=steps)
    if len(commands) > 1:
        return jax.vmap(gradient)(arrays, commands, actions, *rest)
    alone = jax.tree.map(lambda x: x[0], (arrays, commands, actions, *rest))  # a single run needs no batched products
    return jax.tree.map(lambda x: x[None], gradient(*alone))


def batch_gradient(
    program: Program, arrays: Any, commands: Array, actions: Array, forced: Array, rates: Array, keys: Array
) -> tuple[Array, Any]:
    """The losses [runs] and gradients of all runs on batches [runs, batch, time].

    If a network has no loop in time, its batch is sorted into parts, which halves the work on SCAN.
    """
    runs, batch = forced.shape
    keys = jax.vmap(lambda key: jax.vmap(partial(jax.random.fold_in, key))(jnp.arange(batch)))(keys)
    order = jnp.argsort(jnp.sum(actions != PAD, axis=-1), axis=1)

    def in_parts(rows: Array) -> Array:
        rows = jax.vmap(lambda own, order: own[order])(rows, order)
        return jnp.moveaxis(rows.reshape(runs, parts, batch // parts, *rows.shape[2:]), 1, 0)

    parts = PARTS if program.static.parallel and batch % PARTS == 0 else 1
    caps = jnp.array(program.caps)
    branches = [partial(group_gradient, program, cap) for cap in program.caps]

    def add_part(sums: tuple[Array, Any], part: tuple[Array, ...]) -> tuple[tuple[Array, Any], None]:
        lengths = jnp.stack([jnp.max(jnp.sum(rows != PAD, axis=-1)) for rows in part[:2]])
        cap = jnp.argmax(jnp.all(lengths <= caps, axis=-1))
        new = jax.lax.switch(cap, branches, arrays, *part[:3], rates, part[3])
        return jax.tree.map(jnp.add, sums, new), None

    zeros = jax.tree.map(jnp.zeros_like, eqx.filter(arrays, eqx.is_inexact_array))
    start = jnp.zeros(runs, jax.tree.leaves(zeros)[0].dtype), zeros
    sums, _ = jax.lax.scan(add_part, start, tuple(map(in_parts, (commands, actions, forced, keys))))
    per_symbol = program.protocol.loss_per == "symbol"
    count = jnp.sum(actions != PAD, axis=(1, 2)) if per_symbol else jnp.full(runs, batch)
    return jax.tree.map(lambda x: x / count.astype(x.dtype).reshape(runs, *(1,) * (x.ndim - 1)), sums)


def group_update(
    program: Program, state: State, shown: Shown | Tables, rates: Array, keys: Array
) -> tuple[State, Array]:
    """One update of every run that has not failed, and the losses [runs]. `shown`: tables if it is to draw a batch."""
    protocol = program.protocol
    keys = jax.vmap(lambda key: jax.random.fold_in(key, state.update))(keys)
    if isinstance(shown, Tables):
        drawn = draw_batch(shown, state.update, protocol.batch, protocol.teacher_forcing)
        loss, gradients = batch_gradient(program, state.arrays, *drawn, rates, keys)
    else:
        branches = [partial(group_gradient, program, cap) for cap in program.caps]
        inputs = (state.arrays, shown.commands, shown.actions, shown.forced, rates, keys)
        loss, gradients = branches[0](*inputs) if len(branches) == 1 else jax.lax.switch(shown.cap, branches, *inputs)
    parameters, others = eqx.partition(state.arrays, eqx.is_inexact_array)
    parts = clipping_parts(program, parameters)
    count = (state.update + 1).astype(loss.dtype)
    rate = learning_rate(protocol, count)
    step = partial(OPTIMISERS[protocol.optimiser], count=count, rate=rate, clip=protocol.clip, parts=parts)

    def apply(parameters: Any, moments: Moments, gradients: Any, loss: Array, failed: Array) -> Any:
        leaves = jax.tree.leaves(gradients)
        norms = [global_norm([g for g, of in zip(leaves, parts, strict=True) if of == n]) for n in sorted(set(parts))]
        go = jnp.isfinite(loss) & jnp.isfinite(reduce(add, norms)) & (failed < 0)
        return *step(parameters, moments, gradients, norms=norms, go=go), go

    new, moments, went = jax.vmap(apply)(parameters, state.moments, gradients, loss, state.failed)
    failed = jnp.where((state.failed < 0) & ~went, state.update, state.failed)
    loss = jnp.where(failed < 0, loss, jnp.nan)  # a failed run's loss means nothing
    return State(eqx.combine(new, others), moments, failed, state.update + 1), loss


def clipping_parts(program: Program, parameters: Any) -> list[int]:
    """For each array of the parameters, the number of the part whose norm it is clipped by."""
    encoder = program.static.encoder_fields if program.protocol.clip_separately else ()
    if program.protocol.clip_separately and not encoder:
        raise InputError("clip_separately needs a network that says which fields are its encoder's (encoder_fields)")
    paths = [path for path, _ in jax.tree_util.tree_leaves_with_path(parameters)]
    return [int(bool(encoder) and path[0].name not in encoder) for path in paths]


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def chunk(
    program: Program, state: State, shown: Shown | Tables, rates: Array, keys: Array, count: Array
) -> tuple[State, Array]:
    """The state after the first `count` updates of a chunk, and the losses [updates, runs], zero after these."""
    losses = jnp.zeros((WINDOW if isinstance(shown, Tables) else len(shown.forced), len(rates)), rates.dtype)

    def body(index: Array, carry: tuple[State, Array]) -> tuple[State, Array]:
        state, losses = carry
        here = shown if isinstance(shown, Tables) else jax.tree.map(lambda x: x[index], shown)
        state, loss = group_update(program, state, here, rates, keys)
        return state, losses.at[index].set(loss.astype(losses.dtype))

    return jax.lax.fori_loop(0, count, body, (state, losses))


_compiled: dict[Any, jax.stages.Compiled] = {}


def compiled(program: Program, *arguments: Any) -> jax.stages.Compiled:
    """`chunk` for arguments of these shapes, compiled once; unlike a jitted function it tells what memory it needs."""
    leaves, structure = jax.tree.flatten(arguments)
    shapes = (program, structure, tuple((leaf.shape, leaf.dtype) for leaf in leaves))
    if shapes not in _compiled:
        lowered = chunk.lower(program, *arguments)
        try:
            _compiled[shapes] = lowered.compile(compiler_options=CARD if jax.default_backend() == "gpu" else None)
        except jax.errors.JaxRuntimeError as error:
            if "No such compile option" not in str(error):
                raise
            _compiled[shapes] = lowered.compile()  # this version of XLA has no such option
    return _compiled[shapes]
