"""Attention, and the commands nearest to "jump" and the like, from what training left in the ledger."""

import numpy as np
import pytest

from daxlab import InputError, dataset, split
from daxlab.analysis.probes import attention, nearest, neighbours, states
from daxlab.ledger import pack_answers, pack_arrays, pack_neighbours

ATTENTIVE = {"layers": 1, "hidden": 100, "attention": True}


def test_a_weight_for_every_step_and_word_the_ends_included(ledger_of, trained) -> None:
    named = dataset("scan").probes()
    targets = [example.actions for example in named]
    commands = [example.command for example in named]
    answers = [
        ("I_WALK",) if command == "jump twice" else target for command, target in zip(commands, targets, strict=True)
    ]
    maps = {f"w{n}": np.zeros((len(answers[n]) + 1, len(commands[n].split()) + 1), np.uint8) for n in range(len(named))}
    twice = commands.index("jump twice")
    maps[f"w{twice}"][:] = [[0, 51, 204], [255, 0, 0]]
    kept = {"named": pack_answers(answers, targets), "attention": pack_arrays(maps)}
    run = trained("turn-left", artefacts=kept, **ATTENTIVE)
    frame = attention(ledger_of(run), run.key)
    assert frame.filter(command="jump twice").drop("command").rows() == [
        (1, "I_WALK", 1, "jump", 0.0),
        (1, "I_WALK", 2, "twice", pytest.approx(0.2)),
        (1, "I_WALK", 3, "end", pytest.approx(0.8)),
        (2, "end", 1, "jump", 1.0),
        (2, "end", 2, "twice", 0.0),
        (2, "end", 3, "end", 0.0),
    ]
    assert frame["command"].unique(maintain_order=True).to_list() == commands


def test_an_answer_that_never_ended_has_no_step_for_its_end(ledger_of, trained) -> None:
    named = dataset("scan").probes()
    targets = [example.actions for example in named]
    answers = [("I_WALK",) * 51] * len(named)
    maps = {f"w{n}": np.ones((51, len(example.command.split()) + 1), np.uint8) for n, example in enumerate(named)}
    kept = {"named": pack_answers(answers, targets), "attention": pack_arrays(maps)}
    run = trained("turn-left", artefacts=kept, **ATTENTIVE)
    frame = attention(ledger_of(run), run.key)
    assert set(frame["action"]) == {"I_WALK"}
    assert frame["step"].max() == 51


def test_a_network_without_attention_has_no_map(ledger_of, trained, failed) -> None:
    for run in (trained("turn-left"), failed("turn-left")):
        assert attention(ledger_of(run), run.key).rows() == []


def test_the_probes_are_the_primitives_and_each_of_them_twice() -> None:
    named = [example.command for example in dataset("scan").probes()]
    assert set(named[:6]) == {"walk", "look", "run", "jump", "turn left", "turn right"}
    assert named[6:] == [f"{one} twice" for one in named[:6]]


def test_neighbours_are_read_by_their_place_in_training_and_none_is_its_own(ledger_of, trained) -> None:
    train = [example.command for example in split("jump").train]
    named = [example.command for example in dataset("scan").probes()]
    near = {"run": ["run", "look", "walk"], "jump twice": ["walk and walk", "run and walk", "look right and walk"]}
    places = np.array([[train.index(one) for one in near.get(name, train[:3])] for name in named], np.int32)
    cosines = np.tile(np.array([1.0, 0.75, 0.5], np.float32), (len(named), 1))
    run = trained("jump", artefacts={"neighbours": pack_arrays({"places": places, "cosines": cosines})})
    frame = neighbours(ledger_of(run), run.key, nearest=2)
    assert frame.columns == ["command", "rank", "neighbour", "cosine"]
    assert frame.filter(command="run").rows() == [("run", 1, "look", 0.75), ("run", 2, "walk", 0.5)]
    assert frame.filter(command="jump twice")["neighbour"].to_list() == ["walk and walk", "run and walk"]
    assert frame["command"].unique(maintain_order=True).to_list() == named


def test_the_nearest_command_of_every_run_by_any_state_and_without_some(ledger_of, trained) -> None:
    train = [example.command for example in split("jump").train]
    probes = len(dataset("scan").probes())

    def near(*commands: str) -> tuple[np.ndarray, np.ndarray]:
        places = np.array([[train.index(command) for command in commands]] * probes, np.int32)
        return places, np.tile(np.linspace(0.9, 0.1, len(commands), dtype=np.float32), (probes, 1))

    both = {"final": near("jump", "walk"), "cell, layer 1": near("look", "jump")}
    first = trained("jump", 1, artefacts={"neighbours": pack_neighbours(both)})
    earlier = trained("jump", 2, artefacts={"neighbours": pack_neighbours({"final": near("run", "jump")})})
    without = trained("jump", 3)
    ledger, keys = ledger_of(first, earlier, without), [first.key, earlier.key, without.key]
    assert [states(ledger, key) for key in keys] == [["final", "cell, layer 1"], ["final"], []]

    def nearest_to(command: str, *how: object) -> list[tuple[list[str], list[float]]]:
        return nearest(ledger, keys, *how).filter(command=command)["neighbour", "cosine"].rows()

    assert nearest_to("walk twice") == [(["jump", "run"], pytest.approx([0.9, 0.9]))]
    assert nearest_to("walk twice", "final", ["jump"]) == [(["walk", "run"], pytest.approx([0.1, 0.9]))]
    assert nearest_to("walk twice", "cell, layer 1") == [(["look"], pytest.approx([0.9]))]
    assert nearest_to("walk twice", "final", ["jump", "run", "walk"]) == []


def test_a_run_without_them_has_none(ledger_of, trained, failed) -> None:
    runs = [trained("turn-left"), failed("turn-left", 1)]
    ledger = ledger_of(*runs)
    for run in runs:
        assert neighbours(ledger, run.key).rows() == []
    with pytest.raises(InputError, match="has no run"):
        neighbours(ledger, "ab" * 32)
