"""Interruptions, failures, checkpoints, and learning."""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from daxlab.engine import Member, Stack, dump_weights, evaluate, load_weights, train, unstack
from daxlab.engine.optimisers import MOMENTUM, adam, global_norm, learning_rate, nesterov, start_moments
from daxlab.engine.train import draw_chunk, prepare
from daxlab.engine.update import chunk
from daxlab.errors import InputError
from daxlab.networks import Seq2Seq, seq2seq
from daxlab.protocol import Protocol

from .toy import ALL, ENCODING, JUMP

MAKE = partial(seq2seq, hidden=12, cell="gru", words=len(ENCODING.words), actions=len(ENCODING.actions))
GROUP = Stack((Member(0, ALL, 0.1), Member(1, JUMP)), MAKE, ENCODING, Protocol(updates=500))


def bits(tree):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_array))]


def test_interrupted_training_ends_with_the_same_bits(tmp_path):
    whole = train(GROUP, sample=4)
    path = tmp_path / "group.safetensors"
    for last in (200, 400):
        train(GROUP, checkpoint=path, checkpoint_every=0.0, sample=4, on_progress=lambda n, *_, last=last: n < last)
    resumed = train(GROUP, checkpoint=path, sample=4)
    assert bits(resumed.networks) == bits(whole.networks)
    assert bits(resumed.history[:-1]) == bits(whole.history[:-1])  # all but the time it took
    assert resumed.update == 500 and len(resumed.mean_losses) == 3 and resumed.history.updates.tolist() == [500]
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written lies about


def test_a_checkpoint_cut_short_or_of_another_group_is_refused(tmp_path):
    path = tmp_path / "group.safetensors"
    train(GROUP, checkpoint=path, sample=0, on_progress=lambda *_: False)
    other = Stack((Member(0, ALL, 0.2), Member(1, JUMP)), MAKE, ENCODING, GROUP.protocol)
    with pytest.raises(InputError, match="another group"):
        train(other, checkpoint=path)
    content = bytearray(path.read_bytes())
    content[-60] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="its checksum is another"):
        train(GROUP, checkpoint=path)
    content = (tmp_path / "group.safetensors").read_bytes().replace(b'"shape":[0,2]', b'"shape":[0,3]', 1)
    path.write_bytes(content)
    with pytest.raises(InputError, match="does not hold the arrays"):
        train(GROUP, checkpoint=path)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(InputError, match="not a whole checkpoint"):
        train(GROUP, checkpoint=path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="not a whole checkpoint"):
        train(GROUP, checkpoint=path)


def test_a_run_that_fails_is_frozen_and_the_rest_goes_on():
    program, start, rates, keys = prepare(GROUP)
    arrays = jax.tree.map(jnp.array, start.arrays)
    spoilt = eqx.tree_at(lambda n: n.b_output, arrays, arrays.b_output.at[0, 0].set(jnp.inf))
    results = []
    for first in (arrays, spoilt):
        state = jax.tree.map(jnp.array, start._replace(arrays=first))  # a copy, which the program may overwrite
        results.append(chunk(program, state, draw_chunk(GROUP, program, 0), rates, keys, jnp.int32(20)))
    (healthy, _), (state, losses) = results
    assert state.failed.tolist() == [0, -1] and not np.isfinite(losses[0, 0])
    assert (state.arrays.words[0] == arrays.words[0]).all()
    assert (state.arrays.words[1] == healthy.arrays.words[1]).all()


@pytest.mark.parametrize("share, forced", [(0, False), (0.5, "drawn"), (1, True)])
def test_forcing_that_the_protocol_fixes_is_known_before_compilation(share, forced):
    seen = []

    class Watched(Seq2Seq):
        def loss(self, command, actions, *, forced, **how):
            seen.append(forced if isinstance(forced, bool) else "drawn")
            return super().loss(command, actions, forced=forced, **how)

    def make(key):
        return Watched(**vars(MAKE(key)))

    train(Stack((Member(0, ALL),), make, ENCODING, Protocol(updates=1, teacher_forcing=share)), sample=0)
    assert set(seen) == {forced}


