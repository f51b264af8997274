"""Pages to look at, and a browser to look at them with."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daxlab.ledger import Ledger, Writer
from daxlab.report.page import page

from .made_up import made_up, sentences, without_networks

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_up(tmp_path_factory.mktemp("ledger") / "made-up.db")


@pytest.fixture(scope="session")
def html(ledger: Path) -> str:
    with Ledger(ledger) as known:
        return page(known)


@pytest.fixture(scope="session")
def shipped() -> str:
    """The page of the shipped results."""
    with Ledger(RESULTS) as known:
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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by playwright; without it the test is skipped."""
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        pytest.skip("there is no Chromium on this machine; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()
