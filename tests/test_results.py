"""The results that come with daxlab are what they say they are."""

import re
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import polars as pl
import pytest

from daxlab.analysis.answers import answers, scored
from daxlab.analysis.replicates import differing
from daxlab.datasets import SentencePairs, dataset
from daxlab.datasets.translation import TATOEBA
from daxlab.learners import RNN
from daxlab.learners.core import NO_ANSWER
from daxlab.ledger import Ledger, key
from daxlab.ledger.artefacts import STEP
from daxlab.ledger.location import ledger_at
from daxlab.ledger.spec import all_facts
from daxlab.paper.comparison import compare
from daxlab.paper.experiments import EXPERIMENTS, specs
from daxlab.paper.translations import COUNTED
from daxlab.sweep import weights_of
from daxlab.sweep.grid import read

RESULTS = Path(__file__).parent.parent / "results"
LEDGERS = sorted(str(path.relative_to(RESULTS)) for path in RESULTS.rglob("*.db"))
pytestmark = pytest.mark.results
PAGES = ["results/README.md", "README.md", "docs/paper.md", "docs/the-search.md", "docs/after-the-paper.md"]
PICTURES = sorted(path.stem for path in (RESULTS.parent / "docs" / "pictures").glob("*.svg"))
NOT_STORED = "train_accuracy"  # of answers to the training commands, which no ledger keeps


def of_a_corpus(row: dict[str, Any]) -> bool:
    return row["split"].startswith(("release/", "mcd")) or isinstance(
        dataset(row["spec"]["language"]["name"]), SentencePairs
    )


