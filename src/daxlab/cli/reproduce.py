"""`daxlab reproduce`: the paper's experiments, as far as the ledger lacks them, and what came of them."""

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
DRAWN = {"simple", "size", "few-shot"}  # experiments whose splits chance drew
MOST_RUNS = 10_000


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar=NAMES, help="Which experiments; all unless given.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Replicates of each network on each split: seeds 0, 1, …")] = RUNS,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    budget: BudgetOption = None,
    checkpoints: CheckpointsOption = None,
    updates: Annotated[int, typer.Option(help="Fewer than the paper's, for a trial.")] = Protocol.updates,
    corpus: Annotated[
        str, typer.Option(metavar="tatoeba|built-in|FILE", help="translation: the pairs to learn from.")
    ] = TATOEBA,
    new_word: Annotated[
        str | None, typer.Option(metavar="ENGLISH=FRENCH", help="translation: in the place of daxy=daxiste.")
    ] = None,
    frames: Annotated[
        list[str] | None,
        typer.Option(
            "--frame",
            metavar="'i am X .=je suis X .'",
            help="translation: twice at least; the first is taught, the others ask. X is the word's place; in French, "
            "Y takes either singular form, Z any.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train what the ledger lacks of the paper's experiments, and show the paper's figures beside ours.

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
    """The language of the English-French pairs; none, and then no such experiment, where `all` finds no corpus here."""
    given = corpus != TATOEBA or word is not None or frames
    if TRANSLATION not in experiments:
        if given:
            raise InputError(f"--corpus, --new-word and --frame are of the experiment called {TRANSLATION}")
        return None
    if TRANSLATION not in asked and not given and find(ENG_FRA) is None:
        experiments.remove(TRANSLATION)
        how = f"'daxlab data fetch {ENG_FRA.name}' brings the corpus, '--corpus built-in' does without"
        print(f"{TRANSLATION} is left out: its pairs are not here; {how}.", file=sys.stderr)
        return None
    name = named(corpus, word, frames)
    _ = sentence_pairs(name).pairs  # a corpus that cannot be read is refused before anything is trained
    return name


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


def _show(
    path: Path, experiments: list[str], protocol: Protocol, as_json: bool, about: dict[str, Any], pairs: str | None
) -> None:
    """The comparison; of English-French, which may be of other pairs than the paper's, all that was translated too."""
    from daxlab.cli.translations import show
    from daxlab.paper.translations import translation_summary

    with Ledger(path) as known:
        found = translation_summary(known, pairs, protocol) if pairs else None
        if found and not found["paper"]:  # its figures are not about these pairs
            experiments = [one for one in experiments if one != TRANSLATION]
        rows = _compared(known, experiments, protocol)
    if as_json:
        content = about | {"comparison": [asdict(row) for row in rows]} | ({TRANSLATION: found} if found else {})
        print(json.dumps(content, indent=1, allow_nan=False))
        return
    if protocol != Protocol():
        print(f"A trial of {protocol.updates:,} updates, not the paper's {Protocol.updates:,}:\n")
    if rows:
        from daxlab.cli.compare import show as show_rows

        show_rows(rows)
    if found:
        show(found)


def _compared(known: Ledger, experiments: list[str], protocol: Protocol) -> "list[Row]":
    try:
        from daxlab.paper import compare
    except ImportError as error:  # a bare machine with a card trains, and another one compares
        print(f"{error.name} is not here, so the comparison is left to 'daxlab compare' elsewhere.", file=sys.stderr)
        return []
    return compare(known, experiments, protocol)
