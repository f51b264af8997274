"""The paper's figures beside ours: a row for every id of targets.json, and for what else the experiments measure.

What is measured is in measures.py, when it agrees in verdicts.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
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

PART = ("network", "split", "mean", "sem", "low", "high", "runs", "verdict", "margin", "note")  # of a row of several


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
        rows.append(_together(target, [_row(target, measured) for measured in measurements]))
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


def _row(target: Target, measured: Measurement) -> Row:
    """One measurement beside the paper's figure."""
    value, relation, paper_runs = measured.claim or (target.value, target.relation, target.averaged)
    numbers, room, misses = summary(measured.runs), None, False
    if measured.count is not None:
        numbers["mean"] = float(measured.count)
    judged: Verdict = "shown" if measured.runs or measured.ours is not None else "unmeasured"
    if measured.count is not None and measured.draw == "release":
        judged = "within" if measured.count == value else "beyond"
    elif value is not None and measured.ours is None:
        judged, room = verdict(measured.runs, value, relation, paper_runs), margin(measured.runs, paper_runs)
        misses = judged == "within" and relation is not None and not allowed(numbers["mean"], value, relation)
    return Row(
        id=target.id,
        paper=value if measured.claim else target.figure,
        **numbers,
        runs=list(measured.runs),
        verdict=judged,
        margin=room,
        relation=relation,
        approx=target.approx,
        unit=target.unit,
        experiment=target.experiment or None,
        network=measured.network or None,
        split=measured.split or None,
        draw=measured.draw,
        misses=misses,
        selected=measured.network in BEST.values(),
        stated=str(target),
        shown=measured.shown or ("" if numbers["mean"] is None else f"{numbers['mean']:.2f}"),
        ours=measured.ours,
        note=measured.note,
    )


def _together(target: Target, rows: Sequence[Row]) -> Row:
    """The row of a figure. Where it has several measurements, the numbers are of the one furthest from the paper."""
    worst = max(rows, key=lambda row: (row.verdict == "beyond", _against(row)))
    whole: dict[str, Any] = {"network": target.network or worst.network}
    whole["note"] = "; ".join(dict.fromkeys(_notes(target, rows, worst)))
    if len(rows) > 1:
        whole |= {"paper": target.figure, "relation": target.relation, "verdict": together(row.verdict for row in rows)}
        whole["selected"] = any(row.selected for row in rows)
        whole["parts"] = [{name: getattr(row, name) for name in PART} for row in rows]
    if len(rows) > 1 and target.range:  # its ends are figures of two networks
        ends = [row.mean for row in rows]
        whole |= {**summary(()), "runs": ends, "ours": ends, "shown": " to ".join(f"{end:.2f}" for end in ends)}
    return replace(worst, **whole)


def _against(row: Row) -> float:
    """How far our mean goes against what the paper states; without a mean, less than any other."""
    if row.mean is None or not isinstance(row.paper, int | float):
        return float("-inf")
    difference = row.mean - row.paper
    return {"less than": difference, None: abs(difference)}.get(row.relation, -difference)


def _notes(target: Target, rows: Sequence[Row], worst: Row) -> Iterator[str]:
    """What a reader must know to read the row."""
    if len(rows) > 1 and worst.runs and not target.range:
        yield f"the furthest of {len(rows)}: {worst.network} on {worst.split}"
    lacking = [f"{row.network} on {row.split}" for row in rows if row.verdict == "unmeasured"]
    if len(rows) > 1 and lacking:
        yield f"no runs of {', '.join(lacking)}"
    for row in rows:
        if row.note and (row is worst or target.value is None):  # then each has a claim of its own
            yield row.note
    if worst.misses:
        yield f"our mean misses the bound by {_against(worst):.2f}, less than the margin of {worst.margin:.2f}"
    if any(row.verdict == "shown" and row.relation and row.margin is not None for row in rows):
        yield "no difference can be told"
    if len(worst.runs) == 1 and worst.ours is None and target.figure is not None:
        yield "one run has no spread, so no verdict"
