"""`daxlab compare`, on the results that come with daxlab."""

import json
from pathlib import Path

from daxlab.paper import targets
from daxlab.runs import Writer

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
PROMISED = {"id", "paper", "mean", "sem", "low", "high", "runs", "verdict"}


def test_json_is_a_row_per_figure(daxlab, tmp_path: Path) -> None:
    rows = json.loads(daxlab("compare", "--json", cwd=tmp_path).stdout)
    assert [row["id"] for row in rows[: len(targets())]] == [target.id for target in targets()]
    assert all(row.keys() >= PROMISED for row in rows)
    assert {row["verdict"] for row in rows} <= {"within", "beyond", "shown", "unmeasured"}
    (overall,) = (row for row in rows if row["id"] == "exp2.overall")
    assert (overall["paper"], overall["verdict"], len(overall["runs"]) >= 5) == (13.8, "within", True)
    assert overall["low"] < overall["mean"] < overall["high"]


def test_the_table_shows_the_paper_s_figure_beside_ours_and_how_to_measure_the_rest(daxlab) -> None:
    shown = daxlab("compare", "--ledger", RESULTS).stdout
    (line,) = (line for line in shown.splitlines() if line.startswith("exp2.overall"))
    (row,) = (
        row
        for row in json.loads(daxlab("compare", "--json", "--ledger", RESULTS).stdout)
        if row["id"] == "exp2.overall"
    )
    assert line.split()[:3] == ["exp2.overall", "13.8", f"{row['mean']:.2f}"]
    assert "exp2.best†" in shown
    assert "its best of 180" in shown
    assert "exp3.jump.overall" in shown


def test_an_empty_ledger_and_none_at_all(daxlab, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db"):
        pass
    shown = daxlab("compare", "--ledger", tmp_path / "empty.db")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "'daxlab reproduce simple size length turn-left jump few-shot primitives translation' trains" in shown.stdout
    missing = daxlab("compare", "--ledger", tmp_path / "none.db")
    assert missing.returncode == 2
    assert "there is no ledger" in missing.stderr
