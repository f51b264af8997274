"""A group is R separate runs of the readable twin: the same losses, gradients and weights, to rounding."""

from dataclasses import replace
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from daxlab.engine import Member, Stack, unstack
from daxlab.engine.draws import DROPOUT, draw, draw_batch, run_key
from daxlab.engine.train import draw_chunk, prepare
from daxlab.engine.update import chunk
from daxlab.networks import CELLS, Seq2Seq, seq2seq
from daxlab.protocol import Protocol
from daxlab.symbols import PAD

from . import twin
from .toy import ALL, ENCODING, JUMP

UPDATES = 50
SIZES = {"words": len(ENCODING.words), "actions": len(ENCODING.actions)}
PROTOCOL = Protocol(updates=UPDATES, learning_rate=0.01, clip=0.5)  # a clip that binds
CLIP, ADAM = optax.clip_by_global_norm(PROTOCOL.clip), optax.adam(PROTOCOL.learning_rate)
OPTIMISER = optax.chain(CLIP, ADAM)


def of_encoder(params):
    """Of each array, whether it belongs to the encoder."""
    return jax.tree_util.tree_map_with_path(lambda path, _: path[0].name in ("words", "encoder"), params)


def of_decoder(params):
    return jax.tree.map(lambda encoder: not encoder, of_encoder(params))


SEPARATE = optax.chain(optax.masked(CLIP, of_encoder), optax.masked(CLIP, of_decoder), ADAM)


@pytest.fixture(autouse=True)
def float64():
    """Rounding is then so small that nothing else can hide in it (Adam's first steps blow it up)."""
    with jax.enable_x64(True):
        yield


def trained(group, updates=UPDATES, early_exit=None):
    program, state, rates, keys = prepare(group, early_exit)
    shown = draw_chunk(group, program, 0, updates)
    state, losses = chunk(program, state, shown, rates, keys, jnp.int32(updates))
    return eqx.combine(state.arrays, program.static), np.asarray(losses)


@partial(jax.jit, static_argnames=("static", "own_end"))
def twin_gradient(params, command, actions, forced, drop, *, static, own_end):
    def of(params):
        return twin.loss(eqx.combine(params, static), command, actions, forced, own_end, drop)

    return jax.value_and_grad(of)(params)


@partial(jax.jit, static_argnames="optimiser")
def twin_step(params, memory, gradients, optimiser):
    change, memory = optimiser.update(gradients, memory, params)
    return optax.apply_updates(params, change), memory


def twin_trained(run, net, protocol, table, updates=UPDATES):
    """One run by the twin and Optax; its presentations by the documented draws."""
    shown = draw(protocol, np.array([run.seed], np.uint32), [table], 0, updates)
    params, static = eqx.partition(net, eqx.is_inexact_array)
    optimiser = SEPARATE if protocol.clip_separately else OPTIMISER
    memory, losses = optimiser.init(params), []
    for t in range(updates):
        key = jax.random.fold_in(run_key(run.seed, DROPOUT), t)
        rows = tuple(row[0][row[0] != PAD] for row in (shown.commands[t], shown.actions[t]))
        shape = (len(net.encoder), *map(len, rows), net.words.shape[-1])
        drop = twin.masks(key, jnp.float32(run.dropout), *shape) if run.dropout else None
        own_end = protocol.self_fed_loss_ends == "own"
        loss, gradients = twin_gradient(params, *rows, shown.forced[t, 0], drop, static=static, own_end=own_end)
        params, memory = twin_step(params, memory, gradients, optimiser)
        losses.append(float(loss))
    return eqx.combine(params, static), np.array(losses)


def assert_close(left, right, tolerance=1e-9):
    for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", CELLS)
def test_a_group_is_its_runs_of_the_twin(cell, layers, attention):
    """Two runs side by side, of other seeds, splits and dropout, half of the examples self-fed."""
    make = partial(seq2seq, hidden=5, cell=cell, layers=layers, attention=attention, **SIZES)
    runs = (Member(3, JUMP, dropout=0.5), Member(4, ALL, dropout=0.1))
    group = Stack(runs, make, ENCODING, PROTOCOL)
    together, losses = trained(group)
    forced = draw(PROTOCOL, group.seeds, group.tables, 0, UPDATES).forced
    assert forced.sum(axis=0).min() > 10 and forced.sum(axis=0).max() < 40  # both kinds are tested
    for place, (run, table) in enumerate(zip(runs, group.tables, strict=True)):
        alone, its_losses = twin_trained(run, unstack(group.start(), place), PROTOCOL, table)
        np.testing.assert_allclose(losses[:, place], its_losses, rtol=1e-6)
        assert_close(unstack(together, place), alone)


