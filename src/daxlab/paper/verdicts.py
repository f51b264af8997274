"""When a figure that we measured agrees with the paper's. Declared before any result was seen; only this file decides.

Of a figure that is a mean over runs:

- `agrees`: the 95% interval of our mean lies within the tolerance around what the paper states. The tolerance is five
  points, or a factor of three in odds where that is narrower: 0.08% is not 5%, and 99.8% is not 95%. Of a bound, the
  allowed side is within the tolerance too.
- `differs`: chance does not explain the difference. The 95% interval for the difference of two means excludes zero; the
  paper's is the mean of a few runs (five if it does not say, one in Experiment 4) that are as alike as ours. Of a
  bound, the interval of our mean excludes the allowed side. All figures are tested together, by Holm's method.
- `undecided`: neither. `needed` says how many runs would decide it if they were like those that we have; None: no
  number of ours would, because the paper's runs are too few.

Intervals are those of analysis/intervals.py; of what is no share of anything (BLEU), Student's t.

A count without chance in it agrees if it is the same. A statement about several networks or splits agrees if it does
for all of them, and differs if it does for any. `shown`: a table, a list, a figure that the paper lacks, a single run.
`unmeasured`: the ledger lacks some of the runs that the figure is about.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log, sqrt
from typing import Literal

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, t as student

from daxlab.analysis import intervals

Verdict = Literal["agrees", "differs", "undecided", "shown", "unmeasured"]

POINTS, ODDS = 5.0, 3.0  # the tolerance
LEVEL = 1 - intervals.CONFIDENCE
REACH = float(norm.ppf(1 - LEVEL / 2))  # standard errors that an interval of a large sample reaches to each side
FAR = float(norm.ppf(1 - LEVEL / 2 / 40))  # the same for the first of forty figures that are tested together
MOST_RUNS = 10_000  # that `needed` says


@dataclass(frozen=True)
class Scale:
    """What a run's value is: so many of `of`, from so many questions; `points` is the tolerance."""

    of: float = 100.0
    questions: int = intervals.RESOLUTION
    points: float = POINTS


@dataclass(frozen=True)
class Judgement:
    """Our runs against a figure of the paper. Differences are ours minus the paper's."""

    low: float  # the 95% interval of our mean
    high: float
    difference: float
    difference_low: float  # its 95% interval; of a bound, our interval minus the bound
    difference_high: float
    tolerance: tuple[float, float]  # the values that count as agreement
    p: float  # how probable so large a difference is, or a mean that keeps the bound
    power: float  # the probability of telling a true difference as large as the tolerance
    needed: int | None  # how many runs would decide it

    @property
    def within(self) -> bool:
        """Whether our whole interval lies within the tolerance."""
        return self.tolerance[0] <= self.low and self.high <= self.tolerance[1]


def judge(
    values: Sequence[float], figure: float, relation: str | None, paper_runs: int | None, scale: Scale | None
) -> Judgement:
    """Runs against a number, the mean of so many runs (None: it is exact), or against a bound, which has a relation.

    `scale`: None if the values are no share of anything.
    """
    others = 1 / paper_runs if paper_runs and relation is None else 0.0
    measured = _numbers(values, figure, others) if scale is None else _shares(values, figure, others, scale)
    tolerance = _tolerance(figure, relation, scale or Scale())
    ours, apart, spread, below = measured
    p = {None: 2 * min(below, 1 - below), "less than": below}.get(relation, 1 - below)
    least = min(abs(end - figure) for end in tolerance if abs(end - figure) < inf)
    error = max(spread * sqrt(1 / len(values) + others), 1e-9)
    power = float(norm.cdf(least / error - REACH))
    mean = float(np.mean(values))
    enough = _enough(mean, figure, relation, tolerance, spread, others)
    needed = None if enough > MOST_RUNS else max(len(values) + 1, ceil(enough))
    return Judgement(*ours, mean - figure, *apart, tolerance, p, power, needed)


Measured = tuple[tuple[float, float], tuple[float, float], float, float]


def _shares(values: Sequence[float], figure: float, others: float, scale: Scale) -> Measured:
    """The intervals of our mean and of the difference, the spread of runs, the probability that our mean is smaller."""
    unit = 100 / scale.of
    runs = intervals.posterior([value * unit for value in values], scale.questions)
    ours = intervals.interval(runs)
    if others:
        pairs = intervals.with_stated(runs, figure * unit, round(1 / others))
        apart, below = intervals.difference(pairs), 1 - intervals.greater(pairs)
    else:
        apart, below = (ours[0] - figure * unit, ours[1] - figure * unit), intervals.below(runs, figure * unit)
    return _scaled(ours, unit), _scaled(apart, unit), intervals.spread(runs) / unit, below


def _scaled(ends: tuple[float, float], unit: float) -> tuple[float, float]:
    return ends[0] / unit, ends[1] / unit


def _numbers(values: Sequence[float], figure: float, others: float) -> Measured:
    """The same by Student's t."""
    mean, spread, count = float(np.mean(values)), float(np.std(values, ddof=1)), len(values)
    error = max(spread * sqrt(1 / count + others), 1e-9)
    reach = float(student.ppf(1 - LEVEL / 2, count - 1))
    half, apart = reach * spread / sqrt(count), reach * error
    difference = mean - figure
    below = float(student.cdf(-difference / error, count - 1))
    return (mean - half, mean + half), (difference - apart, difference + apart), spread, below


def _tolerance(figure: float, relation: str | None, scale: Scale) -> tuple[float, float]:
    """The values that count as agreement with a figure."""
    low, high = figure - scale.points, figure + scale.points
    if 0 < figure < scale.of:
        odds = [scale.of * float(expit(logit(figure / scale.of) + sign * log(ODDS))) for sign in (-1, 1)]
        low, high = max(low, odds[0]), min(high, odds[1])
    return (-inf if relation == "less than" else low), (inf if relation in ("more than", "at least") else high)


def _enough(
    mean: float, figure: float, relation: str | None, tolerance: tuple[float, float], spread: float, others: float
) -> float:
    """How many runs would decide a figure, if their mean and spread stay as they are."""
    room = min(mean - tolerance[0], tolerance[1] - mean)
    to_agree = (REACH * spread / room) ** 2 if room > 0 else inf
    wrong_side = {None: True, "less than": mean > figure}.get(relation, mean < figure)
    excess = (abs(mean - figure) / (FAR * spread)) ** 2 - others if spread and wrong_side else 0.0
    return min(to_agree, 1 / excess if excess > 0 else inf)


def decide(judgements: Sequence[Judgement]) -> list[Verdict]:
    """The verdicts on all rows of a table. Those that do not agree are tested together, by Holm's method."""
    verdicts: list[Verdict] = ["agrees" if judged.within else "undecided" for judged in judgements]
    ascending = sorted(range(len(judgements)), key=lambda n: judgements[n].p)
    for place, n in enumerate(ascending):
        if judgements[n].p > LEVEL / (len(judgements) - place):
            break
        if verdicts[n] == "undecided":
            verdicts[n] = "differs"
    return verdicts


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Of a statement about several things: one that differs decides, and none may be missing."""
    every = set(verdicts) or {"unmeasured"}
    order: tuple[Verdict, ...] = ("differs", "unmeasured", "undecided", "shown", "agrees")
    return next(verdict for verdict in order if verdict in every)
