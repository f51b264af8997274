"""The paper's figures beside ours: a row for every id of targets.json, and for what else the experiments measure.

What is measured is in measures.py, when it agrees in verdicts.py.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from daxlab.analysis.replicates import summary
from daxlab.errors import InputError
from daxlab.paper.experiments import BEST, EXPERIMENTS
from daxlab.paper.measures import CATALOGUE, OURS
from daxlab.paper.runs import Draw, Measure, Measurement, Runs
from daxlab.paper.targets import Target, targets
from daxlab.paper.verdicts import Verdict, allowed, margin, together, verdict
from daxlab.protocol import Protocol
from daxlab.runs import Ledger


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
    margin: float | None = None  # how far from the paper's mean ours may be and count as within
    relation: str | None = None
    approx: bool = False  # the paper says "about"
    unit: str | None = None
    experiment: str | None = None
    network: str | None = None
    split: str | None = None
    draw: Draw | None = None  # of a random split: the release's or our own
    misses: bool = False  # our mean is on the wrong side of a bound, though within
    selected: bool = False  # a network that the paper chose as the best of 180, so that its figure regresses
    stated: str = ""  # the paper's figure as text
    shown: str = ""  # ours as text
    ours: Any = None  # what is no mean of runs
    parts: list[dict[str, Any]] = field(default_factory=list)  # where a figure is about several networks or splits
    note: str = ""


def compare(ledger: Ledger, experiments: Sequence[str] | None = None, protocol: Protocol | None = None) -> list[Row]:
    """A row for every figure of the paper, then for those that it lacks (ids that begin with "ours.").

    `experiments`: only the figures that need runs of these. `protocol`: of the runs; the default is the paper's.
    """
    return compare_runs(Runs(ledger, protocol or Protocol()), experiments)


def compare_runs(runs: Runs, experiments: Sequence[str] | None = None) -> list[Row]:
    """The same, of runs that were selected already."""
    extra = [Target(name, "", unit="the paper states no figure") for name in CATALOGUE if name.startswith(OURS)]
    rows = []
    for target in (*targets(), *extra):
        needs, measure = CATALOGUE[target.id]
        if experiments is None or set(needs) & set(experiments):
            rows.append(_row(target, _measured(measure, runs)))
    return rows


def experiments_of(ids: Sequence[str]) -> list[str]:
    """The experiments whose runs these figures need, in the paper's order."""
    needed = {experiment for name in ids for experiment in CATALOGUE[name][0]}
    return [experiment for experiment in EXPERIMENTS if experiment in needed]


def cells(row: Row) -> dict[str, str]:
    """A row as plain text, by column: for the terminal, a page or a document."""
    spread = row.ours is None and row.sem is not None  # what is shown as it is has no standard error
    chosen, drawn = row.selected and row.paper is not None, row.draw == "own" and row.verdict != "unmeasured"
    return {
        "figure": row.experiment or row.id,
        "network": row.network or "",
        "marks": "†" * chosen + "‡" * drawn,
        "paper": row.stated,
        "ours": row.shown or "–",
        "sem": f"{row.sem:.2f}" if spread else "",
        "interval": f"{row.low:.2f} to {row.high:.2f}" if spread else "",
        "margin": "" if row.margin is None else f"{row.margin:.2f}",
        "verdict": row.verdict,
        "runs": " ".join(f"{value:.{0 if value == int(value) else 2}f}" for value in row.runs),
    }


def _measured(measure: Measure, runs: Runs) -> list[Measurement]:
    """The measurements; where the ledger lacks what they take (answers, say), an empty one that says so."""
    try:
        return measure(runs)
    except InputError as error:
        return [Measurement(note=str(error))]


@dataclass(frozen=True)
class _Judged:
    """A measurement with its verdict."""

    of: Measurement
    verdict: Verdict
    against: float = 0  # how far our mean goes against what the paper states
    margin: float | None = None
    wrong_side: bool = False  # of a bound, though within

    @property
    def name(self) -> str:
        return f"{self.of.network} on {self.of.split}"


