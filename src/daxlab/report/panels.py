"""The two forms in which a search over architectures is seen: small multiples, and what each value is worth.

Draws rows as analyses return them. Knows the axes of a search, nothing of experiments or of what the paper found.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from daxlab.report.drawing import INK, MUTED, OTHER, OURS, PAGE, RULE, THIRD, WIDTH, style
from daxlab.report.figures import DIAMOND
from daxlab.report.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
Axis = Mapping[str, Sequence[Any]]
NAMES = {"hidden": "hidden units"}
CELLS = {"srn": (THIRD, "s", "■"), "lstm": (OURS, "o", "●"), "gru": (OTHER, "^", "▲")}
LAYERS = {1: "one layer", 2: "two layers"}
HIGH, GAP, TOP, BOTTOM, LEFT, BETWEEN = 104.0, 34.0, 72.0, 42.0, 38.0, 14.0  # pixels of a panel and around it
VALUE, HEADING, APART = 18.0, 18.0, 8.0  # pixels of a value's line, of an axis's name, and below its last value


@dataclass(frozen=True)
class Marked:
    """A network that somebody chose, and the figure that was stated for it."""

    network: str
    stated: float | None


def panels(rows: Sequence[Row], axes: Axis, marked: Sequence[Marked]) -> "Figure":
    """Accuracy by hidden units; a panel for each number of layers (across) and dropout (down).

    A line for each cell, with attention and without; every run a faint dot. Marked networks have a ring around their
    mean, and what was stated of them is a diamond.
    """
    from matplotlib.figure import Figure  # slow to load

    down, across = axes["dropout"], axes["layers"]
    height = TOP + len(down) * HIGH + (len(down) - 1) * GAP + BOTTOM
    wide = (WIDTH - LEFT - 4 - BETWEEN * (len(across) - 1)) / len(across)
    top = _top(max([value for row in rows for value in row["accuracies"]] + [one.stated or 0 for one in marked]))
    roots = skewed([row["mean"] for row in rows], [row["accuracies"] for row in rows])
    with style():
        figure = Figure(figsize=(WIDTH / 72, height / 72))
        for n, dropout in enumerate(down):
            for m, layers in enumerate(across):
                left, low = LEFT + m * (wide + BETWEEN), BOTTOM + (len(down) - 1 - n) * (HIGH + GAP)
                panel = figure.add_axes((left / WIDTH, low / height, wide / WIDTH, HIGH / height))
                some = [row for row in rows if row["layers"] == layers and row["dropout"] == dropout]
                _panel(panel, some, axes["hidden"], marked)
                _scale(panel, top, axes["hidden"], first=m == 0, last=n == len(down) - 1, roots=roots)
                name = f"{LAYERS.get(layers, f'{layers} layers')}, dropout {dropout:g}"
                _say(panel, name, (0, 1), (0, 8), color=INK if some else MUTED, fontsize=11)
        middle = (LEFT + WIDTH - 4) / 2 / WIDTH
        figure.text(middle, 4 / height, "hidden units", ha="center", color=MUTED, fontsize=11.5)
        _panels_key(figure, height)
        return figure


def _panel(panel: "Axes", rows: Sequence[Row], hidden: Sequence[int], marked: Sequence[Marked]) -> None:
    place = {units: n for n, units in enumerate(hidden)}
    kinds = [(cell, attention) for cell in CELLS for attention in (False, True)]
    for n, (cell, attention) in enumerate(kinds):
        shift = 0.1 * (n - (len(kinds) - 1) / 2)
        some = {place[row["hidden"]]: row for row in rows if row["cell"] == cell and row["attention"] == attention}
        color, marker, _ = CELLS[cell]
        _dots(panel, [(x + shift, value) for x, row in some.items() for value in row["accuracies"]], color)
        means = [some[x]["mean"] if x in some else float("nan") for x in range(len(hidden))]
        panel.plot([x + shift for x in range(len(hidden))], means, color=color, linewidth=1.2, marker=marker,
                   markersize=3.6, linestyle="-" if attention else (0, (2.2, 2.2)), markeredgewidth=1,
                   markerfacecolor=color if attention else PAGE, zorder=3, clip_on=False)  # fmt: skip
        for one in marked:
            for x, row in some.items():
                if row["network"] == one.network:
                    _mark(panel, x + shift, row["mean"], one.stated)


def _dots(axes: "Axes", points: Sequence[tuple[float, float]], color: str, width: float = 2.8) -> None:
    """Many dots as one path of lines without length, whose round ends are seen: a tenth of the bytes."""
    if not points:
        return
    gap = float("nan")
    xs, ys = ([one for point in points for one in (point[n], point[n], gap)] for n in (0, 1))
    (line,) = axes.plot(xs, ys, color=color, linewidth=width, alpha=0.42, solid_capstyle="round", clip_on=False)
    line.get_path().should_simplify = False


def _mark(panel: "Axes", x: float, mean: float, stated: float | None) -> None:
    panel.plot(x, mean, marker="o", markersize=12, markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.1,
               zorder=6, clip_on=False)  # fmt: skip
    if stated is not None:
        panel.plot(x, stated, **DIAMOND | {"markersize": 5})


def _scale(panel: "Axes", top: float, hidden: Sequence[int], *, first: bool, last: bool, roots: bool) -> None:
    """One scale for all panels; numbers at the left and at the bottom only."""
    ticks = _root_ticks(top) if roots else _ticks(top)
    if roots:
        panel.set_yscale("function", functions=(_root, _square))
    panel.set_ylim(0 if roots else -0.02 * top, 1.04 * top)
    names = [f"{tick:g}{'%' if tick == ticks[-1] else ''}" for tick in ticks]
    panel.set_yticks(ticks, names if first else [""] * len(ticks))
    panel.grid(axis="y", color=RULE, linewidth=0.8)
    panel.spines["left"].set_visible(False)
    panel.set_xlim(-0.45, len(hidden) - 0.55)
    panel.set_xticks(range(len(hidden)), [str(units) for units in hidden] if last else [""] * len(hidden))
    panel.tick_params(axis="both", labelsize=10.5)


def skewed(means: Sequence[float], runs: Sequence[Sequence[float]]) -> bool:
    """Whether most architectures would lie at the bottom of a scale that has room for the best run."""
    return sorted(means)[len(means) // 2] < 0.2 * max(value for some in runs for value in some)


def _top(most: float) -> float:
    """Where a scale of accuracies ends: at 100 where they come near it, else at the greatest."""
    return 100.0 if most > 70 else max(most * 1.05, 0.1)


def _ticks(top: float) -> list[float]:
    from matplotlib.ticker import MaxNLocator  # slow to load

    return [0, 25, 50, 75, 100] if top == 100 else [t for t in MaxNLocator(4).tick_values(0, top) if 0 <= t <= top]


def _panels_key(figure: "Figure", height: float) -> None:
    """Two lines above the panels: the cells in their colours, and how attention is drawn."""
    at = 6.0
    for cell, (color, _, sign) in CELLS.items():
        figure.text(at / WIDTH, 1 - 14 / height, f"{sign} {cell.upper()}", color=color)
        at += 34 + 9 * len(cell)
    figure.text(6 / WIDTH, 1 - 33 / height, "solid, filled: with attention", color=MUTED, fontsize=11)
    figure.text(WIDTH / 2 / WIDTH, 1 - 33 / height, "dashed, hollow: without", color=MUTED, fontsize=11)


def _root_ticks(top: float) -> list[float]:
    """Round numbers that stand apart on a scale of square roots."""
    found: list[float] = []
    for tick in (50, 25, 10, 5, 2.5, 1, 0.5, 0.25, 0.1, 0.05, 0.01):
        if tick <= top and (not found or sqrt(found[-1]) - sqrt(tick) > 0.2 * sqrt(top)):
            found.append(tick)
    if len(found) > 1 and sqrt(found[-1]) < 0.2 * sqrt(top):  # too near to 0
        found.pop()
    return [0, *reversed(found)]


def _root(values: Any) -> Any:
    return np.sign(values) * np.sqrt(np.abs(values))


def _square(values: Any) -> Any:
    return np.sign(values) * values**2


def worth(rows: Sequence[Row]) -> "Figure":
    """A line for each value of each axis: every matched architecture a faint dot, their mean, and its interval."""
    from matplotlib.figure import Figure  # slow to load

    places, length = _places(rows)
    height = 26 + length
    top = _top(max([value for row in rows for value in (*row["means"], row["mean"])], default=1.0))
    with style():
        figure = Figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes((66 / WIDTH, 26 / height, (WIDTH - 66 - 54) / WIDTH, length / height))
        for y, said in places.items():
            if isinstance(said, str):
                _say(axes, said, (0, y), (-60, 0), coords=("axes fraction", "data"), va="center", color=MUTED)
            else:
                _value(axes, y, said)
        axes.set_xlim(0, top)
        axes.set_ylim(length, 0)
        axes.set_yticks([])
        ticks = _ticks(top)
        axes.set_xticks(ticks, [f"{tick:g}%" if tick == ticks[-1] else f"{tick:g}" for tick in ticks])
        axes.grid(axis="x", color=RULE, linewidth=0.8)
        axes.tick_params(axis="x", length=0)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        return figure


def _places(rows: Sequence[Row]) -> tuple[dict[float, str | Row], float]:
    """Where each axis's name and each value's line goes, from the top, in pixels; and where all ends."""
    found: dict[float, str | Row] = {}
    at = 0.0
    for axis, values in groupby(rows, lambda row: str(row["axis"])):
        found[at + HEADING / 2] = NAMES.get(axis, axis)
        at += HEADING
        for row in values:
            found[at + VALUE / 2] = row
            at += VALUE
        at += APART
    return found, at


def _value(axes: "Axes", y: float, row: Row) -> None:
    axes.plot([0, 1], [y, y], color=RULE, linewidth=1, zorder=0, transform=axes.get_yaxis_transform())
    _dots(axes, [(mean, y) for mean in row["means"]], OURS, 4.4)
    if row["low"] is not None:
        ends = [max(row["low"], 0), min(row["high"], 100)]
        axes.plot(ends, [y, y], color=OURS, linewidth=8, alpha=0.42, solid_capstyle="butt")
    axes.plot(row["mean"], y, marker="|", color=OURS, markersize=13, markeredgewidth=2.2, clip_on=False, zorder=5)
    beside: dict[str, Any] = {"coords": ("axes fraction", "data"), "va": "center_baseline", "fontsize": 11.5}
    _say(axes, str(row["value"]), (0, y), (-8, 0), ha="right", color=INK, **beside)
    _say(axes, percent(row["mean"]), (1, y), (48, 0), ha="right", color=OURS, **beside)


def _say(axes: "Axes", said: str, at: tuple[float, float], by: tuple[float, float], *,
         coords: Any = "axes fraction", **how: Any) -> None:  # fmt: skip
    axes.annotate(said, at, by, xycoords=coords, textcoords="offset points", annotation_clip=False, **how)
