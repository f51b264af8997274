"""The commands nearest to "jump" and the like, from what training left in the ledger."""

import numpy as np
import pytest

from daxlab import InputError, dataset, split
from daxlab.analysis.neighbours import neighbours
from daxlab.runs import pack_arrays


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


def test_a_run_without_them_has_none(ledger_of, trained, failed) -> None:
    runs = [trained("turn-left"), failed("turn-left", 1)]
    ledger = ledger_of(*runs)
    for run in runs:
        assert neighbours(ledger, run.key).rows() == []
    with pytest.raises(InputError, match="has no run"):
        neighbours(ledger, "ab" * 32)
