"""The page: every section in its order, and all of it in one file. No number is computed here."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from urllib.parse import quote

import matplotlib as mpl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from daxlab.analysis.answers import read_once
from daxlab.ledger import Ledger
from daxlab.report import ask, avenues, comparison, experiments, own, provenance, search, splits, text, translation
from daxlab.report.blocks import Asked, Block, Section, Text, anchors, gathered
from daxlab.report.drawing import PALETTE, STYLE
from daxlab.report.facts import Facts
from daxlab.web.bundle import script_hash

STRIP = 160  # pixels from 0 to 100
VERDICTS = {"agrees": "good", "holds": "good", "differs": "bad", "does not hold": "bad", "undecided": "open"}
VERDICTS |= {"shown": "muted", "unmeasured": "muted"}  # each with the class of its cell
PLAIN = "/,:;()=+*!?@$"  # what an address of data need not escape
QUESTION = (
    "Teach a network what “dax” means: does it know what “dax twice” means? In 2018 Brenden Lake and Marco Baroni "
    "asked recurrent networks that, with SCAN, a little language of navigation commands."
)
PAPER = (
    "The paper: Lake, B. and Baroni, M. (2018). Generalization without systematicity: on the compositional skills of "
    "sequence-to-sequence recurrent networks. ICML."
)


def page(ledger: Ledger, tell: Callable[[str], None] = lambda _: None) -> str:
    """The ledger's results, beside the paper's where they are comparable, as HTML that needs nothing else.

    `tell` is called with what is being written.
    """
    facts = Facts(ledger)
    sections: list[Section] = []
    with mpl.rc_context(STYLE), read_once():
        for what, make in _parts(facts, tell):
            tell(what)
            sections += make()
    sections, lacking = gathered(sections)
    if sections and lacking:
        *sections, last = sections
        sections.append(replace(last, sections=[*last.sections, provenance.absent_part(lacking)]))
    if not facts.of_paper:
        return written("What was learned", _opening(facts), sections)
    over, credit = "Lake & Baroni (2018), Experiments 1 to 4", PAPER
    return written("Generalization without systematicity, measured again", _opening(facts), sections, over, credit)


def _parts(facts: Facts, tell: Callable[[str], None]) -> Iterator[tuple[str, Callable[[], Sequence[Section]]]]:
    """What a page of this ledger has, in its order, each part with its name; nothing if there are no runs."""
    if not facts.ledger.status()["done"]:
        return
    if facts.of_paper:
        yield "what was found", lambda: [comparison.section(facts), ask.section(facts)]
        yield "the experiments", lambda: experiments.sections(facts)
        yield "the translations", lambda: [translation.section(facts)]
        yield "the search", lambda: [search.section(facts)]
    else:
        yield "what was learned", lambda: [own.section(facts), ask.section(facts)]
    if facts.of_paper or facts.leaderboard:
        yield "the learners after the paper", lambda: [avenues.section(facts)]
    yield "every split", lambda: [splits.section(facts, tell)]
    yield "how it was made", lambda: [provenance.section(facts)]


def written(
    title: str,
    opening: Sequence[Block],
    sections: Sequence[Section],
    over: str = "",
    credit: str = "",
    verdicts: Mapping[str, str] = VERDICTS,
) -> str:
    """A page of sections as HTML that needs nothing else. `over` stands above the title, `credit` at the foot;
    `verdicts`: cells that are coloured, each with its class."""
    folder = files("daxlab.report")
    scripts = {"": "\n" + (folder / "page.js").read_text(encoding="utf-8")}
    if any(isinstance(block, Asked) for section in sections for block in section.blocks):
        scripts["module"] = f"\n{ask.script()}\n"
    room = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    room.filters |= {"prose": prose, "quote": partial(quote, safe=PLAIN), "hash": script_hash}
    room.filters["kind"] = lambda block: type(block).__name__
    template = room.from_string((folder / "template.html.j2").read_text(encoding="utf-8"))
    return template.render(
        title=title,
        over=over,
        credit=credit,
        opening=opening,
        sections=sections,
        anchors=anchors(sections),
        palette=PALETTE,
        verdicts=verdicts,
        percent=text.percent,
        at=lambda value: f"{STRIP * min(max(value, 0), 100) / 100:g}",
        css=(folder / "style.css").read_text(encoding="utf-8"),
        scripts=scripts,
    )


def _opening(facts: Facts) -> list[Block]:
    status = facts.ledger.status()
    runs = text.counted(status["done"], "run") + (f" ({status['failed']:,} more failed)" if status["failed"] else "")
    if not status["done"]:
        command = "`daxlab train --split jump --runs 1` trains one network, in a few minutes"
        return [
            Text(QUESTION),
            Text(f"This ledger holds no finished run{text.failed(status['failed'])}, so there is nothing to show yet."),
            Text(f"{command}; `daxlab reproduce all` trains all of the paper's. Then make this page again."),
            Text("`daxlab report --ledger results/runs.db` shows the runs that daxlab comes with."),
        ]
    if not facts.of_paper:
        learners, datasets = (len(facts.ledger.values(column)) for column in ("label", "dataset"))
        said = f"{runs} of {text.counted(learners, 'learner')} on {text.counted(datasets, 'dataset')}"
        return [Text(text.sentence(said))]
    return [Text(f"{QUESTION} This page sets their figures beside what was measured here: {runs} so far.")]


def prose(plain: str) -> Markup:
    """Text as HTML: `code`, *stress*, [a link](#to-a-part), and after a line break the small print."""
    head, *small = str(escape(plain)).split("\n")
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", head + "".join(f"<small>{line}</small>" for line in small))
    linked = re.sub(r"\[([^\]]+)\]\((#[a-z0-9-]+)\)", r'<a href="\2">\1</a>', marked)
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", linked))
