"""Every dataset and split of the ledger, for any learner: accuracies, learning curves, and where the errors are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.accuracy import by_test_set, median_run
from daxlab.analysis.answers import trained_on
from daxlab.analysis.curves import learning
from daxlab.analysis.probes import answered_right, attention
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.paper.experiments import BEST, NETWORKS, SCAN, SPLITS, TRANSLATOR
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Fold, Picture, Section, Strip, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import as_csv, picture, short
from daxlab.report.facts import Facts

MOST_LEARNERS = 6  # that are shown on one split
SHOWN = 6  # splits; others are folded together
KEY = 12  # digits of a run's key in a file
MOST_BARS = 10  # that a figure shows
MAIN = [split for name in BEST for split in reversed(SPLITS[name])]
PAPERS = [str(network) for network in NETWORKS.values()]
REPLICATE = r"[-_]rep\d+$"  # ends the names of splits that are draws of one kind
LEAD = (
    "What the learners got right and wrong on each split, the best first. Of a split that was drawn several times, "
    "errors are those of the first draw. Of runs whose answers the ledger does not have, there are only accuracies and "
    "learning curves."
)


def section(facts: Facts, tell: Callable[[str], None] = lambda _: None) -> Section:
    """A fold for each split that has runs, SCAN's main splits first; without those of Experiment 4."""
    translator = pl.col("dataset").is_in(facts.pairs) & (pl.col("network") == str(TRANSLATOR))
    frame = facts.settings.filter(pl.col("keys").list.len() > 0, ~(translator & pl.col("protocol").is_null()))
    kinds = frame.group_by("dataset", pl.col("split").str.replace(REPLICATE, "").alias("kind"), maintain_order=True)
    splits = sorted(((*kind, rows) for kind, rows in kinds), key=lambda kind: _order(*kind[:2]))
    folds: dict[str, Fold] = {}
    missing: dict[str, Block] = {}  # what several folds lack is said once, above them
    for number, (data, split, rows) in enumerate(splits, 1):
        tell(f"every split: {number} of {len(splits)}")
        title = split if data == SCAN else f"{split} ({Path(data).name})"
        name = slug(title) if slug(title) not in folds else f"{slug(title)}-at-{len(folds)}"
        learners = text.counted(rows["network"].n_unique(), "learner")
        blocks = list(_split(facts, rows, title, name))
        lacks = [block for block in blocks if isinstance(block, Text) and block.role == "absent"]
        missing |= {block.text: block for block in lacks}
        blocks = [block for block in blocks if block not in lacks]
        folds[name] = Fold(f"split-{name}", title, learners, blocks)
    if not folds:
        return Section("splits", "Every split", [absent("any split", command="daxlab train")])
    first, others = list(folds.values())[:SHOWN], list(folds.values())[SHOWN:]
    if others:
        first.append(Fold("splits-others", "The other splits", text.counted(len(others), "split"), others))
    return Section("splits", "Every split", [Text(LEAD), *missing.values(), *first])


def _order(data: str, split: str) -> tuple[Any, ...]:
    """SCAN first, and of it the main splits; size-2 before size-16."""
    natural = [(int(part or 0), word) for word, part in re.findall(r"(\D+)(\d*)", split)]
    return data != SCAN, data, MAIN.index(split) if split in MAIN else len(MAIN), natural


def slug(name: str) -> str:
    """A name as part of an anchor and of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _split(facts: Facts, rows: pl.DataFrame, title: str, name: str) -> Iterator[Block]:
    """The learners on a split: a table, and of each its figures."""
    if rows["dataset"][0] != SCAN:
        yield Text(about_dataset(rows["dataset"][0]))
    learners = rows["network"].unique(maintain_order=True).to_list()
    shown = closely(learners)
    rows = rows.filter(pl.col("network").is_in(shown))
    left_out = text.counted(len(learners) - len(shown), "other learner is", "other learners are")
    yield _learners(facts, rows, title, name, "" if len(shown) == len(learners) else f" {left_out} left out.")
    for n, (learner, draws) in enumerate(rows.group_by("network", "protocol", maintain_order=True)):
        yield from _learner(facts, learner, draws, f"{name}-{n}")


def about_dataset(data: str) -> str:
    """Where a dataset comes from, as far as this machine knows."""
    try:
        return f"The dataset: {dataset(data).about}."
    except InputError:
        return f"The dataset is `{data}`, which is not on this machine."


def closely(learners: Sequence[str]) -> list[str]:
    """Which of the learners on a split (the best first) are shown: all, or of many the paper's and the best."""
    if len(learners) <= MOST_LEARNERS:
        return list(learners)
    papers = [name for name in learners if name in PAPERS]
    others = [name for name in learners if name not in PAPERS]
    return papers + others[: MOST_LEARNERS - len(papers)]


