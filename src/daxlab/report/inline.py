"""A figure's SVG as it stands in the page: a third of the bytes, and a word on every mark that one points at.

`tip` and `tip_row` are called while a figure is drawn, `inlined` when it is written. Knows nothing of what is drawn.
"""

import re
from weakref import WeakKeyDictionary

from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

REACH = 6  # pixels around a mark that belong to it
Place = tuple[float, float]
TIPS: WeakKeyDictionary[Axes, list[tuple[Place, Place | None, str]]] = WeakKeyDictionary()


def tip(axes: Axes, at: Place, said: str, to: Place | None = None) -> None:
    """What is said of the mark at a place, in coordinates of the data; `to`: of the whole box from there to here."""
    TIPS.setdefault(axes, []).append((at, to, said))


def inlined(figure: Figure, svg: str) -> str:
    """The figure's SVG without what a page does not need, and with its tips."""
    return re.sub(r"</svg>\s*$", lambda _: _tips(figure) + "</svg>", _smaller(svg))


def _tips(figure: Figure) -> str:
    """A mark without colour and with a title for every tip: browsers show it, and the page's script does so at once."""
    height, marks = 72 * figure.get_figheight(), []
    for axes in figure.axes:
        for at, to, said in TIPS.get(axes, ()):
            (x, y), title = axes.transData.transform(at), f"<title>{escape(said)}</title>"
            shape = f'<circle cx="{x:.4g}" cy="{height - y:.4g}" r="{REACH}">{title}</circle>'
            if to is not None:
                right, low = axes.transData.transform(to)
                left, top = min(x, right), height - max(y, low)
                size = f'width="{abs(right - x):.4g}" height="{abs(y - low):.4g}"'
                shape = f'<rect x="{left:.4g}" y="{top:.4g}" {size}>{title}</rect>'
            marks.append(shape)
    return f'<g class="tips" fill="none" pointer-events="all">{"".join(marks)}</g>' if marks else ""


def _smaller(svg: str) -> str:
    """The same drawing: no colours beside their names, no boxes that are not seen, no groups of nothing."""
    svg = re.sub(r"var\((--[a-z]+), [^()]*\)", r"var(\1)", svg)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<path d="[^"]*" style="fill: none"/>', "", svg)
    svg = re.sub(r"font-family: [^;\"]*; ", "", svg)
    svg = re.sub(r' transform="rotate\(-0 [^)]*\)"', "", svg)
    svg = re.sub(r'(?<= d=")[^"]*', lambda path: _path(path[0]), svg)
    svg = re.sub(r'(?<=style=")[^"]*', lambda style: re.sub(r"(?<=[:;]) ", "", style[0]), svg)
    svg = re.sub(r"<g>\s*</g>|<g/>", "", _without_plain_groups(svg))
    svg = re.sub(r">\s+<", "><", svg)
    inherited = "font-family:var(--sans);stroke-linejoin:round;stroke-linecap:butt"
    return svg.replace("<svg ", f'<svg style="{inherited}" ', 1)


def _path(path: str) -> str:
    """A path to a tenth of a pixel, on one line; of dots that fall on one another, one."""
    path = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), path)
    path = re.sub(r"\s*([A-Za-z])\s*", r"\1", path).strip()
    dots = re.fullmatch(r"(?:M([^ML]+)L\1)+", path)  # \1: the last
    return "".join(f"M{dot}h0" for dot in dict.fromkeys(re.findall(r"M([^ML]+)L\1", path))) if dots else path


def _without_plain_groups(svg: str) -> str:
    """Without the groups that have no attributes, and with all that is in them."""
    plain: list[bool] = []

    def kept(tag: re.Match[str]) -> str:
        if tag[0] == "</g>":
            return "" if plain.pop() else "</g>"
        if tag[0].endswith("/>"):
            return ""
        plain.append(tag[0] == "<g>")
        return "" if plain[-1] else tag[0]

    return re.sub(r"<g\b[^>]*>|</g>", kept, svg)
