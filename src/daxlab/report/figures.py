"""The forms that figures take: runs on a line, curves, bars, columns, a matrix, learning curves, attention maps.

Each draws rows as analyses return them (mean, sem, low, high, accuracies), and labels the figure with its numbers. The
paper's figures are hollow diamonds, ours are dots. Knows nothing of experiments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from daxlab.errors import InputError
from daxlab.report.drawing import COLOR, WIDTH, axes_at, bare, canvas, labelled, percent_axis, say, short
from daxlab.report.text import percent

Numbers = Mapping[str, Any]  # a row with mean, sem, low, high, accuracies
DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 6, "markerfacecolor": "none", "markeredgecolor": COLOR.paper}
DIAMOND |= {"markeredgewidth": 1.5, "linestyle": "none", "zorder": 5, "clip_on": False}
PIXELS_A_LETTER = 5.6
BAR, LINE = 23, 44  # pixels that a horizontal bar takes with the gap below it, and a line of runs with its label
STEPS, ACROSS = 12, 3  # of an attention map, the steps shown; how many maps stand side by side
HEAD, STEP, WORD = 50, 14, 19  # pixels: the words above a map, a row of it, a column


def lines(given: Sequence[tuple[str, Numbers | None, float | None]]) -> Figure:
    """A line from 0 to 100 for each label with its runs, if there are any, and the paper's figure, if it states one."""
    figure, axes = canvas(LINE * len(given) + 30, left=10, right=18, top=4, bottom=26)
    said = {}
    for place, (label, row, paper) in enumerate(given):
        mean = "not measured" if row is None else percent(row["mean"])
        said[label] = mean + ("" if paper is None else f", paper {paper:g}")
        axes.plot([0, 100], [place, place], color=COLOR.rule, linewidth=1, zorder=0)
        say(axes, label, (0, place), (0, 10), coords="data", color=COLOR.ink if row else COLOR.muted)
        say(axes, mean, (100, place), (0, 10), coords="data", color=COLOR.ours if row else COLOR.muted, ha="right")
        if row:
            spread(axes, place, row["accuracies"], row)
        if paper is not None:
            axes.plot(paper, place, **DIAMOND)
    axes.set_xlim(0, 100)
    axes.set_ylim(len(given) - 0.62, -0.62)
    axes.set_yticks([])
    axes.set_xticks([0, 25, 50, 75, 100], ["0%", "25", "50", "75", "100%"])
    axes.tick_params(axis="x", length=0)
    bare(axes)
    return labelled(figure, said)


def spread(axes: Axes, y: float, values: Sequence[float], row: Numbers) -> None:
    """Every value a faint dot, their mean a stroke, its interval a band."""
    dots(axes, [(value, y) for value in values], COLOR.ours, 4.4)
    if row["low"] is not None:
        ends = [max(row["low"], 0), min(row["high"], 100)]  # beyond these there is no accuracy to draw
        axes.plot(ends, [y, y], color=COLOR.ours, linewidth=8, alpha=0.3, solid_capstyle="butt")
    axes.plot(row["mean"], y, marker="|", color=COLOR.ours, markersize=13, markeredgewidth=2.2, clip_on=False, zorder=5)


def dots(axes: Axes, points: Sequence[tuple[float, float]], color: str, width: float = 4) -> None:
    """Many dots as one path of lines without length, whose round ends are seen: a tenth of the bytes."""
    if points:
        xs, ys = ([value for point in points for value in (point[n], point[n], float("nan"))] for n in (0, 1))
        (path,) = axes.plot(xs, ys, color=color, linewidth=width, alpha=0.42, solid_capstyle="round", clip_on=False)
        path.get_path().should_simplify = False


@dataclass(frozen=True)
class Series:
    """A curve: rows of numbers, each at its place on the horizontal axis."""

    label: str
    rows: Sequence[Numbers]
    at: Sequence[int]
    color: str = COLOR.ours


def curve(series: Sequence[Series], ticks: Sequence[str], title: str, paper: Mapping[int, float] | None = None, *,
          paper_label: str = "paper") -> Figure:  # fmt: skip
    """Means with standard errors over evenly spaced places, every run beside its mean, the paper's as diamonds."""
    figure, axes = canvas(250, left=34, right=6, top=34, bottom=44)
    for number, one in enumerate(series):
        at = [x + 0.12 * (number - (len(series) - 1) / 2) for x in one.at]
        dots(axes, [(x + 0.16, v) for x, row in zip(at, one.rows, strict=True) for v in row["accuracies"]], one.color)
        means = [row["mean"] for row in one.rows]
        axes.plot(at, means, color=one.color, linewidth=1.4, marker="o", markersize=5)
        sems = [float("nan") if row["sem"] is None else row["sem"] for row in one.rows]
        axes.errorbar(at, means, yerr=sems, fmt="none", ecolor=one.color, elinewidth=1.4, capsize=3)
    places = sorted((paper or {}).items())
    axes.plot([x for x, _ in places], [y for _, y in places], **DIAMOND)
    _key(axes, [(f"● {one.label}", one.color) for one in series] + [(f"◇ {paper_label}", COLOR.paper)] * bool(places))
    percent_axis(axes)
    axes.set_xlim(-0.5, len(ticks) - 0.5)
    step = 1 if len(ticks) <= 16 else len(ticks) // 8  # as many as there is room for
    axes.set_xticks(range(0, len(ticks), step), ticks[::step])
    axes.set_xlabel(title)
    points = [(one.label, ticks[x], row) for one in series for x, row in zip(one.at, one.rows, strict=True)]
    return labelled(figure, {"by": title, **{f"{name}, {x}": percent(row["mean"]) for name, x, row in points}})


