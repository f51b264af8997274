"""Commands on a damaged ledger: an answer, or one sentence; never a traceback."""

import random
import shutil
from pathlib import Path

import pytest
from test_damaged import damage

from daxlab.learners import RNN
from daxlab.ledger import Run, Writer, key
from daxlab.ledger.spec import Spec
from fuzzing import parts
from report.made_up import run

ASKED = Spec("jump", 0, RNN(hidden=8))
QUICK = [
    "runs list",
    "runs list --json --where hidden=8",
    "compare --json",
    "sweep status --once",
    "sweep plan --set split=jump --set hidden=8 --set seeds=2",
]
COMMANDS = [
    *QUICK,
    "runs show {key}",
    "runs curve {key}",
    "evaluate {key}",
    "claims --json",
    "search best --json",
    "report --out page.html",
    "runs export rows.csv",
    "runs export copy.db",
    "runs merge {damaged} --ledger ours.db",
    "runs merge {good}",  # from here on, commands that write to it
    "train --split jump --hidden 8 --runs 1 --budget 0s --device cpu",
    "runs delete {key} --yes",
]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two learners on two splits, with all that a run can have."""
    path = tmp_path_factory.mktemp("good") / "good.db"
    with Writer(path) as writer:
        writer.add([run(ASKED, 0.1), *(run(Spec("length", seed, RNN()), 0.2) for seed in (0, 1))])
        writer.add(
            [Run(spec=Spec("jump", 1, RNN(hidden=8)).facts(), status="failed", failed_at=7, reason="not finite")]
        )
    return path


def answers(daxlab, good: Path, folder: Path, seed: int, commands: list[str]) -> dict[str, str]:
    """What each command says of a damaged copy of the ledger: nothing, or why it cannot answer."""
    chance, path, said = random.Random(seed), folder / "damaged.db", {}
    shutil.copy(good, path)
    damages = [damage(path, chance) for _ in range(chance.choice((1, 1, 2)))]
    for command in commands:
        words = command.format(key=key(ASKED.facts())[:12], damaged=path, good=good).split()
        done = daxlab(*words, *([] if "--ledger" in words else ["--ledger", path]), cwd=folder)
        told = f"{seed} {damages}: {command}: exit {done.returncode}: {done.stderr}"
        assert done.returncode in (0, 1, 2, 3) and "Traceback" not in done.stderr, told
        assert (done.returncode == 2) == done.stderr.startswith("daxlab:"), told
        said[command] = done.stderr
    return said


@pytest.mark.parametrize(
    ("seeds", "commands"),
    [
        pytest.param(range(8), QUICK, id="0-8"),
        *(pytest.param(*part.values, COMMANDS, id=part.id, marks=part.marks) for part in parts(125, of=500)),
    ],
)
@pytest.mark.usefixtures("trains_here")
def test_a_command_on_a_damaged_ledger_never_ends_in_a_traceback(daxlab, good, tmp_path, seeds, commands) -> None:
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        answers(daxlab, good, folder, seed, commands)
        shutil.rmtree(folder)
