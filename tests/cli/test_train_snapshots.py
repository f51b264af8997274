"""`daxlab train --snapshots`: the files go where the run goes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from daxlab.cli import app
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.files import snapshots_of, weights_of
from daxlab.ledger.trained import kept

SMALL = ["train", "--split", "simple", "--layers", "1", "--hidden", "8", "--updates", "650", "--runs", "1"]


def daxlab(*words: str) -> None:
    done = CliRunner().invoke(app, list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_snapshots_are_deleted_merged_and_exported_with_their_run(tmp_path: Path) -> None:
    own, bare, copied, other = (tmp_path / f"{name}.db" for name in ("own", "bare", "copied", "other"))
    daxlab(*SMALL, "--snapshots", "2", "--ledger", str(own))
    daxlab(*SMALL, "--ledger", str(bare))
    with Ledger(own) as mine, Ledger(bare) as theirs:
        (key,) = mine.select()
        assert theirs.select() == [key] and theirs.run(key).metrics == mine.run(key).metrics
        assert kept(mine) == {key: ["model", "answers"]}
    assert weights_of(own, key).read_bytes() == weights_of(bare, key).read_bytes()
    contents = {update: path.read_bytes() for update, path in snapshots_of(own, key).items()}
    assert list(contents) == [200, 400] and not snapshots_of(bare, key)
    assert not list((tmp_path / "own.db.checkpoints").glob("*.safetensors"))
    daxlab("runs", "merge", str(own), "--ledger", str(other))
    daxlab("runs", "export", str(copied), "--ledger", str(own))
    for place in (other, copied):
        assert {update: path.read_bytes() for update, path in snapshots_of(place, key).items()} == contents
    daxlab("runs", "folder", key, "--to", str(tmp_path / "home"), "--ledger", str(own))
    assert len(list((tmp_path / "home").rglob("*.safetensors"))) == 1
    daxlab("runs", "delete", key, "--yes", "--ledger", str(own))
    assert not snapshots_of(own, key) and not list((tmp_path / "own.db.weights").iterdir())


def test_what_is_no_network_has_no_snapshots(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="grammar is none"):
        daxlab("train", "grammar", "--split", "jump", "--snapshots", "3", "--ledger", str(tmp_path / "a.db"))
