"""`daxlab report`."""

from pathlib import Path

import pytest

from daxlab.ledger import Writer, export


def test_report_writes_one_page_even_of_an_empty_ledger(daxlab, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db"):
        pass
    done = daxlab("report", "--out", tmp_path / "mine.html", "--ledger", tmp_path / "empty.db", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine.html" in done.stdout
    assert (tmp_path / "mine.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_a_full_disk_keeps_the_page_that_was_there(daxlab_process, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db") as writer:
        export(writer.ledger, tmp_path / "shipped.db")  # reading it writes nothing
    there = sorted(tmp_path.iterdir())
    page = tmp_path / "mine.html"
    page.write_text("before")
    done = daxlab_process("report", "--out", page, "--ledger", tmp_path / "shipped.db", room=10_000)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot write {page}: File too large" in done.stderr
    assert page.read_text() == "before"
    assert sorted(tmp_path.iterdir()) == sorted([*there, page])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--out", "report.pdf"], "end the name of --out in .html"),
        (["--out", "nowhere/report.html"], "there is no folder nowhere"),
        (["--ledger", "none.db"], "there is no ledger at none.db"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("report", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
