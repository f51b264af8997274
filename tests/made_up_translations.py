"""Runs of Experiment 4 that nobody trained: what they translate is known."""

from collections.abc import Mapping
from importlib.metadata import version

import numpy as np

from daxlab import split
from daxlab.datasets import bleu
from daxlab.datasets.new_word import new_word
from daxlab.ledger import Run, pack_answers, pack_arrays
from daxlab.ledger.spec import Spec
from daxlab.paper import experiments


def run_of(
    name: str,
    seed: int = 0,
    asked: Mapping[str, str] | None = None,
    *,
    language: str = "built-in",
    wrong_every: int = 0,
    same: bool = False,
) -> Run:
    """A run on a split. `asked`: questions that are not answered with their first reference. `wrong_every`: so many-th
    test sentence loses its last word but one; `same`: a sentence has one translation, as a network would have.
    """
    spec = Spec(name, seed, experiments.TRANSLATOR, language)
    test = split(name, language).test
    targets = [example.actions for example in test]
    first = {example.command: example.actions for example in reversed(test)}
    given = (
        [first[example.command] for example in test]
        if same
        else [
            (*target[:-2], target[-1]) if wrong_every and n % wrong_every == 0 else target
            for n, target in enumerate(targets)
        ]
    )
    questions = new_word(language).questions
    answers = [tuple((asked or {}).get(one.command, " ".join(one.references[0])).split()) for one in questions]
    maps = {
        f"w{n}": np.full((len(answer) + 1, len(one.command.split()) + 1), 40, np.uint8)
        for n, (one, answer) in enumerate(zip(questions, answers, strict=True))
    }
    return Run(
        spec=spec.facts(),
        metrics={"accuracy": 50.0, "train_accuracy": 90.0, "oracle_accuracy": 50.0, **bleu.scores(test, given)},
        origin={"sacrebleu": version("sacrebleu")},
        artefacts={
            "greedy": pack_answers(given, targets),
            "named": pack_answers(answers, [one.references[0] for one in questions]),
            "attention": pack_arrays(maps),
        },
    )
