"""`daxlab search best`: the best architectures, beside the paper's choice."""

import json
from pathlib import Path
from statistics import fmean

import searched as made_up
from daxlab.ledger import Ledger, Writer

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"


def test_the_best_of_each_experiment_is_the_best_mean_over_its_runs(daxlab, searched: Path) -> None:
    found = json.loads(daxlab("search", "best", "--json", "--ledger", searched).stdout)
    means: dict[tuple[str, str], list[float]] = {}
    with Ledger(searched) as known:
        for row in known.rows({"status": "done"}):
            means.setdefault((row["split"], json.dumps(row["spec"]["network"], sort_keys=True)), []).append(
                row["accuracy"]
            )
    for experiment, one in found["experiments"].items():
        best = max(fmean(runs) for (split, _), runs in means.items() if split == experiment)
        assert abs(one["best"][0]["mean"] - best) < 1e-9
        assert one["architectures"] == 180
        assert sum(row["contender"] for row in one["best"]) == one["contenders"]
        assert one["paper"]["best"]["here"]["place"] >= 1
        assert 1 <= one["contenders"] <= one["compared"] <= 180
        assert one["best"][0]["contender"] and 0 < one["best"][0]["share"] <= 1
        assert list(one["worth"]) == ["1", "2", "3", "4"]
        assert not {"again", "scores"} & set(one)
    assert set(found["experiments"]) == set(made_up.SPLITS)
    ranks, accuracies = ([row["mean"] for row in found["overall"][by]["best"]] for by in ("rank", "accuracy"))
    assert ranks == sorted(ranks) and accuracies == sorted(accuracies, reverse=True)
    assert [row["id"] for row in found["srns"]] == [
        "exp1.srn-best",
        "exp1.srn-attention-mean",
        "exp1.srn-attention-range",
    ]
    assert "unmeasured" not in {row["verdict"] for row in found["srns"]}


def test_the_table_has_the_winners_the_paper_s_choices_and_the_srns(daxlab, searched: Path) -> None:
    shown = daxlab("search", "best", "--ledger", searched).stdout
    (line,) = (line for line in shown.splitlines() if line.startswith("jump "))
    assert "LSTM 1x100, attention, dropout 0.1" in line and line.endswith("1.2")
    assert "overall, by mean rank" in shown and "overall, by mean accuracy" in shown
    assert "all SRNs with attention, mean over architectures" in shown
    assert "On length, all 180 architectures have runs" in shown
    words = " ".join(shown.split())
    assert words.count("architectures cannot be told from the best, which has ") == 4 + 2
    assert words.count("Pooled, these have ") == words.count("its other runs average ") == 4
    assert words.count("The paper's choice, ") == 4 and words.count("The paper's overall choice, ") == 4 + 2


def test_one_experiment_is_shown_as_long_as_asked_for(daxlab, searched: Path) -> None:
    shown = daxlab("search", "best", "--experiment", "turn-left", "--top", "3", "--ledger", searched).stdout
    lines = shown[: shown.index("cannot be told")].splitlines()[:-1]
    places = [line.split()[0] for line in lines if " dropout " in line]
    assert places == ["1", "2", "3"]
    assert "of 180 architectures cannot be told from the best, which has " in shown
    assert "The paper's choice, GRU 1x100, attention, dropout 0.1 (90.3% there, by which it was chosen)" in shown
    both = daxlab("search", "best", "--experiment", "overall", "--top", "2", "--ledger", searched).stdout
    assert "by mean rank" in both and "by mean accuracy" in both


def test_an_incomplete_search_is_said_to_be_and_how_to_complete_it(daxlab, tmp_path: Path) -> None:
    assert daxlab("runs", "export", tmp_path / "part.db", "--where", "hidden=50", "--ledger", RESULTS).returncode == 0
    shown = daxlab("search", "best", "--ledger", tmp_path / "part.db")
    assert shown.returncode == 0
    assert "On simple, 36 of 180 architectures have five runs; none of the 36 with 25 units," in shown.stdout
    assert "'daxlab sweep run specs/paper-search.toml' trains what is lacking" in shown.stdout


def test_an_empty_ledger_has_no_best_and_an_unknown_experiment_is_named(daxlab, tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db"):
        pass
    shown = daxlab("search", "best", "--ledger", tmp_path / "empty.db")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert (
        "No architecture of the search has runs by the paper's protocol on simple, length, jump, turn-left."
        in shown.stdout
    )
    wrong = daxlab("search", "best", "--experiment", "jmup", "--ledger", tmp_path / "empty.db")
    assert wrong.returncode == 2
    assert "no experiment is called 'jmup'" in wrong.stderr
