"""What replicates say together: mean, standard error, and a 95% interval (Student's t over runs)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean, stdev
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
    from scipy.stats import t  # noqa: PLC0415 - slow to load

    mean, sem = fmean(values), stdev(values) / sqrt(len(values))
    half = float(t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * sem
    return Summary(mean, sem, mean - half, mean + half)


def entries(accuracies: Sequence[float]) -> dict[str, Any]:
    """The columns of a frame that say it (COLUMNS)."""
    return {"runs": len(accuracies), **asdict(summary(accuracies)), "accuracies": list(accuracies)}
