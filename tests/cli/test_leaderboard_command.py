"""`daxlab leaderboard`: the same numbers in a terminal, a document and for scripts."""

import csv
import json
import re
from pathlib import Path

import pytest

from after_the_paper import Nearest
from daxlab.ledger import Writer
from daxlab.paper.leaderboard import SPLITS
from daxlab.report.leaderboard import rounded
from daxlab.report.text import percent


@pytest.fixture
def content(daxlab, avenues: Path) -> dict:
    return json.loads(daxlab("leaderboard", "--json", "--ledger", avenues).stdout)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_json_has_stable_keys(content: dict) -> None:
    assert content.keys() == {"splits", "learners"} and content["splits"] == list(SPLITS)
    for row in content["learners"]:
        about = {"learner", "kind", "origin", "told", "presentations", "parameters", "mean", "fields", "splits"}
        assert row.keys() == about and list(row["splits"]) == list(SPLITS)
        for cell in row["splits"].values():
            numbers = {"mean", "low", "high", "runs", "failed", "accuracies", "keys", "draw", "split"}
            beside = {"published", "verdict", "difference", "difference_low", "difference_high"}
            assert cell.keys() == numbers | beside
            assert len(cell["accuracies"]) == len(cell["keys"]) == cell["runs"]
            if cell["published"]:
                assert cell["published"].keys() >= {"system", "mean", "spread", "runs", "told", "protocol", "source"}


def test_the_terminal_shows_the_same_means_in_80_columns(daxlab, avenues: Path, content: dict) -> None:
    shown = daxlab("leaderboard", "--ledger", avenues).stdout.splitlines()
    assert max(map(len, shown[2:-1])) <= 80
    for row in content["learners"]:
        (line,) = (line for line in shown if line.startswith(f"{row['learner']}  "))
        means = [rounded(cell["mean"]) for cell in row["splits"].values()]
        assert re.split(r" +", line.strip())[-len(SPLITS) :] == means


def test_the_terminal_has_the_published_figure_below_ours_with_the_sign_of_its_verdict(daxlab, avenues: Path) -> None:
    shown = daxlab("leaderboard", "--ledger", avenues).stdout.splitlines()
    place = next(n for n, line in enumerate(shown) if line.startswith("nearest  "))
    assert shown[place + 1].split() == ["99.92?", "60.67?", "53.25≠"]
    assert "nearest: 1,750,000 presentations; told which commands are near one another." in " ".join(shown)
    assert any("Dessì & Baroni 2019" in line for line in shown)


def test_markdown_shows_the_same_means_intervals_and_verdicts(daxlab, avenues: Path, tmp_path: Path, content) -> None:
    assert daxlab("leaderboard", "--ledger", avenues, "--to", tmp_path / "table.md").returncode == 0
    lines = (tmp_path / "table.md").read_text().splitlines()
    head, _, *rows = [line for line in lines if line.startswith("|")][: 2 + len(content["learners"])]
    assert len(cells(head)) == 1 + len(SPLITS)
    for line, row in zip(rows, content["learners"], strict=True):
        name, *said = cells(line)
        assert name == row["learner"]
        for text, cell in zip(said, row["splits"].values(), strict=True):
            assert text.split("; ")[0] == percent(cell["mean"])
            assert ("published" in text) == bool(cell["published"] and cell["runs"])
            if cell["verdict"]:
                assert text.endswith(f"published {cell['published']['mean']:g}: {cell['verdict']}")


def test_csv_has_a_row_for_each_learner_and_split_with_the_same_numbers(daxlab, avenues, tmp_path, content) -> None:
    daxlab("leaderboard", "--ledger", avenues, "--to", tmp_path / "table.csv")
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    every = [(row["learner"], cell) for row in content["learners"] for cell in row["splits"].values()]
    assert len(rows) == len(every)
    for row, (learner, cell) in zip(rows, every, strict=True):
        assert (row["learner"], row["split"], row["verdict"]) == (learner, cell["split"], cell["verdict"] or "")
        assert float(row["mean"] or "nan") == pytest.approx(cell["mean"] or float(row["mean"] or "nan"), nan_ok=True)


def test_json_in_a_file_is_json_in_the_terminal(daxlab, avenues: Path, tmp_path: Path, content: dict) -> None:
    daxlab("leaderboard", "--ledger", avenues, "--to", tmp_path / "table.json")
    assert json.loads((tmp_path / "table.json").read_text()) == content


def test_one_split_has_every_run_and_what_others_published_with_what_they_were_told(
    daxlab, avenues: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = daxlab("leaderboard", "--split", "jump", "--ledger", avenues).stdout
    assert "3 runs: 60.0 50.0 70.0" in shown and f"nearest  told {Nearest.told}" in shown
    assert "published 60.67 ± 8.33 (sd, 5 runs), ConvS2S, one configuration: undecided" in shown
    assert re.search(r"99.78 +MLC \(Lake & Baroni 2023\) +told words of a class may be exchanged; 2.9 million", shown)
    content = json.loads(daxlab("leaderboard", "--split", "jump", "--json", "--ledger", avenues).stdout)
    assert content["splits"] == ["jump"]
    assert "GECA (Andreas 2020 logs)" in {row["system"] for row in content["others"]}


def test_an_unknown_split_or_format_is_refused_with_what_there_is(daxlab, avenues: Path, tmp_path: Path) -> None:
    wrong = daxlab("leaderboard", "--split", "lenght", "--ledger", avenues)
    assert (wrong.returncode, "did you mean 'length'?" in wrong.stderr) == (2, True)
    wrong = daxlab("leaderboard", "--to", tmp_path / "table.pdf", "--ledger", avenues)
    assert (wrong.returncode, ".md, .csv, .json" in wrong.stderr) == (2, True)


def test_what_is_lacking_is_said_with_the_command_that_trains_it(daxlab, avenues: Path, tmp_path: Path) -> None:
    shown = daxlab("leaderboard", "--ledger", avenues).stdout
    assert shown.splitlines()[-1] == "'daxlab sweep run specs/avenues.toml' trains what is lacking."
    with Writer(tmp_path / "empty.db"):
        pass
    empty = daxlab("leaderboard", "--ledger", tmp_path / "empty.db")
    assert (empty.returncode, empty.stderr) == (0, "")
    assert "No learner after the paper has runs" in empty.stdout
    assert "'daxlab sweep run specs/avenues.toml' trains them" in empty.stdout


def test_a_learner_of_one_s_own_has_a_row(daxlab, avenues: Path, tmp_path: Path, trains_here) -> None:
    mine = tmp_path / "memory.py"
    mine.write_text((Path(__file__).parents[1] / "everywhere" / "memory.py").read_text())
    ledger = tmp_path / "runs.db"
    assert daxlab("train", f"{mine}:Memory", "--split", "length", "--runs", 1, "--ledger", ledger).returncode == 0
    (row,) = json.loads(daxlab("leaderboard", "--json", "--ledger", ledger).stdout)["learners"]
    assert row["splits"]["length"]["runs"] == 1 and row["presentations"] == "each example once"
    lacks = daxlab("leaderboard", "--ledger", ledger).stdout.splitlines()[-1]
    assert lacks.endswith("trains a learner of your own.") and "avenues" not in lacks
