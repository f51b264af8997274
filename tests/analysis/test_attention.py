"""Attention, from what training left in the ledger."""

import numpy as np
import pytest

from daxlab.analysis.attention import attention
from daxlab.datasets import dataset
from daxlab.runs import pack_answers, pack_arrays

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
