"""Intervals of a mean accuracy: they stay between 0 and 100, and hold the truth as often as they say."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import trapezoid
from scipy.stats import betabinom, mannwhitneyu

from daxlab.analysis.intervals import better, difference, greater, interval, posterior, with_others, with_stated
from daxlab.ledger import Ledger

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
TEST_COMMANDS = {"turn-left": 1208, "jump": 7706}
accuracies = st.lists(st.floats(0, 100), min_size=1, max_size=8)


def sixty_four(split: str) -> np.ndarray:
    """The runs of the paper's overall best network on a split: enough to stand for the truth."""
    with Ledger(RESULTS) as ledger:
        return np.array([row["accuracy"] for row in ledger.rows({"label": "LSTM 2x200, dropout 0.5", "split": split})])


@given(accuracies)
def test_an_interval_stays_between_0_and_100(runs: list[float]) -> None:
    low, high = interval(posterior(runs))
    assert 0 <= low < high <= 100


@given(accuracies)
def test_wrong_answers_are_the_mirror_of_right_ones(runs: list[float]) -> None:
    low, high = interval(posterior(runs, 1000))
    mirrored = interval(posterior([100 - run for run in runs], 1000))
    assert (100 - high, 100 - low) == pytest.approx(mirrored, abs=0.2)  # half answers are rounded to even numbers


@given(accuracies, accuracies)
def test_one_of_two_means_is_greater(runs: list[float], others: list[float]) -> None:
    pairs = with_others(posterior(runs), posterior(others))
    assert greater(pairs) + greater(pairs.T) == pytest.approx(1)
    low, high = difference(pairs)
    assert -100 <= low < high <= 100


@given(accuracies, accuracies)
def test_a_run_is_better_as_often_as_mann_and_whitney_count(runs: list[float], others: list[float]) -> None:
    share, low, high = better(runs, others)
    assert share == pytest.approx(mannwhitneyu(runs, others).statistic / (len(runs) * len(others)))
    assert 0 <= low <= share <= high <= 1 and low < high


def test_the_posterior_is_that_of_a_plain_integration() -> None:
    runs, commands = [93.0, 71.0, 88.0], 100
    means = np.linspace(0, 1, 2001)[1:-1]
    logs = np.linspace(np.log(2), np.log(1e5), 400)
    precisions = np.exp(logs)
    shapes = means[:, None] * precisions, (1 - means)[:, None] * precisions
    likelihood = np.prod([betabinom.pmf(run, commands, *shapes) for run in runs], axis=0)
    density = trapezoid(likelihood, logs, axis=1) * (means * (1 - means)) ** -0.75  # the prior, Beta(¼, ¼)
    below = np.cumsum(density) / density.sum()
    expected = [100 * np.interp(share, below, means) for share in (0.025, 0.975)]
    assert interval(posterior(runs, commands)) == pytest.approx(expected, abs=0.3)


@pytest.mark.parametrize("split", TEST_COMMANDS)
@pytest.mark.parametrize("runs", [5, 10, 20])
def test_intervals_of_real_runs_hold_the_mean_as_often_as_they_say(split: str, runs: int) -> None:
    every = sixty_four(split)
    draw = np.random.default_rng(runs)
    held = []
    for _ in range(1000):
        low, high = interval(posterior(draw.choice(every, runs), TEST_COMMANDS[split]))
        held.append(low <= every.mean() <= high)
    assert 0.93 <= np.mean(held) <= 0.97


@pytest.mark.parametrize("split", TEST_COMMANDS)
def test_two_samples_of_the_same_runs_seldom_differ(split: str) -> None:
    """One of them is only known by its mean, as the paper's figures are."""
    every = sixty_four(split)
    draw = np.random.default_rng(0)
    differs = 0
    for _ in range(300):
        runs = posterior(draw.choice(every, 10), TEST_COMMANDS[split])
        probability = greater(with_stated(runs, draw.choice(every, 5).mean(), 5))
        differs += min(probability, 1 - probability) < 0.025
    assert differs / 300 < 0.07
