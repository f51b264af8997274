"""Learning curves, side by side."""

from daxlab.analysis.learning import curves
from daxlab.runs import Run


def test_a_row_per_run_and_point_by_seed(ledger_of, trained, failed) -> None:
    lines = {"update": [10, 20], "train_accuracy": [50.0, 100.0], "test_accuracy": [0.0, 1.5], "loss": [2.5, 0.5]}
    one, two = (Run(spec=trained("turn-left", seed).spec, metrics={"accuracy": 1.0}, curve=lines) for seed in (1, 0))
    gone = {"update": [10], "train_accuracy": [25.0], "test_accuracy": [float("nan")], "loss": [float("inf")]}
    broken = failed("turn-left", 2)
    broken = Run(spec=broken.spec, status="failed", failed_at=12, curve=gone)
    bare = trained("turn-left", 3)
    frame = curves(ledger_of(one, two, broken, bare), [one.key, two.key, broken.key, bare.key])
    assert frame.rows() == [
        (two.key, 0, 10, 50.0, 0.0, 2.5),
        (two.key, 0, 20, 100.0, 1.5, 0.5),
        (one.key, 1, 10, 50.0, 0.0, 2.5),
        (one.key, 1, 20, 100.0, 1.5, 0.5),
        (broken.key, 2, 10, 25.0, None, None),
    ]
    assert frame.columns == ["key", "seed", "update", "train_accuracy", "test_accuracy", "loss"]


def test_nothing_has_no_curve(ledger_of) -> None:
    assert curves(ledger_of(), []).rows() == []
