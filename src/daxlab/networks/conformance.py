"""A check for other people's networks: does a network keep the contract (contract.py) that the engine relies on?"""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.errors import InputError
from daxlab.networks.contract import Encodes, Make, Network, Steps, has_attention
from daxlab.symbols import EOS, FINAL, PAD

CLOSE = 1e-4  # the tolerance for sums of a few float32 losses
CAP = 12


def check_shapes(make: Make, *, words: int, actions: int) -> None:
    """Raise InputError if a method is missing, takes other arguments, or returns other shapes. Compiles nothing."""
    command, target = _example(0, words, 4), _example(1, actions, 5)

    def answers(key: Array) -> tuple[Array, Array, Array, Any]:
        network = make(key)
        _require(isinstance(network, Network), "it is not a daxlab.networks.Network")
        how = {"own_end": True, "dropout": jnp.float32(0.5), "key": key, "steps": (jnp.int32(5), jnp.int32(6))}
        losses = [network.loss(command, target, forced=forced, **how) for forced in (True, False, jnp.bool_(True))]
        states = network.encoding(command) if isinstance(network, Encodes) else None
        answer, scores = network.greedy(command, cap=CAP, length=jnp.int32(-1)), network.scores(command, target)
        return losses[0], answer, scores, states

    try:
        loss, answer, scores, states = eqx.filter_eval_shape(answers, jax.random.key(0))
    except InputError:
        raise
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"the network breaks the contract: {type(error).__name__}: {reason}") from error
    _require(loss.shape == (), f"its loss is not one number, but of shape {loss.shape}")
    _require(answer.shape == (CAP,), f"its greedy answer is not [cap], but of shape {answer.shape}")
    _require(scores.shape == (len(target), actions), f"its scores are not [time, vocabulary], but {scores.shape}")
    if states is not None:
        _require(isinstance(states, dict) and FINAL in states, f"its encoding is not a dict with {FINAL!r} in it")
        for name, state in states.items():
            _require(len(state.shape) == 1, f"its state {name!r} is not one vector, but of shape {state.shape}")


def check_network(make: Make, *, words: int, actions: int, seed: int = 0) -> None:
    """Raise InputError naming the first promise that the networks of `make` break."""
    check_shapes(make, words=words, actions=actions)
    network = make(jax.random.key(seed))
    command, target = _example(seed, words, 4), _example(seed + 1, actions, 5)
    long_command, long_target = (jnp.pad(x, (0, 3), constant_values=PAD) for x in (command, target))
    steps = (jnp.int32(len(command)), jnp.int32(len(target)))
    for forced, rate in ((True, None), (False, jnp.float32(0.5))):
        loss = partial(_loss, network, rate=rate)
        exact = loss(command, target, forced)
        where = f"(forced: {forced}, dropout: {rate})"
        _require(bool(jnp.isfinite(exact)), f"its loss is not finite {where}")
        others = {
            "padding": loss(long_command, long_target, forced),
            "whether `forced` is an array": loss(command, target, jnp.asarray(forced)),
            "`steps`": loss(long_command, long_target, forced, steps=steps),
        }
        for cause, other in others.items():
            _require(_close(exact, other), f"its loss depends on {cause} {where}")
    _check_answers(network, command, long_command, target, actions)
    _check_abilities(network, command, long_command, target)
    _check_stacking(make, command, target, seed)


def _check_answers(network: Network, command: Array, long_command: Array, target: Array, actions: int) -> None:
    free = _answer(network, command, jnp.int32(-1))
    _require(jnp.issubdtype(free.dtype, jnp.integer), "its answer is not made of integers")
    padded = _answer(network, long_command, jnp.int32(-1))
    _require(bool(jnp.all(free == padded)), "its answer depends on padding")
    ended = np.flatnonzero(np.asarray(free) == EOS)
    _require(not ended.size or bool(jnp.all(free[ended[0] + 1 :] == PAD)), "its answer goes on after <EOS>")
    oracle = np.asarray(_answer(network, command, jnp.int32(7)))
    _require(bool((oracle[:7] > EOS).all()) and oracle[7] == EOS, "it does not keep to the oracle length")
    scores = eqx.filter_jit(network.scores)(command, target)
    _require(bool(jnp.allclose(jnp.exp(scores).sum(-1), 1, atol=1e-4)), "its scores are not log-probabilities")
    likelihood = jnp.take_along_axis(scores, target[:, None], axis=1).sum()
    loss = _loss(network, command, target, True)
    _require(_close(loss, -likelihood), "its loss is not the sum of its scores' cross-entropies")


def _check_abilities(network: Network, command: Array, long_command: Array, target: Array) -> None:
    if isinstance(network, Encodes):
        states = network.encoding(long_command)
        for name, state in network.encoding(command).items():
            same = state.shape == states[name].shape and _close(state, states[name])
            _require(same, f"its state {name!r} depends on padding")
    if has_attention(network):
        weights, padded = network.attention(command, target), network.attention(long_command, target)
        _require(weights.shape == (len(target), len(command)), "its attention is not [action time, command time]")
        _require(_close(weights.sum(-1), jnp.ones(len(target))), "its attention weights do not add up to one")
        _require(_close(jnp.pad(weights, ((0, 0), (0, 3))), padded), "its attention depends on padding")


def _check_stacking(make: Make, command: Array, target: Array, seed: int) -> None:
    keys = jax.random.split(jax.random.key(seed), 2)
    alone = jnp.stack([_loss(make(key), command, target, False) for key in keys])
    together = eqx.filter_vmap(lambda network: _loss(network, command, target, False))(eqx.filter_vmap(make)(keys))
    _require(_close(alone, together), "a stack of two gives other losses than each alone")
    gradients = jax.tree.leaves(eqx.filter_grad(_loss)(make(keys[0]), command, target, True))
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
    rate: Array | None = None,
    steps: Steps = (None, None),
) -> Array:
    key = jax.random.key(7)
    return network.loss(command, target, forced=forced, own_end=True, dropout=rate, key=key, steps=steps)


@eqx.filter_jit
def _answer(network: Network, command: Array, length: Array) -> Array:
    return network.greedy(command, cap=CAP, length=length)


def _close(a: Array, b: Array) -> bool:
    return bool(jnp.allclose(a, b, rtol=CLOSE, atol=CLOSE))


def _require(kept: bool, broken: str) -> None:
    if not kept:
        raise InputError(f"the network breaks the contract: {broken}")
