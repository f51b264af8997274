"""Where wrong answers are, how they end, whether the search is to blame: counted by hand, and by slow obvious twins."""

from collections import Counter
from itertools import zip_longest

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from daxlab import InputError, split
from daxlab.analysis.answers import answers, scored
from daxlab.analysis.errors import (
    by_length,
    by_template,
    confusion,
    ends,
    errors_by_construction,
    first_wrong,
    search_errors,
)
from daxlab.ledger import Run

LONG = "I_JUMP " * 51  # an answer that the engine cut off


def of_length(n: int) -> list[str]:
    return [example.command for example in split("length-33").test if len(example.actions) == n]


def test_accuracy_by_action_length(ledger_of, trained) -> None:
    """length-33 asks for 64 commands of 36 actions, 256 of 40 and 128 of 48."""
    wrong, fewer = dict.fromkeys([*of_length(36)[:16], *of_length(48)], "I_WALK"), dict.fromkeys(of_length(36)[:32], "")
    runs = [trained("length-33", 0, wrong, oracle=fewer), trained("length-33", 1)]
    ledger, keys = ledger_of(*runs), [run.key for run in runs]
    frame = by_length(ledger, keys)
    assert frame.select("length", "commands", "runs", "mean", "accuracies").rows() == [
        (36, 64, 2, 87.5, [75.0, 100.0]),
        (40, 256, 2, 100.0, [100.0, 100.0]),
        (48, 128, 2, 50.0, [0.0, 100.0]),
    ]
    assert frame["sem"].to_list() == [12.5, 0.0, 50.0]
    assert by_length(ledger, keys, oracle=True)["accuracies"][0].to_list() == [50.0, 100.0]
    assert by_length(ledger, keys[:1])["sem"].to_list() == [None] * 3


def test_accuracy_by_command_length(ledger_of, trained) -> None:
    """Three words have "turn left twice" and "turn left thrice"; four words, "turn left" with one of four verbs."""
    run = trained("turn-left", greedy={"turn left thrice": "", "turn left and walk": "I_WALK"})
    frame = by_length(ledger_of(run), [run.key], "words").select("length", "commands", "mean")
    assert frame.rows()[:2] == [(3, 2, 50.0), (4, 16, 93.75)]
    assert frame["length"].to_list() == [3, 4, 5, 6, 7, 8]
    assert frame["commands"].sum() == 1208


def test_runs_on_different_splits_are_not_averaged_command_by_command(ledger_of, trained) -> None:
    runs = [trained("length-33"), trained("turn-left")]
    ledger, keys = ledger_of(*runs), [run.key for run in runs]
    for ask in (by_length, by_template):
        with pytest.raises(InputError, match="one at a time"):
            ask(ledger, keys)


def test_a_search_error_is_a_wrong_answer_less_likely_than_its_target(ledger_of, trained) -> None:
    wrong = {"jump twice": "I_JUMP", "jump thrice": "I_JUMP", "jump left": "I_JUMP", "jump right": LONG}
    likelihoods = {"jump twice": (-1.0, -2.0), "jump thrice": (-2.0, -1.9999), "jump left": (-3.0, -3.0)}
    likelihoods |= {"jump right": (-20.0, -1.0), "jump and walk": (-5.0, -1.0)}  # the last was answered right
    run = trained("jump", 4, wrong, likelihoods=likelihoods)
    assert search_errors(ledger_of(run), [run.key]).rows(named=True) == [
        {"key": run.key, "seed": 4, "commands": 7706, "wrong": 4, "search_errors": 2, "unended": 1}
    ]
    bare = Run(spec=run.spec, metrics=run.metrics, artefacts={"greedy": run.artefacts["greedy"]})
    assert search_errors(ledger_of(bare), [run.key]).rows() == [(run.key, 4, 7706, 4, None, None)]


def test_wrong_answers_end_early_late_or_where_they_should(ledger_of, trained) -> None:
    wrong = {"jump twice": "I_JUMP", "jump thrice": "", "jump left": "I_JUMP I_JUMP", "jump right": LONG}
    runs = [trained("jump", 1, wrong | {"jump and jump": "I_JUMP I_JUMP I_JUMP"}), trained("jump", 0)]
    assert ends(ledger_of(*runs), [run.key for run in runs]).drop("key").rows(named=True) == [
        {"seed": 0, "wrong": 0, "early": 0, "late": 0, "same": 0, "unended": 0},
        {"seed": 1, "wrong": 5, "early": 2, "late": 2, "same": 1, "unended": 1},
    ]


def test_errors_by_construction_of_turn_left(ledger_of, trained) -> None:
    wrong = ["jump right and turn left", "turn left after walk", "turn left thrice and walk", "turn left thrice"]
    wrong += ["turn left thrice and turn left"]
    run = trained("turn-left", greedy=dict.fromkeys(wrong, "I_WALK"))
    frame = errors_by_construction(ledger_of(run), run.key, "turn left")
    assert frame.columns == ["construction", "place", "commands", "wrong"]
    assert frame.filter(frame["wrong"] > 0).rows() == [
        ("turn left", "in a conjunction", 396, 2),  # 99 other parts, two conjunctions, either side
        ("turn left + turn left thrice", "in a conjunction", 4, 1),
        ("turn left thrice", "alone", 1, 1),
        ("turn left thrice", "in a conjunction", 396, 1),
    ]
    assert frame["commands"].sum() == 1208
    assert ("turn left twice", "alone", 1, 0) in frame.rows()
    assert errors_by_construction(ledger_of(run), run.key, "turn-left").equals(frame)
    assert errors_by_construction(ledger_of(run), run.key, "jump").filter(construction="jump")["commands"].sum() == 12


