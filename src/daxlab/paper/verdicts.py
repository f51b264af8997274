"""When a figure that we measured agrees with the paper's. Only this file decides.

The tolerance was declared once, for all figures; earlier results were known then, and no figure has one of its own.

Of a figure that is a mean over runs:

- `agrees`: the 95% interval of our mean lies within the tolerance around what the paper states. The tolerance is five
  points, or a factor of three in odds where that is narrower: 0.08% is not 5%, and 99.8% is not 95%. Of a count it is
  one, of BLEU two points. Of a bound, the allowed side is within the tolerance too.
- `differs`: chance does not explain the difference. The 95% interval for the difference of two means excludes zero; the
  paper's is the mean of a few runs (five if it does not say, one in Experiment 4) that are as alike as ours, unless
  their spread is stated. Of a bound, one side is tested: that our mean keeps it is less probable than 5%. All figures
  are tested together, by Holm's method.
- `undecided`: neither. `needed` says how many runs would decide it: our own several times over. None: not even
  hundreds, often because the paper's runs are too few.

Where the paper says that one thing is worse than another, both are ours: it agrees if the 95% interval for their
difference lies below zero.

The paper's best of 180 networks is compared with the best of our own search. The best of many means is too high, in the
paper as here, and by chance more or less so: both searches are resampled, run by run within each architecture, and the
difference of two such maxima says what chance explains.

Intervals are those of analysis/intervals.py; of what is no share of anything (BLEU), Student's t.

A count without chance in it agrees if it is the same. A statement about several networks or splits agrees if it does
for all of them, and differs if it does for any. `shown`: a table, a list, a range, a figure that the paper lacks, a
single run. `unmeasured`: the ledger lacks some of the runs that the figure is about.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import hypot, inf, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri, stdtr, stdtrit

from daxlab.analysis import intervals

Verdict = Literal["agrees", "differs", "undecided", "shown", "unmeasured"]
Ends = tuple[float, float]
Floats = NDArray[np.float64]

POINTS, ODDS = 5.0, 3.0  # the tolerance
RESAMPLES = 4000  # of a search
LEVEL = 1 - intervals.CONFIDENCE
REACH = float(ndtri(1 - LEVEL / 2))  # standard errors that an interval of a large sample reaches to each side
TIMES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # how often `needed` repeats our runs


@dataclass(frozen=True)
class Scale:
    """What a run's value is: so many of `of`, from so many questions; `points` is the tolerance."""

    of: float | None = 100.0  # None: no share of anything
    questions: int = intervals.RESOLUTION
    points: float = POINTS

    @classmethod
    def count(cls, of: int) -> "Scale":
        """So many of some questions."""
        return cls(of, of, 1.0)


@dataclass(frozen=True)
class Judgement:
    """Our runs against a figure of the paper. Differences are ours minus the paper's."""

    difference: float
    difference_low: float  # its 95% interval; of a bound, our interval minus the bound
    difference_high: float
    tolerance: Ends | None  # the values that count as agreement
    within: bool  # whether our whole interval lies within the tolerance
    p: float  # how probable so large a difference is, or a mean that keeps the bound
    power: float  # the probability of telling a true difference as large as the tolerance


def interval(values: Sequence[float], scale: Scale) -> Ends:
    """The 95% interval of the mean of runs."""
    if scale.of is None:
        return intervals.student(values)
    low, high = intervals.of_accuracies([100 * value / scale.of for value in values], scale.questions)
    return low * scale.of / 100, high * scale.of / 100


def judge(
    values: Sequence[float],
    figure: float,
    relation: str | None,
    paper_runs: int | None,
    scale: Scale,
    deviation: float | None = None,
) -> Judgement:
    """Runs against a number, the mean of so many runs (None: it is exact), or against a bound, which has a relation.

    `deviation`: the standard deviation of the paper's runs, of a share; None: they are as alike as ours.
    """
    others = 1 / paper_runs if paper_runs and relation is None else 0.0
    compared = (
        _numbers(values, figure, others) if scale.of is None else _shares(values, figure, others, scale, deviation)
    )
    difference_low, difference_high, spread, below = compared
    error = hypot(spread / sqrt(len(values)), (spread if deviation is None else deviation) * sqrt(others))
    (least, most), (low, high) = _tolerance(figure, relation, scale), interval(values, scale)
    return Judgement(
        float(np.mean(values)) - figure,
        difference_low,
        difference_high,
        tolerance=(least, most),
        within=least <= low and high <= most,
        p={None: 2 * min(below, 1 - below), "less than": below}.get(relation, 1 - below),
        power=_power(min(figure - least, most - figure), error),
    )


def contrast(accuracies: Sequence[float], others: Sequence[float]) -> Judgement:
    """Runs that the paper says are worse than other runs; both are ours."""
    runs, rivals = intervals.posterior(accuracies), intervals.posterior(others)
    pairs = intervals.with_others(runs, rivals)
    low, high = intervals.difference(pairs)
    error = hypot(intervals.spread(runs) / sqrt(len(accuracies)), intervals.spread(rivals) / sqrt(len(others)))
    return Judgement(
        float(np.mean(accuracies) - np.mean(others)),
        low,
        high,
        tolerance=None,
        within=high < 0,
        p=2 * (1 - intervals.greater(pairs)),
        power=_power(POINTS, error),
    )


