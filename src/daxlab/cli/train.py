"""`daxlab train`: replicates of one learner on one split or several."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.analysis.replicates import summary
from daxlab.cli.options import (
    LEDGER,
    AddressOption,
    BudgetOption,
    CheckpointsOption,
    DataOption,
    DeviceOption,
    ExecutorOption,
    JsonOption,
    LedgerOption,
    RetryOption,
    SetOption,
    TestOption,
    chosen_splits,
    device_named,
    learner_and_settings,
    seconds,
    writable_ledger,
)
from daxlab.cli.planning import foresee, in_words
from daxlab.cli.runs import percent
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.runs import Ledger, key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Spec, sweep

MOST_RUNS = 100_000
MOST_WARNINGS = 3


def train(
    learner: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LEARNER]",
            help="What to train ('daxlab learners'), or a class of your own: path/to/file.py:Name. Default: rnn.",
        ),
    ] = None,
    splits: Annotated[
        list[str] | None,
        typer.Option("--split", metavar="SPLIT", help="What to learn ('daxlab data list'). Can be repeated."),
    ] = None,
    settings: SetOption = None,
    data: DataOption = "scan",
    test: TestOption = None,
    runs: Annotated[int, typer.Option(help="Replicates: seeds SEED, SEED + 1, …")] = 5,
    seed: Annotated[int, typer.Option()] = 0,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    budget: BudgetOption = None,
    checkpoint_every: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between checkpoints: what a kill -9 may cost.")
    ] = 20.0,
    checkpoints: CheckpointsOption = None,
    retry_failed: RetryOption = False,
    ledger: LedgerOption = None,
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
    specs = [Spec(split, seed + n, chosen, data) for split in names for n in range(runs)]
    from daxlab.cli.watching import watch

    path, where = ledger or LEDGER, device_named(device, executor)
    plan = foresee(specs, path, where, executor, retry_failed=retry_failed, checkpoints=checkpoints)
    if plan["groups"]:
        print(in_words(plan), file=sys.stderr)
        writable_ledger(path)
    with watch(specs) as show:
        outcome = sweep(
            specs,
            path,
            device=where,
            budget=seconds(budget),
            retry_failed=retry_failed,
            checkpoint_every=checkpoint_every,
            checkpoint_folder=checkpoints,
            executor=executor,
            address=address,
            set_aside=False,  # who trains a few runs decides for themselves; `sweep` and `reproduce` go on
            show=show,
        )
    for line in outcome.said:
        print(line, file=sys.stderr)
    rows = {row["id"]: row for row in _rows(path, outcome.keys)}
    asked = [(key(facts), spec) for facts, spec in zip(all_facts(specs), specs, strict=True)]
    found = {
        name: _found([_of_test(rows[key], name) for key, spec in asked if spec.split == name and key in rows])
        for name in names
    }
    if as_json:
        complete = {"complete": not outcome.stopped}
        content = found[names[0]] | complete if len(found) == 1 else {"splits": found} | complete
        print(json.dumps(content, indent=1))
    else:
        for split, some in found.items():
            _show(f"{chosen} on {split}", some)
    if outcome.stopped:
        print(f"Stopped at a checkpoint. Run the same command again to go on; the ledger is {path}.", file=sys.stderr)
        raise typer.Exit(3)


def _warn(unseen: list[str]) -> None:
    """Words of the test sets that training lacks."""
    for one in unseen[:MOST_WARNINGS]:
        print(one, file=sys.stderr)
    if len(unseen) > MOST_WARNINGS:
        print(f"… and {len(unseen) - MOST_WARNINGS:,} more such words", file=sys.stderr)


def _rows(path: Path, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the ledger has of these runs, in their order; accuracies in percent."""
    with Ledger(path) as known:
        found = {row["key"]: row for row in known.rows({"key": list(keys)})}
        metrics = {key: known.run(key).metrics for key in keys if key in found}
    parts = ("split", "seed", "status", "accuracy", "train_accuracy", "oracle_accuracy", "failed_at", "seconds")
    return [
        {"id": key, **{part: found[key][part] for part in parts}, "metrics": dict(metrics[key])}
        for key in keys
        if key in found
    ]


def _of_test(row: dict[str, Any], test: str) -> dict[str, Any]:
    """Where a run was recorded under another test set of the same split, its accuracy on the one asked for."""
    other = row["metrics"].get(f"accuracy.{test}")
    return row if other is None or row["split"] == test else row | {"accuracy": other, "oracle_accuracy": None}


def _found(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The runs on one split, and what they say together."""
    return {"runs": rows, **asdict(summary([row["accuracy"] for row in rows if row["accuracy"] is not None]))}


def _show(title: str, found: Mapping[str, Any]) -> None:
    from daxlab.cli.terminal import table

    print(f"\n{title}\n")
    parts = {"test %": "accuracy", "train %": "train_accuracy", "oracle length %": "oracle_accuracy"}
    parts = {head: part for head, part in parts.items() if any(row[part] is not None for row in found["runs"])}
    rows = [
        [
            row["id"][:12],
            str(row["seed"]),
            *(percent(row[part]) for part in parts.values()),
            "" if row["status"] == "done" else f"failed at step {row['failed_at']:,}",
        ]
        for row in found["runs"]
    ]
    table(["run", "seed", *parts, ""], rows, right=range(1, len(parts) + 2))
    if found["sem"] is not None:
        print(
            f"\nmean {found['mean']:.2f}, standard error {found['sem']:.2f}, "
            f"95% interval {found['low']:.2f} to {found['high']:.2f} (Student t over runs)"
        )
