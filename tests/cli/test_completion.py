"""The Tab key: what bash, zsh and fish are told, and a real bash that is typed into."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daxlab.learners import KINDS, RNN
from daxlab.ledger import Run, Writer
from daxlab.ledger.spec import Spec


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch) -> Path:
    """Two runs, in the ledger that is read where none is named."""
    with Writer(tmp_path / "own.db") as writer:
        writer.add(
            Run(spec=Spec(split, 0, RNN("gru", 1, hidden)).facts(), metrics={"accuracy": 1.0})
            for split, hidden in (("jump", 50), ("length", 100))
        )
    monkeypatch.setenv("DAXLAB_LEDGER", str(tmp_path / "own.db"))
    return tmp_path / "own.db"


@pytest.fixture
def completed(daxlab, monkeypatch):
    """What bash is told for a line; words are given as it takes them apart, at = and :."""

    def run(*words: str) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv("_DAXLAB_COMPLETE", "complete_bash")
            patch.setenv("COMP_WORDS", "\n".join(["daxlab", *words]))
            patch.setenv("COMP_CWORD", str(len(words)))
            done = daxlab()
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return run


def test_names_are_completed(completed, ledger: Path) -> None:
    assert completed("pre") == ["predict"]
    assert completed("train", "--split", "ju") == ["jump", "jump-once"]
    assert completed("train", "--data", "scan-dax", "--split", "da") == ["dax", "dax-once"]
    assert completed("train", "") == list(KINDS)
    assert {"scan", "tatoeba"} <= set(completed("data", "list", "--data", ""))
    assert completed("examine", "--splits", "jump,le") == ["jump,length"]
    assert completed("train", "--device", "") == ["auto", "cpu", "gpu"]


def test_published_splits_and_replicates_are_offered_once_they_are_begun(completed) -> None:
    assert not [name for name in completed("train", "--split", "") if "/" in name or "rep" in name]
    assert "few-jump-8-rep1" in completed("train", "--split", "few")
    assert "release/simple_split/simple" in completed("train", "--split", "rel")


def test_runs_of_the_own_ledger_are_completed(completed, ledger: Path) -> None:
    (key, other) = completed("runs", "show", "")
    assert completed("runs", "show", key[:9]) == [key]
    assert completed("runs", "curve", other[:12]) == [other]


def test_fields_and_filters_are_completed_with_their_values(completed, ledger: Path) -> None:
    assert completed("train", "--set", "hid") == ["hidden=200"]
    assert completed("train", "--set", "cell", "=", "l") == ["lstm"]
    assert completed("train", "copy", "--set", "lex") == [f"lexicon={value}" for value in ("pairs", "pmi", "none")]
    assert completed("runs", "list", "--where", "spl") == ["split=jump", "split=length"]
    assert completed("runs", "list", "--where", "hidden", "=") == ["50", "100"]
    assert completed("runs", "list", "--where", "=", "split", "=", "j") == ["jump"]
    assert "hidden=" in completed("runs", "list", "--where", "")
    assert completed("runs", "list", "--sort", "acc") == ["accuracy"]
    assert completed("sweep", "run", "--set", "split", "=", "jump,leng") == ["jump,length"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_whole_words(daxlab, ledger: Path, monkeypatch, shell: str) -> None:
    monkeypatch.setenv("_DAXLAB_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "daxlab runs list --where split=j")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert "split=jump" in daxlab().stdout


def test_where_nothing_can_be_read_nothing_is_said(completed, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("no ledger")
    monkeypatch.setenv("DAXLAB_LEDGER", str(tmp_path / "no.db"))
    assert completed("runs", "show", "") == completed("runs", "list", "--where", "spl") == []
    assert completed("train", "--data", "nowhere", "--split", "") == []


def test_completion_loads_nothing_heavy() -> None:
    code = """
import os, sys
from daxlab.cli import main
try:
    main()
except SystemExit:
    print([name for name in ("jax", "numpy", "polars", "matplotlib", "scipy") if name in sys.modules])
"""
    words = ["daxlab", "predict", "--split", "ju"]
    asked = {"_DAXLAB_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": "3"}
    command = [sys.executable, "-c", f"import sys; sys.argv = ['daxlab']\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | asked)
    assert done.stdout.split() == ["jump", "jump-once", "[]"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="this system has no bash")
def test_tab_in_a_real_bash(ledger: Path, tmp_path: Path) -> None:
    program = tmp_path / "daxlab"
    program.write_text(f"#!{sys.executable}\nfrom daxlab.cli import main\nmain()\n")
    program.chmod(0o755)
    script = subprocess.run(
        [program], capture_output=True, text=True, check=True, env=os.environ | {"_DAXLAB_COMPLETE": "source_bash"}
    ).stdout
    typed = "daxlab runs li\t-w split=j\t-w hidd\t1\t --sort accu\t"
    here, there = pty.openpty()
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "$ "}
    bash = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=there, stdout=there, stderr=there, env=env)
    os.close(there)
    try:
        os.write(here, f"{script}\n{typed}\x01echo done: \r".encode())
        line = "done: daxlab runs list -w split=jump -w hidden=100 --sort accuracy"
        assert line in read(here, f"\n{line}")
    finally:
        bash.kill()
        bash.wait()
        os.close(here)


def read(terminal: int, until: str, most: float = 60.0) -> str:
    """What a terminal shows, until some text or the end of our patience."""
    shown, end = "", time.monotonic() + most
    while until not in shown.replace("\r", "") and time.monotonic() < end:
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    return shown
