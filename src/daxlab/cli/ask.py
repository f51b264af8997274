"""`daxlab evaluate` and `daxlab predict`: a trained model, asked."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.analysis.score import by_category
from daxlab.cli import completion
from daxlab.cli.options import (
    JsonOption,
    LedgerOption,
    ModelArgument,
    TestOption,
    WhereOption,
    read_filter,
    read_filters,
)
from daxlab.cli.translate import known_elsewhere
from daxlab.datasets import Split
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger, is_written
from daxlab.ledger.location import default_ledger, ledger_at, shipped
from daxlab.sweep import weights_of
from daxlab.terminal import print_json, show, table

SHADES = " ░▒▓█"


def evaluate(
    run: ModelArgument,
    split_name: Annotated[
        str | None,
        typer.Option("--split", metavar="SPLIT", help="Another split than its own.", autocompletion=completion.splits),
    ] = None,
    test: TestOption = None,
    oracle_length: Annotated[
        bool, typer.Option("--oracle-length", help="Tell the model how many actions the right answer has.")
    ] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score a trained model on a test set.

    Example: daxlab evaluate 9485894f --split length --oracle-length
    """
    model = _model(run, ledger)
    name = split_name or model.spec.split
    split = model.dataset.split(name)
    asked = chosen_test(split, test)
    answers = model.evaluate(split, test, oracle_length=oracle_length)
    right, of = sum(map(bool, answers.right)), len(answers.asked)
    categories = by_category(answers.asked, answers.right)
    trained = {example.command for example in model.spec.content().train} if name != model.spec.split else set()
    new = [
        bool(good) for good, example in zip(answers.right, answers.asked, strict=True) if example.command not in trained
    ]
    if as_json:
        content = {"id": model.key, "split": name, "test": asked}
        content |= {"accuracy": 100 * right / of, "right": right, "commands": of, "oracle_length": oracle_length}
        content |= {"new": len(new), "new_right": sum(new)}  # commands that were not in its training
        return print_json(content | ({"categories": categories} if categories else {}))
    how = " with the right length given" if oracle_length else ""
    where = name if test in (None, name) else f"{test} of {name}"
    show_accuracy(right, of, f"{model.dataset.unit} right on {where}{how}", categories)
    if len(new) < of:
        share = f", {sum(new):,} of which are right: {100 * sum(new) / len(new):.2f}%" if new else ""
        print(f"{of - len(new):,} of them were in its training on {model.spec.split}; {len(new):,} are new{share}")


def chosen_test(split: Split, name: str | None) -> str:
    """The name of a split's test set: the main one unless another is named."""
    if name is not None and name not in split.tests:
        raise InputError(f"{split.name} has no test set {name!r}; {nearest(name, split.tests)}")
    return name or next(iter(split.tests))


def show_accuracy(right: int, of: int, what: str, categories: Mapping[str, Mapping[str, Any]]) -> None:
    """Print an accuracy, and those by category."""
    print(f"{right:,} of {of:,} {what}: {100 * right / of:.2f}%")
    if categories:
        print()
        rows = [{"category": category, **score} for category, score in categories.items()]
        show(table(rows, {"category": "category", "%": "accuracy", "right": "right", "of": "of"}))


