"""Where the published data is, and that no test is left out unnoticed."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from daxlab import Language, language

settings.register_profile("daxlab", deadline=None)  # how busy the machine is says nothing of the domain
settings.load_profile("daxlab")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the published data, from DAXLAB_DATA; without it the test is skipped."""
    folder = os.environ.get("DAXLAB_DATA")
    if not folder:
        pytest.skip("DAXLAB_DATA is not set: it names the folder with SCAN-master.zip, scan-mcd and eng-fra")
    return Path(folder)


@pytest.fixture(scope="session")
def scan() -> Language:
    return language("scan")


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a whole search over architectures, made up."""
    import searched as made_up

    return made_up.searched(tmp_path_factory.mktemp("searched") / "searched.db")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No published data anywhere: an empty cache, and no DAXLAB_DATA. The cache's folder."""
    monkeypatch.delenv("DAXLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "daxlab"


@pytest.fixture
def no_room() -> Callable[[int], Callable[[], None]]:
    """For `preexec_fn`: no file may grow beyond so many bytes, which is how a full disk feels to a program."""

    def limit(most: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return lambda most: partial(limit, most)


@pytest.fixture
def translations() -> Callable[..., object]:
    """Makes a run of Experiment 4, by hand."""
    from made_up_translations import run_of

    return run_of


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def daxlab() -> Run:
    """Runs the command line as a user does, in a process of its own."""

    def run(*arguments: object, stdin: bytes = b"", **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "daxlab", *map(str, arguments)]
        done = subprocess.run(command, input=stdin, capture_output="stdout" not in options, check=False, **options)
        decoded = ((stream or b"").decode() for stream in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(command, done.returncode, *decoded)

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Where DAXLAB_NO_SKIPS is set, a skip is a failure, unless the test needs an accelerator."""
    report = yield
    if report.skipped and os.environ.get("DAXLAB_NO_SKIPS") and not item.get_closest_marker("gpu"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be: {report.longrepr}"
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A module that skips itself leaves out all its tests."""
    if report.skipped and os.environ.get("DAXLAB_NO_SKIPS"):
        report.outcome = "failed"
