"""`daxlab reproduce`: train what the ledger lacks of the paper's experiments, and compare."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from daxlab.cli import training
from daxlab.cli.options import JsonOption
from daxlab.cli.training import Training, with_training_options
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
    from daxlab.paper.comparison import Row

NAMES = "|".join((*EXPERIMENTS, ALL))
DRAWN = {"simple", "size", "few-shot"}  # experiments with random splits
MOST_RUNS = 10_000
FRAMES = """For translation: at least two. The first is taught, the others ask. X is the word's place; in French, Y
takes either singular form, Z any form."""


@with_training_options
def reproduce(
    how: Training,
    names: Annotated[
        list[str] | None, typer.Argument(metavar=NAMES, help="Which experiments; the default is all.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Runs of each network on each split: seeds 0, 1, …")] = RUNS,
    updates: Annotated[int, typer.Option(help="Updates of each run; fewer for a trial.")] = Protocol.updates,
    corpus: Annotated[
        str, typer.Option(metavar="tatoeba|built-in|FILE", help="For translation: the sentence pairs.")
    ] = TATOEBA,
    new_word: Annotated[
        str | None, typer.Option(metavar="ENGLISH=FRENCH", help="For translation: instead of daxy=daxiste.")
    ] = None,
    frames: Annotated[list[str] | None, typer.Option("--frame", metavar="'i am X .=je suis X .'", help=FRAMES)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and train nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Train what the ledger lacks of the paper's experiments, then show the paper's figures beside ours.

    Example: daxlab reproduce jump few-shot --runs 5 --device gpu --budget 8m
    """
    if not 1 <= runs <= MOST_RUNS:
        raise InputError(f"runs must be between 1 and {MOST_RUNS:,}, not {runs}")
    experiments, protocol, release = chosen(names or [ALL]), Protocol(updates), find(SCAN) is not None
    pairs = _pairs(names or [ALL], experiments, corpus, new_word, frames)
    wanted = specs(experiments, runs, release, protocol, pairs)
    plan = training.plan(wanted, how) | {"experiments": experiments, "draws": "release" if release else "own"}
    print(_in_words(plan), file=sys.stderr)
    if dry_run:
        if as_json:
            print(json.dumps({"plan": plan}, indent=1))
        return
    outcome = training.train(wanted, how, plan)
    _show(how.ledger, experiments, protocol, as_json, {"plan": plan, "complete": not outcome.stopped}, pairs)
    training.exit_if_stopped(outcome, how.ledger)


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


def _in_words(plan: dict[str, Any]) -> str:
    names = plan["experiments"]
    lines = [f"{', '.join(names)}: {plan['asked']:,} runs, of which {plan['ledger']} has {plan['done']:,}."]
    if drawn := [name for name in names if name in DRAWN]:
        ours = "our own seeded draws, because the release is not here ('daxlab data fetch scan' downloads it)"
        lines.append(f"{', '.join(drawn)}: {'the release’s own draws' if plan['draws'] == 'release' else ours}.")
    return "\n".join([*lines, *([training.in_words(plan)] if plan["groups"] else [])])


def _show(
    path: Path, experiments: list[str], protocol: Protocol, as_json: bool, about: dict[str, Any], pairs: str | None
) -> None:
    """Show the comparison, and all translations of the English-French experiment."""
    from daxlab.cli import compare, translations
    from daxlab.paper.translations import translation_summary

    with Ledger(path) as known:
        summary = translation_summary(known, pairs, protocol) if pairs else None
        if summary and not summary["paper"]:  # the paper's figures are not about these pairs
            experiments = [experiment for experiment in experiments if experiment != TRANSLATION]
        rows = _compared(known, experiments, protocol)
    if as_json:
        content = about | {"comparison": [asdict(row) for row in rows]} | ({TRANSLATION: summary} if summary else {})
        print(json.dumps(content, indent=1, allow_nan=False))
        return
    if protocol != Protocol():
        print(f"A trial of {protocol.updates:,} updates, not the paper's {Protocol.updates:,}:\n")
    if rows:
        compare.show(rows)
    if summary:
        translations.show(summary)


def _compared(known: Ledger, experiments: list[str], protocol: Protocol) -> "list[Row]":
    try:
        from daxlab.paper.comparison import compare
    except ImportError as error:  # on a machine with few packages, which only trains
        print(f"{error.name} is not installed: run 'daxlab compare' on another machine.", file=sys.stderr)
        return []
    return compare(known, experiments, protocol)
