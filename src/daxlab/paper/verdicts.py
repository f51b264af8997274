"""When a figure of ours agrees with the paper's. The one place that decides it.

What the paper states allows some means and not others: a number allows itself, "less than 1.5" all below it, "at
least 95" itself and all above. Ours is `within` if one of the allowed means lies in the 95% interval around ours for
the difference of two means: of our n runs, and of the paper's m (5 where it does not say; 1 in Experiment 4), both with
the spread s of our runs, because the paper gives no other. Its half is t(n - 1) · s · √(1/n + 1/m), Student's t from
scipy. Else ours is `beyond`. So:

- Nothing is rounded: 99.7 in the paper is 99.7, "about 5" is 5. Runs without spread are `within` only if their mean is
  one that the paper allows. Where n is small or s is wide the interval is wide, and `within` says little: look at it.
- A mean on the wrong side of a bound, by less than the interval's half, is `within`; the row's note says so.
- "Worse without over-sampling" is about a difference of ours alone: with minus without, seed by seed, is more than 0
  (m = ∞). Where its interval has 0 in it no difference can be told, so it is `shown`.
- A range over architectures has two ends. Each is held against ours with the spread of the runs of the architecture
  that is our end, and both must be within.
- What the paper says of several networks or splits at once is `within` only if it is for each of them, and `beyond` as
  soon as it is for one.
- A count with no chance in it (how many parts of the release's own draw are unseen) is `within` if it is the same.
- `shown`: a table or a list; what is counted in one run (the median one); a figure that the paper lacks; anything that
  was run only once, because it has no spread.
- `unmeasured`: the ledger has no runs for it, or not for all that it is about.
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
