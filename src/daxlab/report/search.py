"""The paper's search on the page: which architectures are best, what choosing them is worth, what each value does.

An experiment appears as soon as enough architectures have runs. The only part of the page that knows an RNN's fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from daxlab.analysis.search import effects
from daxlab.paper.experiments import SPLITS
from daxlab.paper.search import ARCHITECTURES, AXES, COMMAND, all_round, choices, measured
from daxlab.report import text
from daxlab.report.blocks import Block, Cell, Picture, Row, Section, Table, Text, absent
from daxlab.report.drawing import COLOR, WIDTH, axes_at, bare, canvas, labelled, picture, say
from daxlab.report.facts import Facts
from daxlab.report.figures import DIAMOND, dots, spread

ENOUGH, TOP, MOST_RUNS = 10, 5, 10  # architectures for an experiment to be shown; how many are; runs that a row shows
CELLS = {"srn": (COLOR.third, "s", "■"), "lstm": (COLOR.ours, "o", "●"), "gru": (COLOR.other, "^", "▲")}
HIGH, GAP, TOP_MARGIN, BOTTOM, LEFT, BETWEEN = 104.0, 34.0, 72.0, 42.0, 38.0, 14.0  # pixels of a panel and around it
LINE, APART = 18.0, 8.0  # pixels of a line, and below the last value of an axis
Found = dict[str, Any]


def section(facts: Facts) -> Section:
    """The search, as far as the ledger has it."""
    title, short, frame = f"The search over {ARCHITECTURES} architectures", "The search", facts.runs.search
    found = choices(frame, TOP)
    enough = {name: found[name] for name in SPLITS if name in found and found[name]["architectures"] >= ENOUGH}
    if not enough:
        return Section("architectures", title, [absent(title, command=COMMAND)], short=short)
    below = [Section(f"search-{name}", f"On {name}", _experiment(frame, name, one)) for name, one in enough.items()]
    return Section("architectures", title, list(_whole(frame, enough)), below, short=short)


def _whole(frame: pl.DataFrame, found: Mapping[str, Found]) -> Iterator[Block]:
    yield Text(
        "The paper chose its networks from 180: SRN, LSTM or GRU, with attention or without, of one or two layers, 25 "
        "to 400 hidden units, three rates of dropout; each trained five times on each of four experiments.",
        "lead",
    )
    yield Text(" ".join(text.complete(name, one, ARCHITECTURES) for name, one in found.items()))
    lacking = [f"*{name}*" for name in SPLITS if name not in found]
    if lacking:
        yield absent(f"the search on {text.listed(lacking)}", command=COMMAND)
    overall = all_round(frame, TOP) if not lacking else None
    rows: list[Sequence[Cell]] = []
    for name, best, paper in _pairs(found, overall):
        rows += [(name,), _row(best, "the best here"), _row(paper, "the paper's choice")]
    caption = "Means over replicates with standard error, and below them the 95% interval (Student's t). "
    caption += text.AGAIN.replace("\n", " ").replace("again:", "*again*:").replace("By rank:", "*By rank*:")
    title, head = "The best of many, and the paper's choice.", ("network", "mean", "again", "paper")
    yield Table("search-winners", title, head, rows, right=(1, 2, 3), caption=caption)


def _pairs(found: Mapping[str, Found], overall: Found | None) -> Iterator[tuple[str, Found, Found]]:
    """The best and the paper's choice, on each experiment and overall."""
    for name, one in found.items():
        paper = one["paper"]["best"]
        best = one["best"][0] | {"again": one["again"], "scores": one["scores"]}
        yield name, best, (paper["here"] or paper) | {"stated": paper["stated"]}
    for measure in ("rank", "accuracy") if overall else ():
        one, paper = (overall or {})[measure], (overall or {})["paper"]
        here = measured(paper["here"], measure) | {"place": paper["places"][measure]} if paper["here"] else paper
        yield f"overall, by mean {measure}", measured(one["best"][0], measure) | {"place": 1} | one, here


def _row(row: Found, what: str) -> Sequence[Cell]:
    again = text.percent(row["again"]) + (f"\n{text.spread(row)}" if row["scores"] else "") if "again" in row else ""
    stated = f"{row['stated']:g}" if "stated" in row else ""
    if "mean" not in row:
        return (f"{row['network']}\n{what}, no runs on this split", "–", again, stated)
    place = "" if row["place"] == 1 and "again" in row else f", number {row['place']} here"
    return (f"{row['network']}\n{what}{place}", text.mean_cell(row), again, stated)


