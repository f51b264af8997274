"""How a figure is made: the colours, an empty pair of axes, and matplotlib's SVG turned into one for the page.

One unit of a drawing is one CSS pixel, and a figure is as wide as a phone's column, so that nothing is ever shrunk
until it cannot be read; on a wider screen two or three stand side by side. Knows nothing of what is drawn.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 345

# name: (light, dark). Figures are drawn in the light colours, which are then replaced by the names, so that a page that
# turns dark takes its figures along. No two light colours are the same.
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
INK, MUTED, RULE, PAGE = (PALETTE[name][0] for name in ("ink", "muted", "rule", "page"))
OURS, OTHER, THIRD, PAPER = (PALETTE[name][0] for name in ("ours", "other", "third", "paper"))

STYLE = {
    "svg.fonttype": "none",  # text stays text
    "font.size": 12,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 11.5,
    "axes.linewidth": 1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.dpi": 72,
    "text.color": INK,
    "xtick.color": RULE,
    "xtick.labelcolor": MUTED,
    "xtick.labelsize": 11.5,
    "ytick.color": RULE,
    "ytick.labelcolor": MUTED,
    "ytick.labelsize": 11.5,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
}


@dataclass(frozen=True)
class Picture:
    """A figure of the page: what is seen, what is heard, and the numbers behind it."""

    name: str
    """Its anchor, and the name of the files it is saved as."""
    title: str
    caption: str
    label: str
    """What a reader who does not see it is told."""
    svg: str
    csv: str


@contextmanager
def style() -> Iterator[None]:
    """Within it, matplotlib draws as we do."""
    import matplotlib as mpl  # slow to load

    with mpl.rc_context(STYLE):  # type: ignore[arg-type]
        yield


def canvas(
    height: float, *, left: float = 40, right: float = 14, top: float = 14, bottom: float = 40
) -> "tuple[Figure, Axes]":
    """A figure and its axes, with margins in pixels: figures of one row have their axes on one line."""
    from matplotlib.figure import Figure  # slow to load

    figure = Figure(figsize=(WIDTH / 72, height / 72))
    width = WIDTH - left - right
    axes = figure.add_axes((left / WIDTH, bottom / height, width / WIDTH, (height - top - bottom) / height))
    return figure, axes


def picture(figure: "Figure", name: str, title: str, caption: str, label: str, data: "pl.DataFrame") -> Picture:
    """The figure, done."""
    return Picture(name, title, caption, label, as_svg(figure, name, label), as_csv(data))


def as_csv(data: "pl.DataFrame") -> str:
    """A frame as CSV; a list becomes its members with blanks between them."""
    import polars as pl  # beside the figures

    lists = [name for name, kind in data.schema.items() if isinstance(kind, pl.List)]
    joined = [pl.col(name).cast(pl.List(pl.String)).list.join(" ") for name in lists]
    return data.with_columns(joined).write_csv()


def as_svg(figure: "Figure", name: str, label: str) -> str:
    """The figure as an element of a page: the page's colours and fonts, ids of its own, the same bytes every time."""
    import matplotlib as mpl  # slow to load

    written = StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _own_ids(text, name)
    for color, (light, _) in PALETTE.items():
        text = text.replace(light, f"var(--{color}, {light})")
    text = re.sub(r"font-family: [^;\"]*", "font-family: var(--sans, sans-serif)", text)
    text = re.sub(r' transform="rotate\(-?0 [^)]*\)"', "", text)
    text = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", text)  # a hundredth of a pixel is enough
    head, rest = text[: text.index(">") + 1], text[text.index(">") + 1 :]
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    assert box, "matplotlib says how large a figure is"
    width, height = (f"{float(side):g}" for side in box.groups())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"'
        f' aria-label="{_attribute(label)}" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    )
    return opening + re.sub(r"\n\s*\n+|\n\s+", "\n", rest).strip()


def _own_ids(text: str, name: str) -> str:
    """Ids that something refers to get the figure's name before them; the others go."""
    used = set(re.findall(r"url\(#([^)]+)\)", text)) | set(re.findall(r'href="#([^"]+)"', text))

    def renamed(found: "re.Match[str]") -> str:
        return f' id="{name}-{found[1]}"' if found[1] in used else ""

    text = re.sub(r' id="([^"]+)"', renamed, text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    return re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', text)


def _attribute(text: str) -> str:
    from markupsafe import escape  # comes with jinja2

    return str(escape(text))


def percent_axis(axes: Any) -> None:
    """A vertical axis of accuracies, with quiet lines across."""
    axes.set_ylim(-2, 104)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", color=RULE, linewidth=0.8)


def short(action: str) -> str:
    """An action as figures have room for it: in the paper's names."""
    return {"I_TURN_LEFT": "LTURN", "I_TURN_RIGHT": "RTURN"}.get(action, action.removeprefix("I_"))