def _judged(target: Target, measurement: Measurement) -> _Judged:
    value, relation, paper_runs = measurement.claim or (target.value, target.relation, target.averaged)
    runs = measurement.runs
    if measurement.count is not None:
        same: Verdict = "within" if measurement.count == target.value else "beyond"
        return _Judged(measurement, same if measurement.draw == "release" else "shown")
    if value is None or measurement.ours is not None:
        return _Judged(measurement, "shown" if runs or measurement.ours is not None else "unmeasured")
    if not runs:
        return _Judged(measurement, "unmeasured", against=float("-inf"))
    mean = fmean(runs)
    against = {"less than": mean - value, None: abs(mean - value)}.get(relation, value - mean)
    said = verdict(runs, value, relation, paper_runs)
    wrong_side = bool(relation) and said == "within" and not allowed(mean, value, relation)
    return _Judged(measurement, said, against, margin(runs, paper_runs), wrong_side)


def _row(target: Target, measurements: list[Measurement]) -> Row:
    """The row of a figure. Where it has several measurements, the numbers are of the one furthest from the paper."""
    judged = [_judged(target, measurement) for measurement in measurements]
    worst = max(judged, key=lambda one: (one.verdict == "beyond", one.against))
    shown = worst.of
    ends = [fmean(measurement.runs) for measurement in measurements] if target.range and shown.runs else None
    numbers = asdict(summary(shown.runs)) if not ends else dict.fromkeys(("mean", "sem", "low", "high"))
    if shown.count is not None:
        numbers["mean"] = float(shown.count)
    mean = [] if numbers["mean"] is None else [numbers["mean"]]
    return Row(
        id=target.id,
        paper=target.figure,
        **numbers,
        runs=ends or list(shown.runs),
        verdict=together(one.verdict for one in judged),
        margin=worst.margin,
        relation=target.relation,
        approx=target.approx,
        unit=target.unit,
        experiment=target.experiment or None,
        network=target.network if target.network and not target.id.startswith(OURS) else shown.network,
        split=shown.split,
        draw=shown.draw,
        misses=worst.wrong_side,
        selected=any(measurement.network in BEST.values() for measurement in measurements),
        stated=str(target),
        shown=shown.shown or " to ".join(f"{number:.2f}" for number in ends or mean),
        ours=ends or shown.ours,
        parts=[_part(one) for one in judged] if len(judged) > 1 else [],
        note=_note(target, judged, worst),
    )


def _part(judged: _Judged) -> dict[str, Any]:
    """A measurement as plain data."""
    return {
        "network": judged.of.network,
        "split": judged.of.split,
        **asdict(summary(judged.of.runs)),
        "runs": list(judged.of.runs),
        "verdict": judged.verdict,
        "margin": judged.margin,
        "note": judged.of.note,
    }


def _note(target: Target, judged: list[_Judged], worst: _Judged) -> str:
    """What a reader must know to read the row."""
    notes = []
    if len(judged) > 1:
        lacking = [one.name for one in judged if one.verdict == "unmeasured"]
        if worst.of.runs and not target.range:
            notes.append(f"the furthest of {len(judged)}: {worst.name}")
        if lacking:
            notes.append(f"no runs of {', '.join(lacking)}")
    notes += [one.of.note for one in judged if one.of.note and (one is worst or one.of.claim)]
    if worst.wrong_side:
        notes.append(f"our mean misses the bound by {worst.against:.2f}, less than the margin of {worst.margin:.2f}")
    if any(one.verdict == "shown" and one.of.claim and len(one.of.runs) > 1 for one in judged):
        notes.append("no difference can be told")
    if len(worst.of.runs) == 1 and worst.of.ours is None and target.figure is not None:
        notes.append("one run has no spread, so no verdict")
    return "; ".join(dict.fromkeys(notes))
