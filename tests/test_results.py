"""The results that come with daxlab are what they say they are."""

from pathlib import Path

import pytest

from daxlab.cli.options import ledger_at
from daxlab.store import Ledger, unpack_answers, unpack_likelihoods
from daxlab.sweep import Spec, weights_of

RESULTS = Path(__file__).parent.parent / "results"
KINDS = {"greedy": "accuracy", "oracle": "oracle_accuracy"}


@pytest.mark.parametrize("name", ["runs.db", "again.db"])
def test_every_stored_metric_follows_from_the_stored_predictions(name: str) -> None:
    with Ledger(RESULTS / name) as ledger:
        ledger.check()
        keys = ledger.select()
        assert keys
        for key in keys:
            run = ledger.run(key)
            test = Spec.of(run.spec).content().test  # refused, if the split is no longer the one that was trained on
            targets = [example.actions for example in test]
            for kind, metric in KINDS.items():
                answers = unpack_answers(run.artefacts[kind], targets)
                right = sum(answer == target for answer, target in zip(answers, targets, strict=True))
                assert 100 * right / len(targets) == pytest.approx(run.metrics[metric])
            own, right_ones = unpack_likelihoods(run.artefacts["likelihoods"])
            assert len(own) == len(right_ones) == len(targets)
            assert max(*own, *right_ones) <= 0.001


def test_every_run_of_the_table_was_trained_by_the_paper_s_protocol() -> None:
    with Ledger(RESULTS / "runs.db") as ledger:
        assert {row["updates"] for row in ledger.rows()} == {100_000}
        assert {row["status"] for row in ledger.rows()} == {"done"}
        for split in ("simple", "length", "jump", "turn-left"):
            assert {row["seed"] for row in ledger.rows({"split": split, "hidden": 200})} == set(range(5))


def test_without_a_ledger_of_one_s_own_the_shipped_one_answers(daxlab, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ledger_at(None) == RESULTS / "runs.db"
    with Ledger(ledger_at(None)) as ledger:
        (jump,) = ledger.select({"split": "jump", "hidden": 100, "seed": 0})
    assert weights_of(ledger_at(None), jump).exists()
    assert daxlab("predict", jump[:8], "walk", "twice", cwd=tmp_path).stdout.count("I_WALK") == 2
    assert list(tmp_path.iterdir()) == []
