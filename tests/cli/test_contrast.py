"""`daxlab compare --a … --b …`, on a ledger made by hand."""

import csv
import json
from pathlib import Path

import pytest

from daxlab.learners import RNN
from daxlab.ledger import Run, Writer, pack_answers
from daxlab.ledger.spec import Spec

SIDES = ("--a", "hidden=8", "--b", "hidden=16")


@pytest.fixture
def ledger(tiny: Path, tmp_path: Path) -> Path:
    """On jump, runs of two sizes with their answers; on run of these and of another cell, without; and one of walk."""
    with Writer(tmp_path / "runs.db") as writer:
        for hidden, wrong in ((8, "jump twice"), (16, "jump and walk")):
            writer.add([answered(tiny, seed, RNN("gru", 1, hidden), wrong) for seed in range(3)])
            for cell, right in (("gru", 60.0), ("lstm", 20.0)):
                learner = RNN(cell, 1, hidden)
                facts = [Spec("run", seed, learner, str(tiny)).facts() for seed in range(3)]
                writer.add(Run(spec=spec, metrics={"accuracy": right + hidden + n}) for n, spec in enumerate(facts))
        failed = Spec("jump", 7, RNN("gru", 1, 8), str(tiny)).facts()
        writer.add([Run(spec=failed, status="failed", failed_at=7, reason="not finite")])
        alone = Spec("walk", 0, RNN("gru", 1, 8), str(tiny)).facts()
        writer.add([Run(spec=alone, metrics={"accuracy": 5.0})])
    return tmp_path / "runs.db"


def answered(tiny: Path, seed: int, learner: RNN, wrong: str) -> Run:
    """A run that answers one command wrongly."""
    spec = Spec("jump", seed, learner, str(tiny))
    test = spec.content().test
    targets = [example.actions for example in test]
    answers = [("RUN",) if example.command == wrong else example.actions for example in test]
    metrics = {"accuracy": 100 * (1 - 1 / len(test))}
    return Run(spec=spec.facts(), metrics=metrics, artefacts={"greedy": pack_answers(answers, targets)})


def test_json_has_every_number(daxlab, ledger: Path) -> None:
    content = json.loads(daxlab("compare", *SIDES, "--json", "--ledger", ledger).stdout)
    assert (content["a"], content["b"]) == ({"hidden": 8}, {"hidden": 16})
    jump, gru, lstm = content["compared"]
    assert (jump["split"], jump["runs_a"], jump["failed_a"], jump["runs_b"], jump["pairs"]) == ("jump", 3, 1, 3, 3)
    assert (jump["difference"], jump["better"], jump["only_a"], jump["only_b"]) == (0.0, 0.5, 1, 1)
    assert jump["difference_low"] < 0 < jump["difference_high"]
    assert (gru["split"], gru["difference"], gru["only_a"], gru["answered_a"]) == ("run", -8.0, None, 0)
    assert {gru["learner_a"], lstm["learner_a"]} == {"GRU 1x8, dropout 0.5", "LSTM 1x8, dropout 0.5"}
    (over,) = content["over_learners"]
    assert (over["split"], over["learners"], over["ahead"], over["difference"]) == ("run", 2, 0, -8.0)
    (alone,) = content["unmatched"]
    assert (alone["split"], alone["learner_b"]) == ("walk", None)


def test_several_learners_are_shown_one_by_one_and_what_is_left_out_is_said(daxlab, ledger: Path) -> None:
    shown = daxlab("compare", *SIDES, "--ledger", ledger).stdout
    rows = [line for line in shown.splitlines() if " 3 and 3 " in line]
    assert len(rows) == 3
    assert "over the 2 matched learners on run: -8.00 (" in shown and "A is ahead in 0, B in 2." in shown
    assert "Only A has runs on walk." in shown
    assert "training failed: 1 run of A." in shown
    assert "Commands are compared in 1 of 3 rows" in shown and "has no answers of A's runs" in shown


