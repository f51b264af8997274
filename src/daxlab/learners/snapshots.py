"""Weights on the way: at some points of training those of a whole stack, kept beside its checkpoint until it ends.

Whoever resumes finds what was taken before. Knows nothing of how networks train.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load, save

from daxlab import engine
from daxlab.atomic import atomic_write
from daxlab.networks import Network


def points(count: int, updates: int) -> list[int]:
    """So many points of training, evenly on a log scale from the first chunk of updates to before the end; fewer where
    two would fall into one chunk."""
    first = engine.WINDOW
    scale = (first * (updates / first) ** (n / count) for n in range(count))
    return sorted({at for point in scale if (at := first * max(1, round(point / first))) < updates})


class Snapshots:
    """The snapshots of one stack. `beside`: its checkpoint; None: they are kept in memory."""

    def __init__(self, count: int, updates: int, beside: Path | None) -> None:
        self.points, self.beside = frozenset(points(count, updates)), beside
        self.taken: dict[int, bytes] = {}

    def take(self, update: int, networks: Network) -> None:
        """Keep the weights of a stack after an update, if it is one of the points."""
        if update not in self.points:
            return
        content = engine.dump_weights(networks)
        if self.beside is None:
            self.taken[update] = content
        else:
            atomic_write(self.beside.with_suffix(f".at-{update}.safetensors"), content)

    def of(self, member: int) -> Mapping[int, bytes]:
        """The weights of one network by update, those too that were taken before training was resumed."""
        if not self.points:
            return {}
        stacks = {update: load(content) for update, content in (self.taken | self._kept()).items()}
        return {
            update: save({name: np.ascontiguousarray(array[member]) for name, array in stack.items()})
            for update, stack in sorted(stacks.items())
        }

    def _kept(self) -> dict[int, bytes]:
        if self.beside is None:
            return {}
        kept = {}
        for path in self.beside.parent.glob(f"{self.beside.stem}.at-*.safetensors"):
            if match := re.fullmatch(r".*\.at-(\d+)\.safetensors", path.name):
                kept[int(match[1])] = path.read_bytes()
        return kept
