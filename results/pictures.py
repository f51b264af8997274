"""The pictures of README.md and docs/, drawn from the ledgers here (`make readme`), each in light and in dark.

Forms and colours are the report's.
"""

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from daxlab.analysis import probes
from daxlab.analysis.curves import by_shots
from daxlab.analysis.errors import by_length
from daxlab.analysis.replicates import summary
from daxlab.ledger import Ledger
from daxlab.ledger.trained import TrainedModel
from daxlab.paper.comparison import compare
from daxlab.paper.experiments import BEST, FEW, NETWORKS, OVERALL, SPLITS
from daxlab.paper.leaderboard import SPLITS as COLUMNS, leaderboard
from daxlab.paper.runs import Runs
from daxlab.paper.search import search
from daxlab.paper.targets import numbers, stated
from daxlab.report import figures
from daxlab.report.drawing import (
    COLOR,
    PALETTE,
    STYLE,
    WIDTH,
    as_svg,
    axes_at,
    bare,
    canvas,
    labelled,
    percent_axis,
    say,
)
from daxlab.report.text import percent

RESULTS = Path(__file__).parent
FOLDER = RESULTS.parent / "docs" / "pictures"
THEMES = ("light", "dark")
ASKED = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn that it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb that it only saw alone",
}
LOOKED_AT = ("walk twice", "jump twice", "look around left", "jump around left")
CELLS = {"srn": COLOR.other, "lstm": COLOR.ours, "gru": COLOR.third}
VERDICTS = {"agrees": COLOR.good, "undecided": COLOR.muted, "differs": COLOR.bad}


def contrast() -> Figure:
    """Every run of the paper's overall best network on the four main splits, beside the paper's figures."""
    with Ledger(RESULTS / "runs.db") as ledger:
        runs = {split: Runs(ledger).of(OVERALL, *SPLITS[split]).values() for split in ASKED}
    return figures.lines(
        {
            f"{split}: {ASKED[split]}": (summary(values) | {"accuracies": values}, stated(split, "overall"))
            for split, values in runs.items()
        }
    )


def agreement() -> Figure:
    """Every accuracy that the paper states against ours, with its 95% interval."""
    with Ledger(RESULTS / "runs.db") as ledger:
        rows = [row for row in compare(ledger) if not row.id.startswith("exp4")]
    rows = [row for row in rows if isinstance(row.paper, int | float) and row.mean is not None and row.unit is None]
    figure, axes = canvas(WIDTH, left=40, right=14, top=30, bottom=44)
    axes.plot([0, 100], [0, 100], color=COLOR.rule, linewidth=1, zorder=0)
    for row in rows:
        color = VERDICTS.get(row.verdict, COLOR.muted)
        axes.plot([row.paper] * 2, [row.low, row.high], color=color, linewidth=1.4, alpha=0.6)
        axes.plot(row.paper, row.mean, marker="o", markersize=6, color=color, clip_on=False)
    key = -30.0
    for verdict, color in VERDICTS.items():
        say(axes, f"● {verdict}", (0, 1), (key, 12), color=color)
        key += 36 + 6.4 * len(verdict)
    percent_axis(axes)
    axes.set_xlim(-2, 104)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("per cent right in the paper")
    axes.set_ylabel("here, with the 95% interval")
    return labelled(figure, {row.id: f"{percent(row.mean)}, paper {row.paper:g}, {row.verdict}" for row in rows})


def lengths() -> Figure:
    """Accuracy by the length of the right answer, of the best network on length: greedy, and told the length."""
    with Ledger(RESULTS / "runs.db") as ledger:
        keys = Runs(ledger).of(BEST["length"], "length").keys
        frames = {
            name: by_length(ledger, keys, oracle=oracle)
            for name, oracle in (("greedy", False), ("told the length", True))
        }
    places = sorted({length for frame in frames.values() for length in frame["length"]})
    paper = {length: numbers()[f"exp2.oracle.best.{length}"] for length in (24, 48)}
    return figures.curve(frames, "length", places, "actions in the right answer", paper)


def few_shots() -> Figure:
    """Accuracy on other compositions of jump by how many were shown."""
    with Ledger(RESULTS / "runs.db") as ledger:
        frame = by_shots(ledger, {"label": str(NETWORKS[FEW]), "dataset": "scan"}).filter(draw="release")
    shots = [int(n) for n in frame["shots"]]
    paper = {n: numbers()[f"exp3.few.{n}"] for n in shots if f"exp3.few.{n}" in numbers()}
    return figures.curve({"here": frame}, "shots", shots, "composed “jump” commands in training", paper)


