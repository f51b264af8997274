"""Text never claims more than the numbers that it is given."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daxlab.analysis.replicates import entries
from daxlab.report import text

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
        "margin": 1.0,
    }
    return SimpleNamespace(**usual | given)


@given(mean=accuracy, paper=accuracy, margin=st.one_of(st.none(), st.just(1.0)))
def test_ours_is_called_higher_or_lower_by_its_sign_and_outside_of_an_interval_where_there_is_one(
    mean: float, paper: float, margin: float | None
) -> None:
    said = text.against(compared(mean=mean, paper=paper, stated=f"{paper:g}", margin=margin), "jump")
    assert ("higher" in said) == (mean > paper)
    assert ("lower" in said) == (mean < paper)
    assert ("outside the 95% interval" in said) == (margin is not None)


@given(mean=accuracy, paper=accuracy, name=st.sampled_from(["exp3.jump.best", "exp3.few.8", "exp3.jump.overall"]))
def test_regression_to_the_mean_is_offered_only_for_what_a_network_was_chosen_by_and_came_out_lower(
    mean: float, paper: float, name: str
) -> None:
    row = compared(id=name, mean=mean, paper=paper, stated="")
    assert bool(text.regression(row)) == (name == "exp3.jump.best" and mean < paper)


@given(verdicts=st.lists(st.sampled_from(["within", "beyond", "shown", "unmeasured"]), min_size=1, max_size=8))
def test_the_tally_names_the_verdicts_that_there_are(verdicts: list[str]) -> None:
    said = text.tally(verdicts)
    if set(verdicts) == {"unmeasured"}:
        assert said.startswith("None of the")
    else:
        for verdict, words in {"within": "*within*", "beyond": "*beyond*", "shown": " shown"}.items():
            assert (words in said) == (verdict in verdicts)


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


@given(st.lists(runs, min_size=2, max_size=6))
def test_a_curve_rises_at_every_step_only_if_it_does(points: list[list[float]]) -> None:
    rows = [entries(values) | {"shots": n} for n, values in enumerate(points)]
    means = [row["mean"] for row in rows]
    steps = [b > a for a, b in pairwise(means)]
    said = text.rising(rows, "shots")
    assert ("rises at every step" in said) == all(steps)
    assert ("rises at no step" in said) == (not any(steps))
    for n, rises in enumerate(steps):
        if any(steps) and not all(steps):
            assert (f"from {n} to {n + 1}" in said) == (not rises)


@given(st.lists(st.tuples(accuracy, accuracy), min_size=1, max_size=6))
def test_oversampling_is_called_better_for_every_seed_only_if_it_is(pairs: list[tuple[float, float]]) -> None:
    often, once = (list(values) for values in zip(*pairs, strict=True))
    gain = entries([a - b for a, b in pairs])
    said = text.oversampling("jump", entries(often), entries(once), gain)
    assert ("every seed is better" in said) == all(a > b for a, b in pairs)
    unclear = gain["low"] is not None and gain["low"] < 0 < gain["high"]
    assert ("no difference can be told" in said) == (unclear and not all(a > b for a, b in pairs))
    assert ("not worse" in said) == (not gain["mean"] > 0 and not unclear)


@given(st.lists(st.lists(st.sampled_from(["jump twice", "jump left", "run and jump"]), unique=True), min_size=1))
def test_what_comes_out_right_in_any_run_is_said_with_in_how_many(runs: list[list[str]]) -> None:
    said = text.right_anywhere(runs)
    for command in ("jump twice", "jump left", "run and jump"):
        count = sum(command in run for run in runs)
        assert (f"`{command}`" in said) == (count > 0)
        assert (f"`{command}` ({count} runs)" in said) == (count > 1)
    assert said.startswith("No composed command") == (not any(runs))


@given(st.lists(st.tuples(st.integers(1, 50), st.lists(accuracy, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_lengths_that_no_run_gets_right_are_those(points: list[tuple[int, list[float]]]) -> None:
    rows = [entries(values) | {"length": length} for length, values in points]
    said = text.attained(rows, "actions")
    none = [length for length, values in points if max(values) == 0]
    assert ("no" in said.lower().replace("no command", "no").split()) == (len(none) == len(points))
    assert ("in none" in said) == (0 < len(none) < len(points))
    assert ("every length" in said) == (not none)


@given(st.lists(st.tuples(count, count, count), min_size=1, max_size=5))
def test_ends_are_called_early_or_late_in_every_run_only_if_they_are(ends: list[tuple[int, int, int]]) -> None:
    rows = [{"wrong": a + b + c, "early": a, "late": b, "same": c} for a, b, c in ends]
    some = [row for row in rows if row["wrong"]]
    said = text.ending(rows)
    assert ("early than too late" in said) == (bool(some) and all(row["early"] > row["late"] for row in some))
    assert ("late than too early" in said) == (bool(some) and all(row["late"] > row["early"] for row in some))
    assert ("no wrong answers" in said) == (not some)


@given(st.lists(st.one_of(st.none(), count), min_size=1, max_size=5))
def test_no_search_error_is_claimed_only_if_there_is_none_in_any_run(errors: list[int | None]) -> None:
    said = text.searching([{"wrong": 5000, "search_errors": one} for one in errors])
    known = [one for one in errors if one is not None]
    assert ("No wrong answer" in said) == (bool(known) and not any(known))
    assert ("cannot be told" in said) == (not known)


@given(greedy=accuracy, given_length=accuracy)
def test_the_oracle_helps_only_if_it_does(greedy: float, given_length: float) -> None:
    said = text.oracle(greedy, given_length)
    assert ("rises" in said) == (given_length > greedy)
    assert ("falls" in said) == (given_length < greedy)


@given(st.lists(st.tuples(st.sampled_from(["alone", "in a conjunction"]), st.integers(0, 9)), max_size=6))
def test_every_error_is_in_a_conjunction_only_if_it_is(found: list[tuple[str, int]]) -> None:
    rows = [{"construction": "turn left", "place": place, "commands": 9, "wrong": n} for place, n in found]
    places = {place for place, n in found if n}
    said = text.constructions(rows, "turn left")
    assert ("Every error is in a conjunction" in said) == (places == {"in a conjunction"})
    assert ("makes no error" in said) == (not places)


@pytest.mark.parametrize(
    ("unseen", "said"), [((), "each of them occurs"), (("jump left",), "one does not occur in training (`jump left`)")]
)
def test_parts_that_training_lacks_are_counted(unseen: tuple[str, ...], said: str) -> None:
    assert said in text.coverage(1, 102, unseen, 4.1)


def test_composed_commands_that_are_right_are_listed_or_none() -> None:
    assert text.right_ones([]) == "It gets no composed command right."
    assert "`jump and run`" in text.right_ones(["jump and run"])
    assert "10 composed commands" in text.right_ones(["jump twice"] * 10).replace("ten", "10")


def test_what_is_absent_names_the_command_that_measures_it() -> None:
    assert text.absent("the curve", text.reproduce("size")) == (
        "The curve is not measured in this ledger; `daxlab reproduce size` measures it."
    )
