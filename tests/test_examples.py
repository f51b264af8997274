"""The examples: what each gets right on a split, plain and disguised; PyTorch and Transformers, that they run."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from daxlab import learners
from daxlab.cli import app
from daxlab.learners import Program
from daxlab.learners.checks import CHECKS, checks_of

HERE = Path(__file__).parents[1]
EXAMPLES = HERE / "examples"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in EXAMPLES.glob("*.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)


def card(*arguments: str) -> dict:
    result = CliRunner().invoke(app, ["examine", *arguments, "--splits", "jump", "--runs", "1", "--disguise", "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def scores(card: dict) -> tuple[float, float]:
    return round(card["splits"]["jump"]["mean"], 2), round(card["disguised"]["jump"]["mean"], 2)


def test_nearest_neighbour_does_not_care_what_words_are_called():
    plain, disguised = scores(card("nearest.py:Nearest"))
    assert plain == disguised
    assert 40 < plain < 60  # exchanging one word gets half of "jump" right


def test_hand_written_rules_know_scan_and_nothing_else():
    rules = card("rules.py:answer")
    assert scores(rules) == (100, 0)
    assert not rules["learner"]["learns"]


def test_a_shell_command_joins_two_halves_that_it_remembers():
    assert scores(card("--command", "sh halves.sh {train} {commands} {answers}", "--format", "tsv")) == (4.23, 0)


@pytest.mark.slow
def test_an_equinox_network_keeps_its_contract_and_learns():
    reader = learners.make("reader.py:Reader", {"width": 8})
    assert {check(reader).verdict for check in checks_of(reader)} <= {"kept", "note"}
    words = ["train", "reader.py:Reader", "--split", "simple", "--runs", "1", "--updates", "4000", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    (run,) = json.loads(result.stdout)["runs"]
    assert run["accuracy"] > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "name", "settings"),
    [
        ("torch", "pytorch_gru.py:Gru", ("updates=200", "width=64", "rate=0.01")),
        ("transformers", "transformers_t5.py:T5", ("updates=150", "width=32", "layers=1", "rate=0.01")),
    ],
)
def test_what_needs_a_package_learns_some_pairs_and_leaves_nothing(package, name, settings):
    """Those checks that need its answers and one more run: to start it takes half a minute on a busy core."""
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'daxlab[examples]'")
    program = Program(name, args=" ".join(settings))  # with an hour: a busy machine says nothing of it
    wanted = ("answers-all", "repeats-with-seed", "leaves-nothing", "learns-training")
    findings = [check(program) for check in CHECKS if check.id in wanted]
    assert {finding.id: finding.verdict for finding in findings} == dict.fromkeys(wanted, "kept"), findings


def test_the_page_shows_the_example():
    """docs/your-model.md explains nearest.py line by line."""
    page = (HERE / "docs" / "your-model.md").read_text(encoding="utf-8")
    code = (EXAMPLES / "nearest.py").read_text(encoding="utf-8")
    assert code.partition("\n\n\n")[2] == page.partition("```python\n")[2].partition("```")[0]


@pytest.mark.parametrize("path", [path for path in EXAMPLES.glob("*.*") if path.suffix in (".py", ".sh")], ids=str)
def test_an_example_is_at_most_sixty_lines(path: Path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60
