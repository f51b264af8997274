"""The first part of a page that has nothing of the paper's: which learner is how right on which split.

Any learner, any dataset. A figure if there are few of them, and a table with every one.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from daxlab.analysis.accuracy import by_test_set
from daxlab.paper.experiments import SCAN
from daxlab.paper.targets import FIGURES, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Columns, Faint, Section, Table, Text, absent
from daxlab.report.drawing import as_csv, picture, short
from daxlab.report.facts import Facts

MOST_LINES = 10  # of a figure
MOST_COLUMNS = 7  # of a table
MOST_LETTERS = 46  # of the name of a line
PAPERS = "the paper's overall best network"
Row = Mapping[str, Any]
Results = dict[str, dict[str, Row]]  # by learner and test set


def section(facts: Facts) -> Section:
    """Learners by splits, the best first."""
    results = _results(facts)
    if not results:
        return Section("summary", "What was found", [absent("any accuracy", command="daxlab train")])
    return Section("summary", "What was found", list(_blocks(results)))


def _results(facts: Facts) -> Results:
    """The accuracies of each learner on each test set, by the names of both."""
    results: Results = {}
    for row in facts.settings.filter(pl.col("runs") > 0).to_dicts():
        learner = f"{row['network']} ({row['protocol']})" if row["protocol"] else row["network"]
        place = row["split"] if row["dataset"] == SCAN else f"{row['split']} ({Path(row['dataset']).name})"
        tests = {place: row} | {
            f"{place}: {test}": further for test, further in by_test_set(facts.ledger, row["keys"]).items()
        }
        results.setdefault(learner, {}).update(tests)
    return results


def _blocks(results: Results) -> Iterator[Block]:
    lines = {(learner, test): row for learner, rows in results.items() for test, row in rows.items()}
    for learner, rows in list(results.items())[:1]:
        yield Text(f"{learner} {text.contrast(list(rows.items())[:MOST_COLUMNS])}", "lead")
    if len(lines) > MOST_LINES:
        yield _table(results)
        return
    drawn = {_name(results, *names): (row, _paper(names[1])) for names, row in lines.items()}
    caption = "Per cent of test commands right: runs are dots, means strokes, 95% intervals bands."
    if any(paper is not None for _, paper in drawn.values()):
        caption += f" Diamonds: {PAPERS}, as published."
    data = [{"learner": learner, "test": test, **row} for (learner, test), row in lines.items()]
    columns = ("learner", "test", "runs", "mean", "sem", "low", "high", "accuracies")
    rows_of = pl.DataFrame([{name: row[name] for name in columns} for row in data], strict=False)
    yield Columns([picture(figures.lines(drawn), "learned", "How right it is.", caption, rows_of)], [_table(results)])


def _name(results: Results, learner: str, test: str) -> str:
    """A line of the figure; where there is one learner or one test set, that goes without saying."""
    tests = {name for rows in results.values() for name in rows}
    return short(test if len(results) == 1 else learner if len(tests) == 1 else f"{test}: {learner}", MOST_LETTERS)


def _paper(test: str) -> float | None:
    return stated(test, "overall") if test in FIGURES else None


def _table(results: Results) -> Table:
    """Learners by splits, or splits by learners, so that the fewer are the columns."""
    tests = list(dict.fromkeys(test for rows in results.values() for test in rows))
    papers = [f"{figure:g}" if (figure := _paper(test)) is not None else "–" for test in tests]
    lines: list[Sequence[Cell]]
    if len(tests) <= MOST_COLUMNS:
        head = ("learner", *tests)
        lines = [(learner, *(_cell(rows.get(test)) for test in tests)) for learner, rows in results.items()]
        lines += [(Faint(PAPERS), *papers)] if any(figure != "–" for figure in papers) else []
    else:
        learners = list(results)[:MOST_COLUMNS]
        head = ("split", *learners, PAPERS)
        lines = [
            (test, *(_cell(results[learner].get(test)) for learner in learners), figure)
            for test, figure in zip(tests, papers, strict=True)
        ]
    left_out = len(results) - MOST_COLUMNS if len(tests) > MOST_COLUMNS else 0
    caption = "Means over runs, with 95% intervals where there are several."
    caption += f" {text.counted(left_out, 'other learner is', 'other learners are')} left out." if left_out > 0 else ""
    data = pl.DataFrame(
        [
            {"learner": learner, "test": test, "mean": row["mean"], "low": row["low"], "high": row["high"]}
            | {"runs": row["runs"], "accuracies": row["accuracies"]}
            for learner, rows in results.items()
            for test, row in rows.items()
        ],
        strict=False,
    )
    return Table("learned-table", "Learners by splits.", head, lines, range(1, len(head)), caption, as_csv(data))


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    ends = [] if row["low"] is None else [text.interval(row)]
    return "\n".join([text.percent(row["mean"]), *ends, text.counted(row["runs"], "run")])
