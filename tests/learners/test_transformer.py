"""The Transformer as a learner: it keeps every promise, learns by heart, and refuses what no Transformer has."""

import pytest

from daxlab import InputError, learners
from daxlab.learners.checks import checks_of

TINY = {"depth": 2, "width": 16, "heads": 2, "feed_forward": 32, "batch": 4}


@pytest.mark.slow
@pytest.mark.parametrize("row", [{}, {"positions": "absolute", "shared": False}], ids=["default", "plain"])
def test_it_keeps_every_promise(row: dict[str, object]) -> None:
    learner = learners.make("transformer", TINY | row)
    found = {check.id: check(learner) for check in checks_of(learner)}
    assert {id for id, finding in found.items() if finding.verdict != "kept"} == set()


def test_its_budgets_are_its_papers_and_that_of_the_house() -> None:
    assert learners.make("transformer").presentations == 12_800_000
    assert learners.make("transformer", {"size": "paper-budget"}).presentations == 100_000


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"teacher_forcing": 0.5}, "teacher-forced only"),
        ({"width": 100}, "even multiple of the 8 heads"),
        ({"width": 9, "heads": 3}, "even multiple of the 3 heads"),
    ],
)
def test_fields_that_no_transformer_has_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        learners.make("transformer", fields)
