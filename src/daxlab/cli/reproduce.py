"""`daxlab reproduce`: train what the ledger lacks of the paper's experiments, and compare."""

import sys
from typing import Annotated, Any

import typer

from daxlab.cli import training
from daxlab.cli.compare import show_comparison, show_translations
from daxlab.cli.completion import one_of
from daxlab.cli.help import WHAT
from daxlab.cli.options import JsonOption
from daxlab.cli.training import Training, with_training_options
from daxlab.datasets import find, sentence_pairs
from daxlab.datasets.new_word import named
from daxlab.datasets.release import SCAN
from daxlab.datasets.translation import ENG_FRA, TATOEBA
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import writable_ledger
from daxlab.ledger.spec import check_runs
from daxlab.paper.experiments import ALL, EXPERIMENTS, TRANSLATION, chosen, specs
from daxlab.paper.targets import RUNS
from daxlab.protocol import Protocol
from daxlab.sweep import Outcome
from daxlab.terminal import print_json

NAMES = ", ".join((*EXPERIMENTS, ALL))
RANDOM = {"simple", "size", "few-shot"}  # experiments with random splits
FRAMES = """For translation: sentences with X where the new word stands; at least two. The first is taught, the others
are tested. In French, Y takes either singular form, Z any form."""


@with_training_options
def reproduce(
    how: Training,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXPERIMENT", help=f"One of {NAMES}. Default: all.", autocompletion=one_of(*EXPERIMENTS, ALL)
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option(metavar="N", help="Runs of each network on each split: seeds 0, 1, …", rich_help_panel=WHAT)
    ] = RUNS,
    updates: Annotated[
        int, typer.Option(metavar="N", help="Training updates of each run; fewer for a trial.", rich_help_panel=WHAT)
    ] = Protocol.updates,
    corpus: Annotated[
        str,
        typer.Option(
            metavar="tatoeba|built-in|FILE", help="For translation: the sentence pairs.", rich_help_panel=WHAT
        ),
    ] = TATOEBA,
    new_word: Annotated[
        str | None,
        typer.Option(metavar="ENGLISH=FRENCH", help="For translation: instead of daxy=daxiste.", rich_help_panel=WHAT),
    ] = None,
    frames: Annotated[
        list[str] | None, typer.Option("--frame", metavar="'i am X .=je suis X .'", help=FRAMES, rich_help_panel=WHAT)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan, and train nothing.")] = False,
    as_json: JsonOption = False,
) -> Outcome | None:
    """Repeat experiments of the paper, and show its figures beside ours.

    Only what the ledger lacks is trained.

    Example: daxlab reproduce jump few-shot --runs 5 --device gpu --budget 8m
    """
    check_runs(runs)
    experiments, protocol, release = chosen(names or [ALL]), Protocol(updates=updates), find(SCAN) is not None
    pairs = _pairs(names or [ALL], experiments, corpus, new_word, frames)
    wanted = specs(experiments, runs, release, protocol, pairs)
    plan = training.plan(wanted, how, to_train=not dry_run)
    plan |= {"experiments": experiments, "draws": "release" if release else "own"}
    if plan["groups"] and not dry_run:
        writable_ledger(how.ledger)
    print(training.in_words(plan, ", ".join(experiments), _draws(experiments, release)), file=sys.stderr)
    if dry_run:
        if as_json:
            print_json({"plan": plan})
        return None
    outcome = training.train(wanted, how, plan)
    rows, translations = _results(how, experiments, protocol, pairs)
    if as_json:
        content = {"plan": plan, "complete": not outcome.stopped, "comparison": rows}
        print_json(content | ({TRANSLATION: translations} if translations else {}))
    else:
        if protocol != Protocol():
            print(f"A trial of {protocol.updates:,} updates, not the paper's {Protocol.updates:,}:\n")
        if rows:
            show_comparison(rows)
        if translations:
            show_translations(translations)
    return outcome


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


def _draws(experiments: list[str], release: bool) -> list[str]:
    """Whose draws the random splits are."""
    random = [name for name in experiments if name in RANDOM]
    ours = "our own seeded draws, because the release is not here ('daxlab data fetch scan' downloads it)"
    return [f"{', '.join(random)}: {'the release’s own draws' if release else ours}."] if random else []


def _results(how: Training, experiments: list[str], protocol: Protocol, pairs: str | None) -> tuple[Any, Any]:
    """The comparison with the paper, and the English-French experiment with all its translations."""
    from daxlab.paper.translations import translation_summary

    with Ledger(how.ledger) as ledger:
        summary = translation_summary(ledger, pairs, protocol) if pairs else None
        if summary and not summary["paper"]:  # the paper's figures are not about these pairs
            experiments = [experiment for experiment in experiments if experiment != TRANSLATION]
        try:
            from daxlab.paper.comparison import compare
        except ImportError as error:  # on a machine with few packages, which only trains
            print(f"{error.name} is not installed: run 'daxlab compare' on another machine.", file=sys.stderr)
            return [], summary
        return compare(ledger, experiments, protocol), summary
