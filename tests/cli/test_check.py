"""`daxlab check`: what a learner keeps and breaks, for people, for scripts, and as an exit code."""

import json
import sys
import time
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "your-model.md"
NEAREST = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
CUTS = """
class Cuts(Nearest):
    def __init__(self, most=48):
        self.most = most
    def predict(self, commands):
        return [" ".join(answer.split()[:self.most]) for answer in super().predict(commands)]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nearest.py").write_text(NEAREST + CUTS)
    monkeypatch.chdir(tmp_path)


def test_the_nearest_neighbour_of_the_page_keeps_every_promise_in_ten_seconds(daxlab) -> None:
    began = time.monotonic()
    done = daxlab("check", "nearest.py:Nearest", "--json")
    assert done.returncode == 0 and time.monotonic() - began < 10
    assert {found["verdict"] for found in json.loads(done.stdout)} == {"kept"}
    shown = [line.split() for line in PAGE.read_text(encoding="utf-8").splitlines()]
    printed = daxlab("check", "nearest.py:Nearest").stdout.splitlines()
    assert len(printed) == 10 and all(line.split() in shown for line in printed), "the page shows what it prints"


def test_a_broken_promise_is_named_with_what_to_change_and_exits_with_1(daxlab) -> None:
    assert daxlab("check", "nearest.py:Cuts").returncode == 0
    done = daxlab("check", "nearest.py:Cuts", "--arg", "most=20", "--python", sys.executable)
    assert done.returncode == 1 and "ends after 20 of 48 actions" in done.stdout
    assert "long-answers: Long answers are not cut. Raise the limit" in done.stdout


def test_a_command_is_checked_too_and_a_note_is_no_error(daxlab) -> None:
    done = daxlab("check", "--command", "cp {commands}.src {answers}", "--format", "parallel", "--json")
    verdicts = {found["id"]: found["verdict"] for found in json.loads(done.stdout)}
    assert done.returncode == 0 and verdicts.pop("learns-training") == "note" and set(verdicts.values()) == {"kept"}
    assert "give one of them" in daxlab("check").stderr
