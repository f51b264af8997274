"""A trained network as bytes, in safetensors: its arrays by name. Knows nothing of where the bytes are kept."""

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as read, save

from daxlab.engine.stack import Make
from daxlab.errors import InputError
from daxlab.networks.contract import Network


def dump(network: Network) -> bytes:
    """The arrays of one network."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(network, eqx.is_array))
    return save({jax.tree_util.keystr(place): np.ascontiguousarray(np.asarray(leaf)) for place, leaf in leaves})


def load(path: Path, make: Make) -> Network:
    """The network whose arrays a file holds; `make` says what kind of network it is."""
    try:
        tensors = read(path.read_bytes())
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"the weights in {path} cannot be read: {error}") from None
    leaves, structure = jax.tree_util.tree_flatten_with_path(eqx.filter_eval_shape(make, jax.random.key(0)))
    arrays = [tensors.get(jax.tree_util.keystr(place)) for place, _ in leaves]
    if any(a is None or a.shape != leaf.shape for a, (_, leaf) in zip(arrays, leaves, strict=True)):
        raise InputError(f"{path} holds the weights of another kind of network")
    return jax.tree_util.tree_unflatten(structure, [jnp.asarray(array) for array in arrays])
