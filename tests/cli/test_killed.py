"""`runs merge`, `runs export` and `report`, killed at any moment: what they write is complete or not there."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daxlab.ledger import Ledger, is_written
from daxlab.sweep import weights_of
from fuzzing import parts

COMMANDS = [
    "runs merge {source}",
    "runs export copy.db --ledger {source}",
    "runs export rows.parquet --ledger {source}",
    "report --out page.html --ledger {source}",
]


@pytest.fixture(scope="module")
def source(searched: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of thousands of runs, some of them with weights."""
    path = tmp_path_factory.mktemp("source") / "source.db"
    shutil.copy(searched, path)
    with Ledger(path) as ledger:
        weights_of(path, "").parent.mkdir()
        for key in ledger.select()[:40]:
            weights_of(path, key).write_bytes(key.encode() * 20_000)
    return path


def start(command: str, source: Path, folder: Path) -> subprocess.Popen[bytes]:
    words = [word.format(source=source) for word in command.split()]
    return subprocess.Popen([sys.executable, "-m", "daxlab", *words], cwd=folder, stdout=-3, stderr=-3)


def written(folder: Path) -> dict[str, object]:
    """What each file of a folder holds: of a ledger the keys of its runs, after a check. Not what a ledger has beside
    it while it is open, and not the drafts that a killed process could not remove."""
    content: dict[str, object] = {}
    for path in (path for path in folder.rglob("[!.]*") if path.is_file()):
        if path.suffix in (".parquet", ".html", ".safetensors"):
            content[str(path.relative_to(folder))] = path.read_bytes()
        elif path.suffix == ".db" and is_written(path):
            with Ledger(path) as ledger:
                ledger.check()
                content[path.name] = sorted(ledger.select())
    return content


def wait_for_a_file(process: subprocess.Popen[bytes], folder: Path) -> None:
    before = set(folder.rglob("*"))
    while process.poll() is None and set(folder.rglob("*")) == before:
        time.sleep(0.001)


@pytest.mark.parametrize("seeds", parts(12, of=40))
def test_a_killed_command_leaves_complete_files_and_the_next_one_tidies_up(
    source: Path, tmp_path: Path, seeds: range
) -> None:
    whole, folder, longest, killed = tmp_path / "whole", tmp_path / "killed", {}, 0
    for place in (whole, folder):
        place.mkdir()
    for command in COMMANDS:
        began = time.monotonic()
        assert start(command, source, whole).wait() == 0
        longest[command] = time.monotonic() - began
    complete = written(whole)
    for seed in seeds:
        chance, command = random.Random(seed), COMMANDS[seed % len(COMMANDS)]
        process = start(command, source, folder)
        if chance.random() < 0.3:
            time.sleep(chance.uniform(0, longest[command]))
        else:
            wait_for_a_file(process, folder)
            time.sleep(chance.uniform(0, 0.1))
        process.kill()
        killed += process.wait() != 0
        left = written(folder)
        assert left.pop("daxlab.db", []) in ([], complete["daxlab.db"])
        assert left.items() <= complete.items(), f"seed {seed}: {command}"
        if chance.random() < 0.3:
            shutil.rmtree(folder)
            folder.mkdir()
    assert killed > len(seeds) / 3
    for draft in folder.rglob(".*"):
        os.utime(draft, (0, 0))  # of long ago
    for command in COMMANDS:
        assert start(command, source, folder).wait() == 0
    assert written(folder) == complete
    assert not list(folder.rglob(".*"))
