"""The first part of the page: the paper's claims, the contrast that it is about, and every figure of it beside ours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

import polars as pl

from daxlab.analysis.accuracy import settings
from daxlab.ledger import Ledger
from daxlab.paper.comparison import Row as Compared, cells, experiments_of
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SCAN, SPLITS
from daxlab.paper.targets import RUNS, stated
from daxlab.paper.verdicts import Scale, decide, judge
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Fold, Note, Picture, Section, Strip, Table, Text, absent
from daxlab.report.drawing import as_csv, picture
from daxlab.report.facts import Facts, Row

ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb it only saw alone",
}
PARTS = {f"exp{n}": f"Experiment {n}" for n in range(1, 5)} | {"train": "Accuracy on the training sets"}


def section(facts: Facts) -> Section:
    """The summary."""
    return Section(
        "summary", "What was found", [*_lead(facts), *_claims(facts), *_contrast(facts), *_comparison(facts)]
    )


def _lead(facts: Facts) -> Iterator[Block]:
    measured = [(split, row) for split in ASKS if (row := facts.row(OVERALL, *SPLITS[split]))]
    if measured:
        who = f"{NETWORKS[OVERALL]}, the paper's best network overall (overall-best), trained anew for each split, "
        yield Text(who + text.contrast(measured), "lead")


def _claims(facts: Facts) -> Iterator[Block]:
    """The claims that this ledger speaks to, and how many others there are."""
    measured = [claim for claim in facts.claims if claim.measured]
    if facts.ledger.count():
        yield Text(text.held([claim.verdict for claim in measured], len(facts.claims)))
    if not measured:
        return
    rows: list[Sequence[Cell]] = []
    for experiment, some in groupby(measured, key=lambda claim: claim.experiment):
        rows.append((experiment,))
        for claim in some:
            evidence = dict.fromkeys([claim.evidence, *(figure.text for figure in claim.figures)])  # what decides first
            rows.append(("\n".join([f"[{claim.claim}](#{claim.anchor})", *evidence]), claim.verdict))
    caption = (
        "Each figure with its 95% interval, and what the claim needs it to be. *holds*: all of the interval lies "
        "there, for every figure; *does not hold*: none of it, for one of them; *undecided*: neither. What is needed "
        "was written down when most of the shipped results were known. `daxlab claims` prints all of this, and what "
        "the claims need that are not listed."
    )
    numbers = [
        {"claim": claim.id, "sentence": claim.claim} | asdict(figure) for claim in measured for figure in claim.figures
    ]
    data = pl.DataFrame(numbers).with_columns(pl.col("bound").list.to_struct(fields=["least", "most"])).unnest("bound")
    yield Table("claims", "Does what the paper found hold here?", ("claim", "verdict"), rows, (), caption, as_csv(data))


def _contrast(facts: Facts) -> Iterator[Block]:
    """The overall best network, and the best of each split, on the four main splits."""
    overall = {split: facts.row(OVERALL, *SPLITS[split]) for split in ASKS}
    best = {split: facts.row(BEST[split], *SPLITS[split]) for split in ASKS}
    if not any((*overall.values(), *best.values())):
        yield absent("any of the paper's networks on its four main splits", "all")
        return
    caption = "Per cent of test commands right: runs are dots, means strokes, 95% intervals bands; diamonds: the paper."
    yield _lines("overall", overall, ASKS, f"{OVERALL} on four splits.", caption)
    networks = {split: str(NETWORKS[BEST[split]]) for split in ASKS}
    caption += " Chosen by the paper as the best of 180 by this figure."
    yield _lines("best", best, networks, "On each split, the network that the paper found best.", caption)


def _lines(kind: str, rows: Mapping[str, Row | None], about: Mapping[str, str], title: str, caption: str) -> Picture:
    lines = {f"{split}: {about[split]}": (row, stated(split, kind)) for split, row in rows.items()}
    data = [row for row in rows.values() if row] or [{"network": None}]
    return picture(figures.lines(lines), f"contrast-{kind}", title, caption, data)


def _comparison(facts: Facts) -> Iterator[Block]:
    rows = [row for row in facts.compared.values() if row.paper is not None]
    yield Text(text.tally([row.verdict for row in rows]))
    for row in (row for row in rows if row.verdict == "differs"):
        note = text.sentence(row.note) if row.note else ""
        yield Text(" ".join(filter(None, (text.against(row, _what(row)), text.regression(row), note))), "warning")
    again = [line for row in rows if row.verdict in ("differs", "undecided") for line in tried(facts, row)]
    if again:
        title, head = "The same network on the same split.", ("how", "ours", "verdict", "every run, 0 to 100%")
        caption = "Each verdict is of that line alone. Diamonds are the paper's figures."
        table = Table("tried-table", title, head, again, (1,), caption)
        yield Fold("tried", "What else was tried", "other protocols, and the same once more", [table])
    unmeasured = [row.id for row in rows if row.verdict == "unmeasured"]
    if needs := experiments_of(unmeasured):
        yield absent(text.counted(len(unmeasured), "figure of the paper", "figures of the paper"), " ".join(needs))
    yield _table(rows)


def _what(row: Compared) -> str:
    return f"{row.experiment or row.id}{f' ({row.network})' if row.network else ''}"


def tried(facts: Facts, row: Compared) -> list[Sequence[Cell]]:
    """The same network on the same split by another protocol, and once more in the ledgers of `again/`, if any."""
    if row.unit or not isinstance(row.paper, int | float) or row.id.startswith(("exp2.oracle", "train")):
        return []  # not an accuracy on a test set
    network = str(NETWORKS.get(row.network or "", row.network))
    others = {"": facts.settings.filter(pl.col("protocol").is_not_null()), **_again(facts.ledger)}
    lines: list[Sequence[Cell]] = []
    for ledger, frame in others.items():
        same = frame.filter(pl.col("runs") > 0, dataset=SCAN, split=row.split, network=network)
        for runs in same.sort("protocol").to_dicts():
            how, several = f"once more ({ledger})" if ledger else f"with {runs['protocol']}", runs["runs"] > 1
            verdict = decide([judge(runs["accuracies"], row.paper, row.relation, RUNS, Scale())])[0] if several else ""
            strip = Strip(runs["accuracies"], runs["low"], runs["high"], [row.paper])
            lines.append((how, text.mean_cell(runs), verdict, strip))
    return [(f"{_what(row)}: {row.stated} in the paper, {text.ours(row)} here",), *lines] if lines else []


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
        "and below it its 95% interval. *agrees*: the interval lies within five points of the paper's figure, or a "
        "factor of three in odds where that is narrower; *differs*: chance does not explain the difference, over all "
        "figures together; *undecided*: neither, and *needed* says how many runs would decide it (–: "
        "hundreds would not); *shown*: no verdict. † a network that the paper chose as its best of 180; ‡ our own draw."
    )
    lines: list[Sequence[Cell]] = []
    for prefix, title in PARTS.items():
        lines += [(title,), *(line for row in rows if row.id.startswith(prefix) for line in _figure(row))]
    head = ("figure", "paper", "ours", "verdict", "needed", "every run, 0 to 100%")
    data = pl.DataFrame([{"id": row.id, **cells(row), "unit": row.unit, "note": row.note} for row in rows])
    return Table("comparison", "The paper's figures and ours.", head, lines, (1, 2, 4), caption, as_csv(data))


def _figure(row: Compared) -> Iterator[Sequence[Cell]]:
    """The line of a figure, and its note."""
    said = cells(row)
    ours = text.ours(row) + (f" ± {said['sem']}\n{said['interval']}" if said["sem"] else "")
    paper = row.paper if isinstance(row.paper, list) else [row.paper]
    strip = row.unit is None and row.runs and isinstance(paper[0], int | float)
    runs = Strip(row.runs, row.low, row.high, paper) if strip else said["runs"]
    about = f"{said['network']} {said['marks']}".strip()
    verdict = (row.verdict, said["needed"])
    yield f"{said['figure']}\n{about}", said["paper"] or "–", ours.replace("-", "−"), *verdict, runs
    if note := f"The paper: {row.unit}. Here: {row.note}" if row.unit and row.note else row.unit or row.note:
        yield (Note(text.sentence(note)),)
