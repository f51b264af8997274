"""The readable twin of the Transformer: its equations, one example without padding, one query at a time, in NumPy.

Calls nothing of daxlab's. Only the weights' names are the network's; where layers share weights, there is one of them.
"""

import math
from functools import cache

import jax
import numpy as np
from jax.extend.random import threefry_2x32

PAD, SOS, EOS = 0, 1, 2


def mask(key, rate, place, t, s, width):
    """0 or 1 / (1 - rate) for each unit, by the documented draws; `rate` is a float32."""
    if key is None:
        return np.ones(width)
    bits = halves(tuple(np.asarray(jax.random.key_data(key)).tolist()), (place << 16) + t, s << 16, -(-width // 4))
    return np.where(bits[:width] >= round(float(rate) * 65536), 1 / float(1 - rate), 0)


@cache
def halves(key, first, second, blocks):
    """Four numbers below 65,536 from each block of threefry: all blocks' first ones, then their second ones, ..."""
    counts = [first] * blocks + [second + block for block in range(blocks)]
    words = np.asarray(threefry_2x32(np.array(key, np.uint32), np.array(counts, np.uint32)), np.int64)
    return np.concatenate([half for word in np.split(words, 2) for half in (word % 65536, word // 65536)])


def r(distance, width):
    rates = [10_000 ** (-2 * k / width) for k in range(width // 2)]
    return np.array([math.sin(distance * rate) for rate in rates] + [math.cos(distance * rate) for rate in rates])


def norm(layer, part, x):
    x = (x - x.mean()) / math.sqrt(x.var() + 1e-5)
    return layer.norms[part].scale * x + layer.norms[part].shift


def attend(of, i, x, states, drop):
    """What the query at place i reads of the states, whose place counts if there are relative positions; weights."""
    heads, size, width = of.query.shape
    read, all_weights = np.zeros(width), np.zeros((heads, len(states)))
    dropped = [drop(j) for j in range(len(states))]  # [states][heads]
    for head in range(heads):
        q = of.query[head] @ x
        scores = []
        for j, state in enumerate(states):
            k = of.key[head] @ state
            if of.relative is None:
                score = q @ k
            else:
                w, u, v = of.relative.w[head], of.relative.u[head], of.relative.v[head]
                score = (q + u) @ k + (q + v) @ (w @ r(i - j, width))
            scores.append(score / math.sqrt(size))
        weights = np.exp(scores) / np.exp(scores).sum()
        all_weights[head] = weights
        values = [weight * dropped[j][head] * (of.value[head] @ states[j]) for j, weight in enumerate(weights)]
        read = read + of.merge[:, head] @ sum(values)
    return read, all_weights


def feed(layer, x, drop):
    hidden = np.maximum(layer.w_hidden @ x + layer.b_hidden, 0)
    return layer.w_output @ (hidden * drop(4, len(hidden))) + layer.b_output


def at(tree, index):
    """Layer `index`, of stacked layers."""
    return jax.tree.map(lambda array: np.asarray(array)[index % len(array)], tree)


def run(net, command, actions, key=None, rate=0.0):
    """Logits for each action, the encoder's states, the top layer's mean weights on <SOS> and the command."""
    words, table, heads = np.asarray(net.words), np.asarray(net.actions), net.encoder.own.query.shape[1]
    width, relative = words.shape[1], net.encoder.own.relative is not None

    def embed(row, t, place):
        return row if relative else (row + r(t, width) / math.sqrt(width)) * mask(key, rate, place, t, 0, width)

    def drops(first, t):
        return lambda place, size, s=0: mask(key, rate, first + place, t, s, size)

    states = [embed(words[word - SOS], t, 6) for t, word in enumerate([SOS, *command])]
    for index in range(net.depth):
        layer, new = at(net.encoder, index), []
        for t, x in enumerate(states):
            drop = drops(16 * index, t)
            read, _ = attend(layer.own, t, x, states, lambda j, drop=drop: drop(0, heads, j))
            x = norm(layer, 0, x + read * drop(1, width))
            new.append(norm(layer, 1, x + feed(layer, x, drop) * drop(5, width)))
        states = new
    decoded = [embed(table[max(word - EOS, 0)], t, 14) for t, word in enumerate([SOS, *actions[:-1]])]
    for index in range(net.depth):
        layer, new, weights = at(net.decoder, index), [], []
        for t, x in enumerate(decoded):
            drop = drops(16 * index + 8, t)
            read, _ = attend(layer.own, t, x, decoded[: t + 1], lambda j, drop=drop: drop(0, heads, j))
            x = norm(layer, 0, x + read * drop(1, width))
            read, looked = attend(layer.cross, t, x, states, lambda j, drop=drop: drop(2, heads, j))
            x = norm(layer, 1, x + read * drop(3, width))
            new.append(norm(layer, 2, x + feed(layer, x, drop) * drop(5, width)))
            weights.append(looked.mean(0))
        decoded = new
    return [table @ x + np.asarray(net.b_output) for x in decoded], np.array(states), np.array(weights)


def loss(net, command, actions, key=None, rate=0.0):
    """The sum of the cross-entropies."""
    logits, _, _ = run(net, command, actions, key, rate)
    return sum(np.log(np.exp(z).sum()) - z[action - EOS] for z, action in zip(logits, actions, strict=True))


def greedy(net, command, cap, length=-1):
    answer = []
    while len(answer) < cap and EOS not in answer:
        z = run(net, command, [*answer, EOS])[0][-1]  # the last of the fed symbols is never read
        if length < 0:
            answer.append(EOS + int(np.argmax(z)))
        else:
            answer.append(EOS if len(answer) == length else EOS + 1 + int(np.argmax(z[1:])))
    return answer + [PAD] * (cap - len(answer))
