"""Figures of runs, as Matplotlib axes: those of the report.

Each function draws runs on the axes that it is given, or on new ones, and returns the axes.

>>> import daxlab
>>> axes = daxlab.plot.accuracies(daxlab.runs(split="jump", hidden=25, layers=1, attention=True))
>>> axes.figure.savefig("jump.png")
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import polars as pl

from daxlab.analysis import curves
from daxlab.analysis.errors import by_length
from daxlab.api.comparison import Comparison
from daxlab.api.run import Run
from daxlab.api.runs import Runs
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.report import figures
from daxlab.report.drawing import STYLE, short
from daxlab.report.figures import BAR, SERIES, STEP, STEPS, WORD

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracies", "attention", "comparison", "errors", "learning", "lengths", "shots", "sizes"]

LINE, TALL = 44, 250  # pixels: a line of runs, a curve
USUAL = 460  # pixels: the width
LETTER = 6.4  # pixels, of a label
MOST_LINES, MOST_BARS = 40, 10
SEVERAL = "every run"


def accuracies(runs: Runs, ax: "Axes | None" = None, *, paper: Mapping[str, float] | None = None) -> "Axes":
    """A line from 0 to 100% for each learner and split: every run a dot, their mean and its 95% interval.

    `paper`: published figures to mark with a diamond, by the labels of the lines.

    >>> import daxlab
    >>> axes = daxlab.plot.accuracies(daxlab.runs(split="length", learner="rnn", hidden=100, layers=1, attention=True))
    >>> axes.figure.get_label().count("GRU")
    3
    """
    runs.need_some()
    rows = runs.summary().filter(pl.col("runs") > 0).to_dicts()
    several = {name: len({row[name] for row in rows}) > 1 for name in ("split", "dataset", "protocol")}
    lines = {_label(row, several): row for row in sorted(rows, key=lambda row: (row["split"], -row["mean"]))}
    if not 0 < len(lines) <= MOST_LINES:
        raise InputError(f"these are {len(lines)} settings, and a figure has room for {MOST_LINES}: choose fewer")
    return _lines(lines, paper or {}, ax)


def comparison(both: Comparison, ax: "Axes | None" = None) -> "Axes":
    """Both sides of a comparison, a line each, pair by pair.

    >>> import daxlab
    >>> both = daxlab.compare({"hidden": 25}, {"hidden": 50}, split="jump", cell="gru", layers=1, dropout=0.5)
    >>> axes = daxlab.plot.comparison(both)
    """
    pairs = [row for row in both.frame().to_dicts() if row["runs_a"] and row["runs_b"]]
    if not 0 < 2 * len(pairs) <= MOST_LINES:
        raise InputError(f"these are {len(pairs)} pairs, and a figure has room for {MOST_LINES // 2}: choose fewer")
    several = len({row["split"] for row in pairs}) > 1
    rows = {
        f"{side.upper()}: {row[f'learner_{side}']}{', ' + row['split'] if several else ''}": {
            name: row[f"{name}_{side}"] for name in ("mean", "low", "high", "accuracies")
        }
        for row in pairs
        for side in "ab"
    }
    return _lines(rows, {}, ax)


def lengths(
    runs: "Run | Runs | Mapping[str, Runs]", ax: "Axes | None" = None, *, by: Literal["actions", "words"] = "actions"
) -> "Axes":
    """Accuracy by the length of the target in actions, or of the command in words; a curve a set of runs.

    >>> import daxlab
    >>> axes = daxlab.plot.lengths(daxlab.load("9e282e22"))
    >>> axes.get_xlabel()
    'length in actions'
    """
    series = {}
    for name, some in _sets(runs).items():
        with Ledger(some.ledger) as ledger:
            series[name] = by_length(ledger, some.keys, by)
    places = sorted({length for frame in series.values() for length in frame["length"]})
    return _curve(series, "length", places, f"length in {by}", ax)


def sizes(runs: "Runs | Mapping[str, Runs]", ax: "Axes | None" = None) -> "Axes":
    """Accuracy by how many commands training shows: of runs on the splits simple, size-1, size-2, …

    >>> import daxlab
    >>> runs = daxlab.runs(learner="rnn", hidden=200, layers=2, cell="lstm", attention=False, dropout=0.5)
    >>> axes = daxlab.plot.sizes(runs)
    """
    series = dict[str, pl.DataFrame]()
    for name, some in _sets(runs).items():
        with Ledger(some.ledger) as ledger:
            series |= _by_draw(name, curves.by_size(ledger, {"key": some.keys}))
    places = sorted({train for frame in series.values() for train in frame["train"]})
    return _curve(series, "train", places, "commands in training", ax)


def shots(runs: "Runs | Mapping[str, Runs]", ax: "Axes | None" = None, *, primitive: str = "jump") -> "Axes":
    """Accuracy by how many composed commands of a new verb training shows: of runs on jump, few-jump-1-rep1, …

    >>> import daxlab
    >>> axes = daxlab.plot.shots(daxlab.runs(learner="rnn", hidden=100, layers=1, cell="lstm", attention=True))
    """
    series = dict[str, pl.DataFrame]()
    for name, some in _sets(runs).items():
        with Ledger(some.ledger) as ledger:
            series |= _by_draw(name, curves.by_shots(ledger, {"key": some.keys}, primitive))
    places = sorted({count for frame in series.values() for count in frame["shots"]})
    return _curve(series, "shots", places, f"composed “{primitive}” commands in training", ax)


def learning(runs: "Run | Runs", ax: "Axes | None" = None) -> "Axes":
    """Accuracy on samples of the training and the test commands as training goes on, a line a run.

    >>> import daxlab
    >>> axes = daxlab.plot.learning(daxlab.load("9485894f"))
    >>> axes.get_xlabel()
    'thousand updates'
    """
    (some,) = _sets(runs).values()
    frame = some.curves().filter(~pl.all_horizontal(pl.col("train_accuracy", "test_accuracy").is_null()))
    if frame.is_empty():
        raise InputError("these runs have no learning curve: their learner keeps none")
    with _drawn(ax, TALL) as axes:
        lines = [part.to_dicts() for part in frame.partition_by("key", maintain_order=True)]
        _say(axes, figures.draw_learning(axes, lines))
    return axes


def attention(run: Run, command: str | None = None, ax: "Axes | None" = None, *, steps: int = STEPS) -> "Axes":
    """Where a network looks while it answers a command: words across, the first `steps` actions of its answer down.

    >>> import daxlab
    >>> axes = daxlab.plot.attention(daxlab.load("9485894f"), "jump twice")
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['jump', 'twice', 'end']
    """
    frame = run.attention(command)
    if frame.is_empty():
        raise InputError(f"the ledger has no attention of {run.label}: name a command, if its model can be asked")
    weights = frame.filter(pl.col("command") == frame["command"][0], pl.col("step") <= steps)
    rows, columns = weights["step"].n_unique(), weights["place"].n_unique()
    with _drawn(ax, 70 + 2 * STEP * rows, 90 + 2 * WORD * columns) as axes:
        _say(axes, figures.draw_map(axes, weights))
        axes.set_title(weights["command"][0], fontsize=11)
    return axes


def errors(runs: "Run | Runs", by: Literal["template", "action"] = "template", ax: "Axes | None" = None) -> "Axes":
    """Where errors are most frequent, a bar each: by the template of a clause, or by the action given instead.

    >>> import daxlab
    >>> axes = daxlab.plot.errors(daxlab.load("9485894f"), by="action")
    """
    (some,) = _sets(runs).values()
    frame = some.errors(by)
    if by == "action":
        wrong = frame.filter(pl.col("target") != pl.col("given"))
        most = wrong.sort("count", "target", "given", descending=[True, False, False]).head(MOST_BARS)
        whole = int(wrong["count"].sum())
        bars = [(f"{short(right)} as {short(given)}", count, whole) for right, given, count in most.iter_rows()]
    elif by == "template":
        bars = list(frame.filter(pl.col("wrong") > 0)["template", "wrong", "commands"].head(MOST_BARS).iter_rows())
    else:
        raise InputError(f"bars are drawn by template or action, not by {by!r}: errors({by!r}) has the numbers")
    if not bars:
        raise InputError("there is nothing to draw: every answer is right")
    with _drawn(ax, BAR * len(bars) + 12) as axes:
        _say(axes, figures.draw_bars(axes, bars))
    return axes


# -- what they share


def _sets(runs: "Run | Runs | Mapping[str, Runs]") -> dict[str, Runs]:
    """Some runs, by what they are called."""
    some = dict(runs) if isinstance(runs, Mapping) else {_name(runs): runs}
    if len(some) > len(SERIES):
        raise InputError(f"a figure has room for {len(SERIES)} sets of runs, not {len(some)}")
    sets = {name: one.alone() if isinstance(one, Run) else one for name, one in some.items()}
    for one in sets.values():
        one.need_some()
    return sets


def _name(runs: "Run | Runs") -> str:
    """The learner of some runs, if it is the same."""
    labels = {run.label for run in ([runs] if isinstance(runs, Run) else runs)}
    return labels.pop() if len(labels) == 1 else SEVERAL


def _by_draw(name: str, frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """A curve for each draw of the training commands: daxlab's own, or the release's."""
    draws = {str(part["draw"][0]): part for part in frame.partition_by("draw", maintain_order=True)}
    if len(draws) == 1:
        return {name: next(iter(draws.values()))}
    kept = {draw: part for draw, part in draws.items() if part.height > 1}
    return {draw if name == SEVERAL else f"{name}, {draw}": part for draw, part in kept.items()}


def _label(row: Mapping[str, str | None], several: Mapping[str, bool]) -> str:
    parts = [row["network"], *(row[name] for name, are in several.items() if are)]
    return ", ".join(part for part in parts if part)


def _lines(rows: Mapping[str, figures.Numbers], paper: Mapping[str, float], ax: "Axes | None") -> "Axes":
    tall, wide = LINE * len(rows) + 30, max(USUAL, LETTER * max(map(len, rows)) + 90)
    with _drawn(ax, tall, wide) as axes:
        if ax is None:  # labels stand inside, where the layout would make room for them
            axes.set_position((10 / wide, 26 / tall, 1 - 28 / wide, 1 - 30 / tall))
            axes.set_in_layout(False)
        _say(axes, figures.draw_lines(axes, {label: (row, paper.get(label)) for label, row in rows.items()}))
    return axes


def _curve(series: Mapping[str, pl.DataFrame], by: str, places: list[int], title: str, ax: "Axes | None") -> "Axes":
    if not places:
        raise InputError(f"none of these runs says anything by {title}")
    if len(series) > len(SERIES):
        raise InputError(f"a figure has room for {len(SERIES)} curves, and these would be {', '.join(series)}")
    with _drawn(ax, TALL) as axes:
        _say(axes, figures.draw_curve(axes, series, by, places, title, {}))
    return axes


@contextmanager
def _drawn(ax: "Axes | None", tall: float, wide: float = USUAL) -> "Iterator[Axes]":
    """The axes to draw on: those that are given, or new ones in the report's style, so many pixels tall."""
    if ax is not None:
        yield ax
        return
    with mpl.rc_context({**STYLE, "figure.dpi": 120}):
        from matplotlib import pyplot as plt  # where one is not wanted, no window is opened

        _, axes = plt.subplots(figsize=(wide / 72, tall / 72), layout="constrained")
        interactive = mpl.is_interactive()
        yield axes
    mpl.interactive(interactive)  # a notebook turns it on at the first figure, and the context takes it back


def _say(axes: "Axes", said: figures.Said) -> None:
    """Label the figure with its numbers, for whoever does not see it."""
    axes.figure.set_label("; ".join(f"{name}: {value}" for name, value in said.items()))
