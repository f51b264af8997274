"""Text never claims more than the numbers that it is given."""

import re
from collections import Counter
from types import SimpleNamespace
from typing import Any, get_args

from hypothesis import given, strategies as st

from daxlab.analysis.replicates import entries
from daxlab.paper import claims
from daxlab.paper.verdicts import Verdict
from daxlab.report import text
from daxlab.report.blocks import absent

accuracy = st.one_of(st.sampled_from([0.0, 100.0, 0.001, 99.999]), st.floats(0, 100, allow_subnormal=False))
runs = st.lists(accuracy, min_size=1, max_size=6)
count = st.integers(0, 5000)


def compared(**given: Any) -> SimpleNamespace:
    usual = {
        "ours": None,
        "unit": None,
        "relation": None,
        "selected": False,
        "shown": "",
        "difference": None,
    }
    return SimpleNamespace(**usual | given)


@given(
    mean=accuracy,
    paper=accuracy,
    name=st.sampled_from(["exp3.jump.best", "exp3.few.8", "exp3.jump.overall"]),
    selected=st.booleans(),
)
def test_regression_to_the_mean_is_offered_only_for_what_a_network_was_chosen_by_and_came_out_lower(
    mean: float, paper: float, name: str, selected: bool
) -> None:
    row = compared(id=name, mean=mean, paper=paper, stated="", selected=selected)
    assert bool(text.regression(row)) == (name == "exp3.jump.best" and selected and mean < paper)


@given(verdicts=st.lists(st.sampled_from(get_args(Verdict)), min_size=1, max_size=8))
def test_the_tally_names_the_verdicts_that_there_are(verdicts: list[str]) -> None:
    said = text.tally(verdicts)
    if set(verdicts) == {"unmeasured"}:
        assert said.startswith("None of the")
    else:
        marks = {"agrees": "*agree", "differs": "*differ", "undecided": "*undecided*", "shown": " shown"}
        for verdict, words in marks.items():
            assert (words in said) == (verdict in verdicts)


@given(verdicts=st.lists(st.sampled_from(get_args(claims.Verdict)), max_size=8), lacking=st.integers(0, 3))
def test_every_claim_is_counted_once_and_those_without_runs_are_said_to_need_some(
    verdicts: list[str], lacking: int
) -> None:
    said = text.held(verdicts, len(verdicts) + lacking)
    assert said.startswith("None of the") == (not verdicts)
    if verdicts:
        words = {"holds": r"\*holds?\* here", "does not hold": r"\*do(?:es)? not hold\*"}
        words |= {"undecided": r"(?:is|are) \*undecided\*", "": "needs? more runs"}
        for verdict, count in (Counter(verdicts) + Counter({"": lacking})).items():
            assert re.search(rf"\b{text.number(count)} {words[verdict]}", said)
        assert ("more runs" in said) == (lacking > 0)


@given(runs)
def test_all_and_none_are_said_only_of_every_run(values: list[float]) -> None:
    said = text.share(entries(values))
    assert (said == "all") == (min(values) == 100)
    assert (said == "no") == (max(values) == 0)
    if said in ("most", "nearly all"):
        assert entries(values)["mean"] > 50
    if said == "hardly any":
        assert entries(values)["mean"] <= 5


@given(accuracy)
def test_a_number_is_not_rounded_to_nothing_or_to_everything(value: float) -> None:
    said = text.percent(value)
    assert (said == "0.00") == (value == 0)
    assert (said == "100.00") == (value == 100)


def test_what_is_absent_names_the_command_that_measures_it() -> None:
    said = absent("the curve", "size").text
    assert said == "Not measured in this ledger: the curve. `daxlab reproduce size` trains the runs."


@given(st.lists(runs, min_size=1, max_size=5))
def test_splits_of_one_share_stand_together_each_once_and_the_best_first(accuracies: list[list[float]]) -> None:
    rows = [(f"split-{n}", entries(values)) for n, values in enumerate(accuracies)]
    said = text.by_share(rows)
    groups = said.replace(" test commands right", "").split("; ")
    assert len({group.partition(" on ")[0] for group in groups}) == len(groups)
    for split, row in rows:
        (group,) = (group for group in groups if f"*{split}* (" in group)
        assert group.startswith(f"{text.share(row)} on ")
    named = [int(n) for n in re.findall(r"\*split-(\d+)\*", groups[0])]
    assert rows[named[0]][1]["mean"] == max(row["mean"] for _, row in rows)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1))
def test_of_attention_it_is_said_how_many_steps_look_at_one_word_and_of_no_answers_that_there_are_not(
    steps: list[tuple[bool, float]],
) -> None:
    said = text.looked(steps)
    for right, which in ((True, "right"), (False, "wrong")):
        weights = [weight for is_right, weight in steps if is_right == right]
        assert (f"steps of {which}" in said) == bool(weights)
        if weights and not all(weight > 0.5 for weight in weights):
            assert f"in {sum(weight > 0.5 for weight in weights)} of {len(weights)} steps of {which}" in said
