"""The first part of the page: the paper's claims, the contrast that it is about, and every figure of it beside ours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import polars as pl

from daxlab.analysis.accuracy import settings
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.paper.comparison import Row as Compared, cells, experiments_of
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, SCAN, SPLITS
from daxlab.paper.runs import draw_of
from daxlab.paper.targets import RUNS, stated
from daxlab.paper.verdicts import Scale, decide, judge
from daxlab.report import figures, text
from daxlab.report.blocks import (
    Block,
    Cell,
    Columns,
    Faint,
    Finding,
    Findings,
    Fold,
    Note,
    Picture,
    Section,
    Strip,
    Table,
    Text,
    absent,
)
from daxlab.report.drawing import as_csv, picture
from daxlab.report.facts import Facts, Row

ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb it only saw alone",
}
OVERALL_BEST = str(NETWORKS[OVERALL])
CLAIMS = (
    "Below each claim, folded, are its figures with their 95% intervals, and what the claim needs them to be. *holds*: "
    "all of the interval lies there, for every figure; *does not hold*: none of it, for one of them; *undecided*: "
    "neither. What is needed was written down when most of the shipped results were known."
)
PARTS = {f"exp{n}": f"Experiment {n}" for n in range(1, 5)} | {"train": "Accuracy on the training sets"}


def section(facts: Facts) -> Section:
    """The summary: the claims beside the contrast; then what differs; then, folded, every figure."""
    rows = [row for row in facts.compared.values() if row.paper is not None]
    best = Section("contrast-of-the-best", "On each split, the network that the paper found best", list(_best(facts)))
    parts = [*[best] * bool(best.blocks), _figures(rows)]
    return Section("summary", "What was found", [*_contrast(facts), *_differing(facts, rows)], parts)


def _contrast(facts: Facts) -> Iterator[Block]:
    """One network on the four main splits, beside the claims."""
    network, rows = _told(facts)
    claims = list(_claims(facts))
    if not rows:
        yield absent("any of the paper's networks on its four main splits", "all")
        yield from claims
        return
    who = f"{network}, the paper's best network overall (overall-best)" if network == OVERALL_BEST else network
    yield Text(f"{who}, trained anew for each split, {text.contrast(list(rows.items()))}", "lead")
    kind, of = ("overall", "the same network") if network == OVERALL_BEST else ("best", "the best of its 180 networks")
    caption = (
        "Per cent of test commands with every action right. Each dot is one run, a stroke their mean, a band its 95% "
        f"interval; a diamond is the paper's figure, of {of} on that split."
    )
    released = [f"*{split}*" for split, row in rows.items() if draw_of(row["split"]) == "release"]
    if released:
        caption += f" The runs on {', '.join(released)} are on the release's draw."
    title = f"{'overall-best' if kind == 'overall' else network} on {text.number(len(rows))} splits."
    meaning = [Text(CLAIMS, "after")] if any(isinstance(block, Findings) for block in claims) else []
    own = [_beside(rows, kind)] if network != OVERALL_BEST else []
    yield Columns([_lines("overall", rows, kind, ASKS, title, caption), *meaning], [*own, *claims])


def _beside(rows: Mapping[str, Row], kind: str) -> Table:
    """A network's runs beside the paper's figures: what the picture shows, in numbers."""
    lines = []
    for split, row in rows.items():
        network = f"\n{NETWORKS[BEST[split]]}" if kind == "best" else ""
        mean = f"{text.mean_cell(row)}\n{text.counted(row['runs'], 'run')}"
        lines.append((f"{split}\n{ASKS[split]}", mean, f"{stated(split, kind):g}{network}"))
    head = ("split", "here, %", "the paper's best, %")
    return Table("beside-the-paper", "These runs, and the best of the paper's 180 networks.", head, lines, (1, 2))


def _told(facts: Facts) -> tuple[str, dict[str, Row]]:
    """The network that tells most: that has runs on most of the four splits; of equals the overall best; its runs."""
    frame = facts.settings.filter(pl.col("protocol").is_null(), pl.col("runs") > 0, dataset=SCAN, learner=RNN.kind)
    found: dict[str, dict[str, Row]] = {}
    for row in frame.to_dicts():
        split = next((name for name, names in SPLITS.items() if row["split"] in names), None)
        rows = found.setdefault(row["network"], {})
        if split and (split not in rows or row["split"] == SPLITS[split][0]):  # the release's draw, if there is one
            rows[split] = row
    if not found:
        return OVERALL_BEST, {}
    network = max(found, key=lambda name: (len(found[name]), name == OVERALL_BEST, _runs(found[name])))
    return network, {split: _with_seeds(facts, found[network][split]) for split in ASKS if split in found[network]}


def _runs(rows: Mapping[str, Row]) -> int:
    return sum(row["runs"] for row in rows.values())


def _with_seeds(facts: Facts, row: Row) -> Row:
    runs = facts.ledger.rows({"key": row["keys"]})
    seeds = sorted(run["seed"] for run in runs if run["accuracy"] is not None)
    return {name: value for name, value in row.items() if name != "keys"} | {"seeds": seeds}


def _lines(
    name: str, rows: Mapping[str, Row], kind: str, about: Mapping[str, str], title: str, caption: str
) -> Picture:
    lines = {f"{split}: {about[split]}": (row, stated(split, kind)) for split, row in rows.items()}
    return picture(figures.lines(lines), f"contrast-{name}", title, caption, list(rows.values()))


def _best(facts: Facts) -> Iterator[Block]:
    """The best network of each split, on that split."""
    rows = {split: row for split in ASKS if (row := facts.row(BEST[split], *SPLITS[split]))}
    if rows:
        networks = {split: str(NETWORKS[BEST[split]]) for split in ASKS}
        caption = "As above. The paper chose each as the best of 180 by this figure, so it tends to be lower here."
        yield _lines("best", rows, "best", networks, "Of each split the paper's best network.", caption)


def _claims(facts: Facts) -> Iterator[Block]:
    """The claims that this ledger speaks to, and how many others there are."""
    measured = [claim for claim in facts.claims if claim.measured]
    tally = text.held([claim.verdict for claim in measured], len(facts.claims))
    if not measured:
        yield Text(tally)
        return
    rows = []
    for claim in measured:
        evidence = dict.fromkeys([claim.evidence, *(figure.text for figure in claim.figures)])  # what decides first
        rows.append(Finding(claim.claim, claim.verdict, list(evidence), claim.anchor))
    numbers = [
        {"claim": claim.id, "sentence": claim.claim} | asdict(figure) for claim in measured for figure in claim.figures
    ]
    data = pl.DataFrame(numbers).with_columns(pl.col("bound").list.to_struct(fields=["least", "most"])).unnest("bound")
    yield Findings("claims", tally, rows, as_csv(data))


def _differing(facts: Facts, rows: Sequence[Compared]) -> Iterator[Block]:
    """What differs, as dots beside the paper's figure, with the same network by other protocols and once more."""
    unmeasured = [row.id for row in rows if row.verdict == "unmeasured"]
    if needs := experiments_of(unmeasured):
        yield absent(text.counted(len(unmeasured), "figure of the paper", "figures of the paper"), " ".join(needs))
    head = ("how it was trained", "every run, 0 to 100%", "ours", "paper", "verdict")
    title = "The same network by other protocols, and trained once more."
    differs = [row for row in rows if row.verdict == "differs"]
    lines = [line for row in differs for line in (*_against(row), *_tried(facts, row))]
    if lines:
        caption = (
            "Dots are runs, bands 95% intervals, diamonds and bars the paper's figures. Grey: what else was tried."
        )
        named, head_of = "Where ours and the paper's figures differ.", ("figure", *head[1:4], "difference, or verdict")
        yield Table("differing", named, head_of, lines, (2, 3), caption)
    undecided = [row for row in rows if row.verdict == "undecided"]
    if again := [line for row in undecided if (more := _tried(facts, row)) for line in (*_against(row), *more)]:
        table = Table("tried-table", title, head, again, (2, 3), "Each verdict is of that line alone.")
        yield Fold("tried", "What was tried where it is undecided", text.counted(len(undecided), "figure"), [table])


