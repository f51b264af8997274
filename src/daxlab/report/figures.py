"""The forms that figures take: runs on a line, curves, bars, learning curves, attention maps.

Each draws rows as analyses return them (mean, sem, low, high, accuracies), and labels the figure with its numbers: on
a figure of the page (`lines`), or on any axes (`draw_lines`, which returns the numbers). The paper's figures are hollow
diamonds, ours are dots. Knows nothing of experiments.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from daxlab.errors import InputError
from daxlab.report.drawing import (
    COLOR,
    SMALL,
    WIDTH,
    PageFigure,
    axes_at,
    bare,
    canvas,
    labelled,
    on_page,
    percent_axis,
    say,
    short,
)
from daxlab.report.inline import tip
from daxlab.report.text import interval, measured, percent

Numbers = Mapping[str, Any]  # a row with mean, sem, low, high, accuracies
Point = tuple[float, float]
Said = dict[str, str]  # what a reader is told who does not see a figure
SERIES = (COLOR.ours, COLOR.other, COLOR.third)  # colours of curves
DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 6, "markerfacecolor": "none", "markeredgecolor": COLOR.paper}
DIAMOND |= {"markeredgewidth": 1.5, "linestyle": "none", "zorder": 5, "clip_on": False}
PIXELS_A_LETTER = 5.6
BAR = 23  # pixels that a horizontal bar takes with the gap below it
MOST_TIPS = 40  # on the learning curves of a figure
DOT, CELL, HEADING = 26, 84, 36  # pixels of a matrix: the largest dot, a row with its label, the names of the columns
STEPS, ACROSS, NAMES = 12, 2, 56  # of an attention map, the steps shown; maps side by side; pixels for the actions
HEAD, STEP, WORD = 56, 15, 18  # pixels: the words above a map, a row of it, a column


def lines(
    rows: Mapping[str, tuple[Numbers | None, float | None]],
    ticks: Sequence[float] = (0, 25, 50, 75, 100),
    top: float = 100,
    height: float = 44,
) -> Figure:
    """A line from 0 to `top` for each label, with its runs and the paper's figure, where there are any.

    `height` is in pixels, of a line with its label.
    """
    figure, axes = canvas(height * len(rows) + 30, left=10, right=18, top=4, bottom=26)
    return labelled(figure, draw_lines(axes, rows, ticks, top))


def draw_lines(
    axes: Axes,
    rows: Mapping[str, tuple[Numbers | None, float | None]],
    ticks: Sequence[float] = (0, 25, 50, 75, 100),
    top: float = 100,
) -> Said:
    """The same on any axes."""
    said = {}
    for place, (label, (row, paper)) in enumerate(rows.items()):
        mean = "not measured" if row is None else percent(row["mean"])
        said[label] = mean + ("" if paper is None else f", paper {paper:g}")
        axes.plot([0, top], [place, place], color=COLOR.rule, linewidth=1, zorder=0)
        say(axes, label, (0, place), (0, 10), coords="data", color=COLOR.ink if row else COLOR.muted)
        say(axes, mean, (top, place), (0, 10), coords="data", color=COLOR.ours if row else COLOR.muted, ha="right")
        if row:
            tip(axes, (0, place + 0.3), f"{label}: {_mean(row)}", to=(top, place - 0.3))
            spread(axes, place, row)
        if paper is not None:
            axes.plot(paper, place, **DIAMOND)
            tip(axes, (paper, place), f"the paper: {paper:g}%")
    axes.set_xlim(0, top)
    axes.set_ylim(len(rows) - 0.62, -0.62)
    axes.set_yticks([])
    axes.set_xticks(ticks, [f"{tick:g}%" if tick in (0, ticks[-1]) else f"{tick:g}" for tick in ticks])
    axes.tick_params(axis="x", length=0)
    bare(axes)
    return said


def _mean(row: Numbers) -> str:
    """A mean with its interval, and of how many runs it is, where the row tells."""
    if "runs" in row:
        return measured(row)
    return f"{percent(row['mean'])}%" + ("" if row["low"] is None else f", 95% interval {interval(row)}")


def spread(axes: Axes, y: float, row: Numbers) -> None:
    """Every value a faint dot, their mean a stroke, its interval a band."""
    dots(axes, [(value, y) for value in row["accuracies"]], COLOR.ours, 4.4)
    for value, seed in zip(row["accuracies"], row.get("seeds") or [None] * len(row["accuracies"]), strict=True):
        tip(axes, (value, y), f"{percent(value)}%" + ("" if seed is None else f", seed {seed}"))
    if row["low"] is not None:
        axes.plot([row["low"], row["high"]], [y, y], color=COLOR.ours, linewidth=8, alpha=0.3, solid_capstyle="butt")
    axes.plot(row["mean"], y, marker="|", color=COLOR.ours, markersize=13, markeredgewidth=2.2, clip_on=False, zorder=5)


def dots(axes: Axes, points: Sequence[tuple[float, float]], color: str, width: float = 4) -> None:
    """Many dots. On the page, one path of lines without length, whose round ends are seen: a tenth of the bytes."""
    if points and not on_page(axes):  # PNGs show no such ends
        axes.plot(*zip(*points, strict=True), "o", color=color, markersize=width, markeredgewidth=0, alpha=0.42)
    elif points:
        xs, ys = ([value for point in points for value in (point[n], point[n], float("nan"))] for n in (0, 1))
        (path,) = axes.plot(xs, ys, color=color, linewidth=width, alpha=0.42, solid_capstyle="round", clip_on=False)
        path.get_path().should_simplify = False


def curve(
    series: Mapping[str, pl.DataFrame], by: str, places: Sequence[int], title: str, paper: Mapping[int, float]
) -> Figure:
    """A curve for each frame over the places that its column `by` names: means with standard errors, and every run.

    Places are evenly spaced. `paper` has the paper's figures by place.
    """
    figure, axes = canvas(250, left=34, right=6, top=34, bottom=44)
    return labelled(figure, draw_curve(axes, series, by, places, title, paper))


def draw_curve(
    axes: Axes,
    series: Mapping[str, pl.DataFrame],
    by: str,
    places: Sequence[int],
    title: str,
    paper: Mapping[int, float],
) -> Said:
    """The same on any axes."""
    said, key = {"by": title}, -28.0
    for number, (label, frame) in enumerate(series.items()):
        color = SERIES[number]
        at = [places.index(value) + 0.12 * (number - (len(series) - 1) / 2) for value in frame[by]]
        runs = zip(at, frame["accuracies"], strict=True)
        dots(axes, [(x + 0.16, accuracy) for x, accuracies in runs for accuracy in accuracies], color)
        axes.plot(at, frame["mean"], color=color, linewidth=1.4, marker="o", markersize=5, clip_on=False)
        for x, row in zip(at, frame.iter_rows(named=True), strict=True):
            tip(axes, (x, row["mean"]), f"{label}, {row[by]:,}: {measured(row)}")
        sems = frame["sem"].fill_null(float("nan"))
        axes.errorbar(at, frame["mean"], yerr=sems, fmt="none", ecolor=color, elinewidth=1.4, capsize=3)
        said |= {f"{label}, {value}": percent(mean) for value, mean in frame[by, "mean"].iter_rows()}
        say(axes, f"● {label}", (0, 1), (key, 16), color=color)
        key += 36 + 6.4 * len(label)
    if paper:
        axes.plot(list(map(places.index, paper)), list(paper.values()), **DIAMOND)
        for place, value in paper.items():
            tip(axes, (places.index(place), value), f"the paper, {place:,}: {value:g}%")
        say(axes, "◇ paper", (0, 1), (key, 16), color=COLOR.paper)
    percent_axis(axes)
    axes.set_xlim(-0.5, len(places) - 0.5)
    step = 1 if len(places) <= 16 else len(places) // 8  # as many as there is room for
    axes.set_xticks(range(0, len(places), step), [f"{place:,}" for place in places[::step]])
    axes.set_xlabel(title)
    return said


def bars(shares: Sequence[tuple[str, float, float]], room: float = 156) -> Figure:
    """Horizontal bars for so many of so many (label, count, of), in this order; `room` is for the labels."""
    right = 12 + 6.6 * max(map(len, _notes(shares)))
    figure, axes = canvas(BAR * len(shares) + 12, left=room, right=right, top=4, bottom=8)
    return labelled(figure, draw_bars(axes, shares, room))


def _notes(shares: Sequence[tuple[str, float, float]]) -> list[str]:
    return [f"{count:,.1f}".removesuffix(".0") + f" of {of:,}" for _, count, of in shares]


def draw_bars(axes: Axes, shares: Sequence[tuple[str, float, float]], room: float = 156) -> Said:
    """The same on any axes."""
    notes = _notes(shares)
    beside: dict[str, Any] = {"coords": ("axes fraction", "data"), "va": "center_baseline", "fontsize": SMALL}
    for place, (_, count, of) in enumerate(shares):
        box(axes, (0, place - 0.3), 100, 0.6, color=COLOR.rule, alpha=0.6)
        box(axes, (0, place - 0.3), 100 * count / of, 0.6, color=COLOR.ours)
        say(axes, notes[place], (1, place), (7, 0), color=COLOR.muted, **beside)
        label = shares[place][0]
        tip(axes, (0, place + 0.4), f"{label}: {notes[place]}, {percent(100 * count / of, 1)}%", to=(100, place - 0.4))
    labels = [label for label, _, _ in shares]
    names = [short(label, int(room / PIXELS_A_LETTER)) for label in labels]
    axes.set_xlim(0, 100)
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.set_xticks([])
    if on_page(axes):  # ticks take several times as long
        axes.set_yticks([])
        for place, name in enumerate(names):
            say(axes, name, (0, place), (-3.5, 0), **(beside | {"ha": "right", "fontsize": 11.5}))
    else:
        axes.set_yticks(range(len(shares)), names)
        axes.tick_params(axis="y", labelcolor=COLOR.ink)
    bare(axes)
    return dict(zip(labels, notes, strict=True))


def box(axes: Axes, at: tuple[float, float], width: float, height: float, **look: Any) -> None:
    """A rectangle. Unlike those of matplotlib's bars it leaves the limits of the axes alone, which takes time."""
    axes.add_artist(Rectangle(at, width, height, linewidth=0, **look))


