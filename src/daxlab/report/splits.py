"""Every dataset and split of the ledger, for any learner: accuracies, learning curves, and where the errors are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.accuracy import by_test_set, median_run
from daxlab.analysis.curves import learning
from daxlab.analysis.errors import by_category
from daxlab.analysis.probes import attention
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.paper.experiments import BEST, NETWORKS, SPLITS
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Fold, Picture, Row, Section, Strip, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import COLOR, picture
from daxlab.report.facts import SCAN, Facts, Setting, title_of

MOST_LEARNERS, MOST_CLOSELY = 12, 6  # on one split; of more, only some are shown
MOST_TEMPLATES, MOST_ACTIONS = 10, 10  # that a figure shows
MAIN = [split for name in BEST for split in reversed(SPLITS[name])]  # the chapters have tables of these
Further = Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]]  # by network and protocol: numbers by test set
PAPERS = [str(network) for network in NETWORKS.values()]
LEAD = (
    "What the runs of each learner got right and wrong. Actions are compared position by position in wrong answers, "
    "“end” standing where one of the two has ended. Draws of one kind are taken together."
)


def section(facts: Facts) -> Section:
    """A fold for each split that has runs, SCAN's main splits first."""
    if not facts.splits:
        return Section("splits", "Every split", [absent("any split", "all")])
    order = sorted(facts.splits, key=lambda place: (place[0] != SCAN, place[0], *_order(place[1])))
    names = [slug(title_of(*place)) for place in order]
    folds = [_fold(facts, *place, name if names.index(name) == n else f"{name}-at-{n}")
             for n, (place, name) in enumerate(zip(order, names, strict=True))]  # fmt: skip
    return Section("splits", "Every split", [Text(LEAD), *folds])


def _order(split: str) -> tuple[int, list[tuple[int, str]]]:
    """The main splits first; size-2 before size-16."""
    natural = [(int(part or 0), word) for word, part in re.findall(r"(\D+)(\d*)", split)]
    return MAIN.index(split) if split in MAIN else len(MAIN), natural


def slug(name: str) -> str:
    """A name as part of an anchor and of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _fold(facts: Facts, data: str, split: str, name: str) -> Fold:
    settings = facts.splits[data, split]
    rows = facts.settings.filter(pl.col("runs") > 0, dataset=data, split=settings[0].split)
    ranked = list(dict.fromkeys([*rows["network"], *(setting.network for setting in settings)]))
    shown = closely(ranked, ranked[: 1 if set(PAPERS) & set(ranked) else MOST_CLOSELY])
    some = [setting for setting in settings if setting.network in shown]
    about, blocks = text.counted(len(ranked), "learner"), list[Block]()
    if data != SCAN:
        blocks.append(Text(about_dataset(data)))
    if not (facts.of_paper and data == SCAN and split in MAIN):
        further = {(one.network, one.protocol): by_test_set(facts.ledger, one.keys) for one in some}
        blocks += learner_table(rows, title_of(data, split), name, further)
    if hidden := len(ranked) - len(shown):
        about += f", {text.number(len(shown))} of them closely"
        left = text.counted(hidden, "other learner is", "other learners are")
        blocks.append(Text(f"The best are shown closely, and the paper's networks; {left} left out."))
    for n, setting in enumerate(some):
        blocks += _setting(facts, setting, f"{name}-{n}")
    return Fold(f"split-{name}", title_of(data, split), about, blocks)


def about_dataset(data: str) -> str:
    """Where a dataset comes from, as far as this machine knows."""
    try:
        return f"The dataset: {dataset(data).about}."
    except InputError:
        return f"The dataset is `{data}`, which is not on this machine."


def closely(names: Sequence[str], best: Sequence[str]) -> set[str]:
    """Which of the learners on a split are shown closely: all, or of many the paper's and the first of the best."""
    if len(set(names)) <= MOST_LEARNERS:
        return set(names)
    papers = [name for name in PAPERS if name in set(names)]
    others = [name for name in best if name not in papers]
    return {*papers, *others[: max(MOST_LEARNERS - len(papers), 0)]}


