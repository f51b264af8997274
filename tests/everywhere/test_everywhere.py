"""A learner and a dataset that daxlab has never heard of go through everything.

`memory.py` has a learner that is no network, `bag.py` an Equinox network; `colours` is a folder of TSV files with two
test sets and categories.
"""

import json
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BAG = ("bag.py:Bag", "--set", "width=4", "--updates", "200")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the learners and the dataset."""
    for name in ("memory.py", "bag.py"):
        shutil.copy(HERE / name, tmp_path)
    shutil.copytree(HERE / "colours", tmp_path / "colours")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(daxlab, *arguments: object):
    """What a command prints; it must succeed."""
    done = daxlab(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def asked(daxlab, *arguments: object):
    """What a command answers to a script."""
    return json.loads(told(daxlab, *arguments, "--json"))


def refused(daxlab, *arguments: object) -> str:
    """The sentence with which a command ends."""
    done = daxlab(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.splitlines()[-1].startswith("daxlab: ") and "Traceback" not in done.stderr
    return done.stderr


def train(daxlab, *words: object) -> list[dict]:
    return asked(daxlab, "train", *words, "--data", "colours", "--device", "cpu")["runs"]


def test_learners_shows_the_fields_of_a_class_in_a_file(daxlab, folder: Path) -> None:
    memory, bag = asked(daxlab, "learners", "memory.py:Memory", "bag.py:Bag")
    assert memory["fields"]["otherwise"] == {
        "default": "RED",
        "help": "the answer to a command that it has not seen",
    }
    assert memory["about"] == "Remembers the training examples and nothing else."
    assert (bag["fields"]["width"]["default"], bag["fields"]["updates"]["default"]) == (8, 100_000)
    assert "forgets" in told(daxlab, "learners", "memory.py:Memory")


def test_data_list_shows_the_test_sets_of_a_folder(daxlab, folder: Path) -> None:
    rows = asked(daxlab, "data", "list", "--data", "colours")
    assert [row["name"] for row in rows] == ["test", "gen"]
    assert rows[0]["tests"] == {"test": 2, "gen": 3}


def test_a_learner_that_is_no_network_goes_through_everything(daxlab, folder: Path) -> None:
    (run,) = train(daxlab, "memory.py:Memory", "--forgets", "1", "--runs", "1", "--test", "gen")
    assert (run["split"], run["accuracy"], run["train_accuracy"]) == ("gen", pytest.approx(100 / 3), 100.0)
    assert "Memory, forgets 1" in told(
        daxlab,
        "train",
        "memory.py:Memory",
        "--forgets",
        "1",
        "--runs",
        "1",
        "--data",
        "colours",
        "--test",
        "gen",
        "--device",
        "cpu",
    )

    (row,) = asked(daxlab, "runs", "list", "--where", "forgets=1")
    assert (row["dataset"], row["learner"], row["label"]) == ("colours", "memory.py:Memory", "Memory, forgets 1")
    assert "Memory, forgets 1" in told(daxlab, "runs", "list")
    shown = json.loads(told(daxlab, "runs", "show", row["key"][:8], "--json"))
    assert shown["spec"]["learner"]["forgets"] == 1
    assert shown["metrics"]["accuracy.test"] == 100.0
    assert "keeps no learning curve" in told(daxlab, "runs", "curve", row["key"])
    told(daxlab, "runs", "export", "runs.csv")

    found = asked(daxlab, "evaluate", row["key"])  # it saves no model, and is fitted again
    assert (found["test"], found["accuracy"]) == ("gen", pytest.approx(100 / 3))
    assert found["categories"]["thrice"] == {"accuracy": 0.0, "right": 0, "of": 1}
    answer = asked(daxlab, "predict", row["key"], "say blue twice")
    assert (answer["actions"], answer["probabilities"]) == (["BLUE", "BLUE"], None)
    said = told(daxlab, "predict", row["key"], "say", "blue", "twice")
    assert "BLUE BLUE" in said and "has no probabilities and no attention weights to show" in said
    assert "cannot be told the oracle length" in refused(daxlab, "evaluate", row["key"], "--oracle-length")
    assert "has no attention" in refused(daxlab, "predict", row["key"], "say", "red", "--attention-map", "map.svg")

    swept = asked(
        daxlab,
        "sweep",
        "run",
        "--set",
        "learner=memory.py:Memory",
        "--set",
        "data=colours",
        "--set",
        "split=gen",
        "--set",
        "forgets=0,1,2",
        "--set",
        "seeds=1",
        "--device",
        "cpu",
    )
    assert (swept["runs"], swept["done"], swept["trained"]) == (3, 3, 2)
    status = asked(daxlab, "sweep", "status")
    assert (status["done"], status["best"][0]["split"], status["best"][0]["mean"]) == (3, "gen", pytest.approx(100 / 3))
    assert "Memory" in told(daxlab, "sweep", "status")

    told(daxlab, "report", "--out", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Memory" in page and "colours" in page and "thrice" in page


@pytest.mark.usefixtures("trains_here")
def test_a_network_in_a_file_goes_through_everything(daxlab, folder: Path) -> None:
    first, second = train(daxlab, *BAG, "--runs", "2", "--test", "gen")
    assert first["id"] != second["id"] and first["status"] == "done"
    assert first["oracle_accuracy"] is not None

    rows = asked(daxlab, "runs", "list", "--where", "width=4")
    assert [row["label"] for row in rows] == ["Bag, width 4, updates 200"] * 2
    shown = json.loads(told(daxlab, "runs", "show", first["id"], "--json"))
    assert set(shown["metrics"]) >= {"accuracy", "accuracy.test", "train_accuracy", "oracle_accuracy"}

    found = asked(daxlab, "evaluate", first["id"])
    assert (found["test"], found["accuracy"]) == ("gen", pytest.approx(first["accuracy"]))
    assert set(found["categories"]) == {"once", "twice", "thrice"}
    assert asked(daxlab, "evaluate", first["id"], "--test", "test")["commands"] == 2
    assert "thrice" in told(daxlab, "evaluate", first["id"])
    answer = asked(daxlab, "predict", first["id"], "say blue twice")
    assert len(answer["actions"]) <= len(answer["probabilities"]) and answer["attention"] is None
    assert "has no attention" in refused(daxlab, "predict", first["id"], "say", "red", "--attention-map", "map.svg")

    swept = asked(
        daxlab,
        "sweep",
        "run",
        "--set",
        "learner=bag.py:Bag",
        "--set",
        "data=colours",
        "--set",
        "split=gen",
        "--set",
        "width=4,5",
        "--set",
        "updates=200",
        "--set",
        "seeds=2",
        "--device",
        "cpu",
    )
    assert (swept["runs"], swept["trained"]) == (4, 2)
    assert asked(daxlab, "sweep", "status")["done"] == 4
    told(daxlab, "report", "--out", "page.html")
    assert "Bag, width 4" in (folder / "page.html").read_text(encoding="utf-8")


def test_a_run_answers_every_test_set_and_its_accuracy_is_on_the_main_one(daxlab, folder: Path) -> None:
    accuracies = {}
    for name in ("gen", "test"):
        (run,) = train(daxlab, "memory.py:Memory", "--runs", "1", "--test", name)
        metrics = json.loads(told(daxlab, "runs", "show", run["id"], "--json"))["metrics"]
        (other,) = {"gen", "test"} - {name}
        accuracies[name] = {name: run["accuracy"], other: metrics[f"accuracy.{other}"]}
    assert accuracies["gen"] == accuracies["test"] == {"gen": pytest.approx(100 / 3), "test": 100.0}


def test_a_sweep_mixes_learners(daxlab, folder: Path) -> None:
    (folder / "both.toml").write_text(
        'data = "colours"\nsplit = "gen"\nseeds = 1\n[[sweep]]\nlearner = "memory.py:Memory"\nforgets = [0, 1]\n'
        '[[sweep]]\nlearner = "bag.py:Bag"\nwidth = [4]\nupdates = 200\n'
    )
    assert asked(daxlab, "sweep", "run", "both.toml", "--device", "cpu")["trained"] == 3  # in worker processes
    rows = asked(daxlab, "runs", "list")
    assert {row["learner"] for row in rows} == {"memory.py:Memory", "bag.py:Bag"}
    told(daxlab, "sweep", "status")
    told(daxlab, "report", "--out", "page.html")


@pytest.mark.usefixtures("trains_here")
def test_a_budget_stops_a_network_in_a_file_and_the_same_command_resumes(daxlab, folder: Path) -> None:
    words = ("train", *BAG, "--runs", "1", "--data", "colours", "--test", "gen", "--device", "cpu", "--json")
    stopped = daxlab(*words, "--budget", "0s")
    assert (stopped.returncode, json.loads(stopped.stdout)["complete"]) == (3, False)
    assert asked(daxlab, "sweep", "status")["waiting"] == 1
    done = json.loads(told(daxlab, *words))
    assert (done["complete"], done["runs"][0]["status"]) == (True, "done")


@pytest.mark.slow
def test_ctrl_c_stops_a_network_in_a_file_at_a_checkpoint_and_the_same_command_resumes(daxlab, folder: Path) -> None:
    words = ["train", "bag.py:Bag", "--updates", "50000", "--runs", "1", "--data", "colours", "--device", "cpu"]
    command = [sys.executable, "-m", "daxlab", *words, "--checkpoint-every", "0", "--json"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not list(folder.glob("daxlab.db.checkpoints/*.safetensors")):  # it trains
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(said)["complete"]) == (3, False)
    assert list(folder.glob("daxlab.db.checkpoints/*.safetensors"))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    (run,) = json.loads(done.stdout)["runs"]
    assert json.loads(told(daxlab, "runs", "show", run["id"], "--json"))["timing"]["resumed"] == 1


def test_a_changed_file_makes_a_new_run_and_the_old_one_stays_listed(daxlab, folder: Path) -> None:
    (before,) = train(daxlab, "memory.py:Memory", "--runs", "1", "--test", "gen")
    source = (folder / "memory.py").read_text()
    (folder / "memory.py").write_text(source.replace('setting("RED"', 'setting("BLUE"'))
    (after,) = train(daxlab, "memory.py:Memory", "--runs", "1", "--test", "gen")
    assert before["id"] != after["id"]
    assert {row["key"] for row in asked(daxlab, "runs", "list")} == {before["id"], after["id"]}
    (folder / "memory.py").unlink()
    assert "Memory" in told(daxlab, "runs", "list")
    told(daxlab, "sweep", "status")
    told(daxlab, "report", "--out", "page.html")


@pytest.mark.usefixtures("trains_here")
def test_a_network_whose_file_has_changed_is_not_asked(daxlab, folder: Path) -> None:
    (run,) = train(daxlab, *BAG, "--runs", "1", "--test", "gen")
    source = (folder / "bag.py").read_text()
    (folder / "bag.py").write_text(source + "\n# changed\n")
    assert "bag.py:Bag has changed since this run was trained" in refused(daxlab, "evaluate", run["id"])
    (folder / "bag.py").unlink()
    assert "cannot read the learner bag.py" in refused(daxlab, "evaluate", run["id"])
    (folder / "bag.py").write_text(source)
    told(daxlab, "evaluate", run["id"])


def test_a_file_that_changes_before_a_worker_has_read_it_is_not_trained(daxlab, folder: Path, monkeypatch) -> None:
    from executors import in_process

    def edited(tasks, device, workers, stop):
        (folder / "memory.py").write_text((folder / "memory.py").read_text() + "\n# changed\n")
        reached = [pickle.loads(pickle.dumps(task)) for task in tasks]  # as a task reaches a worker
        return in_process(reached, stop)

    monkeypatch.setattr("daxlab.sweep.driver.execute", edited)
    words = ("train", "memory.py:Memory", "--runs", "1", "--data", "colours", "--device", "cpu")
    assert "did a file of theirs change" in refused(daxlab, *words)
    assert asked(daxlab, "runs", "list", "--ledger", "daxlab.db") == []


def test_a_moved_dataset_is_the_same_dataset(daxlab, folder: Path) -> None:
    (before,) = train(daxlab, "memory.py:Memory", "--runs", "1", "--test", "gen")
    (folder / "colours").rename(folder / "moved")
    found = asked(
        daxlab, "train", "memory.py:Memory", "--runs", "1", "--data", "moved", "--test", "gen", "--device", "cpu"
    )
    assert found["runs"][0]["id"] == before["id"]


def test_a_dataset_in_disguise_goes_through_everything(daxlab, folder: Path) -> None:
    """Memory answers what it was shown; an answer in words of its own is right in neither."""
    words = ("memory.py:Memory", "--runs", "1", "--test", "gen", "--data", "disguised:colours", "--device", "cpu")
    (run,) = asked(daxlab, "train", *words)["runs"]
    (bare,) = train(daxlab, "memory.py:Memory", "--runs", "1", "--test", "gen", "--set", "otherwise=NONE")
    assert (run["accuracy"], run["train_accuracy"]) == (bare["accuracy"], bare["train_accuracy"])
    assert asked(daxlab, "data", "list", "--data", "disguised:colours") == asked(
        daxlab, "data", "list", "--data", "colours"
    )
    assert set(asked(daxlab, "evaluate", run["id"])["categories"]) == set(
        asked(daxlab, "evaluate", bare["id"])["categories"]
    )
    answer = asked(daxlab, "predict", run["id"], "say blue twice")
    assert answer["right"] and "blue" not in answer["command"] and answer["actions"][0] == answer["actions"][1]
    told(daxlab, "runs", "answers", run["id"], "--to", "answers.jsonl")
    again = asked(daxlab, "score", "answers.jsonl", "--data", "disguised:colours", "--test", "gen")
    assert again["accuracy"] == run["accuracy"]
    told(daxlab, "report", "--out", "page.html")
    assert "disguised:colours" in (folder / "page.html").read_text(encoding="utf-8")


BAD_FILES = {
    "syntax.py": "import os\nclass A(:\n",
    "raises.py": "import os\n\nraise RuntimeError('no licence')\n",
    "exits.py": "import sys\nsys.exit(3)\n",
    "missing.py": "import a_package_that_is_not_there\n",
    "half.py": "from daxlab.networks import Network\n\n\nclass Half(Network):\n    @staticmethod\n"
    "    def start(key, *, words, actions):\n        return Half()\n",
    "nothing.py": "from dataclasses import dataclass\n\nfrom daxlab.learners import Learner\n\n\n"
    "@dataclass(frozen=True)\nclass Nothing(Learner):\n    def fit_one(self, split, seed):\n        return None\n",
}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["memry.py:Memory"], "cannot read the learner memry.py: No such file"),
        (["memory.py:Memry"], "memory.py has no class 'Memry'; did you mean 'Memory'?"),
        (["memory.py:Zebra"], "memory.py has no class 'Zebra'; there are "),
        (["memory.py:Memory", "--forgts", "1"], "did you mean --forgets?"),
        (["memory.py:Memory", "--set", "forgts=1"], "did you mean 'forgets'?"),
        (["memory.py:Memory", "--set", "forgets=many"], "forgets takes a whole number, not 'many'"),
        (["memory.py:Memory", "--set", "forgets=-1"], "forgets must be at least 0"),
        (["memory.py:NoDataclass"], "decorate it with @dataclass(frozen=True)"),
        (["memory.py:NoFit"], "it needs fit_one(self, split, seed)"),
        (["memory.py:NoDefault"], "every field of a learner needs a default"),
        (["memory.py:Stranger"], "neither a daxlab.learners.Learner nor a daxlab.networks.Network"),
        (["memory.py:Miscounts"], "breaks the contract: 0 answers to"),
        (["memory.py:Silent"], "breaks the contract: answers(commands) must return a list of answers, not None"),
        (["memory.py:Leaves"], "SystemExit: 3"),
        (["bag.py:NoStart"], "needs a static method start"),
        (["half.py:Half"], "half.py:Half breaks the contract: it needs greedy, loss, scores"),
        (["nothing.py:Nothing"], "fit_one must return a model with answers(commands), not None"),
        (["bag.py:NoDefault"], "the parameter 'width' of start needs a default"),
        (["bag.py:NoActions"], "its start takes no 'actions'"),
        (["bag.py:WrongShape"], "its loss is not one number, but of shape (3,)"),
        (["syntax.py:A"], "syntax.py, line 2: cannot be imported (SyntaxError"),
        (["raises.py:A"], "raises.py, line 3: cannot be imported (RuntimeError: no licence)"),
        (["exits.py:A"], "exits.py, line 2: cannot be imported (SystemExit"),
        (["missing.py:A"], "missing.py, line 1: cannot be imported (ModuleNotFoundError"),
        (["memory.py:Memory", "--test", "gem"], "colours has no test set called 'gem'; did you mean 'gen'?"),
        (["memory.py:Memory", "--data", "colors"], "no dataset is called 'colors'"),
        (["Memory"], "no learner is called 'Memory'"),
    ],
)
@pytest.mark.usefixtures("trains_here")
def test_bad_input_is_one_sentence_that_says_what_to_mend(
    daxlab, folder: Path, words: list[str], complaint: str
) -> None:
    for name, content in BAD_FILES.items():
        (folder / name).write_text(content)
    more = [] if "--data" in words else ["--data", "colours"]
    done = daxlab("train", *words, *more, "--runs", "1", "--device", "cpu")
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr and "Traceback" not in done.stderr
    if (folder / "daxlab.db").exists():
        assert asked(daxlab, "runs", "list", "--ledger", "daxlab.db") == []


@pytest.mark.usefixtures("trains_here")
def test_runs_of_a_learner_that_raises_an_error_do_not_wait(daxlab, folder: Path) -> None:
    words = ("train", "memory.py:Unlucky", "--runs", "3", "--data", "colours", "--device", "cpu")
    assert "memory.py, line" in refused(daxlab, *words) and "bad luck" in refused(daxlab, *words)
    status = asked(daxlab, "sweep", "status")
    assert (status["done"], status["waiting"]) == (1, 0)


def test_a_filter_that_no_run_matches_names_the_nearest(daxlab, folder: Path) -> None:
    train(daxlab, "memory.py:Memory", "--runs", "1")
    assert "no column 'forgts'; did you mean 'forgets'" in refused(daxlab, "runs", "list", "-w", "forgts=1")
    assert "did you mean 'colours'?" in daxlab("runs", "list", "-w", "dataset=colors").stderr


@pytest.mark.usefixtures("trains_here")
def test_an_unknown_test_set_of_a_run_is_named_with_the_nearest(daxlab, folder: Path) -> None:
    (run,) = train(daxlab, *BAG, "--runs", "1")
    assert "no test set 'gem'; did you mean 'gen'?" in refused(daxlab, "evaluate", run["id"], "--test", "gem")
