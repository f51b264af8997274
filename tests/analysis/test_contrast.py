"""Two sets of runs: like is compared with like, and the difference is as sure as it says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from daxlab import InputError
from daxlab.analysis.contrast import MARGIN, beforehand, compare, contrast, items, only, over_learners
from daxlab.ledger import Ledger

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
GRU = {"cell": "gru", "layers": 1, "dropout": 0.0}
Scores = list[tuple[int, float]]  # seed and accuracy
scores = st.dictionaries(st.integers(0, 9), st.floats(0, 100), min_size=2, max_size=8).map(lambda runs: [*runs.items()])


def of(accuracies, first: int = 0) -> Scores:
    return list(enumerate(map(float, accuracies), first))


# -- how sure a difference is


@settings(max_examples=40)
@given(scores, scores)
def test_swapping_the_sides_mirrors_everything(a: Scores, b: Scores) -> None:
    one, other = contrast(a, b), contrast(b, a)
    assert one["pairs"] == other["pairs"]
    assert one["difference"] == pytest.approx(-other["difference"])
    assert one["difference_low"] == pytest.approx(-other["difference_high"], abs=0.02)  # the grid
    assert one["higher"] == pytest.approx(1 - other["higher"], abs=1e-6)
    assert (one["better"], one["better_low"]) == pytest.approx((1 - other["better"], 1 - other["better_high"]))


@settings(max_examples=40)
@given(scores, scores)
def test_intervals_hold_the_estimate_and_stay_in_bounds(a: Scores, b: Scores) -> None:
    row = contrast(a, b)
    assert -100 <= row["difference_low"] <= row["difference"] <= row["difference_high"] <= 100
    assert 0 <= row["better_low"] <= row["better"] <= row["better_high"] <= 1
    assert row["better_low"] < row["better_high"] and 0 <= row["higher"] <= 1


@settings(max_examples=40)
@given(scores, st.booleans())
def test_a_set_does_not_differ_from_its_like(a: Scores, paired: bool) -> None:
    row = contrast(a, a if paired else [(seed + 10, accuracy) for seed, accuracy in a])
    assert row["difference"] == 0 and row["difference_low"] <= 0 <= row["difference_high"]
    assert (row["better"], row["higher"]) == pytest.approx((0.5, 0.5))


@settings(max_examples=40)
@given(scores, scores)
def test_a_learner_knows_data_beforehand_if_its_whole_interval_is_above_the_margin(a: Scores, b: Scores) -> None:
    row = beforehand("scan", a, b)
    knows, does_not = row["difference_low"] > MARGIN, row["difference_high"] <= MARGIN
    expected = "knows scan beforehand" if knows else "as good in disguise" if does_not else "undecided"
    assert row["verdict"] == expected
    assert beforehand("scan", a, a)["verdict"] != "knows scan beforehand"


@settings(max_examples=40)
@given(st.lists(st.floats(-10, 10), min_size=3, max_size=6), st.floats(0, 15), st.floats(1.5, 3))
def test_more_noise_makes_it_no_surer(noise: list[float], difference: float, times: float) -> None:
    noise = list(np.array(noise) - np.mean(noise) + np.linspace(-1, 1, len(noise)))
    calm, wild = (
        contrast(of(50 + difference + k * np.array(noise)), of(50 + k * np.array(noise), 100)) for k in (1.0, times)
    )
    assert wild["difference_high"] - wild["difference_low"] >= 0.98 * (calm["difference_high"] - calm["difference_low"])
    assert wild["higher"] <= calm["higher"] + 0.02


def test_runs_of_one_seed_that_go_together_make_it_surer() -> None:
    a, b = [60, 70, 80, 65, 75, 85, 55], [50, 61, 69, 55, 66, 74, 45]
    widths = []
    for others in (of(b), of(b, 100), of(b[::-1])):
        row = contrast(of(a), others)
        widths.append((row["pairs"], row["difference_high"] - row["difference_low"]))
    (pairs, together), (none, apart), _ = widths
    assert (pairs, none) == (7, 0)
    assert together < 0.8 * apart
    assert contrast(of(a), of(b))["higher"] > contrast(of(a), of(b, 100))["higher"] > 0.5


def test_runs_without_a_partner_count_too() -> None:
    few, many = of([60, 70, 65]), of([50, 55, 52, 48, 51, 53, 49, 54])
    row = contrast(few, many)
    assert (row["pairs"], row["difference"]) == (3, pytest.approx(65 - 51.5))


def test_a_seed_that_a_side_has_twice_pairs_nothing() -> None:
    assert contrast([*of([60, 70, 65]), (0, 61.0)], of([50, 55, 52]))["pairs"] == 0
    assert contrast(of([60, 70]), [(0, 50.0), (5, 55.0)])["pairs"] == 0  # one shared seed is no pair


def test_a_run_on_a_side_has_a_difference_and_no_interval() -> None:
    row = contrast([(0, 40.0)], [(0, 50.0), (1, 60.0)])
    assert row["difference"] == -15.0 and "difference_low" not in row


# -- what is compared with what


def test_one_learner_on_each_side(ledger_of, measured, failed) -> None:
    runs = [measured("jump", 10.0 + seed, seed, **GRU, hidden=50) for seed in range(3)]
    runs += [measured("jump", 20.0 + seed, seed, **GRU, hidden=100) for seed in range(4)]
    failure = failed("jump", 9, **GRU, hidden=50)
    failure = replace(failure, spec={**failure.spec, "split": runs[0].spec["split"]})
    (row,) = compare(ledger_of(*runs, failure), {"hidden": 50}, {"hidden": 100}).to_dicts()
    assert (row["learner_a"], row["learner_b"]) == ("GRU 1x50, dropout 0", "GRU 1x100, dropout 0")
    assert (row["runs_a"], row["failed_a"], row["runs_b"], row["pairs"], row["also"]) == (3, 1, 4, 3, [])
    assert (row["mean_a"], row["mean_b"], row["difference"]) == (11.0, 21.5, -10.5)
    assert row["difference_high"] < 0 and row["better"] == 0 and row["higher"] < 0.01


def test_learners_are_matched_that_differ_in_the_filtered_fields_alone(ledger_of, measured) -> None:
    runs = [
        measured(
            "jump", 30.0 + gain * attention + hidden / 50 + seed, seed, cell="gru", hidden=hidden, attention=attention
        )
        for hidden, gain in ((50, 5), (100, 10), (200, 30))
        for attention in (False, True)
        for seed in range(3)
    ]
    alone = measured("jump", 90.0, 0, cell="gru", hidden=50, attention=True, clip=1.0)
    frame = compare(ledger_of(*runs, alone), {"attention": True}, {"attention": False}, {"split": "jump"})
    matched = frame.drop_nulls("difference")
    assert matched["difference"].to_list() == pytest.approx([30, 10, 5])
    assert [a.replace(", attention", "") for a in matched["learner_a"]] == matched["learner_b"].to_list()
    (unmatched,) = frame.filter(frame["difference"].is_null()).to_dicts()
    assert unmatched["learner_a"].endswith("; clip 1") and unmatched["learner_b"] is None
    assert (unmatched["runs_a"], unmatched["runs_b"]) == (1, 0)
    (over,) = over_learners(frame).to_dicts()
    assert (over["learners"], over["ahead"], over["difference"]) == (3, 3, pytest.approx(15))
    assert over["difference_low"] < 15 < over["difference_high"]


def test_learners_that_agree_by_chance_leave_the_noise_of_their_runs(ledger_of, measured) -> None:
    runs = [
        measured("jump", 30.0 + 10 * (cell == "gru") + 9 * seed, seed + layers * 10, cell=cell, layers=layers)
        for cell in ("gru", "lstm")
        for layers in (1, 2)
        for seed in range(3)
    ]
    frame = compare(ledger_of(*runs), {"cell": "gru"}, {"cell": "lstm"})
    (over,) = over_learners(frame).to_dicts()
    assert over["difference"] == pytest.approx(10)
    one, both = (row["difference_high"] - row["difference_low"] for row in (frame.row(0, named=True), over))
    assert both == pytest.approx(one / 2**0.5, rel=0.01)


def test_learners_that_cannot_be_matched_are_never_pooled(ledger_of, measured) -> None:
    runs = [
        measured("jump", 30.0, 0, cell="gru", hidden=hidden, layers=layers) for hidden in (50, 100) for layers in (1, 2)
    ]
    ledger = ledger_of(*runs, measured("jump", 40.0, 0, cell="lstm", hidden=200))
    with pytest.raises(InputError, match=r"A has 4 learners and B 1, .* filter by hidden \(50, 100\), layers \(1, 2\)"):
        compare(ledger, {"cell": "gru"}, {"cell": "lstm"})


def test_a_partner_is_found_for_a_single_learner_among_several(ledger_of, measured) -> None:
    runs = [measured("jump", 30.0, hidden=hidden) for hidden in (50, 100)]
    rows = compare(ledger_of(*runs, measured("jump", 1.0, cell="srn", hidden=50)), {"cell": "srn"}, {"cell": "lstm"})
    assert rows.select("runs_a", "runs_b", "difference").rows() == [(1, 1, -29.0), (0, 1, None)]


def test_the_only_learners_are_compared_and_what_else_differs_is_named(ledger_of, measured) -> None:
    ledger = ledger_of(
        measured("jump", 30.0, cell="gru", hidden=50), measured("jump", 40.0, cell="lstm", hidden=100, clip=1.0)
    )
    (row,) = compare(ledger, {"cell": "gru"}, {"cell": "lstm"}).to_dicts()
    assert row["also"] == ["clip", "hidden"]


def test_splits_are_the_same_by_content(ledger_of, measured) -> None:
    def on(digest: str, name: str, hidden: int):
        run = measured("jump", 50.0, hidden=hidden)
        return replace(run, spec={**run.spec, "split": {"name": name, "digest": digest}})

    ledger = ledger_of(on("one", "jump", 50), on("one", "leap", 100), on("two", "jump", 100))
    rows = compare(ledger, {"hidden": 50}, {"hidden": 100}).to_dicts()
    assert [(row["digest"], row["learner_a"] is None) for row in rows] == [("one", False), ("two", True)]
    with pytest.raises(InputError, match="no split in common: A has runs on jump, B on jump"):
        compare(ledger_of(on("one", "jump", 50), on("two", "jump", 100)), {"hidden": 50}, {"hidden": 100})


@pytest.mark.parametrize(
    ("a", "b", "complaint"),
    [
        ({"hidden": 50}, {"cell": "gru"}, "2 runs, such as .* are on both sides"),
        ({"hidden": 25}, {"hidden": 50}, "has no run for side A \\(hidden=25\\)"),
    ],
)
def test_sides_that_overlap_or_are_empty_are_an_error(ledger_of, measured, a, b, complaint: str) -> None:
    ledger = ledger_of(*(measured("jump", 50.0, seed, cell="gru", hidden=50) for seed in range(2)))
    with pytest.raises(InputError, match=complaint):
        compare(ledger, a, b)


# -- commands


def test_commands_that_one_side_gets_right_more_often(ledger_of, trained, tiny: str) -> None:
    def run(seed: int, greedy: dict[str, str], hidden: int):
        return trained("jump", seed, greedy, language=tiny, hidden=hidden)

    a = [run(0, {}, 50), run(1, {"jump twice": "JUMP"}, 50)]
    b = [run(0, {"jump left": "JUMP"}, 100), run(1, {"jump left": "JUMP"}, 100), run(2, {"jump left": "WALK"}, 100)]
    frame = items(ledger_of(*a, *b), [one.key for one in a], [one.key for one in b])
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    assert first == {
        "command": "jump left",
        "target": "LTURN JUMP",
        "a": 100.0,
        "b": 0.0,
        "difference": 100.0,
        "wrong_a": None,
        "wrong_b": "JUMP",
    }
    assert (last["command"], last["a"], last["b"], last["wrong_a"]) == ("jump twice", 50.0, 100.0, "JUMP")
    assert (frame["difference"] == 0).sum() == frame.height - 2
    assert only(frame) == (1, 1)


def test_runs_without_answers_are_left_out_and_a_side_of_such_runs_is_an_error(ledger_of, trained, measured) -> None:
    whole, bare = trained("turn-left", 0, {"turn left twice": ""}, hidden=50), trained("turn-left", 1, hidden=50)
    bare, other = replace(bare, artefacts={}), trained("turn-left", 0, hidden=100)
    ledger = ledger_of(whole, bare, other)
    assert items(ledger, [whole.key, bare.key], [other.key])["a"].min() == 0.0
    with pytest.raises(InputError, match="no answers of A's runs"):
        items(ledger, [bare.key], [other.key])


# -- with real runs as the truth


def overall_best(split: str) -> np.ndarray:
    """The accuracies of the paper's overall best network, by seed."""
    with Ledger(RESULTS) as ledger:
        rows = ledger.rows({"label": "LSTM 2x200, dropout 0.5", "split": split})
    return np.array([row["accuracy"] for row in sorted(rows, key=lambda row: row["seed"])])


