"""The forms that figures take: runs on a line, a curve, bars, columns, a matrix, learning curves.

Each takes rows with the columns that analyses return (mean, sem, accuracies, …) and draws them as they are. The paper's
figures are hollow diamonds everywhere, ours are dots. Knows nothing of experiments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daxlab.report.drawing import INK, MUTED, OTHER, OURS, PAPER, RULE, WIDTH, canvas, percent_axis, style
from daxlab.report.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]
DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 6, "markerfacecolor": "none", "markeredgecolor": PAPER,
                           "markeredgewidth": 1.5, "linestyle": "none", "zorder": 5, "clip_on": False}  # fmt: skip
RUNS: dict[str, Any] = {"marker": "o", "markersize": 4, "markeredgewidth": 0, "linestyle": "none", "alpha": 0.45}
BAR = 23  # pixels that a horizontal bar takes, with the gap below it
LINE = 44  # and a line of runs, with its label


@dataclass(frozen=True)
class Line:
    """Some runs of one setting, and the paper's figure for it where there is one."""

    label: str
    runs: Sequence[float] = ()
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    paper: float | None = None


def lines(given: Sequence[Line]) -> "Figure":
    """A line from 0 to 100 for each, its label above it: every run, the interval, the mean, the paper's figure."""
    with style():
        figure, axes = canvas(LINE * len(given) + 30, left=10, right=18, top=4, bottom=26)
        for place, one in enumerate(given):
            axes.plot([0, 100], [place, place], color=RULE, linewidth=1, zorder=0)
            above: dict[str, Any] = {"xytext": (0, 10), "textcoords": "offset points", "va": "baseline", "fontsize": 12}
            axes.annotate(one.label, (0, place), color=MUTED if one.mean is None else INK, **above)
            said = "not measured" if one.mean is None else percent(one.mean)
            axes.annotate(said, (100, place), color=MUTED if one.mean is None else OURS, ha="right", **above)
            if one.low is not None and one.high is not None:
                ends = [max(one.low, 0), min(one.high, 100)]  # beyond these there is no accuracy to draw
                axes.plot(ends, [place, place], color=OURS, linewidth=7, alpha=0.22, solid_capstyle="butt")
            axes.plot(one.runs, [place] * len(one.runs), color=OURS, clip_on=False, **RUNS)
            if one.mean is not None:
                axes.plot(one.mean, place, marker="|", color=OURS, markersize=12, markeredgewidth=2, clip_on=False)
            if one.paper is not None:
                axes.plot(one.paper, place, **DIAMOND)
        _line_axes(axes, len(given))
        return figure


def _line_axes(axes: "Axes", count: int) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(count - 0.62, -0.62)
    axes.set_yticks([])
    axes.set_xticks([0, 25, 50, 75, 100], ["0%", "25", "50", "75", "100%"])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="x", length=0)


@dataclass(frozen=True)
class Series:
    """A curve: rows with `mean`, `sem` and `accuracies`, each at its place on the horizontal axis."""

    label: str
    rows: Rows
    at: Sequence[int]
    color: str = OURS


def curve(
    series: Sequence[Series],
    ticks: Sequence[str],
    title: str,
    paper: Mapping[int, float] | None = None,
    *,
    paper_label: str = "paper",
) -> "Figure":
    """Means with standard errors over evenly spaced places, every run beside its mean, the paper's as diamonds."""
    with style():
        figure, axes = canvas(250, left=34, right=6, top=34, bottom=44)
        for number, one in enumerate(series):
            _curve(axes, one, shift=0.12 * (number - (len(series) - 1) / 2))
        places = sorted((paper or {}).items())
        axes.plot([x for x, _ in places], [y for _, y in places], **DIAMOND)
        named = [(f"● {one.label}", one.color) for one in series]
        _key(axes, named + ([(f"◇ {paper_label}", PAPER)] if places else []))
        percent_axis(axes)
        axes.set_xlim(-0.5, len(ticks) - 0.5)
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_xlabel(title)
        return figure


def _key(axes: "Axes", named: Sequence[tuple[str, str]], at: float = -28) -> None:
    """What the colours are, in their own colours, on one line above the axes."""
    for name, color in named:
        axes.annotate(name, (0, 1), (at, 16), xycoords="axes fraction", textcoords="offset points", color=color)
        at += 24 + 6.4 * len(name)


def _curve(axes: "Axes", one: Series, shift: float) -> None:
    at = [x + shift for x in one.at]
    for x, row in zip(at, one.rows, strict=True):
        axes.plot([x + 0.16] * len(row["accuracies"]), row["accuracies"], color=one.color, **RUNS)
    means = [row["mean"] for row in one.rows]
    axes.plot(at, means, color=one.color, linewidth=1.4, marker="o", markersize=5)
    bars = [(x, row["mean"], row["sem"]) for x, row in zip(at, one.rows, strict=True) if row["sem"] is not None]
    if bars:
        places, centres, sems = zip(*bars, strict=True)
        axes.errorbar(places, centres, yerr=sems, fmt="none", ecolor=one.color, elinewidth=1.4, capsize=3)


@dataclass(frozen=True)
class Bar:
    """A horizontal bar: how many of how many."""

    label: str
    value: float
    of: float
    note: str


