"""`daxlab report`."""

from pathlib import Path

import pytest

from daxlab.store import Writer


def test_it_writes_one_page_of_an_empty_ledger_and_leaves_nothing_else(daxlab, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db"):
        pass
    done = daxlab("report", "--out", tmp_path / "mine.html", "--ledger", tmp_path / "empty.db", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine.html" in done.stdout
    assert (tmp_path / "mine.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--out", "report.pdf"], "ends in .html"),
        (["--out", "nowhere/report.html"], "there is no folder nowhere"),
        (["--ledger", "none.db"], "there is no ledger at none.db"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("report", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
