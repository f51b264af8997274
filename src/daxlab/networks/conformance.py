"""Checks for other people's networks: does a network keep the contract (contract.py) that the engine relies on?"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from daxlab.check import Check, NotKept, in_words
from daxlab.errors import InputError
from daxlab.networks.contract import Encodes, Make, Network, Steps, has_attention
from daxlab.symbols import EOS, FINAL, PAD

CLOSE = 1e-4  # the tolerance for sums of a few float32 losses
CAP = 12
MORE = 3  # symbols of padding
HOW = ((True, None), (False, 0.5))  # forced, dropout


@dataclass(frozen=True)
class Candidate:
    """What is checked: networks of `make`, and an example drawn from a seed."""

    make: Make
    words: int
    actions: int
    seed: int = 0

    @cached_property
    def network(self) -> Network:
        if broken := self.broken:
            raise NotKept("unclear", f"{broken}: see shapes")
        return _made(self.make, jax.random.key(self.seed))

    @cached_property
    def command(self) -> Array:
        return _example(self.seed, self.words, 4)

    @cached_property
    def target(self) -> Array:
        return _example(self.seed + 1, self.actions, 5)

    @cached_property
    def broken(self) -> str:
        """How a method or the shape of its result breaks the contract."""
        try:
            _check_shapes(self)
        except NotKept as found:
            return found.seen
        return ""

    def loss(self, command: Array, target: Array, forced: bool | Array, rate: Any = None, **more: Any) -> Array:
        return _loss(self.network, command, target, forced, None if rate is None else jnp.float32(rate), **more)

    def answer(self, command: Array, length: int) -> Array:
        return _answer(self.network, command, jnp.int32(length))


def check_shapes(make: Make, *, words: int, actions: int) -> None:
    """Raise InputError if a method is missing, takes other arguments, or returns other shapes. Compiles nothing."""
    if broken := Candidate(make, words, actions).broken:
        raise InputError(f"the network breaks the contract: {broken}")


def check_network(make: Make, *, words: int, actions: int, seed: int = 0) -> None:
    """Raise InputError naming the first promise that the networks of `make` break."""
    candidate = Candidate(make, words, actions, seed)
    for check in CHECKS:
        if (found := check(candidate)).verdict == "broken":
            raise InputError(f"the network breaks the contract: {found.seen}")


def _check_shapes(candidate: Candidate) -> None:
    command, target = _example(0, candidate.words, 4), _example(1, candidate.actions, 5)

    def answers(key: Array) -> tuple[Array, Array, Array, Any]:
        network = candidate.make(key)
        _require(isinstance(network, Network), "it is not a daxlab.networks.Network")
        how = {"own_end": True, "dropout": jnp.float32(0.5), "key": key, "steps": (jnp.int32(5), jnp.int32(6))}
        losses = [network.loss(command, target, forced=forced, **how) for forced in (True, False, jnp.bool_(True))]
        states = network.encoding(command) if isinstance(network, Encodes) else None
        answer, scores = network.greedy(command, cap=CAP, length=jnp.int32(-1)), network.scores(command, target)
        return losses[0], answer, scores, states

    try:
        loss, answer, scores, states = eqx.filter_eval_shape(answers, jax.random.key(0))
    except NotKept:
        raise
    except Exception as error:
        raise NotKept("broken", in_words(error)) from error
    _require(loss.shape == (), f"its loss is not one number, but of shape {loss.shape}")
    _require(answer.shape == (CAP,), f"its greedy answer is not [cap], but of shape {answer.shape}")
    shape = (len(target), candidate.actions)
    _require(scores.shape == shape, f"its scores are not [time, vocabulary], but {scores.shape}")
    if states is not None:
        _require(isinstance(states, dict) and FINAL in states, f"its encoding is not a dict with {FINAL!r} in it")
        for name, state in states.items():
            _require(len(state.shape) == 1, f"its state {name!r} is not one vector, but of shape {state.shape}")


def _shapes(candidate: Candidate) -> str:
    _require(not candidate.broken, candidate.broken)
    return f"a loss, a greedy answer and scores, with {candidate.words} words and {candidate.actions} actions"


def _padding(candidate: Candidate) -> str:
    command, target = candidate.command, candidate.target
    longer, longer_target = _padded(command), _padded(target)
    steps = (jnp.int32(len(command)), jnp.int32(len(target)))
    for forced, rate in HOW:
        exact = candidate.loss(command, target, forced, rate)
        where = f"(forced: {forced}, dropout: {rate})"
        padded = candidate.loss(longer, longer_target, forced, rate)
        _require(_close(exact, padded), f"its loss depends on padding {where}")
        stopped = candidate.loss(longer, longer_target, forced, rate, steps=steps)
        _require(_close(exact, stopped), f"its loss depends on `steps` {where}")
    same = bool(jnp.all(candidate.answer(command, -1) == candidate.answer(longer, -1)))
    _require(same, "its answer depends on padding")
    return f"the same losses and the same answer with {MORE} symbols of padding"


def _losses(candidate: Candidate) -> str:
    command, target = candidate.command, candidate.target
    for forced, rate in HOW:
        loss, where = candidate.loss(command, target, forced, rate), f"(forced: {forced}, dropout: {rate})"
        _require(bool(jnp.isfinite(loss)), f"its loss is not finite {where}")
        traced = candidate.loss(command, target, jnp.asarray(forced), rate)
        _require(_close(loss, traced), f"its loss depends on whether `forced` is an array {where}")
    scores = eqx.filter_jit(candidate.network.scores)(command, target)
    _require(bool(jnp.allclose(jnp.exp(scores).sum(-1), 1, atol=1e-4)), "its scores are not log-probabilities")
    likelihood = jnp.take_along_axis(scores, target[:, None], axis=1).sum()
    loss = _loss(candidate.network.plain(), command, target, True)
    _require(_close(loss, -likelihood), "its loss is not the sum of its scores' cross-entropies")
    gradients = jax.tree.leaves(eqx.filter_grad(_loss)(candidate.network, command, target, True))
    _require(all(bool(jnp.isfinite(g).all()) for g in gradients), "its gradient is not finite")
    return f"a loss of {loss:.2f}, the cross-entropy of its scores; a finite gradient"


def _answers(candidate: Candidate) -> str:
    free, oracle = candidate.answer(candidate.command, -1), np.asarray(candidate.answer(candidate.command, 7))
    _require(jnp.issubdtype(free.dtype, jnp.integer), "its answer is not made of integers")
    ended = np.flatnonzero(np.asarray(free) == EOS)
    _require(not ended.size or bool(jnp.all(free[ended[0] + 1 :] == PAD)), "its answer goes on after <EOS>")
    _require(bool((oracle[:7] > EOS).all()) and oracle[7] == EOS, "it does not keep to the oracle length")
    return "an answer that ends with <EOS>; one of 7 actions where 7 are asked for"


def _stacking(candidate: Candidate) -> str:
    _ = candidate.network  # unclear if it cannot be made
    keys, command, target = jax.random.split(jax.random.key(candidate.seed), 2), candidate.command, candidate.target
    alone = jnp.stack([_loss(_made(candidate.make, key), command, target, False) for key in keys])
    stack = eqx.filter_jit(eqx.filter_vmap(candidate.make))(keys)
    together = eqx.filter_vmap(lambda network: _loss(network, command, target, False))(stack)
    _require(_close(alone, together), "a stack of two gives other losses than each alone")
    return "the same losses of two networks alone and in a stack"


def _states(candidate: Candidate) -> str:
    network, command = candidate.network, candidate.command
    if not isinstance(network, Encodes):
        raise NotKept("note", "it has no encoding(command): nobody can ask for its states")
    padded = network.encoding(_padded(command))
    for name, state in (states := network.encoding(command)).items():
        same = state.shape == padded[name].shape and _close(state, padded[name])
        _require(same, f"its state {name!r} depends on padding")
    return f"the same states with {MORE} symbols of padding: {', '.join(states)}"


def _attention(candidate: Candidate) -> str:
    network, command, target = candidate.network, candidate.command, candidate.target
    if not has_attention(network):
        raise NotKept("note", "it has no attention(command, actions): nobody can ask for its weights")
    weights, padded = network.attention(command, target), network.attention(_padded(command), target)
    _require(weights.shape == (len(target), len(command)), "its attention is not [action time, command time]")
    _require(_close(weights.sum(-1), jnp.ones(len(target))), "its attention weights do not add up to one")
    _require(_close(jnp.pad(weights, ((0, 0), (0, MORE))), padded), "its attention depends on padding")
    return "weights that add up to one, and are zero on padding"


# fmt: off
CHECKS: tuple[Check[Candidate], ...] = (
    Check("shapes", "Each method takes and returns what the contract says.",
          "Read daxlab/networks/contract.py, and give loss, greedy and scores these arguments and shapes.", _shapes),
    Check("padding", "Padding changes neither the loss nor the answer.",
          "Leave <PAD> out of every sum and every state, and fold the time step into the key of a random draw.",
          _padding),
    Check("loss", "The loss is the cross-entropy of the scores, whatever `forced` is.",
          "Add up -log p of the target's symbols, <EOS> included and <PAD> not; plain() leaves out noise and penalties.",
          _losses),
    Check("answers", "An answer ends at <EOS>, and keeps to an oracle length.",
          "Produce <PAD> after <EOS>; where length is 0 or more, let <EOS> follow that many actions.", _answers),
    Check("states", "States do not depend on padding.",
          "To have states compared, return vectors by name, \"final\" among them, from encoding(command).", _states),
    Check("attention", "Attention weights add up to one, with nothing on padding.",
          "To have attention shown, return weights [action time, command time] from attention(command, actions).",
          _attention),
    Check("stacking", "A network computes in a stack what it computes alone.",
          "Draw everything from the key that start is given, and keep Python's own numbers out of the arrays.",
          _stacking),
)
# fmt: on


def _example(seed: int, symbols: int, length: int) -> Array:
    drawn = np.random.default_rng(seed).integers(EOS + 1, symbols, length)
    return jnp.asarray([*drawn, EOS], jnp.int32)


def _padded(row: Array) -> Array:
    return jnp.pad(row, (0, MORE), constant_values=PAD)


@eqx.filter_jit
def _made(make: Make, key: Array) -> Network:
    return make(key)


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
        raise NotKept("broken", broken)
