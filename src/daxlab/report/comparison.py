"""The first part of the page: the contrast that the paper is about, and every figure of it beside ours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl

from daxlab.analysis.accuracy import settings
from daxlab.paper.comparison import Row as Compared, cells, experiments_of
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SCAN, SPLITS
from daxlab.paper.targets import RUNS, stated
from daxlab.paper.verdicts import verdict
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Note, Picture, Row, Section, Strip, Table, Text, absent
from daxlab.report.drawing import as_csv, picture
from daxlab.report.facts import Facts
from daxlab.runs import Ledger

ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb it only saw alone",
}
PARTS = {f"exp{n}": f"Experiment {n}" for n in range(1, 5)} | {"train": "Accuracy on the training sets"}


def section(facts: Facts) -> Section:
    """The summary."""
    return Section("summary", "What was found", [*_contrast(facts), *_comparison(facts)])


def _contrast(facts: Facts) -> Iterator[Block]:
    """The overall best network, and the best of each split, on the four main splits."""
    networks = {"overall": dict.fromkeys(ASKS, OVERALL), "best": BEST}
    rows = {kind: {split: facts.row(name[split], *SPLITS[split]) for split in ASKS} for kind, name in networks.items()}
    overall = [(split, row) for split, row in rows["overall"].items() if row]
    if overall:
        who = f"{NETWORKS[OVERALL]}, the paper's best network overall, trained anew for each split, "
        yield Text(who + text.contrast(overall), "lead")
    if any(row for some in rows.values() for row in some.values()):
        yield Row([_picture(kind, some) for kind, some in rows.items()])
    else:
        yield absent("any of the paper's networks on its four main splits", "all")


def _picture(kind: str, rows: Mapping[str, Any]) -> Picture:
    names = ASKS if kind == "overall" else {split: str(NETWORKS[BEST[split]]) for split in ASKS}
    lines = [(f"{split}: {names[split]}", row, stated(split, kind)) for split, row in rows.items()]
    title = {"overall": f"{OVERALL} on four splits.", "best": "On each split, the network that the paper found best."}
    caption = "Per cent of test commands right: runs are dots, means strokes, 95% intervals bands; diamonds: the paper."
    caption += " Chosen by the paper as the best of 180 by this figure." if kind == "best" else ""
    data = [row for row in rows.values() if row] or [{"network": None}]
    return picture(figures.lines(lines), f"contrast-{kind}", title[kind], caption, data)


def _comparison(facts: Facts) -> Iterator[Block]:
    paper = [row for row in facts.compared.values() if row.paper is not None]
    said = text.tally([row.verdict for row in paper])
    missed = [", ".join(filter(None, (_what(row), row.unit, f"{row.mean:.2f} and not {row.stated}")))
              for row in paper if row.misses]  # fmt: skip
    if missed:
        said += " Of those within, our mean misses the paper's bound, by less than the margin, in: "
        said += f"{'; '.join(missed)}."
    yield Text(said)
    for row in paper:
        if row.verdict == "beyond":
            note = text.sentence(row.note) if row.note else ""
            parts = (text.against(row, _what(row)), text.regression(row), note, tried(facts, row))
            yield Text(" ".join(filter(None, parts)), "beyond")
    measured, missing = ([row for row in paper if (row.verdict == "unmeasured") == lacks] for lacks in (False, True))
    if measured:
        yield _table(measured)
    if missing:
        yield _unmeasured(missing)


def _what(row: Compared) -> str:
    return f"{row.experiment or row.id}{f' ({row.network})' if row.network else ''}"


def tried(facts: Facts, row: Compared) -> str:
    """The same network on the same split by another protocol, and once more in the ledgers of `again/`."""
    if row.id.startswith("exp4."):  # other pairs are no repetition
        return ""
    network, number = str(NETWORKS.get(row.network or "", row.network)), isinstance(row.paper, int | float)
    here = facts.settings.filter(pl.col("protocol").is_not_null())
    again = {f"once more ({name})": frame for name, frame in _again(facts.ledger).items()}
    said = []
    for how, frame in {"": here, **again}.items():
        same = frame.filter(pl.col("runs") > 0, dataset=SCAN, split=row.split, network=network)
        for runs in same.sort("protocol").to_dicts():
            judged = verdict(runs["accuracies"], row.paper, row.relation, RUNS) if number else "shown"
            after = "" if judged == "shown" else f", {judged}"
            said.append(f"{how or 'with ' + runs['protocol']}, {text.measured(runs)}{after}")
    return f"What was tried: the same {'; '.join(said)}." if said else "Nothing else was tried on it."


def _again(ledger: Ledger) -> dict[str, pl.DataFrame]:
    """Repeated experiments: the settings by the paper's protocol of every ledger `again/*.db` beside this one."""
    repeated = {}
    for path in sorted((ledger.path.parent / "again").glob("*.db")):
        with Ledger(path) as again:
            repeated[path.stem] = settings(again).filter(pl.col("protocol").is_null())
    return repeated