@pytest.mark.parametrize(
    ("loss_per", "early_exit", "parallel"),
    [("command", True, False), ("symbol", True, True), ("symbol", False, True), ("command", False, False)],
)
def test_a_batch_is_the_mean_over_its_examples(loss_per, early_exit, parallel, monkeypatch):
    """Two runs side by side, four examples an update, whole or in parts of like length, against the twin and Optax."""
    monkeypatch.setattr(Seq2Seq, "parallel", parallel)
    protocol = replace(PROTOCOL, batch=4, loss_per=loss_per, updates=10)
    make = partial(seq2seq, hidden=3, cell="gru", attention=True, **SIZES)
    group = Stack((Member(3, JUMP), Member(4, ALL)), make, ENCODING, protocol)
    together, losses = trained(group, 10, early_exit)
    tables = draw_chunk(group, prepare(group)[0], 0)
    for place in range(2):
        params, static = eqx.partition(unstack(group.start(), place), eqx.is_inexact_array)
        memory, expected = OPTIMISER.init(params), []
        for t in range(10):
            rows = [part[place] for part in draw_batch(tables, jnp.int32(t), 4, protocol.teacher_forcing)]
            examples = [(*(row[row != PAD] for row in pair), forced) for *pair, forced in zip(*rows, strict=True)]
            each = [twin_gradient(params, *example, None, static=static, own_end=True) for example in examples]
            count = sum(len(actions) for _, actions, _ in examples) if loss_per == "symbol" else len(examples)
            loss, gradients = jax.tree.map(lambda *parts, count=count: sum(parts) / count, *each)
            params, memory = twin_step(params, memory, gradients, OPTIMISER)
            expected.append(float(loss))
        np.testing.assert_allclose(losses[:10, place], expected, rtol=1e-6)
        assert_close(unstack(together, place), eqx.combine(params, static))


@pytest.mark.parametrize("early_exit", [True, False])
def test_buckets_padding_and_company_change_nothing_but_rounding(early_exit):
    """The same run alone, in company, through other programs."""
    make = partial(seq2seq, hidden=3, cell="lstm", layers=2, attention=True, **SIZES)
    run = Member(3, JUMP, dropout=0.5)
    alone, losses = trained(Stack((run,), make, ENCODING, PROTOCOL), early_exit=early_exit)
    company = Stack((Member(9, ALL), run, Member(8, JUMP, dropout=0.1)), make, ENCODING, PROTOCOL)
    together, all_losses = trained(company, early_exit=early_exit)
    np.testing.assert_allclose(losses[:, 0], all_losses[:, 1], rtol=1e-6)
    assert_close(unstack(alone, 0), unstack(together, 1))


def test_separate_lengths_and_the_targets_end():
    """The protocol's variants follow the twin too."""
    protocol = replace(PROTOCOL, updates=20, self_fed_loss_ends="target", shared_lengths=False, teacher_forcing=0.0)
    make = partial(seq2seq, hidden=4, cell="gru", **SIZES)
    group = Stack((Member(0, ALL), Member(1, JUMP)), make, ENCODING, protocol)
    together, losses = trained(group, 20)
    alone, its_losses = twin_trained(group.members[1], unstack(group.start(), 1), protocol, group.tables[1], 20)
    np.testing.assert_allclose(losses[:, 1], its_losses, rtol=1e-6)
    assert_close(unstack(together, 1), alone)


def test_encoder_and_decoder_are_clipped_by_norms_of_their_own():
    protocol = replace(PROTOCOL, updates=20, clip_separately=True)
    make = partial(seq2seq, hidden=4, cell="gru", attention=True, **SIZES)
    group = Stack((Member(0, ALL), Member(1, JUMP)), make, ENCODING, protocol)
    separate, losses = trained(group, 20)
    alone, its_losses = twin_trained(group.members[1], unstack(group.start(), 1), protocol, group.tables[1], 20)
    np.testing.assert_allclose(losses[:, 1], its_losses, rtol=1e-6)
    assert_close(unstack(separate, 1), alone)
    together, _ = trained(Stack(group.members, make, ENCODING, PROTOCOL), 20)
    assert not np.allclose(separate.words, together.words)
