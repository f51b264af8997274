"""What trained networks answer: many commands at a time, of many networks at a time.

Greedy and oracle-length answers, log-likelihoods, encoder states, attention. Commands and actions are rows of numbers
(daxlab.encoding), [commands, time] for all networks alike or [runs, commands, time]; results have the runs on their
leading axis. Knows nothing of splits, training or files.
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
from daxlab.networks.contract import Attends, Encodes, Network
from daxlab.symbols import EOS, PAD

Rows = NDArray[np.int32]
Ask = Callable[..., Array]


def answers(
    networks: Network,
    commands: Rows,
    *,
    cap: int,
    lengths: NDArray[np.int32] | None = None,
    like: Rows | None = None,
) -> Rows:
    """Greedy answers [runs, commands, cap]: actions, <EOS>, <PAD>.

    `lengths` ([commands] or [runs, commands]): the oracle's numbers of actions. `like`: action rows of about the
    lengths to expect; commands are then asked in that order, so that a batch ends when its longest answer does.
    """
    oracle = np.full(commands.shape[:-1], -1, np.int32) if lengths is None else lengths.astype(np.int32)
    expected = oracle if like is None else np.sum(like != PAD, axis=-1)
    return _batched(networks, _greedy(cap), (commands, oracle), by=expected)


def log_likelihoods(networks: Network, commands: Rows, actions: Rows) -> NDArray[np.float32]:
    """Log-probabilities of whole action sequences, <EOS> included, [runs, commands]."""
    return _batched(networks, _likelihood, (commands, actions))


def scores(networks: Network, commands: Rows, actions: Rows) -> NDArray[np.float32]:
    """Log-probabilities of every symbol at every step, the given actions fed, [runs, commands, time, symbols]."""
    return _batched(networks, _method("scores"), (commands, actions))


def encodings(networks: Network, commands: Rows) -> NDArray[np.float32]:
    """The encoder's final states, [runs, commands, vectors, size]."""
    if not isinstance(networks, Encodes):
        raise InputError("networks of this kind have no encoder states")
    return _batched(networks, _method("encoding"), (commands,))


def attentions(networks: Network, commands: Rows, actions: Rows) -> NDArray[np.float32]:
    """Attention weights as the given actions are produced, [runs, commands, action time, command time]."""
    if not attend(networks):
        raise InputError("networks of this kind have no attention weights")
    return _batched(networks, _method("attention"), (commands, actions))


def attend(networks: Network) -> bool:
    """Whether networks have attention weights: their class can, and this one does."""
    return isinstance(networks, Attends) and bool(getattr(networks, "attends", True))


def right(given: Rows, targets: Rows) -> NDArray[np.bool_]:
    """Which answers [..., cap] are their targets [..., time], whole and with <EOS>."""
    return np.all(given[..., : targets.shape[-1]] == targets, axis=-1)


def ended(given: Rows) -> NDArray[np.bool_]:
    """Which answers came to their <EOS> within the cap."""
    return np.any(given == EOS, axis=-1)


# What is asked of one network and one row. A question is the same object each time, so that it is compiled once.


@cache
def _greedy(cap: int) -> Ask:
    return lambda network, command, length: network.greedy(command, cap=cap, length=length)


@cache
def _method(name: str) -> Ask:
    return lambda network, *rows: getattr(network, name)(*rows)


def _likelihood(network: Any, command: Array, actions: Array) -> Array:
    scores = jnp.take_along_axis(network.scores(command, actions), actions[:, None], axis=1)[:, 0]
    return jnp.sum(jnp.where(actions == PAD, 0, scores))


@partial(jax.jit, static_argnums=(0, 1))
def _ask(static: Any, ask: Ask, arrays: Any, rows: tuple[Array, ...]) -> Array:
    def one(arrays: Any, rows: tuple[Array, ...]) -> Array:
        network = eqx.combine(arrays, static)
        return jax.vmap(partial(ask, network))(*rows)

    with jax.default_matmul_precision(PRECISION):
        if rows[0].shape[0] == 1:  # a lone network needs no batched products
            return one(jax.tree.map(lambda x: x[0], arrays), tuple(row[0] for row in rows))[None]
        return jax.vmap(one)(arrays, rows)


def _batched(networks: Network, ask: Ask, rows: tuple[NDArray[Any], ...], by: NDArray[Any] | None = None) -> Any:
    """`ask` of every network and row, a batch at a time, in the order of `by`; answers in the rows' order."""
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
        filled = np.resize(chosen, size)  # one shape for all batches: the last one repeats itself
        batch = tuple(jnp.asarray(row[:, filled]) for row in rows)
        batches.append(np.asarray(_ask(static, ask, arrays, batch))[:, : len(chosen)])
    return np.concatenate(batches, axis=1)[:, np.argsort(order)]


def _batch_size(runs: int) -> int:
    """128 rows in all on a CPU (they stay in its cache), many more on an accelerator; one program for any count."""
    total = 128 if jax.default_backend() == "cpu" else 16384
    return max(total >> (runs - 1).bit_length(), 32)