def _table(rows: Sequence[Compared]) -> Table:
    caption = (
        "Percentages of exact matches unless a row says otherwise. Ours: the mean over runs with its standard error, "
        "and below it its 95% interval. *within*: the paper's figure lies in the 95% interval for the difference of "
        "two means, the paper's spread taken as ours, or its bound is kept, or missed by less than that (a note says "
        "so), or a count is the same; *beyond*: it is not so; *shown*: no verdict. † a network that the paper chose as "
        "its best of 180; ‡ our own draw."
    )
    head = ("figure", "paper", "ours", "verdict", "every run, 0 to 100%")
    data = pl.DataFrame([{"id": row.id, **cells(row), "unit": row.unit, "note": row.note} for row in rows])
    return Table("comparison", "The paper's figures and ours.", head, _by_part(rows, _lines), right=(1, 2),
                 caption=caption, data=as_csv(data))  # fmt: skip


def _by_part(rows: Sequence[Compared], lines: Callable[[Compared], Iterator[Sequence[Cell]]]) -> list[Sequence[Cell]]:
    """The lines of each row, under the part of the paper that it belongs to."""
    of_part = {title: [row for row in rows if row.id.startswith(prefix)] for prefix, title in PARTS.items()}
    return [line for title, part in of_part.items() if part for line in ((title,), *chain(*map(lines, part)))]


def _lines(row: Compared) -> Iterator[Sequence[Cell]]:
    """The row of a figure, and its note."""
    said = cells(row)
    ours = text.ours(row) + (f" ± {said['sem']}\n{said['interval']}" if said["sem"] else "")
    paper = row.paper if isinstance(row.paper, list) else [row.paper]
    strip = row.unit is None and row.runs and isinstance(paper[0], int | float)
    runs = Strip(row.runs, row.low, row.high, paper) if strip else said["runs"]
    about = f"{said['network']} {said['marks']}".strip()
    yield f"{said['figure']}\n{about}", said["paper"] or "–", ours.replace("-", "−"), row.verdict, runs
    if note := f"The paper: {row.unit}. Here: {row.note}" if row.unit and row.note else row.unit or row.note:
        yield (Note(text.sentence(note)),)


def _unmeasured(rows: Sequence[Compared]) -> Table:
    def line(row: Compared) -> Iterator[Sequence[Cell]]:
        needs = " ".join(experiments_of([row.id]))
        what = f"{row.experiment or row.id}\n{'; '.join(filter(None, (row.network, row.unit)))}"
        yield what, row.stated or "–", f"`daxlab reproduce {needs}`" if needs else row.note or "–"

    title = "Figures of the paper that are not measured in this ledger."
    return Table("unmeasured", title, ("figure", "paper", "what measures it"), _by_part(rows, line), right=(1,))
