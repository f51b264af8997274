"""Mean, standard error and interval are what scipy's own test of a mean says."""

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from daxlab.analysis.replicates import summary


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20, unique=True))
def test_the_interval_is_student_s_over_runs(accuracies: list[float]) -> None:
    mean, sem, low, high = summary(accuracies).values()
    interval = stats.ttest_1samp(accuracies, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-6)
    assert sem == pytest.approx(stats.sem(accuracies), abs=1e-9)
    assert low <= mean <= high


def test_one_run_has_a_mean_and_none_has_nothing() -> None:
    assert summary([42.0]) == {"mean": 42.0, "sem": None, "low": None, "high": None}
    assert summary([]) == dict.fromkeys(("mean", "sem", "low", "high"))
