"""Two sets of runs, A and B: by how much one is better than the other, how sure that is, and on which commands.

Like is compared with like. Runs belong together if learner and split are the same, the split by its content; where the
two sides share no split, if the test sets are the same. Where each
side has one learner on a split, these two are compared. Otherwise a learner of A is matched with the one of B that
differs from it in nothing but the fields that the two filters tell apart; a learner without such a partner is not
compared, and never pooled with others.

Runs of the same seed are pairs, if at least two seeds are on both sides and each side has one run of each of them. A
correlation between pairs makes the difference of the means surer (a negative one less sure), and its interval is
narrower by as much. A few pairs may correlate by chance, so their correlation counts as if five more pairs had shown
none. Runs without a partner of the same seed count too.

Reads the ledger's metrics; only `items` reads answers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.answers import together
from daxlab.analysis.replicates import Row, Where, name_and_protocol, summary
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.learners import name_and_fields
from daxlab.ledger import Ledger
from daxlab.ledger.location import shipped_hint
from daxlab.ledger.records import canonical
from daxlab.units import counted

Replicates = list[Row]  # the runs of one learner on one split, by seed
Scores = Sequence[tuple[int, float]]  # seed and accuracy of each run
SIDE: dict[str, Any] = {"learner": str, "runs": int, "failed": int, "mean": float, "low": float, "high": float}
SIDE |= {"accuracies": list[float], "seeds": list[int], "keys": list[str]}  # of the runs that have an accuracy
DIFFERENCE = dict.fromkeys(("difference", "difference_low", "difference_high"), float)
BETTER = dict.fromkeys(("better", "better_low", "better_high", "higher"), float)
SCHEMA: dict[str, Any] = {"dataset": str, "split": str, "digest": str, "also": list[str], "pairs": int}
SCHEMA |= {**DIFFERENCE, **BETTER, **{f"{name}_{side}": kind for side in "ab" for name, kind in SIDE.items()}}
UNRELATED = 5  # pairs without a correlation, added to those that there are
MOST_VALUES = 6  # of a field, in an error
MARGIN = 5.0  # points by which a learner may be better on data that is not disguised


def compare(ledger: Ledger, a: Where, b: Where, where: Where | None = None) -> pl.DataFrame:
    """A row per split and pair of matched learners, with what each side has and what tells them apart.

    `a` and `b` filter the runs of each side, `where` those of both. Of each side (columns that end in _a or _b):
    learner, runs (that have an accuracy), failed, mean with its 95% interval (low, high), accuracies, seeds, keys.
    also: the fields in which the two learners differ beside those that were filtered by. pairs: seeds that both have.
    difference: A's mean minus B's, in points, with its 95% interval. better: the probability that a run of A is better
    than a run of B, ties counting half, with its 95% interval. higher: the probability that A's mean is higher.
    Intervals and probabilities need two runs on each side. A learner without a partner has a row too, with nothing on
    the other side.
    """
    filters = {"a": {**(where or {}), **a}, "b": {**(where or {}), **b}}
    sides = {side: ledger.rows(wanted) for side, wanted in filters.items()}
    for side, rows in sides.items():
        if not rows:
            lacking = f"{ledger.path} has no run for side {side.upper()} ({_written(filters[side])})"
            raise InputError(lacking + shipped_hint(ledger.path))
    refuse_shared(sides["a"], sides["b"])
    return compared(sides["a"], sides["b"], _told_apart(filters["a"], filters["b"]))


def refuse_shared(a: Sequence[Row], b: Sequence[Row]) -> None:
    """Refuse a run on both sides."""
    keys = [{row["key"] for row in rows} for rows in (a, b)]
    if both := sorted(keys[0] & keys[1]):
        some = f"{len(both):,} runs, such as {both[0][:12]}, are" if len(both) > 1 else f"the run {both[0][:12]} is"
        raise InputError(f"{some} on both sides: filter each side by a field that tells them apart")


def compared(a: Sequence[Row], b: Sequence[Row], told_apart: set[str] | None = None) -> pl.DataFrame:
    """The same of runs that are at hand, perhaps of two ledgers.

    `told_apart`: the fields that tell the two sides apart; by default those that have one value in A, another in B.
    """
    told_apart = told_by(a, b) if told_apart is None else told_apart
    of_a, of_b = (_by_split(rows, _digest) for rows in (a, b))
    if not of_a.keys() & of_b.keys():  # other training, such as that of jump and jump-once, but the same questions
        of_a, of_b = (_by_split(rows, _test_digest) for rows in (a, b))
    rows = []
    for digest in {**of_a, **of_b}:
        for one, other in _matched(of_a.get(digest, []), of_b.get(digest, []), told_apart):
            rows.append(_row(digest, one, other, told_apart))
    frame = pl.DataFrame(rows, SCHEMA, orient="row")
    if not any(row["learner_a"] and row["learner_b"] for row in rows):
        raise _nothing_matches(of_a, of_b, told_apart)
    order = ["dataset", "split", "digest", "difference", "learner_a", "learner_b"]
    return frame.sort(order, descending=[name == "difference" for name in order], nulls_last=True)


def over_learners(frame: pl.DataFrame) -> pl.DataFrame:
    """A row per split with several matched learners: how many, in how many A is ahead or behind, the mean difference.

    Its 95% interval is that of Student's t, as if the learners were a sample of others like them; and no narrower than
    the noise of their runs makes it, because a few learners may agree by chance.
    """
    from daxlab.analysis.intervals import student  # scipy is slow to load

    rows = []
    for part in frame.drop_nulls("difference").partition_by("digest", maintain_order=True):
        if part.height > 1:
            differences = part["difference"].to_list()
            low, high = student(differences)
            noise = (part["difference_high"] - part["difference_low"]).fill_null(0) / 2
            reach = max((high - low) / 2, sqrt((noise**2).sum()) / part.height)
            mean, where = fmean(differences), part.row(0, named=True)
            numbers = [part.height, *(sum(sign * points > 0 for points in differences) for sign in (1, -1)), mean]
            ends = [max(mean - reach, -100.0), min(mean + reach, 100.0)]
            rows.append([where["dataset"], where["split"], where["digest"], *numbers, *ends])
    columns = {"dataset": str, "split": str, "digest": str, "learners": int, "ahead": int, "behind": int, **DIFFERENCE}
    return pl.DataFrame(rows, columns, orient="row")


# -- which learners are compared


def _by_split(rows: Sequence[Row], digest: Callable[[Row], str]) -> dict[str, list[Replicates]]:
    """By the digest of a split, the runs of each learner on each split of that digest."""
    groups: dict[str, dict[tuple[str, str], Replicates]] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        learner = canonical(learner_facts(row)), _digest(row)
        groups.setdefault(digest(row), {}).setdefault(learner, []).append(row)
    return {digest: list(learners.values()) for digest, learners in groups.items()}


def _digest(row: Row) -> str:
    """Of a run's split."""
    return str(row["spec"]["split"].get("digest", row["split"]))


