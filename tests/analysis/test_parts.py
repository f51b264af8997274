"""How training covers the parts of the test commands: counted by hand, and the paper's own counts."""

import pytest

from daxlab import Split, language, split
from daxlab.analysis.parts import Coverage, conjunctions, coverage
from daxlab.languages import Example


def shown(train: list[str], test: list[str]) -> Coverage:
    sides = [tuple(Example(command, ()) for command in some) for some in (train, test)]
    return coverage(Split("by hand", "rule", sides[0], (1,) * len(train), {"test": sides[1]}))


def test_a_part_counts_alone_and_in_every_clause() -> None:
    found = shown(["walk", "walk and walk", "run left after walk", "look"], ["walk after run left", "jump and walk"])
    assert found == Coverage(
        parts=("jump", "run left", "walk"), unseen=("jump",), occurrences=2.5
    )  # 4 walks, 1 run left


def test_nothing_seen_has_no_mean() -> None:
    assert shown(["walk"], ["run and run"]) == Coverage(("run",), ("run",), None)


def test_scan_has_two_conjunctions_and_102_parts(scan) -> None:
    assert conjunctions(scan) == ("and", "after")
    found = coverage(split("simple"))
    assert len(found.parts) == 102
    assert found.unseen == ()


def test_the_conjunctions_of_another_language_are_its_own(tiny: str) -> None:
    assert conjunctions(language(tiny)) == ("and",)
    assert coverage(split("jump", tiny), tiny).unseen == ("jump left", "jump left twice", "jump twice")


@pytest.mark.parametrize(("percent", "unseen", "occurrences"), [(1, 1, 4), (2, 0, 8)])
def test_the_paper_s_counts_on_the_release_s_draws(data, percent: int, unseen: int, occurrences: int) -> None:
    found = coverage(split(f"release/simple_split/size_variations/simple_p{percent}"))
    assert (len(found.unseen), round(found.occurrences)) == (unseen, occurrences)
