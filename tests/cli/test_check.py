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

CONTRIBUTING = (PAGE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
MEMORY = CONTRIBUTING.partition("```python\n")[2].partition("```")[0]


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


def test_a_declared_exception_is_no_error_and_stands_in_the_findings_with_its_reason(daxlab) -> None:
    words = ("check", "nearest.py:Cuts", "--arg", "most=20", "--out", "checks.json", "--except")
    done = daxlab(*words, "long-answers=it is made for short ones", "--json")
    assert done.returncode == 0 and done.stderr == ""
    findings = {found["id"]: found for found in json.loads(done.stdout)}
    assert list(findings.values()) == json.loads(Path("checks.json").read_text())
    assert {key: findings["long-answers"][key] for key in ("verdict", "change", "reason")} == {
        "verdict": "excepted",
        "change": "",
        "reason": "it is made for short ones",
    }
    assert {"id", "promise", "verdict", "seen", "change", "reason"} == set(findings["answers-all"])
    assert findings["answers-all"]["verdict"] == "kept" and findings["answers-all"]["reason"] == ""
    assert "it is made for short ones" in daxlab(*words, "long-answers=it is made for short ones").stdout


def test_a_class_may_declare_its_exceptions_itself(daxlab) -> None:
    declared = '    exceptions = {"long-answers": "it is made for short ones"}\n'
    Path("nearest.py").write_text(
        NEAREST + CUTS.replace("most=48):", "most=20):").replace("Nearest):\n", "Nearest):\n" + declared)
    )
    done = daxlab("check", "nearest.py:Cuts", "--json")
    found = {finding["id"]: (finding["verdict"], finding["reason"]) for finding in json.loads(done.stdout)}
    assert done.returncode == 0 and found["long-answers"] == ("excepted", "it is made for short ones")
    again = json.loads(daxlab("check", "nearest.py:Cuts", "--json", "--except", "long-answers=another reason").stdout)
    assert "another reason" in {finding["reason"] for finding in again}
    Path("memory.py").write_text(
        MEMORY.replace("    otherwise:", "    exceptions = {'long-answer': 'x'}\n    otherwise:")
    )
    assert "did you mean 'long-answers'?" in daxlab("check", "memory.py:Memory").stderr
    Path("memory.py").write_text(MEMORY.replace("    otherwise:", "    exceptions = (ValueError,)\n    otherwise:"))
    assert "are no dictionary" in daxlab("check", "memory.py:Memory").stderr


def test_an_exception_needs_a_check_and_a_reason_and_excuses_nothing_else(daxlab) -> None:
    assert "did you mean 'long-answers'?" in daxlab("check", "nearest.py:Cuts", "--except", "long-answer=x").stderr
    assert "needs a reason" in daxlab("check", "nearest.py:Cuts", "--except", "long-answers").stderr
    done = daxlab("check", "nearest.py:Cuts", "--arg", "most=20", "--except", "keeps-order=it sorts")
    assert done.returncode == 1 and "keeps-order is kept: it needs no exception" in done.stderr


def test_a_learner_of_daxlabs_is_checked_by_its_kind_or_class_and_its_fields(daxlab) -> None:
    Path("memory.py").write_text(MEMORY)
    done = daxlab("check", "memory.py:Memory", "--set", "otherwise=NO", "--json")
    assert done.returncode == 0, done.stderr
    assert {found["verdict"] for found in json.loads(done.stdout)} == {"kept"}
    for words, complaint in [
        (("memory.py:Memory", "--set", "otherwis=NO"), "did you mean"),
        (("memory.py:Memory", "--arg", "otherwise=NO"), "its fields are set by --set"),
        (("nearest.py:Nearest", "--set", "hidden=3"), "--arg"),
        (("rnn", "--set", "hiden=3"), "did you mean"),
        (("take-home",), "daxlab score"),
    ]:
        refused = daxlab("check", *words)
        assert refused.returncode == 2 and complaint in refused.stderr