def _learners(facts: Facts, frame: pl.DataFrame, title: str, name: str, left_out: str) -> Table:
    """The learners with every run, on each test set."""
    rows: list[dict[str, Any]] = []
    for row in frame.iter_rows(named=True):
        tests = by_test_set(facts.ledger, row["keys"])
        about = [row["split"]] if tests or frame["split"].n_unique() > 1 else []
        rows.append(row | {"about": ", ".join([*about, row["protocol"]] if row["protocol"] else about)})
        others = {"train_mean": None, "oracle_mean": None, "failed": 0}
        rows += [{**row, **numbers, **others, "about": test} for test, numbers in tests.items()]
    columns: dict[str, Sequence[Any]] = {
        "learner": [f"{row['network']}\n{row['about']}" for row in rows],
        "test": [text.mean_cell(row) for row in rows],
        "every run, 0 to 100%": [Strip.of(row) for row in rows],
        "training": [text.percent(row["train_mean"]) for row in rows],
        "oracle length": [text.percent(row["oracle_mean"]) for row in rows],
        "runs": [str(row["runs"]) + (f" (+{row['failed']} failed)" if row["failed"] else "") for row in rows],
    }
    columns = {head: cells for head, cells in columns.items() if any(cell != "–" for cell in cells)}
    right = [n for n, head in enumerate(columns) if n and "every" not in head]
    caption = "Accuracies in per cent: means over runs, on the test set with standard error and 95% interval."
    cells = list(zip(*columns.values(), strict=True))
    return Table(f"learners-{name}", f"Learners on *{title}*.", list(columns), cells, right, caption + left_out)


def _learner(facts: Facts, learner: tuple[Any, ...], draws: pl.DataFrame, name: str) -> Iterator[Block]:
    """How one learner learned, and what its answers show."""
    network, protocol = learner
    keys = draws["keys"].explode().to_list()
    first = draws.sort("split").row(0, named=True)
    answered = [key for key in first["keys"] if facts.ledger.artefact(key, "greedy") is not None]
    about = f"{network} ({protocol})" if protocol else network
    of_some = f", answers of {text.number(len(answered))}" if answered else ", without answers"
    yield Text(f"{about}: {text.counted(len(keys), 'run')}{'' if answered == first['keys'] else of_some}", "name")
    frame = learning(facts.ledger, keys)
    curves = frame.filter(~pl.all_horizontal(pl.col("train_accuracy", "test_accuracy").is_null()))
    if curves.height:
        drawn = figures.learning([rows.to_dicts() for rows in curves.partition_by("key", maintain_order=True)])
        caption = "Accuracy on samples of the training set (dashed) and of the test set, one line a run."
        data = frame.with_columns(pl.col("key").str.head(KEY))
        yield picture(drawn, f"learning-{name}", "Learning.", caption, data)
    if answered:
        yield from blocks_until_missing(_answers(facts.ledger, first, answered, name))


