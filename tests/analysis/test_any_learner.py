"""A learner that is no network, on a dataset without a grammar: every question has an answer, or says what it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from daxlab import InputError, Split, dataset
from daxlab.analysis.accuracy import median_run, settings
from daxlab.analysis.answers import answers, scored
from daxlab.analysis.contrast import compare, items
from daxlab.analysis.curves import by_shots, by_size, learning
from daxlab.analysis.errors import (
    by_category,
    by_length,
    by_template,
    confusion,
    ends,
    errors_by_construction,
    first_wrong,
    search_errors,
)
from daxlab.analysis.probes import attention, neighbours
from daxlab.learners import Context, Job, Learner
from daxlab.ledger import Ledger, Run
from daxlab.ledger.scoring import score

FILES = {
    "train": [("a cat", "CAT", "seen"), ("a dog", "DOG", "seen"), ("a cat and a dog", "CAT DOG", "seen")],
    "test": [("a dog", "DOG", "seen"), ("a dog and a cat", "DOG CAT", "new order")],
    "gen": [("a cat and a cat", "CAT CAT", "twice"), ("a dog and a dog", "DOG DOG", "twice"), ("a cat", "CAT", "seen")],
}


class Table:
    """Answers what it was shown, and else the last word."""

    def __init__(self, shown: dict[str, tuple[str, ...]]) -> None:
        self.shown = shown

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        return [self.shown.get(command, (command.split()[-1].upper(),)) for command in commands]


@dataclass(frozen=True)
class Memory(Learner):
    kind: ClassVar[str] = "memory"

    forgets: int = 0

    def fit_one(self, split: Split, seed: int) -> Table:
        return Table({example.command: example.actions for example in split.train[self.forgets * seed :]})


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, lines in FILES.items():
        (tmp_path / f"{name}.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    return str(tmp_path)


def runs_of(learner: Learner, data: str, split: str, seeds: int) -> list[Run]:
    jobs = [Job(learner, dataset(data), dataset(data).split(split), seed) for seed in range(seeds)]
    facts = {
        "language": {"name": data, "digest": dataset(data).digest},
        "split": {"name": split, "digest": jobs[0].split.digest},
        **learner.facts(),
    }
    return [
        Run(spec=facts | {"seed": job.seed}, metrics=scored.metrics, artefacts=scored.artefacts)
        for job, scored in zip(jobs, score(learner.fit(jobs, Context())), strict=True)
    ]


@pytest.fixture
def known(folder: str, ledger_of) -> tuple[Ledger, list[str]]:
    runs = runs_of(Memory(forgets=2), folder, "test", 2)
    return ledger_of(*runs), [run.key for run in runs]


def test_its_setting_has_a_name_a_dataset_and_no_oracle(known, folder: str) -> None:
    ledger, keys = known
    (row,) = settings(ledger).rows(named=True)
    assert (row["network"], row["learner"]) == ("memory, forgets 2", "memory")
    assert (row["dataset"], row["split"], row["protocol"]) == (folder, "test", None)
    assert (row["runs"], row["accuracies"], row["oracle_mean"]) == (2, [50.0, 50.0], None)
    assert median_run(ledger, keys) == keys[0]


def test_its_answers_to_both_test_sets_are_read(known) -> None:
    ledger, (key, _) = known
    main, further = answers(ledger, key), answers(ledger, key, "gen")
    assert main.select("command", "category", "answer", "right", "ended").rows() == [
        ("a dog", "seen", ["DOG"], True, True),
        ("a dog and a cat", "new order", ["CAT"], False, True),
    ]
    assert further.select("category", "right", "ended", "own").rows() == [
        ("twice", False, None, None),
        ("twice", False, None, None),
        ("seen", True, None, None),
    ]
    assert answers(ledger, key, "test").equals(main)
    assert scored(ledger, key) | {"train_accuracy": 100.0} == ledger.run(key).metrics
    with pytest.raises(InputError, match="no test set called 'dev'; it has test, gen"):
        answers(ledger, key, "dev")


def test_accuracy_by_category(known) -> None:
    ledger, keys = known
    assert by_category(ledger, keys).select("category", "commands", "runs", "mean", "accuracies").rows() == [
        ("new order", 1, 2, 0.0, [0.0, 0.0]),
        ("seen", 1, 2, 100.0, [100.0, 100.0]),
    ]
    further = by_category(ledger, keys, "gen")
    assert further.select("category", "commands", "mean").rows() == [("seen", 1, 100.0), ("twice", 2, 0.0)]
    assert by_category(ledger, []).schema == further.schema


def test_its_errors_are_counted_like_a_network_s(known) -> None:
    ledger, keys = known
    assert by_length(ledger, keys).select("length", "mean").rows() == [(1, 100.0), (2, 0.0)]
    assert confusion(ledger, keys).rows() == [("CAT", "end", 2), ("DOG", "CAT", 2)]
    assert first_wrong(ledger, keys).rows() == [(1, 2)]
    assert ends(ledger, keys)["early"].to_list() == [1, 1]


def test_it_is_compared_with_a_network(folder: str, ledger_of, trained) -> None:
    networks = [trained("test", seed, language=folder) for seed in range(3)]
    ledger = ledger_of(*runs_of(Memory(forgets=2), folder, "test", 2), *networks)
    (row,) = compare(ledger, {"learner": "memory"}, {"learner": "rnn"}).to_dicts()
    assert (row["learner_a"], row["learner_b"], row["also"]) == ("memory, forgets 2", "LSTM 2x200, dropout 0.5", [])
    assert (row["runs_a"], row["runs_b"], row["pairs"], row["difference"]) == (2, 3, 2, -50.0)
    by_command = items(ledger, row["keys_a"], row["keys_b"])
    assert by_command.select("command", "a", "b", "wrong_a").rows() == [
        ("a dog", 100.0, 100.0, None),
        ("a dog and a cat", 0.0, 100.0, "CAT"),
    ]


def test_what_it_lacks_is_empty(known) -> None:
    ledger, keys = known
    assert search_errors(ledger, keys).select("wrong", "search_errors", "unended").rows() == [(1, None, None)] * 2
    assert by_length(ledger, keys, oracle=True).rows() == learning(ledger, keys).rows() == []
    assert neighbours(ledger, keys[0]).rows() == attention(ledger, keys[0]).rows() == []
    assert by_size(ledger, {}).rows() == by_shots(ledger, {}).rows() == []


def test_what_needs_a_grammar_says_so(known) -> None:
    ledger, keys = known
    with pytest.raises(InputError, match="has no grammar"):
        by_template(ledger, keys)
    with pytest.raises(InputError, match="has no grammar"):
        errors_by_construction(ledger, keys[0], "cat")


def test_runs_with_the_same_files_and_another_main_test_set_are_not_averaged(folder: str, ledger_of) -> None:
    runs = [runs_of(Memory(), folder, "test", 1)[0], runs_of(Memory(forgets=1), folder, "gen", 1)[0]]
    ledger, keys = ledger_of(*runs), [run.key for run in runs]
    with pytest.raises(InputError, match="different test sets"):
        by_length(ledger, keys)


def test_a_test_set_without_categories_has_none(ledger_of, trained) -> None:
    run = trained("turn-left")
    assert by_category(ledger_of(run), [run.key]).rows() == []
