"""Experiment 4 as a user runs it: trained, interrupted, gone on with, shown, asked; on synthetic pairs."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from daxlab import InputError
from daxlab.cli import app
from daxlab.learners import RNN
from daxlab.paper import experiments
from daxlab.sweep import driver
from executors import in_process


def daxlab_here(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Path, list[object], dict]:
    """A tiny network in the place of the paper's."""
    folder = tmp_path_factory.mktemp("translation")
    command = ["reproduce", "translation", "--corpus", "built-in", "--new-word", "blicky=blickiste"]
    command += ["--frame", "i am X .=je suis X .", "--frame", "she is X .=elle est Y ."]
    command += ["--runs", 1, "--updates", 60, "--device", "cpu", "--ledger", folder / "runs.db"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiments, "TRANSLATOR", RNN("gru", 1, 4, attention=True, dropout=0.05))
        patch.setattr(driver, "execute", lambda tasks, device, workers, stop: in_process(tasks, stop))
        stopped = daxlab_here(*command, "--budget", "0s", "--json")
        assert stopped.exit_code == 3
        done = daxlab_here(*command, "--json")
        assert done.exit_code == 0, done.output
        shown = daxlab_here(*command)
    return folder, [shown], json.loads(done.stdout)


def test_it_goes_on_where_it_was_stopped_and_tells_everything(trained) -> None:
    _, (shown,), found = trained
    assert found["complete"]
    told = found["translation"]
    assert [len(part["runs"]) for part in told["conditions"]] == [1] * 5
    assert told["conditions"][1]["split"] == "blicky-1000"
    asked = told["conditions"][1]["questions"]
    assert [one["sentence"] for one in asked] == ["i am blicky .", "she is blicky .", "she is tired ."]
    assert all(isinstance(right, bool) for one in asked for _, right in one["translations"])
    assert "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp" in told["signature"]
    assert "synthetic sentences" in shown.stdout
    assert "These are not the paper's pairs" in shown.stdout
    assert "A trial of 60 updates" in shown.stdout
    assert "28.6" in shown.stdout
    assert [line.split()[4:] for line in shown.stdout.splitlines() if "in the paper" in line] == [["28.6"], ["<", "1"]]
    assert found["comparison"] == []  # those rows are about the paper's pairs
    assert "exp4." not in shown.stdout
    assert "“tired” is asked in the same frames, whether or not they suit it" in shown.stdout
    assert "she is blicky ." in shown.stdout
    assert "has 5." in shown.stderr


def test_predict_translates_a_sentence_as_it_is_typed_and_draws_where_it_looked(trained, tmp_path: Path) -> None:
    folder, _, found = trained
    key = found["translation"]["conditions"][1]["runs"][0]
    picture, ask = tmp_path / "looked.svg", ["predict", key[:12], "--ledger", folder / "runs.db"]
    asked = daxlab_here(*ask, "She is blicky.", "--attention-map", picture)
    assert asked.exit_code == 0
    french, _, head, *steps = asked.stdout.splitlines()
    assert head.split()[:2] == ["output", "p"]
    assert "blicky" in head
    steps = steps[: steps.index("")]  # then whether it ended, and whether it is right
    assert steps and all("███" in step for step in steps)  # where it looked most, however little that is
    assert ">blicky<" in picture.read_text()
    answer = json.loads(daxlab_here(*ask, "She is blicky.", "--json").stdout)
    questions = {one["sentence"]: one for one in found["translation"]["conditions"][1]["questions"]}
    assert french == " ".join(answer["actions"]) == questions["she is blicky ."]["translations"][0][0]
    with pytest.raises(InputError, match="unknown word 'purple'"):
        daxlab_here(*ask, "she is purple")
    with pytest.raises(InputError, match="such as 'i am blicky"):
        daxlab_here(*ask, " ")
    with pytest.raises(InputError, match=r"reads at most \d words, not 12"):
        daxlab_here(*ask, "she is " + "very " * 8 + "old.")


