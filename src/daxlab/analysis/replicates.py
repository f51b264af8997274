"""What replicates say together: mean, standard error, and a 95% interval (Student's t over runs)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import fsum, sqrt
from statistics import fmean
from typing import Any

CONFIDENCE = 0.95
COLUMNS: dict[str, Any] = {"runs": int, "mean": float, "sem": float, "low": float, "high": float}
COLUMNS |= {"accuracies": list[float]}  # of every run, by seed


@dataclass(frozen=True)
class Summary:
    """Of some runs' accuracies. One run has a mean and no more; none has nothing."""

    mean: float | None = None
    sem: float | None = None
    low: float | None = None
    high: float | None = None


def summary(values: Sequence[float]) -> Summary:
    """The mean, its standard error, and the interval that holds it."""
    if len(values) < 2:
        return Summary(*values)
    mean = fmean(values)
    sem = sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    half = student(len(values) - 1) * sem
    return Summary(mean, sem, mean - half, mean + half)


@cache
def student(freedom: int) -> float:
    """How many standard errors the 95% interval reaches to each side, by degrees of freedom."""
    from scipy.special import stdtrit  # slow to load, though a third of scipy.stats

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def entries(accuracies: Sequence[float]) -> dict[str, Any]:
    """The columns of a frame that say it (COLUMNS)."""
    return {"runs": len(accuracies), **asdict(summary(accuracies)), "accuracies": list(accuracies)}
