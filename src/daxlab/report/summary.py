"""The first part of the page: the contrast that the paper is about, and every figure of it beside ours."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from daxlab.paper import Row as Compared
from daxlab.paper.experiments import BEST, NETWORKS, OVERALL, simple
from daxlab.paper.targets import targets
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Row, Section, Strip, Table, Text
from daxlab.report.drawing import Picture, picture
from daxlab.report.facts import Facts, described

MAIN = {"simple": (simple(True), simple(False)), "turn-left": ("turn-left",), "length": ("length",), "jump": ("jump",)}
ASKS = {
    "simple": "new commands, of kinds it has seen",
    "turn-left": "a turn it only saw alone",
    "length": "longer action sequences",
    "jump": "a verb it only saw alone",
}
PAPER = {split: "exp3." + split if split in ("turn-left", "jump") else {"simple": "exp1", "length": "exp2"}[split] for split in ASKS}
PARTS = {"exp1": "Experiment 1", "exp2": "Experiment 2", "exp3": "Experiment 3", "exp4": "Experiment 4", "train": "Training sets"}
PERCENT = (None, "%")
VERDICTS = ("within", "beyond", "shown", "unmeasured")


def section(facts: Facts, rows: Sequence[Compared]) -> Section:
    """The summary."""
    paper = [row for row in rows if not row.id.startswith("ours.")]
    blocks: list[Block] = [*_contrast(facts), Text(text.tally([row.verdict for row in paper]))]
    blocks += [Text(said, "beyond") for said in _beyond(facts, paper)]
    blocks.append(_table(paper))
    return Section("summary", "What was found", blocks)


def _contrast(facts: Facts) -> Iterator[Block]:
    known = {one.id: one.value for one in targets()}
    pictures = []
    for kind, networks in {"overall": dict.fromkeys(MAIN, OVERALL), "best": BEST}.items():
        rows = {split: facts.row(networks[split], *names) for split, names in MAIN.items()}
        found = [(split, row) for split, row in rows.items() if row]
        if kind == "overall" and found:
            yield Text(f"One network, {NETWORKS[OVERALL]}, the paper's best overall, trained anew for each split. "
                       f"{text.contrast(found)}", "lead")  # fmt: skip
        given = [
            figures.Line(_label(split, networks[split], kind), row["accuracies"], row["mean"], row["low"], row["high"],
                         known[f"{PAPER[split]}.{kind}"])
            for split, row in found
        ]  # fmt: skip
        if given:
            pictures.append(_picture(given, kind, [dict(row) for _, row in found]))
    if pictures:
        yield Row(pictures)
    else:
        yield Text(text.absent("any of the paper's networks on its four main splits", text.reproduce("all")), "absent")


def _label(split: str, network: str, kind: str) -> str:
    return f"{split}: {ASKS[split]}" if kind == "overall" else f"{split}: {NETWORKS[network]}"


def _picture(given: list[figures.Line], kind: str, rows: list[dict[str, Any]]) -> Picture:
    title = f"The {described(OVERALL)} network on four splits." if kind == "overall" else (
        "On each split, the network that the paper found best.")  # fmt: skip
    caption = "Per cent of test commands with every action right: each run a dot, the mean a stroke with its 95% "
    caption += "interval; the diamond is the paper's mean of five runs."
    if kind == "best":
        caption += " These networks are the paper's best of 180 by this figure."
    label = "; ".join(f"{one.label}: mean {text.percent(one.mean)}, paper {one.paper:g}" for one in given)
    return picture(figures.lines(given), f"contrast-{kind}", title, caption, label, pl.DataFrame(rows))


def _beyond(facts: Facts, rows: Sequence[Compared]) -> Iterator[str]:
    """What lies beyond, said plainly, and what else of the same network and split is in the ledger."""
    for row in rows:
        if row.verdict == "beyond":
            parts = [text.against(row, _what(row)), text.regression(row), f"({row.note}.)" if row.note else "", tried(facts, row)]
            yield " ".join(part for part in parts if part)


def tried(facts: Facts, row: Compared) -> str:
    """Runs on the same split by another protocol: what was tried."""
    chosen = (pl.col("split") == row.split) & pl.col("protocol").is_not_null() & (pl.col("runs") > 0)
    others = facts.networks.filter(chosen).to_dicts()
    each = [f"{one['network']} with {one['protocol']}: {text.measured(one)}" for one in others]
    return f"Also tried on *{row.split}*: {'; '.join(each)}." if each else ""


def _what(row: Compared) -> str:
    network = f", {row.network}" if row.network else ""
    return f"{(row.experiment or row.id)[:1].upper()}{(row.experiment or row.id)[1:]}{network}"


def _table(rows: Sequence[Compared]) -> Table:
    shown: list[Sequence[Cell]] = []
    for prefix, title in PARTS.items():
        part = [row for row in rows if row.id.split(".")[0] == prefix]
        if part:
            shown += [(title,), *(_row(row) for row in part)]
    caption = (
        "One row for each figure. Percentages of exact matches unless a row says otherwise; ours are means over runs with "
        "their standard error and 95% interval. *within*: the paper's figure lies in the 95% interval for the difference "
        "of two means, the paper's spread taken as ours; *beyond*: it does not. † the paper's best of 180 networks."
    )
    head = ("figure", "paper", "ours", "95% interval", "every run, 0 to 100%", "verdict")
    return Table("comparison", "The paper's figures and ours.", head, shown, right=(1, 2, 3), caption=caption)


def _row(row: Compared) -> Sequence[Cell]:
    network = f"{row.network or ''}{' †' if row.selected else ''}"
    small = "; ".join(part for part in (network, row.unit or "", row.note) if part)
    ours = text.percent(row.mean) if row.unit in PERCENT else _count(row.mean)
    if row.sem is not None:
        ours += f" ± {row.sem:.2f}"
    interval = "" if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}"
    paper = row.paper if isinstance(row.paper, list) else [row.paper] if isinstance(row.paper, int | float) else []
    percentages = row.unit in PERCENT
    strip = Strip(row.runs, row.low, row.high, paper) if percentages and row.runs else str(Strip(row.runs))
    return (f"{row.experiment or row.id}\n{small}", row.stated or "–", ours, interval, strip, row.verdict)


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
