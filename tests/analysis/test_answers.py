"""A run's stored answers come out as they went in, beside what was asked."""

import pytest

from daxlab import InputError, split
from daxlab.analysis.answers import answers, scored, together
from daxlab.encoding import Encoding
from daxlab.ledger import Run

COLUMNS = ["command", "category", "words", "actions", "target", "answer", "right", "ended"]
COLUMNS += ["oracle_answer", "oracle_right", "own", "likelihood"]


def test_a_row_per_test_command_in_the_split_s_order(ledger_of, trained) -> None:
    wrong = {"jump twice": "I_JUMP", "jump thrice": ""}
    run = trained(
        "jump", greedy=wrong, oracle={"jump twice": "I_WALK I_JUMP"}, likelihoods={"jump twice": (-2.5, -0.25)}
    )
    frame = answers(ledger_of(run), run.key)
    assert frame.columns == COLUMNS
    test = split("jump").test
    assert frame["command"].to_list() == [example.command for example in test]
    assert frame["target"].to_list() == [list(example.actions) for example in test]
    twice, thrice = (frame.filter(command=f"jump {n}").row(0, named=True) for n in ("twice", "thrice"))
    assert (twice["words"], twice["actions"], twice["answer"], twice["right"]) == (2, 2, ["I_JUMP"], False)
    assert (twice["oracle_answer"], twice["oracle_right"]) == (["I_WALK", "I_JUMP"], False)
    assert (twice["own"], twice["likelihood"]) == (-2.5, -0.25)
    assert (thrice["answer"], thrice["right"], thrice["oracle_right"]) == ([], False, True)
    assert frame.filter("right")["answer"].to_list() == frame.filter("right")["target"].to_list()


def test_metrics_follow_from_the_answers(ledger_of, trained) -> None:
    wrong = dict.fromkeys(["jump twice", "jump thrice", "jump left"], "I_JUMP")
    run = trained("jump", greedy=wrong, oracle={"jump left": "I_JUMP I_JUMP"})
    found = scored(ledger_of(run), run.key)
    assert found == {"accuracy": 100 * (7703 / 7706), "oracle_accuracy": 100 * (7705 / 7706)}
    assert found["accuracy"] == run.metrics["accuracy"]


def test_what_the_ledger_does_not_hold_is_empty(ledger_of, trained) -> None:
    whole = trained("turn-left")
    run = Run(spec=whole.spec, metrics=whole.metrics, artefacts={"greedy": whole.artefacts["greedy"]})
    ledger = ledger_of(run)
    frame = answers(ledger, run.key)
    assert frame.columns == COLUMNS
    assert frame["own"].null_count() == frame["oracle_answer"].null_count() == frame.height
    assert scored(ledger, run.key) == {"accuracy": 100.0}


def test_an_answer_that_was_cut_off_did_not_end(ledger_of, trained, scan) -> None:
    """The engine asks for so many symbols, the end among them; one action fewer is the most that can end."""
    cap = Encoding.of(scan.commands()).answer_time
    run = trained("jump", greedy={"jump twice": "I_JUMP " * cap, "jump thrice": "I_JUMP " * (cap - 1)})
    frame = answers(ledger_of(run), run.key)
    assert frame.filter(~frame["ended"])["command"].to_list() == ["jump twice"]


def test_several_runs_stand_under_each_other_by_seed_and_failed_ones_do_not(ledger_of, trained, failed) -> None:
    runs = [trained("turn-left", 2), trained("turn-left", 0, {"turn left twice": ""}), failed("turn-left", 1)]
    ledger = ledger_of(*runs)
    frame = together(ledger, [run.key for run in runs], ["command", "right"])
    assert frame.columns == ["key", "seed", "command", "right"]
    assert frame["seed"].to_list() == [0] * 1208 + [2] * 1208
    assert frame.filter(~frame["right"]).rows() == [(runs[1].key, 0, "turn left twice", False)]
    assert together(ledger, [], ["right", "own"]).schema == together(ledger, [runs[0].key], ["right", "own"]).schema


def test_what_cannot_be_answered_is_said(ledger_of, trained, failed) -> None:
    whole = trained("turn-left")
    other = {**whole.spec, "split": {"name": "turn-left", "digest": "of another release"}}
    bare = Run(spec={**whole.spec, "seed": 1}, metrics=whole.metrics)
    runs = [failed("turn-left", 2), bare, Run(spec=other, metrics=whole.metrics, artefacts=whole.artefacts)]
    ledger = ledger_of(*runs)
    for key, reason in zip(
        [*(run.key for run in runs), "ab" * 32],
        ["failed at update 7", "no answers", "not what it was", "has no run"],
        strict=True,
    ):
        with pytest.raises(InputError, match=reason):
            answers(ledger, key)


def test_the_same_key_in_another_ledger_is_another_run(ledger_of, trained) -> None:
    """A card makes no claim of bits: the same spec, trained again, may answer otherwise."""
    first, again = trained("turn-left"), trained("turn-left", greedy={"turn left twice": ""})
    assert first.key == again.key
    assert scored(ledger_of(first), first.key)["accuracy"] == 100
    assert scored(ledger_of(again), again.key)["accuracy"] < 100
