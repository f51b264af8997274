"""What is known of every network."""

import pytest

from daxlab import InputError
from daxlab.analysis.accuracy import median_run, settings

GRU = {"cell": "gru", "layers": 1, "hidden": 50, "attention": True}


def test_a_row_per_network_and_split(ledger_of, measured) -> None:
    runs = [measured("jump", accuracy, seed) for seed, accuracy in ((2, 6.0), (0, 1.0), (1, 2.0))]
    frame = settings(ledger_of(*runs, measured("length", 20.0, **GRU)))
    assert frame["network"].to_list() == ["GRU 1x50, attention, dropout 0.5", "LSTM 2x200, dropout 0.5"]
    gru, lstm = frame.filter(split="length").row(0, named=True), frame.filter(split="jump").row(0, named=True)
    assert (gru["runs"], gru["mean"], gru["sem"], gru["low"], gru["accuracies"]) == (1, 20.0, None, None, [20.0])
    assert (gru["learner"], gru["dataset"]) == ("rnn", "scan")
    assert (lstm["mean"], lstm["accuracies"], lstm["train_mean"], lstm["oracle_mean"]) == (
        3.0,
        [1.0, 2.0, 6.0],
        99.0,
        3.0,
    )
    assert lstm["sem"] == pytest.approx((7 / 3) ** 0.5)  # variance 7 over three runs
    assert lstm["protocol"] is None


def test_another_protocol_is_another_row_that_says_what_differs(ledger_of, trained) -> None:
    runs = [trained("turn-left"), trained("turn-left", updates=500, teacher_forcing=1.0)]
    frame = settings(ledger_of(*runs))
    assert frame["protocol"].to_list() == [None, "teacher forcing 1, updates 500"]
    assert settings(ledger_of(*runs), {"updates": 500}).height == 1


def test_failed_runs_are_counted_and_nothing_is_said_of_their_accuracy(ledger_of, trained, failed) -> None:
    one = trained("turn-left", greedy={"turn left twice": ""})
    frame = settings(ledger_of(one, failed("turn-left", 1), failed("turn-left", 2)))
    assert frame.select("failed", "runs", "accuracies").rows() == [(2, 1, [100 * (1207 / 1208)])]
    none = settings(ledger_of(failed("turn-left"))).row(0, named=True)
    assert (none["failed"], none["runs"], none["mean"], none["accuracies"]) == (1, 0, None, [])
    assert settings(ledger_of()).rows() == []


def test_the_median_run_is_the_middle_one_and_the_lower_of_two(ledger_of, measured, failed) -> None:
    runs = [measured("jump", accuracy, seed) for seed, accuracy in enumerate([5.0, 1.0, 4.0, 2.0, 3.0])]
    ledger = ledger_of(*runs, broken := failed("jump", 9))
    keys = [run.key for run in runs]
    assert median_run(ledger, [*keys, broken.key]) == keys[4]
    assert median_run(ledger, keys[:4]) == keys[3]
    assert median_run(ledger, keys[:1]) == keys[0]
    with pytest.raises(InputError, match="no median run"):
        median_run(ledger, [broken.key])