def _experiment(frame: pl.DataFrame, name: str, found: Found) -> list[Block]:
    said = (text.regressing(found), text.chosen(found["paper"]["best"], found["architectures"]))
    rows = frame.filter((pl.col("experiment") == name) & (pl.col("runs") > 0))
    values = effects(frame, name, AXES)
    pictures = [_panels_picture(name, rows, found), *([_effects_picture(name, values)] if values.height else [])]
    return [Text(" ".join(said)), Row(pictures), _best(name, found)]


def _best(name: str, found: Found) -> Table:
    kinds = {"overall": "the paper's overall best", "best": "the paper's choice"}
    chosen = {found["paper"][kind]["network"]: words for kind, words in kinds.items()}
    names = {row["network"] for row in found["best"]}
    papers = [found["paper"][kind]["here"] for kind in kinds]
    rest = sorted((row for row in papers if row and row["network"] not in names), key=lambda row: int(row["place"]))
    rows: list[Sequence[Cell]] = []
    for row in (*found["best"], *rest):
        runs = " ".join(text.percent(value) for value in row["accuracies"][:MOST_RUNS])
        more = f" … ({row['runs']})" if row["runs"] > MOST_RUNS else ""
        mark = f" ({chosen[row['network']]})" if row["network"] in chosen else ""
        rows.append((f"{row['network']}{mark}\n{runs}{more}", str(row["place"]), text.mean_cell(row)))
    caption = "Below each network its runs." + (" The paper's choices stand at the end." if rest else "")
    return Table(f"search-best-{name}", f"The best on *{name}*.", ("network", "place", "mean"), rows, right=(1, 2),
                 caption=caption)  # fmt: skip


# -- accuracy by hidden units, in small panels


