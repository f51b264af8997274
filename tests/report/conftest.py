"""Pages to look at."""

from pathlib import Path

import pytest

from daxlab.ledger import Ledger, Writer
from daxlab.report.page import page

from .made_up import made_up, sentences, without_networks


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("ledger") / "made-up.db")


@pytest.fixture(scope="session")
def html(ledger: Path) -> str:
    with Ledger(ledger) as known:
        return page(known)


@pytest.fixture(scope="session")
def empty_html(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    with Writer(path):
        pass
    with Ledger(path) as known:
        return page(known)


@pytest.fixture(scope="session")
def other_html(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a ledger that has nothing of the paper: a learner that is no network, on a folder of sentences."""
    folder = tmp_path_factory.mktemp("other")
    with Ledger(without_networks(folder / "runs.db", sentences(folder / "cogs"))) as known:
        return page(known)
