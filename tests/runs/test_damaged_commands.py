"""Commands on a damaged ledger: an answer, or one sentence; never a traceback."""

import random
import shutil
from pathlib import Path

import pytest
from test_damaged import damage

from daxlab.learners import RNN
from daxlab.runs import Run, Writer
from daxlab.runs.spec import Spec

COMMANDS = {
    "runs list": ["runs", "list"],
    "runs list --json": ["runs", "list", "--json", "--where", "hidden=8"],
    "runs curve": ["runs", "curve", "0"],
    "compare": ["compare", "--json"],
    "search best": ["search", "best", "--json"],
    "sweep status": ["sweep", "status", "--once"],
    "sweep plan": ["sweep", "plan", "--set", "split=jump", "--set", "hidden=8", "--set", "seeds=2"],
    "train": ["train", "--split", "jump", "--hidden", "8", "--runs", "1", "--budget", "0s", "--device", "cpu"],
    "report": ["report", "--out", "page.html"],
    "evaluate": ["evaluate", "0"],
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two learners on two splits, with metrics and curves."""
    path = tmp_path_factory.mktemp("good") / "good.db"
    curve = {"update": [10_000.0], "train_accuracy": [50.0], "test_accuracy": [1.0], "loss": [2.0]}
    with Writer(path) as writer:
        for split in ("jump", "length"):
            for seed, hidden in ((0, 8), (1, 8), (0, 200)):
                metrics = {"accuracy": 1.0 + seed, "train_accuracy": 99.0, "oracle_accuracy": 2.0}
                facts = Spec(split, seed, RNN(hidden=hidden)).facts()
                writer.add([Run(spec=facts, metrics=metrics, curve=curve, timing={"seconds": 5.0})])
    return path


def tried(daxlab, good: Path, folder: Path, number: int, chosen: list[str]) -> list[str]:
    """What went wrong otherwise than by one sentence, over so many damaged ledgers."""
    chance, bad = random.Random(number), []
    for count in range(number):
        path = folder / "damaged.db"
        for old in folder.glob("damaged.db*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copy(good, path)
        what = [damage(path, chance) for _ in range(chance.choice((1, 1, 2)))]
        for name in chosen:
            try:
                done = daxlab(*COMMANDS[name], "--ledger", path, cwd=folder)
            except Exception as error:
                bad.append(f"{count} {what}: {name}: {type(error).__name__}: {error}")
                continue
            if "Traceback" in done.stderr or done.returncode not in (0, 2, 3):
                bad.append(f"{count} {what}: {name}: exit {done.returncode}: {done.stderr[-200:]}")
    return bad


QUICK = ["runs list", "runs list --json", "compare", "sweep status", "sweep plan"]


@pytest.mark.parametrize(
    ("number", "chosen"), [(8, QUICK), pytest.param(150, list(COMMANDS), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.usefixtures("trains_here")
def test_a_command_on_a_damaged_ledger_never_ends_in_a_traceback(daxlab, good, tmp_path, number, chosen) -> None:
    bad = tried(daxlab, good, tmp_path, number, chosen)
    assert not bad, "\n".join(bad)
