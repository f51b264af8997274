"""The convolutional network is its readable twin and PyTorch's functions, and a group of it is its runs alone."""

from dataclasses import replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from daxlab import InputError, learners
from daxlab.engine import Member, Stack, unstack
from daxlab.engine.draws import DROPOUT, draw, run_key
from daxlab.engine.train import draw_chunk, prepare
from daxlab.engine.update import chunk
from daxlab.learners.convs2s import ConvS2S
from daxlab.networks.convs2s import convs2s
from daxlab.paper.published import figures
from daxlab.symbols import PAD

from . import twin_convs2s as twin
from .toy import ALL, ENCODING, JUMP
from .twin import mask

TINY = {"hidden": 4, "layers": 2, "kernel": 3, "attention_layers": 2, "positions": 9, "dropout": 0.25}
COMMAND, ACTIONS = [3, 5, 4, 2], [3, 4, 4, 5, 2]
PADDED = jnp.array([*COMMAND, PAD]), jnp.array([*ACTIONS, PAD, PAD])
KEY = jax.random.key(7)
UPDATES = 5


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def network(**changes):
    """Its biases are not zero, nor its norms those of its vectors."""
    net = convs2s(jax.random.key(1), words=6, actions=6, **{**TINY, **changes})
    noise = iter(jax.random.split(jax.random.key(2), 100))
    return jax.tree.map(lambda x: x + 0.3 * jax.random.normal(next(noise), x.shape), net)


def drops(key, rate, layers, command_time, action_time, width):
    """[place][step]."""
    times = [command_time] * (layers + 1) + [action_time] * (layers + 2)
    return [[mask(key, place, step, rate, width) for step in range(time)] for place, time in enumerate(times)]


def losses(net, rate):
    how = {"forced": True, "own_end": True, "dropout": None if rate is None else jnp.float32(rate), "key": KEY}
    return net.loss(*PADDED, **how)


@pytest.mark.parametrize(
    ("changes", "rate"),
    [({}, 0.3), ({"attention_layers": 1, "kernel": 2}, None)],
    ids=["dropout", "an even kernel, attention on top"],
)
def test_loss_and_gradients_are_the_twins(changes, rate):
    net = network(**changes)
    drop = drops(KEY, jnp.float32(rate), len(net.attend), len(COMMAND), len(ACTIONS), 4) if rate else None
    value, gradient = eqx.filter_jit(eqx.filter_value_and_grad(losses))(net, rate)
    expected, slopes = eqx.filter_jit(eqx.filter_value_and_grad(twin.loss))(net, COMMAND, ACTIONS, drop)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert_close(gradient, slopes, 1e-10)


