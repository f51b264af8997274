"""What some runs say of the mean accuracy behind them, on a scale where an accuracy cannot leave 0 to 100.

A run gets each test command right with a probability of its own, which differs from run to run: its number of right
answers is beta-binomial, with a mean (what is asked for) and a precision (how alike runs are). The posterior of the two
is computed on a grid. Before any run is seen, the mean has the prior Beta(¼, ¼), because most networks are right nearly
always or nearly never, and the precision is as likely between 2 and 20 as between 2,000 and 20,000. A test resamples
real runs to show that 95% intervals of 5, 10 and 20 of them hold the mean of all in 93 to 97% of cases. Those of
Student's t do not, nor do those of Jeffreys' prior, Beta(½, ½), near 0, where accuracies are skewed.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln, gammaln, ndtri, stdtrit

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
RESOLUTION = 10_000  # test commands, where their number is not known: accuracies to a hundredth of a per cent
MEANS = betaincinv(0.25, 0.25, (np.arange(401) + 0.5) / 401)  # of the grid: equally likely by the prior
PRECISIONS = np.geomspace(2, 1e5, 21)
SHAPES = np.outer(MEANS, PRECISIONS), np.outer(1 - MEANS, PRECISIONS)  # of beta distributions [means, precisions]
ENDS = np.pad(np.ones(len(PRECISIONS) - 2), 1, constant_values=0.5)  # count half, by the trapezoidal rule
PRIOR = np.log(ENDS)  # of precisions; the grid has the prior of means in it
NORMS = betaln(*SHAPES)


def of_accuracies(accuracies: Sequence[float], commands: int = RESOLUTION) -> tuple[float, float]:
    """The 95% interval of the mean accuracy behind some runs, in per cent; it holds their own mean."""
    low, high = interval(posterior(accuracies, commands))
    mean = float(np.mean(accuracies))
    return min(low, mean), max(high, mean)


def student(values: Sequence[float]) -> tuple[float, float]:
    """The 95% interval of the mean of numbers that have no bounds (BLEU, ranks), by Student's t."""
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / sqrt(len(values))
    reach = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2))
    return mean - reach * error, mean + reach * error


def posterior(accuracies: Sequence[float], commands: int = RESOLUTION) -> Floats:
    """How probable each mean and precision is: [means, precisions], of accuracies in per cent of so many commands."""
    logs = sum((_likelihood(round(accuracy * commands / 100), commands) for accuracy in accuracies), PRIOR)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=4096)
def _likelihood(right: int, commands: int) -> Floats:
    """The log-likelihood of so many right answers, but for a constant: [means, precisions]."""
    a, b = SHAPES
    logs = gammaln(a + right) + gammaln(b + commands - right)  # less time than betaln takes
    return np.asarray(logs - gammaln(PRECISIONS + commands) - NORMS)


