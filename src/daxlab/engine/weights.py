"""A trained network as bytes, in safetensors: its arrays by name, and the width they were trained at.

A network that trained among wider ones keeps its idle units: the same function. Knows nothing of where bytes are kept.
"""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load as read
from safetensors.numpy import save

from daxlab.errors import InputError
from daxlab.networks.contract import Network


def dump(network: Network, width: int) -> bytes:
    """The arrays of one network."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(network, eqx.is_array))
    tensors = {jax.tree_util.keystr(place): np.ascontiguousarray(np.asarray(leaf)) for place, leaf in leaves}
    return save(tensors, metadata={"width": str(width)})


def load(path: Any, make: Callable[[Any, int], Network]) -> Network:
    """The network whose arrays a file holds; `make` says what kind of network it is."""
    try:
        with safe_open(path, framework="numpy") as file:
            width = int((file.metadata() or {}).get("width", 0))
        with open(path, "rb") as file:  # noqa: PTH123
            tensors = read(file.read())
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"{path} holds no weights that can be read: {error}") from None
    shape = eqx.filter_eval_shape(make, jax.random.key(0), width)
    leaves, structure = jax.tree_util.tree_flatten_with_path(shape)
    try:
        arrays = [jnp.asarray(tensors[jax.tree_util.keystr(place)]) for place, _ in leaves]
    except KeyError as error:
        raise InputError(f"{path} holds the weights of another kind of network (no {error})") from None
    return jax.tree_util.tree_unflatten(structure, arrays)
