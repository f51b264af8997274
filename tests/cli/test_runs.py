"""`daxlab runs`, on the results that come with daxlab."""

import csv
import json
import shutil
from pathlib import Path

import polars
import pytest

from daxlab.runs import Ledger

RESULTS = Path(__file__).parents[2] / "results"
with Ledger(RESULTS / "runs.db") as shipped:
    ALL, JUMP = shipped.count(), shipped.count({"split": "jump"})
    CLIPPED = shipped.count({"protocol.clip": 5.0})


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A copy that may be written."""
    return Path(shutil.copy(RESULTS / "runs.db", tmp_path / "runs.db"))


def test_by_itself_it_lists_and_filters_narrow_the_list(daxlab, tmp_path: Path) -> None:
    assert f" of {ALL:,} runs" in daxlab("runs", cwd=tmp_path).stdout
    asked = {"split": "jump", "cell": "lstm", "layers": 2, "hidden": 200, "attention": False, "dropout": 0.5}
    where = [word for name, value in asked.items() for word in ("-w", f"{name}={str(value).lower()}")]
    rows = json.loads(daxlab("runs", "list", *where, "--json", cwd=tmp_path).stdout)
    assert all(row[name] == value for row in rows for name, value in asked.items())
    assert sorted(row["seed"] for row in rows) == list(range(len(rows)))
    assert {row["language"] for row in rows} == {"scan"}
    assert "language" not in daxlab("runs", "list", "-w", "split=jump", cwd=tmp_path).stdout
    by_protocol = daxlab("runs", "list", "-w", "protocol.clip=5", "--limit", "3", cwd=tmp_path).stdout
    assert f"3 of {CLIPPED:,} runs" in by_protocol
    assert 3 < CLIPPED < ALL


def test_where_no_run_fits_it_says_what_there_is_instead(daxlab, tmp_path: Path) -> None:
    asked = ("language=tatoeba", "hidden=30", "split=jumps", "cell=lstm")
    told = daxlab("runs", "list", *(word for one in asked for word in ("-w", one)), cwd=tmp_path).stderr
    assert "no run has language=tatoeba: there are scan, tatoeba-2017" in told
    assert "no run has hidden=30: there are 25, 50, 100, 200, 400\n" in told
    assert "no run has split=jumps: there are jump, jump-once" in told
    assert "cell=" not in told
    both = daxlab("runs", "list", "-w", "split=jump", "-w", "protocol.teacher_forcing=0.25", cwd=tmp_path).stderr
    assert "no run has protocol.teacher_forcing=0.25: there are 0, 0.5, 1" in both


def test_a_script_gets_all_runs_unless_it_asks_for_fewer(daxlab, tmp_path: Path) -> None:
    assert len(json.loads(daxlab("runs", "list", "--json", cwd=tmp_path).stdout)) == ALL
    assert len(json.loads(daxlab("runs", "list", "--json", "--limit", "2", cwd=tmp_path).stdout)) == 2


def test_whose_runs_are_shown_is_said_where_they_are_not_ones_own(daxlab, tmp_path: Path) -> None:
    told = "the results that come with daxlab"
    assert told in daxlab("runs", "list", cwd=tmp_path).stderr
    (tmp_path / "grammar").write_text(
        "grammar:\n  C -> walk\n  C -> run\n  C -> jump\n  C -> look\n"
        "meaning:\n  [[walk]] = W\n  [[run]] = R\n  [[jump]] = J\n  [[look]] = L\n"
    )
    tiny = [
        "--language",
        "grammar",
        "--split",
        "simple",
        "--layers",
        "1",
        "--hidden",
        "4",
        "--runs",
        "1",
        "--updates",
        "9",
    ]
    assert daxlab("train", *tiny, cwd=tmp_path).returncode == 0
    assert told not in daxlab("runs", "list", cwd=tmp_path).stderr
    only_there = daxlab("runs", "show", "36b51a", cwd=tmp_path)
    assert told in only_there.stderr and json.loads(only_there.stdout)["spec"]["split"]["name"] == "simple"


def test_by_itself_it_takes_a_ledger_and_before_a_command_it_says_where_that_belongs(daxlab, tmp_path: Path) -> None:
    lengths = RESULTS / "lengths.db"
    assert "40 of 40 runs" in daxlab("runs", "--ledger", lengths, cwd=tmp_path).stdout
    early = daxlab("runs", "--ledger", lengths, "show", "36b51a", cwd=tmp_path)
    assert (early.returncode, "say --ledger after show" in early.stderr) == (2, True)


def test_show_and_curve_take_any_unique_beginning(daxlab, ledger: Path) -> None:
    shown = json.loads(daxlab("runs", "show", "36b51a", "--ledger", ledger).stdout)
    assert shown["spec"]["split"]["name"] == "simple"
    assert shown["origin"]["device"] == "NVIDIA H200"
    curve = json.loads(daxlab("runs", "curve", "36b51a", "--json", "--ledger", ledger).stdout)[shown["key"]]
    assert curve["update"] == list(range(10_000, 100_001, 10_000))
    assert "train_accuracy" in daxlab("runs", "curve", "36b51a", "--ledger", ledger).stdout


def test_export_writes_tables_and_ledgers(daxlab, ledger: Path, tmp_path: Path) -> None:
    for name in ("jump.csv", "jump.parquet", "jump.db"):
        done = daxlab("runs", "export", tmp_path / name, "-w", "split=jump", "--ledger", ledger)
        assert done.returncode == 0, done.stderr
    table = list(csv.DictReader((tmp_path / "jump.csv").open()))
    assert len(table) == JUMP and {row["protocol.teacher_forcing"] for row in table} == {"0", "0.5", "1"}
    assert polars.read_parquet(tmp_path / "jump.parquet").height == JUMP
    assert f" of {JUMP:,} runs" in daxlab("runs", "list", "--ledger", tmp_path / "jump.db").stdout


def test_figures_only_leave_out_answers_and_weights(daxlab, ledger: Path, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", ledger)
    with Ledger(ledger) as whole, Ledger(tmp_path / "light.db") as light:
        kept = [one.artefact(one.find("36b51a"), "greedy") is not None for one in (whole, light)]
    assert kept == [True, False]
    assert not (tmp_path / "light.db.weights").exists()
    both = (
        json.loads(daxlab("runs", "show", "36b51a", "--ledger", of).stdout) for of in (ledger, tmp_path / "light.db")
    )
    first, second = ({name: one[name] for name in ("metrics", "curve", "spec")} for one in both)
    assert first == second


def test_delete_asks_first_and_merge_brings_back(daxlab, ledger: Path) -> None:
    refused = daxlab("runs", "delete", "36b51a", "--ledger", ledger)
    assert refused.returncode == 1
    assert "1 runs deleted" in daxlab("runs", "delete", "36b51a", "--yes", "--ledger", ledger).stdout
    merged = daxlab("runs", "merge", RESULTS / "runs.db", "--ledger", ledger)
    assert (merged.returncode, merged.stdout.count(f"1 added, {ALL - 1} the same, 0 differ")) == (0, 1)


def test_weights_follow_their_run(daxlab, tmp_path: Path) -> None:
    mine = tmp_path / "mine.db"
    daxlab("runs", "merge", RESULTS / "runs.db", "--ledger", mine)
    assert "WALK" in daxlab("predict", "9485894f", "walk", "--ledger", mine).stdout
    daxlab("runs", "export", tmp_path / "ship.db", "-w", "split=jump", "-w", "cell=lstm", "--ledger", mine)
    assert [path.name[:8] for path in (tmp_path / "ship.db.weights").iterdir()] == ["9485894f"]
    before = {path.name for path in (tmp_path / "mine.db.weights").iterdir()}
    daxlab("runs", "delete", "9485894f", "--yes", "--ledger", mine)
    after = {path.name for path in (tmp_path / "mine.db.weights").iterdir()}
    assert [name[:8] for name in before - after] == ["9485894f"]


def test_a_merge_keeps_ours_and_exits_1_where_predictions_differ(daxlab, ledger: Path) -> None:
    merged = daxlab("runs", "merge", RESULTS / "again" / "second.db", "--ledger", ledger)
    assert merged.returncode == 1
    assert "ours stay" in merged.stdout
    assert json.loads(daxlab("runs", "show", "36b51a", "--ledger", ledger).stdout)["metrics"]["accuracy"] == 100.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["show", "zzz"], "not a run's key"),
        (["list", "-w", "key=xyz"], "needs the whole of it"),
        (["list", "-w", "seed=[1,[2]]"], "asks for one name or number"),
        (["list", "-w", "seed=99999999999999999999999"], "asks for one name or number"),
        (["delete", "abcd", "--yes"], "there is no ledger at daxlab.db"),
        (["show", "000000"], "no run begins with"),
        (["list", "-w", "colour=red"], "runs have no column 'colour'"),
        (["list", "-w", "split"], "a filter is COLUMN=VALUE"),
        (["export", "x.txt"], "export to a .csv"),
        (["list", "--ledger", "none.db"], "there is no ledger at none.db"),
        (["merge", "none.db"], "there is no ledger at none.db"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("runs", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
