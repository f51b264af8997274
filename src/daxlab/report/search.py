"""The paper's search on the page: which architectures are best, how sure that is, what each value does.

An experiment appears as soon as enough architectures have runs. The only part of the page that knows an RNN's fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from daxlab.analysis.search import effects
from daxlab.paper.experiments import SPLITS
from daxlab.paper.search import ARCHITECTURES, AXES, COMMAND, TOP, completeness, rankings, search
from daxlab.report import text
from daxlab.report.blocks import Block, Fold, Picture, Section, Table, Text, absent
from daxlab.report.drawing import COLOR, WIDTH, PageFigure, bare, labelled, picture, say
from daxlab.report.facts import Facts
from daxlab.report.figures import DIAMOND, dots, lines

ENOUGH = 10  # architectures for an experiment to be shown
CELLS = {"srn": (COLOR.third, "s", "■"), "lstm": (COLOR.ours, "o", "●"), "gru": (COLOR.other, "^", "▲")}
HEIGHT = 494  # pixels of the panels
LINE = 33  # pixels of a line with its label
Results = dict[str, Any]


def section(facts: Facts) -> Section:
    """The search, as far as the ledger has it."""
    name = f"search over {ARCHITECTURES} architectures"
    frame = search(facts.ledger).filter((pl.col("runs") > 0).sum().over("experiment") >= ENOUGH)
    if frame.is_empty():
        return Section("architectures", f"The {name}", [absent(f"the {name}", command=COMMAND)], short="The search")
    complete, ranked = completeness(frame), rankings(frame, top=ARCHITECTURES)
    below = [_ranking(frame, name, ranking) for name, ranking in ranked.items()]
    return Section("architectures", f"The {name}", list(_whole(complete, ranked)), below, "The search")


def _whole(complete: Mapping[str, Results], ranked: Mapping[str, Results]) -> Iterator[Block]:
    yield Text(
        "The paper chose its networks from 180: SRN, LSTM or GRU, with attention or without, of one or two layers, 25 "
        "to 400 hidden units, three rates of dropout; each trained five times on each of four experiments.",
        "lead",
    )
    yield Text(" ".join(text.completeness(name, counts, ARCHITECTURES) for name, counts in complete.items()))
    if lacking := [f"*{name}*" for name in SPLITS if name not in complete]:
        yield absent(f"the search on {text.listed(lacking)}", command=COMMAND)
    caption = " ".join(f"*{term}*: {meaning}" for term, meaning in text.SEARCH_TERMS.items())
    winners = [text.winner(name, ranking) for name, ranking in ranked.items()]
    title, rows = "The best of many, and the paper's choice.", [tuple(cells.values()) for cells in winners]
    yield Table("search-winners", title, tuple(winners[0]), rows, right=(2, 3, 4, 6, 7, 8), caption=caption)


def _ranking(frame: pl.DataFrame, name: str, ranking: Results) -> Section:
    """What a ranking says, who cannot be told from the best, and the figures of an experiment."""
    label, heading = (name, f"On {name}") if name in SPLITS else (ranking["measure"], name.capitalize())
    blocks: list[Block] = [Text(sentence) for sentence in text.findings(ranking)]
    if cells := [text.architecture(row) for row in ranking["best"] if row["contender"]]:
        title, rows = "The best, and all that cannot be told from it.", [tuple(row.values()) for row in cells]
        table = Table(f"contenders-{label}", title, tuple(cells[0]), rows, right=(1, 2, 3))
        count = text.counted(len(rows), "architecture")
        blocks.append(Fold(f"search-fold-{label}", "Cannot be told from the best", count, [table]))
    if name in SPLITS:
        values = effects(frame, name, AXES)
        blocks += [_panels_picture(name, ranking), *([_effects_picture(name, values)] if values.height else [])]
    return Section(f"search-{label}", heading, blocks)


# -- accuracy by hidden units, in small panels


def _panels_picture(name: str, ranking: Results) -> Picture:
    rows = ranking["best"]
    stated = {choice["network"]: choice["stated"] for choice in ranking["paper"].values()}
    runs = [value for row in rows for value in row["accuracies"]]
    roots = rows[len(rows) // 2]["mean"] < 0.2 * max(runs)
    ticks = _ticks([*runs, *stated.values()])
    caption = "Per cent right, by hidden units: lines are means, runs faint dots. Rings are the networks that the paper"
    caption += " chose for this experiment and overall, diamonds its figures for them."
    caption += " The scale is of square roots, so that small accuracies can be told apart." if roots else ""
    means = {row["network"]: text.percent(row["mean"]) for row in rows[:TOP]}
    drawn = labelled(_panels(rows, stated, *ticks, roots=roots), means)
    return picture(drawn, f"search-panels-{name}", f"Every architecture on *{name}*.", caption, rows)


def _panels(
    rows: Sequence[Results], stated: Mapping[str, float], top: float, ticks: Sequence[float], *, roots: bool
) -> Figure:
    """A panel for each number of layers (across) and dropout (down); a line for each cell, with attention or not."""
    down, across, hidden = AXES["dropout"], AXES["layers"], AXES["hidden"]
    figure = PageFigure(figsize=(WIDTH / 72, HEIGHT / 72))
    margins = {"left": 38 / WIDTH, "right": 1 - 4 / WIDTH, "bottom": 42 / HEIGHT, "top": 1 - 72 / HEIGHT}
    gaps = {"hspace": 0.33, "wspace": 0.1}
    panels = figure.subplots(len(down), len(across), sharex=True, sharey=True, gridspec_kw=margins | gaps)
    for (dropout, layers), panel in zip(product(down, across), panels.flat, strict=True):
        some = [row for row in rows if row["layers"] == layers and row["dropout"] == dropout]
        _panel(panel, some, hidden, stated)
        panel.grid(axis="y", color=COLOR.rule, linewidth=0.8)
        panel.tick_params(labelsize=10.5)
        bare(panel, "left")
        name = f"{'one layer' if layers == 1 else f'{text.number(layers)} layers'}, dropout {dropout:g}"
        say(panel, name, (0, 1), (0, 8), color=COLOR.ink if some else COLOR.muted, fontsize=11)
    if roots:
        panel.set_yscale("function", functions=(np.sqrt, np.square))
    panel.set_ylim(0, 1.04 * top)
    panel.set_yticks(ticks, [f"{tick:g}{'%' if tick == ticks[-1] else ''}" for tick in ticks])
    panel.set_xlim(-0.45, len(hidden) - 0.55)
    panel.set_xticks(range(len(hidden)), map(str, hidden))
    figure.text(0.55, 4 / HEIGHT, "hidden units", ha="center", color=COLOR.muted, fontsize=11.5)
    at = 6.0
    for cell, (color, _, sign) in CELLS.items():
        figure.text(at / WIDTH, 1 - 14 / HEIGHT, f"{sign} {cell.upper()}", color=color)
        at += 34 + 9 * len(cell)
    for x, line in ((6 / WIDTH, "solid, filled: with attention"), (0.5, "dashed, hollow: without")):
        figure.text(x, 1 - 33 / HEIGHT, line, color=COLOR.muted, fontsize=11)
    return figure


def _panel(panel: Axes, rows: Sequence[Results], hidden: Sequence[int], stated: Mapping[str, float]) -> None:
    kinds = [(cell, attention) for cell in CELLS for attention in (False, True)]
    for n, (cell, attention) in enumerate(kinds):
        shift, (color, marker, _) = 0.1 * (n - (len(kinds) - 1) / 2), CELLS[cell]
        some = {row["hidden"]: row for row in rows if row["cell"] == cell and row["attention"] == attention}
        points = {x + shift: some[units] for x, units in enumerate(hidden) if units in some}
        dots(panel, [(x, value) for x, row in points.items() for value in row["accuracies"]], color, 2.8)
        means = [some[units]["mean"] if units in some else float("nan") for units in hidden]
        marks: dict[str, Any] = {"marker": marker, "markersize": 3.6, "markeredgewidth": 1, "zorder": 3}
        marks |= {"linestyle": "-"} if attention else {"linestyle": (0, (2.2, 2.2)), "markerfacecolor": COLOR.page}
        panel.plot([x + shift for x in range(len(hidden))], means, color=color, linewidth=1.2, clip_on=False, **marks)
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
    rows = [{**row, "accuracies": row["means"]} for row in values.to_dicts()]
    top, ticks = _ticks([value for row in rows for value in (*row["means"], row["mean"])])
    names = [f"{row['axis'].replace('hidden', 'hidden units')}: {row['value']}" for row in rows]
    drawn = lines({name: (row, None) for name, row in zip(names, rows, strict=True)}, ticks, top, LINE)
    return picture(drawn, f"search-worth-{name}", f"What each value is worth on *{name}*.", caption, values)