def test_weights_come_back_as_they_were(tmp_path):
    class Scaled(Seq2Seq):
        scale: jax.Array  # an array without axes
        function: Callable[[jax.Array], jax.Array] = jnp.tanh  # no array at all

    def make(key):
        return Scaled(**vars(MAKE(key)), scale=jax.random.normal(key))

    networks, path = Stack((Member(3, ALL),), make, ENCODING).start(), tmp_path / "weights.safetensors"
    path.write_bytes(dump_weights(unstack(networks, 0)))
    loaded = load_weights(path, make)
    assert bits(loaded) == bits(networks) and loaded.function is jnp.tanh
    with pytest.raises(InputError, match="another kind of network"):
        load_weights(path, MAKE)
    path.write_bytes(b"no weights")
    with pytest.raises(InputError, match="cannot be read"):
        load_weights(path, make)


@pytest.mark.parametrize(
    "optimiser, theirs", [(adam, optax.adam(1e-2)), (nesterov, optax.sgd(1e-2, momentum=MOMENTUM, nesterov=True))]
)
def test_optimisers_are_those_of_optax(optimiser, theirs):
    rng = np.random.default_rng(0)
    params = {"a": jnp.asarray(rng.normal(size=(3, 2)), jnp.float32), "b": jnp.ones(4)}
    reference = optax.chain(optax.clip_by_global_norm(5.0), theirs)
    expected, memory = params, reference.init(params)
    ours, moments = params, start_moments(params, optimiser.__name__)
    for count in range(1, 30):
        gradients = jax.tree.map(lambda p, c=count: jnp.asarray(rng.normal(size=p.shape) * c, jnp.float32), params)
        change, memory = reference.update(gradients, memory)
        expected = optax.apply_updates(expected, change)
        clipped = {"norms": [global_norm(gradients)], "parts": [0, 0], "clip": 5.0}
        known = {"go": jnp.bool_(True), "count": jnp.float32(count)}
        ours, moments = optimiser(ours, moments, gradients, **known, **clipped, rate=1e-2)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize(
    "protocol, theirs",
    [
        (Protocol(warmup=4), optax.linear_schedule(0.25e-3, 1e-3, 3)),
        (
            Protocol(schedule="staircase", learning_rate=0.01, decay=0.5, decay_every=3),
            optax.exponential_decay(0.01, 3, 0.5, staircase=True),
        ),
        (
            Protocol(schedule="inverse-sqrt", warmup=4),  # Vaswani et al. (2017), with its peak as the learning rate
            lambda done: 1e-3 * 4**0.5 * min((done + 1) ** -0.5, (done + 1) * 4**-1.5),
        ),
    ],
)
def test_schedules_are_those_of_optax(protocol, theirs):
    rates = [float(learning_rate(protocol, jnp.float32(count))) for count in range(1, 12)]
    np.testing.assert_allclose(rates, [theirs(done) for done in range(11)], rtol=1e-6)


def test_ten_pairs_are_learnt():
    group = Stack((Member(0, ALL),), partial(MAKE, hidden=24), ENCODING, Protocol(updates=1500, learning_rate=5e-3))
    result = train(group, sample=10)
    assert evaluate(ENCODING, result.networks, [ALL.test])[0].right.all()
    assert result.history.test[-1, 0] == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Protocol(updates=0),
        lambda: Protocol(learning_rate=-1.0),
        lambda: Protocol(clip=float("nan")),
        lambda: Protocol(teacher_forcing=1.5),
        lambda: Protocol(self_fed_loss_ends="never"),  # type: ignore[arg-type]
        lambda: Member(-1, ALL),
        lambda: Member(0, ALL, dropout=1.5),
        lambda: Stack((), MAKE, ENCODING),
    ],
)
def test_bad_input_is_one_sentence(wrong):
    with pytest.raises(InputError):
        wrong()
