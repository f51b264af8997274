"""The search on the page: which architectures are best, what the best of many is worth, and what each choice does.

Appears experiment by experiment, as soon as enough architectures have runs. No number is computed here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from daxlab.analysis.effects import effects
from daxlab.paper.experiments import SPLITS
from daxlab.paper.search import ARCHITECTURES, AXES, COMMAND, all_round, choices, measured
from daxlab.report import choices as said
from daxlab.report import panels, text
from daxlab.report.blocks import Block, Cell, Row, Section, Table, Text
from daxlab.report.drawing import Picture, as_csv, picture
from daxlab.report.facts import Facts

ENOUGH = 10  # architectures with runs on an experiment, for it to be looked at
TOP = 5
MOST_RUNS = 10  # that a row shows
DATA: dict[str, Any] = {"of": str, "who": str, "network": str, "place": int, "runs": int}
DATA |= dict.fromkeys(("mean", "sem", "low", "high", "again", "stated"), float)
Found = dict[str, Any]


def section(facts: Facts) -> Section:
    """The search, as far as the ledger has it."""
    title, short = f"The search over {ARCHITECTURES} architectures", "The search"
    frame = facts.runs.search
    found = choices(frame, TOP)
    enough = [name for name in SPLITS if name in found and found[name]["architectures"] >= ENOUGH]
    if not enough:
        return Section("architectures", title, [Text(text.absent(title, COMMAND), "absent")], short=short)
    below = [Section(f"search-{name}", f"On {name}", list(_experiment(frame, name, found[name]))) for name in enough]
    return Section("architectures", title, list(_whole(frame, found, enough)), below, short=short)


def _whole(frame: pl.DataFrame, found: Mapping[str, Found], enough: Sequence[str]) -> Iterator[Block]:
    yield Text(
        "The paper chose its networks from 180: SRN, LSTM or GRU, with attention or without, of one or two layers, 25 "
        "to 400 hidden units, three rates of dropout; each trained five times on each of four experiments.",
        "lead",
    )
    yield Text(said.completeness({name: found[name] for name in enough}, ARCHITECTURES))
    lacking = [name for name in SPLITS if name not in enough]
    if lacking:
        yield Text(text.absent(f"the search on {text.listed([f'*{one}*' for one in lacking])}", COMMAND), "absent")
    overall = all_round(frame, TOP) if not lacking else None
    if overall:
        yield Text(said.all_round(overall))
    yield _winners({name: found[name] for name in enough}, overall)


def _winners(found: Mapping[str, Found], overall: Found | None) -> Table:
    rows: list[Sequence[Cell]] = []
    data: list[dict[str, Any]] = []
    for name, best, paper in _pairs(found, overall):
        rows += [(name,), _row(best, "the best here"), _row(paper, "the paper's choice")]
        data += [{"of": name, "who": who} | row for who, row in (("best", best), ("paper", paper))]
    caption = (
        "Means over replicates with standard error, and below them the 95% interval (Student's t). "
        + said.AGAIN.replace("\n", " ").replace("again:", "*again*:").replace("By rank:", "*By rank*:")
    )
    columns = pl.DataFrame([{name: row.get(name) for name in DATA} for row in data], DATA, orient="row")
    title, head = "The best of many, and the paper's choice.", ("network", "mean", "again", "paper")
    return Table("search-winners", title, head, rows, right=(1, 2, 3), caption=caption, data=as_csv(columns))


def _pairs(found: Mapping[str, Found], overall: Found | None) -> Iterator[tuple[str, Found, Found]]:
    """The best and the paper's choice, of each experiment and of all."""
    for name, one in found.items():
        paper = one["paper"]["best"]
        yield name, one["best"][0] | _again(one), (paper["here"] or paper) | {"stated": paper["stated"]}
    for measure in ("rank", "accuracy") if overall else ():
        assert overall is not None
        paper, first = overall["paper"], overall[measure]["best"][0]
        here = measured(paper["here"], measure) | {"place": paper["places"][measure]} if paper["here"] else paper
        best = measured(first, measure) | {"place": 1} | _again(overall[measure])
        yield f"overall, by mean {measure}", best, here


