"""`daxlab train`: replicates of one network on one split, by the paper's protocol."""

import json
import sys
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.analysis.protocols import differing
from daxlab.analysis.replicates import summary
from daxlab.cli.options import (
    LEDGER,
    AddressOption,
    BudgetOption,
    CheckpointsOption,
    DeviceOption,
    ExecutorOption,
    JsonOption,
    LanguageOption,
    LedgerOption,
    RetryOption,
    device_named,
    seconds,
    written_to,
)
from daxlab.cli.planning import foresee, in_words
from daxlab.cli.runs import percent
from daxlab.datasets import split as find_split
from daxlab.errors import InputError
from daxlab.protocol import Protocol
from daxlab.runs import Ledger, key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Architecture, Spec, sweep

MOST_RUNS = 100_000


def train(
    splits: Annotated[
        list[str],
        typer.Option("--split", metavar="SPLIT", help="What to learn ('daxlab data list'); given again, one more."),
    ],
    cell: Annotated[str, typer.Option(metavar="srn|lstm|gru")] = "lstm",
    layers: Annotated[int, typer.Option()] = 2,
    hidden: Annotated[int, typer.Option(help="Units of a layer.")] = 200,
    dropout: Annotated[float, typer.Option()] = 0.5,
    attention: Annotated[bool, typer.Option("--attention", help="Let the decoder look back at the command.")] = False,
    runs: Annotated[int, typer.Option(help="Replicates: seeds SEED, SEED + 1, …")] = 5,
    seed: Annotated[int, typer.Option()] = 0,
    updates: Annotated[int, typer.Option(help="Presentations of one command each.")] = 100_000,
    learning_rate: Annotated[float, typer.Option()] = 1e-3,
    clip: Annotated[float, typer.Option(help="Of the norm of all gradients.")] = 5.0,
    teacher_forcing: Annotated[float, typer.Option(help="The share of presentations that are teacher-forced.")] = 0.5,
    self_fed_loss_ends: Annotated[
        str, typer.Option(metavar="own|target", help="Where the loss of a self-fed presentation ends.")
    ] = "own",
    separate_lengths: Annotated[
        bool, typer.Option("--separate-lengths", help="Replicates do not share the sequence of lengths.")
    ] = False,
    language: LanguageOption = "scan",
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    budget: BudgetOption = None,
    checkpoint_every: Annotated[float, typer.Option(metavar="SECONDS", help="What a kill -9 may cost.")] = 20.0,
    checkpoints: CheckpointsOption = None,
    retry_failed: RetryOption = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train replicates of a network; what the ledger has already is not trained again.

    Example: daxlab train --split jump --layers 1 --hidden 100 --attention --dropout 0.1 --runs 5
    """
    if not 0 <= checkpoint_every < inf:
        raise InputError(f"a time between checkpoints is a number of seconds, not {checkpoint_every}")
    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")
    protocol = Protocol(updates, learning_rate, clip, teacher_forcing, self_fed_loss_ends, not separate_lengths)  # type: ignore[arg-type]
    architecture = Architecture(cell, layers, hidden, attention, dropout)  # type: ignore[arg-type] # it checks
    splits = list(dict.fromkeys(find_split(name, language).name for name in splits))
    specs = [Spec(split, seed + n, architecture, protocol, language) for split in splits for n in range(runs)]
    from daxlab.cli.watching import watch  # rich is slow to load

    path, where = ledger or LEDGER, device_named(device, executor)
    plan = foresee(specs, path, where, executor=executor, retry_failed=retry_failed, checkpoints=checkpoints)
    if plan["groups"]:
        print(in_words(plan), file=sys.stderr)
        written_to(path)
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
        split: _found([rows[name] for name, spec in asked if spec.split == split and name in rows]) for split in splits
    }
    if as_json:
        complete = {"complete": not outcome.stopped}
        content = found[splits[0]] | complete if len(found) == 1 else {"splits": found} | complete
        print(json.dumps(content, indent=1))
    else:
        for split, some in found.items():
            differs = differing(specs[0].facts())
            _show(f"{architecture} on {split}{f', {differs}' if differs else ''}", some)
    if outcome.stopped:
        print(f"Stopped at a checkpoint. Run the same command again to go on; the ledger is {path}.", file=sys.stderr)
        raise typer.Exit(3)


def _rows(path: Path, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the ledger has of these runs, in their order; accuracies in percent."""
    with Ledger(path) as known:
        found = {row["key"]: row for row in known.rows({"key": list(keys)})}
    parts = ("split", "seed", "status", "accuracy", "train_accuracy", "oracle_accuracy", "failed_at", "seconds")
    return [{"id": key, **{part: found[key][part] for part in parts}} for key in keys if key in found]


def _found(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The runs on one split, and what they say together."""
    return {"runs": rows, **asdict(summary([row["accuracy"] for row in rows if row["accuracy"] is not None]))}


def _show(title: str, found: dict[str, Any]) -> None:
    from daxlab.cli.terminal import table

    print(f"\n{title}\n")
    rows = [
        [
            row["id"][:12],
            str(row["seed"]),
            *(percent(row[part]) for part in ("accuracy", "train_accuracy", "oracle_accuracy")),
            "" if row["status"] == "done" else f"failed at update {row['failed_at']:,}",
        ]
        for row in found["runs"]
    ]
    table(["run", "seed", "test %", "train %", "oracle length %", ""], rows, right=(1, 2, 3, 4))
    if found["sem"] is not None:
        print(
            f"\nmean {found['mean']:.2f}, standard error {found['sem']:.2f}, "
            f"95% interval {found['low']:.2f} to {found['high']:.2f} (Student t over runs)"
        )