def test_of_two_learners_runs_are_drawn_and_commands_named(daxlab, ledger: Path) -> None:
    shown = daxlab("compare", *SIDES, "--where", "split=jump", "--where", "cell=gru", "--ledger", ledger).stdout
    assert "A  hidden=8, split=jump, cell=gru: GRU 1x8, dropout 0.5" in shown
    assert shown.count("•") == 2
    lines = [line.split() for line in shown.splitlines()]
    assert ["jump", "and", "walk", "100", "0", "JUMP", "WALK", "RUN"] in lines
    assert ["jump", "twice", "0", "100", "JUMP", "JUMP", "RUN"] in lines


def test_every_command_goes_into_a_file(daxlab, ledger: Path, tmp_path: Path) -> None:
    done = daxlab("compare", *SIDES, "--items", tmp_path / "items.csv", "--ledger", ledger)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "items.csv").open() as file:
        first, *_, last = csv.DictReader(file)
    assert (first["command"], first["a"], first["b"], first["wrong_b"]) == ("jump and walk", "100.0", "0.0", "RUN")
    assert (last["command"], last["difference"], last["learner_a"]) == ("jump twice", "-100.0", "GRU 1x8, dropout 0.5")


def test_what_else_differs_is_said(daxlab, ledger: Path, tiny: Path) -> None:
    with Writer(ledger) as writer:
        writer.add([Run(spec=Spec("walk", 0, RNN("srn", 2, 16), str(tiny)).facts(), metrics={"accuracy": 7.0})])
    shown = daxlab("compare", *SIDES, "--where", "split=walk", "--ledger", ledger).stdout
    assert "A and B also differ in cell, layers, which" in shown
    assert "also differ" not in daxlab("compare", *SIDES, "--where", "split=jump", "--ledger", ledger).stdout


def test_splits_with_the_same_test_set_are_compared_though_their_training_differs(
    daxlab, ledger: Path, tiny: Path
) -> None:
    with Writer(ledger) as writer:
        writer.add([answered_once(tiny, seed) for seed in range(2)])
    sides = ("--a", "split=jump", "--b", "split=jump-once", "--where", "hidden=8")
    content = json.loads(daxlab("compare", *sides, "--json", "--ledger", ledger).stdout)
    (row,) = content["compared"]
    assert (row["split"], row["runs_a"], row["runs_b"], row["only_b"]) == ("jump and jump-once", 3, 2, 1)
    assert row["accuracies_b"] == [100.0, 100.0]
    refused = daxlab("compare", "--a", "split=jump", "--b", "split=run", "--where", "cell=gru", "--ledger", ledger)
    assert "no split in common" in refused.stderr


def answered_once(tiny: Path, seed: int) -> Run:
    """A run on jump-once that answers every command right."""
    spec = Spec("jump-once", seed, RNN("gru", 1, 8), str(tiny))
    targets = [example.actions for example in spec.content().test]
    return Run(spec=spec.facts(), metrics={"accuracy": 100.0}, artefacts={"greedy": pack_answers(targets, targets)})


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--a", "hidden=8"], "two sets of runs are compared: add --b, such as --b hidden=100"),
        (["--b", "hidden=8"], "add --a, such as --a hidden=50"),
        (["--where", "split=jump"], "add --a and --b"),
        (["--items", "items.csv"], "add --a and --b"),
        ([*SIDES, "--items", "items.txt"], "end its name in .csv"),
        ([*SIDES, "--where", "split=run", "--items", "items.csv"], "nothing to write"),
        ([*SIDES, "--where", "hidden=8"], "hidden cannot be both 8 and 16"),
        (["--a", "hiden=8", "--b", "hidden=16"], "did you mean 'hidden'?"),
        (["--a", "hidden=9", "--b", "hidden=16"], "--a: no run has hidden=9: there are 8, 16\n"),
        (["--a", "hidden=8", "--b", "hidden=16", "--b", "split=walk"], "has no run for side B (hidden=16, split=walk)"),
        (["--a", "cell=gru", "--b", "hidden=8"], "are on both sides"),
        (["--a", "split=jump", "--b", "split=run"], "no split in common"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_2(daxlab, ledger: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("compare", *arguments, "--ledger", ledger)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
