"""A part of a dataset: fewer commands are asked, or a tenth of training is held out; the rest is as it was."""

import pytest
from hypothesis import given, settings

from daxlab import Split, dataset
from daxlab.datasets.part import limited, parts_of, tenth_held_out
from daxlab.errors import InputError
from made_up_examples import splits


@settings(max_examples=30)
@given(splits())
def test_a_limit_leaves_training_as_it_is_and_asks_fewer_commands(split: Split) -> None:
    few, more = limited(split, 1), limited(split, 2)
    for part, limit in ((few, 1), (more, 2)):
        assert (part.train, part.weights, list(part.tests)) == (split.train, split.weights, list(split.tests))
        for name, test in part.tests.items():
            assert len(test) == min(limit, len(split.tests[name])) and set(test) <= set(split.tests[name])
        assert set(part.asked_again) <= set(split.train) and len(part.asked_again) == min(limit, len(split.train))
        assert part.digest != split.digest
    assert all(set(few.tests[name]) <= set(more.tests[name]) for name in split.tests)


@settings(max_examples=30)
@given(splits())
def test_what_is_held_out_is_in_training_no_more_and_tests_stay(split: Split) -> None:
    part = tenth_held_out(split)
    assert set(part.train) | set(part.dev) == set(split.train) and set(part.train).isdisjoint(part.dev)
    assert len(part.dev) <= len(split.train) // 10 and part.tests == split.tests
    assert part.dev == () or part.digest != split.digest
    weights = dict(zip(split.train, split.weights, strict=True))
    assert all(weights[example] == weight for example, weight in zip(part.train, part.weights, strict=True))


@pytest.mark.parametrize("name", ["simple", "jump", "jump-once", "turn-left", "turn-left-once", "length"])
def test_of_scan_a_tenth_is_held_out_and_no_primitive_or_word_with_it(name: str) -> None:
    split, part = (dataset(data).split(name) for data in ("scan", "dev-tenth:scan"))
    primitives = set(dataset("scan").grammar.primitives)
    assert len(part.dev) == len(split.train) // 10 and primitives.isdisjoint(part.dev)
    words = [{word for example in some.train for word in example.command.split()} for some in (split, part)]
    assert words[0] == words[1]


def test_a_part_of_a_dataset_is_found_by_its_name_and_can_be_disguised() -> None:
    data = dataset("disguised:limit-7:dev-tenth:scan")
    split = data.split("jump")
    assert data.name == "disguised:limit-7:dev-tenth:scan" and len(split.test) == 7 and split.dev
    plain = dataset("limit-7:dev-tenth:scan")
    assert data.renamed(split.dev) == plain.split("jump").dev and plain.digest != dataset("scan").digest
    assert parts_of(plain.name) == ("scan", 7, True) and plain.grammar is not None
    with pytest.raises(InputError, match="at least one command"):
        dataset("limit-0:scan")
