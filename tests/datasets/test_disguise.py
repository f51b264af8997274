"""A dataset in disguise is the same task with made-up words: learners do not care, and whoever knows SCAN does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given

from daxlab import Dataset, Example, Language, Split, dataset, language
from daxlab.datasets.disguise import Disguised
from daxlab.learners import Answered, Context, Job, Learner
from daxlab.ledger.scoring import accuracy
from made_up_examples import splits


class Given(Dataset):
    """A dataset of one split."""

    name, about, digest = "given", "made up", ""

    def __init__(self, split: Split) -> None:
        self._split = split

    def examples(self) -> list[Example]:
        return [*self._split.train, *(example for test in self._split.tests.values() for example in test)]

    def split_names(self) -> list[str]:
        return [self._split.name]

    def split(self, name: str) -> Split:
        return self._split


def words_of(data: Dataset) -> set[str]:
    return {word for example in data.examples() for word in (*example.command.split(), *example.actions)}


def plain(data: Disguised, split: Split) -> Split:
    """A split renamed back."""
    tests = {name: data.renamed(test) for name, test in split.tests.items()}
    return replace(split, train=data.renamed(split.train), tests=tests)


@given(splits())
def test_renaming_back_gives_the_original_split(split: Split) -> None:
    """Its sizes, presentations, test sets in their order and categories are the same, and its words are all new."""
    data = Disguised(Given(split))
    hidden = data.split(split.name)
    assert plain(data, hidden) == split and plain(data, hidden).digest == split.digest
    assert list(hidden.tests) == list(split.tests) and hidden.sizes == split.sizes
    assert [[e.category for e in test] for test in hidden.tests.values()] == [
        [e.category for e in test] for test in split.tests.values()
    ]
    assert len(set(data.names.values())) == len(data.names)
    assert words_of(data).isdisjoint(words_of(data.original))
    assert hidden.digest != split.digest and data.digest != data.original.digest


@pytest.mark.parametrize("name", ["simple", "length", "jump", "turn-left-once", "filler-0", "few-jump-8-rep1"])
def test_the_splits_of_scan_come_back(name: str) -> None:
    data, original = dataset("disguised:scan"), dataset("scan").split(name)
    assert isinstance(data, Disguised)
    assert plain(data, data.split(name)) == original
    assert data.split(name) is data.split(name)


def test_the_made_up_words_stay_the_same() -> None:
    """Recorded runs have the digest in their keys."""
    data = dataset("disguised:scan")
    assert isinstance(data, Disguised)
    assert (data.names["jump"], data.names["I_JUMP"], data.names["twice"]) == ("tekosa", "dosiku", "bubuka")
    assert data.digest == "eb062781f83806419042e68830385e627b4e95b172f7cbd85f28af8db95c2b96"


@pytest.mark.parametrize("name", ["scan", "scan-dax", "built-in"])
def test_a_dataset_in_disguise_keeps_the_contract(name: str) -> None:
    data = dataset(f"disguised:{name}")
    assert dataset(data.name) is data and data.grammar is None
    assert data.split_names() == dataset(name).split_names()
    words = words_of(data)
    for example in (*data.split(data.split_names()[0]).test, *data.probes()):
        assert data.read(example.command) == example.command
        assert {*example.command.split(), *example.actions} <= words
    assert len(data.probes()) == len(dataset(name).probes())


def test_a_typed_command_may_have_the_words_of_the_original() -> None:
    assert dataset("disguised:scan").read(" jump  twice") == "tekosa bubuka"
    data = dataset("disguised:built-in")
    assert data.read("I am daxy.") == data.probes()[0].command


def test_a_folder_that_was_moved_has_the_same_disguise(tmp_path: Path) -> None:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        for name in ("train", "gen"):
            (tmp_path / place / f"{name}.tsv").write_text("a cat\tcat\tone\nsome cats\tcat cat\ttwo\n")
    here, there = (dataset(f"disguised:{tmp_path / place}") for place in ("here", "there"))
    assert here.digest == there.digest and here.split("gen") == there.split("gen")
    copied, _ = here.split("gen").test
    assert copied.command.split()[1:] == list(copied.actions)  # "a cat", "cat": a word has one name on both sides


def test_metrics_are_those_of_the_original_and_answers_in_its_words_are_wrong() -> None:
    data, original = dataset("disguised:built-in"), dataset("built-in").split("translation").test
    test = data.split("translation").test
    here, there = ([example.actions for example in (*asked[1:], asked[0])] for asked in (test, original))
    assert data.scores(test, here) == dataset("built-in").scores(original, there)
    assert data.scores(test, [example.actions for example in test])["bleu"] == pytest.approx(100)
    assert data.scores(test, [example.actions for example in original])["bleu"] < 1


# -- what learners make of it


class Interpreter:
    """Answers by the grammar of SCAN, and with nothing where that has no answer."""

    def __init__(self, scan: Language) -> None:
        self.known = dict(example[:2] for example in scan.commands())

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        return [self.known.get(command, ()) for command in commands]


@dataclass(frozen=True)
class KnowsScan(Learner):
    """A look-up table of SCAN, which learns nothing."""

    def fit_one(self, split: Split, seed: int) -> Interpreter:
        return Interpreter(language("scan"))


class Nearest:
    def __init__(self, train: Sequence[Example]) -> None:
        self.train = [(frozenset(example.command.split()), example.actions) for example in train]

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        asked = [frozenset(command.split()) for command in commands]
        return [max(self.train, key=lambda pair: len(pair[0] & words) / len(pair[0] | words))[1] for words in asked]


@dataclass(frozen=True)
class NearestNeighbour(Learner):
    """The actions of the training command that shares most words; of several, the first."""

    def fit_one(self, split: Split, seed: int) -> Nearest:
        return Nearest(split.train)


def answered(learner: Learner, data: str, name: str, asked: slice = slice(None)) -> Answered:
    source = dataset(data)
    split = source.split(name)
    fitted = learner.fit([Job(learner, source, split, 0)], Context())
    assert fitted is not None
    return fitted.ask([split.test[asked]])[0]


def test_who_knows_scan_beforehand_scores_100_plain_and_0_in_disguise() -> None:
    assert accuracy(answered(KnowsScan(), "scan", "jump")) == 100.0
    assert accuracy(answered(KnowsScan(), "disguised:scan", "jump")) == 0.0


def test_who_learns_from_examples_answers_the_same_in_disguise() -> None:
    data, some = dataset("disguised:scan"), slice(0, None, 50)
    assert isinstance(data, Disguised)
    bare, hidden = (answered(NearestNeighbour(), name, "size-8", some) for name in ("scan", "disguised:scan"))
    assert hidden.right == bare.right
    assert 0 < accuracy(bare) < 100
    back = data.renamed(Example("", answer) for answer in hidden.answers)
    assert [example.actions for example in back] == bare.answers