def _key(axes: Axes, named: Sequence[tuple[str, str]], at: float = -28) -> None:
    """What the colours are, in their own colours, on one line above the axes."""
    for name, color in named:
        say(axes, name, (0, 1), (at, 16), color=color)
        at += 24 + 6.4 * len(name)


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: a percentage, its interval if it has one, and what is written beside it."""

    label: str
    percent: float
    note: str
    low: float | None = None
    high: float | None = None


def share_bar(label: str, count: float, of: float) -> Bar:
    """A bar for so many of so many."""
    return Bar(label, 100 * count / of, f"{count:,.1f}".removesuffix(".0") + f" of {of:,}")


def bars(given: Sequence[Bar], *, room: float = 156) -> Figure:
    """Horizontal bars in the order given, each as full as its share; `room` is for the labels."""
    right = 12 + 6.6 * max(len(bar.note) for bar in given)
    figure, axes = canvas(BAR * len(given) + 12, left=room, right=right, top=4, bottom=8)
    for place, bar in enumerate(given):
        axes.barh(place, 100, height=0.6, color=COLOR.rule, alpha=0.6)
        axes.barh(place, bar.percent, height=0.6, color=COLOR.ours, alpha=1 if bar.low is None else 0.55)
        if bar.low is not None and bar.high is not None:
            axes.plot([max(bar.low, 0), min(bar.high, 100)], [place, place], color=COLOR.ink, linewidth=1.6)
        say(axes, bar.note, (1, place), (7, 0), coords=("axes fraction", "data"), va="center_baseline", fontsize=11,
            color=COLOR.muted)  # fmt: skip
    _rows(axes, [short(bar.label, int(room / PIXELS_A_LETTER)) for bar in given], 100)
    axes.tick_params(axis="y", labelcolor=COLOR.ink)
    return labelled(figure, {bar.label: bar.note for bar in given})


def _rows(axes: Axes, labels: Sequence[str], right: float) -> None:
    """Bars below one another, with their labels and without lines around them."""
    axes.set_xlim(0, right)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xticks([])
    bare(axes)


def stacked(rows: Mapping[str, Sequence[float]], parts: Mapping[str, str]) -> Figure:
    """A bar for each row, its parts beside each other; `parts` have a name and a colour."""
    figure, axes = canvas(BAR * len(rows) + 46, left=52, right=6, top=34, bottom=8)
    for place, values in enumerate(rows.values()):
        start = 0.0
        for value, color in zip(values, parts.values(), strict=True):
            axes.barh(place, value, left=start, height=0.62, color=color, alpha=0.45)
            if value > 0.08 * sum(values):  # where there is room for it; the data has all
                middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9.5, "clip_on": True}
                axes.text(start + value / 2, place, f"{value:,.0f}", color=COLOR.ink, **middle)
            start += value
    _key(axes, [(f"■ {name}", color) for name, color in parts.items()], at=-46)
    _rows(axes, list(rows), max(map(sum, rows.values()), default=1) or 1)
    return labelled(figure, {" / ".join(parts): "", **{row: " / ".join(map(str, rows[row])) for row in rows}})


def columns(counts: Mapping[int, float], title: str) -> Figure:
    """A count at each place."""
    figure, axes = canvas(200, left=44, right=6, top=12, bottom=44)
    axes.bar(list(counts), list(counts.values()), width=0.8, color=COLOR.ours)
    axes.set_xlim(0.4, max(10, *counts) + 0.6)
    bare(axes, "left")
    axes.grid(axis="y", color=COLOR.rule, linewidth=0.8)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_xlabel(title)
    return labelled(figure, {title: "", **{str(at): count for at, count in list(counts.items())[:12]}})


def matrix(rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[str, str], float]) -> Figure:
    """Cells as dark as their share of the greatest; the columns' names above them."""
    cell = min(36.0, (WIDTH - 86) / max(len(columns), 1))
    figure, axes = canvas(26.0 * len(rows) + 70, left=76, right=WIDTH - 76 - cell * len(columns), top=62, bottom=8)
    most = max(values.values(), default=0) or 1
    for (row, column), value in values.items():
        x, y = columns.index(column), rows.index(row)
        axes.add_patch(Rectangle((x, y), 0.94, 0.94, color=COLOR.ours, alpha=0.05 + 0.45 * value / most, linewidth=0))
        if value:
            axes.text(x + 0.47, y + 0.47, f"{value:,.0f}", ha="center", va="center_baseline", fontsize=10)
    _grid(axes, [short(name) for name in columns], [short(name) for name in rows], 0.47, 3)
    worst = sorted(values.items(), key=lambda item: -item[1])[:5]
    return labelled(figure, {f"{short(row)} as {short(column)}": count for (row, column), count in worst})


