"""The page: every section in its order, and all of it in one file. No number is computed here."""

import re
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import quote

from daxlab.report import text
from daxlab.report.blocks import Block, Section, Text
from daxlab.report.drawing import PALETTE
from daxlab.runs import Ledger

if TYPE_CHECKING:
    from markupsafe import Markup

TITLE = "Generalization without systematicity, measured again"
STRIP = 160  # pixels from 0 to 100


def page(ledger: Ledger) -> str:
    """The ledger's results beside the paper's, as HTML that needs nothing else."""
    from jinja2 import Environment, StrictUndefined  # slow to load

    here = files("daxlab.report")
    room = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    room.filters |= {"prose": prose, "uri": uri}
    template = room.from_string((here / "template.html.j2").read_text(encoding="utf-8"))
    return template.render(
        title=TITLE,
        over="daxlab · Lake & Baroni (2018), Experiments 1 to 4",
        opening=_opening(ledger),
        sections=_sections(ledger),
        footer="Made by daxlab. The paper: Lake, B. and Baroni, M. (2018). Generalization without systematicity: on "
        "the compositional skills of sequence-to-sequence recurrent networks. ICML.",
        palette=PALETTE,
        verdicts=("within", "beyond", "shown", "unmeasured"),
        at=lambda value: f"{STRIP * min(max(value, 0), 100) / 100:g}",
        css=(here / "style.css").read_text(encoding="utf-8"),
        js=(here / "page.js").read_text(encoding="utf-8"),
    )


def _opening(ledger: Ledger) -> list[Block]:
    status = ledger.status()
    runs = f"{text.counted(status['done'], 'run')}" + (
        f" ({status['failed']:,} more failed)" if status["failed"] else ""
    )
    question = (
        "Teach a network what “dax” means: does it know what “dax twice” means? In 2018 Brenden Lake and Marco Baroni "
        "asked recurrent networks that, with SCAN, a little language of navigation commands."
    )
    if not status["done"]:
        nothing = "This ledger holds no finished run, so nothing is measured; `daxlab reproduce all` measures it."
        return [Text(question), Text(nothing, "absent")]
    return [Text(f"{question} This page sets their figures beside what was measured here: {runs} so far.")]


def _sections(ledger: Ledger) -> list[Section]:
    from daxlab.report import (  # slow to load
        architectures,
        each_split,
        experiment1,
        experiment2,
        experiment3,
        experiment4,
        making,
        summary,
    )
    from daxlab.report.facts import Facts

    facts = Facts(ledger)
    return [
        summary.section(facts),
        experiment1.section(facts),
        experiment2.section(facts),
        experiment3.section(facts),
        experiment4.section(facts),
        architectures.section(facts),
        each_split.section(facts),
        *making.sections(facts),
    ]


def prose(given: str) -> "Markup":
    """Text as HTML: `letters`, *stress*, and after a line break the small print."""
    from markupsafe import Markup, escape  # comes with jinja2

    head, _, small = given.partition("\n")
    marked = [str(escape(part)) for part in (head, small)]
    marked = [re.sub(r"`([^`]+)`", r"<code>\1</code>", part) for part in marked]
    marked = [re.sub(r"\*([^*]+)\*", r"<em>\1</em>", part) for part in marked]
    return Markup(marked[0] + (f"<small>{marked[1]}</small>" if small else ""))


def uri(content: str) -> str:
    """A file as an address that needs no network."""
    return "data:text/csv;charset=utf-8," + quote(content)
