"""Examples in docstrings run in a folder of their own, so that none writes into the user's or the repository's."""

from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem


@pytest.fixture(autouse=True)
def _own_folder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if isinstance(request.node, DoctestItem):
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("DAXLAB_LEDGER", raising=False)
