"""Mean, standard error and interval: of accuracies by analysis/intervals.py, else what scipy's test of a mean says."""

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from daxlab.analysis.intervals import interval, posterior, student
from daxlab.analysis.replicates import summary


@given(st.lists(st.floats(-50, 150), min_size=2, max_size=20, unique=True))
def test_the_interval_of_numbers_is_student_s(numbers: list[float]) -> None:
    mean, sem, low, high = summary(numbers, student).values()
    ends = stats.ttest_1samp(numbers, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((ends.low, ends.high), abs=1e-6)
    assert sem == pytest.approx(stats.sem(numbers), abs=1e-9)
    assert low <= mean <= high


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20))
def test_the_interval_of_accuracies_holds_their_mean_and_nothing_beyond_0_and_100(accuracies: list[float]) -> None:
    mean, _, low, high = summary(accuracies).values()
    assert 0 <= low <= mean + 1e-9 and mean - 1e-9 <= high <= 100
    inner = interval(posterior(accuracies))
    assert (low, high) == pytest.approx((min(inner[0], mean), max(inner[1], mean)))


def test_one_run_has_a_mean_and_none_has_nothing() -> None:
    assert summary([42.0]) == {"mean": 42.0, "sem": None, "low": None, "high": None}
    assert summary([]) == dict.fromkeys(("mean", "sem", "low", "high"))
