"""A run's answers to a test set, one row each, from the artefacts in the ledger.

Every question about errors starts here. Knows the artefacts and where splits come from; knows nothing of learners.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import polars as pl

from daxlab.analysis.replicates import Row
from daxlab.analysis.translation import computed
from daxlab.datasets import Split, dataset, split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.runs import Ledger, unpack_answers, unpack_arrays, unpack_likelihoods

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
    "greedy": ("answer", "right"),
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


def of_one_split(ledger: Ledger, keys: Iterable[str], test: str | None = None) -> None:
    """Refuse runs with different test sets: their answers cannot be averaged command by command."""
    splits = {_identity(row): row for row in done(ledger, keys)}
    tests: set[object] = {digest for _, digest, _ in splits}
    if len(splits) > 1 and len(tests) == 1 and test is None:  # the same files, but perhaps another main test set
        tests = {trained_on(row).test for row in splits.values()}
    if len(tests) > 1:
        names = ", ".join(sorted({name for name, _, _ in splits}))
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


def _answers(ledger: Ledger, row: Row, columns: Iterable[str], test: str | None) -> pl.DataFrame:
    """The answers of a run that is done, with these columns at least, in the order of SCHEMA."""
    wanted, asked = {*columns, *(["answer"] if "ended" in columns else [])}, (*_identity(row), test)
    _, frame, main = _asked(*asked)
    suffix = "" if main else f".{test}"
    for kind, names in ARTEFACTS.items():
        if wanted.isdisjoint(names):
            continue
        content = ledger.artefact(row["key"], kind + suffix)
        if content is not None:
            frame = frame.hstack(_columns(kind, content, asked))
        elif kind == "greedy":
            what = f"answers of run {row['key'][:12]}" + (f" to {test}" if suffix else "")
            raise InputError(f"{ledger.path} has no {what}: take them from where it was trained")
        else:
            frame = frame.with_columns(pl.lit(None, SCHEMA[name]).alias(name) for name in names)
    if "ended" in wanted:
        ended = _ended(ledger, row, frame["answer"]) if main else pl.lit(None, pl.Boolean)
        frame = frame.with_columns(ended=ended)
    return frame.select(name for name in SCHEMA if name in frame.columns)


@lru_cache(maxsize=128)  # by content, so that nothing is stale
def _columns(kind: str, content: bytes, asked: tuple[str, str, str, str | None]) -> list[pl.Series]:
    """What an artefact says of a test set, under the names of ARTEFACTS."""
    names = ARTEFACTS[kind]
    if kind == "likelihoods":
        return [pl.Series(*pair, pl.Float64) for pair in zip(names, unpack_likelihoods(content), strict=True)]
    targets = [example.actions for example in _asked(*asked)[0]]
    actions = unpack_answers(content, targets)
    return [sequences(names[0], actions), pl.Series(names[1], map(tuple.__eq__, actions, targets), pl.Boolean)]


def _ended(ledger: Ledger, row: Row, answers: pl.Series) -> pl.Series:
    """Which answers were not cut off. Older runs do not say so: theirs were cut off beyond the longest target."""
    unended = ledger.artefact(row["key"], "unended")
    if unended is None:
        return answers.list.len() <= _longest_ended(row["dataset"])
    return ~pl.int_range(len(answers), eager=True).is_in(unpack_arrays(unended)["places"].tolist())


def sequences(name: str, actions: Iterable[Sequence[str]]) -> pl.Series:
    """A column of lists of actions. Splitting text in polars is several times faster than handing it tuples."""
    return pl.Series(name, [" ".join(sequence) for sequence in actions], pl.String).str.extract_all(r"\S+")


def trained_on(row: Row) -> Split:
    """The split that a run was trained on; an error if it is no longer what it was."""
    return _split(*_identity(row))


def _identity(row: Row) -> tuple[str, str, str]:
    """Of the split that a run was trained on: its name and digest, and the dataset."""
    return row["split"], row["spec"]["split"]["digest"], row["dataset"]


def _split(name: str, digest: str, data: str) -> Split:
    content = split(name, data)
    if content.digest != digest:
        raise InputError(
            f"the split {name} is not what it was when its runs were recorded, so their answers cannot be read: "
            "use the daxlab, or the data, that they were made with"
        )
    return content


@lru_cache(maxsize=64)
def _asked(name: str, digest: str, data: str, test: str | None) -> tuple[tuple[Example, ...], pl.DataFrame, bool]:
    """The examples of a test set, their columns, and whether it is the main test set."""
    tests = _split(name, digest, data).tests
    main = next(iter(tests))
    if test is not None and test not in tests:
        raise InputError(f"the split {name} of {data} has no test set called {test!r}; it has {', '.join(tests)}")
    examples = tests[test or main]
    commands = pl.Series("command", [example.command for example in examples], pl.String)
    targets = sequences("target", [example.actions for example in examples])
    frame = pl.DataFrame([
        commands,
        pl.Series("category", [example.category for example in examples], pl.String),
        commands.str.count_matches(r"\S+").alias("words").cast(int),
        targets.list.len().alias("actions").cast(int),
        targets,
    ])  # fmt: skip
    return examples, frame, test in (None, main)


@lru_cache(maxsize=8)
def _longest_ended(data: str) -> int:
    """How many actions an answer can have and yet have ended: networks are cut off three beyond the longest target."""
    return max(len(example.actions) for example in dataset(data).examples()) + 2
