"""`daxlab reproduce`: the paper's experiments, as far as the ledger lacks them, and what came of them."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.options import (
    LEDGER,
    AddressOption,
    BudgetOption,
    CheckpointsOption,
    DeviceOption,
    ExecutorOption,
    JsonOption,
    LedgerOption,
    device_named,
    seconds,
)
from daxlab.cli.planning import foresee, in_words
from daxlab.corpora import find
from daxlab.corpora.release import SCAN
from daxlab.errors import InputError
from daxlab.protocol import Protocol
from daxlab.store import Ledger

NAMES = "simple|size|length|turn-left|jump|few-shot|primitives|all"
DRAWN = {"simple", "size", "few-shot"}  # experiments whose splits chance drew
MOST_RUNS = 10_000


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar=NAMES, help="Which experiments; all unless given.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Replicates of each network on each split: seeds 0, 1, …")] = 5,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    budget: BudgetOption = None,
    checkpoints: CheckpointsOption = None,
    updates: Annotated[int, typer.Option(help="Fewer than the paper's, for a trial.")] = Protocol.updates,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train what the ledger lacks of the paper's experiments, and show the paper's figures beside ours.

    Example: daxlab reproduce jump few-shot --runs 5 --device gpu --budget 8m
    """
    from daxlab.cli.watching import watch  # noqa: PLC0415 - rich is slow to load
    from daxlab.paper import chosen, specs  # noqa: PLC0415 - polars too
    from daxlab.sweep import sweep  # noqa: PLC0415

    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")
    path, where, until = ledger or LEDGER, device_named(device, executor), seconds(budget)
    experiments, protocol, release = chosen(names or ["all"]), Protocol(updates), find(SCAN) is not None
    wanted = specs(experiments, runs, release, protocol)
    plan = foresee(wanted, path, where, executor=executor)
    plan |= {"experiments": experiments, "draws": "release" if release else "own"}
    _say(plan, path)
    if dry_run:
        if as_json:
            print(json.dumps({"plan": plan}, indent=1))
        return
    with watch(wanted) as show:
        outcome = sweep(
            wanted,
            path,
            device=where,
            budget=until,
            checkpoint_folder=checkpoints,
            executor=executor,
            address=address,
            show=show,
        )
    for line in outcome.said:
        print(line, file=sys.stderr)
    _compare(path, experiments, protocol, as_json, {"plan": plan, "complete": not outcome.stopped})
    if outcome.stopped:
        print(f"Stopped at a checkpoint; the same command goes on. The ledger is {path}.", file=sys.stderr)
        raise typer.Exit(3)


def _say(plan: dict[str, Any], path: Path) -> None:
    """What it will cost, before anything is trained."""

    def say(line: str) -> None:
        print(line, file=sys.stderr)

    say(f"{', '.join(plan['experiments'])}: {plan['asked']:,} runs, of which {path} has {plan['done']:,}.")
    if DRAWN & set(plan["experiments"]):
        ours = "our own seeded draws, because the release is not here ('daxlab data fetch scan' brings it)"
        drawn = [name for name in plan["experiments"] if name in DRAWN]
        say(f"{', '.join(drawn)}: {'the release’s own draws' if plan['draws'] == 'release' else ours}.")
    if plan["groups"]:
        say(in_words(plan))


def _compare(path: Path, experiments: list[str], protocol: Protocol, as_json: bool, about: dict[str, Any]) -> None:
    from daxlab.cli.compare import show  # noqa: PLC0415
    from daxlab.paper import compare  # noqa: PLC0415

    with Ledger(path) as known:
        rows = compare(known, experiments, protocol)
    if as_json:
        print(json.dumps(about | {"comparison": [asdict(row) for row in rows]}, indent=1, allow_nan=False))
        return
    if protocol != Protocol():
        print(f"A trial of {protocol.updates:,} updates, not the paper's {Protocol.updates:,}:\n")
    show(rows)
