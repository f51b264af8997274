"""What trained networks answer: greedy and oracle-length answers, log-likelihoods, encoder states, attention.

Many networks are asked many commands at once. Commands and actions are padded rows of numbers (daxlab.encoding):
[commands, time] if all networks are asked the same, else [runs, commands, time]. Results have the runs on their leading
axis. Knows nothing of splits, training or files.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from daxlab.engine.update import PRECISION
from daxlab.errors import InputError
from daxlab.networks.contract import Encodes, Network, has_attention
from daxlab.symbols import EOS, PAD

Rows = NDArray[np.int32]
Ask = Callable[..., Any]  # of one network and one example: a method of networks, or a function
Counter = Callable[[int], object]  # is told after each batch how many answers came


def answers(
    networks: Network,
    commands: Rows,
    *,
    cap: int,
    lengths: NDArray[np.int32] | None = None,
    like: Rows | None = None,
    on_batch: Counter | None = None,
) -> Rows:
    """Greedy answers [runs, commands, cap]: actions, <EOS>, <PAD>.

    `lengths` ([commands] or [runs, commands]): oracle lengths, the numbers of actions to answer with. `like`: action
    rows about as long as the answers will be; a batch then has answers of like length, and ends with the longest.
    """
    oracle = np.full(commands.shape[:-1], -1, np.int32) if lengths is None else lengths.astype(np.int32)
    expected = oracle if like is None else np.sum(like != PAD, axis=-1)
    return _batched(networks, _greedy(cap), (commands, oracle), by=expected, on_batch=on_batch)


def log_likelihoods(
    networks: Network, commands: Rows, actions: Rows, on_batch: Counter | None = None
) -> NDArray[np.float32]:
    """Log-probabilities of whole action sequences, <EOS> included, [runs, commands]."""
    return _batched(networks, _likelihood, (commands, actions), on_batch=on_batch)


def scores(networks: Network, commands: Rows, actions: Rows) -> NDArray[np.float32]:
    """Log-probabilities of every symbol at every step as these actions are fed, [runs, commands, time, symbols]."""
    return _batched(networks, type(networks).scores, (commands, actions))


def encodings(networks: Network, commands: Rows, on_batch: Counter | None = None) -> dict[str, NDArray[np.float32]]:
    """The encoder's states by name, each [runs, commands, size]."""
    if not isinstance(networks, Encodes):
        raise InputError("networks of this kind have no encoder states")
    return _batched(networks, type(networks).encoding, (commands,), on_batch=on_batch)


def attentions(networks: Network, commands: Rows, actions: Rows) -> NDArray[np.float32]:
    """Attention weights as these actions are fed, [runs, commands, action time, command time]."""
    if not has_attention(networks):
        raise InputError("networks of this kind have no attention weights")
    return _batched(networks, type(networks).attention, (commands, actions))


def right(given: Rows, targets: Rows) -> NDArray[np.bool_]:
    """Which answers [..., cap] are exactly their targets [..., time], <EOS> included."""
    return np.all(given[..., : targets.shape[-1]] == targets, axis=-1)


def ended(given: Rows) -> NDArray[np.bool_]:
    """Which answers [..., cap] have their <EOS> within the cap."""
    return np.any(given == EOS, axis=-1)


@cache  # the same function each time, so that JAX compiles it once
def _greedy(cap: int) -> Ask:
    return lambda network, command, length: network.greedy(command, cap=cap, length=length)


def _likelihood(network: Any, command: Array, actions: Array) -> Array:
    scores = jnp.take_along_axis(network.scores(command, actions), actions[:, None], axis=1)[:, 0]
    return jnp.sum(jnp.where(actions == PAD, 0, scores))


@partial(jax.jit, static_argnums=(0, 1))
def _ask(static: Any, ask: Ask, arrays: Any, rows: tuple[Array, ...]) -> Array:
    """`ask` of every network and its own rows [runs, batch, ...]."""

    def ask_one(arrays: Any, rows: tuple[Array, ...]) -> Array:
        network = eqx.combine(arrays, static)
        return jax.vmap(partial(ask, network))(*rows)

    with jax.default_matmul_precision(PRECISION):
        if rows[0].shape[0] == 1:  # a single network needs no batched products
            alone = ask_one(jax.tree.map(lambda x: x[0], arrays), tuple(row[0] for row in rows))
            return jax.tree.map(lambda x: x[None], alone)
        return jax.vmap(ask_one)(arrays, rows)


def _batched(
    networks: Any,
    ask: Ask,
    rows: tuple[NDArray[Any], ...],
    by: NDArray[Any] | None = None,
    on_batch: Counter | None = None,
) -> Any:
    """`ask` of every network and row, batch by batch, in ascending order of `by`; results are in the rows' order."""
    arrays, static = eqx.partition(networks, eqx.is_array)
    runs = jax.tree.leaves(arrays)[0].shape[0]
    shared = rows[0].ndim == 2  # [commands, time]
    rows = tuple(np.broadcast_to(row, (runs, *row.shape)) if shared else row for row in rows)
    count = rows[0].shape[1]
    size = _batch_size(runs)
    order = np.arange(count) if by is None else np.argsort(by if shared else by.max(axis=0), kind="stable")
    batches = []
    for start in range(0, count, size):
        chosen = order[start : start + size]
        filled = np.resize(chosen, size)  # all batches have one shape: the last one repeats some rows
        batch = tuple(jnp.asarray(row[:, filled]) for row in rows)
        batches.append(jax.tree.map(np.asarray, _ask(static, ask, arrays, batch)))
        if on_batch is not None:
            on_batch(runs * len(chosen))
    return jax.tree.map(lambda *parts: np.concatenate(parts, axis=1)[:, np.argsort(order)], *batches)


def _batch_size(runs: int) -> int:
    """Rows per network: 128 in all on a CPU (they stay in its cache), many more on an accelerator.

    It does not depend on the number of commands, so that one program serves any number.
    """
    total = 128 if jax.default_backend() == "cpu" else 16384
    return max(total >> (runs - 1).bit_length(), 32)
