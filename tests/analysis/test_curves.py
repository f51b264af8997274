"""Learning curves; accuracy by how much is shown: the curves of Experiments 1 and 3."""

import pytest

from daxlab import split
from daxlab.analysis.curves import by_shots, by_size, learning
from daxlab.ledger import Run

BEST = {"cell": "lstm", "layers": 2, "hidden": 200}
SIZES = "release/simple_split/size_variations/simple_p"
SHOTS = "release/add_prim_split/with_additional_examples/addprim_complex_jump_num"


def test_the_size_curve_has_a_point_for_every_percentage_and_draw(ledger_of, measured) -> None:
    runs = [measured("size-1", 4.0, 1), measured("size-1", 6.0, 0), measured("simple", 99.0), measured("jump", 0.0)]
    runs += [measured(f"{SIZES}2", 54.0), measured("release/simple_split/simple", 99.5), measured("size-2-seed7", 50.0)]
    runs += [measured("size-1", 77.0, cell="gru"), measured("size-4", 93.0)]
    frame = by_size(ledger_of(*runs), BEST)
    assert frame.select("draw", "percent", "train", "accuracies").rows() == [
        ("own", 1, 209, [6.0, 4.0]),
        ("own", 4, 836, [93.0]),
        ("own", 80, 16728, [99.0]),
        ("release", 2, 418, [54.0]),
        ("release", 80, 16728, [99.5]),
        ("seed7", 2, 418, [50.0]),
    ]
    assert frame["mean"][0] == 5.0


@pytest.mark.parametrize(
    "name", ["size-1", "size-64", "simple", f"{SIZES}1", f"{SIZES}64", "release/simple_split/simple"]
)
def test_the_number_of_training_commands_is_the_split_s(ledger_of, measured, data, name: str) -> None:
    """Said without the split itself, because whoever reads a ledger may not have the release."""
    assert by_size(ledger_of(measured(name, 1.0)), BEST)["train"].to_list() == [len(split(name).train)]


def test_a_short_trial_is_no_point_of_a_curve_unless_it_is_asked_for(ledger_of, trained) -> None:
    ledger = ledger_of(trained("jump", updates=500), trained("jump", 1))
    assert by_shots(ledger, BEST)["runs"].to_list() == [1]
    assert by_shots(ledger, {**BEST, "updates": 500})["runs"].to_list() == [1]
    assert by_shots(ledger, {**BEST, "updates": [500, 100_000]})["runs"].to_list() == [2]


def test_the_plain_split_begins_the_few_shot_curves_of_both_draws(ledger_of, measured) -> None:
    runs = [measured("jump", 1.0, 0), measured("jump", 3.0, 1)]
    runs += [
        measured("few-jump-8-rep1", 30.0),
        measured("few-jump-8-rep2", 40.0, 7),
        measured("few-jump-8-rep10", 20.0),
    ]
    runs += [measured(f"{SHOTS}8_rep1", 50.0), measured(f"{SHOTS}32_rep1", 80.0), measured("few-turn-left-8-rep1", 9.0)]
    frame = by_shots(ledger_of(*runs), BEST)
    assert frame.select("draw", "shots", "draws", "runs", "mean", "accuracies").rows() == [
        ("own", 0, None, 2, 2.0, [1.0, 3.0]),
        ("own", 8, 3, 3, 30.0, [30.0, 40.0, 20.0]),
        ("release", 0, None, 2, 2.0, [1.0, 3.0]),
        ("release", 8, 1, 1, 50.0, [50.0]),
        ("release", 32, 1, 1, 80.0, [80.0]),
    ]
    assert by_shots(ledger_of(*runs), BEST, "turn left")["accuracies"].to_list() == [[9.0]]
    assert by_shots(ledger_of(*runs[:2]), BEST)["draw"].to_list() == ["own"]


def test_draws_are_the_replicates_however_many_seeds_each_has(ledger_of, measured) -> None:
    """Two draws of which one was trained three times: the mean is of two draws, and so is its standard error."""
    runs = [measured("few-jump-1-rep10", 9.0), *(measured("few-jump-1-rep2", float(seed), seed) for seed in range(3))]
    (row,) = by_shots(ledger_of(*runs), BEST).rows(named=True)
    assert (row["draws"], row["runs"], row["accuracies"]) == (2, 4, [0.0, 1.0, 2.0, 9.0])
    assert (row["mean"], row["sem"]) == (5.0, 4.0)


def test_nothing_has_no_curve(ledger_of, failed) -> None:
    for ledger in (ledger_of(), ledger_of(failed("simple"), failed("jump"))):
        assert by_size(ledger, BEST).rows() == by_shots(ledger, BEST).rows() == []


def test_a_learning_curve_has_a_row_per_run_and_point_by_seed(ledger_of, trained, failed) -> None:
    lines = {"update": [10, 20], "train_accuracy": [50.0, 100.0], "test_accuracy": [0.0, 1.5], "loss": [2.5, 0.5]}
    one, two = (Run(spec=trained("turn-left", seed).spec, metrics={"accuracy": 1.0}, curve=lines) for seed in (1, 0))
    gone = {"update": [10], "train_accuracy": [25.0], "test_accuracy": [float("nan")], "loss": [float("inf")]}
    broken = failed("turn-left", 2)
    broken = Run(spec=broken.spec, status="failed", failed_at=12, curve=gone)
    bare = trained("turn-left", 3)
    frame = learning(ledger_of(one, two, broken, bare), [one.key, two.key, broken.key, bare.key])
    assert frame.rows() == [
        (two.key, 0, 10, 50.0, 0.0, 2.5),
        (two.key, 0, 20, 100.0, 1.5, 0.5),
        (one.key, 1, 10, 50.0, 0.0, 2.5),
        (one.key, 1, 20, 100.0, 1.5, 0.5),
        (broken.key, 2, 10, 25.0, None, None),
    ]
    assert frame.columns == ["key", "seed", "update", "train_accuracy", "test_accuracy", "loss"]


def test_no_runs_have_no_learning_curve(ledger_of) -> None:
    assert learning(ledger_of(), []).rows() == []