def assert_close(left, right, tolerance):
    for a, b in zip(*(jax.tree.leaves(eqx.filter(net, eqx.is_array)) for net in (left, right)), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("length", [-1, 0, 3])
def test_answers_step_by_step_are_the_twins(length):
    net = network(attention_layers=1)
    answer = eqx.filter_jit(partial(type(net).greedy, cap=6))(net, PADDED[0], length=jnp.int32(length))
    assert answer.tolist() == twin.greedy(net, COMMAND, 6, length)


def test_the_attention_shown_is_the_mean_over_layers():
    net = network()
    memory = twin.encode(net, COMMAND)
    expected = sum(twin.decode(net, *memory, [1, *ACTIONS[:-1]])[1]) / 2
    shown = eqx.filter_jit(type(net).attention)(net, *PADDED)
    np.testing.assert_allclose(shown[: len(ACTIONS), : len(COMMAND)], expected, rtol=1e-10)
    np.testing.assert_allclose(shown.sum(-1), 1)


@pytest.mark.slow  # PyTorch is installed for the slow tests alone
def test_loss_and_gradients_are_pytorchs():
    """Its own convolutions, gated linear units and weight normalisation; the gradient is scaled by a hook."""
    torch = pytest.importorskip("torch")
    F = torch.nn.functional
    net = network(kernel=5)
    leaves, shape = jax.tree.flatten(eqx.filter(net, eqx.is_array))
    tensors = [torch.tensor(np.asarray(leaf), requires_grad=True) for leaf in leaves]
    tree = eqx.combine(jax.tree.unflatten(shape, tensors), eqx.filter(net, eqx.is_array, inverse=True))

    def weight(linear):
        return torch._weight_norm(linear.v, linear.g[:, None], 0)

    def affine(linear, x):
        return F.linear(x, weight(linear), linear.b)

    def convolved(linear, x, before, after):
        kernels = weight(linear).reshape(len(linear.b), 5, -1).transpose(1, 2)
        y = F.conv1d(F.pad(x.T[None], (before, after)), kernels, linear.b)
        return F.glu(y[0].T, dim=-1)

    def embedded(side, row):
        return F.embedding(torch.tensor(row), side.embedding.symbols) + side.embedding.positions[: len(row)]

    e = embedded(tree.encoder, COMMAND)
    x = affine(tree.encoder.enter, e)
    for layer in tree.encoder.convolutions:
        x = (x + convolved(layer, x, 2, 2)) * 0.5**0.5
    keys = affine(tree.encoder.leave, x)
    keys.register_hook(lambda gradient: gradient / 4)
    values = (keys + e) * 0.5**0.5
    e = embedded(tree.decoder, [1, *ACTIONS[:-1]])
    x = affine(tree.decoder.enter, e)
    for layer, attend in zip(tree.decoder.convolutions, tree.attend, strict=True):
        h = convolved(layer, x, 4, 0)
        q = (affine(attend.query, h) + e) * 0.5**0.5
        c = F.softmax(q @ keys.T, dim=-1) @ values * len(COMMAND) ** 0.5
        x = (x + (h + affine(attend.context, c)) * 0.5**0.5) * 0.5**0.5
    logits = affine(tree.output, affine(tree.decoder.leave, x))
    expected = F.cross_entropy(logits, torch.tensor(ACTIONS) - 2, reduction="sum")
    expected.backward()
    value, gradient = eqx.filter_jit(eqx.filter_value_and_grad(losses))(net, None)
    np.testing.assert_allclose(value, expected.item(), rtol=1e-12)
    for ours, theirs in zip(jax.tree.leaves(gradient), tensors, strict=True):
        np.testing.assert_allclose(ours, theirs.grad, rtol=1e-10, atol=1e-10)


def test_a_group_is_its_runs_of_the_twin():
    """Two runs of other seeds and splits side by side, with dropout, against the twin and Optax."""
    settings = ConvS2S(**{**TINY, "layers": 1, "attention_layers": 1})
    protocol = replace(settings.protocol, learning_rate=0.1)
    make = settings.network(len(ENCODING.words), len(ENCODING.actions))
    group = Stack((Member(3, JUMP, dropout=0.25), Member(4, ALL, dropout=0.25)), make, ENCODING, protocol)
    program, state, rates, keys = prepare(group)
    state, seen = chunk(program, state, draw_chunk(group, program, 0, UPDATES), rates, keys, jnp.int32(UPDATES))
    together = eqx.combine(state.arrays, program.static)
    optimiser = optax.chain(optax.clip_by_global_norm(0.1), optax.sgd(0.1, momentum=0.99, nesterov=True))

    @eqx.filter_jit
    def step(net, memory, command, actions, drop):
        value, slopes = eqx.filter_value_and_grad(mean_loss)(net, command, actions, drop)
        change, memory = optimiser.update(slopes, memory, net)
        return eqx.apply_updates(net, change), memory, value

    place = 1
    net = unstack(group.start(), place)
    memory = optimiser.init(eqx.filter(net, eqx.is_array))
    shown = draw(protocol, group.seeds, group.tables, 0, UPDATES)
    for t in range(UPDATES):
        command, actions = (row[place][row[place] != PAD] for row in (shown.commands[t], shown.actions[t]))
        key = jax.random.fold_in(run_key(4, DROPOUT), t)
        drop = drops(key, jnp.float32(0.25), 1, len(command), len(actions), 4)
        net, memory, value = step(net, memory, command, actions, drop)
        np.testing.assert_allclose(seen[t, place], value, rtol=1e-6)
    assert_close(unstack(together, place), net, 1e-9)


def mean_loss(net, command, actions, drop):
    return twin.loss(net, list(command), list(actions), drop) / len(actions)


def test_start_values_make_up_for_dropout():
    """As fairseq's: a norm is that of its vector, and what a window gives has half the variance that gating takes."""
    net = convs2s(jax.random.key(1), words=50, actions=50, **{**TINY, "hidden": 64, "kernel": 5})
    layer, plain = net.encoder.convolutions[1], net.attend[0].query
    np.testing.assert_allclose(layer.g, np.linalg.norm(layer.v, axis=1))
    np.testing.assert_allclose(layer.v.std(), (4 * 0.75 / (5 * 64)) ** 0.5, rtol=0.02)
    np.testing.assert_allclose(plain.v.std(), (1 / 64) ** 0.5, rtol=0.05)
    np.testing.assert_allclose(net.decoder.enter.v.std(), (0.75 / 64) ** 0.5, rtol=0.05)
    np.testing.assert_allclose(net.encoder.embedding.symbols.std(), 0.1, rtol=0.05)
    assert not layer.b.any()


def test_the_published_network_has_36_million_parameters():
    shapes = eqx.filter_eval_shape(ConvS2S().network(16, 9), jax.random.key(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(shapes) if hasattr(leaf, "size"))
    convolutions, square = 12 * (5 * 512 * 1024 + 2 * 1024), 512 * 512 + 2 * 512
    assert count == convolutions + 16 * square + 512 * (16 + 9 + 2 * 64) + 7 * (512 + 2)


@pytest.mark.parametrize("settings", [{}, {"attention_layers": 3}, {"attention_layers": 1, "positions": 80}])
def test_what_was_published_of_its_configurations_is_known(settings):
    names = learners.make("conv-s2s", settings).published
    assert {"simple", "jump", "template-around-right"} <= {f.split for f in figures() if f.system == names[0]}
    assert not learners.make("conv-s2s", {"size": "small"}).published


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"teacher_forcing": 0.5}, "always fed the right actions"),
        ({"layers": 2}, "attention_layers is at most layers"),
        ({"optimiser": "sgd"}, "optimiser is one of"),
    ],
)
def test_settings_that_it_cannot_have_are_refused(settings, problem):
    with pytest.raises(InputError, match=problem):
        learners.make("conv-s2s", settings)


def test_examples_longer_than_its_positions_are_refused():
    net = network(positions=4)
    with pytest.raises(InputError, match="set positions=5"):
        net.scores(jnp.array(COMMAND), jnp.array(ACTIONS))
    with pytest.raises(InputError, match="set positions=6"):
        net.greedy(jnp.array(COMMAND), cap=6, length=jnp.int32(-1))
    with pytest.raises(InputError, match="set positions=7"):
        ConvS2S(positions=6).prepared(JUMP, ENCODING)


@pytest.mark.slow
def test_it_keeps_every_promise_of_a_learner():
    from daxlab.learners.checks import checks_of

    with jax.enable_x64(False):
        learner = learners.make("conv-s2s", {"hidden": 8, "layers": 2, "attention_layers": 2, "kernel": 3})
        assert {check.id for check in checks_of(learner) if check(learner).verdict != "kept"} == set()
