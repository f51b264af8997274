"""When a figure that we measured agrees with the paper's. Only this module decides it.

What the paper states allows some means: a number allows itself, "less than 1.5" all below it, "at least 95" itself and
all above. Our mean is `within` if an allowed mean lies in the 95% interval for the difference of two means: of our n
runs and the paper's m (5 if it does not say; 1 in Experiment 4), both with the spread s of our runs, because the paper
gives none. Half of the interval is t(n - 1) · s · √(1/n + 1/m), with Student's t. Otherwise it is `beyond`.

- Nothing is rounded: 99.7 is 99.7, "about 5" is 5. Runs without spread are `within` only if the paper allows their
  mean. If n is small or s is large, the interval is wide and `within` says little.
- A mean on the wrong side of a bound by less than half the interval is `within`, and the row's note says so.
- "Worse without over-sampling" is about a difference between our own runs: with minus without, seed by seed, is more
  than 0 (m = ∞). If its interval contains 0, no difference can be told, and it is `shown`.
- A range over architectures has two ends. Each is compared with our end, with the spread of that architecture's runs.
- A statement about several networks or splits is `within` if it is for all of them, and `beyond` if it is for any.
- A count without chance in it (unseen parts of the release's own draw) is `within` if it is the same.
- `shown`: a table or a list; a count in the median run; a figure that the paper lacks; a single run.
- `unmeasured`: the ledger lacks some of the runs that the figure is about.
"""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from operator import eq, ge, gt, lt
from statistics import fmean, stdev
from typing import Literal

from daxlab.analysis.replicates import student

Verdict = Literal["within", "beyond", "shown", "unmeasured"]

ALLOWED: dict[str | None, Callable[[float, float], bool]] = {None: eq, "less than": lt, "more than": gt, "at least": ge}


def margin(values: Sequence[float], paper_runs: int | None) -> float | None:
    """Half the 95% interval for the difference of two means with our spread; None: the other one is no mean of runs."""
    if len(values) < 2:
        return None
    spread = stdev(values) * sqrt(1 / len(values) + (1 / paper_runs if paper_runs else 0))
    return student(len(values) - 1) * spread


def allowed(mean: float, value: float, relation: str | None = None) -> bool:
    """Whether a mean, taken as it is, is one that the paper's statement allows."""
    return ALLOWED[relation](mean, value)


def verdict(
    values: Sequence[float], value: float, relation: str | None = None, paper_runs: int | None = None
) -> Verdict:
    """Of our runs against a number or a bound."""
    if not values:
        return "unmeasured"
    room = margin(values, paper_runs)
    if room is None:
        return "shown"
    mean = fmean(values)
    near = room > 0 and abs(mean - value) <= room
    if near and relation and not paper_runs:
        return "shown"
    return "within" if allowed(mean, value, relation) or near else "beyond"


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Of a statement about several things: one that is beyond decides, and none may be missing."""
    every = set(verdicts) or {"unmeasured"}
    order: tuple[Verdict, ...] = ("beyond", "unmeasured", "shown", "within")
    return next(verdict for verdict in order if verdict in every)