def _test_digest(row: Row) -> str:
    """Of the test set of a run's split, if the split is here as it was recorded; else of the split."""
    try:
        split = dataset(row["dataset"]).split(row["split"])
    except InputError:
        return _digest(row)
    if split.digest != _digest(row):
        return _digest(row)
    return sha256(canonical([row["dataset"], split.test]).encode()).hexdigest()


def learner_facts(row: Row) -> Row:
    """What determines a run's learner: its fields, its kind, the version of its source and of its semantics."""
    kind, fields = name_and_fields(row["spec"])
    source = row["spec"].get("learner", {}).get("kind")
    digest = source.get("digest") if isinstance(source, Mapping) else None
    return {"learner": kind, "source": digest, "semantics": row["spec"].get("semantics"), **fields}


def told_by(a: Sequence[Row], b: Sequence[Row]) -> set[str]:
    """The fields that have one value in all runs of A, and another in all of B."""
    sides = [[learner_facts(row) for row in rows] for rows in (a, b)]
    names = {name for facts in sides for fact in facts for name in fact}
    values = {name: [{canonical(fact.get(name)) for fact in facts} for facts in sides] for name in names}
    return {name for name, (ours, theirs) in values.items() if len(ours) == len(theirs) == 1 and ours != theirs}


def _told_apart(a: Where, b: Where) -> set[str]:
    """The names that the two filters do not ask the same of."""
    names = {name for name in {**a, **b} if name not in a or name not in b or a[name] != b[name]}
    names = {name.removeprefix("protocol.").removeprefix("network.") for name in names}
    if names & {"file", "command"}:  # of outside programs, which have another digest then
        names.add("digest")
    if any(name.partition(".")[0] == "learner" for name in names):
        names |= {"learner", "source", "semantics"}
    return names


