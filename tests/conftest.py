"""Fixtures for all tests: the command line, the published data, a tiny language, a browser."""

import io
import mmap
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from daxlab import Language, language

collect_ignore = ["conftest.py"]  # its examples are none, and src/ has a file of that name

settings.register_profile("daxlab", deadline=None)  # how busy the machine is says nothing of the domain
settings.load_profile("daxlab")

# The tests compile many small programs, and mostly wait for that: XLA need not try hard, and what one process has
# compiled the others find, those of the next run too.
HURRY = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_parallel_codegen_split_count=1",
    "--xla_cpu_use_fusion_emitters=false",
)
COMPILED = {
    "JAX_COMPILATION_CACHE_DIR": str(Path(__file__).parents[1] / ".pytest_cache" / "compiled"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}


def known_to_xla(flag: str) -> bool:
    """Whether this version of XLA has a flag; it would end the process at one that it does not have."""
    name = flag.strip("-").partition("=")[0].encode()
    (folder,) = find_spec("jaxlib").submodule_search_locations
    for path in Path(folder).glob("*.so"):
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content.find(name) >= 0:
                return True
    return False


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background, for all that the tests start too
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
if HURRY[0] not in os.environ.get("XLA_FLAGS", ""):  # a worker of xdist has them from its parent
    os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *filter(known_to_xla, HURRY)])
os.environ.update(COMPILED)
os.environ.pop("COLUMNS", None)  # xdist sets it; what is printed into no terminal is as wide as it needs to be

BROWSER = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

TINY = """
grammar:
  C -> S and S
  C -> S
  S -> U twice
  S -> U
  U -> walk
  U -> run
  U -> jump
meaning:
  x, x1, x2 in any
  [[x1 and x2]] = [[x1]] [[x2]]
  [[x twice]] = [[x]] [[x]]
  [[walk]] = WALK
  [[run]] = RUN
  [[jump]] = JUMP
"""


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
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grammar of a language small enough to learn in a moment."""
    path = tmp_path_factory.mktemp("language") / "tiny.grammar"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="session")
def trained(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with two small networks, trained on the tiny language. Copy it to write to it."""
    from daxlab.learners import RNN
    from daxlab.sweep import Spec, sweep
    from executors import in_process

    small = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=2_000)
    ledger = tmp_path_factory.mktemp("trained") / "runs.db"
    sweep([Spec("jump", seed, small, str(tiny)) for seed in range(2)], ledger, executor=in_process)
    return ledger


@pytest.fixture(scope="session")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a whole search over architectures, made up."""
    import searched as made_up

    return made_up.searched(tmp_path_factory.mktemp("searched") / "searched.db")


@pytest.fixture(scope="session")
def _avenues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import after_the_paper
    from daxlab.learners import KINDS

    with pytest.MonkeyPatch.context() as patch:
        for name, kind in after_the_paper.CLASSES.items():
            patch.setitem(KINDS, name, kind)
        return after_the_paper.after_the_paper(tmp_path_factory.mktemp("avenues") / "avenues.db")


@pytest.fixture
def avenues(_avenues: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger of learners after the paper, made up; meanwhile they are kinds that come with daxlab."""
    import after_the_paper
    from daxlab.learners import KINDS

    for name, kind in after_the_paper.CLASSES.items():
        monkeypatch.setitem(KINDS, name, kind)
    return _avenues


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No published data anywhere: an empty cache, and no DAXLAB_DATA. The cache's folder."""
    monkeypatch.delenv("DAXLAB_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "daxlab"


@pytest.fixture
def translations() -> Callable[..., object]:
    """Makes a run of Experiment 4, by hand."""
    from made_up_translations import run_of

    return run_of


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def daxlab(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs the command line in this process; what it prints, and how it would exit."""
    from daxlab.cli import main

    def run(*arguments: object, stdin: bytes = b"", cwd: Path | str = ".") -> subprocess.CompletedProcess[str]:
        command, folder = ["daxlab", *map(str, arguments)], tmp_path_factory.mktemp("streams")
        out, err, code = folder / "stdout", folder / "stderr", 0
        with (
            out.open("w", encoding="utf-8") as stdout,
            err.open("w", encoding="utf-8") as stderr,
            monkeypatch.context() as patch,
            chdir(cwd),
        ):
            patch.setattr(sys, "argv", command)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)), "utf-8"))
            patch.setattr(sys, "stdout", stdout)
            patch.setattr(sys, "stderr", stderr)
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return subprocess.CompletedProcess(command, code, out.read_text("utf-8"), err.read_text("utf-8"))

    return run


@pytest.fixture
def daxlab_process() -> Run:
    """Runs the command line in a process of its own: for signals, full disks and closed streams.

    `room`: no file may grow beyond so many bytes, which is how a full disk feels to a program.
    """

    def run(*arguments: object, stdin: bytes = b"", room: int = 0, **options: object):
        command = [sys.executable, "-m", "daxlab", *map(str, arguments)]
        if room:
            command = ["sh", "-c", f'ulimit -f {room // 512}; exec "$@"', "sh", *command]
        done = subprocess.run(command, input=stdin, capture_output="stdout" not in options, check=False, **options)
        decoded = ((stream or b"").decode() for stream in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(command, done.returncode, *decoded)

    return run


@pytest.fixture
def trains_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line trains in this process, where programs are compiled once for all tests."""
    from executors import in_process

    monkeypatch.setattr("daxlab.sweep.driver.execute", lambda tasks, device, workers, stop: in_process(tasks, stop))


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
        browser = driver.chromium.launch(executable_path=found, args=BROWSER)
        yield browser
        browser.close()