def judge_best(searched: Sequence[Sequence[float]], figure: float, paper_runs: int) -> Judgement:
    """The best mean of a search against the best of the paper's, whose means were over so many runs."""
    best, (low, high) = _best(searched), best_interval(searched)
    chance = _best_by_chance(searched, 0) - _best_by_chance(searched, 1, paper_runs)
    chance -= chance.mean()
    below, above = np.quantile(chance, [LEVEL / 2, 1 - LEVEL / 2])
    least, most = _tolerance(figure, None, Scale())
    return Judgement(
        best - figure,
        float(max(best - figure + below, -100)),
        float(min(best - figure + above, 100)),
        tolerance=(least, most),
        within=least <= low and high <= most,
        p=float((1 + (np.abs(chance) >= abs(best - figure)).sum()) / (1 + len(chance))),
        power=_power(min(figure - least, most - figure), float(chance.std())),
    )


def best_interval(searched: Sequence[Sequence[float]]) -> Ends:
    """The 95% interval of the best mean of a search."""
    chance = _best_by_chance(searched, 0)
    ends = np.quantile(chance, [LEVEL / 2, 1 - LEVEL / 2]) - chance.mean()
    low, high = np.clip(_best(searched) + ends, 0, 100)
    return float(low), float(high)


def _best(searched: Sequence[Sequence[float]]) -> float:
    return max(float(np.mean(runs)) for runs in searched)


def _best_by_chance(searched: Sequence[Sequence[float]], seed: int, count: int | None = None) -> Floats:
    """The best mean of each of many resampled searches, of `count` runs of each architecture (by default its own).

    Deviations of n runs from their mean are stretched by n / (n - 1) in variance, because n runs show less spread than
    there is.
    """
    draw, best = np.random.default_rng(seed), np.zeros(RESAMPLES)
    for runs in searched:
        mean, n = np.mean(runs), len(runs)
        spread = (np.asarray(runs) - mean) * sqrt(n / max(n - 1, 1))
        best = np.maximum(best, mean + draw.choice(spread, (RESAMPLES, count or n)).mean(axis=1))
    return np.minimum(best, 100)


Compared = tuple[float, float, float, float]


def _shares(values: Sequence[float], figure: float, others: float, scale: Scale, deviation: float | None) -> Compared:
    """The interval of the difference (low, high), the spread of runs, the probability that our mean is smaller."""
    assert scale.of
    unit = 100 / scale.of
    runs = intervals.posterior([value * unit for value in values], scale.questions)
    if others:
        stated = None if deviation is None else deviation * unit
        pairs = intervals.with_stated(runs, figure * unit, round(1 / others), scale.questions, stated)
        (low, high), below = intervals.difference(pairs), 1 - intervals.greater(pairs)
    else:
        low, high = (end - figure * unit for end in intervals.interval(runs))
        below = intervals.below(runs, figure * unit)
    return low / unit, high / unit, intervals.spread(runs, scale.questions) / unit, below


def _numbers(values: Sequence[float], figure: float, others: float) -> Compared:
    """The same by Student's t."""
    difference, spread, freedom = float(np.mean(values)) - figure, float(np.std(values, ddof=1)), len(values) - 1
    error = max(spread * sqrt(1 / len(values) + others), 1e-9)
    half = float(stdtrit(freedom, 1 - LEVEL / 2)) * error
    return difference - half, difference + half, spread, float(stdtr(freedom, -difference / error))


def _tolerance(figure: float, relation: str | None, scale: Scale) -> Ends:
    """The values that count as agreement with a figure."""
    low, high = figure - scale.points, figure + scale.points
    if scale.of and 0 < figure < scale.of:
        odds = [scale.of * float(expit(logit(figure / scale.of) + sign * log(ODDS))) for sign in (-1, 1)]
        low, high = max(low, odds[0]), min(high, odds[1])
    return (-inf if relation == "less than" else low), (inf if relation in ("more than", "at least") else high)


def _power(least: float, error: float) -> float:
    """The probability that an interval excludes zero, if the true difference is so large."""
    return float(ndtr(least / max(error, 1e-9) - REACH))


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


def needed(judged_of: Callable[[int], Judgement], figures: int) -> int | None:
    """How often our runs would have to be there to decide a figure, as the first of so many that are tested together.

    `judged_of`: the judgement on our runs so many times over. None: more often than is practical.
    """

    def decided(times: int) -> bool:
        judged = judged_of(times)
        return judged.within or judged.p <= LEVEL / figures

    return TIMES[bisect_left(TIMES, True, key=decided)] if decided(TIMES[-1]) else None


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Of a statement about several things: one that differs decides, and none may be missing."""
    every = set(verdicts) or {"unmeasured"}
    order: tuple[Verdict, ...] = ("differs", "unmeasured", "undecided", "shown", "agrees")
    return next(verdict for verdict in order if verdict in every)
