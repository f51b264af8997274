"""`daxlab reproduce`: what is missing, what it costs, trained, compared; interrupted, it goes on."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from daxlab import InputError
from daxlab.cli import app
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.paper import experiments

TINY = {name: RNN("srn", 1, 4, dropout=n / 10) for n, name in enumerate(experiments.NETWORKS, 1)}


def daxlab_here(*arguments: object) -> Result:
    """In this process, so that the paper's networks can be replaced by tiny ones."""
    return CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, network in TINY.items():
        monkeypatch.setitem(experiments.NETWORKS, name, network)


@pytest.mark.usefixtures("trains_here")
def test_it_plans_stops_goes_on_and_compares(tiny, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    command = ["reproduce", "length", "--runs", 1, "--updates", 40, "--device", "cpu", "--ledger", ledger]
    planned = daxlab_here(*command, "--dry-run", "--json")
    plan = json.loads(planned.stdout)["plan"]
    assert (plan["asked"], plan["done"], plan["runs"], plan["groups"], plan["estimated"]) == (5, 0, 5, 5, 0)
    assert "5 runs in 5 groups" in planned.stderr
    assert not ledger.exists()

    stopped = daxlab_here(*command, "--budget", "0s", "--json")
    assert stopped.exit_code == 3
    assert json.loads(stopped.stdout)["complete"] is False
    assert "Run the same command again to go on" in stopped.stderr

    done = daxlab_here(*command, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    rows = {row["id"]: row for row in found["comparison"]}
    assert found["complete"]
    assert len(rows["exp2.overall"]["runs"]) == 1
    assert rows["exp2.overall"]["verdict"] == "shown"  # one run has no spread
    assert rows["train.overall"]["verdict"] == "unmeasured"  # three of its four splits were not asked for
    assert "exp1.best" not in rows

    again = daxlab_here(*command)
    assert f"5 runs, of which {ledger} has 5." in again.stderr
    assert "A trial of 40 updates" in again.stdout
    assert "length, oracle length, 48 actions" in again.stdout
    with Ledger(ledger) as known:
        assert known.count() == 5


def test_it_says_whose_draws_it_uses(daxlab, data, nowhere, tmp_path: Path, monkeypatch) -> None:
    ours = daxlab("reproduce", "few-shot", "--dry-run", cwd=tmp_path)
    assert "few-shot: our own seeded draws" in ours.stderr
    monkeypatch.setenv("DAXLAB_DATA", str(data))
    theirs = daxlab("reproduce", "few-shot", "jump", "--dry-run", "--device", "gpu", cwd=tmp_path)
    assert "few-shot: the release’s own draws" in theirs.stderr
    assert "60 runs in 4 groups on the GPU" in theirs.stderr
    assert "draws" not in daxlab("reproduce", "jump", "--dry-run", cwd=tmp_path).stderr


def test_runs_that_the_ledger_has_are_not_planned_again(daxlab, tmp_path: Path) -> None:
    results = Path(__file__).parents[2] / "results" / "runs.db"
    plan = daxlab("reproduce", "length", "--dry-run", "--json", "--device", "gpu", "--ledger", results)
    found = json.loads(plan.stdout)["plan"]
    assert found["asked"] == 25
    assert found["done"] >= 20
    assert found["runs"] == 25 - found["done"]
    assert found["estimated"] == found["groups"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["jmup"], "did you mean 'jump'"),
        (["jump", "--runs", "0"], "runs must be between"),
        (["jump", "--updates", "0"], "updates must be at least 1"),
        (["jump", "--budget", "soon"], "is not a time"),
        (["jump", "--device", "tpu"], "a device is auto, cpu or gpu"),
    ],
)
def test_bad_input_is_a_sentence_before_anything_is_trained(tmp_path: Path, arguments, complaint, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=complaint):
        daxlab_here("reproduce", *arguments)
    assert list(tmp_path.iterdir()) == []