def _panels_picture(name: str, rows: pl.DataFrame, found: Found) -> Picture:
    stated = {one["network"]: one["stated"] for one in (found["paper"]["best"], found["paper"]["overall"])}
    runs = rows["accuracies"].explode().to_list()
    roots = sorted(rows["mean"])[rows.height // 2] < 0.2 * max(runs)
    ticks = _ticks([*runs, *stated.values()])
    caption = "Per cent right, by hidden units: lines are means, runs faint dots. Rings are the networks that the paper"
    caption += " chose for this experiment and overall, diamonds its figures for them."
    caption += " The scale is of square roots, so that small accuracies can be told apart." if roots else ""
    drawn = labelled(_panels(rows.to_dicts(), stated, *ticks, roots=roots),
                     {row["network"]: text.percent(row["mean"]) for row in found["best"]})  # fmt: skip
    return picture(drawn, f"search-panels-{name}", f"Every architecture on *{name}*.", caption, rows)


def _panels(rows: Sequence[Found], stated: Mapping[str, float], top: float, ticks: Sequence[float], *,
            roots: bool) -> Figure:  # fmt: skip
    """A panel for each number of layers (across) and dropout (down); a line for each cell, with attention or not."""
    down, across, hidden = AXES["dropout"], AXES["layers"], AXES["hidden"]
    height = TOP_MARGIN + len(down) * HIGH + (len(down) - 1) * GAP + BOTTOM
    wide = (WIDTH - LEFT - 4 - BETWEEN * (len(across) - 1)) / len(across)
    figure = Figure(figsize=(WIDTH / 72, height / 72))
    for n, dropout in enumerate(down):
        for m, layers in enumerate(across):
            low = BOTTOM + (len(down) - 1 - n) * (HIGH + GAP)
            panel = axes_at(figure, LEFT + m * (wide + BETWEEN), low, wide, HIGH)
            some = [row for row in rows if row["layers"] == layers and row["dropout"] == dropout]
            _panel(panel, some, hidden, stated)
            panel.set_ylim(0, 1.04 * top)
            if roots:
                panel.set_yscale("function", functions=(np.sqrt, np.square))
            names = [f"{tick:g}{'%' if tick == ticks[-1] else ''}" for tick in ticks]
            panel.set_yticks(ticks, [name if m == 0 else "" for name in names])
            panel.grid(axis="y", color=COLOR.rule, linewidth=0.8)
            bare(panel, "left")
            panel.set_xlim(-0.45, len(hidden) - 0.55)
            panel.set_xticks(range(len(hidden)), [str(units) if n == len(down) - 1 else "" for units in hidden])
            panel.tick_params(axis="both", labelsize=10.5)
            name = f"{'one layer' if layers == 1 else f'{text.number(layers)} layers'}, dropout {dropout:g}"
            say(panel, name, (0, 1), (0, 8), color=COLOR.ink if some else COLOR.muted, fontsize=11)
    middle = (LEFT + WIDTH - 4) / 2 / WIDTH
    figure.text(middle, 4 / height, "hidden units", ha="center", color=COLOR.muted, fontsize=11.5)
    at = 6.0
    for cell, (color, _, sign) in CELLS.items():
        figure.text(at / WIDTH, 1 - 14 / height, f"{sign} {cell.upper()}", color=color)
        at += 34 + 9 * len(cell)
    for x, line in ((6 / WIDTH, "solid, filled: with attention"), (0.5, "dashed, hollow: without")):
        figure.text(x, 1 - 33 / height, line, color=COLOR.muted, fontsize=11)
    return figure


def _panel(panel: Axes, rows: Sequence[Found], hidden: Sequence[int], stated: Mapping[str, float]) -> None:
    kinds = [(cell, attention) for cell in CELLS for attention in (False, True)]
    for n, (cell, attention) in enumerate(kinds):
        shift, (color, marker, _) = 0.1 * (n - (len(kinds) - 1) / 2), CELLS[cell]
        some = {row["hidden"]: row for row in rows if row["cell"] == cell and row["attention"] == attention}
        points = {x + shift: some[units] for x, units in enumerate(hidden) if units in some}
        dots(panel, [(x, value) for x, row in points.items() for value in row["accuracies"]], color, 2.8)
        means = [some[units]["mean"] if units in some else float("nan") for units in hidden]
        panel.plot([x + shift for x in range(len(hidden))], means, color=color, linewidth=1.2, marker=marker,
                   markersize=3.6, linestyle="-" if attention else (0, (2.2, 2.2)), markeredgewidth=1,
                   markerfacecolor=color if attention else COLOR.page, zorder=3, clip_on=False)  # fmt: skip
        for x, row in points.items():
            if row["network"] in stated:
                ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": COLOR.ink, "markeredgewidth": 1.1}
                panel.plot(x, row["mean"], marker="o", markersize=12, zorder=6, clip_on=False, **ring)
                panel.plot(x, stated[row["network"]], **DIAMOND | {"markersize": 5})


def _ticks(values: Sequence[float]) -> tuple[float, list[float]]:
    """Where a scale of accuracies ends (at 100 if they come near it), and its ticks."""
    if max(values) > 70:
        return 100, [0, 25, 50, 75, 100]
    top = max(max(values) * 1.05, 0.1)
    return top, [tick for tick in MaxNLocator(4).tick_values(0, top) if 0 <= tick <= top]


# -- what each value is worth


def _effects_picture(name: str, values: pl.DataFrame) -> Picture:
    """A line for each value of each axis: every matched architecture a faint dot, their mean, and its interval."""
    caption = (
        "The mean over matched architectures, which differ in this alone: each a dot, their mean a stroke, its 95% "
        "interval over replicates of the whole search a band. At least "
        f"{text.counted(int(values['architectures'].min()), 'architecture')} a line."  # type: ignore[arg-type]
    )
    rows = values.to_dicts()
    groups = {axis: list(group) for axis, group in groupby(rows, lambda row: str(row["axis"]))}
    length = (len(rows) + len(groups)) * LINE + len(groups) * APART
    top, ticks = _ticks([value for row in rows for value in (*row["means"], row["mean"])])
    figure, axes = canvas(26 + length, left=66, right=54, top=0, bottom=26)
    y = LINE / 2
    beside: dict[str, Any] = {"coords": ("axes fraction", "data"), "va": "center_baseline"}
    for axis, some in groups.items():
        say(axes, axis.replace("hidden", "hidden units"), (0, y), (-60, 0), color=COLOR.muted, **beside)
        for row in some:
            y += LINE
            axes.plot([0, 1], [y, y], color=COLOR.rule, linewidth=1, zorder=0, transform=axes.get_yaxis_transform())
            spread(axes, y, row["means"], row)
            say(axes, row["value"], (0, y), (-8, 0), ha="right", color=COLOR.ink, fontsize=11.5, **beside)
            say(axes, text.percent(row["mean"]), (1, y), (48, 0), ha="right", color=COLOR.ours, fontsize=11.5, **beside)
        y += LINE + APART
    axes.set_xlim(0, top)
    axes.set_ylim(length, 0)
    axes.set_yticks([])
    axes.set_xticks(ticks, [f"{tick:g}%" if tick == ticks[-1] else f"{tick:g}" for tick in ticks])
    axes.grid(axis="x", color=COLOR.rule, linewidth=0.8)
    axes.tick_params(axis="x", length=0)
    bare(axes)
    labelled(figure, {f"{row['axis']} {row['value']}": text.percent(row["mean"]) for row in rows})
    return picture(figure, f"search-worth-{name}", f"What each value is worth on *{name}*.", caption, values)
