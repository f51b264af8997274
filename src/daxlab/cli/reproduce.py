"""`daxlab reproduce`: train what the ledger lacks of the paper's experiments, and compare."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    writable_ledger,
)
from daxlab.cli.planning import foresee, in_words
from daxlab.datasets import find, sentence_pairs
from daxlab.datasets.new_word import named
from daxlab.datasets.release import SCAN
from daxlab.datasets.translation import ENG_FRA, TATOEBA
from daxlab.errors import InputError
from daxlab.paper.experiments import ALL, EXPERIMENTS, TRANSLATION, chosen, specs
from daxlab.paper.targets import RUNS
from daxlab.protocol import Protocol
from daxlab.runs import Ledger

if TYPE_CHECKING:
    from daxlab.paper import Row

NAMES = "|".join((*EXPERIMENTS, ALL))
DRAWN = {"simple", "size", "few-shot"}  # experiments with random splits
MOST_RUNS = 10_000


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar=NAMES, help="Which experiments; the default is all.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of each network on each split: seeds 0, 1, …")] = RUNS,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    budget: BudgetOption = None,
    checkpoints: CheckpointsOption = None,
    updates: Annotated[int, typer.Option(help="Updates of each run; fewer for a trial.")] = Protocol.updates,
    corpus: Annotated[
        str, typer.Option(metavar="tatoeba|built-in|FILE", help="For translation: the sentence pairs.")
    ] = TATOEBA,
    new_word: Annotated[
        str | None, typer.Option(metavar="ENGLISH=FRENCH", help="For translation: instead of daxy=daxiste.")
    ] = None,
    frames: Annotated[
        list[str] | None,
        typer.Option(
            "--frame",
            metavar="'i am X .=je suis X .'",
            help="For translation: at least two. The first is taught, the others ask. X is the word's place; "
            "in French, Y takes either singular form, Z any form.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and train nothing.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train what the ledger lacks of the paper's experiments, then show the paper's figures beside ours.

    Example: daxlab reproduce jump few-shot --runs 5 --device gpu --budget 8m
    """
    from daxlab.cli.watching import watch  # rich is slow to load
    from daxlab.sweep import sweep

    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")
    path, where, until = ledger or LEDGER, device_named(device, executor), seconds(budget)
    experiments, protocol, release = chosen(names or [ALL]), Protocol(updates), find(SCAN) is not None
    pairs = _pairs(names or [ALL], experiments, corpus, new_word, frames)
    wanted = specs(experiments, runs, release, protocol, pairs)
    plan = foresee(wanted, path, where, executor=executor, checkpoints=checkpoints)
    plan |= {"experiments": experiments, "draws": "release" if release else "own"}
    _say(plan, path)
    if dry_run:
        if as_json:
            print(json.dumps({"plan": plan}, indent=1))
        return
    if plan["groups"]:
        writable_ledger(path)
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
    _show(path, experiments, protocol, as_json, {"plan": plan, "complete": not outcome.stopped}, pairs)
    if outcome.stopped:
        print(f"Stopped at a checkpoint. Run the same command again to go on; the ledger is {path}.", file=sys.stderr)
        raise typer.Exit(3)


def _pairs(
    asked: list[str], experiments: list[str], corpus: str, word: str | None, frames: list[str] | None
) -> str | None:
    """The dataset of the English-French pairs. Where `all` finds no corpus, None, and the experiment is left out."""
    options = corpus != TATOEBA or word is not None or frames
    if TRANSLATION not in experiments:
        if options:
            raise InputError(f"--corpus, --new-word and --frame are options of the experiment {TRANSLATION}")
        return None
    if TRANSLATION not in asked and not options and find(ENG_FRA) is None:
        experiments.remove(TRANSLATION)
        how = f"'daxlab data fetch {ENG_FRA.name}' downloads it, and '--corpus built-in' needs none"
        print(f"{TRANSLATION} is left out, because its corpus is not on this machine: {how}.", file=sys.stderr)
        return None
    name = named(corpus, word, frames)
    _ = sentence_pairs(name).pairs  # an unreadable corpus is an error before anything is trained
    return name


def _say(plan: dict[str, Any], path: Path) -> None:
    """Print the plan before anything is trained."""

    def say(line: str) -> None:
        print(line, file=sys.stderr)

    say(f"{', '.join(plan['experiments'])}: {plan['asked']:,} runs, of which {path} has {plan['done']:,}.")
    if DRAWN & set(plan["experiments"]):
        ours = "our own seeded draws, because the release is not here ('daxlab data fetch scan' downloads it)"
        drawn = [name for name in plan["experiments"] if name in DRAWN]
        say(f"{', '.join(drawn)}: {'the release’s own draws' if plan['draws'] == 'release' else ours}.")
    if plan["groups"]:
        say(in_words(plan))


def _show(
    path: Path, experiments: list[str], protocol: Protocol, as_json: bool, about: dict[str, Any], pairs: str | None
) -> None:
    """Show the comparison, and all translations of the English-French experiment."""
    from daxlab.cli.translations import show
    from daxlab.paper.translations import translation_summary

    with Ledger(path) as known:
        translations = translation_summary(known, pairs, protocol) if pairs else None
        if translations and not translations["paper"]:  # the paper's figures are not about these pairs
            experiments = [experiment for experiment in experiments if experiment != TRANSLATION]
        rows = _compared(known, experiments, protocol)
    if as_json:
        content = about | {"comparison": [asdict(row) for row in rows]}
        content |= {TRANSLATION: translations} if translations else {}
        print(json.dumps(content, indent=1, allow_nan=False))
        return
    if protocol != Protocol():
        print(f"A trial of {protocol.updates:,} updates, not the paper's {Protocol.updates:,}:\n")
    if rows:
        from daxlab.cli.compare import show as show_rows

        show_rows(rows)
    if translations:
        show(translations)


def _compared(known: Ledger, experiments: list[str], protocol: Protocol) -> "list[Row]":
    try:
        from daxlab.paper import compare
    except ImportError as error:  # on a machine with few packages, which only trains
        print(f"{error.name} is not installed: run 'daxlab compare' on another machine.", file=sys.stderr)
        return []
    return compare(known, experiments, protocol)
