"""The leaderboard as tables, for a page, a document or a spreadsheet. No number is computed here."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from daxlab.errors import InputError
from daxlab.paper.leaderboard import SPLITS, Cell, Entry, others
from daxlab.paper.published import Published
from daxlab.report import text
from daxlab.report.blocks import Block, Faint, Note, Section, Strip, Table, Text
from daxlab.report.drawing import as_csv
from daxlab.report.markdown import markdown
from daxlab.units import counted

FORMATS = (".md", ".csv", ".json")
SHORT = {"turn-left": "turn left", "template-around-right": "around right", "few-jump-8": "few jump-8"}
TITLE = "After the paper: learners by splits"
LEGEND = (
    "Per cent of test commands wholly right: means over runs with 95% intervals. A published figure is that of a "
    "system of its kind. Ours agrees if its interval lies within five points of it, or a factor of three in odds where "
    "that is narrower; it differs if chance does not explain the difference, over all figures together; and it is "
    "undecided otherwise."
)
ORDER = "The best come first, by their mean over the splits; a split without runs counts as 0."
Row = dict[str, Any]


def as_json(entries: Sequence[Entry], split: str | None = None) -> Row:
    """For scripts: each learner with its splits, or with one; of one split also what else was published on it."""
    shown = [split] if split else list(SPLITS)
    learners = [entry.as_dict() for entry in entries]
    for row in learners:
        row["splits"] = {name: row["splits"][name] for name in shown}
    content: Row = {"splits": shown, "learners": learners}
    return content | ({"others": [figure.as_dict() for figure in others(split, entries)]} if split else {})


def written(entries: Sequence[Entry], split: str | None, form: str) -> str:
    """The whole table, or one split of it, in a format of FORMATS."""
    if form == ".json":
        return json.dumps(as_json(entries, split), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if form == ".csv":
        return as_csv(frame(entries, [split] if split else SPLITS))
    if form != ".md":
        raise InputError(f"a leaderboard is {', '.join(FORMATS)}, not {form or 'a file without an ending'!r}")
    parts = [table(entries)] if split is None else [split_table(entries, split), *others_table(entries, split)]
    sections = [Section("leaderboard", "Accuracy", [Text(LEGEND), *parts])]
    return markdown(TITLE, [], [*sections, Section("learners", "The learners", [about_table(entries)])])


def frame(entries: Sequence[Entry], splits: Sequence[str] = SPLITS) -> pl.DataFrame:
    """A row for each learner and split."""
    rows = []
    for entry in entries:
        for cell in (entry.cells[split] for split in splits):
            numbers = {name: getattr(cell, name) for name in ("split", "mean", "low", "high", "runs", "failed", "draw")}
            row: Row = {"learner": entry.learner, "kind": entry.kind, **numbers, "accuracies": list(cell.accuracies)}
            figure: Row = cell.published.as_dict() if cell.published else {}
            row |= {f"published_{name}": figure.get(name) for name in PUBLISHED}
            row |= {"verdict": cell.verdict, "difference": cell.difference}
            row |= {"presentations": str(entry.presentations), "parameters": entry.parameters, "told": entry.told}
            rows.append(row)
    return pl.DataFrame(rows, SCHEMA, orient="row")


PUBLISHED = ("system", "mean", "spread", "spread_kind", "runs", "told", "protocol", "source")
SCHEMA: dict[str, Any] = {"learner": str, "kind": str, "split": str, "mean": float, "low": float, "high": float}
SCHEMA |= {"runs": int, "failed": int, "draw": str, "accuracies": list[float]}
SCHEMA |= {f"published_{name}": {"mean": float, "spread": float, "runs": int}.get(name, str) for name in PUBLISHED}
SCHEMA |= {"verdict": str, "difference": float, "presentations": str, "parameters": int, "told": str}


# -- tables

DRAWS = {"release": "the release's draw", "own": "our draw"}  # of a random split


def table(entries: Sequence[Entry]) -> Table:
    """Learners by splits: our mean, its interval, the published figure and the verdict."""
    rows = []
    for entry in entries:
        cells = ["\n".join(cell_words(entry.cells[split])) for split in SPLITS]
        rows.append([entry.learner, *cells])
    head = ("learner", *(heading(split) for split in SPLITS))
    right = range(1, len(head))
    return Table("leaderboard-table", "Learners by splits.", head, rows, right, ORDER, as_csv(frame(entries)))


def heading(split: str) -> str:
    """A split as the heading of a narrow column."""
    return SHORT.get(split, split)


def cell_words(cell: Cell) -> list[str]:
    """A cell, line by line."""
    if not cell.runs:
        return ["–"]
    said = [text.percent(cell.mean)]
    if cell.low is not None:
        said.append(text.interval({"low": cell.low, "high": cell.high}))
    said.append(counted(cell.runs, "run") + (f", {DRAWS[cell.draw]}" if cell.draw else ""))
    if cell.published:
        said.append(f"published {cell.published.mean:g}" + (f": {cell.verdict}" if cell.verdict else ""))
    return said


def split_table(entries: Sequence[Entry], split: str) -> Table:
    """The learners on one split, with every run."""
    rows: list[list[str | Strip]] = []
    for entry in entries:
        cell = entry.cells[split]
        figure = published_words(cell.published) if cell.published else "–"
        strip = Strip(cell.accuracies, cell.low, cell.high, [cell.published.mean] if cell.published else [])
        ends = "" if cell.low is None else text.interval({"low": cell.low, "high": cell.high})
        numbers = [text.percent(cell.mean), ends or "–", str(cell.runs or "–")]
        rows.append([entry.learner, *numbers, figure, cell.verdict or "–", strip])
    head = ("learner", "%", "95% interval", "runs", "published", "verdict", "every run, 0 to 100%")
    data = as_csv(frame(entries, [split]))
    return Table(f"leaderboard-{split}", f"Learners on *{split}*.", head, rows, (1, 2, 3), ORDER, data)


def published_words(figure: Published) -> str:
    """A published figure with its spread, runs and system: "60.67 ± 8.33 (sd, 5 runs), ConvS2S"."""
    about = [figure.spread_kind or "", counted(figure.runs, "run") if figure.runs else ""]
    spread = f" ± {figure.spread:g}" if figure.spread is not None else ""
    said = ", ".join(filter(None, about))
    return f"{figure.mean:g}{spread}{f' ({said})' if said else ''}, {figure.system}"


def others_table(entries: Sequence[Entry], split: str) -> Iterator[Block]:
    """What else was published on a split."""
    rows = []
    for figure in others(split, entries):
        mean, _, _ = published_words(figure).rpartition(f", {figure.system}")
        rows.append([Faint(figure.system), mean, *given(figure), source(figure)])
    if rows:
        head = ("system", "%", "told", "protocol", "source")
        yield Table(
            f"published-{split}", f"Others on *{split}*.", head, rows, (1,), "By other protocols; not trained here."
        )


def given(figure: Published) -> tuple[str, str]:
    """What a published system was told, and how its protocol differs from the paper's."""
    protocol = "not known" if figure.protocol is None else figure.protocol or "the paper's"
    return figure.told or "not known", protocol


