"""A check for other people's networks: does this one keep the contract that the engine relies on?

Knows the contract, nothing of how a network fulfils it.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.errors import InputError
from daxlab.networks.contract import Network, Widens
from daxlab.symbols import EOS, PAD

Make = Callable[[Array, int], Network]
CLOSE = 1e-4  # of sums of a few float32 losses


def check_network(make: Make, *, words: int, actions: int, hidden: int = 8, seed: int = 0) -> None:
    """Raise InputError naming the first promise that `make(key, hidden)`'s network breaks."""
    network = make(jax.random.key(seed), hidden)
    _require(isinstance(network, Network), "it is not a daxlab.networks.Network")
    command, target = _example(seed, words, 4), _example(seed + 1, actions, 5)
    long_command, long_target = (jnp.pad(x, (0, 3), constant_values=PAD) for x in (command, target))
    for forced, rate in ((True, None), (False, jnp.float32(0.5))):
        exact = _loss(network, command, target, forced, rate)
        where = f"(forced: {forced}, dropout: {rate})"
        _require(exact.shape == () and bool(jnp.isfinite(exact)), f"its loss is not one finite number {where}")
        padded = _loss(network, long_command, long_target, forced, rate)
        _require(_close(exact, padded), f"its loss depends on padding {where}")
        traced = _loss(network, command, target, jnp.asarray(forced), rate)
        _require(_close(exact, traced), f"its loss is another one when `forced` is an array {where}")
        steps = (jnp.sum(command != PAD), jnp.sum(target != PAD))
        stopped = _loss(network, long_command, long_target, forced, rate, steps)
        _require(_close(exact, stopped), f"its loss depends on `steps` {where}")
    _check_answers(network, command, long_command, target, actions)
    _check_stacking(make, command, target, hidden, seed)
    if isinstance(network, Widens):
        wide = network.widen(hidden + 3)
        narrow, wider = (_loss(n, command, target, False, jnp.float32(0.5)) for n in (network, wide))
        _require(_close(narrow, wider), "widening changes its loss")


def _check_answers(network: Network, command: Array, long_command: Array, target: Array, actions: int) -> None:
    free = _answer(network, command, -1)
    _require(free.shape == (12,) and jnp.issubdtype(free.dtype, jnp.integer), "its answer is not `cap` integers")
    padded = _answer(network, long_command, -1)
    _require(bool(jnp.all(free == padded)), "its answer depends on padding")
    ended = np.flatnonzero(np.asarray(free) == EOS)
    _require(not ended.size or bool(jnp.all(free[ended[0] + 1 :] == PAD)), "its answer goes on after <EOS>")
    oracle = np.asarray(_answer(network, command, 7))
    _require(bool((oracle[:7] > EOS).all()) and oracle[7] == EOS, "it does not keep to the oracle's length")
    scores = eqx.filter_jit(network.scores)(command, target)
    _require(scores.shape == (len(target), actions), "its scores are not [time, vocabulary]")
    _require(bool(jnp.allclose(jnp.exp(scores).sum(-1), 1, atol=1e-4)), "its scores are not log-probabilities")
    likelihood = jnp.take_along_axis(scores, target[:, None], axis=1).sum()
    loss = _loss(network, command, target, True, None)
    _require(_close(loss, -likelihood), "its loss is not the sum of its scores' cross-entropies")


def _check_stacking(make: Make, command: Array, target: Array, hidden: int, seed: int) -> None:
    keys = jax.random.split(jax.random.key(seed), 2)
    alone = jnp.stack([_loss(make(key, hidden), command, target, False, None) for key in keys])
    stack = eqx.filter_vmap(make, in_axes=(0, None))(keys, hidden)
    together = eqx.filter_vmap(lambda n: _loss(n, command, target, False, None))(stack)
    _require(_close(alone, together), "a stack of two gives other losses than each alone")
    gradients = jax.tree.leaves(eqx.filter_grad(lambda n: _loss(n, command, target, True, None))(make(keys[0], hidden)))
    _require(all(bool(jnp.isfinite(g).all()) for g in gradients), "its gradient is not finite")


def _example(seed: int, symbols: int, length: int) -> Array:
    drawn = np.random.default_rng(seed).integers(EOS + 1, symbols, length)
    return jnp.asarray([*drawn, EOS], jnp.int32)


@eqx.filter_jit
def _loss(
    network: Network,
    command: Array,
    target: Array,
    forced: bool | Array,
    rate: Array | None,
    steps: tuple[Array | None, Array | None] = (None, None),
) -> Array:
    key = jax.random.key(7)
    return network.loss(command, target, forced=forced, own_end=True, dropout=rate, key=key, steps=steps)


@eqx.filter_jit
def _jitted_answer(network: Network, command: Array, length: Array) -> Array:
    return network.greedy(command, cap=12, length=length)


def _answer(network: Network, command: Array, length: int) -> Array:
    return _jitted_answer(network, command, jnp.int32(length))


def _close(a: Array, b: Array) -> bool:
    return bool(jnp.allclose(a, b, rtol=CLOSE, atol=CLOSE))


def _require(kept: bool, broken: str) -> None:
    if not kept:
        raise InputError(f"the network breaks the contract: {broken}")