def matrix(rows: Mapping[str, Sequence[tuple[float | None, float | None]]], columns: Sequence[str]) -> Figure:
    """A dot for each row and column, its area an accuracy: ours filled, the published one a ring; both in numbers.

    A faint ring is 100%. A row's label stands above it; those of columns may have two words, one below the other.
    """
    height, wide, said = HEADING + CELL * len(rows), WIDTH / len(columns), {}
    figure = PageFigure(figsize=(WIDTH / 72, height / 72))
    axes = axes_at(figure, 0, 0, WIDTH, height)
    numbers: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": SMALL}
    for column, name in enumerate(columns):
        place = (wide * (column + 0.5), HEADING / 2)
        axes.text(*place, name.replace(" ", "\n"), color=COLOR.muted, linespacing=0.95, **(numbers | {"va": "center"}))
    for row, (label, cells) in enumerate(rows.items()):
        top = HEADING + CELL * row
        axes.plot([0, WIDTH], [top, top], color=COLOR.rule, linewidth=0.8, clip_on=False)
        axes.text(2, top + 12, short(label, int(WIDTH / PIXELS_A_LETTER)), va="center_baseline", fontsize=11.5)
        for column, (name, (ours, paper)) in enumerate(zip(columns, cells, strict=True)):
            x, y = wide * (column + 0.5), top + 22 + DOT / 2
            if ours is not None:
                ring(axes, x, y, 100, edgecolors=COLOR.rule)
                ring(axes, x, y, ours, color=COLOR.ours)
            if paper is not None:
                ring(axes, x, y, paper, edgecolors=COLOR.paper)
            tip(axes, (x - wide / 2, top + 20), _of_cell(label, name, ours, paper), to=(x + wide / 2, top + CELL - 4))
            axes.text(x, y + DOT / 2 + 10, brief(ours), color=COLOR.muted if ours is None else COLOR.ours, **numbers)
            if paper is not None:
                axes.text(x, y + DOT / 2 + 22, brief(paper), color=COLOR.paper, **numbers)
        pairs = zip(columns, cells, strict=True)
        said[label] = ", ".join(f"{name} {brief(ours)}" for name, (ours, _) in pairs if ours is not None) or "no runs"
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    return labelled(figure, said)


