"""Experiment 4 beside the paper: runs on its pairs speak to it, and no others."""

from pathlib import Path

import pytest

from daxlab import dataset
from daxlab.datasets.translation import PAPER
from daxlab.ledger import Ledger, Writer
from daxlab.paper.comparison import compare
from daxlab.paper.translations import conditions, lost, stated, translation_summary

FIGURES = ("exp4.bleu", "exp4.daxy.bleu-drop", "exp4.tired", *(f"exp4.daxy.{times}" for times in (1, 10, 100, 1000)))


def filled(path: Path, runs: list) -> Path:
    with Writer(path) as writer:
        writer.add(runs)
    return path


def test_the_paper_s_pairs_give_every_figure(data, translations, tmp_path: Path) -> None:
    wrong = {"you are daxy .": "tu es fou .", "he is not daxy .": "il n est pas la ."}
    runs = [translations("translation", seed, language=PAPER, wrong_every=2 + seed) for seed in range(3)]
    runs += [translations("daxy-1000", seed, wrong, language=PAPER, wrong_every=2) for seed in range(3)]
    runs += [translations(f"daxy-{times}", 0, {}, language=PAPER) for times in (1, 10, 100)]
    with Ledger(filled(tmp_path / "runs.db", runs)) as ledger:
        rows = {row.id: row for row in compare(ledger) if row.id.startswith("exp4.")}
        assert len(rows) == 10
        assert all(row.verdict != "unmeasured" for row in rows.values())
        baseline, taught, *_ = conditions(ledger, dataset(PAPER).digest, PAPER)
        assert rows["exp4.bleu"].runs == baseline.bleu
        assert "tok:none" in rows["exp4.bleu"].note
        assert rows["exp4.daxy.bleu-drop"].runs == pytest.approx(lost(baseline, taught))
        assert rows["exp4.daxy.bleu-drop"].runs[0] == pytest.approx(0)  # the same sentences are wrong
        assert rows["exp4.daxy.bleu-drop"].runs[1] > 0
    daxy = rows["exp4.daxy.1000"]
    assert (daxy.runs, daxy.paper, daxy.verdict) == ([6, 6, 6], 1, "differs")
    assert (rows["exp4.tired"].runs, rows["exp4.tired"].verdict) == ([8, 8, 8], "agrees")
    assert (rows["exp4.tired.constructions"].shown, rows["exp4.tired.seen"].shown) == ("79", "1")
    assert (rows["exp4.frames"].shown, rows["exp4.frames"].verdict) == ("11.9", "shown")


def test_other_pairs_do_not_speak_to_the_paper_and_the_row_says_so(translations, tmp_path: Path) -> None:
    with Ledger(filled(tmp_path / "runs.db", [translations("translation")])) as ledger:
        rows = {row.id: row for row in compare(ledger, ["translation"])}
    assert set(rows) == set(FIGURES)
    assert all(row.verdict == "unmeasured" for row in rows.values())
    assert "runs on built-in, which are not the paper's pairs" in rows["exp4.bleu"].note


def test_the_summary_of_a_corpus_has_every_run_and_every_translation(translations, tmp_path: Path) -> None:
    asked = {"he is daxy .": "il est la ."}
    runs = [translations("translation"), translations("daxy-10", 0, asked), translations("daxy-10", 1)]
    with Ledger(filled(tmp_path / "runs.db", runs)) as ledger:
        found = translation_summary(ledger, "built-in")
    parts = {part["split"]: part for part in found["conditions"]}
    assert list(parts) == ["translation", "daxy-1000", "daxy-100", "daxy-10", "daxy-1"]
    assert (parts["daxy-10"]["right"]["daxy"], parts["daxy-10"]["seeds"]) == ([7, 8], [0, 1])
    assert parts["daxy-10"]["lost"] == pytest.approx([0])  # seed 1 has no baseline
    question = next(one for one in parts["daxy-10"]["questions"] if one["sentence"] == "he is daxy .")
    assert question["translations"] == [["il est la .", False], ["il est daxiste .", True]]
    assert (found["paper"], found["new"], found["asked"]) == (False, "daxy", 8)


def test_what_the_paper_states_of_each_condition() -> None:
    assert stated(0) == {"bleu": "28.6"}
    assert stated(1000) == {"new": "1", "lost": "< 1", "known": "8"}
    assert [stated(times)["new"] for times in (100, 10, 1)] == ["1", "0", "0"]