def learner_table(frame: pl.DataFrame, title: str, name: str, further: Further | None = None, *,
                  splits: bool = False) -> Iterator[Table]:  # fmt: skip
    """The learners on a split, best first, with every run; `further`: their accuracies on further test sets."""
    every = frame["network"].unique(maintain_order=True).to_list()
    shown = closely(every, every)
    rows: list[dict[str, Any]] = []
    for row in frame.filter(pl.col("network").is_in(shown)).iter_rows(named=True):
        tests = (further or {}).get((row["network"], row["protocol"] or ""), {})
        about = [row["split"]] if splits or tests else []
        rows.append(row | {"about": ", ".join([*about, row["protocol"]] if row["protocol"] else about)})
        others = {"train_mean": None, "oracle_mean": None, "failed": 0}
        rows += [{**row, **numbers, **others, "about": test} for test, numbers in tests.items()]
    columns: dict[str, Sequence[Any]] = {
        "learner": [f"{row['network']}\n{row['about']}" for row in rows],
        "runs": [str(row["runs"]) + (f" (+{row['failed']} failed)" if row["failed"] else "") for row in rows],
        "every run, 0 to 100%": [Strip.of(row) for row in rows],
        "test": [text.mean_cell(row) for row in rows],
        "training": [text.percent(row["train_mean"]) for row in rows],
        "oracle length": [text.percent(row["oracle_mean"]) for row in rows],
    }
    kept = {head: cells for head, cells in columns.items() if any(cell != "–" for cell in cells)}
    caption = "Accuracies in per cent: means over runs, on the test set with standard error and 95% interval."
    if left := len(every) - len(shown):
        caption += f" Only the best, and the paper's networks; without {text.counted(left, 'other learner')}."
    if rows:
        cells = list(zip(*kept.values(), strict=True))
        yield Table(
            f"learners-{name}", f"Learners on *{title}*.", list(kept), cells, right=(1, 3, 4, 5), caption=caption
        )


def _setting(facts: Facts, setting: Setting, name: str) -> Iterator[Block]:
    protocol = f" ({setting.protocol})" if setting.protocol else ""
    yield Text(f"{setting.network}{protocol}: {text.counted(len(setting.keys), 'run')}", "name")
    pictures = list(_learning(facts, setting, name))
    keys = tuple(key for key in setting.keys if facts.ledger.artefact(key, "greedy") is not None)
    if len(keys) < len(setting.keys):
        some = f"the answers of {text.number(len(keys))} of these runs only" if keys else "none of their answers"
        yield Text(f"This ledger has {some}.", "absent")
    shown = blocks_until_missing(_answers(facts, setting._replace(keys=keys), name) if keys else ())
    pictures += [one for one in shown if isinstance(one, Picture)]
    yield from [Row(pictures)] if pictures else []
    yield from (one for one in shown if not isinstance(one, Picture))


def _learning(facts: Facts, setting: Setting, name: str) -> Iterator[Picture]:
    frame = learning(facts.ledger, setting.keys)
    curves = frame.filter(~pl.all_horizontal(pl.col("train_accuracy", "test_accuracy").is_null()))
    if curves.height:
        drawn = figures.learning([rows.to_dicts() for rows in curves.partition_by("key", maintain_order=True)])
        caption = "Accuracy on samples of the training and of the test set, one line a run."
        yield picture(drawn, f"learning-{name}", "Learning.", caption, frame)


def _answers(facts: Facts, setting: Setting, name: str) -> Iterator[Picture | Table]:
    """What the answers show: errors by length, position, template, action and category, and attention."""
    ask = partial(_ask, facts, setting)
    where = errors.first_wrong(facts.ledger, setting.keys)
    if where.height:
        lengths, which = ask(errors.by_length)
        yield length_picture({"greedy": lengths}, "actions", f"by-length-{name}", "Accuracy by length.", which)
        counts = dict(where.select("position", "count").iter_rows())
        drawn = figures.columns(counts, "position of the first wrong action")
        caption = "Wrong answers over all runs."
        yield picture(drawn, f"first-wrong-{name}", "Where answers first go wrong.", caption, where)
        if dataset(setting.dataset).grammar is not None:
            yield from _templates(*ask(errors.by_template), name)
        yield _confusion(errors.confusion(facts.ledger, setting.keys), name)
    for test in (None, *by_test_set(facts.ledger, setting.keys)):
        frame, which = ask(partial(by_category, test=test))
        if frame.height:
            yield from _categories(frame, test or setting.split, f"{name}-{slug(test or 'main')}", which)
    frame = attention(facts.ledger, median_run(facts.ledger, setting.keys))
    if frame.height:
        (row,) = facts.ledger.rows({"key": median_run(facts.ledger, setting.keys)})
        caption = f"Median run, seed {row['seed']}. Rows: the first {figures.STEPS} actions given; columns: the words."
        yield picture(figures.attention_maps(frame), f"attention-{name}", "Where it looked.", caption, frame)


