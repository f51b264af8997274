"""An attention map: which words of the command a network looked at, action by action."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from numpy.typing import NDArray

from daxlab.errors import InputError


def draw(weights: NDArray | None, words: Sequence[str], steps: Sequence[str], path: Path) -> None:  # type: ignore[type-arg]
    """Draws weights [steps, words] into a file, in the format that its name says."""
    if weights is None:
        raise InputError("this network has no attention, so there is nothing to draw")
    mpl.rcParams["svg.fonttype"] = "none"  # text stays text
    figure = Figure(figsize=(1.2 + 0.55 * len(words), 1.0 + 0.3 * len(steps)), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(weights, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(words)), words, rotation=45, ha="left")
    axes.set_yticks(range(len(steps)), steps)
    axes.xaxis.tick_top()
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot draw {path}: {error}") from None
