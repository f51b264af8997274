"""The readable twin: the paper's networks as equations, one example at a time, a Python loop under jax.grad.

Imports nothing of the engine, and never calls `recur`. Only the weights' names are Seq2Seq's.
"""

from functools import partial

import jax
import jax.numpy as jnp

PAD, SOS, EOS = 0, 1, 2


def cell(kind, layer, x, state):
    a = layer.w_input @ x + layer.b_input
    b = layer.w_hidden @ state[0] + layer.b_hidden
    if kind == "srn":
        return (jnp.tanh(a[0] + b[0]),)
    if kind == "gru":
        r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        n = jnp.tanh(a[2] + r * b[2])
        return ((1 - z) * n + z * state[0],)
    i, f, o = (jax.nn.sigmoid(a[k] + b[k]) for k in (0, 1, 3))
    c = f * state[1] + i * jnp.tanh(a[2] + b[2])
    return o * jnp.tanh(c), c


@partial(jax.jit, static_argnames="width")
def mask(key, place, step, rate, width):
    bits = jax.random.bits(jax.random.fold_in(jax.random.fold_in(key, place), step), (width,), jnp.uint32)
    keep = (bits >> 8).astype(jnp.float32) * 2.0**-24 >= rate
    return jnp.where(keep, 1 / (1 - rate), 0)


def masks(key, rate, layers, command_time, action_time, width):
    """[place][step]: on the input of encoder layer l at place 2 l, of decoder layer l at 2 l + 1."""
    times = [command_time, action_time] * layers
    return [[mask(key, place, step, rate, width) for step in range(time)] for place, time in enumerate(times)]


def encode(net, command, drop):
    width = net.words.shape[1]
    zero = jnp.zeros(width, net.words.dtype)
    states = [(zero, zero) if net.cell == "lstm" else (zero,) for _ in net.encoder]
    tops = []
    for t, word in enumerate(command):
        x = net.words[word]
        for n, layer in enumerate(net.encoder):
            x = x * drop[2 * n][t] if drop else x
            states[n] = cell(net.cell, layer, x, states[n])
            x = states[n][0]
        tops.append(x)
    return states, jnp.stack(tops)


def act(net, states, tops, word, t, drop):
    """One decoder step: new states, logits of <EOS> and the actions, attention weights."""
    x = net.actions[word] * drop[1][t] if drop else net.actions[word]
    alpha = None
    if net.attend is not None:
        a = net.attend
        energies = jnp.stack([a.v @ jnp.tanh(a.w @ states[-1][0] + a.u @ h) for h in tops])
        alpha = jnp.exp(energies) / jnp.exp(energies).sum()
        context = sum(weight * h for weight, h in zip(alpha, tops, strict=True))
        x = jnp.concatenate([x, context])
    new = []
    for n, layer in enumerate(net.decoder):
        if n and drop:
            x = x * drop[2 * n + 1][t]
        new.append(cell(net.cell, layer, x, states[n]))
        x = new[-1][0]
    read = x if net.attend is None else jnp.concatenate([x, context])
    if drop and len(drop) > 2 * len(net.decoder):  # a network that drops some of what its softmax reads
        read = read * drop[-1][t]
    return new, net.w_output @ read + net.b_output, alpha


def plain(logits, alpha, command):
    return jax.nn.log_softmax(logits)


def loss(net, command, actions, forced, own_end, drop, head=plain):
    """The sum of the cross-entropies; `command` and `actions` without padding. `head`: what makes log p."""
    states, tops = encode(net, command, drop)
    total, word, ended = 0.0, SOS, False
    for t, target in enumerate(actions):
        states, logits, alpha = act(net, states, tops, word, t, drop)
        log_p = head(logits, alpha, command)
        total = total + jnp.where(ended, 0, -log_p[target - EOS])
        own = EOS + jnp.argmax(log_p)
        word = jnp.where(forced, target, own)
        if own_end:
            ended = ended | (jnp.logical_not(forced) & (own == EOS))
    return total


def greedy(net, command, cap, length=-1, head=plain):
    command = [int(i) for i in command if i != PAD]
    states, tops = encode(net, command, None)
    word, answer = SOS, []
    while len(answer) < cap and word != EOS:
        states, logits, alpha = act(net, states, tops, word, len(answer), None)
        log_p = head(logits, alpha, command)
        if length < 0:
            word = EOS + int(jnp.argmax(log_p))
        else:
            word = EOS if len(answer) == length else EOS + 1 + int(jnp.argmax(log_p[1:]))
        answer.append(word)
    return answer + [PAD] * (cap - len(answer))
