"""Where ledgers are: DAXLAB_LEDGER, daxlab.db in the working folder, the results that come with daxlab."""

from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.ledger.location import LEDGER, default_ledger, ledger_at, shipped, writable_ledger


def test_the_environment_names_the_default_ledger(trained: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAXLAB_LEDGER", raising=False)
    assert default_ledger() == LEDGER
    assert ledger_at(None) == shipped()
    monkeypatch.setenv("DAXLAB_LEDGER", str(trained))
    assert default_ledger() == ledger_at(None) == trained
    assert ledger_at(Path("other.db")) == Path("other.db")


def test_a_run_that_the_default_ledger_lacks_is_looked_for_in_the_shipped_results(
    trained: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("DAXLAB_LEDGER", str(trained))
    assert ledger_at(None, "9485894f") == shipped()
    assert f"{trained} has no run 9485894f" in capsys.readouterr().err


def test_the_shipped_results_are_never_written() -> None:
    with pytest.raises(InputError, match="stay as they are"):
        writable_ledger(shipped())
