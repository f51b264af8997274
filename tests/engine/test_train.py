"""Interruptions, failures, checkpoints, and learning."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from daxlab.engine import Member, Protocol, Stack, evaluate, train
from daxlab.engine.adam import Moments, adam, global_norm
from daxlab.engine.train import draw_chunk, make_program, run_inputs, start_state
from daxlab.engine.update import chunk
from daxlab.errors import InputError
from daxlab.networks import seq2seq

from .toy import ALL, ENCODING, JUMP

MAKE = partial(seq2seq, hidden=12, cell="gru", words=len(ENCODING.words), actions=len(ENCODING.actions))
GROUP = Stack((Member(0, ALL, 0.1), Member(1, JUMP)), MAKE, ENCODING, Protocol(updates=500))


def bits(tree):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_array))]


def test_interrupted_training_ends_with_the_same_bits(tmp_path):
    whole = train(GROUP, sample=4)
    path = tmp_path / "group.safetensors"
    train(GROUP, until=130, checkpoint=path, sample=4)
    train(GROUP, checkpoint=path, checkpoint_every=0.0, sample=4, on_progress=lambda p: p.update < 400)
    resumed = train(GROUP, checkpoint=path, sample=4)
    assert bits(resumed.networks) == bits(whole.networks)
    assert bits(resumed.history[:-1]) == bits(whole.history[:-1])  # all but the time it took
    assert resumed.update == 500 and len(resumed.mean_losses) == 3 and resumed.history.updates.tolist() == [500]
    assert list(tmp_path.iterdir()) == [path]  # nothing half-written lies about


def test_a_checkpoint_cut_short_or_of_another_group_is_refused(tmp_path):
    path = tmp_path / "group.safetensors"
    train(GROUP, until=10, checkpoint=path, sample=0)
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
    arrays, static = eqx.partition(GROUP.start(), eqx.is_array)
    spoilt = eqx.tree_at(lambda n: n.b_output, arrays, arrays.b_output.at[0, 0].set(jnp.inf))
    program, (rates, keys) = make_program(GROUP, static), run_inputs(GROUP)
    results = []
    for start in (arrays, spoilt):
        start = jax.tree.map(jnp.array, start)
        shown = draw_chunk(GROUP, program, 0)
        results.append(chunk(program, start_state(start), shown, rates, keys, jnp.int32(20)))
    (healthy, _), (state, losses) = results
    assert state.failed.tolist() == [0, -1] and not np.isfinite(losses[0, 0])
    assert (state.arrays.words[0] == arrays.words[0]).all()
    assert (state.arrays.words[1] == healthy.arrays.words[1]).all()


def test_adam_is_optaxs():
    rng = np.random.default_rng(0)
    params = {"a": jnp.asarray(rng.normal(size=(3, 2)), jnp.float32), "b": jnp.ones(4)}
    reference = optax.chain(optax.clip_by_global_norm(5.0), optax.adam(1e-2))
    theirs, memory = params, reference.init(params)
    ours, moments = params, Moments(*(jax.tree.map(jnp.zeros_like, params) for _ in range(2)))
    for count in range(1, 30):
        gradients = jax.tree.map(lambda p, c=count: jnp.asarray(rng.normal(size=p.shape) * c, jnp.float32), params)
        change, memory = reference.update(gradients, memory)
        theirs = optax.apply_updates(theirs, change)
        known = {"norm": global_norm(gradients), "go": jnp.bool_(True), "count": jnp.float32(count)}
        ours, moments = adam(ours, moments, gradients, **known, rate=1e-2, clip=5.0)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_ten_pairs_are_learnt():
    group = Stack((Member(0, ALL),), partial(MAKE, hidden=24), ENCODING, Protocol(updates=1500, learning_rate=5e-3))
    result = train(group, sample=10)
    assert evaluate(group, result.networks)[0].accuracy == 1.0
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
        lambda: train(GROUP, until=501),
        lambda: partial(MAKE, hidden=-3)(jax.random.key(0)),
        lambda: seq2seq(jax.random.key(0), 3, words=5, actions=5, cell="rnn"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_one_sentence(wrong):
    with pytest.raises(InputError):
        wrong()
