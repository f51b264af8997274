"""A run's answers to a test set, one row each, from the artefacts in the ledger.

Every question about errors starts here. Knows the artefacts and where splits come from; knows nothing of learners.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.replicates import Row
from daxlab.analysis.translation import computed
from daxlab.datasets import Split, dataset, split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.ledger import Ledger, Targets, unpack_arrays, unpack_likelihoods, unpack_wrong

SCHEMA = {
    "command": pl.String(),
    "category": pl.String(),
    "words": pl.Int64(),
    "actions": pl.Int64(),
    "target": pl.List(pl.String),
    "answer": pl.List(pl.String),
    "right": pl.Boolean(),
    "ended": pl.Boolean(),
    "oracle_answer": pl.List(pl.String),
    "oracle_right": pl.Boolean(),
    "own": pl.Float64(),
    "likelihood": pl.Float64(),
}
ARTEFACTS = {
    "greedy": ("answer", "right", "ended"),
    "oracle": ("oracle_answer", "oracle_right"),
    "likelihoods": ("own", "likelihood"),
}


def answers(ledger: Ledger, key: str, test: str | None = None) -> pl.DataFrame:
    """A row for each command of a run's test set, in the split's order: the main test set, or a further one by name.

    command, category, words (its length), actions (the target's length), target; answer, right, ended (False: it was
    cut off); oracle_answer, oracle_right; own (log-likelihood of the answer), likelihood (of the target). The last five
    are empty where the ledger does not have them.
    """
    (row,) = runs(ledger, [key])
    if row["status"] != "done":
        raise InputError(f"run {key[:12]} failed at update {row['failed_at']}, so it has no answers")
    return _answers(ledger, row, list(SCHEMA), test)


def asked(
    examples: Sequence[Example], given: Sequence[Sequence[str]], right: Sequence[bool], ended: Sequence[bool]
) -> pl.DataFrame:
    """The same, as far as `ended`, of a model that has just been asked: its answers to these examples."""
    columns: dict[str, list[Any]] = {
        "answer": [list(answer) for answer in given],
        "right": [bool(one) for one in right],
        "ended": [bool(one) for one in ended],
    }
    return _columns_of(examples).with_columns(pl.Series(name, values, SCHEMA[name]) for name, values in columns.items())


def as_text(ledger: Ledger, keys: Iterable[str], test: str | None = None) -> pl.DataFrame:
    """Runs' answers for other programs, run after run: run, split, command, target, answer, right, ended."""
    names = {key: runs(ledger, [key])[0]["split"] for key in keys}
    frames = [
        answers(ledger, key, test).select(
            *(pl.lit(key).alias("run"), pl.lit(name).alias("split"), "command"),
            *(pl.col("target", "answer").list.join(" "), "right", "ended"),
        )
        for key, name in names.items()
    ]
    return pl.concat(frames)


def together(ledger: Ledger, keys: Iterable[str], columns: Sequence[str], test: str | None = None) -> pl.DataFrame:
    """Some columns of several runs' answers, run after run, with key and seed. Failed runs have none."""
    empty = pl.DataFrame(schema={"key": pl.String(), "seed": pl.Int64(), **{name: SCHEMA[name] for name in columns}})
    frames = [
        _answers(ledger, row, columns, test).select(
            pl.lit(row["key"]).alias("key"), pl.lit(row["seed"], pl.Int64).alias("seed"), *columns
        )
        for row in done(ledger, keys)
    ]
    return pl.concat([empty, *frames])


def runs(ledger: Ledger, keys: Iterable[str]) -> list[Row]:
    """The ledger's rows of these runs, by seed."""
    wanted = set(keys)
    rows = ledger.rows({"key": wanted})
    for key in wanted - {row["key"] for row in rows}:
        raise InputError(f"{ledger.path} has no run {key[:12]}: 'daxlab runs list' shows what it has")
    if len(rows) > len(wanted):
        raise InputError(f"{ledger.path} is damaged: it has several runs of one key; use a copy")
    return sorted(rows, key=lambda row: (row["seed"], row["key"]))


def done(ledger: Ledger, keys: Iterable[str]) -> list[Row]:
    """The same without the runs that failed."""
    return [row for row in runs(ledger, keys) if row["status"] == "done"]


def of_one_split(ledger: Ledger, keys: Iterable[str]) -> None:
    """Refuse runs on different splits: their answers cannot be averaged command by command."""
    splits = {row["spec"]["split"]["digest"]: row["split"] for row in done(ledger, keys)}
    if len(splits) > 1:
        names = ", ".join(sorted(set(splits.values())))
        raise InputError(f"these runs answer different test sets ({names}): ask about one at a time")


def scored(ledger: Ledger, key: str) -> dict[str, float]:
    """The metrics of a run computed again from its stored answers, as far as it has these."""
    frame, (row,) = answers(ledger, key), runs(ledger, [key])
    columns = {"accuracy": frame["right"], "oracle_accuracy": frame["oracle_right"]}
    for test in list(trained_on(row).tests)[1:]:
        if ledger.artefact(key, f"greedy.{test}") is not None:
            columns[f"accuracy.{test}"] = answers(ledger, key, test)["right"]
    return computed(ledger, row) | {
        metric: 100 * (int(right.sum()) / len(right))
        for metric, right in columns.items()
        if len(right) and not right.has_nulls()
    }