def source(figure: Published) -> str:
    """Where a figure stands."""
    return figure.source.partition(";")[0] + (", at second hand" if figure.status == "secondary" else "")


def about_table(entries: Sequence[Entry]) -> Table:
    """What each learner was given, and whose figures stand beside its own."""
    rows: list[list[str]] = []
    for entry in entries:
        words = about_words(entry)
        rows.append([f"{entry.learner}\ntold {words.pop('told')}", *words.values()])
        rows += [[Note(f"Published: {said}.")] for said in systems(entry)]
    head = ("learner", "presentations", "parameters")
    return Table(
        "leaderboard-learners", "What each learner was given, and whose figures stand beside it.", head, rows, (1, 2)
    )


def about(entry: Entry) -> str:
    """What a learner was given, in a line."""
    words = about_words(entry)
    counts = [words["presentations"] + " presentations" * isinstance(entry.presentations, int)]
    counts += [f"{words['parameters']} parameters"] * (entry.parameters is not None)
    return f"{', '.join(counts)}; told {words['told']}"


def about_words(entry: Entry) -> dict[str, str]:
    """What a learner was given, in words."""
    shown = entry.presentations
    return {
        "presentations": f"{shown:,}" if isinstance(shown, int) else shown,
        "parameters": "–" if entry.parameters is None else f"{entry.parameters:,}",
        "told": entry.told or "not known",
    }


def systems(entry: Entry) -> list[str]:
    """Whose figures stand beside a learner's, each with its source, and with its protocol if that is another one."""
    figures = {cell.published.system: cell.published for cell in entry.cells.values() if cell.published}
    said: list[str] = []
    for system, figure in figures.items():
        told, protocol = given(figure)
        differs = [f"told: {told}"] * (told != "nothing") + [f"protocol: {protocol}"] * (figure.protocol != "")
        said.append("; ".join([f"{system}: {source(figure)}", *differs]))
    return said


def rounded(mean: float | None) -> str:
    """A mean for a narrow column, to a tenth of a per cent.

    >>> rounded(100.0), rounded(99.99), rounded(14.58)
    ('100', '>99.9', '14.6')
    """
    return f"{mean:g}" if mean in (0, 100) else text.percent(mean, 1)
