"""Experiment 4 on the page: what is of the paper's pairs, what is synthetic, what is not measured."""

from pathlib import Path

import pytest

from daxlab.datasets.new_word import named
from daxlab.datasets.translation import PAPER
from daxlab.ledger import Ledger, Writer
from daxlab.report import translation
from daxlab.report.blocks import Absent, Fold, Picture, Section, Table, Text
from daxlab.report.facts import Facts


def section_of(path: Path, runs: list) -> Section:
    with Writer(path) as writer:
        writer.add(runs)
    with Ledger(path) as ledger:
        return translation.section(Facts(ledger))


def tables(section: Section) -> dict[str, Table]:
    blocks = [block for part in section.sections for block in part.blocks]
    blocks += [block for fold in blocks if isinstance(fold, Fold) for block in fold.blocks]
    return {block.name: block for block in blocks if isinstance(block, Table)}


def pictures(section: Section) -> list[Picture]:
    return [block for part in section.sections for block in part.blocks if isinstance(block, Picture)]


def said(section: Section) -> str:
    blocks = [*section.blocks, *(block for part in section.sections for block in part.blocks)]
    return " ".join(block.text for block in blocks if isinstance(block, Text | Absent))


def test_an_empty_ledger_says_what_measures_it(tmp_path: Path) -> None:
    found = section_of(tmp_path / "runs.db", [])
    assert "daxlab reproduce translation" in said(found)
    assert found.sections == []


def test_synthetic_pairs_are_called_so_everywhere(translations, tmp_path: Path) -> None:
    found = section_of(tmp_path / "runs.db", [translations("translation"), translations("daxy-1000")])
    assert all("(synthetic)" in part.title for part in found.sections)
    assert "These pairs (synthetic) are not the paper's" in said(found)
    assert "Not measured in this ledger: the paper's experiment with English-French" in said(found)


def test_the_paper_s_counts_stand_beside_its_own_frames_only(translations, tmp_path: Path) -> None:
    own = named("built-in", None, ["i am X .=je suis X .", "he is X .=il est X ."])
    for language, theirs in (("built-in", True), (own, False)):
        found = section_of(tmp_path / f"{theirs}.db", [translations("daxy-1000", language=language)])
        (drawn,) = (one for one in pictures(found) if one.name.startswith("repetitions"))
        assert ("the paper" in drawn.caption, "In the paper: 80" in said(found)) == (theirs, theirs)
        assert ("whether or not they suit it" in said(found)) != theirs


def test_two_new_words_on_one_corpus_have_parts_of_their_own(translations, tmp_path: Path) -> None:
    other = named("built-in", "blicky=blickiste")
    runs = [translations("daxy-1000"), translations("blicky-1000", language=other)]
    titles = [part.title for part in section_of(tmp_path / "runs.db", runs).sections]
    assert len(set(titles)) == len(titles) == 10
    assert "Every translation (synthetic, blicky)" in titles


def test_every_question_is_shown_with_reference_translation_and_verdict(data, translations, tmp_path: Path) -> None:
    wrong = {"he is daxy .": "il est fou ."}
    runs = [translations("translation", 0, language=PAPER, wrong_every=3)]
    runs += [translations("daxy-1000", seed, wrong if seed else {}, language=PAPER) for seed in range(2)]
    found = section_of(tmp_path / "runs.db", runs)
    assert [part.name for part in found.sections] == ["bleu", "new-word", "translations", "looked", "frames"]
    shown = tables(found)
    rows = shown["translations-daxy-1000"].rows
    at = next(n for n, row in enumerate(rows) if row[0] == "he is daxy .")
    both = {tuple(row[2:]) for row in rows[at : at + 2]}
    assert both == {("il est daxiste .", "1", "right"), ("il est fou .", "1", "wrong")}
    assert sum(len(row) > 1 for row in rows) == 17  # sixteen questions, one of them answered in two ways
    assert [row[0] for row in shown["bleu-table"].rows] == ["translation", "daxy-1000"]
    frames = {row[0]: tuple(row[1:]) for row in shown["frames-table"].rows}
    assert frames["he is X ."][1:] == ("36", "56", "0")
    assert int(frames["he is X ."][0].replace(",", "")) > 36
    assert frames["i am very X ."][3] != "0"
    assert "7.5 of the 8 sentences with “daxy” come out right (two runs), 8.0 with “tired”" in said(found)
    assert "79 distinct English sentences with “tired”" in said(found)


@pytest.mark.parametrize("name", ["repetitions", "looked-daxy", "looked-tired"])
def test_its_figures_are_drawn(data, translations, tmp_path: Path, name: str) -> None:
    found = section_of(tmp_path / "runs.db", [translations("daxy-1000", language=PAPER)])
    assert name in [picture.name for picture in pictures(found)]
