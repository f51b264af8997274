"""The first part of the page: the contrast that the paper is about, and every figure of it beside ours."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from daxlab.analysis.accuracy import networks
from daxlab.paper import Row as Compared
from daxlab.paper import experiments_of
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SPLITS
from daxlab.paper.targets import RUNS, stated
from daxlab.paper.verdicts import verdict
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Note, Row, Section, Strip, Table, Text, told
from daxlab.report.drawing import Picture, as_csv, picture
from daxlab.report.facts import SCAN, Facts
from daxlab.runs import Ledger

ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb it only saw alone",
}
PARTS = {
    "exp1": "Experiment 1",
    "exp2": "Experiment 2",
    "exp3": "Experiment 3",
    "exp4": "Experiment 4",
    "train": "Accuracy on the training sets",
}
LINE = {"runs": "accuracies", "mean": "mean", "low": "low", "high": "high"}
DATA = ("id", "experiment", "network", "unit", "paper", "mean", "sem", "low", "high", "runs", "verdict", "note")


def section(facts: Facts) -> Section:
    """The summary."""
    return Section("summary", "What was found", [*told(_contrast(facts)), *told(_comparison(facts))])


def _comparison(facts: Facts) -> Iterator[Block]:
    paper = [row for row in facts.compared.values() if row.paper is not None]
    measured = [row for row in paper if row.verdict != "unmeasured"]
    missing = [row for row in paper if row.verdict == "unmeasured"]
    bounds = [row for row in paper if row.misses]
    missed = [", ".join(filter(None, (_what(row), row.unit, f"{row.mean:.2f} and not {row.stated}"))) for row in bounds]
    yield Text(" ".join([text.tally([row.verdict for row in paper]), *text.missed(missed)]))
    yield from (Text(said, "beyond") for said in _beyond(facts, paper))
    if measured:
        yield _table(measured)
    if missing:
        yield _unmeasured(missing)


def _contrast(facts: Facts) -> Iterator[Block]:
    found = {
        kind: {split: facts.row(networks[split], *SPLITS[split]) for split in ASKS}
        for kind, networks in {"overall": dict.fromkeys(ASKS, OVERALL), "best": BEST}.items()
    }
    overall = [(split, row) for split, row in found["overall"].items() if row]
    if overall:
        yield Text(f"{NETWORKS[OVERALL]}, the paper's best network overall, trained anew for each split, "
                   f"{text.contrast(overall)}", "lead")  # fmt: skip
    if any(row for rows in found.values() for row in rows.values()):
        yield Row([_picture(kind, rows) for kind, rows in found.items()])
    else:
        yield Text(text.absent("any of the paper's networks on its four main splits", text.reproduce("all")), "absent")


def _picture(kind: str, rows: Mapping[str, Mapping[str, Any] | None]) -> Picture:
    given = []
    for split, row in rows.items():
        label = f"{split}: {ASKS[split]}" if kind == "overall" else f"{split}: {NETWORKS[BEST[split]]}"
        found = {name: row[column] for name, column in LINE.items()} if row else {}
        given.append(figures.Line(label, paper=stated(split, kind), **found))
    title = {"overall": f"{OVERALL} on four splits.", "best": "On each split, the network that the paper found best."}
    caption = (
        "Per cent of test commands with every action right: each run a dot, the mean a stroke, its 95% interval a "
    )
    caption += "band; the diamond is the paper's mean of five runs."
    caption += " Chosen by the paper as the best of 180 by this figure." if kind == "best" else ""
    label = "; ".join(f"{one.label}: mean {text.percent(one.mean)}, paper {one.paper:g}" for one in given)
    data = pl.DataFrame([dict(row) for row in rows.values() if row] or {"network": []})
    return picture(figures.lines(given), f"contrast-{kind}", title[kind], caption, label, data)


def _beyond(facts: Facts, rows: Sequence[Compared]) -> Iterator[str]:
    """What lies beyond, said plainly, and what else was tried."""
    for row in rows:
        if row.verdict == "beyond":
            note = text.sentence(row.note) if row.note else ""
            parts = (text.against(row, _what(row)), text.regression(row), note, tried(facts, row))
            yield " ".join(part for part in parts if part)


def tried(facts: Facts, row: Compared) -> str:
    """The same network on the same split by another protocol; and once more, in ledgers beside this one (again/)."""
    if row.id.startswith("exp4."):  # other pairs are no repetition
        return ""
    network = str(NETWORKS[row.network]) if row.network in NETWORKS else row.network
    same = pl.all_horizontal(
        pl.col("language") == SCAN, pl.col("split") == row.split, pl.col("network") == network, pl.col("runs") > 0
    )
    others = facts.networks.filter(same & pl.col("protocol").is_not_null()).to_dicts()
    said = [f"with {one['protocol']}, {text.measured(one)}{_would_be(row, one)}" for one in others]
    for path in sorted((facts.ledger.path.parent / "again").glob("*.db")):
        with Ledger(path) as once_more:
            found = networks(once_more).filter(same & pl.col("protocol").is_null()).to_dicts()
        said += [f"once more ({path.stem}), {text.measured(one)}{_would_be(row, one)}" for one in found]
    return f"What was tried: the same {'; '.join(said)}." if said else "Nothing else was tried on it."


def _would_be(row: Compared, tried: Mapping[str, Any]) -> str:
    """The verdict on other runs in this row's place; of one run there is none."""
    if not isinstance(row.paper, int | float):
        return ""
    found = verdict(tried["accuracies"], row.paper, row.relation, RUNS)
    return "" if found == "shown" else f", {found}"


