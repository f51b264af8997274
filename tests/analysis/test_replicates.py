"""Mean, standard error and interval are what scipy's own test of a mean says."""

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from daxlab.analysis.replicates import Summary, summary


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20, unique=True))
def test_the_interval_is_student_s_over_runs(accuracies: list[float]) -> None:
    found = summary(accuracies)
    interval = stats.ttest_1samp(accuracies, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-6)
    assert found.sem == pytest.approx(stats.sem(accuracies), abs=1e-9)
    assert found.low <= found.mean <= found.high


def test_one_run_has_a_mean_and_none_has_nothing() -> None:
    assert summary([42.0]) == Summary(mean=42.0)
    assert summary([]) == Summary()
