"""A group on disk, whole or not at all: one safetensors file. Knows nothing of when one is written.

The file is written beside its place, flushed to the disk, and then takes the place of the one before in
one step.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from daxlab.errors import InputError

FORMAT = "daxlab checkpoint 1"


def write(path: Path, digest: str, tree: Any) -> None:
    """Write a pytree of arrays, with the digest of the group it belongs to."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    tensors = {jax.tree_util.keystr(place): np.array(leaf, order="C") for place, leaf in leaves}
    data = save(tensors, metadata={"format": FORMAT, "digest": digest})
    try:
        _replace(path, data)
    except OSError as error:
        raise InputError(f"cannot write the checkpoint {path}: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    """Puts a file in the place of the one before, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: Path, digest: str, like: Any) -> Any:
    """What `write` wrote for the group of this digest, as a pytree like `like`."""
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise InputError(
            f"{path} is not a whole checkpoint ({error}): delete it to train these runs from their start"
        ) from error
    if about.get("format") != FORMAT:
        raise InputError(f"{path} is not a checkpoint of daxlab's")
    if about.get("digest") != digest:
        raise InputError(f"{path} is a checkpoint of another group of runs")
    leaves, shape = jax.tree_util.tree_flatten_with_path(like)
    names = [jax.tree_util.keystr(place) for place, _ in leaves]
    if set(names) != set(tensors):
        raise InputError(f"{path} does not hold the arrays of this group of runs")
    return jax.tree_util.tree_unflatten(shape, [_owned(tensors[name]) for name in names])


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    return np.array(array)