def searched() -> Figure:
    """The mean of every architecture on the four splits."""
    with Ledger(RESULTS / "runs.db") as ledger:
        frame = search(ledger).drop_nulls("mean")
    figure, axes = canvas(250, left=34, right=6, top=34, bottom=44)
    said = {}
    for place, split in enumerate(ASKED):
        rows = frame.filter(experiment=split)
        for side, (cell, color) in enumerate(CELLS.items()):
            for attention in (False, True):
                means = rows.filter(cell=cell, attention=attention)["mean"].to_numpy()
                at = place + 0.26 * (side - 1) + 0.07 * (2 * attention - 1) + 0.05 * np.linspace(-1, 1, len(means))
                face = color if attention else "none"
                axes.plot(at, means, "o", markersize=3.4, markerfacecolor=face, markeredgecolor=color, clip_on=False)
        said[split] = f"the best {percent(rows['mean'].max())} of {rows.height}"
    for cell, color, x in zip(CELLS, CELLS.values(), (-28, 26, 86), strict=True):
        say(axes, f"● {cell.upper()}", (0, 1), (x, 16), color=color)
    say(axes, "filled: with attention", (1, 1), (0, 16), color=COLOR.muted, ha="right")
    percent_axis(axes)
    axes.set_xlim(-0.5, 3.5)
    axes.set_xticks(range(4), ASKED)
    return labelled(figure, said)


def avenues() -> Figure:
    """Learners by splits, beside what was published."""
    with Ledger(RESULTS / "runs.db") as ledger:
        entries = leaderboard(ledger)
    columns = [split for split in COLUMNS if split != "few-jump-8"]
    rows = {
        entry.learner: [
            (cell.mean, cell.published.mean if cell.published else None)
            for cell in (entry.cells[split] for split in columns)
        ]
        for entry in entries
    }
    return figures.matrix(rows, [split.replace("template-", "").replace("-", " ") for split in columns])


def attention() -> Figure:
    """Where a network looks: at commands with a verb that it knows in company, and with one that it saw alone."""
    path = RESULTS / "runs.db"
    with Ledger(path) as ledger:
        (row,) = ledger.rows({"label": str(NETWORKS[BEST["jump"]]), "split": "jump", "seed": 0})
    model, rows = TrainedModel(path, row["key"]), []
    for command in LOOKED_AT:
        prediction = model.predict(command)
        words = [*command.split(), probes.END]
        for step, (weights, action) in enumerate(
            zip(prediction.attention, [*prediction.actions, probes.END], strict=False), 1
        ):
            looks = enumerate(zip(words, weights, strict=True), 1)
            rows += [(command, step, action, place, word, float(weight)) for place, (word, weight) in looks]
    return figures.attention_maps(pl.DataFrame(rows, probes.ATTENTION, orient="row"))


BOXES = {  # name: (column, row, what it has)
    "datasets": (0, 0, "splits"),
    "learners": (0, 1, "fields, models"),
    "sweep": (1, 0, "what is lacking"),
    "engine": (1, 1, "many at once"),
    "ledger": (2, 0.5, "runs"),
    "analysis": (3, 0, "questions"),
    "report": (3, 1, "pages"),
}
ARROWS = ("datasets sweep", "learners sweep", "sweep engine", "sweep ledger", "engine ledger", "ledger analysis")
ARROWS += ("analysis report",)


def house() -> Figure:
    """The rooms that data passes through."""
    figure = Figure(figsize=(WIDTH / 72, 140 / 72))
    axes = axes_at(figure, 0, 0, WIDTH, 140)
    wide, high = 74, 44
    at = {name: (4 + 88 * column, 88 - 78 * row) for name, (column, row, _) in BOXES.items()}
    for name, (x, y) in at.items():
        box = FancyBboxPatch((x, y), wide, high, boxstyle="round,pad=0,rounding_size=5", facecolor=COLOR.panel)
        box.set(edgecolor=COLOR.rule)
        axes.add_patch(box)
        axes.text(x + wide / 2, y + 27, name, ha="center", va="center", fontsize=11.5)
        axes.text(x + wide / 2, y + 12, BOXES[name][2], ha="center", va="center", fontsize=9.5, color=COLOR.muted)
    for arrow in ARROWS:
        (x, y), (u, v) = (at[name] for name in arrow.split())
        start, end = (
            ((x + wide, y + high / 2), (u, v + high / 2)) if u > x else ((x + wide / 2, y), (u + wide / 2, v + high))
        )
        axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": COLOR.muted, "linewidth": 1})
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(0, 140)
    bare(axes)
    axes.set_axis_off()
    return labelled(figure, {name: what for name, (_, _, what) in BOXES.items()})


PICTURES: dict[str, Callable[[], Figure]] = {
    "agreement": agreement,
    "attention": attention,
    "avenues": avenues,
    "contrast": contrast,
    "few-shots": few_shots,
    "house": house,
    "lengths": lengths,
    "search": searched,
}


def drawn(name: str, theme: str) -> str:
    """A picture in the colours of a theme, light or dark, as a file of its own."""
    with mpl.rc_context(STYLE):
        text = as_svg(PICTURES[name](), f"{name}-{theme}")
    for color, shades in PALETTE.items():
        text = re.sub(rf"var\(--{color}, #\w+\)", shades[THEMES.index(theme)], text)
    return re.sub(r"var\(--sans, ([^)]*)\)", r"\1", text) + "\n"


def write() -> None:
    """All of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in PICTURES:
        for theme in THEMES:
            (FOLDER / f"{name}-{theme}.svg").write_text(drawn(name, theme))


if __name__ == "__main__":
    write()