def _again(one: Found) -> Found:
    return {name: one[name] for name in ("again", "scores")}


def _row(row: Found, what: str) -> Sequence[Cell]:
    again = text.percent(row["again"]) + (f"\n{said.spread(row)}" if row["scores"] else "") if "again" in row else ""
    stated = f"{row['stated']:g}" if "stated" in row else ""
    if "mean" not in row:
        return (f"{row['network']}\n{what}, no runs on this split", "–", again, stated)
    place = "" if row["place"] == 1 and "again" in row else f", number {row['place']} here"
    return (f"{row['network']}\n{what}{place}", _mean(row), again, stated)


def _mean(row: Found) -> str:
    if row["sem"] is None:
        return text.percent(row["mean"])
    return f"{text.percent(row['mean'])} ± {row['sem']:.2f}\n{text.signed(row['low'])} to {text.signed(row['high'])}"


def _experiment(frame: pl.DataFrame, name: str, found: Found) -> Iterator[Block]:
    yield Text(
        f"{said.best(found)} {said.regressing(found)} {said.chosen(found['paper']['best'], found['architectures'])}"
    )
    rows = frame.filter((pl.col("experiment") == name) & (pl.col("runs") > 0))
    values = effects(frame, name, AXES)
    yield Row([_panels(name, rows, found), *([_worth(name, values)] if values.height else [])])
    yield _best(name, found)


def _panels(name: str, rows: pl.DataFrame, found: Found) -> Picture:
    paper = found["paper"]
    marked = [panels.Marked(one["network"], one["stated"]) for one in (paper["best"], paper["overall"])]
    drawn = panels.panels(rows.to_dicts(), AXES, marked)
    caption = (
        "Per cent of test commands right, by hidden units: lines are means, every run is a faint dot. Rings are the "
        "networks that the paper chose for this experiment and overall, diamonds its figures for them."
    )
    if panels.skewed(rows["mean"].to_list(), rows["accuracies"].to_list()):
        caption += " The scale is of square roots, so that small accuracies can be told apart."
    top = "; ".join(f"{row['network']}: {text.percent(row['mean'])}" for row in found["best"][:5])
    label = (
        f"Accuracy of {rows.height} architectures on {name}, a panel for each number of layers and dropout. Best: {top}"
    )
    return picture(drawn, f"search-panels-{name}", f"Every architecture on *{name}*.", caption, label, rows)


def _worth(name: str, values: pl.DataFrame) -> Picture:
    least = int(values["architectures"].min())  # type: ignore[arg-type]
    caption = (
        "The mean over matched architectures, which differ in this alone: each a dot, their mean a stroke, its 95% "
        f"interval over replicates of the whole search a band. At least {text.counted(least, 'architecture')} a line."
    )
    label = "; ".join(f"{row['axis']} {row['value']}: {text.percent(row['mean'])}" for row in values.to_dicts())
    drawn = panels.worth(values.to_dicts())
    return picture(drawn, f"search-worth-{name}", f"What each value is worth on *{name}*.", caption, label, values)


def _best(name: str, found: Found) -> Table:
    shown = list(found["best"])
    kinds = {"overall": "the paper's overall best", "best": "the paper's choice"}
    chosen = {found["paper"][kind]["network"]: words for kind, words in kinds.items()}
    names = {row["network"] for row in shown}
    papers = [found["paper"][kind]["here"] for kind in kinds]
    rest = sorted((row for row in papers if row and row["network"] not in names), key=lambda row: int(row["place"]))
    rows: list[Sequence[Cell]] = []
    for row in (*shown, *rest):
        runs = " ".join(text.percent(value) for value in row["accuracies"][:MOST_RUNS])
        more = f" … ({row['runs']})" if row["runs"] > MOST_RUNS else ""
        mark = f" ({chosen[row['network']]})" if row["network"] in chosen else ""
        rows.append((f"{row['network']}{mark}\n{runs}{more}", str(row["place"]), _mean(row)))
    caption = "Below each network its runs." + (" The paper's choices stand at the end." if rest else "")
    return Table(f"search-best-{name}", f"The best on *{name}*.", ("network", "place", "mean"), rows, right=(1, 2),
                 caption=caption)  # fmt: skip