def predict(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] COMMAND",
            help="A run, by the first few characters of its key, then the command. With --split the command alone.",
            autocompletion=completion.askable_runs,
        ),
    ],
    split: Annotated[
        str | None,
        typer.Option(
            metavar="SPLIT", help="Choose a run on this split whose model is here.", autocompletion=completion.splits
        ),
    ] = None,
    where: WhereOption = None,
    attention_map: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the attention weights (.svg, .png, .pdf).")
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a trained model for its answer to a command, and say whether it is right.

    A network shows the probability of each action and where it looked; a grammar shows how it derives the answer. A
    network that learned English-French translates a sentence. Without RUN, --split or --where choose one.

    Example: daxlab predict 9485894f "jump twice"
    Example: daxlab predict --split jump "jump twice"
    """
    filters = [*([f"split={split}"] if split else []), *(where or [])]
    if not filters and not re.fullmatch("[0-9a-fA-F]+", words[0]):
        text = " ".join(words)
        raise InputError(
            f"which run is to answer {text!r}? Put its key before that, or add --split jump to ask any run on jump"
        )
    command = words if filters else words[1:]
    model = _any_model(filters, ledger) if filters else _model(words[0], ledger)
    if attention_map is not None and not model.attends:
        raise InputError(f"{model.spec.learner} has no attention weights, so there is nothing to draw")
    text = model.dataset.read(" ".join(command))
    if not text:
        example = next(iter([*model.dataset.probes(), *model.dataset.examples()]))
        raise InputError(
            f"there is nothing to answer: add one of its {model.dataset.unit}, such as {example.command!r}"
        )
    try:
        answer = model.predict(text)
    except InputError as error:
        raise InputError(f"{error}{known_elsewhere(text, model.dataset.grammar)}") from None
    chances, attention = answer.probabilities, answer.attention
    words = [*text.split(), "<EOS>"]
    steps = list(answer.actions) if chances is None else [*answer.actions, "<EOS>"][: len(chances)]
    targets = model.targets(text)
    right = replace(answer, targets=targets).right
    if as_json:
        content = {"command": text, "actions": answer.actions, "probabilities": chances, "attention": attention}
        content |= {"derivation": answer.derivation} if answer.derivation is not None else {}
        print_json(content | {"right": right, "targets": targets})
    else:
        if model.dataset.unit == "sentences" or chances is None:
            print(" ".join(answer.actions) + ("\n" if chances else ""))
        _show_how(answer, words, steps)
        lacks = [name for name, part in (("probabilities", chances), ("attention weights", attention)) if part is None]
        if right is None:
            print(
                f"\n{text!r} is not among the {model.dataset.unit} of {model.dataset.name}: no answer to it is right."
            )
        else:
            print("\n✓ right" if right else f"\n✗ wrong; it should be: {' '.join(targets[0])}")
        if lacks:
            print(f"\n{model.spec.learner} has no {' and no '.join(lacks)} to show.")
    if attention_map is not None:
        from daxlab.report.figures import draw_attention  # matplotlib is slow to load

        draw_attention(attention, words, steps, attention_map)


def _show_how(answer: Any, words: list[str], steps: list[str]) -> None:
    """What a model can tell of an answer: the probability of each step and where it looked, or a derivation."""
    if answer.probabilities is not None:
        rows = [{"output": step, "p": f"{p:.3f}"} for step, p in zip(steps, answer.probabilities, strict=True)]
        for row, weights in zip(rows, () if answer.attention is None else answer.attention, strict=False):
            row.update(_shaded(words, weights))
        show(table(rows))
        if len(answer.probabilities) == len(answer.actions):
            print(f"\nIt never ended: it was cut off after {len(steps):,} actions.")
    if answer.derivation is not None:
        print(f"\n{answer.derivation}")


def _shaded(words: list[str], weights: Any) -> dict[str, str]:
    """Attention as blocks below the words; the largest weight is full, so that attention that is spread is seen too."""
    shades = [SHADES[min(int(weight / max(weights) * len(SHADES)), len(SHADES) - 1)] for weight in weights]
    padded = [word.ljust(3) for word in words]
    return {"  ".join(padded): "  ".join(shade * len(word) for shade, word in zip(shades, padded, strict=True))}


def _any_model(filters: Sequence[str], ledger: Path | None) -> Any:
    """The model of a run that fits the filters: the latest network, or else the latest of another kind."""
    from daxlab.ledger.trained import MODEL, kept

    own, results = default_ledger(), shipped()
    places = [ledger] if ledger else [path for path in (own, results) if path is not None and is_written(path)]
    for path in places:
        with Ledger(path) as known:
            where = read_filters(known, filters) if path == places[-1] else dict(read_filter(f, known) for f in filters)
            rows = known.rows({**where, "key": [key for key, parts in kept(known, where).items() if MODEL in parts]})
        if rows:
            row = next((row for row in rows if weights_of(path, row["key"]).exists()), rows[0])
            place = "" if path in (own, ledger) else ", from the results that come with daxlab"
            print(f"{row['key'][:12]} ({row['label']}, {row['split']}, seed {row['seed']}{place}):\n", file=sys.stderr)
            return _model(row["key"], path)
    raise InputError(
        f"no run with {', '.join(filters)} has its model here: 'daxlab train --split …' trains one, "
        "'daxlab runs list --with-model' shows which there are"
    )


def _model(run: str, ledger: Path | None) -> Any:
    from daxlab.ledger.trained import TrainedModel

    model = TrainedModel(ledger_at(ledger, run), run)
    if model.dataset.unit == "sentences":
        print(f"It learned from {model.dataset.about}.", file=sys.stderr)
    return model