def _what(row: Compared) -> str:
    return f"{row.experiment or row.id}{f' ({row.network})' if row.network else ''}"


def _parted(rows: Sequence[Compared]) -> Iterator[tuple[str, list[Compared]]]:
    for prefix, title in PARTS.items():
        part = [row for row in rows if row.id.split(".")[0] == prefix]
        if part:
            yield title, part


def _table(rows: Sequence[Compared]) -> Table:
    shown: list[Sequence[Cell]] = []
    for title, part in _parted(rows):
        shown.append((title,))
        for row in part:
            shown.append(_row(row))
            note = f"The paper: {row.unit}. Here: {row.note}" if row.unit and row.note else row.unit or row.note
            shown += [(Note(text.sentence(note)),)] if note else []
    caption = (
        "Percentages of exact matches unless a row says otherwise. Ours: the mean over runs with its standard error, "
        "and below it its 95% interval. *within*: the paper's figure lies in the 95% interval for the difference of "
        "two means, the paper's spread taken as ours, or its bound is kept, or missed by less than that (a note says "
        "so), or a count is the same; *beyond*: it is not so; *shown*: no verdict. † a network that the paper chose as "
        "its best of 180."
    )
    head = ("figure", "paper", "ours", "verdict", "every run, 0 to 100%")
    title = "The paper's figures and ours."
    data = as_csv(
        pl.DataFrame([[_plain(getattr(row, name)) for name in DATA] for row in rows], list(DATA), orient="row")
    )
    return Table("comparison", title, head, shown, right=(1, 2), caption=caption, data=data)


def _plain(value: Any) -> str | None:
    if isinstance(value, dict):
        return "; ".join(
            f"{name}: {', '.join(f'{one} {cosine}' for one, cosine in near)}" for name, near in value.items()
        )
    return " ".join(map(str, value)) if isinstance(value, list) else None if value is None else str(value)


def _row(row: Compared) -> Sequence[Cell]:
    paper = row.paper if isinstance(row.paper, list) else [row.paper] if isinstance(row.paper, int | float) else []
    ours = text.ours(row)
    if row.ours is None and row.sem is not None and row.low is not None and row.high is not None:
        ours += f" ± {row.sem:.2f}\n{text.signed(row.low)} to {text.signed(row.high)}"
    runs: Cell = " ".join(f"{run:.{0 if run == int(run) else 2}f}" for run in row.runs)
    if row.unit is None and paper and row.runs:
        runs = Strip(row.runs, row.low, row.high, paper)
    network = f"{row.network} †" if row.network and row.selected else row.network
    about = ", ".join(one for one in (network, "our own draw" if row.draw == "own" else None) if one)
    return (f"{row.experiment or row.id}\n{about}", row.stated or "–", ours, row.verdict, runs)


def _unmeasured(rows: Sequence[Compared]) -> Table:
    shown: list[Sequence[Cell]] = []
    for title, part in _parted(rows):
        shown.append((title,))
        for row in part:
            needs = " ".join(experiments_of([row.id]))
            how = f"`{text.reproduce(needs)}`" if needs else row.note or "–"
            what = f"{row.experiment or row.id}\n{'; '.join(one for one in (row.network, row.unit) if one)}"
            shown.append((what, row.stated or "–", how))
    head = ("figure", "paper", "what measures it")
    return Table("unmeasured", "Figures of the paper that are not measured in this ledger.", head, shown, right=(1,))
