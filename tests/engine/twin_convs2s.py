"""The readable twin: Gehring et al. 2017 one step at a time, without padding. Only the weights' names are ConvS2S's."""

import jax
import jax.numpy as jnp

PAD, SOS, EOS = 0, 1, 2
HALF = 0.5**0.5


def matrix(linear):
    """Weight normalisation: each row has the direction of v and the length g."""
    return (linear.g / jnp.linalg.norm(linear.v, axis=1))[:, None] * linear.v


def affine(linear, x):
    return matrix(linear) @ x + linear.b


def convolved(linear, kernel, xs, t, first):
    """The gated linear units at step t; the kernel's first weights meet x at t + first, nothing is beyond the ends."""
    weights = matrix(linear).reshape(len(linear.b), kernel, -1)
    seen = [k for k in range(kernel) if 0 <= t + first + k < len(xs)]
    y = linear.b + sum(weights[:, k] @ xs[t + first + k] for k in seen)
    a, b = y[: len(y) // 2], y[len(y) // 2 :]
    return a / (1 + jnp.exp(-b))


def dropped(drop, place, xs):
    return [x * drop[place][t] for t, x in enumerate(xs)] if drop else xs


@jax.custom_vjp
def scaled(x, factor):
    return x


scaled.defvjp(lambda x, factor: (x, factor), lambda factor, d: (factor * d, None))


def embedded(side, row):
    return [side.embedding.symbols[symbol] + side.embedding.positions[t] for t, symbol in enumerate(row)]


def encode(net, command, drop=None):
    """Keys and values for attention."""
    e = dropped(drop, 0, embedded(net.encoder, command))
    xs = [affine(net.encoder.enter, x) for x in e]
    for n, layer in enumerate(net.encoder.convolutions):
        inputs = dropped(drop, n + 1, xs)
        new = [convolved(layer, net.kernel, inputs, t, -((net.kernel - 1) // 2)) for t in range(len(xs))]
        xs = [HALF * (x + h) for x, h in zip(xs, new, strict=True)]
    layers = len([attend for attend in net.attend if attend is not None])
    keys = [scaled(affine(net.encoder.leave, x), 1 / (2 * layers)) for x in xs]
    return keys, [HALF * (k + x) for k, x in zip(keys, e, strict=True)]


def decode(net, keys, values, fed, drop=None):
    """Logits of <EOS> and the actions at each step, and each attention's weights."""
    n_layers = len(net.decoder.convolutions)
    e = dropped(drop, n_layers + 1, embedded(net.decoder, fed))
    xs, looked = [affine(net.decoder.enter, x) for x in e], []
    for n, (layer, attend) in enumerate(zip(net.decoder.convolutions, net.attend, strict=True)):
        inputs, new, weights = dropped(drop, n_layers + 2 + n, xs), [], []
        for t in range(len(xs)):
            h = convolved(layer, net.kernel, inputs, t, 1 - net.kernel)
            if attend is not None:
                q = HALF * (affine(attend.query, h) + e[t])
                energies = jnp.exp(jnp.stack(keys) @ q)
                a = energies / energies.sum()
                size = len(keys)
                context = (a @ jnp.stack(values)) * (size * (1 / size) ** 0.5)
                h = HALF * (h + affine(attend.context, context))
                weights.append(a)
            new.append(HALF * (xs[t] + h))
        xs = new
        looked += [jnp.stack(weights)] if weights else []
    read = dropped(drop, 2 * n_layers + 2, [affine(net.decoder.leave, x) for x in xs])
    return [affine(net.output, x) for x in read], looked


def loss(net, command, actions, drop=None):
    """The sum of the cross-entropies; `command` and `actions` without padding."""
    logits, _ = decode(net, *encode(net, command, drop), [SOS, *actions[:-1]], drop)
    return sum(jnp.log(jnp.exp(x).sum()) - x[a - EOS] for x, a in zip(logits, actions, strict=True))


def greedy(net, command, cap, length=-1):
    memory, answer = encode(net, command), []
    while len(answer) < cap and EOS not in answer:
        logits = decode(net, *memory, [SOS, *answer])[0][-1]
        if length < 0:
            answer.append(EOS + int(jnp.argmax(logits)))
        else:
            answer.append(EOS if len(answer) == length else EOS + 1 + int(jnp.argmax(logits[1:])))
    return answer + [PAD] * (cap - len(answer))
