"""CGPS against its paper's equations: one example at a time, without padding, in Python loops."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from daxlab import InputError
from daxlab.engine import Member, Stack, answers, attentions, unstack
from daxlab.learners import make
from daxlab.learners.network_checks import CHECKS
from daxlab.networks import check_network
from daxlab.networks.cgps import cgps
from daxlab.protocol import Protocol

from .test_group_equals_twin import assert_close, trained
from .toy import ALL, ENCODING, JUMP

PAD, EOS = 0, 2
WORDS, ACTIONS = len(ENCODING.words), len(ENCODING.actions)
SIZES = {"words": WORDS, "actions": ACTIONS, "places": 3, "hidden": 6, "primitive": 4, "function": 3}
COMMAND, TARGET = np.array([4, 7, EOS, PAD, PAD]), np.array([3, 5, 3, EOS, PAD])
KEY = jax.random.key(5)


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def network(seed=0, **fields):
    return cgps(jax.random.key(seed), **SIZES | fields)


def lstm(layer, x, h, c):
    """Gates are input, forget, cell, output."""
    size = len(h)
    z = layer.kernel.T @ jnp.concatenate([x, h]) + layer.bias
    i, f, g, o = (z[n * size : (n + 1) * size] for n in range(4))
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def softmax(energies):
    exps = [jnp.exp(e) for e in energies]
    return [e / sum(exps) for e in exps]


def decode(net, primitives, functions):
    """The logits and the attention of each output step, without end."""
    half = net.encoder.bias.shape[-1] // 4
    ways = []
    for n, order in enumerate((functions, functions[::-1])):
        layer = jax.tree.map(lambda x, n=n: x[n], net.encoder)
        h = c = jnp.zeros(half)
        states = []
        for f in order:
            h, c = lstm(layer, f, h, c)
            states.append(h)
        ways.append((states, h, c))
    (onward, h1, c1), (back, h2, c2) = ways
    memory = [jnp.concatenate(pair) for pair in zip(onward, reversed(back), strict=True)]
    g, c = jnp.concatenate([h1, h2]), jnp.concatenate([c1, c2])
    s = jnp.zeros(2 * half)
    while True:
        g, c = lstm(net.decoder, s, g, c)
        luong = softmax([g @ net.w_memory.T @ m for m in memory])
        s = net.w_attend.T @ jnp.concatenate([g, sum(a * m for a, m in zip(luong, memory, strict=True))])
        looks = softmax([s @ net.w_place[:, j] + net.b_place[j] for j in range(len(memory))])
        said = sum(a * p for a, p in zip(looks, primitives, strict=True))
        yield net.w_output.T @ said + net.b_output, looks


def loss(net, command, actions, key):
    p, f = ([table[word] for word in command] for table in (net.primitives, net.functions))
    penalty = sum(sum(v**2) / len(v) for v in (*p, *f))
    if net.noise:
        drawn = [jax.random.normal(jax.random.fold_in(key, t), (7,)) for t in range(len(command))]
        p = [v + net.noise * e[:4] for v, e in zip(p, drawn, strict=True)]
        f = [v + net.noise * e[4:] for v, e in zip(f, drawn, strict=True)]
    total = net.penalty * penalty
    for action, (logits, _) in zip(actions, decode(net, p, f), strict=False):
        total = total - jnp.log(softmax(logits)[action - EOS])
    return total


def answer(net, command, length=-1, most=9):
    said = []
    for logits, _ in decode(net, net.primitives[command], net.functions[command]):
        free, of_actions = EOS + int(jnp.argmax(logits)), EOS + 1 + int(jnp.argmax(logits[1:]))
        said.append(free if length < 0 else of_actions if len(said) < length else EOS)
        if said[-1] == EOS or len(said) == most:
            return said


def test_its_loss_and_gradients_are_the_equations():
    net = network(noise=0.8)
    params, static = eqx.partition(net, eqx.is_inexact_array)
    rows = [COMMAND[:3], TARGET[:4]]
    rest = {"forced": True, "own_end": True, "dropout": None, "key": KEY}
    fast = jax.jit(jax.value_and_grad(lambda p: eqx.combine(p, static).loss(COMMAND, TARGET, **rest)))
    slow = jax.jit(jax.value_and_grad(lambda p: loss(eqx.combine(p, static), *rows, KEY)))
    assert_close(fast(params), slow(params))


def test_it_answers_and_looks_as_the_equations_say():
    nets = eqx.filter_vmap(lambda key: cgps(key, **SIZES))(jax.random.split(jax.random.key(1), 2))
    commands = np.array([COMMAND, [3, EOS, PAD, PAD, PAD]])
    given = answers(nets, commands, cap=9)
    told = answers(nets, commands, cap=9, lengths=np.array([3, 5]))
    looks = attentions(nets, commands, np.stack([TARGET, TARGET]))
    for n in range(2):
        net = unstack(nets, n)
        for row, (command, length) in enumerate(((COMMAND[:3], 3), (commands[1, :2], 5))):
            for own, expected in ((given, answer(net, command)), (told, answer(net, command, length))):
                assert own[n, row].tolist() == expected + [PAD] * (9 - len(expected))
            steps = decode(net, net.primitives[command], net.functions[command])
            for t in range(len(TARGET)):
                np.testing.assert_allclose(looks[n, row, t, : len(command)], next(steps)[1], atol=1e-12)


def test_where_it_looks_does_not_depend_on_what_is_said():
    """Another primitive representation changes no attention; another functional one does."""
    net = network()
    looks = net.attention(COMMAND, TARGET)
    said = eqx.tree_at(lambda n: n.primitives, net, net.primitives[::-1])
    where = eqx.tree_at(lambda n: n.functions, net, net.functions[::-1])
    assert jnp.array_equal(said.attention(COMMAND, TARGET), looks)
    assert not jnp.allclose(where.attention(COMMAND, TARGET), looks)


@pytest.mark.slow
def test_a_group_is_separate_runs():
    protocol = Protocol(updates=8, learning_rate=0.01, clip=0.5, batch=4, teacher_forcing=1.0)
    runs = (Member(3, JUMP), Member(4, ALL))
    together, losses = trained(Stack(runs, partial(cgps, **SIZES), ENCODING, protocol), 8)
    for place, run in enumerate(runs):
        alone, its = trained(Stack((run,), partial(cgps, **SIZES), ENCODING, protocol), 8)
        np.testing.assert_allclose(losses[:8, place], its[:8, 0], rtol=1e-9)
        assert_close(unstack(together, place), unstack(alone, 0), 1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_the_learner_keeps_every_promise(check):
    with jax.enable_x64(False):
        assert check(make("cgps", {"hidden": 32, "batch": 16})).verdict == "kept"


def test_it_keeps_the_contract():
    with jax.enable_x64(False):
        check_network(partial(cgps, **SIZES), words=WORDS, actions=ACTIONS)


def test_start_values_are_those_of_its_authors_program():
    net = cgps(jax.random.key(0), words=20, actions=10, places=10)
    bound = lambda x: float(jnp.abs(x).max())  # noqa: E731
    assert 0.9 < bound(net.primitives) <= 1 and 0.9 < bound(net.functions) <= 1
    assert 0.98 < bound(net.decoder.kernel) / (6 / (128 + 256)) ** 0.5 <= 1
    assert 0.98 < bound(net.encoder.kernel) / (6 / (40 + 128)) ** 0.5 <= 1
    assert net.decoder.bias.tolist() == [0] * 64 + [1] * 64 + [0] * 128
    assert net.encoder.bias.tolist() == [[0] * 32 + [1] * 32 + [0] * 64] * 2


@pytest.mark.parametrize(("field", "value"), [("hidden", 7), ("teacher_forcing", 0.5), ("dropout", 0.1)])
def test_what_it_cannot_do_is_refused_in_a_sentence(field, value):
    with pytest.raises(InputError, match=field):
        make("cgps", {field: value})
