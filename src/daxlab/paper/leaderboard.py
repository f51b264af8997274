"""The leaderboard: every learner of a ledger on SCAN's splits, beside what was published of systems of its kind.

A row is one configuration of a learner; of the paper's networks there are two. A cell is its runs on a split, which are
never mixed with runs on another draw of it. Verdicts are those of verdicts.py, over all cells together. Knows nothing
of how it is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

from daxlab.analysis.contrast import learner_facts
from daxlab.analysis.replicates import summary
from daxlab.datasets import dataset
from daxlab.datasets.release import PREFIX
from daxlab.datasets.rules import REPLICATES
from daxlab.errors import InputError, nearest
from daxlab.learners import KINDS, RNN, Learner, name_and_fields, still_here
from daxlab.ledger import Ledger
from daxlab.ledger.records import canonical
from daxlab.paper.beside import networks
from daxlab.paper.experiments import FEW, NETWORKS, OVERALL, SCAN, few, size
from daxlab.paper.published import DRAW, Published, of, on
from daxlab.paper.runs import filters
from daxlab.paper.targets import RUNS
from daxlab.paper.verdicts import Judgement, Scale, Verdict, decide, judge
from daxlab.protocol import Protocol

SHOTS = 8
SPLITS = (
    *("simple", "length", "jump", "turn-left", "template-around-right"),
    *("mcd1", "mcd2", "mcd3", f"few-jump-{SHOTS}"),
)
RELEASED = {size(80, release=True): "simple"}  # the release's draws
RELEASED |= {few(SHOTS, replicate, release=True): f"few-jump-{SHOTS}" for replicate in range(1, REPLICATES + 1)}
SYSTEMS = {OVERALL: "L&B overall-best (LSTM 2x200)"}  # of published.json
BEST = "L&B best per experiment"
COMMAND = "daxlab sweep run specs/avenues.toml"

Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A learner on a split."""

    split: str
    mean: float | None = None
    low: float | None = None  # the 95% interval of the mean
    high: float | None = None
    runs: int = 0
    failed: int = 0
    accuracies: Sequence[float] = ()  # of every run, by split and seed
    keys: Sequence[str] = ()
    draw: str | None = None  # of a random split: the "release"'s or our "own"
    published: Published | None = None
    verdict: Verdict | None = None  # None: there is nothing to compare
    difference: float | None = None  # of our mean from the published one
    difference_low: float | None = None  # its 95% interval
    difference_high: float | None = None

    def as_dict(self) -> Row:
        return asdict(self) | {"published": self.published and self.published.as_dict()}


@dataclass(frozen=True)
class Entry:
    """A learner, what it was given, and its cells by split."""

    learner: str
    kind: str
    about: str  # what it is, in a sentence; nothing if it cannot be made here
    origin: str
    told: str | None  # None: it cannot be made here, so this is not known
    presentations: int | str
    parameters: int | None  # None: it has none, or cannot tell
    facts: Mapping[str, Any]  # its kind, its fields and their version
    cells: dict[str, Cell] = field(default_factory=dict)

    @property
    def mean(self) -> float | None:
        """Over all splits; None if it lacks one."""
        means = [cell.mean for cell in self.cells.values() if cell.mean is not None]
        return fmean(means) if len(means) == len(SPLITS) else None

    @property
    def of_paper(self) -> bool:
        """Whether it is one of the paper's networks."""
        return self.kind == RNN.kind

    def as_dict(self) -> Row:
        """For scripts."""
        about = {name: getattr(self, name) for name in ("learner", "kind", "origin", "told", "presentations")}
        about |= {"parameters": self.parameters, "mean": self.mean, "fields": dict(self.facts)}
        return about | {"splits": {split: cell.as_dict() for split, cell in self.cells.items()}}


def leaderboard(ledger: Ledger) -> list[Entry]:
    """A row for each learner, the best first: by its mean over the splits, where a split without runs counts as 0."""
    entries = [_entry(rows) for rows in _by_learner(ledger)]
    judged = [(entry, cell, judgement) for entry in entries for cell, judgement in _judged(entry)]
    for (entry, cell, judgement), verdict in zip(judged, decide([one for *_, one in judged]), strict=True):
        ends = {name: getattr(judgement, name) for name in ("difference", "difference_low", "difference_high")}
        entry.cells[cell.split] = replace(cell, verdict=verdict, **ends)
    return sorted(entries, key=lambda entry: (-sum(cell.mean or 0 for cell in entry.cells.values()), entry.learner))


