"""Arrays in safetensors files: checkpoints of a stack in training, and the weights of one trained network.

A checkpoint is written atomically, so that there is always a whole one. Knows nothing of training.
"""

import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, save

from daxlab.atomic import atomic_write
from daxlab.errors import InputError
from daxlab.networks.contract import Make, Network

FORMAT = "daxlab checkpoint 1"


class Damaged(InputError):
    """A file that is not a checkpoint of this stack, or is damaged; `what` says how."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: delete it to train these runs from their start")
        self.what = what


def write(path: Path, digest: str, tree: Any) -> None:
    """Write a checkpoint: a pytree of arrays, with the digest of the stack it belongs to."""
    tensors = _by_name(tree)
    atomic_write(path, save(tensors, metadata={"format": FORMAT, "digest": digest, "sum": _sum(tensors)}))


def read(path: Path, digest: str, like: Any) -> Any:
    """Read what `write` wrote for the stack of this digest, as a pytree like `like`; else raise Damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise Damaged(f"{path} is not a whole checkpoint ({error})") from error
    except OSError as error:  # if the disk does not answer, the file may still be good
        raise InputError(f"cannot read the checkpoint {path}: {error.strerror or error}") from error
    if about.get("format") != FORMAT:
        raise Damaged(f"{path} is not a checkpoint of daxlab's")
    if about.get("digest") != digest:
        raise Damaged(f"{path} is a checkpoint of another group of runs")
    tree = _filled(like, tensors, from_axis=1)  # the first axis of a history grows
    if tree is None:
        raise Damaged(f"{path} does not hold the arrays of this group of runs")
    if "sum" in about and about["sum"] != _sum(tensors):
        raise Damaged(f"{path} is not what was written (its checksum is another)")
    return tree


@contextmanager
def checkpoints(path: Path | None, digest: str, every: float) -> Iterator[Callable[[Any, bool], None]]:
    """A function that writes checkpoints in the background; on exit it waits for the last one.

    It writes one every so many seconds, less often if writing slows training down, and whenever it is told to.
    """
    due, last = time.monotonic() + every, Future[None]()
    last.set_result(None)

    def save_if_due(tree: Any, now: bool) -> None:
        nonlocal due, last
        began = time.monotonic()
        if path is None or not (now or began >= due):
            return
        copy = jax.tree.map(np.array, tree)
        last.result()  # waits for the previous checkpoint, and raises its error if the disk is full
        last = disk.submit(write, path, digest, copy)
        due = time.monotonic() + max(every, 20 * (time.monotonic() - began))

    with ThreadPoolExecutor(1) as disk:
        yield save_if_due
        last.result()


def dump_weights(network: Network) -> bytes:
    """The arrays of one network as the bytes of a file."""
    return save(_by_name(eqx.filter(network, eqx.is_array)))


def load_weights(path: Path, make: Make) -> Network:
    """The network whose arrays a file holds, as a stack of one; `make` says what kind of network it is."""
    try:
        tensors = load(path.read_bytes())
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"the weights in {path} cannot be read: {error}") from None
    network = eqx.filter_eval_shape(make, jax.random.key(0))
    shapes, others = eqx.partition(network, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    arrays = _filled(shapes, tensors)
    if arrays is None:
        raise InputError(f"{path} holds the weights of another kind of network")
    return eqx.combine(jax.tree.map(lambda array: jnp.asarray(array)[None], arrays), others)


def _by_name(tree: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a pytree by their paths in it."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(place): np.asarray(leaf, order="C") for place, leaf in leaves}


def _filled(like: Any, tensors: Mapping[str, NDArray[Any]], from_axis: int = 0) -> Any:
    """A pytree of these arrays; None unless names, types and shapes (from an axis on) are those of `like`."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    expected = {jax.tree_util.keystr(place): (leaf.dtype, leaf.shape[from_axis:]) for place, leaf in leaves}
    if expected != {name: (tensor.dtype, tensor.shape[from_axis:]) for name, tensor in tensors.items()}:
        return None
    return jax.tree_util.tree_unflatten(structure, [np.array(tensors[name]) for name in expected])


def _sum(tensors: Mapping[str, NDArray[Any]]) -> str:
    """A checksum of all bytes, to detect disk errors, which safetensors does not."""
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(np.ascontiguousarray(tensors[name]).data, total)
    return f"crc32 {total:08x}"
