"""Attention maps: which words of a command a network looked at, action by action. One as a file, some for the page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from daxlab.errors import InputError
from daxlab.languages import language
from daxlab.report.drawing import INK, MUTED, OURS, WIDTH, Picture, picture, short, style
from daxlab.splits import named_commands
from daxlab.store import Ledger, unpack_answers, unpack_arrays

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STEPS = 12
PANELS = 3  # side by side
HEAD, STEP, WORD, NAMES = 50, 14, 19, 38  # pixels: the words above a map, a row of it, a column, the actions beside it
END = "<EOS>"
Map = tuple[Sequence[str], Sequence[Sequence[int]]]  # the network's actions, and the weights of each on the words


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
    """Where the median run looked when it was asked the named commands; None if it left no attention."""
    import polars as pl  # noqa: PLC0415 - beside the figures

    from daxlab.analysis.accuracy import median_run  # noqa: PLC0415 - the analyses are slow to load

    key = median_run(ledger, keys)
    content = ledger.artefact(key, "attention")
    if content is None:
        return None
    (row,) = ledger.rows({"key": key})
    maps = _maps(row["spec"]["language"]["name"], content, ledger.artefact(key, "named"))
    cells = [
        (command, step, action, word, weight)
        for command, (actions, weights) in maps.items()
        for step, (action, looked) in enumerate(zip(actions, weights, strict=True), 1)
        for word, weight in zip((*command.split(), END), looked, strict=True)
    ]
    data = pl.DataFrame(cells, ["command", "step", "action", "word", "weight"], orient="row")
    caption = (
        f"Median run, seed {row['seed']}. Rows are the actions it gave (the first {MOST_STEPS}), columns the words; "
        "the fuller, the more weight. Weights in the data are of 255."
    )
    label = f"Attention maps for {', '.join(maps)}"
    return picture(_panels(maps), name, "Where it looked.", caption, label, data)


def _maps(name: str, content: bytes, named: bytes | None) -> dict[str, Map]:
    """By command: the actions given, numbered where the ledger does not have them, and the weights."""
    examples = named_commands(language(name))
    given = unpack_answers(named, [example.actions for example in examples]) if named is not None else None
    arrays: Mapping[str, Any] = unpack_arrays(content)
    found: dict[str, Map] = {}
    for n, example in enumerate(examples):
        if f"w{n}" in arrays:
            weights = arrays[f"w{n}"].tolist()
            actions = [*given[n], END] if given else []
            numbered = [str(step) for step in range(1, len(weights) + 1)]
            found[example.command] = (actions[: len(weights)] if len(actions) >= len(weights) else numbered, weights)
    return found


def _panels(maps: Mapping[str, Map]) -> "Figure":
    """A small map per command, in rows of three."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to load

    rows = [list(maps.items())[n : n + PANELS] for n in range(0, len(maps), PANELS)]
    heights = [HEAD + STEP * max(min(len(steps), MOST_STEPS) for _, (steps, _) in row) for row in rows]
    whole = sum(heights)
    with style():
        figure = Figure(figsize=(WIDTH / 72, whole / 72))
        for n, row in enumerate(rows):
            top = whole - sum(heights[:n]) - HEAD
            for column, (command, (steps, weights)) in enumerate(row):
                wide, high = WORD * (command.count(" ") + 2), STEP * min(len(steps), MOST_STEPS)
                left = column * WIDTH / PANELS + NAMES
                axes = figure.add_axes((left / WIDTH, (top - high) / whole, wide / WIDTH, high / whole))
                _panel(axes, command, steps[:MOST_STEPS], weights[:MOST_STEPS])
        return figure


def _panel(axes: "Axes", command: str, steps: Sequence[str], weights: Sequence[Sequence[int]]) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - slow to load

    words = [*command.split(), END]
    for step, looked in enumerate(weights):
        for word, weight in enumerate(looked):
            box = Rectangle((word, step), 0.92, 0.9, color=OURS, alpha=0.05 + 0.9 * weight / 255, linewidth=0)
            axes.add_patch(box)
    axes.set_xlim(0, len(words))
    axes.set_ylim(len(steps), 0)
    axes.set_xticks([n + 0.3 for n in range(len(words))], [short(word) for word in words], rotation=45, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks([n + 0.45 for n in range(len(steps))], [short(step) for step in steps])
    axes.tick_params(length=0, labelcolor=INK, pad=1, labelsize=10)
    axes.tick_params(axis="y", labelcolor=MUTED, labelsize=9)
    for spine in axes.spines.values():
        spine.set_visible(False)
