"""The paper's figures beside ours: a row for every id of targets.json, and for what else the experiments measure.

What is measured is in measures.py, when it agrees in verdicts.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from daxlab.analysis.replicates import summary
from daxlab.errors import InputError
from daxlab.paper.experiments import BEST, EXPERIMENTS
from daxlab.paper.measures import CATALOGUE, OURS
from daxlab.paper.runs import Draw, Measurement, Runs
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
    runs = Runs(ledger, protocol or Protocol())
    extra = [Target(name, "", unit="the paper states no figure") for name in CATALOGUE if name.startswith(OURS)]
    rows = []
    for target in (*targets(), *extra):
        needs, measure = CATALOGUE[target.id]
        if experiments is not None and not set(needs) & set(experiments):
            continue
        try:
            measurements = measure(runs)
        except InputError as error:  # the ledger lacks what it takes, answers for example
            measurements = [Measurement(note=str(error))]
        rows.append(_row(target, measurements))
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


@dataclass(frozen=True)
class _Part:
    """A measurement with its verdict."""

    measured: Measurement
    verdict: Verdict
    against: float = 0  # how far our mean goes against what the paper states
    margin: float | None = None
    wrong_side: bool = False  # of a bound, though within

    def __str__(self) -> str:
        return f"{self.measured.network} on {self.measured.split}"


def _judged(target: Target, measured: Measurement) -> _Part:
    value, relation, paper_runs = measured.claim or (target.value, target.relation, target.averaged)
    if measured.count is not None and measured.draw == "release":
        return _Part(measured, "within" if measured.count == target.value else "beyond")
    if measured.ours is not None or (value is None and measured.runs):
        return _Part(measured, "shown")
    if value is None or not measured.runs:
        return _Part(measured, "unmeasured", against=float("-inf"))
    mean = fmean(measured.runs)
    against = {"less than": mean - value, None: abs(mean - value)}.get(relation, value - mean)
    judged = verdict(measured.runs, value, relation, paper_runs)
    wrong_side = bool(relation) and judged == "within" and not allowed(mean, value, relation)
    return _Part(measured, judged, against, margin(measured.runs, paper_runs), wrong_side)


def _row(target: Target, measurements: list[Measurement]) -> Row:
    """The row of a figure. Where it has several measurements, the numbers are of the one furthest from the paper."""
    parts = [_judged(target, measured) for measured in measurements]
    worst = max(parts, key=lambda part: (part.verdict == "beyond", part.against))
    shown = worst.measured
    ends = [fmean(measured.runs) for measured in measurements] if target.range and shown.runs else None
    numbers = summary(() if ends else shown.runs)
    if shown.count is not None:
        numbers["mean"] = float(shown.count)
    mean = [] if numbers["mean"] is None else [numbers["mean"]]
    return Row(
        id=target.id,
        paper=target.figure,
        **numbers,
        runs=ends or list(shown.runs),
        verdict=together(part.verdict for part in parts),
        margin=worst.margin,
        relation=target.relation,
        approx=target.approx,
        unit=target.unit,
        experiment=target.experiment or None,
        network=target.network or shown.network,
        split=shown.split,
        draw=shown.draw,
        misses=worst.wrong_side,
        selected=any(measured.network in BEST.values() for measured in measurements),
        stated=str(target),
        shown=shown.shown or " to ".join(f"{number:.2f}" for number in ends or mean),
        ours=ends or shown.ours,
        parts=[_plain(part) for part in parts] if len(parts) > 1 else [],
        note="; ".join(dict.fromkeys(_notes(target, parts, worst))),
    )


def _plain(part: _Part) -> dict[str, Any]:
    """A measurement as plain data."""
    measured = part.measured
    numbers = {**summary(measured.runs), "runs": list(measured.runs)}
    judged = {"verdict": part.verdict, "margin": part.margin, "note": measured.note}
    return {"network": measured.network, "split": measured.split, **numbers, **judged}


def _notes(target: Target, parts: list[_Part], worst: _Part) -> Iterator[str]:
    """What a reader must know to read the row."""
    if len(parts) > 1 and worst.measured.runs and not target.range:
        yield f"the furthest of {len(parts)}: {worst}"
    lacking = [str(part) for part in parts if part.verdict == "unmeasured"]
    if len(parts) > 1 and lacking:
        yield f"no runs of {', '.join(lacking)}"
    for part in parts:
        if part.measured.note and (part is worst or part.measured.claim):
            yield part.measured.note
    if worst.wrong_side:
        yield f"our mean misses the bound by {worst.against:.2f}, less than the margin of {worst.margin:.2f}"
    if any(part.verdict == "shown" and part.measured.claim and len(part.measured.runs) > 1 for part in parts):
        yield "no difference can be told"
    if len(worst.measured.runs) == 1 and worst.measured.ours is None and target.figure is not None:
        yield "one run has no spread, so no verdict"