@pytest.mark.parametrize("name", LEDGERS)
def test_every_ledger_is_an_export_which_reading_does_not_change(name: str) -> None:
    before = (RESULTS / name).read_bytes()
    assert before[18:20] == b"\1\1"  # no working ledger, by SQLite's file format
    with Ledger(RESULTS / name) as ledger:
        assert ledger.count() > 0
    assert (RESULTS / name).read_bytes() == before
    assert not any((RESULTS / f"{name}{more}").exists() for more in ("-wal", "-shm", ".lock"))


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    with Ledger(RESULTS / "runs.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def answered(ledger: Ledger) -> list[dict[str, Any]]:
    """The runs that have their answers, those of a corpus last."""
    return sorted((row for row in ledger.rows() if ledger.artefact(row["key"], "greedy")), key=of_a_corpus)


@pytest.mark.usefixtures("data")
def test_every_run_behind_the_comparison_is_there_with_its_answers_and_was_trained_on_a_card(
    ledger: Ledger, answered: list[dict[str, Any]]
) -> None:
    behind = {key(spec.facts()) for spec in specs(list(EXPERIMENTS), release=True, pairs=TATOEBA)}
    by_key = {row["key"]: row for row in answered}
    assert behind <= set(by_key)
    assert {by_key[name]["origin"]["device"] for name in behind} == {"NVIDIA H200"}


def test_runs_without_answers_are_of_the_search_an_ablation_or_further_seeds(
    ledger: Ledger, answered: list[dict[str, Any]]
) -> None:
    searched = {key(fact) for fact in all_facts(read(RESULTS.parent / "specs" / "paper-search.toml"))}
    have = {row["key"] for row in answered}
    others = [row for row in ledger.rows() if row["key"] not in have | searched and not differing(row["spec"])]
    assert all(row["seed"] >= 5 for row in others)


@pytest.mark.parametrize("name", LEDGERS)
def test_no_ledger_is_damaged(name: str) -> None:
    with Ledger(RESULTS / name) as opened:
        opened.check()
        for row in opened.rows():
            assert (row["status"] == "failed") == (row["accuracy"] is None)
            assert row["accuracy"] is None or 0 <= row["accuracy"] <= 100


def test_every_stored_metric_follows_from_the_stored_predictions(
    ledger: Ledger, answered: list[dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    for row in answered:
        if of_a_corpus(row):
            request.getfixturevalue("data")  # all others have been looked at by now
        metrics = dict(ledger.run(row["key"]).metrics)
        assert 0 <= metrics.pop(NOT_STORED) <= 100
        for metric in [name for name in metrics if name.startswith("abstained")]:
            given = answers(ledger, row["key"], metric.partition(".")[2] or None)["answer"].to_list()
            assert metrics.pop(metric) == 100 * (given.count(list(NO_ANSWER)) / len(given))
        assert scored(ledger, row["key"]) == metrics


def test_every_answer_has_its_likelihood_and_a_right_one_has_its_target_s(
    ledger: Ledger, answered: list[dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    for row in answered:
        if row["learner"] != RNN.kind:
            continue  # rules give no likelihood
        if of_a_corpus(row):
            request.getfixturevalue("data")
        frame = answers(ledger, row["key"])
        assert frame.select("own", "likelihood").null_count().row(0) == (0, 0)
        assert frame.select(pl.max_horizontal(pl.max("own"), pl.max("likelihood"))).item() <= 0.001
        right = frame.filter("right")
        # The same sequence, but asked beside others, so rounded otherwise: by one of the steps that are stored.
        assert ((right["own"] - right["likelihood"]).abs() < 1.5 * STEP).all()


def test_every_network_of_the_paper_was_trained_by_its_protocol(ledger: Ledger) -> None:
    assert {row["fields"]["updates"] for row in ledger.rows({"learner": RNN.kind})} == {100_000}


def test_no_run_is_failed(ledger: Ledger) -> None:
    assert {row["status"] for row in ledger.rows()} == {"done"}


def test_every_figure_of_the_paper_is_measured_except_those_that_need_a_missing_corpus(
    ledger: Ledger, request: pytest.FixtureRequest
) -> None:
    def lacking() -> set[str]:
        return {row.id for row in compare(ledger) if row.verdict == "unmeasured"}

    assert lacking() <= set(COUNTED)
    request.getfixturevalue("data")
    assert lacking() == set()


def test_the_results_take_at_most_40_megabytes() -> None:
    assert sum(path.stat().st_size for path in RESULTS.rglob("*") if path.is_file()) < 40e6


def test_without_a_ledger_of_one_s_own_the_shipped_networks_answer(daxlab, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ledger_at(None) == RESULTS / "runs.db"
    with Ledger(ledger_at(None)) as ledger:
        jump = ledger.find("9485894f")  # the README's
    assert weights_of(ledger_at(None), jump).exists()
    assert daxlab("predict", jump[:8], "walk", "twice", cwd=tmp_path).stdout.count("I_WALK") == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", PAGES)
def test_the_tables_of_a_page_are_those_of_the_ledgers(name: str, request: pytest.FixtureRequest) -> None:
    """If this fails: make readme."""
    if name != "results/README.md":
        request.getfixturevalue("data")  # one of the claims needs the release
    page = (RESULTS.parent / name).read_text()
    assert "<!-- results: " in page
    assert run_path(str(RESULTS / "tables.py"))["written"](page) == page


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_ledgers_figures(name: str) -> None:
    """If this fails: make readme. Its label has its numbers; lines may be written otherwise by another Matplotlib."""
    label = re.compile('aria-label="([^"]*)"')
    shipped = (RESULTS.parent / "docs" / "pictures" / f"{name}.svg").read_text()
    drawn = run_path(str(RESULTS / "pictures.py"))["drawn"](*name.rsplit("-", 1))
    assert label.search(drawn)[1] == label.search(shipped)[1] and "var(" not in shipped


def test_every_picture_is_there_in_light_and_dark() -> None:
    drawing = run_path(str(RESULTS / "pictures.py"))
    assert {f"{name}-{theme}" for name in drawing["PICTURES"] for theme in drawing["THEMES"]} == set(PICTURES)