def bars(given: Sequence[Bar], *, room: float = 156) -> "Figure":
    """Horizontal bars in the order given, each as full as its share; each says its number."""
    with style():
        figure, axes = canvas(BAR * len(given) + 12, left=room, right=88, top=4, bottom=8)
        for place, one in enumerate(given):
            axes.barh(place, 1, height=0.6, color=RULE, alpha=0.6)
            axes.barh(place, one.value / one.of if one.of else 0, height=0.6, color=OURS)
            axes.annotate(one.note, (1, place), (7, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                          va="center_baseline", fontsize=11, color=MUTED, annotation_clip=False)  # fmt: skip
        axes.set_xlim(0, 1)
        axes.set_ylim(len(given) - 0.5, -0.5)
        axes.set_yticks(range(len(given)), [shortened(one.label, room) for one in given])
        axes.tick_params(axis="y", labelcolor=INK)
        axes.set_xticks([])
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        return figure


def shortened(label: str, room: float) -> str:
    """A label that fits its room; the whole of it is in the data."""
    most = int(room / 5.6)
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


@dataclass(frozen=True)
class Part:
    """One kind of a whole that stacked bars show."""

    label: str
    color: str


def stacked(rows: Sequence[tuple[str, Sequence[float]]], parts: Sequence[Part]) -> "Figure":
    """One bar a row, its parts beside each other, named above the first."""
    with style():
        figure, axes = canvas(BAR * len(rows) + 46, left=52, right=6, top=34, bottom=8)
        for place, (_, values) in enumerate(rows):
            start = 0.0
            for value, part in zip(values, parts, strict=True):
                axes.barh(place, value, left=start, height=0.62, color=part.color, alpha=0.45)
                if value > 0.08 * sum(values):  # where there is room for it; the data has all
                    axes.text(start + value / 2, place, f"{value:,.0f}", ha="center", va="center", fontsize=9.5,
                              color=INK, clip_on=True)  # fmt: skip
                start += value
        _key(axes, [(f"■ {part.label}", part.color) for part in parts], at=-46)
        axes.set_xlim(0, max((sum(values) for _, values in rows), default=1) or 1)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [label for label, _ in rows])
        axes.set_xticks([])
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        return figure


def columns(at: Sequence[int], counts: Sequence[float], title: str) -> "Figure":
    """A count at each place."""
    with style():
        figure, axes = canvas(200, left=44, right=6, top=12, bottom=44)
        axes.bar(at, counts, width=0.8, color=OURS)
        axes.set_xlim(0.4, max(max(at, default=1), 10) + 0.6)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="y", color=RULE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.yaxis.set_major_locator(_whole_numbers())
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.xaxis.set_major_locator(_whole_numbers(8))
        axes.set_xlabel(title)
        return figure


def _whole_numbers(most: int = 4) -> Any:
    from matplotlib.ticker import MaxNLocator  # slow to load

    return MaxNLocator(most, integer=True)


def matrix(rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[int, int], float]) -> "Figure":
    """Cells as dark as their share of the greatest; the columns' names above them."""
    cell = min(36.0, (WIDTH - 86) / max(len(columns), 1))
    with style():
        figure, axes = canvas(26.0 * len(rows) + 70, left=76, right=WIDTH - 76 - cell * len(columns), top=62, bottom=8)
        from matplotlib.patches import Rectangle  # slow to load

        most = max(values.values(), default=0) or 1
        for (row, column), value in values.items():
            share = min(value / most, 1)
            axes.add_patch(Rectangle((column, row), 0.94, 0.94, color=OURS, alpha=0.05 + 0.45 * share, linewidth=0))
            if value:
                axes.text(column + 0.47, row + 0.47, f"{value:,.0f}", ha="center", va="center_baseline", fontsize=10)
        axes.set_xlim(0, len(columns))
        axes.set_ylim(len(rows), 0)
        axes.set_xticks([n + 0.47 for n in range(len(columns))], columns, rotation=45, ha="left")
        axes.xaxis.tick_top()
        axes.set_yticks([n + 0.47 for n in range(len(rows))], rows)
        axes.tick_params(length=0, labelcolor=INK, pad=3)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return figure


def learning(runs: Sequence[Rows]) -> "Figure":
    """Accuracy on samples of the training and the test commands as training goes on, one line a run."""
    with style():
        figure, axes = canvas(200, left=34, right=44, top=12, bottom=44)
        for rows in runs:
            at = [row["update"] / 1000 for row in rows]
            axes.plot(at, [row["train_accuracy"] for row in rows], color=OTHER, linewidth=1, alpha=0.55)
            axes.plot(at, [row["test_accuracy"] for row in rows], color=OURS, linewidth=1.3, alpha=0.85)
        percent_axis(axes)
        axes.set_xlabel("thousand updates")
        axes.set_xlim(left=0)
        _name_curves(axes, runs)
        return figure


def _name_curves(axes: "Axes", runs: Sequence[Rows]) -> None:
    """ "train" and "test" at the right end, apart even where the curves meet."""
    last = [rows[-1] for rows in runs if rows]
    if not last:
        return
    ends = {part: sorted(row[f"{part}_accuracy"] for row in last)[len(last) // 2] for part in ("train", "test")}
    test = min(ends["test"], ends["train"] - 11)
    for part, y, color in (("train", ends["train"], OTHER), ("test", test, OURS)):
        axes.annotate(part, (1, y), (5, 0), xycoords=("axes fraction", "data"), textcoords="offset points", color=color,
                      va="center", fontsize=11.5, annotation_clip=False)  # fmt: skip