@contextmanager
def read_once() -> Iterator[None]:
    """Until its end every split is read once: for many questions in a row, between which no file changes."""
    _READ.clear()
    _READ[None] = None
    try:
        yield
    finally:
        _READ.clear()


_READ: dict[Any, Any] = {}  # splits, by name and dataset; without the key None nothing is kept


def trained_on(row: Row) -> Split:
    """The split that a run was trained on; an error if it is no longer what it was."""
    content = _read(row["split"], row["dataset"])
    if content.digest != row["spec"]["split"]["digest"]:
        raise InputError(
            f"the split {row['split']} is not what it was when its runs were recorded, so their answers cannot be "
            "read: use the daxlab, or the data, that they were made with"
        )
    return content


def _read(name: str, data: str) -> Split:
    """The split of that name."""
    content: Split = _READ.get((name, data)) or split(name, data)
    if _READ:
        _READ[name, data] = content
    return content


def _answers(ledger: Ledger, row: Row, columns: Iterable[str], test: str | None) -> pl.DataFrame:
    """The answers of a run that is done, with these columns at least, in the order of SCHEMA."""
    wanted, tests = set(columns), trained_on(row).tests
    main = next(iter(tests))
    if test not in (None, *tests):
        have = f"the split {row['split']} of {row['dataset']} has"
        raise InputError(f"{have} no test set called {test!r}; it has {', '.join(tests)}")
    asked = (row["split"], row["dataset"], test or main, row["spec"]["split"]["digest"])
    suffix = "" if asked[2] == main else f".{test}"
    frame, _ = _asked(*asked)
    for kind, names in ARTEFACTS.items():
        if wanted.isdisjoint(names):
            continue
        content = ledger.artefact(row["key"], kind + suffix)
        if content is None and kind == "greedy":
            what = f"answers of run {row['key'][:12]}" + (f" to {test}" if suffix else "")
            raise InputError(f"{ledger.path} has no {what}: take them from where it was trained")
        frame = frame.with_columns(
            *(_columns(kind, content, asked) if content is not None else ()),
            *(pl.lit(None, SCHEMA[name]).alias(name) for name in names[2 * (content is not None) :]),
        )
        if kind == "greedy" and not suffix:
            frame = frame.with_columns(ended=_ended(ledger, row, frame["answer"]))
    return frame


@lru_cache(maxsize=64)
def _asked(split_name: str, data: str, test: str, _digest: str) -> tuple[pl.DataFrame, Targets]:
    """The columns of a test set, and its right answers. The digest is there for the cache: a file may have changed."""
    examples = _read(split_name, data).tests[test]
    return _columns_of(examples), Targets(example.actions for example in examples)


def _columns_of(examples: Sequence[Example]) -> pl.DataFrame:
    """What is asked: command, category, words, actions, target."""
    columns = {"command": [e.command for e in examples], "category": [e.category for e in examples]}
    frame = pl.DataFrame(columns, dict.fromkeys(columns, pl.String))
    words, target = pl.col("command").str.count_matches(r"\S+").cast(int), _words(e.actions for e in examples)
    actions = target.list.len().cast(int)
    return frame.with_columns(words.alias("words"), actions.alias("actions"), target.alias("target"))


def _words(answers: Iterable[Sequence[str]]) -> pl.Series:
    """Answers as a column: splitting text in polars is several times faster than handing it tuples."""
    text = pl.Series(map(" ".join, answers), dtype=pl.String)
    return text.replace("", None).str.split(" ").fill_null([])  # of no text, one empty word would be left


@lru_cache(maxsize=128)  # by content, so that nothing is stale
def _columns(kind: str, content: bytes, asked: tuple[str, str, str, str]) -> list[pl.Series]:
    """What an artefact says of a test set, under the names of ARTEFACTS."""
    first, second, *_ = ARTEFACTS[kind]
    if kind == "likelihoods":
        own, target = unpack_likelihoods(content)
        return [pl.Series(first, own, pl.Float64), pl.Series(second, target, pl.Float64)]
    frame, targets = _asked(*asked)
    wrong = unpack_wrong(content, targets)
    order, right, places = np.arange(len(targets)), np.ones(len(targets), bool), list(wrong)
    order[places], right[places] = len(targets) + np.arange(len(wrong)), False
    return [pl.concat([frame["target"], _words(wrong.values())]).gather(order).alias(first), pl.Series(second, right)]


def _ended(ledger: Ledger, row: Row, answers: pl.Series) -> pl.Series:
    """Which answers were not cut off. Older runs do not say so: theirs were cut off beyond the longest target."""
    unended = ledger.artefact(row["key"], "unended")
    if unended is None:
        return answers.list.len() <= _longest_ended(row["dataset"])
    return ~pl.int_range(len(answers), eager=True).is_in(unpack_arrays(unended)["places"].tolist())


@lru_cache(maxsize=8)
def _longest_ended(data: str) -> int:
    """How many actions an answer can have and yet have ended: networks are cut off three beyond the longest target."""
    return max(len(example.actions) for example in dataset(data).examples()) + 2
