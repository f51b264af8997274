"""The paper's figures beside ours: a row for every id of targets.json, and for what else the experiments measure.

What is measured is in measures.py, when it agrees in verdicts.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import Any

from daxlab.analysis.replicates import summary
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.paper.experiments import BEST, EXPERIMENTS
from daxlab.paper.measures import CATALOGUE, OURS
from daxlab.paper.runs import Draw, Measurement, Runs
from daxlab.paper.targets import Target, targets
from daxlab.paper.verdicts import (
    Judgement,
    Verdict,
    best_interval,
    contrast,
    decide,
    interval,
    judge,
    judge_best,
    needed,
    together,
)
from daxlab.protocol import Protocol

JUDGED = ("difference", "difference_low", "difference_high", "tolerance", "power")
PART = ("network", "split", "mean", "sem", "low", "high", "runs", "verdict", *JUDGED, "needed", "note")  # of several


@dataclass(frozen=True)
class Row:
    """A figure of the paper, and ours."""

    id: str
    paper: Any  # a number (a bound, where there is a relation), a range, a table, or words; None: it states none
    mean: float | None
    sem: float | None
    low: float | None  # the 95% interval of our mean
    high: float | None
    runs: list[float]  # every run's value
    verdict: Verdict
    difference: float | None = None  # of our mean from the paper's figure or bound
    difference_low: float | None = None  # its 95% interval
    difference_high: float | None = None
    tolerance: tuple[float | None, float | None] | None = None  # the values that count as agreement; None: no end
    needed: int | None = None  # how many runs would decide what is undecided; None: no practical number
    power: float | None = None  # the probability of telling a true difference as large as the tolerance
    relation: str | None = None
    approx: bool = False  # the paper says "about"
    unit: str | None = None
    experiment: str | None = None
    network: str | None = None
    split: str | None = None
    draw: Draw | None = None  # of a random split: the release's or our own
    selected: bool = False  # a network that the paper chose as the best of 180, so that its figure regresses
    searched: bool = False  # the best of our own search; its interval is that of the best of so many means
    stated: str = ""  # the paper's figure as text
    shown: str = ""  # ours as text
    ours: Any = None  # what is no mean of runs
    parts: list[dict[str, Any]] = field(default_factory=list)  # where a figure is about several networks or splits
    note: str = ""


def compare(ledger: Ledger, experiments: Sequence[str] | None = None, protocol: Protocol | None = None) -> list[Row]:
    """A row for every figure of the paper, then for those that it lacks (ids that begin with "ours.").

    `experiments`: only the figures that need runs of these. `protocol`: of the runs; the default is the paper's.
    """
    runs = Runs(ledger, protocol or Protocol())
    extra = [Target(name, "", unit="the paper states no figure") for name in CATALOGUE if name.startswith(OURS)]
    figures = [
        target
        for target in (*targets(), *extra)
        if experiments is None or set(CATALOGUE[target.id][0]) & set(experiments)
    ]
    measured = [(target, measurement) for target in figures for measurement in _measurements(target, runs)]
    judgements = [_judgement(target, measurement) for target, measurement in measured]
    tested = [judged for judged in judgements if judged]
    verdicts = iter(decide(tested))
    rows: dict[str, list[Row]] = {}
    for (target, measurement), judged in zip(measured, judgements, strict=True):
        verdict = next(verdicts) if judged else _untested(target, measurement)
        row = _row(target, measurement, judged, verdict)
        if verdict == "undecided" and not measurement.searched:  # a search is not decided by more runs of its best
            row = replace(row, needed=_needed(target, measurement, len(tested)))
        rows.setdefault(target.id, []).append(row)
    return [_together(target, rows[target.id]) for target in figures]


def experiments_of(ids: Sequence[str]) -> list[str]:
    """The experiments whose runs these figures need, in the paper's order."""
    every = {experiment for name in ids for experiment in CATALOGUE[name][0]}
    return [experiment for experiment in EXPERIMENTS if experiment in every]


def cells(row: Row) -> dict[str, str]:
    """A row as plain text, by column: for the terminal, a page or a document."""
    spread = row.ours is None and row.sem is not None  # what is shown as it is has no standard error
    chosen, drawn = row.selected and row.paper is not None, row.draw == "own" and row.verdict != "unmeasured"
    return {
        "figure": row.experiment or row.id,
        "network": f"best of our search: {row.network}" if row.searched else row.network or "",
        "marks": "†" * chosen + "‡" * drawn,
        "paper": row.stated,
        "ours": row.shown or "–",
        "sem": f"{row.sem:.2f}" if spread else "",
        "interval": _ends(row.low, row.high) if spread else "",
        "difference": "" if row.difference is None else _ends(row.difference_low, row.difference_high),
        "verdict": row.verdict,
        "needed": str(row.needed or "–") if row.verdict == "undecided" else "",
        "power": "" if row.power is None else f"{row.power:.2f}",
        "runs": " ".join(f"{value:.{0 if value == int(value) else 2}f}" for value in row.runs),
    }


