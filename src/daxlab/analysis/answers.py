"""A run's answers to its test commands, one row each, from what the ledger stores of it.

Every question about errors starts here. Knows the ledger's artefacts and where splits come from; knows nothing of
networks.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from daxlab.analysis.translation import computed
from daxlab.datasets import Split, dataset, split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.runs import Ledger, unpack_answers, unpack_likelihoods

Row = dict[str, Any]
SCHEMA = {
    "command": pl.String(),
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


def answers(ledger: Ledger, key: str) -> pl.DataFrame:
    """One row per test command of a run, in the split's order.

    command, words (its length), actions (the target's length), target; answer, right, and whether it ended or was cut
    off; oracle_answer, oracle_right; own (log-likelihood of the answer), likelihood (of the target). The last four are
    empty where the ledger has no such artefact.
    """
    (row,) = runs(ledger, [key])
    if row["status"] != "done":
        raise InputError(f"run {key[:12]} failed at update {row['failed_at']}, so it has no answers")
    return _answers(ledger, row, list(SCHEMA))


def together(ledger: Ledger, keys: Iterable[str], columns: Sequence[str]) -> pl.DataFrame:
    """Columns of several runs' answers, one run under the other: key, seed, and these. Failed runs have none."""
    empty = pl.DataFrame(schema={"key": pl.String(), "seed": pl.Int64(), **{name: SCHEMA[name] for name in columns}})
    frames = [
        _answers(ledger, row, columns).select(
            pl.lit(row["key"]).alias("key"), pl.lit(row["seed"], pl.Int64).alias("seed"), *columns
        )
        for row in done(ledger, keys)
    ]
    return pl.concat([empty, *frames])


def runs(ledger: Ledger, keys: Iterable[str]) -> list[Row]:
    """The ledger's rows of these runs, by seed."""
    wanted = set(keys)
    found = ledger.rows({"key": wanted})
    for key in wanted - {row["key"] for row in found}:
        raise InputError(f"{ledger.path} has no run {key[:12]}: 'daxlab runs list' shows what it has")
    return sorted(found, key=lambda row: (row["seed"], row["key"]))


def done(ledger: Ledger, keys: Iterable[str]) -> list[Row]:
    """The same without those that failed."""
    return [row for row in runs(ledger, keys) if row["status"] == "done"]


def of_one_split(ledger: Ledger, keys: Iterable[str]) -> None:
    """Refuses runs that were asked different test sets: their answers cannot be averaged command by command."""
    names = {row["spec"]["split"]["digest"]: row["split"] for row in done(ledger, keys)}
    if len(names) > 1:
        raise InputError(
            f"these runs answer different test sets ({', '.join(names.values())}): ask about one at a time"
        )


def scored(ledger: Ledger, key: str) -> dict[str, float]:
    """The metrics of a run computed again from its stored predictions, as far as it has these."""
    frame, (row,) = answers(ledger, key), runs(ledger, [key])
    kinds = {"accuracy": "right", "oracle_accuracy": "oracle_right"}
    return computed(ledger, row) | {
        metric: 100 * (int(frame[column].sum()) / frame.height)
        for metric, column in kinds.items()
        if frame.height and not frame[column].has_nulls()
    }


def _answers(ledger: Ledger, row: Row, columns: Iterable[str]) -> pl.DataFrame:
    """The answers of a run that is done, with the columns asked for at least."""
    wanted, asked = set(columns), identity(row)
    frame = _asked(*asked)[1]
    for kind, made in ARTEFACTS.items():
        if wanted.isdisjoint(made):
            continue
        content = ledger.artefact(row["key"], kind)
        if content is not None:
            frame = frame.hstack(_column(kind, content, asked))
        elif kind == "greedy":
            raise InputError(
                f"{ledger.path} has no predictions of run {row['key'][:12]}: take them from where it was made"
            )
        else:
            frame = frame.with_columns(pl.lit(None, SCHEMA[name]).alias(name) for name in made)
    return frame


def identity(row: Row) -> tuple[str, str, str]:
    """Of the split that a run was trained on: its name and digest, and the language's name."""
    spec = row["spec"]
    return spec["split"]["name"], spec["split"]["digest"], spec["language"]["name"]


@lru_cache(maxsize=128)  # by content, so that nothing is stale
def _column(kind: str, content: bytes, asked: tuple[str, str, str]) -> list[pl.Series]:
    """What an artefact says of the commands asked, under the names of ARTEFACTS."""
    names = ARTEFACTS[kind]
    if kind == "likelihoods":
        return [pl.Series(name, one, pl.Float64) for name, one in zip(names, unpack_likelihoods(content), strict=True)]
    targets = [example.actions for example in _asked(*asked)[0]]
    given = unpack_answers(content, targets)
    right = [answer == target for answer, target in zip(given, targets, strict=True)]
    ended = [len(answer) <= _longest_ended(asked[2]) for answer in given]
    return [sequences(names[0], given), *(pl.Series(n, v) for n, v in zip(names[1:], (right, ended), strict=False))]


def sequences(name: str, actions: Iterable[Sequence[str]]) -> pl.Series:
    """A column of lists of actions. Taken apart by polars, which is several times faster than handing it tuples."""
    return pl.Series(name, [" ".join(one) for one in actions], pl.String).str.extract_all(r"\S+")


def trained_on(name: str, digest: str, of: str) -> Split:
    """The split of that name of a language; refused if it is no longer the one that a run was trained on."""
    found = split(name, of)
    if found.digest != digest:
        raise InputError(
            f"the split {name} is not what it was when its runs were recorded, so their answers cannot be read: "
            "use the daxlab, or the data, that they were made with"
        )
    return found


@lru_cache(maxsize=64)
def _asked(name: str, digest: str, of: str) -> tuple[tuple[Example, ...], pl.DataFrame]:
    """The test commands of a split, and their columns."""
    test = trained_on(name, digest, of).test
    commands = pl.Series("command", [example.command for example in test], pl.String)
    targets = sequences("target", [example.actions for example in test])
    words, actions = commands.str.count_matches(r"\S+"), targets.list.len()
    frame = pl.DataFrame([commands, words.alias("words").cast(int), actions.alias("actions").cast(int), targets])
    return test, frame


@lru_cache(maxsize=8)
def _longest_ended(of: str) -> int:
    """How many actions an answer can have and yet have ended; the engine cuts off three beyond the longest target."""
    return max(len(example.actions) for example in dataset(of).examples()) + 2