def _matched(
    of_a: Sequence[Replicates], of_b: Sequence[Replicates], told_apart: set[str]
) -> list[tuple[Replicates, Replicates]]:
    """The learners of both sides that are compared on a split, and those that have no partner beside nothing."""
    if len(of_a) == len(of_b) == 1:
        return [(of_a[0], of_b[0])]
    alike: dict[str, tuple[list[Replicates], list[Replicates]]] = {}
    for side, learners in enumerate((of_a, of_b)):
        for runs in learners:
            rest = {name: value for name, value in learner_facts(runs[0]).items() if name not in told_apart}
            alike.setdefault(canonical(rest), ([], []))[side].append(runs)
    pairs = []
    for ours, theirs in alike.values():
        if len(ours) == len(theirs) == 1:
            pairs.append((ours[0], theirs[0]))
        else:
            pairs += [*((runs, []) for runs in ours), *(([], runs) for runs in theirs)]
    return pairs


def _nothing_matches(
    of_a: Mapping[str, Sequence[Replicates]], of_b: Mapping[str, Sequence[Replicates]], told_apart: set[str]
) -> InputError:
    """The error where no learner of A has a partner in B: why, and which filters would help."""
    shared = [digest for digest in of_a if digest in of_b]
    if not shared:
        names = [
            ", ".join(sorted({runs[0]["split"] for part in side.values() for runs in part})) for side in (of_a, of_b)
        ]
        return InputError(f"the two sides have no split in common: A has runs on {names[0]}, B on {names[1]}")
    values: dict[str, set[str]] = {}
    for learners in (of_a[shared[0]], of_b[shared[0]]):
        facts = [learner_facts(runs[0]) for runs in learners]
        for name in sorted({name for fact in facts for name in fact} - {"source"}):
            options = {canonical(fact.get(name)).strip('"') for fact in facts}
            if len(options) > 1:
                values.setdefault(name, set()).update(options)
    by = [
        f"{name} ({', '.join(sorted(options, key=lambda text: (len(text), text))[:MOST_VALUES])})"
        for name, options in values.items()
    ]
    split = of_a[shared[0]][0][0]["split"]
    return InputError(
        f"on {split}, A has {counted(len(of_a[shared[0]]), 'learner')} and B {len(of_b[shared[0]])}, and no two differ "
        f"in {', '.join(sorted(told_apart))} alone: filter by {', '.join(by)} until each side has one"
    )


def _written(filters: Where) -> str:
    return ", ".join(f"{name}={canonical(value).strip(chr(34))}" for name, value in filters.items()) or "no filter"


# -- what tells two sets of runs apart


def _row(digest: str, of_a: Replicates, of_b: Replicates, told_apart: set[str]) -> Row:
    first = (of_a or of_b)[0]
    others = [runs[0]["split"] for runs in (of_b,) if runs and _digest(runs[0]) != _digest(first)]
    split = " and ".join([first["split"], *others])
    row = {"dataset": first["dataset"], "split": split, "digest": digest, "also": [], "pairs": 0}
    scores: list[Scores] = []
    for side, runs in (("a", of_a), ("b", of_b)):
        measured = [run for run in runs if run["status"] == "done" and run["accuracy"] is not None]
        scores.append([(run["seed"], run["accuracy"]) for run in measured])
        accuracies = [run["accuracy"] for run in measured]
        part = {
            "learner": "; ".join(filter(None, name_and_protocol(runs[0]))) if runs else None,
            "runs": len(measured),
            "failed": sum(run["status"] == "failed" for run in runs),
            **summary(accuracies),
            "accuracies": accuracies,
            "seeds": [run["seed"] for run in measured],
            "keys": [run["key"] for run in measured],
        }
        row |= {f"{name}_{side}": part[name] for name in SIDE}
    if of_a and of_b:
        one, other = learner_facts(of_a[0]), learner_facts(of_b[0])
        if one["learner"] == other["learner"] and "label" not in told_apart:
            row["also"] = [name for name in sorted({*one, *other} - told_apart) if one.get(name) != other.get(name)]
        row |= contrast(*scores)
    return row


def contrast(a: Scores, b: Scores) -> Row:
    """What tells two sets of runs apart: the columns pairs, difference, better and higher of `compare`."""
    runs, others = ([accuracy for _, accuracy in side] for side in (a, b))
    if not runs or not others:
        return {"pairs": 0}
    difference = float(np.mean(runs) - np.mean(others))
    if min(len(runs), len(others)) < 2:
        return {"pairs": 0, "difference": difference}
    from scipy.special import ndtr, ndtri  # scipy is slow to load

    from daxlab.analysis import intervals

    pairs = _pairs(a, b)
    width = _width(runs, others, pairs)
    means = intervals.with_others(intervals.posterior(runs), intervals.posterior(others))
    low, high = intervals.difference(means)
    better, better_low, better_high = intervals.better(runs, others)
    return {
        "pairs": len(pairs),
        "difference": difference,
        "difference_low": max(difference + width * min(low - difference, 0.0), -100.0),
        "difference_high": min(difference + width * max(high - difference, 0.0), 100.0),
        "better": better,
        "better_low": better_low,
        "better_high": better_high,
        "higher": float(ndtr(ndtri(min(intervals.greater(means), 1.0)) / width)),
    }


