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
from daxlab.paper.search import ARCHITECTURES, AXES, COMMAND, all_round, choices, rankings, search
from daxlab.report import text
from daxlab.report.blocks import Block, Cell, Picture, Section, Table, Text, absent
from daxlab.report.drawing import COLOR, WIDTH, bare, labelled, picture, say
from daxlab.report.facts import Facts
from daxlab.report.figures import DIAMOND, dots, lines

ENOUGH = 10  # architectures for an experiment to be shown
CELLS = {"srn": (COLOR.third, "s", "■"), "lstm": (COLOR.ours, "o", "●"), "gru": (COLOR.other, "^", "▲")}
HEIGHT = 494  # pixels of the panels
LINE = 33  # pixels of a line with its label
Results = dict[str, Any]


def section(facts: Facts) -> Section:
    """The search, as far as the ledger has it."""
    name, frame = f"search over {ARCHITECTURES} architectures", search(facts.ledger)
    every = choices(frame)
    enough = {split: every[split] for split in SPLITS if split in every and every[split]["architectures"] >= ENOUGH}
    if not enough:
        return Section("architectures", f"The {name}", [absent(f"the {name}", command=COMMAND)], short="The search")
    below = [Section(f"search-{split}", f"On {split}", _experiment(frame, split, enough[split])) for split in enough]
    return Section("architectures", f"The {name}", list(_whole(frame, enough)), below, "The search")


def _whole(frame: pl.DataFrame, experiments: Mapping[str, Results]) -> Iterator[Block]:
    yield Text(
        "The paper chose its networks from 180: SRN, LSTM or GRU, with attention or without, of one or two layers, 25 "
        "to 400 hidden units, three rates of dropout; each trained five times on each of four experiments.",
        "lead",
    )
    yield Text(" ".join(text.complete(name, results, ARCHITECTURES) for name, results in experiments.items()))
    lacking = [f"*{name}*" for name in SPLITS if name not in experiments]
    if lacking:
        yield absent(f"the search on {text.listed(lacking)}", command=COMMAND)
    ranked = rankings(experiments, None if lacking else all_round(frame))
    rows = [row for name, results in ranked.items() for row in _pair(name, results)]
    caption = "Means over replicates with standard error, and below them the 95% interval. "
    caption += text.WINS.replace("\n", " ").replace("wins:", "*wins*:").replace("By rank:", "*By rank*:")
    title, head = "The best of many, and the paper's choice.", ("network", "mean", "wins", "paper")
    yield Table("search-winners", title, head, rows, right=(1, 2, 3), caption=caption)


def _pair(name: str, results: Results) -> list[Sequence[Cell]]:
    """The best, with how many cannot be told from it, and the paper's choice."""
    best, paper, here = results["best"][0], results["paper"], results["paper"]["here"]
    told = f"\n{results['contenders']} of {results['compared']} not told from it" if results["compared"] else ""
    first = (f"{best['network']}\nthe best here", text.mean_cell(best), f"{text.wins(best['share'])}{told}", "")
    stated = "" if paper["stated"] is None else f"{paper['stated']:g}"
    where = f"number {here['place']} here" if here else "no runs on this split"
    numbers = (text.mean_cell(here), text.wins(here["share"])) if here else ("–", "–")
    return [(name,), first, (f"{paper['network']}\nthe paper's choice, {where}", *numbers, stated)]


def _experiment(frame: pl.DataFrame, name: str, results: Results) -> list[Block]:
    said = (text.told(results), text.chosen(results["paper"]["best"], results["architectures"]))
    rows = frame.filter(pl.col("runs") > 0, experiment=name)
    values = effects(frame, name, AXES)
    worth = [_effects_picture(name, values)] if values.height else []
    return [Text(" ".join(said)), _panels_picture(name, rows, results), *worth]


# -- accuracy by hidden units, in small panels


def _panels_picture(name: str, rows: pl.DataFrame, results: Results) -> Picture:
    stated = {chosen["network"]: chosen["stated"] for chosen in results["paper"].values()}
    runs = rows["accuracies"].explode().to_list()
    roots = sorted(rows["mean"])[rows.height // 2] < 0.2 * max(runs)
    ticks = _ticks([*runs, *stated.values()])
    caption = "Per cent right, by hidden units: lines are means, runs faint dots. Rings are the networks that the paper"
    caption += " chose for this experiment and overall, diamonds its figures for them."
    caption += " The scale is of square roots, so that small accuracies can be told apart." if roots else ""
    means = {row["network"]: text.percent(row["mean"]) for row in results["best"]}
    drawn = labelled(_panels(rows.to_dicts(), stated, *ticks, roots=roots), means)
    return picture(drawn, f"search-panels-{name}", f"Every architecture on *{name}*.", caption, rows)


def _panels(
    rows: Sequence[Results], stated: Mapping[str, float], top: float, ticks: Sequence[float], *, roots: bool
) -> Figure:
    """A panel for each number of layers (across) and dropout (down); a line for each cell, with attention or not."""
    down, across, hidden = AXES["dropout"], AXES["layers"], AXES["hidden"]
    figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72))
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
