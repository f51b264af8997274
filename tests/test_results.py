"""The results that come with daxlab are what they say they are."""

from pathlib import Path
from runpy import run_path
from typing import Any

import polars as pl
import pytest

from daxlab.analysis.answers import answers, scored
from daxlab.cli.options import ledger_at
from daxlab.paper import compare
from daxlab.store import Ledger
from daxlab.store.artefacts import STEP
from daxlab.sweep import weights_of

RESULTS = Path(__file__).parent.parent / "results"
LEDGERS = sorted(str(path.relative_to(RESULTS)) for path in RESULTS.rglob("*.db"))
FIGURES_ONLY = {"again/jump-64.db", "again/size-4-cpu.db"}  # repetitions, without their answers
ANSWERED = [name for name in LEDGERS if name not in FIGURES_ONLY]
NOT_STORED = "train_accuracy"  # of answers to the training commands, which no ledger keeps


def of_the_release(row: dict[str, Any]) -> bool:
    return row["split"].startswith(("release/", "mcd"))


@pytest.mark.parametrize("name", LEDGERS)
def test_every_ledger_is_an_export_which_reading_does_not_change(name: str) -> None:
    before = (RESULTS / name).read_bytes()
    assert before[18:20] == b"\1\1"  # no working ledger, by SQLite's file format
    with Ledger(RESULTS / name) as ledger:
        assert ledger.count() > 0
    assert (RESULTS / name).read_bytes() == before
    assert not any((RESULTS / f"{name}{more}").exists() for more in ("-wal", "-shm", ".lock"))


@pytest.mark.parametrize("name", ANSWERED)
def test_every_stored_metric_follows_from_the_stored_predictions(name: str, request: pytest.FixtureRequest) -> None:
    with Ledger(RESULTS / name) as ledger:
        ledger.check()
        rows = sorted(ledger.rows(), key=of_the_release)
        assert rows
        for row in rows:
            if of_the_release(row):
                request.getfixturevalue("data")  # all others have been looked at by now
            metrics = dict(ledger.run(row["key"]).metrics)
            if row["status"] == "failed":
                assert metrics == {}
                continue
            assert 0 <= metrics.pop(NOT_STORED) <= 100
            assert scored(ledger, row["key"]) == metrics


@pytest.mark.parametrize("name", ANSWERED)
def test_every_answer_has_its_likelihood_and_a_right_one_the_target_s(
    name: str, request: pytest.FixtureRequest
) -> None:
    with Ledger(RESULTS / name) as ledger:
        for row in sorted(ledger.rows({"status": "done"}), key=of_the_release):
            if of_the_release(row):
                request.getfixturevalue("data")
            frame = answers(ledger, row["key"])
            assert frame.select("own", "likelihood").null_count().row(0) == (0, 0)
            assert frame.select(pl.max_horizontal(pl.max("own"), pl.max("likelihood"))).item() <= 0.001
            right = frame.filter("right")
            # The same sequence, but asked beside others, so rounded otherwise: by one of the steps that are stored.
            assert ((right["own"] - right["likelihood"]).abs() < 1.5 * STEP).all()


def test_every_run_of_the_table_was_trained_by_the_paper_s_protocol() -> None:
    with Ledger(RESULTS / "runs.db") as ledger:
        assert {row["updates"] for row in ledger.rows()} == {100_000}
        assert {row["status"] for row in ledger.rows()} == {"done"}
        for split in ("simple", "length", "jump", "turn-left"):
            assert {row["seed"] for row in ledger.rows({"split": split, "hidden": 200})} >= set(range(5))


def test_every_figure_of_experiments_1_to_3_is_measured() -> None:
    with Ledger(RESULTS / "runs.db") as ledger:
        lacking = [row.id for row in compare(ledger) if row.verdict == "unmeasured"]
    assert all(name.startswith(("exp1.srn-", "exp4.")) for name in lacking)


def test_they_are_about_20_megabytes_in_all() -> None:
    assert sum(path.stat().st_size for path in RESULTS.rglob("*") if path.is_file()) < 21e6


def test_without_a_ledger_of_one_s_own_the_shipped_one_answers(daxlab, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ledger_at(None) == RESULTS / "runs.db"
    with Ledger(ledger_at(None)) as ledger:
        jump = ledger.find("9485894f")  # the README's
    assert weights_of(ledger_at(None), jump).exists()
    assert daxlab("predict", jump[:8], "walk", "twice", cwd=tmp_path).stdout.count("I_WALK") == 2
    assert list(tmp_path.iterdir()) == []


def test_the_tables_of_the_readmes_are_those_of_the_ledgers() -> None:
    """If this fails: make readme."""
    tables = run_path(str(RESULTS / "tables.py"))
    for page in tables["PAGES"]:
        assert tables["written"](page.read_text()) == page.read_text()
        assert "<!-- results: " in page.read_text()
