"""`daxlab` shows rules: a run's grammar, and how it derives an answer."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def ledger(daxlab, trains_here, tiny: Path, tmp_path: Path) -> Path:
    """A ledger with a grammar of the tiny language."""
    words = ("--data", tiny, "--split", "jump", "--runs", "1", "--ledger", tmp_path / "runs.db")
    done = daxlab("train", "grammar", *words)
    assert done.returncode == 0, done.stderr
    return tmp_path / "runs.db"


@pytest.fixture
def key(daxlab, ledger: Path) -> str:
    (row,) = json.loads(daxlab("runs", "list", "--ledger", ledger, "--json").stdout)
    return row["key"]


def test_predict_prints_the_derivation(daxlab, ledger: Path, key: str) -> None:
    shown = daxlab("predict", key, "jump twice", "--ledger", ledger).stdout
    assert "[1] twice → [1] [1]   ⟦ JUMP JUMP ⟧\n└─ [1] = jump → JUMP   ⟦ JUMP ⟧\n" in shown
    assert "✓ right" in shown
    told = json.loads(daxlab("predict", key, "jump twice", "--ledger", ledger, "--json").stdout)
    assert told["derivation"] in shown


def test_predict_says_that_there_is_no_derivation(daxlab, ledger: Path, key: str) -> None:
    assert "no derivation" in daxlab("predict", key, "jump dax", "--ledger", ledger).stdout


def test_a_runs_grammar_is_shown_with_how_often_its_rules_are_used(daxlab, ledger: Path, key: str) -> None:
    record = json.loads(daxlab("runs", "show", key, "--json", "--ledger", ledger).stdout)["record"]
    uses = {row["rule"]: row["uses"] for row in record["rules"]}
    assert uses["jump → JUMP"] == 1
    assert uses["[1] twice → [1] [1]"] > uses["jump → JUMP"]
    assert record["code_length"] == sorted(record["code_length"], reverse=True)
    assert record["stopped"] == ""


def test_the_time_limit_is_told_to_whoever_trains(daxlab, trains_here, tiny: Path, tmp_path: Path) -> None:
    words = ("--data", tiny, "--split", "jump", "--runs", "1", "--ledger", tmp_path / "runs.db")
    done = daxlab("train", "grammar", "--time-limit", "0", *words)
    assert done.returncode == 0
    assert "its time was up" in done.stderr


def test_states_and_attention_are_refused_in_a_sentence(daxlab, ledger: Path, key: str) -> None:
    refused = daxlab("predict", key, "jump", "--attention-map", "map.svg", "--ledger", ledger)
    assert refused.returncode == 2
    assert "has no attention weights" in refused.stderr
    told = daxlab("evaluate", key, "--oracle-length", "--ledger", ledger)
    assert told.returncode == 2
    assert "cannot be told the oracle length" in told.stderr
