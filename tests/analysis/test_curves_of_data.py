"""Accuracy by how much is shown: the size curve of Experiment 1, the few-shot curve of Experiment 3."""

import pytest

from daxlab import split
from daxlab.analysis import few, size

BEST = {"cell": "lstm", "layers": 2, "hidden": 200}
SIZES = "release/simple_split/size_variations/simple_p"
SHOTS = "release/add_prim_split/with_additional_examples/addprim_complex_jump_num"


def test_the_size_curve_has_a_point_for_every_percentage_and_draw(ledger_of, measured) -> None:
    runs = [measured("size-1", 4.0, 1), measured("size-1", 6.0, 0), measured("simple", 99.0), measured("jump", 0.0)]
    runs += [measured(f"{SIZES}2", 54.0), measured("release/simple_split/simple", 99.5), measured("size-2-seed7", 50.0)]
    runs += [measured("size-1", 77.0, cell="gru"), measured("size-4", 93.0)]
    frame = size.curve(ledger_of(*runs), BEST)
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
    assert size.curve(ledger_of(measured(name, 1.0)), BEST)["train"].to_list() == [len(split(name).train)]


def test_a_short_trial_is_no_point_of_a_curve_unless_it_is_asked_for(ledger_of, trained) -> None:
    ledger = ledger_of(trained("jump", protocol={"updates": 500}), trained("jump", 1))
    assert few.curve(ledger, BEST)["runs"].to_list() == [1]
    assert few.curve(ledger, {**BEST, "updates": 500})["runs"].to_list() == [1]
    assert few.curve(ledger, {**BEST, "updates": [500, 100_000]})["runs"].to_list() == [2]


def test_the_plain_split_begins_the_few_shot_curves_of_both_draws(ledger_of, measured) -> None:
    runs = [measured("jump", 1.0, 0), measured("jump", 3.0, 1)]
    runs += [
        measured("few-jump-8-rep1", 30.0),
        measured("few-jump-8-rep2", 40.0, 7),
        measured("few-jump-8-rep10", 20.0),
    ]
    runs += [measured(f"{SHOTS}8_rep1", 50.0), measured(f"{SHOTS}32_rep1", 80.0), measured("few-turn-left-8-rep1", 9.0)]
    frame = few.curve(ledger_of(*runs), BEST)
    assert frame.select("draw", "shots", "draws", "runs", "mean", "accuracies").rows() == [
        ("own", 0, None, 2, 2.0, [1.0, 3.0]),
        ("own", 8, 3, 3, 30.0, [30.0, 40.0, 20.0]),
        ("release", 0, None, 2, 2.0, [1.0, 3.0]),
        ("release", 8, 1, 1, 50.0, [50.0]),
        ("release", 32, 1, 1, 80.0, [80.0]),
    ]
    assert few.curve(ledger_of(*runs), BEST, "turn left")["accuracies"].to_list() == [[9.0]]
    assert few.curve(ledger_of(*runs[:2]), BEST)["draw"].to_list() == ["own"]


def test_draws_are_the_replicates_however_many_seeds_each_has(ledger_of, measured) -> None:
    """Two draws of which one was trained three times: the mean is of two draws, and so is its standard error."""
    runs = [measured("few-jump-1-rep10", 9.0), *(measured("few-jump-1-rep2", float(seed), seed) for seed in range(3))]
    (row,) = few.curve(ledger_of(*runs), BEST).rows(named=True)
    assert (row["draws"], row["runs"], row["accuracies"]) == (2, 4, [0.0, 1.0, 2.0, 9.0])
    assert (row["mean"], row["sem"]) == (5.0, 4.0)


def test_nothing_has_no_curve(ledger_of, failed) -> None:
    for ledger in (ledger_of(), ledger_of(failed("simple"), failed("jump"))):
        assert size.curve(ledger, BEST).rows() == few.curve(ledger, BEST).rows() == []
