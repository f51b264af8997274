"""Attention maps: which words of a command a network looked at, action by action. One as a file, some for the page."""

from collections.abc import Sequence
from pathlib import Path

from numpy.typing import NDArray

from daxlab.errors import InputError
from daxlab.languages import language
from daxlab.report.drawing import INK, OURS, WIDTH, Picture, picture, style
from daxlab.splits import named_commands
from daxlab.store import Ledger, unpack_arrays

MOST_STEPS = 12
PANELS = 3  # side by side


def draw(weights: NDArray | None, words: Sequence[str], steps: Sequence[str], path: Path) -> None:  # type: ignore[type-arg]
    """Draws weights [steps, words] into a file, in the format that its name says."""
    import matplotlib as mpl  # noqa: PLC0415 - slow to load
    from matplotlib.figure import Figure  # noqa: PLC0415

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
    """Where the median run looked when asked the named commands; None if it left no attention."""
    import polars as pl  # noqa: PLC0415 - beside the figures

    from daxlab.analysis.accuracy import median_run  # noqa: PLC0415 - the analyses are slow to load

    key = median_run(ledger, keys)
    content = ledger.artefact(key, "attention")
    if content is None:
        return None
    row = ledger.rows({"key": key})[0]
    commands = named_commands(language(row["spec"]["language"]["name"]))
    arrays = unpack_arrays(content)
    maps = {command: arrays[f"w{n}"].tolist() for n, command in enumerate(commands) if f"w{n}" in arrays}
    cells = [
        (command, step, word, weight)
        for command, weights in maps.items()
        for step, looked in enumerate(weights, 1)
        for word, weight in zip((*command.split(), "<EOS>"), looked, strict=True)
    ]
    data = pl.DataFrame(cells, ["command", "step", "word", "weight"], orient="row")
    caption = (
        f"Median run, seed {row['seed']}. Rows are the network's steps (the first {MOST_STEPS}), columns the words; the more "
        "weight, the fuller. Weights in the data are of 255."
    )
    label = f"Attention maps for {', '.join(maps)}"
    return picture(_panels(maps), name, "Where it looked.", caption, label, data)


def _panels(maps: dict[str, list[list[int]]]):  # type: ignore[no-untyped-def]
    """A small map per command, in rows of three."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to load
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    rows = [list(maps.items())[n : n + PANELS] for n in range(0, len(maps), PANELS)]
    heights = [48 + 12 * max(min(len(weights), MOST_STEPS) for _, weights in row) for row in rows]
    with style():
        figure = Figure(figsize=(WIDTH / 72, sum(heights) / 72))
        top = sum(heights)
        for row, height in zip(rows, heights, strict=True):
            for column, (command, weights) in enumerate(row):
                shown = weights[:MOST_STEPS]
                words = [*command.split(), "<EOS>"]
                box = (column * WIDTH / PANELS + 6, top - 46 - 12 * len(shown), 24 * len(words), 12 * len(shown))
                axes = figure.add_axes((box[0] / WIDTH, box[1] / sum(heights), box[2] / WIDTH, box[3] / sum(heights)))
                for step, looked in enumerate(shown):
                    for word, weight in enumerate(looked):
                        alpha = 0.05 + 0.9 * weight / 255
                        axes.add_patch(Rectangle((word, step), 0.92, 0.9, color=OURS, alpha=alpha, linewidth=0))
                axes.set_xlim(0, len(words))
                axes.set_ylim(len(shown), 0)
                axes.set_xticks([n + 0.3 for n in range(len(words))], words, rotation=45, ha="left")
                axes.xaxis.tick_top()
                axes.set_yticks([])
                axes.tick_params(length=0, labelcolor=INK, pad=1, labelsize=9.5)
                for spine in axes.spines.values():
                    spine.set_visible(False)
            top -= height
        return figure
