"""The readable twin: the paper's networks as equations, one example at a time, a Python loop under jax.grad.

Imports nothing of the engine, and never calls `recur`. Only the weights' names are Seq2Seq's.
"""

import jax
import jax.numpy as jnp
import numpy as np

PAD, SOS, EOS = 0, 1, 2


def cell(kind, layer, x, state):
    a = [w @ x + b for w, b in zip(layer.w_input, layer.b_input, strict=True)]
    b = [w @ state[0] + c for w, c in zip(layer.w_hidden, layer.b_hidden, strict=True)]
    if kind == "srn":
        return (jnp.tanh(a[0] + b[0]),)
    if kind == "gru":
        r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
        n = jnp.tanh(a[2] + r * b[2])
        return ((1 - z) * n + z * state[0],)
    i, f, o = (jax.nn.sigmoid(a[k] + b[k]) for k in (0, 1, 3))
    c = f * state[1] + i * jnp.tanh(a[2] + b[2])
    return o * jnp.tanh(c), c


def mask(key, place, step, rate, width):
    if not rate:
        return 1.0
    bits = np.asarray(jax.random.bits(jax.random.fold_in(jax.random.fold_in(key, place), step), (width,)))
    keep = (bits >> 8).astype(np.float32) * np.float32(2.0**-24) >= np.float32(rate)
    return np.where(keep, np.float32(1) / (np.float32(1) - np.float32(rate)), np.float32(0))


def encode(net, command, rate, key):
    width = net.words.shape[1]
    zero = jnp.zeros(width, net.words.dtype)
    states = [(zero, zero) if net.cell == "lstm" else (zero,) for _ in net.encoder]
    tops = []
    for t, word in enumerate(command):
        x = net.words[word]
        for l, layer in enumerate(net.encoder):
            x = x * mask(key, 2 * l, t, rate, width)
            states[l] = cell(net.cell, layer, x, states[l])
            x = states[l][0]
        tops.append(x)
    return states, jnp.stack(tops)


def act(net, states, tops, word, t, rate, key):
    """One decoder step: new states, logits of <EOS> and the actions, attention weights."""
    width = net.words.shape[1]
    x = net.actions[word] * mask(key, 1, t, rate, width)
    alpha = None
    if net.attend is not None:
        a = net.attend
        energies = jnp.stack([a.v @ jnp.tanh(a.w @ states[-1][0] + a.u @ h) for h in tops])
        alpha = jnp.exp(energies) / jnp.exp(energies).sum()
        context = sum(weight * h for weight, h in zip(alpha, tops, strict=True))
        x = jnp.concatenate([x, context])
    new = []
    for l, layer in enumerate(net.decoder):
        if l:
            x = x * mask(key, 2 * l + 1, t, rate, width)
        new.append(cell(net.cell, layer, x, states[l]))
        x = new[-1][0]
    read = x if net.attend is None else jnp.concatenate([x, context])
    return new, net.w_output @ read + net.b_output, alpha


def loss(net, command, actions, forced, own_end, rate, key):
    command, actions = ([int(i) for i in row if i != PAD] for row in (command, actions))
    states, tops = encode(net, command, rate, key)
    total, word = 0.0, SOS
    for t, target in enumerate(actions):
        states, logits, _ = act(net, states, tops, word, t, rate, key)
        total = total - jax.nn.log_softmax(logits)[target - EOS]
        own = EOS + int(jnp.argmax(jax.lax.stop_gradient(logits)))
        if not forced and own_end and own == EOS:
            break
        word = target if forced else own
    return total


def greedy(net, command, cap, length=-1):
    states, tops = encode(net, [int(i) for i in command if i != PAD], 0, None)
    word, answer = SOS, []
    while len(answer) < cap and word != EOS:
        states, logits, _ = act(net, states, tops, word, len(answer), 0, None)
        if length < 0:
            word = EOS + int(jnp.argmax(logits))
        else:
            word = EOS if len(answer) == length else EOS + 1 + int(jnp.argmax(logits[1:]))
        answer.append(word)
    return answer + [PAD] * (cap - len(answer))