def test_what_was_learned_from_is_said_wherever_a_run_is_asked_or_listed(trained, tmp_path: Path) -> None:
    folder, _, found = trained
    name, keys = (
        found["translation"]["language"]["name"],
        [one["runs"][0] for one in found["translation"]["conditions"]],
    )
    at = ["--ledger", folder / "runs.db"]
    listed = daxlab_here("runs", "list", *at).stdout.splitlines()
    assert listed[0].split()[:3] == ["run", "dataset", "split"]
    assert all(name in line for line in listed[1:6])
    chosen = json.loads(daxlab_here("runs", "list", "--where", f"dataset={name}", "--json", *at).stdout)
    assert sorted(row["key"] for row in chosen) == sorted(keys)
    assert {row["dataset"] for row in chosen} == {name}
    assert daxlab_here("runs", "list", "--where", "dataset=scan", "--json", *at).stdout == "[]\n"
    daxlab_here("runs", "export", tmp_path / "runs.csv", *at)
    assert {row["dataset"] for row in csv.DictReader((tmp_path / "runs.csv").open())} == {name}
    evaluated = daxlab_here("evaluate", keys[0][:12], *at)
    assert "sentences right on translation" in evaluated.stdout
    for asked in (evaluated, daxlab_here("predict", keys[1][:12], "I am old.", *at)):
        assert "learned from synthetic sentences" in asked.stderr


def test_all_leaves_it_out_where_the_corpus_is_not_and_says_so(daxlab, nowhere, tmp_path: Path) -> None:
    plan = daxlab("reproduce", "all", "--dry-run", "--json", "--device", "gpu", cwd=tmp_path)
    assert "translation" not in json.loads(plan.stdout)["plan"]["experiments"]
    assert "its corpus is not on this machine: 'daxlab data fetch eng-fra'" in plan.stderr
    asked = daxlab("reproduce", "translation", "--dry-run", cwd=tmp_path)
    assert (asked.returncode, "daxlab data fetch eng-fra" in asked.stderr) == (2, True)


def test_all_has_it_where_the_corpus_is(daxlab, data, tmp_path: Path) -> None:
    plan = daxlab("reproduce", "translation", "--dry-run", "--json", "--device", "gpu", cwd=tmp_path)
    found = json.loads(plan.stdout)["plan"]
    assert (found["asked"], found["groups"]) == (25, 1)


def test_options_of_translation_need_translation() -> None:
    with pytest.raises(InputError, match="are options of the experiment translation"):
        daxlab_here("reproduce", "jump", "--new-word", "blicky=blickiste", "--dry-run")


BARE = """
import sys
for name in ("polars", "sacrebleu", "pydantic", "matplotlib", "jinja2"):
    sys.modules[name] = None
import daxlab.sweep.worker, daxlab.sweep.local, daxlab.sweep.driver, daxlab.cli.reproduce, daxlab.watching
from daxlab.paper import chosen, specs
from daxlab.datasets import sentence_pairs
assert len(specs(["translation"], 2, pairs="built-in")) == 10
import daxlab.paper.translations, daxlab.cli.compare
"""


def test_what_a_card_needs_is_little() -> None:
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("corpus", "complaint"),
    [
        ("synthetic-french", "synthetic-french is a grammar; give tatoeba, built-in, or a file"),
        ("scan", "scan is a grammar; give tatoeba, built-in, or a file"),
        ("tatoba", "no corpus called 'tatoba' .*; give tatoeba, built-in, or a file of tab-separated sentence pairs"),
        ("", "no corpus called ''; give tatoeba, built-in, or a file of tab-separated sentence pairs"),
    ],
)
def test_what_is_no_corpus_is_refused_before_anything_is_trained(
    tmp_path: Path, monkeypatch, corpus, complaint
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=complaint):
        daxlab_here("reproduce", "translation", "--corpus", corpus, "--budget", "0s")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".zip", ".tsv", ""])
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"I am old.,Je suis vieux.\n", "line 1: 1 column"),
        (b"English and French\nI am old.\tJe suis vieux.\n", "line 1: 1 column"),
        (b"\nI am old.\tJe suis vieux.\n", "line 1: the line is empty"),
        (b"PK\x03\x04\xff\xfe garbage", "line 1: not UTF-8"),
        (b"", "has no pair"),
    ],
)
def test_a_file_that_is_no_pairs_is_refused_by_its_line(
    tmp_path: Path, monkeypatch, suffix, content, complaint
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        daxlab_here("reproduce", "translation", "--corpus", path)
    assert list(tmp_path.iterdir()) == [path]