def _of_cell(label: str, name: str, ours: float | None, paper: float | None) -> str:
    said = ["not trained here" if ours is None else f"{percent(ours)}% here"]
    said += [] if paper is None else [f"{paper:g}% published"]
    return f"{label} on {name}: {', '.join(said)}"


def ring(axes: Axes, x: float, y: float, share: float, **how: Any) -> None:
    """A dot whose area is a share of the largest; without `color` only its edge, and of nothing only a point."""
    edge: dict[str, Any] = {"linewidths": 0} if "color" in how else {"facecolors": "none", "linewidths": 1.4}
    axes.scatter([x], [y], s=max(share / 100 * DOT**2, 2.0), clip_on=False, **edge, **how)


def brief(value: float | None) -> str:
    """An accuracy where there is room for three letters.

    >>> brief(99.7), brief(0.08), brief(13.8), brief(None)
    ('>99', '<1', '14', '–')
    """
    return "–" if value is None else percent(value, 0)


def learning(runs: Sequence[Sequence[Numbers]]) -> Figure:
    """Accuracy on samples of the training and the test set as training goes on, one line a run, training's dashed."""
    figure, axes = canvas(222, left=34, right=6, top=34, bottom=44)
    return labelled(figure, draw_learning(axes, runs))


def draw_learning(axes: Axes, runs: Sequence[Sequence[Numbers]]) -> Said:
    """The same on any axes."""
    unit = 1000 if max(row["update"] for rows in runs for row in rows) >= 10_000 else 1
    ends, key = dict[str, str](), -28
    looks: dict[str, dict[str, Any]] = {
        "train": {"color": COLOR.muted, "linestyle": (0, (2.5, 2))},
        "test": {"color": COLOR.ours, "alpha": 0.8},
    }
    for (part, look), sign in zip(looks.items(), ("┄", "─"), strict=True):
        drawn = list(filter(None, (_measured(rows, f"{part}_accuracy") for rows in runs)))
        for line in drawn:
            axes.plot([row["update"] / unit for row in line], [row[f"{part}_accuracy"] for row in line], lw=1.3, **look)
            _tell(axes, line, part, unit, ends=len(runs) * len(line) > MOST_TIPS)
        if drawn:
            ends[part] = ", ".join(percent(line[-1][f"{part}_accuracy"]) for line in drawn)
            say(axes, f"{sign} {part}", (0, 1), (key, 16), color=look["color"])
            key += 60
    percent_axis(axes)
    axes.set_xlabel("thousand updates" if unit > 1 else "updates")
    axes.set_xlim(left=0)
    return ends


