"""The wheel and the sdist, and what a user has who types `pip install daxlab` in an empty environment."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from daxlab.extras import PACKAGES

ROOT = Path(__file__).parents[1]
CLEAN = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DAXLAB_LEDGER")}
pytestmark = pytest.mark.slow


def build(project: Path, folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of a project."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=project, check=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bin(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, str(built[0])], env=CLEAN, check=True)
    return folder / "bin"


def test_the_sdist_makes_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, sdist = built
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (project,) = tmp_path.iterdir()
    again, _ = build(project, tmp_path / "dist")
    with ZipFile(wheel) as one, ZipFile(again) as other:
        assert {i.filename: i.CRC for i in one.infolist()} == {i.filename: i.CRC for i in other.infolist()}


def test_an_empty_environment_has_all_but_what_trains(bin: Path, tmp_path: Path) -> None:
    def daxlab(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([bin / "daxlab", *words], cwd=tmp_path, env=CLEAN, capture_output=True, text=True)

    installed = subprocess.run([bin / "python", "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout
    assert not set(PACKAGES) & {line.split()[0].replace("-", "_").lower() for line in installed.splitlines()}
    assert daxlab("translate", "jump twice").stdout == "I_JUMP I_JUMP\n"
    compared = daxlab("compare", "--json")  # of the results that come with it
    assert compared.returncode == 0 and len(compared.stdout) > 1000, compared.stderr
    reported = daxlab("report", "--out", "report.html")
    assert reported.returncode == 0 and (tmp_path / "report.html").stat().st_size > 100_000, reported.stderr
    trained = daxlab("train", "--split", "jump", "--runs", "1")
    assert trained.returncode == 2 and 'pip install "daxlab[train]"' in trained.stderr
