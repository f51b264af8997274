"""A take-home folder: what is trained on elsewhere comes to the same runs, and what does not fit is named."""

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from daxlab import dataset
from daxlab.atomic import atomic_folder

TESTS = Path(__file__).parents[1]
MINE = """
import json, sys

class Mine:
    def fit(self, train, *, seed):
        self.seed, self.train = seed, list(train)
    def predict(self, commands):
        return [self.nearest(set(command.split())) for command in commands]
    def nearest(self, words):
        return max(self.train, key=lambda pair: len(words & set(pair[0].split())))[1]

def rows(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]

if __name__ == "__main__":
    train, commands, answers, seed = sys.argv[1:]
    mine, asked = Mine(), [row["command"] for row in rows(commands)]
    mine.fit([(row["command"], row["actions"]) for row in rows(train)], seed=int(seed))
    with open(answers, "w", encoding="utf-8") as out:
        for command, answer in zip(asked, mine.predict(asked)):
            out.write(json.dumps({"command": command, "answer": answer}) + "\\n")
"""
WORDS = ("--data", "colours", "--splits", "test,gen", "--runs", "2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a learner and a dataset."""
    shutil.copytree(TESTS / "everywhere" / "colours", tmp_path / "colours")
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tasks(home: str = "home") -> list[dict]:
    return json.loads(Path(home, "manifest.json").read_text())["tasks"]


def answer(task: dict, home: str = "home") -> Path:
    files = [Path(home, *task[side]) for side in ("train", "commands")] + [Path(home, task["answers"])]
    subprocess.run([sys.executable, "-I", "-S", "mine.py", *files, str(task["seed"])], check=True)
    return files[-1]


def answers_in_ledger(daxlab) -> dict[tuple, list]:
    """By learner, split and seed: the answers to every test set."""
    told = {}
    for run in json.loads(daxlab("runs", "list", "--json").stdout):
        daxlab("runs", "answers", run["key"], "--to", "answers.jsonl")
        lines = Path("answers.jsonl").read_text().splitlines()
        rows = [(row["command"], row["answer"]) for row in map(json.loads, lines)]
        told[run["label"], run["split"], run["seed"]] = (run["accuracy"], rows)
        Path("answers.jsonl").unlink()
    return told


@pytest.mark.usefixtures("trains_here")
def test_a_learner_answers_the_same_by_class_by_another_environment_by_command_and_at_home(
    daxlab, folder: Path
) -> None:
    venv.create("elsewhere", symlinks=True, with_pip=False)
    without = ["elsewhere/bin/python", "-I", "-c", "import daxlab"]
    assert subprocess.run(without, capture_output=True, check=False).returncode == 1
    command = f"{sys.executable} mine.py {{train}} {{commands}} {{answers}} {{seed}}"
    ways = [("mine.py:Mine",), ("mine.py:Mine", "--python", "elsewhere/bin/python"), ("--command", command)]
    for way in ways:
        assert daxlab("examine", *way, *WORDS).returncode == 0
    assert daxlab("examine", "--take-home", "home", *WORDS).returncode == 0
    for task in tasks():
        answer(task)
    done = daxlab("score", "home")
    assert done.returncode == 0, done.stderr
    by_learner: dict[str, dict] = {}
    for (label, *place), told in answers_in_ledger(daxlab).items():
        by_learner.setdefault(label, {})[tuple(place)] = told
    first, *others = by_learner.values()
    assert len(others) == 3 and len(first) == 4 and all(other == first for other in others)


def test_the_folder_has_no_target_of_a_test(daxlab, folder: Path) -> None:
    Path("data").mkdir()
    Path("data", "train.tsv").write_text("a\tA\nb\tB\na\tA\n")
    Path("data", "test.tsv").write_text("a b\tSECRET A\n")
    for form in ("jsonl", "scan", "tsv", "parallel"):
        words = ("--take-home", form, "--data", "data", "--runs", "2", "--format", form)
        assert daxlab("examine", *words).returncode == 0
        files = [path for path in Path(form).rglob("*") if path.is_file()]
        named = {name for task in tasks(form) for side in ("train", "commands") for name in task[side]}
        assert {path.relative_to(form).as_posix() for path in files} == {*named, "manifest.json", "README.txt"}
        assert not any("SECRET" in path.read_text() for path in files)
    done = daxlab("examine", "--take-home", "jsonl", "--data", "data")
    assert (done.returncode, "is not empty" in done.stderr) == (2, True)


def test_a_dry_run_writes_nothing_and_what_belongs_to_a_card_is_refused(daxlab, folder: Path) -> None:
    told = daxlab("examine", "--take-home", "home", *WORDS, "--disguise", "--dry-run").stdout
    assert "home would have 8 tasks on test, gen." in told and not Path("home").exists()
    for option in ("--name", "--out"):
        done = daxlab("examine", "--take-home", "home", *WORDS, option, "mine")
        assert (done.returncode, "'daxlab score'" in done.stderr, Path("home").exists()) == (2, True, False)


@pytest.mark.parametrize("option", [("--split", "jump"), ("--seed", 3), ("--partial",)])
def test_a_folder_takes_nothing_that_it_says_itself(daxlab, folder: Path, option: tuple[object, ...]) -> None:
    daxlab("examine", "--take-home", "home", *WORDS)
    done = daxlab("score", "home", *option)
    assert done.returncode == 2 and "has its splits and seeds" in done.stderr


def test_answers_that_arrive_later_are_added_and_open_tasks_are_listed(daxlab, folder: Path) -> None:
    daxlab("examine", "--take-home", "home", *WORDS, "--disguise")
    first, second, *_ = tasks()
    answer(first)
    card = json.loads(daxlab("score", "home", "--json").stdout)
    statuses = {split: entry["status"] for split, entry in card["splits"].items()}
    assert statuses == {"test": "ok 1, not run yet 1", "gen": "not run yet"} and card["splits"]["test"]["runs"] == 1
    assert "test, seed 1" in card["open"] and "gen in disguise, seed 0" in card["open"] and len(card["open"]) == 7
    (run,) = json.loads(daxlab("runs", "list", "--json").stdout)
    answer(second)
    assert "Not answered yet: gen, seed 0; gen, seed 1; test in disguise, seed 0" in daxlab("score", "home").stdout
    keys = {row["key"] for row in json.loads(daxlab("runs", "list", "--json").stdout)}
    assert len(keys) == 2 and run["key"] in keys
    daxlab("score", "home")
    assert len(json.loads(daxlab("runs", "list", "--json").stdout)) == 2


def test_what_does_not_fit_is_named_and_nothing_of_it_is_written(daxlab, folder: Path) -> None:
    daxlab("examine", "--take-home", "home", *WORDS)
    path = answer(tasks()[0])
    lines = path.read_text().splitlines()
    command = json.loads(lines[0])["command"]
    for some, complaint in [
        (lines[1:], f"{command!r} is not answered"),
        ([*lines, lines[0]], f"{command!r} is answered more often"),
        ([*lines, '{"command": "dax", "answer": ""}'], "'dax' was not asked"),
    ]:
        path.write_text("\n".join(some))
        done = daxlab("score", "home")
        assert done.returncode == 2 and complaint in done.stderr and not Path("daxlab.db").exists()


def test_other_answers_need_another_name_and_other_data_are_recognised(daxlab, folder: Path) -> None:
    daxlab("examine", "--take-home", "home", *WORDS)
    path = answer(tasks()[0])
    assert daxlab("score", "home").returncode == 0
    rows = [json.loads(line) | {"answer": "NO"} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = daxlab("score", "home")
    assert (done.returncode, "give these another --name" in done.stderr) == (2, True)
    assert daxlab("score", "home", "--name", "other").returncode == 0
    manifest = Path("home", "manifest.json")
    whole = manifest.read_text()
    manifest.write_text(whole.replace(tasks()[0]["commands_digest"], "0" * 64))
    done = daxlab("score", "home")
    assert (done.returncode, "another version of daxlab" in done.stderr) == (2, True)
    manifest.write_text(whole)
    with Path("colours", "train.tsv").open("a") as train:
        train.write("say pink\tPINK\tonce\n")
    done = daxlab("score", "home")
    assert (done.returncode, "another version of the data" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("form", ["jsonl", "tsv", "scan", "parallel"])
def test_answers_to_another_split_are_recognised_in_every_format(daxlab, tiny: Path, folder: Path, form: str) -> None:
    words = ("--data", tiny, "--splits", "simple,jump", "--runs", "1", "--format", form)
    assert daxlab("examine", "--take-home", "home", *words).returncode == 0
    known = {example.command: " ".join(example.actions) for example in dataset(str(tiny)).examples()}
    simple, jump = tasks()
    trained = {e.command for e in dataset(str(tiny)).split("jump").train}
    for task, wrong in ((simple, set()), (jump, known.keys() - trained)):
        asked = Path("home", task["commands"][0]).read_text().splitlines()
        commands = [json.loads(line)["command"] if form == "jsonl" else plain(line) for line in asked]
        told = [(command, "NO" if command in wrong else known[command]) for command in commands]
        rows = [json.dumps({"command": command, "answer": answer}) for command, answer in told]
        lines = rows if form == "jsonl" else [answer for _, answer in told]
        Path("home", task["answers"]).write_text("".join(f"{line}\n" for line in lines))
    shutil.copy(Path("home", jump["answers"]), Path("home", simple["answers"]))
    done = daxlab("score", "home")
    assert done.returncode == 2 and "simple, seed 0: right on" in done.stderr, done.stderr
    assert "these are answers to jump" in done.stderr and "jump" in done.stdout


def plain(line: str) -> str:
    """The command of a line of a file without targets."""
    return line.removeprefix("IN: ").partition(" OUT:")[0].partition("\t")[0].strip()


def test_a_folder_that_was_not_finished_leaves_nothing_behind(daxlab, folder: Path) -> None:
    class Killed(BaseException):
        """What a kill feels like, but that nothing is cleaned up."""

    Path(".home.draft", "test").mkdir(parents=True)  # of a process that was killed
    with pytest.raises(Killed), atomic_folder(Path("other")) as draft:
        (draft / "file").write_text("half of it")
        raise Killed
    assert daxlab("examine", "--take-home", "home", *WORDS).returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["colours", "home", "mine.py"]
    assert not Path("home", "test").exists() or Path("home", "manifest.json").exists()


def test_the_table_is_that_of_examine_with_the_papers_figure_and_the_verdict(daxlab, folder: Path) -> None:
    daxlab("examine", "--take-home", "home", *WORDS, "--disguise")
    for task in tasks():
        answer(task)
    done = daxlab("score", "home", "--name", "me")
    assert "verdict" in done.stdout and "undecided" in done.stdout and "Not answered" not in done.stdout
    assert daxlab("card", "me").stdout.splitlines()[:6] == done.stdout.splitlines()[:6]