def test_the_composed_commands_that_come_out_right(ledger_of, trained) -> None:
    known = {"jump and run opposite right", "jump and walk around left thrice"}
    wrong = {example.command: "I_JUMP" for example in split("jump").test if example.command not in known}
    run = trained("jump", greedy=wrong)
    assert set(answers(ledger_of(run), run.key).filter("right")["command"]) == known


def test_errors_by_template(ledger_of, trained) -> None:
    """U stands for the verb; a command counts once under each of its templates, and runs are averaged."""
    wrong = {"jump twice": "", "jump twice and look twice": "", "jump twice and turn left": ""}
    runs = [trained("jump", 0, wrong), trained("jump", 1)]
    frame = by_template(ledger_of(*runs), [run.key for run in runs])
    assert frame.columns == ["template", "commands", "wrong"]
    rows = {template: (commands, wrong) for template, commands, wrong in frame.rows()}
    twice = [
        e.command for e in split("jump").test if any(f"{v} twice" in e.command for v in ("jump", "walk", "run", "look"))
    ]
    assert rows["U twice"] == (len(twice), 1.5)
    assert rows["turn left"] == (84, 0.5)  # "turn left" with 21 parts that have jump, two conjunctions, either side
    assert sum(wrong > 0 for _, wrong in rows.values()) == 2
    assert len(rows) == 39


def test_actions_confused_and_where_it_began(ledger_of, trained) -> None:
    wrong = {"jump left": "I_TURN_RIGHT I_JUMP I_JUMP", "jump thrice": "I_JUMP I_JUMP", "jump twice": "I_JUMP I_WALK"}
    run = trained("jump", greedy=wrong)
    ledger = ledger_of(run)
    assert confusion(ledger, [run.key]).rows() == [
        ("I_JUMP", "I_JUMP", 4),
        ("I_JUMP", "I_WALK", 1),
        ("I_JUMP", "end", 1),
        ("I_TURN_LEFT", "I_TURN_RIGHT", 1),
        ("end", "I_JUMP", 1),
    ]
    assert first_wrong(ledger, [run.key]).rows() == [(1, 1), (2, 1), (3, 1)]


action = st.sampled_from(["WALK", "JUMP", "LTURN"])
given_answers = st.dictionaries(
    st.integers(0, 47), st.lists(action, max_size=12).map(" ".join), max_size=20
)  # by the number of a test command


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some=given_answers, others=given_answers)
def test_frames_are_what_slow_obvious_counting_finds(ledger_of, trained, tiny: str, some, others) -> None:
    test = split("jump", tiny).test
    by_command = [{test[n % len(test)].command: answer for n, answer in one.items()} for one in (some, others)]
    runs = [trained("jump", seed, wrong, language=tiny) for seed, wrong in enumerate(by_command)]
    ledger, keys = ledger_of(*runs), [run.key for run in runs]
    asked = [
        (
            example.command,
            example.actions,
            tuple(wrong[example.command].split()) if example.command in wrong else example.actions,
        )
        for wrong in by_command
        for example in test
    ]
    errors = [(command, target, answer) for command, target, answer in asked if answer != target]
    pairs = [list(zip_longest(target, answer, fillvalue="end")) for _, target, answer in errors]
    assert {(a, b): n for a, b, n in confusion(ledger, keys).rows()} == Counter(pair for some in pairs for pair in some)
    first = Counter(1 + next(n for n, (a, b) in enumerate(some) if a != b) for some in pairs)
    assert dict(first_wrong(ledger, keys).rows()) == first
    templates = Counter(
        template
        for command, _, _ in errors
        for template in set(command.replace("walk", "U").replace("jump", "U").split(" and "))
    )
    assert {template: 2 * wrong for template, _, wrong in by_template(ledger, keys).rows() if wrong} == templates
    counted = ends(ledger, keys)
    assert counted["wrong"].sum() == len(errors)
    assert counted["early"].sum() == sum(len(answer) < len(target) for _, target, answer in errors)
    assert (counted["early"] + counted["late"] + counted["same"]).to_list() == counted["wrong"].to_list()
    lengths = by_length(ledger, keys)
    for run, place in zip(keys, (0, 1), strict=True):
        rates = [row[place] for row in lengths["accuracies"]]
        assert sum(rate * n for rate, n in zip(rates, lengths["commands"], strict=True)) / len(test) == pytest.approx(
            scored(ledger, run)["accuracy"]
        )


def test_nothing_and_failed_runs_have_empty_frames(ledger_of, failed, trained) -> None:
    run = failed("jump")
    for ledger, keys in ((ledger_of(), []), (ledger_of(run), [run.key])):
        for ask in (by_length, search_errors, ends, by_template, confusion, first_wrong):
            full = trained("turn-left")
            assert ask(ledger, keys).rows() == []
            assert ask(ledger, keys).schema == ask(ledger_of(full), [full.key]).schema


def test_a_run_that_errs_nowhere_has_no_confusion(ledger_of, trained) -> None:
    run = trained("turn-left")
    ledger = ledger_of(run)
    assert confusion(ledger, [run.key]).rows() == first_wrong(ledger, [run.key]).rows() == []
    assert set(by_template(ledger, [run.key])["wrong"]) == {0.0}
    assert errors_by_construction(ledger, run.key, "turn left")["wrong"].sum() == 0
    assert answers(ledger, run.key)["right"].all()