def interval(runs: Floats, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The equal-tailed interval of the mean accuracy, in per cent."""
    return _quantiles(100 * MEANS, runs.sum(axis=1), confidence)


def below(runs: Floats, accuracy: float) -> float:
    """The probability that the mean accuracy is below this one, in per cent."""
    means = runs.sum(axis=1)
    return float(np.interp(accuracy, 100 * MEANS, np.cumsum(means) - means / 2))


def spread(runs: Floats, commands: int = RESOLUTION) -> float:
    """The standard deviation of single runs around their mean, in points, as the posterior expects it."""
    variances = (1 + (commands - 1) / (PRECISIONS + 1)) / commands
    return float(100 * np.sqrt(np.sum(runs * np.outer(MEANS * (1 - MEANS), variances))))


def with_stated(
    runs: Floats, mean: float, count: int, commands: int = RESOLUTION, deviation: float | None = None
) -> Floats:
    """How probable each pair of means is, of our runs and of `count` others whose mean is stated: [ours, theirs].

    The others are as alike as their standard `deviation` says, in points; if it is not stated, they are taken to be as
    alike as ours. All their right answers together are nearly beta-binomial, with a precision that gives their mean its
    variance; of one run they are exactly so.
    """
    theirs = _stated(mean, count, commands)
    if deviation is None:
        return np.asarray(np.einsum("op,tp->ot", runs, theirs))  # threads of BLAS take longer
    place = np.interp(np.log(_precision(mean, deviation, commands)), np.log(PRECISIONS), np.arange(len(PRECISIONS)))
    below, share = int(place), place % 1
    above = min(below + 1, len(PRECISIONS) - 1)
    return np.outer(runs.sum(axis=1), (1 - share) * theirs[:, below] + share * theirs[:, above])


def _precision(mean: float, deviation: float, commands: int) -> float:
    """The precision of runs of this mean and standard deviation, within that of the grid."""
    variance, most = (deviation / 100) ** 2, mean / 100 * (1 - mean / 100)
    clustered = (variance * commands - most) / (most * (commands - 1)) if most else 0.0  # what chance does not explain
    return float(1 / np.clip(clustered, 1 / (PRECISIONS[-1] + 1), 1 / (PRECISIONS[0] + 1)) - 1)


@lru_cache(maxsize=64)
def _stated(mean: float, count: int, commands: int) -> Floats:
    """How probable each mean is of such runs, for each precision: [means, precisions]."""
    asked = count * commands
    grown = ((asked - 1) / (commands - 1) * (PRECISIONS + 1) - 1) / PRECISIONS
    a, b = (shape * grown for shape in SHAPES)
    right = round(mean * asked / 100)
    logs = PRIOR + betaln(a + right, b + asked - right) - betaln(a, b)
    theirs = np.exp(logs - logs.max(axis=0))
    return np.asarray(theirs / theirs.sum(axis=0))


def with_others(runs: Floats, others: Floats) -> Floats:
    """How probable each pair of means is, of two sets of runs: [ours, theirs]."""
    return np.outer(runs.sum(axis=1), others.sum(axis=1))


def difference(pairs: Floats, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The equal-tailed interval of the first mean minus the second, in points."""
    points, order = _differences()
    return _quantiles(points, pairs.ravel()[order], confidence)


@cache
def _differences() -> tuple[Floats, NDArray[np.intp]]:
    """All differences of two means in ascending order, and where each stands."""
    points = 100 * np.subtract.outer(MEANS, MEANS).ravel()
    order = np.argsort(points)
    return points[order], order


def greater(pairs: Floats) -> float:
    """The probability that the first mean is greater than the second; equal ones count half."""
    return float(np.tril(pairs, -1).sum() + np.trace(pairs) / 2)


def better(runs: Sequence[float], others: Sequence[float]) -> tuple[float, float, float]:
    """The probability that a run is better than another one, ties counting half, with its 95% interval.

    It is the share of pairs of runs in which that is so. The interval is Newcombe's (2006, Statistics in Medicine 25,
    559-573, method 5): the values from which this share departs by no more standard errors than 95% allow.
    """
    from scipy.optimize import brentq

    ahead = np.sign(np.subtract.outer(runs, others))
    share, each = float((1 + ahead.mean()) / 2), (len(runs) + len(others)) / 2 - 1
    reach, near = float(ndtri((1 + CONFIDENCE) / 2)), 1e-9  # at the share itself nothing departs

    def beyond(value: float) -> float:
        """How far the share departs from a value, beyond what 95% allow."""
        variance = value * (1 - value) * (1 + each * ((1 - value) / (2 - value) + value / (1 + value))) / ahead.size
        return abs(share - value) - reach * sqrt(variance)

    low = brentq(beyond, 0, share - near) if share > 0 else 0.0
    high = brentq(beyond, share + near, 1) if share < 1 else 1.0
    return share, float(low), float(high)


def _quantiles(values: Floats, weights: Floats, confidence: float) -> tuple[float, float]:
    """The ends between which values, in ascending order, lie with this probability."""
    centres = np.cumsum(weights) - weights / 2
    low, high = np.interp([(1 - confidence) / 2, (1 + confidence) / 2], centres, values)
    return float(low), float(high)