def _judged(entry: Entry) -> Iterator[tuple[Cell, Judgement]]:
    """The cells of a row that have several runs and a published figure, and what that comes to."""
    for cell in entry.cells.values():
        if cell.runs > 1 and (figure := cell.published):
            yield cell, judge(cell.accuracies, figure.mean, None, figure.runs or RUNS, Scale(), figure.deviation)


def others(split: str, entries: Sequence[Entry]) -> list[Published]:
    """The published figures on a split that stand beside no row, the best first."""
    beside = [entry.cells[split].published for entry in entries]
    return [figure for figure in on(split) if figure not in beside]


def split_named(name: str) -> str:
    """The split of the leaderboard that a name stands for: any draw of few-jump-8 for all of them."""
    column = _column(name)
    if column is None:
        raise InputError(f"the leaderboard has no split {name!r}; {nearest(name, SPLITS)}")
    return column


def _column(split: str) -> str | None:
    """The column that runs on a split belong to."""
    column = RELEASED.get(split, DRAW.sub("", split))
    return column if column in SPLITS else None


def _by_learner(ledger: Ledger) -> Iterator[list[Row]]:
    """The runs of each learner on the splits; of the paper's family, those of two networks by the paper's protocol."""
    where = {"dataset": SCAN, "split": [name for name in ledger.values("split") if _column(name)]}
    for network in (OVERALL, FEW):
        rows = ledger.rows(where | filters(NETWORKS[network], Protocol()))
        if rows:
            label = str(NETWORKS[network])  # whether or not runs shared lengths
            yield [row | {"label": label} for row in rows]
    learners: dict[str, list[Row]] = {}
    kinds = [kind for kind in ledger.values("learner") if kind != RNN.kind]
    for row in ledger.each_row(where | {"learner": kinds}):
        kind, semantics = KINDS.get(row["learner"]), row["spec"].get("semantics")
        if kind is None or semantics == kind.semantics:
            learners.setdefault(canonical(learner_facts(row)), []).append(row)
    yield from learners.values()


def _entry(rows: Sequence[Row]) -> Entry:
    """A learner without verdicts; of its runs the latest come first."""
    facts = rows[0]["spec"]
    kind, fields = name_and_fields(facts)
    learner = still_here(facts)
    name = rows[0]["label"]
    entry = Entry(
        learner=name,
        kind=kind,
        about=(type(learner).__doc__ or "").partition("\n")[0] if learner else "",
        origin=learner.origin if learner else "",
        told=learner.told if learner else None,
        presentations=learner.presentations if learner else _presentations(fields),
        parameters=learner.parameters(dataset(SCAN)) if learner else None,
        facts=learner_facts(rows[0]),
    )
    for split in SPLITS:
        entry.cells[split] = _cell(split, [row for row in rows if _column(row["split"]) == split], learner)
    return entry


def _presentations(fields: Mapping[str, Any]) -> int | str:
    """The same of a learner that cannot be made here."""
    return fields["updates"] * fields.get("batch", 1) if "updates" in fields else "not known"


def _cell(split: str, rows: Sequence[Row], learner: Learner | None) -> Cell:
    """The runs on a split: on our own draw if there are any, else on the release's; on the latest content of it."""
    rows = [row for row in rows if not row["split"].startswith(PREFIX)] or rows
    latest: dict[str, Any] = {}
    for row in rows:
        latest.setdefault(row["split"], row["spec"]["split"])
    rows = [row for row in rows if row["spec"]["split"] == latest[row["split"]]]
    done = [row for row in rows if row["status"] == "done" and row["accuracy"] is not None]
    done.sort(key=lambda row: (row["split"], row["seed"]))
    accuracies = [row["accuracy"] for row in done]
    ends = {name: end for name, end in summary(accuracies).items() if name in ("mean", "low", "high")}
    drawn = {True: "release", False: "own"}[rows[0]["split"].startswith(PREFIX)] if rows else None
    return Cell(
        split,
        **ends,
        runs=len(done),
        failed=sum(row["status"] == "failed" for row in rows),
        accuracies=accuracies,
        keys=[row["key"] for row in done],
        draw=drawn if split in RELEASED.values() else None,
        published=of(_systems(split, learner), split) if learner else None,
        verdict="shown" if len(done) == 1 else None,
    )


def _systems(split: str, learner: Learner) -> Sequence[str]:
    """The published systems that a learner is a version of; of the paper's networks, those of the paper."""
    if not isinstance(learner, RNN):
        return learner.published
    named = [name for name in networks(split) if NETWORKS[name] == replace(learner, shared_lengths=True)]
    return [SYSTEMS.get(name, BEST) for name in named]
