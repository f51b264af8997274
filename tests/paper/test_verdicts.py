"""Agrees, differs or undecided: by a declared tolerance, by tests over the whole table, and never by noise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from daxlab.ledger import Ledger
from daxlab.paper.verdicts import (
    LEVEL,
    TIMES,
    Judgement,
    Scale,
    best_interval,
    contrast,
    decide,
    interval,
    judge,
    judge_best,
    needed,
    together,
)

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
RUNS = (89.65, 98.10, 78.73, 89.74, 89.24)
BLEU = Scale(of=None, points=2.0)
accuracies = st.lists(st.floats(0, 100), min_size=2, max_size=8)


def verdict(values: list[float], figure: float, relation: str | None = None, scale: Scale | None = None) -> str:
    """The verdict on a table of one figure."""
    (said,) = decide([judge(values, figure, relation, 5, scale or Scale())])
    return said


def sixty_four(split: str) -> np.ndarray:
    with Ledger(RESULTS) as ledger:
        return np.array([row["accuracy"] for row in ledger.rows({"label": "LSTM 2x200, dropout 0.5", "split": split})])


@pytest.mark.slow
def test_where_the_truth_is_the_same_a_table_of_forty_figures_seldom_has_one_that_differs() -> None:
    """At most one in twenty has one (6 of 300 in a longer trial); forty show it only as far as chance allows."""
    splits, draw = [sixty_four("turn-left"), sixty_four("jump")], np.random.default_rng(2)
    tables, false = 40, 0
    for _ in range(tables):
        figures = [(splits[n % 2], 5 if n < 20 else 10) for n in range(40)]
        judged = [judge(draw.choice(runs, n), draw.choice(runs, 5).mean(), None, 5, Scale()) for runs, n in figures]
        false += "differs" in decide(judged)
    assert stats.binomtest(false, tables, LEVEL, "greater").pvalue > 0.01


def search(draw: np.random.Generator, spread: float) -> list[list[float]]:
    """Five runs of each of sixty architectures, some of which are equally good."""
    means = np.concatenate([np.linspace(40, 80, 40), np.full(20, 80.0)])
    return np.clip(draw.normal(means[:, None], spread, (60, 5)), 0, 100).tolist()


def test_the_best_of_two_searches_of_the_same_networks_seldom_differs() -> None:
    draw, trials, false = np.random.default_rng(0), 100, 0
    for _ in range(trials):
        best = max(map(np.mean, search(draw, 8.0)))
        false += judge_best(search(draw, 8.0), best, 5).p < LEVEL
    assert stats.binomtest(false, trials, LEVEL, "greater").pvalue > 0.01


def test_the_best_of_a_search_agrees_if_its_runs_are_alike_and_differs_if_it_is_far() -> None:
    ours = search(np.random.default_rng(1), 0.5)
    best = max(map(np.mean, ours))
    low, high = best_interval(ours)
    assert 0 <= low <= best <= high <= 100
    assert decide([judge_best(ours, best + 1, 5)]) == ["agrees"]
    assert decide([judge_best(ours, best + 15, 5)]) == ["differs"]
    assert decide([judge_best(search(np.random.default_rng(1), 12.0), best, 5)]) == ["undecided"]


def test_more_noise_never_turns_differs_into_agrees() -> None:
    shape = np.array([-1.0, -0.3, 0.1, 0.4, 0.8])
    for mean in (1.0, 10.0, 50.0, 90.0, 99.0):
        noises = [noise * min(mean, 100 - mean) for noise in (0.001, 0.01, 0.03, 0.1, 0.3, 1.0)]
        for figure in np.clip(mean + np.array([-8, -5.2, -4.8, -3, -1, 0, 1, 3, 4.8, 5.2, 8]), 0.1, 99.9):
            said = [verdict((mean + noise * shape).tolist(), figure) for noise in noises]
            assert "agrees" not in said[said.index("differs") :] if "differs" in said else True, (mean, figure, said)


def test_wide_noise_alone_decides_nothing() -> None:
    assert verdict([50.0, 75.0, 85.0, 93.0, 99.0], 90.3) == "undecided"


@given(accuracies)
def test_an_interval_stays_on_its_scale_and_holds_the_mean(values: list[float]) -> None:
    low, high = interval(values, Scale())
    assert 0 <= low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high <= 100
    right = [round(value * 8 / 100) for value in values]
    low, high = interval(right, Scale.count(8))
    assert 0 <= low <= np.mean(right) + 1e-9 and np.mean(right) - 1e-9 <= high <= 8


@pytest.mark.parametrize(
    ("figure", "scale", "tolerance"),
    [
        (60.0, Scale(), (55.0, 65.0)),
        (0.1, Scale(), (0.0334, 0.2994)),  # a third and three times the odds
        (99.9, Scale(), (99.7006, 99.9666)),
        (0.0, Scale(), (-5.0, 5.0)),
        (4.0, Scale.count(8), (3.0, 5.0)),
        (28.6, BLEU, (26.6, 30.6)),
        (1.0, BLEU, (-1.0, 3.0)),
    ],
)
def test_the_tolerance_is_in_points_and_near_0_and_100_in_odds(
    figure: float, scale: Scale, tolerance: tuple[float, float]
) -> None:
    assert judge([3.0, 4.0], figure, None, 5, scale).tolerance == pytest.approx(tolerance, abs=1e-4)


def test_it_agrees_if_the_whole_interval_lies_within_the_tolerance() -> None:
    low, high = interval(RUNS, Scale())
    assert high - low > 10  # too wide for any figure
    assert not any(judge(RUNS, figure, None, 5, Scale()).within for figure in np.arange(70, 100, 0.5))
    assert verdict([60.0, 60.4, 59.7, 60.1], 58.0) == "agrees"
    assert verdict([60.0, 60.4, 59.7, 60.1], 66.0) == "differs"
    assert verdict([0.01, 0.02, 0.01, 0.02, 0.01] * 4, 3.0) == "differs"  # though less than five points away


@pytest.mark.parametrize(
    ("values", "relation", "bound", "expected"),
    [
        ([0.5, 0.6, 0.5], "less than", 20.0, "agrees"),  # however far
        ([30.0, 30.5, 31.0], "less than", 20.0, "differs"),
        ([99.6, 99.9, 99.7], "more than", 50.0, "agrees"),
        ([40.0, 40.3, 40.1], "more than", 50.0, "differs"),
        ([94.0, 94.1, 94.2], "at least", 95.0, "agrees"),  # within the tolerance
        ([84.0, 84.1, 84.2], "at least", 95.0, "differs"),
        ([85.0, 99.9, 92.0], "at least", 95.0, "undecided"),
    ],
)
def test_a_bound_allows_one_side(values: list[float], relation: str, bound: float, expected: str) -> None:
    assert verdict(values, bound, relation) == expected


@given(accuracies, st.floats(1, 99))
def test_the_two_sides_of_a_bound_share_the_probability(values: list[float], bound: float) -> None:
    least, most = (judge(values, bound, relation, 5, Scale()).p for relation in ("at least", "less than"))
    assert least + most == pytest.approx(1)


def test_a_number_that_is_no_share_is_judged_by_student_s_t() -> None:
    values = (28.83, 27.21, 28.05, 26.57, 27.13)
    test = stats.ttest_1samp(values, 28.6)
    judged = judge(values, 28.6, None, None, BLEU)
    assert judged.p == pytest.approx(test.pvalue)
    ends = test.confidence_interval(0.95)
    assert interval(values, BLEU) == pytest.approx((ends.low, ends.high))
    assert (judged.difference_low, judged.difference_high) == pytest.approx((ends.low - 28.6, ends.high - 28.6))


@given(st.lists(st.tuples(st.floats(0, 1).map(lambda p: p**4), st.booleans()), max_size=12))
def test_figures_are_tested_together_as_holm_says(rows: list[tuple[float, bool]]) -> None:
    """The readable twin: p-values adjusted one by one, as statsmodels' multipletests does."""
    some = judge(RUNS, 90.0, None, 5, Scale())
    ascending = sorted(p for p, _ in rows)

    def adjusted(p: float) -> float:
        smaller = ascending[: ascending.index(p) + 1]
        return max(other * (len(rows) - place) for place, other in enumerate(smaller))

    expected = ["agrees" if within else "differs" if adjusted(p) <= LEVEL else "undecided" for p, within in rows]
    assert decide([replace(some, p=p, within=within) for p, within in rows]) == expected


