"""How a figure is made: colours, empty axes, and matplotlib's SVG turned into one for the page.

A unit of a drawing is a CSS pixel, and a figure is as wide as a phone's column, so that it is never shrunk until it
cannot be read; on a wider screen two stand side by side. Knows nothing of what is drawn.
"""

import re
from collections.abc import Mapping, Sequence
from io import StringIO
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import polars as pl
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from daxlab.report.blocks import Picture

WIDTH = 345

# name: (light, dark). Figures are drawn in the light colours, each of which is then replaced by its name, so that a
# page that turns dark takes its figures along. No two light colours are the same.
PALETTE = {
    "page": ("#fdfcf9", "#14181c"),
    "panel": ("#f5f3ec", "#1c2126"),
    "rule": ("#dedacf", "#343b42"),
    "ink": ("#1f2529", "#e8e6e0"),
    "muted": ("#5f686e", "#a3adb4"),
    "ours": ("#235e93", "#82b6e9"),
    "other": ("#8a4f9e", "#c79ad8"),
    "third": ("#3d7a1f", "#9ccf77"),
    "paper": ("#a94e1a", "#f2a268"),
    "good": ("#2c7153", "#7cc7a0"),
    "bad": ("#a62f45", "#f0919f"),
}
COLOR = SimpleNamespace(**{name: light for name, (light, _) in PALETTE.items()})

TICKS = {"color": COLOR.rule, "labelcolor": COLOR.muted, "labelsize": 11.5, "minor.size": 0}
STYLE: dict[Any, Any] = {f"{axis}tick.{name}": value for axis in "xy" for name, value in TICKS.items()}
STYLE |= {f"axes.spines.{side}": False for side in ("top", "right")}
STYLE |= {"axes.edgecolor": COLOR.rule, "axes.labelcolor": COLOR.muted, "axes.labelsize": 11.5, "axes.linewidth": 1}
STYLE |= {"axes.axisbelow": True, "text.color": COLOR.ink, "font.size": 12}
STYLE |= {"xtick.major.size": 3, "ytick.major.size": 0}
STYLE |= {"lines.linewidth": 1.6, "lines.solid_capstyle": "round", "figure.dpi": 72, "svg.fonttype": "none"}


class PageFigure(Figure):
    """A figure of the page, which becomes SVG."""


def on_page(axes: Axes) -> bool:
    """Whether these axes are the page's, and not some that a user draws on."""
    return isinstance(axes.figure, PageFigure)


def canvas(height: float, *, left: float, right: float, top: float, bottom: float) -> tuple[Figure, Axes]:
    """A figure and its axes, with margins in pixels: figures of one row have their axes on one line."""
    figure = PageFigure(figsize=(WIDTH / 72, height / 72))
    return figure, axes_at(figure, left, bottom, WIDTH - left - right, height - top - bottom)


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in the figure, in pixels."""
    tall = figure.get_figheight() * 72
    return figure.add_axes((left / WIDTH, bottom / tall, width / WIDTH, height / tall))


def say(axes: Axes, said: str, at: tuple[float, float], by: tuple[float, float], **how: Any) -> None:
    """Write beside a place: `by` is the distance from it in pixels; `coords` are those of the place."""
    how = {"xycoords": how.pop("coords", "axes fraction"), "textcoords": "offset points", **how}
    axes.annotate(said, at, by, annotation_clip=False, **how)


def bare(axes: Axes, *sides: str) -> None:
    """Axes without the lines on these sides, or on any."""
    for side in sides or ("left", "right", "top", "bottom"):
        axes.spines[side].set_visible(False)


def percent_axis(axes: Axes) -> None:
    """A vertical axis of accuracies, with quiet lines across."""
    axes.set_ylim(-2, 104)
    axes.set_yticks([0, 25, 50, 75, 100])
    bare(axes, "left")
    axes.grid(axis="y", color=COLOR.rule, linewidth=0.8)


def short(action: str, most: int = 10) -> str:
    """An action as figures have room for it, those of SCAN in the paper's names."""
    name = {"I_TURN_LEFT": "LTURN", "I_TURN_RIGHT": "RTURN"}.get(action, action.removeprefix("I_"))
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


def picture(figure: Figure, name: str, title: str, caption: str, data: pl.DataFrame | Sequence[Any]) -> Picture:
    """A figure of the page, and its data: a frame, or rows for one."""
    frame = data if isinstance(data, pl.DataFrame) else pl.DataFrame([dict(row) for row in data])
    return Picture(name, title, caption, as_svg(figure, name), as_csv(frame))


def as_csv(data: pl.DataFrame) -> str:
    """A frame as CSV; a list becomes its members with blanks between them."""
    lists = [name for name, kind in data.schema.items() if isinstance(kind, pl.List)]
    return data.with_columns(pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in lists).write_csv()


def as_svg(figure: Figure, name: str) -> str:
    """The figure as an element of a page: the page's colours and fonts, ids of its own, the same bytes every time."""
    written = StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = _own_ids(text, name)
    for color, (light, _) in PALETTE.items():
        text = text.replace(light, f"var(--{color}, {light})")
    text = re.sub(r"font-family: [^;\"]*", "font-family: var(--sans, sans-serif)", text)
    text = re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", text)  # a hundredth of a pixel is enough
    width, height = (f"{72 * side:g}" for side in figure.get_size_inches())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"'
        f' aria-label="{escape(figure.get_label())}" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    )
    return opening + re.sub(r"\n\s+", "\n", text.partition(">")[2]).strip()


def _own_ids(text: str, name: str) -> str:
    """Ids that something refers to get the figure's name before them; the others go."""
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "", text)
    return re.sub(r'(url\(#|href="#)', rf"\1{name}-", text)


def labelled(figure: Figure, parts: Mapping[str, Any]) -> Figure:
    """The figure with its label: what a reader is told who does not see it."""
    figure.set_label("; ".join(f"{name}: {value}" for name, value in parts.items()))
    return figure
