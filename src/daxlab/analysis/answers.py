"""A run's answers to its test commands, one row each, from what the ledger stores of it.

Every question about errors starts here. Knows the ledger's artefacts and where splits come from; knows nothing of
networks.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from daxlab.corpora import split
from daxlab.errors import InputError
from daxlab.languages import Example
from daxlab.store import Ledger, unpack_answers, unpack_likelihoods

Row = dict[str, Any]
SEQUENCE = pl.List(pl.String)


def answers(ledger: Ledger, key: str) -> pl.DataFrame:
    """One row per test command of a run, in the split's order.

    command, words (its length), actions (the target's length), target, answer, right, oracle_answer, oracle_right,
    own (log-likelihood of the answer), likelihood (of the target). Empty where the run has no such artefact.
    """
    (row,) = ledger.rows({"key": key}) or _unknown(ledger, key)
    if row["status"] != "done":
        raise InputError(f"run {key[:12]} failed at update {row['failed_at']}, so it has no answers")
    greedy, oracle, likelihoods = (ledger.artefact(key, kind) for kind in ("greedy", "oracle", "likelihoods"))
    if greedy is None:
        raise InputError(f"{ledger.path} has no predictions of run {key[:12]}: export them with it, or train it again")
    spec = row["spec"]
    return _frame(spec["split"]["name"], spec["split"]["digest"], spec["language"]["name"], greedy, oracle, likelihoods)


def together(ledger: Ledger, keys: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Columns of the answers of several runs, under each other by seed: key, seed, and these. Failed runs have none."""
    frames = [
        answers(ledger, row["key"]).select(pl.lit(row["key"]).alias("key"), pl.lit(row["seed"]).alias("seed"), *columns)
        for row in done(ledger, keys)
    ]
    if frames:
        return pl.concat(frames)
    return _EMPTY.select(pl.lit("").alias("key"), pl.lit(0).alias("seed"), *columns).clear()


def done(ledger: Ledger, keys: Sequence[str]) -> list[Row]:
    """The rows of these runs, by seed, without those that failed."""
    rows = {row["key"]: row for row in ledger.rows({"key": list(keys)})}
    for key in keys:
        if key not in rows:
            _unknown(ledger, key)
    return sorted((row for row in rows.values() if row["status"] == "done"), key=lambda row: (row["seed"], row["key"]))


def of_one_split(ledger: Ledger, keys: Sequence[str]) -> None:
    """Refuses runs that were asked different test sets: their answers cannot be averaged command by command."""
    names = {row["spec"]["split"]["digest"]: row["split"] for row in done(ledger, keys)}
    if len(names) > 1:
        raise InputError(
            f"these runs answer different test sets ({', '.join(names.values())}): ask about one at a time"
        )


def scored(ledger: Ledger, key: str) -> dict[str, float]:
    """The metrics of a run computed again from its stored predictions, as far as these go."""
    frame = answers(ledger, key)
    kinds = {"accuracy": "right", "oracle_accuracy": "oracle_right"}
    return {
        metric: 100 * (int(frame[column].sum()) / frame.height)
        for metric, column in kinds.items()
        if frame.height and frame[column].null_count() == 0
    }


@lru_cache(maxsize=64)  # by content, so that it cannot be stale
def _frame(
    name: str, digest: str, language: str, greedy: bytes, oracle: bytes | None, likelihoods: bytes | None
) -> pl.DataFrame:
    test, commands = _asked(name, digest, language)
    targets = [example.actions for example in test]
    own, target = unpack_likelihoods(likelihoods) if likelihoods is not None else (None, None)
    return commands.with_columns(
        *_answered("answer", "right", greedy, targets),
        *_answered("oracle_answer", "oracle_right", oracle, targets),
        pl.Series("own", own, pl.Float64) if own is not None else pl.lit(None, pl.Float64).alias("own"),
        pl.Series("likelihood", target, pl.Float64)
        if target is not None
        else pl.lit(None, pl.Float64).alias("likelihood"),
    )


def _answered(answer: str, right: str, content: bytes | None, targets: Sequence[tuple[str, ...]]) -> list[Any]:
    if content is None:
        return [pl.lit(None, SEQUENCE).alias(answer), pl.lit(None, pl.Boolean).alias(right)]
    given = unpack_answers(content, targets)
    same = [one == target for one, target in zip(given, targets, strict=True)]
    return [pl.Series(answer, given, SEQUENCE), pl.Series(right, same, pl.Boolean)]


@lru_cache(maxsize=64)
def _asked(name: str, digest: str, language: str) -> tuple[tuple[Example, ...], pl.DataFrame]:
    """The test commands of a split, and their columns; refused if it is no longer the split that was trained on."""
    found = split(name, language)
    if found.digest != digest:
        raise InputError(
            f"the split {name} is not what it was when its runs were recorded, so their answers cannot be read: "
            "use the version of daxlab, or of the data, that they were made with"
        )
    return found.test, _columns(found.test)


def _columns(test: Sequence[Example]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "command": [example.command for example in test],
            "words": [example.command.count(" ") + 1 for example in test],
            "actions": [len(example.actions) for example in test],
            "target": [example.actions for example in test],
        },
        {"command": pl.String, "words": pl.Int64, "actions": pl.Int64, "target": SEQUENCE},
    )


def _unknown(ledger: Ledger, key: str) -> Any:
    raise InputError(f"{ledger.path} has no run {key[:12]}: 'daxlab runs list' shows what it has")


_EMPTY = _columns([]).with_columns(
    *(pl.lit(None, SEQUENCE).alias(name) for name in ("answer", "oracle_answer")),
    *(pl.lit(None, pl.Boolean).alias(name) for name in ("right", "oracle_right")),
    *(pl.lit(None, pl.Float64).alias(name) for name in ("own", "likelihood")),
)
