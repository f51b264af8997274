"""A run as a folder: what it answers there is what it answered in the ledger."""

import json
from pathlib import Path

import pytest

import daxlab as package
from daxlab import InputError, dataset
from daxlab.ledger import Ledger
from daxlab.ledger.folder import load, write_folder
from daxlab.ledger.trained import TrainedModel


@pytest.fixture
def key(trained: Path) -> str:
    with Ledger(trained) as ledger:
        return ledger.select()[0]


def test_a_folder_answers_as_the_run_in_the_ledger_does(trained: Path, tiny: Path, key: str, tmp_path: Path) -> None:
    paths = write_folder(trained, key, tmp_path)
    assert [path.name for path in paths] == ["model.safetensors", "config.json", "README.md"]
    here, there, split = package.load(tmp_path), TrainedModel(trained, key), dataset(str(tiny)).split("jump")
    assert here.key == key
    assert here.answers(split)["answer"].to_list() == [list(one) for one in there.evaluate(split).answers]
    with Ledger(trained) as ledger:
        assert here.accuracy == ledger.run(key).metrics["accuracy"]
    mine, its = here.predict("jump twice"), there.predict("jump twice")
    assert (mine.actions, mine.probabilities) == (its.actions, its.probabilities)


def test_the_shipped_network_is_published_with_the_accuracy_that_its_answers_have(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "results/runs.db"
    write_folder(shipped, "9485894f", tmp_path)
    answered = load(tmp_path).evaluate(package.split("jump"))
    with Ledger(shipped) as ledger:
        accuracy = ledger.run("9485894f").metrics["accuracy"]
    # it was trained and scored on another device, so a few of 7,706 answers may differ
    assert 100 * sum(map(bool, answered.right)) / len(answered.right) == pytest.approx(accuracy, abs=0.1)


def test_hugging_face_reads_the_card_and_finds_every_metric_that_was_measured(
    trained: Path, key: str, tmp_path: Path
) -> None:
    from huggingface_hub import ModelCard

    write_folder(trained, key, tmp_path)
    data = ModelCard.load(tmp_path / "README.md").data
    with Ledger(trained) as ledger:
        metrics = ledger.run(key).metrics
    assert sorted(one.metric_value for one in data.eval_results) == sorted(metrics.values())
    assert {(one.dataset_config, one.dataset_split) for one in data.eval_results} == {
        ("jump", "test"),
        ("jump", "train"),
    }
    assert data.library_name == "daxlab"


def test_config_has_what_another_program_needs(trained: Path, key: str, tmp_path: Path) -> None:
    write_folder(trained, key, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["key"], config["kind"], config["split"], config["fields"]["hidden"]) == (key, "rnn", "jump", 8)
    assert config["vocabulary"]["words"][-4:] == ["jump", "run", "twice", "walk"]


def test_a_dataset_that_was_moved_is_found_by_its_new_path(trained: Path, tiny: Path, key: str, tmp_path: Path) -> None:
    write_folder(trained, key, tmp_path / "model")
    moved = tmp_path / "moved.grammar"
    moved.write_text(tiny.read_text())
    assert load(tmp_path / "model", data=str(moved)).predict("walk").actions
    moved.write_text(tiny.read_text().replace("RUN", "RAN"))
    with pytest.raises(InputError, match="dataset of this run is no longer what it was"):
        load(tmp_path / "model", data=str(moved))


def test_what_is_no_such_folder_is_one_sentence(trained: Path, key: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'daxlab runs folder' writes it"):
        load(tmp_path)
    write_folder(trained, key, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["spec"]["seed"] += 1
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="was changed"):
        load(tmp_path)
    for broken in ("{", "[]", "{}", '{"key": 1, "spec": {}}'):
        (tmp_path / "config.json").write_text(broken)
        with pytest.raises(InputError, match=r"config\.json is not one that"):
            load(tmp_path)


def test_a_run_without_weights_says_so(daxlab, trained: Path, key: str, tmp_path: Path) -> None:
    daxlab("runs", "export", tmp_path / "light.db", "--figures-only", "--ledger", trained)
    done = daxlab("runs", "folder", key, "--to", tmp_path / "out", "--ledger", tmp_path / "light.db")
    assert (done.returncode, "has no weights to export" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_the_command_ends_with_the_line_that_publishes_it(daxlab, trained: Path, key: str, tmp_path: Path) -> None:
    done = daxlab("runs", "folder", key, "--to", tmp_path, "--ledger", trained)
    assert done.stdout.splitlines()[-1] == f"To publish it: hf upload YOUR-NAME/daxlab-{key[:12]} {tmp_path}"