def rearranged(runs: np.ndarray, others: np.ndarray, correlation: float) -> np.ndarray:
    """The others in an order in which they go together with the runs."""
    noise = np.random.default_rng(0).permutation(len(runs))
    ranks = runs.argsort().argsort()
    order = (correlation * ranks + np.sqrt(1 - correlation**2) * noise).argsort().argsort()
    return np.sort(others)[order]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [5, 10, 20])
@pytest.mark.parametrize(
    ("split", "other", "correlation"),
    [("turn-left", "jump", 0.0), *((s, s, r) for s in ("turn-left", "jump") for r in (0.0, 0.5, 0.9))],
)
def test_intervals_hold_the_true_difference(split: str, other: str, correlation: float, runs: int) -> None:
    """At least as often as they say: of few pairs that go together they are wider than need be."""
    every = overall_best(split)
    others = rearranged(every, overall_best(other), correlation)
    draw, truth, held = np.random.default_rng(runs), every.mean() - others.mean(), []
    for _ in range(400):
        places = draw.integers(0, len(every), runs)
        row = contrast(of(every[places]), of(others[places]))
        held.append(row["difference_low"] <= truth <= row["difference_high"])
    assert np.mean(held) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("runs", [5, 10, 20])
@pytest.mark.parametrize("lower_by", [0, 5, 15])
def test_intervals_hold_the_probability_that_a_run_is_better(lower_by: float, runs: int) -> None:
    every = overall_best("turn-left")
    others = every - lower_by
    truth = (1 + np.sign(np.subtract.outer(every, others)).mean()) / 2
    draw, held = np.random.default_rng(runs), []
    for _ in range(400):
        row = contrast(of(draw.choice(every, runs)), of(draw.choice(others, runs), 100))
        held.append(row["better_low"] <= truth <= row["better_high"])
    assert 0.92 <= np.mean(held) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("split", ["turn-left", "length"])
@pytest.mark.parametrize("learners", [5, 10, 20])
def test_intervals_over_learners_hold_the_mean_over_all(split: str, learners: int) -> None:
    with Ledger(RESULTS) as ledger:
        frame = compare(ledger, {"attention": True}, {"attention": False}, {"split": split}).drop_nulls("difference")
    draw, held = np.random.default_rng(learners), []
    for _ in range(400):
        (row,) = over_learners(frame[draw.integers(0, frame.height, learners)]).to_dicts()
        held.append(row["difference_low"] <= frame["difference"].mean() <= row["difference_high"])
    assert 0.92 <= np.mean(held) <= 0.97