def _measured(rows: Sequence[Numbers], column: str) -> list[Numbers]:
    return [row for row in rows if row[column] is not None]


def _tell(axes: Axes, line: Sequence[Numbers], part: str, unit: int, ends: bool) -> None:
    """Tips on a learning curve, or on its end only."""
    for row in line[-1:] if ends else line:
        seed = f", seed {row['seed']}" if "seed" in row else ""
        said = f"{part}, {row['update']:,} updates{seed}: {percent(row[f'{part}_accuracy'])}%"
        tip(axes, (row["update"] / unit, row[f"{part}_accuracy"]), said)


def attention_maps(frame: pl.DataFrame, right: Mapping[str, bool] | None = None) -> Figure:
    """A small map for each command: its words across, the first actions of the answer down.

    `right`: whether the answer to each command is right.
    """
    maps = frame.filter(pl.col("step") <= STEPS).partition_by("command", maintain_order=True)
    height = HEAD + STEP * max(weights["step"].n_unique() for weights in maps)
    tall = ceil(len(maps) / ACROSS) * height
    figure = PageFigure(figsize=(WIDTH / 72, tall / 72))
    axes = axes_at(figure, 0, 0, WIDTH, tall)  # one for all maps: axes and their ticks take most of the time
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(tall, 0)
    axes.set_axis_off()
    for n, weights in enumerate(maps):
        row, column = divmod(n, ACROSS)
        left, top = column * WIDTH / ACROSS + NAMES, row * height + HEAD
        words, actions = _cells(axes, weights, (left, top), (WORD, STEP))
        for place, word in enumerate(words):
            x = left + WORD * (place + 0.4)
            say(axes, word, (x, top), (0, 1), coords="data", rotation=45, va="bottom", fontsize=SMALL)
        beside: dict[str, Any] = {"coords": "data", "ha": "right", "fontsize": SMALL}
        for step, action in enumerate(actions):
            y = top + STEP * (step + 0.4)
            say(axes, action, (left, y), (-1, 0), va="center_baseline", color=COLOR.muted, **beside)
        if right is not None:
            mark, color = ("✓ right", COLOR.good) if right[weights["command"][0]] else ("✗ wrong", COLOR.bad)
            say(axes, mark, (left, top), (-4, 5), color=color, **beside)
    answers = {True: "right", False: "wrong"}
    commands = frame["command"].unique(maintain_order=True)
    said_of = [f"{command} ({answers[right[command]]})" if right else command for command in commands]
    return labelled(figure, {"attention maps": ", ".join(said_of)})