def _against(row: Compared) -> Iterator[Sequence[Cell]]:
    """The line of a figure that is not the paper's, and why it may differ."""
    paper = row.paper if isinstance(row.paper, list) else [row.paper]
    drawn = row.unit is None and row.runs and isinstance(paper[0], int | float)
    strip: Cell = Strip(row.runs, row.low, row.high, paper) if drawn else ""
    apart = ""
    if row.difference_low is not None and row.difference_high is not None:
        apart = f"{text.signed(row.difference_low)} to {text.signed(row.difference_high)}"
    unit = "" if row.unit is None else f"\n{row.unit}"
    name = f"{row.experiment or row.id}\n{row.network}" if row.network else row.experiment or row.id
    yield name, strip, f"{text.ours(row)}{unit}", row.stated, apart or row.verdict
    note = " ".join(filter(None, (text.regression(row), text.sentence(row.note) if row.note else "")))
    if note:
        yield (Note(note),)


def _tried(facts: Facts, row: Compared) -> list[Sequence[Cell]]:
    _, *lines = tried(facts, row) or [()]
    return [(Faint(how), strip, mean, "", verdict) for how, mean, verdict, strip in lines]


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


def _figures(rows: Sequence[Compared]) -> Section:
    """Every figure of the paper that this ledger measures, in a table."""
    measured = [row for row in rows if row.verdict != "unmeasured"]
    blocks: list[Block] = [Text(text.tally([row.verdict for row in rows])), *([_table(measured)] if measured else [])]
    about = f"{text.counted(len(measured), 'figure')}, with intervals and every run"
    return Section("figures", "Every figure of the paper beside ours", blocks, about=about)


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
        of_part = [line for row in rows if row.id.startswith(prefix) for line in _figure(row)]
        lines += [(title,), *of_part] if of_part else []
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
