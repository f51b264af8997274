"""The chapter after the paper: every learner in the picture, and no word that its numbers do not bear."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

from daxlab.ledger import Ledger
from daxlab.paper.leaderboard import COMMAND, Cell, Entry, leaderboard
from daxlab.report import avenues as chapter, figures
from daxlab.report.blocks import Block, Picture, Section, Table, Text
from daxlab.report.drawing import STYLE
from daxlab.report.facts import Facts
from daxlab.report.page import page

from .test_page import plain


@pytest.fixture
def section(avenues: Path) -> Iterator[Section]:
    with Ledger(avenues) as known, mpl.rc_context(STYLE):
        yield chapter.section(Facts(known))


@pytest.fixture
def entries(avenues: Path) -> dict[str, Entry]:
    with Ledger(avenues) as known:
        return {entry.learner: entry for entry in leaderboard(known)}


def words(blocks: list[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


def test_the_picture_and_the_table_have_every_learner(section: Section, entries: dict[str, Entry]) -> None:
    (drawn,) = (block for block in section.blocks if isinstance(block, Picture))
    for name in entries:
        assert f"{name}: " in drawn.svg
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[0] for row in tables[0].rows] == list(entries)
    assert any("told which commands are near one another" in str(row[0]) for row in tables[1].rows)


def test_every_kind_after_the_paper_has_a_part_and_the_paper_s_networks_have_none(section: Section) -> None:
    assert [below.title for below in section.sections] == ["rules", "nearest"]
    assert all(sum(isinstance(block, Picture) for block in below.blocks) == 1 for below in section.sections)


def test_sentences_follow_from_the_numbers(section: Section, entries: dict[str, Entry]) -> None:
    rules, nearest = (words(list(below.blocks)) for below in section.sections)
    assert "all test commands right on *simple* (100.00%), *length* (100.00%)" in rules
    assert "most on *template-around-right* (95.00%)" in rules
    assert "no on *length* (0.00%)" in nearest
    for said, name in ((rules, "rules"), (nearest, "nearest")):
        differing = set(re.findall(r"^\S+ on \*([a-z0-9-]+)\*: .* published\. Ours is (\w+)", said, re.MULTILINE))
        cells = [cell for cell in entries[name].cells.values() if cell.verdict == "differs"]
        assert differing == {(cell.split, "higher" if cell.mean > cell.published.mean else "lower") for cell in cells}
    assert "Ours is higher" in rules and "Ours is lower" in nearest
    assert "There: told nothing; protocol: the paper's. Here: 1,750,000 presentations" in nearest


def test_where_a_learner_breaks_is_on_the_split_nearest_to_half_right(section: Section) -> None:
    rules, nearest = (words(list(below.blocks)) for below in section.sections)
    assert (
        "On *jump*: Of the wrong answers of 3 runs, 100% are too short" in nearest
    )  # all that is made up lacks its end
    assert "2 to 9: 100.0%" in nearest and "27 to 48: 0.0%" in nearest
    assert "On *template-around-right*" in rules and "never wrong: " in rules


def test_a_learner_that_is_always_right_breaks_nowhere_and_one_without_answers_says_so(
    entries: dict[str, Entry], avenues: Path
) -> None:
    with Ledger(avenues) as known:
        facts, rules = Facts(known), entries["rules"]
        rules.cells.pop("template-around-right")
        assert words(list(chapter._where(facts, rules))) == "Every answer is right on all of these splits."
        bare = entries["nearest"]
        for split in [split for split, cell in bare.cells.items() if split != "mcd1"]:
            bare.cells.pop(split)
        bare.cells["mcd1"] = Cell("mcd1", 10.0, runs=1, keys=["00" * 32])
        assert "no answers of these runs" in words(list(chapter._where(facts, bare)))


def test_a_ledger_without_such_learners_has_one_line_or_no_chapter(html: str, empty_html: str, other_html: str) -> None:
    assert "Any learner after the paper" in plain(html) and COMMAND in plain(html)
    assert all('id="avenues-0"' not in written for written in (html, empty_html, other_html))
    assert "After the paper" not in plain(other_html)


def test_a_matrix_says_in_words_what_it_draws() -> None:
    drawn = figures.matrix({"a": [(100.0, 99.7), (None, 3.0)], "b": [(None, None), (0.04, None)]}, ["one", "two more"])
    assert drawn.get_label() == "a: one 100; b: two more <1"


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chapter_fits_a_phone_and_a_desk(
    chromium: Any, avenues: Path, tmp_path: Path, width: int, scheme: str
) -> None:
    with Ledger(avenues) as known:
        (tmp_path / "report.html").write_text(page(known), encoding="utf-8")
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    opened = context.new_page()
    opened.goto((tmp_path / "report.html").as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    box = opened.locator("#avenues-0 svg").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["height"] > 200
    context.close()
