"""The paper's figures beside ours: a row for every id of targets.json, and for what else the experiments measure.

What is measured is in catalogue.py, when it agrees in verdicts.py; here the two are put in a row.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from daxlab.analysis.replicates import summary
from daxlab.errors import InputError
from daxlab.paper.catalogue import CATALOGUE, OURS
from daxlab.paper.experiments import BEST, EXPERIMENTS
from daxlab.paper.parts import Measure, Part
from daxlab.paper.runs import Draw, Runs
from daxlab.paper.targets import RUNS, Target, targets
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

    `experiments`: only the figures that need runs of one of these. `protocol`: of the runs; the paper's unless given.
    """
    return compare_runs(Runs(ledger, protocol or Protocol()), experiments)


def compare_runs(runs: Runs, experiments: Sequence[str] | None = None) -> list[Row]:
    """The same, of runs that were asked already."""
    extra = [Target(name, "", unit="the paper states no figure") for name in CATALOGUE if name.startswith(OURS)]
    rows = []
    for target in (*targets(), *extra):
        needs, measure = CATALOGUE[target.id]
        if experiments is None or set(needs) & set(experiments):
            rows.append(_row(target, _measured(measure, runs)))
    return rows


def _measured(measure: Measure, runs: Runs) -> list[Part]:
    """What is measured; where the ledger lacks what it takes (predictions, say), why not."""
    try:
        return measure(runs)
    except InputError as error:
        return [Part(note=str(error))]


def experiments_of(ids: Sequence[str]) -> list[str]:
    """The experiments whose runs these figures need, in the paper's order."""
    needed = {experiment for one in ids for experiment in CATALOGUE[one][0]}
    return [experiment for experiment in EXPERIMENTS if experiment in needed]


@dataclass(frozen=True)
class _Judged:
    """A part with what is said of it."""

    part: Part
    verdict: Verdict
    against: float  # how far our mean goes against what the paper states
    margin: float | None
    wrong_side: bool  # of a bound, though within


def _judged(target: Target, part: Part) -> _Judged:
    value, relation, paper_runs = part.claim or (target.value, target.relation, target.runs or RUNS)
    room = margin(part.runs, paper_runs) if value is not None else None
    if part.count is not None:
        same: Verdict = "within" if part.count == target.value else "beyond"
        return _Judged(part, same if part.draw == "release" else "shown", 0, None, False)
    if value is None or part.ours is not None:
        return _Judged(part, "shown" if part.runs or part.ours is not None else "unmeasured", 0, None, False)
    if not part.runs:
        return _Judged(part, "unmeasured", float("-inf"), None, False)
    mean = fmean(part.runs)
    against = {"less than": mean - value, None: abs(mean - value)}.get(relation, value - mean)
    found = verdict(part.runs, value, relation, paper_runs)
    wrong_side = bool(relation) and found == "within" and not allowed(mean, value, relation)
    return _Judged(part, found, against, room, wrong_side)


def _row(target: Target, parts: list[Part]) -> Row:
    """The row of a figure; where it is about several, the numbers are of the one that speaks most against it."""
    judged = [_judged(target, part) for part in parts]
    worst = max(judged, key=lambda one: (one.verdict == "beyond", one.against))
    several = len(judged) > 1
    ends = [fmean(part.runs) for part in parts] if target.range and worst.part.runs else None
    numbers = asdict(summary(worst.part.runs)) if not ends else dict.fromkeys(("mean", "sem", "low", "high"))
    if worst.part.count is not None:
        numbers["mean"] = float(worst.part.count)
    return Row(
        id=target.id,
        paper=target.figure,
        **numbers,
        runs=ends or list(worst.part.runs),
        verdict=together(one.verdict for one in judged),
        margin=worst.margin,
        relation=target.relation,
        approx=target.approx,
        unit=target.unit,
        experiment=target.experiment or None,
        network=target.network if target.network and not target.id.startswith(OURS) else worst.part.network,
        split=worst.part.split,
        draw=worst.part.draw,
        misses=worst.wrong_side,
        selected=any(part.network in BEST.values() for part in parts),
        stated=str(target),
        shown=worst.part.shown or _shown(ends or [number for number in [numbers["mean"]] if number is not None]),
        ours=ends or worst.part.ours,
        parts=[_as_part(one) for one in judged] if several else [],
        note=_note(target, judged, worst),
    )


def _shown(numbers: Sequence[float]) -> str:
    return " to ".join(f"{number:.2f}" for number in numbers)


def _as_part(one: _Judged) -> dict[str, Any]:
    part = one.part
    return {
        "network": part.network,
        "split": part.split,
        **asdict(summary(part.runs)),
        "runs": list(part.runs),
        "verdict": one.verdict,
        "margin": one.margin,
        "note": part.note,
    }


def _note(target: Target, judged: list[_Judged], worst: _Judged) -> str:
    """What a reader must know to read the row."""
    said = []
    if len(judged) > 1:
        lacking = [_named(one.part) for one in judged if one.verdict == "unmeasured"]
        if worst.part.runs and not target.range:
            said.append(f"the furthest of {len(judged)}: {_named(worst.part)}")
        if lacking:
            said.append(f"no runs of {', '.join(lacking)}")
    said += [one.part.note for one in judged if one.part.note and (one is worst or one.part.claim)]
    said += [f"our mean misses the bound by {one.against:.2f}, less than the margin of {one.margin:.2f}"
             for one in judged if one.wrong_side and one is worst]  # fmt: skip
    if any(one.verdict == "shown" and one.part.claim and len(one.part.runs) > 1 for one in judged):
        said.append("no difference can be told")
    if len(worst.part.runs) == 1 and worst.part.ours is None and target.figure is not None:
        said.append("one run has no spread, so no verdict")
    return "; ".join(dict.fromkeys(said))


def _named(part: Part) -> str:
    return f"{part.network} on {part.split}"
