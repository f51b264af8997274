"""`daxlab train`: replicates of one learner on one split or several."""

import json
import sys
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.analysis.replicates import summary
from daxlab.cli import training
from daxlab.cli.options import DataOption, JsonOption, SetOption, TestOption, chosen_splits, learner_and_settings
from daxlab.cli.terminal import percent, table
from daxlab.cli.training import Training, with_training_options
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.runs import Ledger, is_written
from daxlab.sweep import Spec
from daxlab.units import counted

LEARNER = "What to train ('daxlab learners'), or a class of your own: path/to/file.py:Name. Default: rnn."
SPLIT = "What to learn ('daxlab data list'). Can be repeated."
MOST_RUNS = 100_000
MOST_WARNINGS = 3


@with_training_options
def train(
    how: Training,
    learner: Annotated[list[str] | None, typer.Argument(metavar="LEARNER", help=LEARNER)] = None,
    splits: Annotated[list[str] | None, typer.Option("--split", metavar="SPLIT", help=SPLIT)] = None,
    settings: SetOption = None,
    data: DataOption = "scan",
    test: TestOption = None,
    runs: Annotated[int, typer.Option(help="Replicates: seeds SEED, SEED + 1, …")] = 5,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    checkpoint_every: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between checkpoints: what a kill -9 may cost.")
    ] = 20.0,
    as_json: JsonOption = False,
) -> None:
    """Train replicates of a learner; what the ledger has already is not trained again.

    Every field of the learner is an option too: --hidden 100 is --set hidden=100.
    Example: daxlab train --split jump --layers 1 --hidden 100 --attention --dropout 0.1 --runs 5
    """
    if not 0 <= checkpoint_every < inf:
        raise InputError(f"a time between checkpoints is a number of seconds, not {checkpoint_every}")
    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")
    chosen = learners.from_text(*learner_and_settings(learner or [], settings or []))
    source = dataset(data)
    names = chosen_splits(source, splits or [], test)
    _warn(list(dict.fromkeys(warning for name in names for warning in source.unseen(source.split(name)))))
    _tell_of_change(chosen, how.ledger)
    specs = [Spec(split, seed + n, chosen, data) for split in names for n in range(runs)]
    plan = training.plan(specs, how)
    if plan["groups"]:
        print(training.in_words(plan), file=sys.stderr)
    # Whoever trains a few runs decides what to do with a damaged checkpoint; `sweep` and `reproduce` go on.
    outcome = training.train(specs, how, plan, checkpoint_every=checkpoint_every, set_aside=False)
    rows = _rows(how.ledger, outcome.keys)
    results = {name: _result([row for row in rows if row["split"] == name]) for name in names}
    if as_json:
        content = {"splits": results} if len(names) > 1 else results[names[0]]
        print(json.dumps(content | {"complete": not outcome.stopped}, indent=1))
    else:
        for split, result in results.items():
            _show(f"{chosen} on {split}", result)
    training.exit_if_stopped(outcome, how.ledger)


def _warn(unseen: list[str]) -> None:
    """Words of the test sets that training lacks."""
    for word in unseen[:MOST_WARNINGS]:
        print(word, file=sys.stderr)
    if len(unseen) > MOST_WARNINGS:
        print(f"… and {len(unseen) - MOST_WARNINGS:,} more such words", file=sys.stderr)


def _tell_of_change(learner: learners.Learner, ledger: Path) -> None:
    """Runs of a learner's file as it was before stay as they are; those of the changed file are new runs."""
    if learner.source is None or not is_written(ledger):
        return
    with Ledger(ledger) as known:
        every = known.count({"learner": learner.source["name"]})
        same = known.count({"learner": learner.source["name"], "learner.kind.digest": learner.source["digest"]})
    if every > same:
        earlier = counted(every - same, "earlier run")
        print(f"{learner.source['name']} has changed since {earlier}; what is trained now is new.", file=sys.stderr)


def _rows(path: Path, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the ledger has of these runs, in their order; accuracies in percent."""
    with Ledger(path) as known:
        rows = {row["key"]: row for row in known.rows({"key": list(keys)})}
    parts = ("split", "seed", "status", "accuracy", "train_accuracy", "oracle_accuracy", "failed_at", "seconds")
    return [{"id": key, **{part: rows[key][part] for part in parts}} for key in keys if key in rows]


def _result(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The runs on one split, and what they say together."""
    return {"runs": rows, **summary([row["accuracy"] for row in rows if row["accuracy"] is not None])}


def _show(title: str, result: Mapping[str, Any]) -> None:
    print(f"\n{title}\n")
    parts = {"test %": "accuracy", "train %": "train_accuracy", "oracle length %": "oracle_accuracy"}
    parts = {head: part for head, part in parts.items() if any(row[part] is not None for row in result["runs"])}
    lines = []
    for row in result["runs"]:
        failure = "" if row["status"] == "done" else f"failed at step {row['failed_at']:,}"
        lines.append([row["id"][:12], str(row["seed"]), *(percent(row[part]) for part in parts.values()), failure])
    table(["run", "seed", *parts, ""], lines, right=range(1, len(parts) + 2))
    if result["sem"] is not None:
        interval = f"95% interval {result['low']:.2f} to {result['high']:.2f} (Student t over runs)"
        print(f"\nmean {result['mean']:.2f}, standard error {result['sem']:.2f}, {interval}")