def _grid(axes: Axes, across: Sequence[str], down: Sequence[str], middle: float, pad: float) -> None:
    """The names of columns, above them, and of rows; no lines."""
    axes.set_xlim(0, len(across))
    axes.set_ylim(len(down), 0)
    axes.set_xticks([n + middle for n in range(len(across))], across, rotation=45, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks([n + middle for n in range(len(down))], down)
    axes.tick_params(length=0, labelcolor=COLOR.ink, pad=pad)
    bare(axes)


def learning(runs: Sequence[Sequence[Numbers]]) -> Figure:
    """Accuracy on samples of the training and the test set as training goes on, one line a run."""
    figure, axes = canvas(200, left=34, right=44, top=12, bottom=44)
    unit = 1000 if max(row["update"] for rows in runs for row in rows) >= 10_000 else 1
    ends, below = {}, 200.0
    for part, color, width, alpha in (("train", COLOR.other, 1, 0.55), ("test", COLOR.ours, 1.3, 0.85)):
        drawn = [[row for row in rows if row[f"{part}_accuracy"] is not None] for rows in runs]
        for rows in filter(None, drawn):
            accuracies = [row[f"{part}_accuracy"] for row in rows]
            axes.plot([row["update"] / unit for row in rows], accuracies, color=color, linewidth=width, alpha=alpha)
        last = sorted(rows[-1][f"{part}_accuracy"] for rows in drawn if rows)
        if last:  # its name stands at the right end, apart from the other's even where the curves meet
            ends[part] = ", ".join(map(percent, last))
            below = min(last[len(last) // 2], below - 11)
            say(axes, part, (1, below), (5, 0), coords=("axes fraction", "data"), color=color, va="center",
                fontsize=11.5)  # fmt: skip
    percent_axis(axes)
    axes.set_xlabel("thousand updates" if unit > 1 else "updates")
    axes.set_xlim(left=0)
    return labelled(figure, ends)


def attention_maps(frame: pl.DataFrame, across: int = ACROSS, names: int = 38) -> Figure:
    """A small map for each command: its words across, the actions given down; `names`: the room for the actions."""
    maps = [_map(rows) for rows in frame.partition_by("command", maintain_order=True)]
    rows = [maps[n : n + across] for n in range(0, len(maps), across)]
    heights = [HEAD + STEP * max(len(steps) for steps, _, _ in row) for row in rows]
    figure = Figure(figsize=(WIDTH / 72, sum(heights) / 72))
    for n, row in enumerate(rows):
        top = sum(heights[n:]) - HEAD
        for column, (steps, words, weights) in enumerate(row):
            wide, high = WORD * len(words), STEP * len(steps)
            axes = axes_at(figure, column * WIDTH / across + names, top - high, wide, high)
            for step, looked in enumerate(weights):
                for word, weight in enumerate(looked):
                    shade = 0.05 + 0.9 * weight
                    axes.add_patch(Rectangle((word, step), 0.92, 0.9, color=COLOR.ours, alpha=shade, linewidth=0))
            _grid(axes, words, [short(step) for step in steps], 0.4, 1)
            axes.tick_params(labelsize=10)
            axes.tick_params(axis="y", labelcolor=COLOR.muted, labelsize=9)
    return labelled(figure, {"attention maps": ", ".join(frame["command"].unique(maintain_order=True))})


def _map(rows: pl.DataFrame) -> tuple[list[str], list[str], list[list[float]]]:
    """The actions given, the words, and the weights [actions, words]."""
    steps = rows.partition_by("step", maintain_order=True)[:STEPS]
    return [one["action"][0] for one in steps], steps[0]["word"].to_list(), [one["weight"].to_list() for one in steps]


def draw_attention(weights: Any, words: Sequence[str], steps: Sequence[str], path: Path) -> None:
    """Draw the weights [steps, words] of one answer into a file, in the format that its name says."""
    if weights is None:
        raise InputError("this learner has no attention, so there is nothing to draw")
    figure = Figure(figsize=(1.2 + 0.55 * len(words), 1.0 + 0.3 * len(steps)), layout="constrained")
    axes = figure.add_subplot()
    axes.imshow(weights, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(words)), words, rotation=45, ha="left")
    axes.set_yticks(range(len(steps)), steps)
    axes.xaxis.tick_top()
    try:
        with mpl.rc_context({"svg.fonttype": "none"}):  # text stays text
            figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot draw {path}: {error}") from None
