"""What every dataset promises, and that the digests of earlier versions stand."""

import pytest
from hypothesis import given

from daxlab import InputError, Split, dataset, language, split
from daxlab.datasets import Dataset, catalogue
from daxlab.datasets.new_word import named
from made_up_examples import splits

DIGESTS = {  # runs that are recorded have these in their keys
    ("scan", "jump"): "d15cd797d2e77cb7246559d0051aeee68a740e9c988437e141fc821d139aee2d",
    ("scan", "simple"): "32f1f1362bd44a4f294dc806eed5d0578fa9c044d2464817a7daca59f95af071",
    ("scan", "length"): "1beb35d34c6b744e45546d70d599fb55da0ba711bddbe494263a7427dd6ed20f",
    ("scan", "few-jump-8-rep1"): "f1d6cbaa809f0d48184aa87b7a7c42df09747346b2648ee678deed3b913d092f",
    ("built-in", "translation"): "302daef8fdd514c2db6697893b2264f41ee9474a5da50da56db54a2a4f4ce584",
    ("built-in", "daxy-1000"): "8186a26572535d7bc731330f5659bc4f998de3711e587acdbaaf5340e4bca40f",
}
PUBLISHED = {
    ("scan", "mcd1"): "13ebc554838fcd74f8265ef8ab3c5d8e356f88e55812edf91c44a58e8b9d248b",
    ("scan", "release/simple_split/simple"): "fa22c748189f3ed6297917c57264c8b24f0bfcaf1fe196973534f7448a3b7205",
    ("tatoeba", "translation"): "5a2f6936db55d1d1438e2b8786bb2c6125d39fe14c9f9fa9d00e322af57b8d14",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_a_split_has_the_digest_of_recorded_runs(name: tuple[str, str]) -> None:
    of, called = name
    assert split(called, of).digest == DIGESTS[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_split_has_the_digest_of_recorded_runs(data, name: tuple[str, str]) -> None:
    of, called = name
    assert split(called, of).digest == PUBLISHED[name]


def test_a_dataset_has_the_digest_of_recorded_runs() -> None:
    assert dataset("scan").digest == "c669c924d3efb6436de87cad04b3bd55f9c10863de567cef4548787c1c391eb9"
    assert dataset("scan-dax").digest == "a0c0a2ffbca080db74bbdd4c0d99ab140e05983b18e35004911b5a01277da6f5"
    assert dataset("built-in").digest == "a4b6de230039c872c5be226eaee4af583265e57b384230a9bd28d241895a1aa2"
    blicky = dataset(named("built-in", "blicky=blickif/blickive"))
    assert blicky.digest == "c674305b6c6f418a5f71bc65efebca9ce9f2e1b8ebff5031412bc0448b4fd076"


@given(splits())
def test_another_main_test_set_makes_another_split(one: Split) -> None:
    """A run's accuracy is that on its main test set, so it is part of what a run is of."""
    for name in one.tests:
        other = Split(name, one.origin, one.train, one.weights, {name: one.tests[name], **one.tests})
        assert other.test == one.tests[name]
        assert (other.digest == one.digest) == (next(iter(one.tests)) == name)


@given(splits(), splits())
def test_the_digest_is_of_the_content(one: Split, other: Split) -> None:
    same = (one.train, one.weights, one.tests) == (other.train, other.weights, other.tests)
    same = same and list(one.tests)[:1] == list(other.tests)[:1]
    assert (one.digest == other.digest) == same


@pytest.mark.parametrize("name", ["scan", "scan-dax", "synthetic-french", "built-in"])
def test_every_dataset_keeps_the_contract(name: str) -> None:
    found = dataset(name)
    assert isinstance(found, Dataset)
    assert dataset(found.name) is found
    assert found.unit in ("commands", "sentences")
    words = {word for example in found.examples() for word in example.command.split()}
    actions = {action for example in found.examples() for action in example.actions}
    one = found.split(found.split_names()[0])
    for example in (*one.train, *one.test, *found.probes()):
        assert found.read(example.command) == example.command
        assert set(example.command.split()) <= words
        assert set(example.actions) <= actions
    assert next(iter(found.sizes())).tests == {"test": len(one.test)}


def test_a_language_is_a_grammar_and_a_dataset_may_be() -> None:
    assert dataset("scan").grammar is language("scan")
    assert dataset("built-in").grammar is None
    with pytest.raises(InputError, match="built-in is not a grammar"):
        language("built-in")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("tatoba", "did you mean 'tatoeba'"),
        ("scan-dux", "no dataset is called 'scan-dux', .* did you mean 'scan-dax'"),
        ("buitl-in", "did you mean 'built-in'"),
        ("gone/folder", "there is no file or folder /.*/gone/folder; there are scan, "),
        ("", "no dataset is called ''; there are"),
        ("x" * 5_000, "no dataset is called"),
        ("nobody\0", "no dataset is called"),
        ("~nobody-at-all/corpus", "no dataset is called"),
    ],
)
def test_a_name_that_is_no_dataset_is_refused_with_the_nearest(name: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        dataset(name)


def test_the_catalogue_says_what_is_here_and_how_to_get_the_rest(nowhere) -> None:
    entries = {entry.name: entry for entry in catalogue()}
    assert {"scan", "scan-dax", "tatoeba", "built-in", "FOLDER"} <= set(entries)
    assert not entries["tatoeba"].here
    assert entries["tatoeba"].how == "daxlab data fetch eng-fra"
    assert "daxlab data fetch scan-mcd" in entries["scan"].how
    assert all(dataset(name).about == entries[name].about for name in ("scan", "scan-dax"))
