"""Within or beyond: by the interval for the difference of two means, and by nothing that rounds in our favour."""

from math import sqrt
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from daxlab.paper.verdicts import allowed, margin, together, verdict

RUNS = (89.65, 98.10, 78.73, 89.74, 89.24)


@pytest.mark.parametrize("paper_runs", [1, 5, 20])
def test_the_margin_is_scipy_s_interval_for_the_difference(paper_runs: int) -> None:
    spread = np.std(RUNS, ddof=1) * sqrt(1 / len(RUNS) + 1 / paper_runs)
    low, high = stats.t.interval(0.95, len(RUNS) - 1, loc=fmean(RUNS), scale=spread)
    assert margin(RUNS, paper_runs) == pytest.approx((high - low) / 2)
    inside, outside = low + 1e-9, low - 1e-9
    assert verdict(RUNS, inside, None, paper_runs) == "within"
    assert verdict(RUNS, outside, None, paper_runs) == "beyond"
    assert verdict(RUNS, high + 1e-9, None, paper_runs) == "beyond"


def test_against_a_figure_without_chance_it_is_scipy_s_test_of_one_sample() -> None:
    interval = stats.ttest_1samp(RUNS, 0).confidence_interval(0.95)
    assert margin(RUNS, None) == pytest.approx((interval.high - interval.low) / 2)
    for value in np.linspace(75, 105, 61):
        expected = "within" if stats.ttest_1samp(RUNS, value).pvalue > 0.05 else "beyond"
        assert verdict(RUNS, value) == expected


@pytest.mark.parametrize(("ours", "papers"), [(5, 5), (3, 5), (10, 5), (5, 1)])
def test_where_the_truth_is_the_same_one_figure_in_twenty_is_beyond(ours: int, papers: int) -> None:
    chance = np.random.default_rng(ours * papers)
    tries = 4_000
    beyond = sum(
        verdict(chance.normal(50, 7, ours).tolist(), chance.normal(50, 7, papers).mean(), None, papers) == "beyond"
        for _ in range(tries)
    )
    assert beyond / tries == pytest.approx(0.05, abs=4 * sqrt(0.05 * 0.95 / tries))


def test_where_the_truth_differs_widely_the_figure_is_beyond() -> None:
    assert verdict([99.9, 99.8, 99.9], 90.0, None, 5) == "beyond"


def test_nothing_is_rounded() -> None:
    same = [99.74] * 5
    assert verdict(same, 99.74, None, 5) == "within"
    assert verdict(same, 99.7, None, 5) == "beyond"


@pytest.mark.parametrize(
    ("values", "relation", "bound", "expected"),
    [
        ([0.0, 0.0, 0.0], "less than", 1.0, "within"),
        ([1.0, 1.0, 1.0], "less than", 1.0, "beyond"),
        ([1.0, 1.0, 1.0], "at least", 1.0, "within"),
        ([99.5, 99.5], "more than", 99.5, "beyond"),
        ([99.6, 99.9], "more than", 99.5, "within"),
        ([90.0, 99.9], "at least", 95.0, "within"),  # below, but by less than the interval
        ([94.0, 94.1, 94.2], "at least", 95.0, "beyond"),
        ([-1.0, 2.0, 1.0], "more than", 0.0, "within"),
    ],
)
def test_a_bound_allows_one_side(values: list[float], relation: str, bound: float, expected: str) -> None:
    assert verdict(values, bound, relation, 5) == expected


@pytest.mark.parametrize("relation", ["less than", "more than", "at least"])
def test_a_bound_is_within_exactly_if_a_number_that_it_allows_is(relation: str) -> None:
    """The slow, obvious twin: try every number."""
    values = [10.0, 11.0, 13.0, 9.5]
    step = 0.05
    numbers = [n for n in np.arange(-5, 25, step) if verdict(values, n, None, 5) == "within"]
    for bound in np.arange(-4.5, 24.5, 0.5):
        if abs(abs(fmean(values) - bound) - (margin(values, 5) or 0)) > step:  # too near the edge for the grid
            some = any(allowed(n, bound, relation) for n in numbers)
            assert (verdict(values, bound, relation, 5) == "within") == some


def test_one_run_is_shown_and_none_is_unmeasured() -> None:
    assert verdict([99.7], 99.7, None, 5) == "shown"
    assert verdict([], 99.7, None, 5) == "unmeasured"


def test_of_several_one_beyond_decides_and_none_may_be_missing() -> None:
    assert together(["within", "within"]) == "within"
    assert together(["within", "unmeasured", "beyond"]) == "beyond"
    assert together(["within", "unmeasured"]) == "unmeasured"
    assert together(["within", "shown"]) == "shown"
    assert together([]) == "unmeasured"