def test_the_runs_that_are_needed_decide_it_and_fewer_do_not() -> None:
    def judged_of(times: int) -> Judgement:
        return judge(RUNS * times, 90.0, None, 5, Scale())

    times = needed(judged_of, 40)
    assert times and judged_of(times).within
    fewer = judged_of(TIMES[TIMES.index(times) - 1])
    assert not fewer.within and fewer.p > LEVEL / 40
    assert needed(lambda times: judge((0.0, 100.0) * times, 55.1, None, 1, Scale()), 40) is None  # one run of theirs


def test_a_difference_is_told_the_better_the_more_runs_there_are() -> None:
    powers = [judge(RUNS * times, 90.0, None, None, Scale()).power for times in (1, 2, 4, 8)]
    assert powers == sorted(powers)
    assert 0 < powers[0] < powers[-1] < 1


def test_what_is_worse_than_something_else_of_ours_is_so_with_a_probability_of_97_5_per_cent() -> None:
    low, high = [40.0, 42.0, 41.0], [60.0, 63.0, 61.0, 62.0]
    worse, better, alike = contrast(low, high), contrast(high, low), contrast(low, [41.0, 40.5, 42.5])
    assert decide([worse, better, alike]) == ["agrees", "differs", "undecided"]
    assert worse.difference == pytest.approx(-20.5)
    assert (worse.difference_low, worse.difference_high) == pytest.approx(
        (-better.difference_high, -better.difference_low), abs=0.01
    )
    assert alike.difference_low < 0 < alike.difference_high


def test_of_several_one_that_differs_decides_and_none_may_be_missing() -> None:
    assert together(["agrees", "agrees"]) == "agrees"
    assert together(["agrees", "unmeasured", "differs"]) == "differs"
    assert together(["agrees", "unmeasured", "undecided"]) == "unmeasured"
    assert together(["agrees", "undecided"]) == "undecided"
    assert together(["agrees", "shown"]) == "shown"
    assert together([]) == "unmeasured"
