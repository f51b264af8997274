"""`recur`: a recurrence whose weight gradients are formed after the loop, not in it.

Reverse mode through `lax.scan` adds into a buffer of the parameter's size at every time step. Here no parameter is
differentiated inside a loop. Each product `W z + b` of a step has a *tap*, a zero that is added to it. The backward
loop keeps only the gradients of the taps and the `z` of all steps; the gradient of `W` is then one product over time.
It is the same gradient in half the time. An embedding is such a product too, with a one-hot `z`.

The forward loop keeps the states and the values of the products; the backward loop computes each step again from these,
which needs no product. Both loops run over a fixed number of steps, or stop where the caller says that padding begins.

Knows nothing of cells, attention, or what a step computes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

Tree = Any  # a pytree of arrays
SHORT = 16  # steps: products over time are of this many, twice as many or all of them, where loops stop early
Step = Callable[["Products", Tree, Tree, Tree], tuple[Tree, Tree]]


class Products:
    """How a step uses the weights: products, look-ups in an embedding, and readings without a gradient."""

    def __init__(self, weights: Tree, values: dict[str, Array] | None = None, taps: Tree = None) -> None:
        self._weights = weights
        self._known = values  # on the way back: what the products were
        self._taps = taps
        self.values: dict[str, Array] = {}
        self.inputs: dict[str, Array] = {}  # the z of each product

    def __call__(self, name: str, z: Array) -> Array:
        """W z + b (z may have leading axes), its gradient formed after the loop. Once per name and step."""
        weight, bias = self._weights[name]
        self._note(name, z)
        if self._known is not None:
            return _replayed(weight, z, self._known[name], self._taps[name])
        value = _contract(weight, z)
        self.values[name] = value if bias is None else value + bias
        return self.values[name]

    def lookup(self, name: str, index: Array) -> Array:
        """A row of an embedding, its gradient formed after the loop. Once per name and step."""
        self._note(name, index)
        if self._known is not None:
            return self._known[name] + self._taps[name]
        self.values[name] = self._weights[name][index]
        return self.values[name]

    def reading(self, name: str, z: Array) -> Array:
        """W z + b for a decision that has no gradient (which action to feed back)."""
        weight, bias = self._weights[name]
        product = _contract(weight, jax.lax.stop_gradient(z))
        return product if bias is None else product + bias

    def _note(self, name: str, z: Array) -> None:
        if name in self.inputs:
            raise ValueError(f"the step uses {name!r} twice; its gradient is formed from one use")
        self.inputs[name] = z


def recur(step: Step, weights: Tree, constants: Tree, carry: Tree, inputs: Tree, steps: Array | None = None) -> Tree:
    """The outputs of `step(products, constants, carry, input) -> (carry, output)` over `inputs`' leading axis.

    `weights` maps a name to (W, b), where W is [*out, in] and b may be None, or to an embedding table. `constants` are
    read by every step and get gradients (the encoder's states). `step` must not close over arrays. If `steps` is given,
    the loop stops after so many steps, and later outputs are zero.
    """
    return _recur(step, weights, constants, carry, inputs, steps)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _recur(step: Step, weights: Tree, constants: Tree, carry: Tree, inputs: Tree, steps: Array | None) -> Tree:
    def body(carry: Tree, x: Tree) -> tuple[Tree, Tree]:
        return step(Products(weights), constants, carry, x)

    return _over_time(body, carry, inputs, steps)[1]


def _forward(
    step: Step, weights: Tree, constants: Tree, carry: Tree, inputs: Tree, steps: Array | None
) -> tuple[Tree, Tree]:
    def body(carry: Tree, x: Tree) -> tuple[Tree, Tree]:
        products = Products(weights)
        after, output = step(products, constants, carry, x)
        return after, (output, carry, products.values)

    _, (outputs, carries, values) = _over_time(body, carry, inputs, steps)
    return outputs, (weights, constants, inputs, steps, carries, values)


def _backward(step: Step, residuals: Tree, cotangent: Tree) -> tuple[Tree, ...]:
    weights, constants, inputs, steps, carries, values = residuals
    constants, fixed = eqx.partition(constants, eqx.is_inexact_array)

    def body(carried: Tree, at: Tree) -> tuple[Tree, Tree]:
        d_after, d_constants = carried
        x, carry, values, d_output = at
        x, x_fixed = eqx.partition(x, eqx.is_inexact_array)
        carry, carry_fixed = eqx.partition(carry, eqx.is_inexact_array)

        def again(taps: Tree, constants: Tree, carry: Tree, x: Tree) -> tuple[Tree, Tree]:
            products = Products(weights, values, taps)
            everything = (eqx.combine(a, b) for a, b in ((constants, fixed), (carry, carry_fixed), (x, x_fixed)))
            result = step(products, *everything)
            return eqx.filter(result, eqx.is_inexact_array), products.inputs

        taps = jax.tree.map(jnp.zeros_like, values)
        _, pullback, zs = jax.vjp(again, taps, constants, carry, x, has_aux=True)
        d_taps, d_here, d_carry, d_x = pullback((d_after, d_output))
        return (d_carry, jax.tree.map(jnp.add, d_constants, d_here)), (d_taps, zs, d_x)

    d_outputs = jax.tree.map(lambda d: None if d.dtype == jax.dtypes.float0 else d, cotangent)
    differentiable = eqx.filter(carries, eqx.is_inexact_array)
    start = (jax.tree.map(lambda c: jnp.zeros(c.shape[1:], c.dtype), differentiable), _zeros(constants))
    back = partial(_over_time, body, start, (inputs, carries, values, d_outputs), steps, reverse=True)
    (d_carry, d_constants), (d_taps, zs, d_inputs) = back()
    d_weights = _after_the_loop(weights, zs, d_taps, steps)
    return d_weights, d_constants, d_carry, d_inputs, None


_recur.defvjp(_forward, _backward)


def _over_time(
    body: Callable[[Tree, Tree], tuple[Tree, Tree]],
    carry: Tree,
    inputs: Tree,
    steps: Array | None,
    reverse: bool = False,
) -> tuple[Tree, Tree]:
    """`lax.scan`; if `steps` is given, only over the first so many steps, and later outputs are zero."""
    if steps is None:
        # On an accelerator a small step is launch latency; on a CPU unrolling only lengthens compilation.
        return jax.lax.scan(body, carry, inputs, reverse=reverse, unroll=1 if jax.default_backend() == "cpu" else 4)
    time = jax.tree.leaves(inputs)[0].shape[0]
    first = jax.tree.map(lambda x: x[0], inputs)
    _, output = jax.eval_shape(body, carry, first)
    outputs = jax.tree.map(lambda o: jnp.zeros((time, *o.shape), o.dtype), output)

    def at(index: Array, loop: tuple[Tree, Tree]) -> tuple[Tree, Tree]:
        t = steps - 1 - index if reverse else index
        carry, outputs = loop
        here = jax.tree.map(lambda x: jax.lax.dynamic_index_in_dim(x, t, keepdims=False), inputs)
        carry, output = body(carry, here)
        return carry, jax.tree.map(lambda os, o: jax.lax.dynamic_update_index_in_dim(os, o, t, 0), outputs, output)

    return jax.lax.fori_loop(0, steps, at, (carry, outputs))


def _after_the_loop(weights: Tree, zs: Tree, taps: Tree, steps: Array | None) -> Tree:
    """The gradients of the weights, from the inputs and the taps' gradients of all steps (up to the padding)."""

    def gradients(time: int | None) -> Tree:
        return {n: _gradient(w, z[:time], taps[n][:time]) for n, w in weights.items() if (z := zs.get(n)) is not None}

    time = jax.tree.leaves(taps)[0].shape[0]
    if steps is None or time <= SHORT:
        found = gradients(None)
    else:
        caps = (SHORT, 2 * SHORT, time) if time > 2 * SHORT else (SHORT, time)
        branches = [partial(gradients, cap) for cap in caps]
        found = jax.lax.switch(sum(steps > cap for cap in caps[:-1]), branches)
    return {name: found.get(name, _zeros(weight)) for name, weight in weights.items()}  # zero: only read


def _gradient(weight: Tree, z: Array, tap: Array) -> Tree:
    if not isinstance(weight, tuple):  # an embedding: z are indices
        return jnp.zeros_like(weight).at[z].add(tap)
    lead = tuple(range(z.ndim - 1))
    return jnp.tensordot(tap, z, axes=(lead, lead)), (None if weight[1] is None else tap.sum(axis=lead))


def _contract(weight: Array, z: Array) -> Array:
    """[*out, in] with [*lead, in] -> [*lead, *out]."""
    if z.ndim == 1:
        return jnp.tensordot(weight, z, axes=(-1, -1))  # in this order: ten times faster on a CPU than the other
    return jnp.tensordot(z, weight, axes=(-1, -1))


def over_time(weight: Array, z: Array) -> Array:
    """W z_t for all t at once: [*out, in] with [time, in] -> [time, *out]."""
    return jnp.moveaxis(jnp.tensordot(weight, z, axes=(-1, -1)), -1, 0)  # so that no weight is ever transposed


@jax.custom_vjp
def _replayed(weight: Array, z: Array, value: Array, tap: Array) -> Array:
    """A product whose value is known: only its gradients, to z and to the tap, are computed."""
    return value


def _replayed_forward(weight: Array, z: Array, value: Array, tap: Array) -> tuple[Array, tuple[Array, int]]:
    return value, (weight, z.ndim)


def _replayed_backward(residuals: tuple[Array, int], d: Array) -> tuple[None, Array, None, Array]:
    weight, ndim = residuals
    out = tuple(range(weight.ndim - 1))
    return None, jnp.tensordot(d, weight, axes=(tuple(range(ndim - 1, d.ndim)), out)), None, d


_replayed.defvjp(_replayed_forward, _replayed_backward)


def _zeros(tree: Tree) -> Tree:
    return jax.tree.map(jnp.zeros_like, tree)