def _ask(facts: Facts, setting: Setting, question: Any) -> tuple[pl.DataFrame, str]:
    """The answer to a question about one test set, and of which runs it is: where draws differ, only of the first."""
    try:
        return question(facts.ledger, setting.keys), "over runs"
    except InputError:
        return question(facts.ledger, setting.keys[:1]), "of the first draw"


def length_picture(frames: Mapping[str, pl.DataFrame], by: str, name: str, title: str, which: str,
                   paper: Mapping[int, float] | None = None) -> Picture:  # fmt: skip
    """Accuracy by length, a curve for each way of decoding; `paper`: its figures by length, of oracle decoding."""
    lengths = sorted({length for frame in frames.values() for length in frame["length"]})
    series = [
        figures.Series(decoding, frame.to_dicts(), [lengths.index(length) for length in frame["length"]], color)
        for (decoding, frame), color in zip(frames.items(), (COLOR.ours, COLOR.other), strict=False)
        if frame.height
    ]
    stated = {lengths.index(length): figure for length, figure in (paper or {}).items() if length in lengths}
    drawn = figures.curve(series, list(map(str, lengths)), f"length in {by}", stated, paper_label="paper, oracle")
    caption = f"Means and standard errors {which}; every run as a faint dot."
    caption += " Diamonds: the paper's figures with the right length given." if stated else ""
    data = pl.concat(frame.select(pl.lit(decoding).alias("decoding"), pl.all()) for decoding, frame in frames.items())
    return picture(drawn, name, title, caption, data)


def _templates(frame: pl.DataFrame, which: str, name: str) -> Iterator[Picture]:
    top = frame.filter(pl.col("wrong") > 0).head(MOST_TEMPLATES).to_dicts()
    if top:
        bars = [figures.share_bar(row["template"], row["wrong"], row["commands"]) for row in top]
        caption = f"Mean number of wrong answers {which}, where their share is greatest; U is the verb of a clause."
        yield picture(figures.bars(bars), f"templates-{name}", "Errors by template.", caption, frame)


def _confusion(frame: pl.DataFrame, name: str) -> Picture:
    wrong = frame.filter(pl.col("target") != pl.col("given"))
    sides: list[list[str]] = []
    for side in ("target", "given"):
        most = wrong.group_by(side).agg(pl.col("count").sum()).sort("count", side, descending=[True, False])
        sides.append(sorted(most[side].head(MOST_ACTIONS), key=lambda action: (action == "end", action)))
    rows, columns = sides
    counts = {(target, given): count for target, given, count in wrong.iter_rows()}
    cells = {(row, column): counts.get((row, column), 0) for row in rows for column in columns if row != column}
    caption = "Rows: the right action; columns: the one given. Positions over all runs; agreements are left out."
    drawn = figures.matrix(rows, columns, cells)
    return picture(drawn, f"confusion-{name}", "Which actions are confused.", caption, frame)


def _categories(frame: pl.DataFrame, test: str, name: str, which: str) -> Iterator[Picture | Table]:
    rows = frame.sort("mean", "category", descending=[True, False]).to_dicts()
    bars = [
        figures.Bar(row["category"], row["mean"], text.percent(row["mean"]), row["low"], row["high"]) for row in rows
    ]
    title, caption = f"Accuracy by category on *{test}*.", f"Per cent right: means {which} with 95% intervals."
    yield picture(figures.bars(bars), f"categories-{name}", title, caption, frame)
    cells = [(row["category"], f"{row['commands']:,}", Strip.of(row), text.mean_cell(row)) for row in rows]
    head = ("category", "examples", "every run, 0 to 100%", "right")
    yield Table(f"category-table-{name}", title, head, cells, right=(1, 3))
