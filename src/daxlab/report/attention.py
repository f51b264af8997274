"""Attention maps: which words of a command a network looked at, action by action. One as a file, some for the page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from daxlab.errors import InputError
from daxlab.report.drawing import INK, MUTED, OURS, WIDTH, Picture, picture, short, style
from daxlab.runs import Ledger

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STEPS = 12
PANELS = 3  # side by side
HEAD, STEP, WORD, NAMES = 50, 14, 19, 38  # pixels: the words above a map, a row of it, a column, the actions beside it
Map = tuple[Sequence[str], Sequence[str], Sequence[Sequence[float]]]  # actions given, words, weights [actions, words]


def draw(weights: NDArray | None, words: Sequence[str], steps: Sequence[str], path: Path) -> None:  # type: ignore[type-arg]
    """Draws weights [steps, words] into a file, in the format that its name says."""
    import matplotlib as mpl  # slow to load
    from matplotlib.figure import Figure

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


def picture_of(ledger: Ledger, keys: Sequence[str], name: str) -> Picture | None:
    """Where the median run looked when it was asked the named commands; None if it left no attention."""
    from daxlab.analysis.accuracy import median_run  # the analyses are slow to load
    from daxlab.analysis.attention import attention

    key = median_run(ledger, keys)
    frame = attention(ledger, key)
    if frame.is_empty():
        return None
    (row,) = ledger.rows({"key": key})
    maps = maps_of(frame)
    caption = (
        f"Median run, seed {row['seed']}. Rows are the actions it gave (the first {MOST_STEPS}), columns the words; "
        "the fuller, the more weight."
    )
    label = f"Attention maps for {', '.join(maps)}"
    return picture(panels(maps), name, "Where it looked.", caption, label, frame)


def maps_of(frame: "pl.DataFrame") -> dict[str, Map]:
    """By command."""
    return {rows["command"][0]: _map(rows) for rows in frame.partition_by("command", maintain_order=True)}


def _map(rows: "pl.DataFrame") -> Map:
    steps = rows.partition_by("step", maintain_order=True)
    return [one["action"][0] for one in steps], steps[0]["word"].to_list(), [one["weight"].to_list() for one in steps]


def panels(maps: Mapping[str, Map], across: int = PANELS, names: int = NAMES) -> "Figure":
    """A small map per command, so many in a row; `names`: the room for the actions beside a map."""
    from matplotlib.figure import Figure  # slow to load

    rows = [list(maps.values())[n : n + across] for n in range(0, len(maps), across)]
    heights = [HEAD + STEP * max(min(len(steps), MOST_STEPS) for steps, _, _ in row) for row in rows]
    whole = sum(heights)
    with style():
        figure = Figure(figsize=(WIDTH / 72, whole / 72))
        for n, row in enumerate(rows):
            top = whole - sum(heights[:n]) - HEAD
            for column, (steps, words, weights) in enumerate(row):
                wide, high = WORD * len(words), STEP * min(len(steps), MOST_STEPS)
                left = column * WIDTH / across + names
                axes = figure.add_axes((left / WIDTH, (top - high) / whole, wide / WIDTH, high / whole))
                _panel(axes, steps[:MOST_STEPS], words, weights[:MOST_STEPS])
        return figure


def _panel(axes: "Axes", steps: Sequence[str], words: Sequence[str], weights: Sequence[Sequence[float]]) -> None:
    from matplotlib.patches import Rectangle  # slow to load

    for step, looked in enumerate(weights):
        for word, weight in enumerate(looked):
            axes.add_patch(Rectangle((word, step), 0.92, 0.9, color=OURS, alpha=0.05 + 0.9 * weight, linewidth=0))
    axes.set_xlim(0, len(words))
    axes.set_ylim(len(steps), 0)
    axes.set_xticks([n + 0.3 for n in range(len(words))], list(words), rotation=45, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks([n + 0.45 for n in range(len(steps))], [short(step) for step in steps])
    axes.tick_params(length=0, labelcolor=INK, pad=1, labelsize=10)
    axes.tick_params(axis="y", labelcolor=MUTED, labelsize=9)
    for spine in axes.spines.values():
        spine.set_visible(False)