def beforehand(name: str, plain: Scores, disguised: Scores) -> Row:
    """Whether a learner knows a dataset beforehand: the columns DIFFERENCE of `contrast`, and the verdict.

    It knows it if the 95% interval of plain minus disguised is above MARGIN. It is as good in disguise if it is below.
    """
    row = dict.fromkeys(DIFFERENCE) | contrast(plain, disguised)
    low, high = row["difference_low"], row["difference_high"]
    if low is None or high is None or low <= MARGIN < high:
        verdict = "undecided"
    else:
        verdict = f"knows {name} beforehand" if low > MARGIN else "as good in disguise"
    return {**{column: row[column] for column in DIFFERENCE}, "verdict": verdict}


def _pairs(a: Scores, b: Scores) -> list[tuple[float, float]]:
    """The accuracies of runs of the same seed."""
    ours, theirs = dict(a), dict(b)
    shared = ours.keys() & theirs.keys()
    alone = all(Counter(seed for seed, _ in side)[seed] == 1 for side in (a, b) for seed in shared)
    return [(ours[seed], theirs[seed]) for seed in sorted(shared)] if alone and len(shared) > 1 else []


def _width(runs: Sequence[float], others: Sequence[float], pairs: Sequence[tuple[float, float]]) -> float:
    """How wide the interval of a difference of means is, beside that of runs without pairs."""
    ours, theirs = np.array(pairs).reshape(-1, 2).T
    if not pairs or min(np.ptp(ours), np.ptp(theirs)) < 1e-9:
        return 1.0
    correlation = float(np.corrcoef(ours, theirs)[0, 1]) * len(pairs) / (len(pairs) + UNRELATED)
    spreads = float(np.std(runs, ddof=1)), float(np.std(others, ddof=1))
    variance = spreads[0] ** 2 / len(runs) + spreads[1] ** 2 / len(others)
    covariance = correlation * spreads[0] * spreads[1] * len(pairs) / (len(runs) * len(others))
    return sqrt(1 - 2 * covariance / variance)


# -- commands


def answered(ledger: Ledger, keys: Sequence[str]) -> list[str]:
    """Of these runs, those whose answers the ledger has."""
    return [key for key in keys if ledger.artefact(key, "greedy") is not None]


def items(ledger: Ledger, a: Sequence[str], b: Sequence[str], other: Ledger | None = None) -> pl.DataFrame:
    """A row per test command of runs (by key) on one split: command, target, a and b (the per cent of the side's runs
    that answer it right), difference, wrong_a and wrong_b (the most frequent wrong answer).

    Commands that A gets right more often than B come first. Runs without answers in the ledger are left out. `other`:
    the ledger of B, if it is another.
    """
    command, target = pl.col("command").first(), pl.col("target").first().list.join(" ")
    wrong = pl.col("answer").filter(~pl.col("right")).list.join(" ").mode().sort().first()
    frames = []
    for side, where, keys in (("a", ledger, a), ("b", other or ledger, b)):
        known = answered(where, keys)
        if not known:
            raise InputError(f"{where.path} has no answers of {side.upper()}'s runs: merge the ledger that has them")
        frame = together(where, known, ["command", "target", "answer", "right"])
        per_item = frame.with_columns(item=pl.int_range(pl.len()).over("key")).group_by("item")
        share = (100 * pl.col("right").mean()).alias(side)
        frames.append(per_item.agg(command, target, share, wrong.alias(f"wrong_{side}")))
    both = (
        frames[0]
        .join(frames[1].drop("command", "target"), on="item")
        .with_columns(difference=pl.col("a") - pl.col("b"))
    )
    ranked = both.sort("difference", "item", descending=[True, False])
    return ranked.select("command", "target", "a", "b", "difference", "wrong_a", "wrong_b")


def only(commands: pl.DataFrame) -> tuple[int, int]:
    """Of `items`, how many commands most runs of A get right and most of B do not, and the reverse."""
    a, b = (commands[side] > 50 for side in "ab")
    return int((a & ~b).sum()), int((b & ~a).sum())
