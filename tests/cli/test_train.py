"""`daxlab learners`, `train`, `evaluate` and `predict`."""

import json
from pathlib import Path

import pytest

from daxlab import split
from daxlab.learners import RNN, Prediction
from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec

SMALL = ("--layers", "1", "--hidden", "8", "--attention", "--dropout", "0.1", "--updates", "200")


def test_learners_lists_kinds_with_their_fields_and_defaults(daxlab) -> None:
    (rnn,) = json.loads(daxlab("learners", "rnn", "--json").stdout)
    assert rnn["fields"]["hidden"]["default"] == 200
    assert "hidden" in daxlab("learners").stdout


@pytest.mark.usefixtures("trains_here")
def test_train_prints_every_run_and_their_mean_and_what_the_ledger_has_is_not_trained_again(
    daxlab, tiny: Path, tmp_path: Path
) -> None:
    asked = ("train", "--split", "jump", "--data", tiny, *SMALL, "--runs", "2")
    told = daxlab(*asked, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "2 runs in 2 groups" in told.stderr and "95% interval" in told.stdout
    again = daxlab(*asked, "--json", cwd=tmp_path)
    found = json.loads(again.stdout)
    assert (found["complete"], [run["seed"] for run in found["runs"]], again.stderr) == (True, [0, 1], "")


@pytest.mark.usefixtures("trains_here")
def test_an_option_for_a_field_is_the_same_as_set(daxlab, tiny: Path, tmp_path: Path) -> None:
    options = ("--layers", "1", "--hidden=8", "--attention", "--dropout", "0.1", "--updates", "200")
    settings = ("layers=1", "hidden=8", "attention=true", "dropout=0.1", "protocol.updates=200")
    keys = []
    for words in (options, [word for one in settings for word in ("--set", one)], ["rnn", *options]):
        done = daxlab("train", *words, "--split", "jump", "--data", tiny, "--runs", "1", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        keys.append(json.loads(done.stdout)["runs"][0]["id"])
    assert len(set(keys)) == 1


@pytest.mark.usefixtures("trains_here")
def test_a_split_that_is_asked_for_by_two_names_is_trained_once(daxlab, tiny: Path, tmp_path: Path) -> None:
    twice = ("train", "--split", "simple-seed0", "--split", "simple", "--data", tiny, *SMALL, "--runs", "2", "--json")
    told = json.loads(daxlab(*twice, cwd=tmp_path).stdout)["runs"]
    assert [(run["split"], run["seed"]) for run in told] == [("simple", 0), ("simple", 1)]


@pytest.mark.usefixtures("trains_here")
def test_a_budget_that_is_used_up_is_exit_3_and_says_how_to_go_on(daxlab, tiny: Path, tmp_path: Path) -> None:
    asked = ("train", "--split", "jump", "--data", tiny, *SMALL, "--runs", "1")
    stopped = daxlab(*asked, "--budget", "0s", "--json", cwd=tmp_path)
    assert (stopped.returncode, json.loads(stopped.stdout)["complete"]) == (3, False)
    assert "Run the same command again to go on" in stopped.stderr
    assert daxlab(*asked, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "say what to train on"),
        (["--split", "jmp"], "did you mean 'jump'"),
        (["rn", "--split", "jump"], "did you mean 'rnn'"),
        (["--split", "jump", "--data", "scam"], "did you mean 'scan'"),
        (["--split", "jump", "--dropout", "1.5"], "dropout must be at least 0 and below 1"),
        (["--split", "jump", "--hidden", "-3"], "hidden must be at least 1"),
        (["--split", "jump", "--hidden", "wide"], "hidden takes a whole number, not 'wide'"),
        (["--split", "jump", "--hidden"], "needs a value"),
        (["--split", "jump", "--hiden", "3"], "did you mean --hidden?"),
        (["--split", "jump", "--set", "hiden=3"], "did you mean 'hidden'?"),
        (["--split", "jump", "--set", "hidden"], "--set takes FIELD=VALUE"),
        (["--split", "jump", "--attention", "--set", "attention=maybe"], "attention takes true or false"),
        (["--split", "jump", "--layers", "0"], "layers must be at least 1"),
        (["--split", "jump", "--cell", "lstn"], "cell is one of srn, lstm, gru"),
        (["--split", "jump", "--runs", "0"], "runs must be between"),
        (["--split", "jump", "--seed", "-1"], "a seed is a whole number"),
        (["--split", "jump", "--updates", "0"], "updates must be at least 1"),
        (["--split", "jump", "--device", "tpu"], "a device is auto, cpu or gpu"),
        (["--split", "jump", "--budget", "soon"], "is not a time"),
        (["--split", "jump", "--ledger", "."], "is a directory"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("train", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_evaluate_gives_the_accuracies_that_the_ledger_has(daxlab, trained: Path) -> None:
    with Ledger(trained) as ledger:
        (row,) = ledger.rows({"seed": 0})
    found = json.loads(daxlab("evaluate", row["key"][:10], "--ledger", trained, "--json").stdout)
    assert found["accuracy"] == pytest.approx(row["accuracy"])
    oracle = json.loads(daxlab("evaluate", row["key"][:10], "--oracle-length", "--ledger", trained, "--json").stdout)
    assert oracle["accuracy"] == pytest.approx(row["oracle_accuracy"])
    assert found["new"] == found["commands"]  # of its own split


def test_evaluate_on_another_split_says_how_many_commands_were_in_training(daxlab, trained: Path) -> None:
    with Ledger(trained) as ledger:
        (row,) = ledger.rows({"seed": 0})
    shown = {example.command for example in split(row["split"], row["dataset"]).train}
    asked = [example.command for example in split("simple", row["dataset"]).test]
    seen = sum(command in shown for command in asked)
    assert 0 < seen < len(asked)
    told = daxlab("evaluate", row["key"], "--split", "simple", "--ledger", trained).stdout
    assert "right on simple" in told and f"{seen:,} of them were in its training" in told
    found = json.loads(daxlab("evaluate", row["key"], "--split", "simple", "--ledger", trained, "--json").stdout)
    assert found["new"] == len(asked) - seen


def test_predict_gives_actions_probabilities_and_attention(daxlab, trained: Path, tmp_path: Path) -> None:
    with Ledger(trained) as ledger:
        (key,) = ledger.select({"seed": 0})
    answer = json.loads(daxlab("predict", key, "walk twice", "--ledger", trained, "--json").stdout)
    assert answer["actions"] == ["WALK", "WALK"]
    assert [round(sum(step), 4) for step in answer["attention"]] == [1.0] * 3
    drawn = tmp_path / "map.svg"
    shown = daxlab("predict", key, "walk", "twice", "--ledger", trained, "--attention-map", drawn)
    assert shown.stdout.count("WALK") == 2
    assert "twice" in drawn.read_text()
    unknown = daxlab("predict", key, "dax twice", "--ledger", trained)
    assert (unknown.returncode, "unknown word 'dax'" in unknown.stderr) == (2, True)


def test_an_answer_that_never_ends_is_said_to_be_cut_off(daxlab, trained: Path, monkeypatch) -> None:
    with Ledger(trained) as ledger:
        (key,) = ledger.select({"seed": 0})
    ask = ("predict", key, "walk", "--ledger", trained)
    assert "cut off" not in daxlab(*ask).stdout
    endless = Prediction(("WALK", "RUN"), (0.5, 0.5))
    monkeypatch.setattr("daxlab.ledger.trained.TrainedModel.predict", lambda model, command: endless)
    assert "It never ended: it was cut off after 2 actions." in daxlab(*ask).stdout


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Prediction(("WALK",)), "✓ right"),
        (Prediction(("RUN",)), "✗ wrong; it should be: WALK"),
        (Prediction(("WALK",), (0.5,)), "✗ wrong; it should be: WALK"),  # it never ended
    ],
)
def test_predict_says_whether_the_answer_is_right(daxlab, trained: Path, monkeypatch, answer, verdict) -> None:
    with Ledger(trained) as ledger:
        (key,) = ledger.select({"seed": 0})
    monkeypatch.setattr("daxlab.ledger.trained.TrainedModel.predict", lambda model, command: answer)
    assert verdict in daxlab("predict", key, "walk", "--ledger", trained).stdout
    unlicensed = json.loads(daxlab("predict", key, "walk walk", "--ledger", trained, "--json").stdout)
    assert (unlicensed["right"], unlicensed["targets"]) == (None, [])


def test_without_weights_the_error_says_how_to_have_them(daxlab, trained: Path, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", trained)
    with Ledger(trained) as ledger:
        (key,) = ledger.select({"seed": 0})
    told = daxlab("predict", key, "walk", "--ledger", tmp_path / "light.db")
    assert (told.returncode, "were not kept" in told.stderr) == (2, True)


def test_a_budget_in_which_nothing_can_be_trained_is_refused_before_anything_is_said(daxlab, tmp_path: Path) -> None:
    done = daxlab("train", "--split", "jump", "--budget", "1s", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("daxlab: a budget of 1s is too short") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_chosen_by_its_split_and_named(daxlab, trained: Path, tmp_path: Path) -> None:
    latest = json.loads(daxlab("runs", "list", "--json", "--ledger", trained).stdout)[0]["key"]
    asked = daxlab("predict", "--split", "jump", "walk", "twice", "--ledger", trained)
    assert asked.stderr.startswith(latest[:12])
    assert asked.stdout == daxlab("predict", latest, "walk twice", "--ledger", trained).stdout
    first = daxlab("predict", "-w", "seed=0", "walk", "--ledger", trained)
    assert "seed 0" in first.stderr and first.stdout
    none = daxlab("predict", "--split", "run", "walk", "--ledger", trained)
    assert (none.returncode, none.stdout) == (2, "")
    assert "no run has split=run" in none.stderr and "has its model here" in none.stderr
    unnamed = daxlab("predict", "walk twice", "--ledger", trained)
    assert (unnamed.returncode, "--split jump" in unnamed.stderr) == (2, True)


def test_without_runs_of_one_s_own_a_shipped_network_is_asked(daxlab, tmp_path: Path) -> None:
    told = daxlab("predict", "--split", "jump", "jump twice", cwd=tmp_path)
    assert "✗ wrong; it should be: I_JUMP I_JUMP" in told.stdout
    assert "from the results that come with daxlab" in told.stderr
    unknown = daxlab("predict", "--split", "jump", "dax twice", cwd=tmp_path)
    assert "scan-dax" in unknown.stderr and "I_DAX I_DAX" in unknown.stderr
    near = daxlab("predict", "--split", "jump", "jmp twice", cwd=tmp_path)
    assert "did you mean 'jump'?" in near.stderr


def test_why_a_run_failed_is_shown_and_of_how_many_runs_the_mean_is(daxlab, tmp_path: Path) -> None:
    specs = [Spec("jump", seed, RNN("gru", 1, 8, updates=50)).facts() for seed in range(3)]
    with Writer(tmp_path / "failed.db") as writer:
        writer.add([Run(spec=specs[0], status="failed", failed_at=7, reason="the loss is not finite")])
        writer.add(Run(spec=spec, metrics={"accuracy": 4.0}) for spec in specs[1:])
    fields = ("--cell", "gru", "--layers", "1", "--hidden", "8", "--updates", "50")
    told = daxlab("train", "--split", "jump", "--runs", "3", *fields, "--ledger", tmp_path / "failed.db").stdout
    assert "failed at step 7: the loss is not finite" in told
    assert "mean of 2 of 3 runs 4.00" in told
