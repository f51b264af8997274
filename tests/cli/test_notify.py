"""--notify: a command that is run when training has ended, whatever came of it."""

import os
from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.cli.notify import notifying
from daxlab.ledger import Run, Writer, key
from daxlab.sweep import Outcome, Spec

TELLS = 'printf "%s|%s" "$DAXLAB_STATUS" "$DAXLAB_SUMMARY" > told'
FACTS = [Spec("jump", seed).facts() for seed in range(3)]
KEYS = tuple(map(key, FACTS))


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch) -> Path:
    """Two runs of three, one of them failed."""
    monkeypatch.chdir(tmp_path)
    with Writer("daxlab.db") as writer:
        writer.add([Run(spec=FACTS[0]), Run(spec=FACTS[1], status="failed", failed_at=3, reason="made up")])
    return Path("daxlab.db")


def told() -> list[str]:
    return Path("told").read_text().split("|")


@pytest.mark.parametrize(("stopped", "status"), [(False, "done"), (True, "stopped")])
def test_the_command_is_told_how_it_ended_and_what_there_is(ledger: Path, stopped: bool, status: str) -> None:
    with notifying(TELLS, ledger) as ending:
        ending.outcome = Outcome(KEYS, trained=1, stopped=stopped)
    assert told()[0] == status
    assert told()[1].startswith("daxlab: 2 of 3 runs in daxlab.db, 1 of them new, 1 of them failed")
    assert "\n" not in told()[1]


@pytest.mark.parametrize(("error", "status"), [(InputError("no\nroom"), "failed"), (KeyboardInterrupt(), "stopped")])
def test_an_error_is_told_and_stays_an_error(ledger: Path, error: BaseException, status: str) -> None:
    with pytest.raises(type(error)), notifying(TELLS, ledger):
        raise error
    assert told()[0] == status
    assert told()[1] == ("daxlab: no room" if status == "failed" else "daxlab: interrupted")


def test_what_trains_nothing_tells_nothing(ledger: Path) -> None:
    with notifying(TELLS, ledger):
        pass
    assert not Path("told").exists()


def test_a_command_that_fails_is_a_warning(ledger: Path, capsys) -> None:
    with notifying("exit 7", ledger) as ending:
        ending.outcome = Outcome(KEYS)
    assert "exit status 7" in capsys.readouterr().err
    assert "DAXLAB_STATUS" not in os.environ


@pytest.mark.usefixtures("trains_here")
def test_commands_that_train_take_it(daxlab, tiny: Path, tmp_path: Path) -> None:
    words = ["train", "--data", tiny, "--split", "jump", "--hidden", 4, "--layers", 1, "--updates", 200, "--runs", 1]
    done = daxlab(*words, "--device", "cpu", "--notify", TELLS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "told").read_text().startswith("done|daxlab: 1 of 1 run in daxlab.db, 1 of them new; ")
