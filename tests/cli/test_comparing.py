"""`daxlab compare`, on the results that come with daxlab."""

import json
from pathlib import Path
from statistics import fmean
from typing import get_args

from daxlab.analysis.replicates import measured
from daxlab.ledger import Ledger, Writer
from daxlab.paper import targets
from daxlab.paper.experiments import NETWORKS, OVERALL
from daxlab.paper.verdicts import Verdict

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
PROMISED = {"id", "paper", "mean", "sem", "low", "high", "runs", "verdict"}
PROMISED |= {"difference", "difference_low", "difference_high", "tolerance", "needed", "power"}


def test_json_is_a_row_per_figure(daxlab, tmp_path: Path) -> None:
    rows = json.loads(daxlab("compare", "--json", cwd=tmp_path).stdout)
    assert [row["id"] for row in rows[: len(targets())]] == [target.id for target in targets()]
    assert all(row.keys() >= PROMISED for row in rows)
    assert {row["verdict"] for row in rows} <= set(get_args(Verdict))
    (overall,) = (row for row in rows if row["id"] == "exp2.overall")
    assert (overall["paper"], overall["verdict"], len(overall["runs"]) >= 5) == (13.8, "agrees", True)
    assert overall["low"] < overall["mean"] < overall["high"]
    assert overall["tolerance"][0] < overall["low"] < overall["high"] < overall["tolerance"][1]
    assert all((row["needed"] is None) or row["verdict"] == "undecided" for row in rows)
    accuracies = [row for row in rows if row["unit"] is None and row["low"] is not None]
    assert all(0 <= row["low"] <= row["high"] <= 100 for row in accuracies)
    (bound,) = (row for row in rows if row["id"] == "train.overall")
    assert bound["tolerance"][1] is None


def test_the_table_shows_the_paper_s_figure_beside_ours_and_how_to_measure_the_rest(daxlab) -> None:
    shown = daxlab("compare", "--ledger", RESULTS).stdout
    (line,) = (line for line in shown.splitlines() if line.startswith("length  ") and " overall-best " in line)
    with Ledger(RESULTS) as known:
        ours = fmean(row["accuracy"] for row in measured(known, {"split": "length", "label": str(NETWORKS[OVERALL])}))
    assert line.split()[:4] == ["length", "overall-best", "13.8", f"{ours:.2f}"]
    assert "length, oracle length† " in shown
    assert "its best of 180" in shown
    assert shown.index("Experiment 2") < shown.index(line) < shown.index("Experiment 3")


def test_an_empty_ledger_and_none_at_all(daxlab, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db"):
        pass
    shown = daxlab("compare", "--ledger", tmp_path / "empty.db")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "'daxlab reproduce simple size length turn-left jump few-shot primitives translation' trains" in shown.stdout
    missing = daxlab("compare", "--ledger", tmp_path / "none.db")
    assert missing.returncode == 2
    assert "there is no ledger" in missing.stderr
