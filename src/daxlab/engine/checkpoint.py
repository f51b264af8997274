"""Checkpoints: the state of a stack in one safetensors file, written atomically. Knows nothing of training.

The file is written beside its place, flushed to the disk, and then takes the place of the one before in one step.
"""

import time
import zlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import jax
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from daxlab.atomic import atomic_write
from daxlab.errors import InputError

FORMAT = "daxlab checkpoint 1"


class Damaged(InputError):
    """A file that is not a checkpoint of this stack, or is damaged; `what` says how."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: delete it to train these runs from their start")
        self.what = what


def write(path: Path, digest: str, tree: Any) -> None:
    """Write a pytree of arrays, with the digest of the stack it belongs to."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    tensors = {jax.tree_util.keystr(place): np.array(leaf, order="C") for place, leaf in leaves}
    data = save(tensors, metadata={"format": FORMAT, "digest": digest, "sum": _sum(tensors)})
    atomic_write(path, data)


def read(path: Path, digest: str, like: Any) -> Any:
    """Read what `write` wrote for the stack of this digest, as a pytree like `like`; else raise Damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise Damaged(f"{path} is not a whole checkpoint ({error})") from error
    except OSError as error:  # a disk that does not answer says nothing of the file
        raise InputError(f"cannot read the checkpoint {path}: {error.strerror or error}") from error
    if about.get("format") != FORMAT:
        raise Damaged(f"{path} is not a checkpoint of daxlab's")
    if about.get("digest") != digest:
        raise Damaged(f"{path} is a checkpoint of another group of runs")
    leaves, shape = jax.tree_util.tree_flatten_with_path(like)
    names = [jax.tree_util.keystr(place) for place, _ in leaves]
    if set(names) != set(tensors) or any(
        (tensors[name].dtype, tensors[name].shape[1:]) != (leaf.dtype, leaf.shape[1:])  # the first axis may grow
        for name, (_, leaf) in zip(names, leaves, strict=True)
    ):
        raise Damaged(f"{path} does not hold the arrays of this group of runs")
    if "sum" in about and about["sum"] != _sum(tensors):
        raise Damaged(f"{path} is not what was written (its checksum is another)")
    return jax.tree_util.tree_unflatten(shape, [np.array(tensors[name]) for name in names])


def _sum(tensors: Mapping[str, NDArray[Any]]) -> str:
    """A checksum of all bytes, to detect disk errors, which safetensors does not."""
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(np.ascontiguousarray(tensors[name]).data, total)
    return f"crc32 {total:08x}"


class Saver:
    """Writes checkpoints in the background; on exit it waits for the last one."""

    def __init__(self, path: Path | None, digest: str, every: float) -> None:
        self._path, self._digest, self._every = path, digest, every
        self._next = time.monotonic() + every
        self._disk = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def due(self) -> bool:
        """Whether it is time for a checkpoint: every so many seconds, less often if writing slows training down."""
        return time.monotonic() >= self._next

    def save(self, tree: Any) -> None:
        """Copy the state, and write the copy once the previous checkpoint is written."""
        if self._path is None:
            return
        began = time.monotonic()
        copy = jax.tree.map(np.array, tree)
        if self._last is not None:
            self._last.result()  # a disk that is full is heard of here
        self._last = self._disk.submit(write, self._path, self._digest, copy)
        self._next = time.monotonic() + max(self._every, 20 * (time.monotonic() - began))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._disk.shutdown()
        if kind is None and self._last is not None:
            self._last.result()