def _answers(ledger: Ledger, setting: Mapping[str, Any], keys: Sequence[str], name: str) -> Iterator[Block]:
    """What the answers show: errors by length, action, template and category, and attention."""
    confused = errors.confusion(ledger, keys)
    if confused.height:
        lengths = {"greedy": errors.by_length(ledger, keys)}
        yield length_picture(lengths, "actions", f"by-length-{name}", "Accuracy by length.")
        yield _confusion(confused, name)
        if dataset(setting["dataset"]).grammar is not None:
            templates = errors.by_template(ledger, keys)
            worst = templates.filter(pl.col("wrong") > 0)["template", "wrong", "commands"].head(MOST_BARS)
            caption = (
                "Mean number of wrong answers, where their share is greatest. U stands for any verb: “U left thrice” "
                "is “walk left thrice”, “jump left thrice” and so on."
            )
            drawn = figures.bars(list(worst.iter_rows()))
            yield picture(drawn, f"templates-{name}", "Errors by template.", caption, templates)
    median = median_run(ledger, keys)
    (row,) = ledger.rows({"key": median})
    frame = attention(ledger, median)
    if frame.height:
        whose = f"The median run, seed {row['seed']}."
        yield attention_picture(frame, answered_right(ledger, median), f"attention-{name}", "Where it looked.", whose)
    if trained_on(row).has_categories:
        for test in (None, *by_test_set(ledger, keys)):
            frame = errors.by_category(ledger, keys, test)
            if frame.height:
                yield _categories(frame, test or setting["split"], f"{name}-{slug(test or 'main')}")


def attention_picture(frame: pl.DataFrame, right: Mapping[str, bool], name: str, title: str, whose: str) -> Picture:
    """Attention maps, with what they show: how many answers are right, and how sharply each step looks at one word."""
    steps = frame.group_by("command", "step", maintain_order=True).agg(pl.col("weight").max())
    commands = frame["command"].unique()
    count = sum(right[command] for command in commands)
    answers = f"{text.number(count)} of {text.number(len(commands))} answers {'is' if count == 1 else 'are'} right"
    caption = (
        f"{whose} A row is a step of an answer (the first {figures.STEPS}), a column a word that it was given; the "
        f"darker, the more weight. {text.sentence(answers)} "
    ) + text.looked([(right[command], weight) for command, _, weight in steps.iter_rows()])
    return picture(figures.attention_maps(frame, right), name, title, caption, frame)


def length_picture(
    frames: Mapping[str, pl.DataFrame], by: str, name: str, title: str, paper: Mapping[int, float] | None = None
) -> Picture:
    """Accuracy by length, a curve for each way of decoding; `paper`: its figures by length, of oracle decoding."""
    frames = {decoding: frame for decoding, frame in frames.items() if frame.height}
    lengths = sorted({length for frame in frames.values() for length in frame["length"]})
    stated = {length: figure for length, figure in (paper or {}).items() if length in lengths}
    drawn = figures.curve(frames, "length", lengths, f"length in {by}", stated)
    caption = "Means and standard errors; every run as a faint dot."
    caption += " Diamonds: the paper's figures with the right length given." if stated else ""
    data = pl.concat(frame.select(pl.lit(decoding).alias("decoding"), pl.all()) for decoding, frame in frames.items())
    return picture(drawn, name, title, caption, data)


def _confusion(frame: pl.DataFrame, name: str) -> Picture:
    wrong = frame.filter(pl.col("target") != pl.col("given"))
    most = wrong.sort("count", "target", "given", descending=[True, False, False]).head(MOST_BARS)
    of = int(wrong["count"].sum())
    drawn = figures.bars([(f"{short(right)} as {short(given)}", n, of) for right, given, n in most.iter_rows()])
    caption = (
        "The right action as the one given, of all positions at which they differ; “end”: one of the two has ended."
    )
    return picture(drawn, f"confusion-{name}", "Which actions are confused.", caption, frame)


def _categories(frame: pl.DataFrame, test: str, name: str) -> Table:
    rows = frame.sort("mean", "category", descending=[True, False]).to_dicts()
    cells = [(row["category"], text.mean_cell(row), Strip.of(row), f"{row['commands']:,}") for row in rows]
    head = ("category", "right", "every run, 0 to 100%", "examples")
    title, caption = f"Accuracy by category on *{test}*.", "Per cent right: means over runs with 95% intervals."
    return Table(f"categories-{name}", title, head, cells, (1, 3), caption, as_csv(frame))
