"""`daxlab examine`: anybody's learner on many splits; a card that says how it did, or why not."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from daxlab import dataset

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "your-model.md"
NEAREST = PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
CUNNING = """
from spiteful import CrashesInFit, Exits, Good

class Moody:
    def __init__(self, mood="Good"):
        self.mood = mood
    def fit(self, train, *, seed):
        self.model = {0: Good, 1: CrashesInFit, 2: Exits, 3: Good}[seed]()
        self.model.fit(train, seed=seed)
    def predict(self, commands):
        return self.model.predict(commands)

def shout(commands):
    return [command.upper() for command in commands]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with learners and a dataset."""
    shutil.copy(TESTS / "learners" / "spiteful.py", tmp_path)
    shutil.copytree(TESTS / "everywhere" / "colours", tmp_path / "colours")
    (tmp_path / "mine.py").write_text(CUNNING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def examine(daxlab, *words: object) -> tuple[dict, str]:
    done = daxlab("examine", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.usefixtures("trains_here")
def test_the_card_has_every_split_and_the_same_command_runs_nothing_again(daxlab, folder: Path) -> None:
    words = ("spiteful.py:Good", "--data", "colours", "--splits", "test,gen", "--runs", "2")
    card, said = examine(daxlab, *words, "--out", "card.json")
    assert "4 runs, of which daxlab.db has 0" in said
    assert {"learner", "protocol", "splits"} <= set(card) and json.loads(Path("card.json").read_text()) == card
    assert card["splits"]["gen"]["mean"] == pytest.approx(100 / 3) and card["splits"]["test"]["mean"] == 100
    assert [(entry["runs"], entry["status"]) for entry in card["splits"].values()] == [(2, "ok")] * 2
    again, said = examine(daxlab, *words, "--time", "5m", "--memory", "1G")
    assert again["splits"] == card["splits"] and said == ""
    assert len(json.loads(daxlab("runs", "list", "--json").stdout)) == 4
    assert json.loads(daxlab("sweep", "status", "--json").stdout)["done"] == 4
    assert daxlab("report", "--out", "page.html").returncode == 0 and "Good" in Path("page.html").read_text("utf-8")


@pytest.mark.usefixtures("trains_here")
def test_a_name_that_the_file_lacks_is_refused_before_any_run_and_no_success_is_an_error(daxlab, folder: Path) -> None:
    refused = daxlab("examine", "spiteful.py:Goood", "--data", "colours")
    assert (refused.returncode, "did you mean 'Good'?" in refused.stderr) == (2, True)
    assert not Path("daxlab.db").exists()
    failed = daxlab("examine", "spiteful.py:CrashesInFit", "--data", "colours", "--runs", "1", "--json")
    assert (failed.returncode, json.loads(failed.stdout)["splits"]["test"]["status"]) == (1, "crashed")


@pytest.mark.usefixtures("trains_here")
def test_failed_runs_are_counted_by_their_status_and_the_others_by_their_accuracy(daxlab, folder: Path) -> None:
    words = ("mine.py:Moody", "--data", "colours", "--runs", "4")
    entry = examine(daxlab, *words)[0]["splits"]["test"]
    assert (entry["mean"], entry["runs"], entry["status"]) == (100, 2, "ok 2, crashed 1, wrong answers 1")
    printed = daxlab("examine", *words).stdout
    assert "1 run crashed: exit status 1" in printed and "RuntimeError: not fitted" in printed
    (failed,) = json.loads(daxlab("runs", "list", "--where", "seed=1", "--json").stdout)
    assert "RuntimeError: not fitted" in json.loads(daxlab("runs", "show", failed["key"], "--json").stdout)["reason"]


@pytest.mark.usefixtures("trains_here")
def test_runs_that_the_budget_stops_are_on_the_card_and_run_by_the_same_command(daxlab, folder: Path) -> None:
    words = ("spiteful.py:Good", "--data", "colours", "--splits", "test,gen", "--disguise", "--json")
    assert daxlab("examine", *words, "--splits", "test", "--runs", "1").returncode == 0
    done = daxlab("examine", *words, "--runs", "2", "--budget", "0s")
    card = json.loads(done.stdout)
    assert (done.returncode, "Run the same command again" in done.stderr) == (3, True)
    for part in (card["splits"], card["disguised"]):
        statuses = {split: (entry["runs"], entry["status"]) for split, entry in part.items()}
        assert statuses == {"test": (1, "ok 1, stopped 1"), "gen": (0, "stopped")}
    done = daxlab("examine", *words, "--runs", "2")
    assert {entry["status"] for entry in json.loads(done.stdout)["splits"].values()} == {"ok"}


@pytest.mark.usefixtures("trains_here")
def test_a_changed_file_makes_new_runs_and_says_so(daxlab, folder: Path) -> None:
    words = ("mine.py:Moody", "--data", "colours", "--runs", "1", "--arg", "mood=Good")
    examine(daxlab, *words)
    Path("mine.py").write_text(CUNNING + "# changed\n")
    said = examine(daxlab, *words)[1]
    assert "mine.py:Moody has changed since 1 earlier run" in said and "1 run, of which daxlab.db has 0" in said


@pytest.mark.usefixtures("trains_here")
def test_of_a_function_the_card_says_that_nothing_is_learned(daxlab, folder: Path) -> None:
    words = ("mine.py:shout", "--data", "colours", "--runs", "1")
    assert examine(daxlab, *words)[0]["learner"]["learns"] is False
    assert "nothing is learned" in daxlab("examine", *words).stdout


@pytest.mark.usefixtures("trains_here")
def test_a_table_of_scan_knows_it_beforehand_and_the_nearest_neighbour_of_the_page_does_not(
    daxlab, folder: Path
) -> None:
    table = {example.command: " ".join(example.actions) for example in dataset("scan").examples()}
    Path("table.json").write_text(json.dumps(table))
    Path("table.py").write_text(
        "import json, pathlib\n"
        "table = json.loads(pathlib.Path(__file__).with_name('table.json').read_text())\n"
        "def look_up(commands): return [table.get(command, '') for command in commands]\n"
    )
    Path("nearest.py").write_text(NEAREST)
    words = ("--splits", "jump", "--runs", "2", "--disguise")
    card, said = examine(daxlab, "table.py:look_up", *words)
    assert "4 runs" in said and (card["splits"]["jump"]["mean"], card["disguised"]["jump"]["mean"]) == (100, 0)
    assert card["disguised"]["jump"]["verdict"] == "knows scan beforehand"
    assert "knows scan beforehand" in daxlab("examine", "table.py:look_up", *words).stdout
    nearest = examine(daxlab, "nearest.py:Nearest", *words)[0]["disguised"]["jump"]
    assert {"mean", "low", "high", "runs", "status"} <= set(nearest) and nearest["runs"] == 2
    assert nearest["verdict"] == "as good in disguise"


@pytest.mark.usefixtures("trains_here")
def test_one_run_in_disguise_decides_nothing_and_without_disguise_there_is_none(daxlab, folder: Path) -> None:
    words = ("spiteful.py:Good", "--data", "colours", "--splits", "test", "--runs", "1")
    assert examine(daxlab, *words)[0]["disguised"] == {}
    entry = examine(daxlab, *words, "--disguise")[0]["disguised"]["test"]
    assert (entry["mean"], entry["difference"], entry["verdict"]) == (100, 0, "undecided")


@pytest.mark.usefixtures("trains_here")
def test_a_run_of_a_program_is_asked_again_by_running_it_again(daxlab, folder: Path) -> None:
    Path("python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    Path("python").chmod(0o755)
    examine(daxlab, "mine.py:Moody", "--data", "colours", "--runs", "1", "--python", "./python")
    (run,) = json.loads(daxlab("runs", "list", "--json").stdout)
    found = json.loads(daxlab("evaluate", run["key"], "--test", "gen", "--json").stdout)
    assert found["accuracy"] == pytest.approx(100 / 3)
    assert "was never asked 'say pink'" in daxlab("predict", run["key"], "say pink").stderr
    Path("python").unlink()
    done = daxlab("evaluate", run["key"])
    assert (done.returncode, done.stdout) == (2, "") and "cannot be repeated here: unavailable" in done.stderr


def test_splits_whose_files_are_not_here_are_left_out_and_named(daxlab, folder: Path, nowhere: Path) -> None:
    done = daxlab("examine", "mine.py:Moody", "--dry-run", "--json")
    assert "Left out: mcd1, mcd2, mcd3" in done.stderr and "daxlab data fetch" in done.stderr
    assert json.loads(done.stdout)["splits"][:3] == ["simple", "length", "jump"] and not Path("daxlab.db").exists()
    paper = json.loads(daxlab("examine", "mine.py:Moody", "--splits", "paper", "--dry-run", "--json").stdout)
    assert {"size-1", "jump-once", "few-jump-32-rep1", "turn-right"} <= set(paper["splits"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "give one of them"),
        (["mine.py:Moody", "--splits", "jmup"], "did you mean 'jump'?"),
        (["mine.py:Moody", "--time", "soon"], "is not a time"),
        (["mine.py:Moody", "--memory", "much"], "is not an amount of memory"),
        (["mine.py:Moody", "--arg", "depth"], "args are NAME=VALUE"),
        (["mine.py:Moody", "--format", "xml"], "format is one of"),
    ],
)
def test_bad_input_is_one_sentence(daxlab, folder: Path, words: list[str], complaint: str) -> None:
    done = daxlab("examine", *words)
    assert (done.returncode, done.stdout) == (2, "") and complaint in done.stderr


def test_help_needs_no_jax() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "daxlab", "examine", "--help"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "daxlab.cli.examine" in loaded and not {"jax", "scipy", "polars"} & set(loaded.split())


def measured(*words: str, **environment: str) -> tuple[float, float]:
    """The seconds that a command of daxlab takes, by the clock and of processors; and all that it starts."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "daxlab", *words], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_is_there_in_half_a_second(tmp_path: Path) -> None:
    """Of a processor's time: how busy the machine is says nothing of the command."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(2):  # the first time, Python compiles what it imports
        _, processors = measured("examine", "--help", **kept, PYTHONPYCACHEPREFIX=str(tmp_path))
    assert processors < 0.5


@pytest.mark.slow
def test_a_run_takes_less_than_two_seconds_beside_what_the_learner_takes(folder: Path) -> None:
    """By the clock too, where there are processors to spare. The learner is a look-up table."""
    words = ("examine", "spiteful.py:Good", "--splits", "jump")
    few, many = (measured(*words, "--runs", str(runs), "--ledger", f"{runs}.db", **os.environ) for runs in (1, 6))
    clock, processors = ((more - less) / 5 for less, more in zip(few, many, strict=True))
    assert processors < 2
    assert clock < 2 or os.getloadavg()[0] > len(os.sched_getaffinity(0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "signals", [[signal.SIGINT], [signal.SIGINT, signal.SIGINT], [signal.SIGTERM], [signal.SIGKILL]]
)
def test_whoever_ends_examine_ends_the_program_too(folder: Path, signals: list[signal.Signals]) -> None:
    words = ["spiteful.py:HangsIgnoringTerm", "--data", "colours", "--runs", "1"]
    environment = {**os.environ, "DAXLAB_TEST": str(folder), "TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir()
    examine = subprocess.Popen([sys.executable, "-m", "daxlab", "examine", *words], env=environment)
    wait_for(lambda: any("runner.py" in running for running in started_by(folder)))
    time.sleep(1)
    for number in signals:
        examine.send_signal(number)
        time.sleep(0.3)
    assert examine.wait(30) != 0
    wait_for(lambda: not started_by(folder))
    assert list((folder / "temporary").glob("daxlab-*")) == []


def wait_for(condition) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def started_by(folder: Path) -> list[str]:
    """The command lines of what the test has started and still runs."""
    commands = []
    for running in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended meanwhile, or is somebody else's
            if running.environ().get("DAXLAB_TEST") == str(folder):
                commands.append(" ".join(running.cmdline()))
    return commands


def test_a_network_is_sent_to_train(daxlab, folder: Path) -> None:
    shutil.copy(TESTS / "everywhere" / "bag.py", folder)
    assert "daxlab train bag.py:Bag" in daxlab("examine", "bag.py:Bag").stderr