def _ends(*ends: float | None) -> str:
    return " to ".join(f"{round(end or 0, 2) + 0:.2f}" for end in ends)  # no -0.00


def _measurements(target: Target, runs: Runs) -> Sequence[Measurement]:
    """One for each network and split that a figure is about."""
    try:
        return CATALOGUE[target.id][1](runs)
    except InputError as error:  # the ledger lacks what it takes, answers for example
        return [Measurement(note=str(error))]


def _judgement(target: Target, measured: Measurement) -> Judgement | None:
    """A mean of runs against what the paper states; None if there is nothing to test."""
    if len(measured.runs) < 2 or measured.ours is not None:
        return None
    if measured.rivals:
        return contrast(measured.runs, measured.rivals)
    if target.value is None:
        return None
    if measured.searched:
        return judge_best(measured.searched, target.value, target.averaged)
    return judge(measured.runs, target.value, target.relation, target.averaged, measured.scale)


def _needed(target: Target, measured: Measurement, figures: int) -> int | None:
    """How many runs would decide what is undecided."""

    def judged_of(times: int) -> Judgement:
        judged = _judgement(target, replace(measured, runs=measured.runs * times, rivals=measured.rivals * times))
        assert judged
        return judged

    times = needed(judged_of, figures)
    return times and times * len(measured.runs)


def _untested(target: Target, measured: Measurement) -> Verdict:
    if measured.count is not None and measured.draw == "release":
        return "agrees" if measured.count == target.value else "differs"
    return "shown" if measured.runs or measured.ours is not None else "unmeasured"


def _row(target: Target, measured: Measurement, judged: Judgement | None, verdict: Verdict) -> Row:
    """One measurement beside the paper's figure."""
    numbers = summary(measured.runs, partial(_interval, measured))
    if measured.count is not None:
        numbers["mean"] = float(measured.count)
    if judged:
        numbers |= {name: getattr(judged, name) for name in JUDGED}
        if judged.tolerance:
            numbers["tolerance"] = tuple(end if isfinite(end) else None for end in judged.tolerance)
        else:  # it says which of two is better, and there is no tolerance to tell
            numbers["power"] = None
    return Row(
        id=target.id,
        paper=target.figure,
        **numbers,
        runs=list(measured.runs),
        verdict=verdict,
        relation=target.relation,
        approx=target.approx,
        unit=target.unit,
        experiment=target.experiment or None,
        network=measured.network or None,
        split=measured.split or None,
        draw=measured.draw,
        selected=measured.network in BEST.values(),
        searched=bool(measured.searched),
        stated=str(target),
        shown=measured.shown or ("" if numbers["mean"] is None else f"{numbers['mean']:.2f}"),
        ours=measured.ours,
        note=measured.note,
    )


def _interval(measured: Measurement, values: Sequence[float]) -> tuple[float, float]:
    return best_interval(measured.searched) if measured.searched else interval(values, measured.scale)


def _together(target: Target, rows: Sequence[Row]) -> Row:
    """The row of a figure. Where it has several measurements, the numbers are of the one furthest from the paper."""
    worst = max(rows, key=lambda row: (row.verdict == "differs", row.verdict == "undecided", _against(row)))
    whole: dict[str, Any] = {"network": worst.network if worst.searched else target.network or worst.network}
    whole["note"] = "; ".join(dict.fromkeys(_notes(target, rows, worst)))
    if len(rows) > 1:
        whole |= {"verdict": together(row.verdict for row in rows), "selected": any(row.selected for row in rows)}
        whole["parts"] = [{name: getattr(row, name) for name in PART} for row in rows]
    return replace(worst, **whole)


def _against(row: Row) -> float:
    """How far our mean goes against what the paper states; without a difference, less than any other."""
    if row.difference is None:
        return float("-inf")
    against = {None: abs(row.difference), "more than": -row.difference, "at least": -row.difference}
    return against.get(row.relation, row.difference)


def _notes(target: Target, rows: Sequence[Row], worst: Row) -> Iterator[str]:
    """What a reader must know to read the row."""
    if len(rows) > 1 and worst.runs:
        yield f"the furthest of {len(rows)}: {worst.network} on {worst.split}"
    lacking = [f"{row.network} on {row.split}" for row in rows if row.verdict == "unmeasured"]
    if len(rows) > 1 and lacking:
        yield f"no runs of {', '.join(lacking)}"
    for row in rows:
        if row.note and (row is worst or target.value is None):  # then each has a claim of its own
            yield row.note
    if len(worst.runs) == 1 and worst.ours is None and target.figure is not None:
        yield "one run has no spread, so no verdict"
