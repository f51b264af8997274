"""`daxlab evaluate` and `daxlab predict`: a trained network, asked."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.options import JsonOption, LedgerOption, ledger_with
from daxlab.cli.runs import RunArgument
from daxlab.datasets import split
from daxlab.datasets.translation import translation
from daxlab.errors import InputError

SHADES = " ░▒▓█"


def evaluate(
    run: RunArgument,
    split_name: Annotated[
        str | None, typer.Option("--split", metavar="SPLIT", help="Another split than the run's own.")
    ] = None,
    oracle_length: Annotated[
        bool, typer.Option("--oracle-length", help="Bar the end until the right length, and force it there.")
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score a run's network on the test commands of a split.

    Example: daxlab evaluate 9485894f --split length --oracle-length
    """
    network = _network(ledger_with(run, ledger), run)
    name = split_name or network.spec.split
    found = network.evaluate(split(name, network.spec.language), oracle_length=oracle_length)
    right, of = int(found.right.sum()), len(found.right)
    if as_json:
        answer = {"id": network.key, "split": name, "accuracy": 100 * found.accuracy, "right": right, "commands": of}
        print(json.dumps(answer | {"oracle_length": oracle_length}))
    else:
        how = " with the right length given" if oracle_length else ""
        what = "sentences" if network.translates else "commands"
        print(f"{right:,} of {of:,} {what} right on {name}{how}: {100 * found.accuracy:.2f}%")


def predict(
    run: RunArgument,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="What to do, or to translate.")],
    attention_map: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the attention weights (.svg, .png, .pdf).")
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a run's network does on a command: each action with its probability, and where it looked most.

    A network that learned English-French translates a sentence: daxlab predict RUN "I am very daxy."
    Example: daxlab predict 9485894f "jump twice"
    """
    network = _network(ledger_with(run, ledger), run)
    if attention_map is not None and not network.spec.architecture.attention:
        raise InputError("this network has no attention, so there is nothing to draw")
    text = network.read(" ".join(command))
    if not text:
        example = 'sentence, such as "I am tired."' if network.translates else 'command, such as "jump twice"'
        raise InputError(f"nothing is asked: give a {example}")
    most, given = network.encoding.command_time - 1, len(text.split())
    if given > most:
        counted = ", each of . ! ? counted as one" if network.translates else ""
        raise InputError(f"this network reads at most {most} words{counted}, not {given}")
    answer = network.predict(text)
    words = [*text.split(), "<EOS>"]
    steps = [*answer.actions, "<EOS>"][: len(answer.probabilities)]
    if as_json:
        attention = None if answer.attention is None else answer.attention.tolist()
        content = {"command": text, "actions": list(answer.actions), "probabilities": list(answer.probabilities)}
        print(json.dumps(content | {"attention": attention}))
    else:
        if network.translates:
            print(f"{' '.join(answer.actions)}\n")
        _show(words, steps, answer, "word" if network.translates else "action")
    if attention_map is not None:
        from daxlab.report.attention import draw  # matplotlib is slow to load

        draw(answer.attention, words, steps, attention_map)


def _show(words: list[str], steps: list[str], answer: Any, kind: str) -> None:
    from daxlab.cli.terminal import table

    looked = words if answer.attention is not None else []
    rows = []
    for n, step in enumerate(steps):
        weights = answer.attention[n] if looked else []
        most = max(weights, default=1)  # attention that is spread is seen too
        shades = [SHADES[min(int(weight / most * len(SHADES)), len(SHADES) - 1)] * 3 for weight in weights]
        rows.append([step, f"{answer.probabilities[n]:.3f}", *shades])
    table([kind, "p", *looked], rows, right=(1,))


def _network(ledger: Path, run: str) -> Any:
    from daxlab.runs.trained import TrainedNetwork
    from daxlab.sweep.compiled import remember  # JAX is slow to load
    from daxlab.sweep.worker import on_device

    remember()
    on_device("cpu")  # one command is no work for a card, and nobody asked for one
    network = TrainedNetwork(ledger, run)
    if network.translates:
        print(f"This network learned English-French: {translation(network.spec.language).about}.", file=sys.stderr)
    return network