def _cells(axes: Axes, weights: pl.DataFrame, at: Point = (0, 0), cell: Point = (1, 1)) -> tuple[list[str], list[str]]:
    """The map of one command, its upper left corner at a place; its words, and its actions in short."""
    words = weights.filter(step=1)["word"].to_list()
    actions = list(map(short, weights.filter(place=1)["action"]))
    (left, top), (width, height) = at, cell
    for step, place, weight in weights["step", "place", "weight"].iter_rows():
        x, y = left + width * (place - 1), top + height * (step - 1)
        look = {"color": COLOR.ours, "alpha": 0.05 + 0.9 * weight, "clip_on": False}
        box(axes, (x, y), 0.92 * width, 0.9 * height, **look)
        said = f"{actions[step - 1]}: {weight:.2f} at “{words[place - 1]}”"
        tip(axes, (x, y + height), said, to=(x + width, y))
    return words, actions


def draw_map(axes: Axes, weights: pl.DataFrame) -> Said:
    """The map of one command on any axes, as large as its rows and columns say."""
    words, actions = _cells(axes, weights)
    axes.set_xlim(0, len(words))
    axes.set_ylim(len(actions), 0)
    axes.set_xticks([n + 0.4 for n in range(len(words))], words, rotation=45, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks([n + 0.4 for n in range(len(actions))], actions)
    axes.tick_params(length=0, labelcolor=COLOR.ink, labelsize=SMALL, pad=1)
    axes.tick_params(axis="y", labelcolor=COLOR.muted)
    bare(axes)
    return {"attention to": " ".join(words), "answer": " ".join(weights.filter(place=1)["action"])}


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
