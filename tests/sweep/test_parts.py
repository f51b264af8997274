"""A sweep in parts: every run is in exactly one, and together they are the sweep."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Writer, key, merge
from daxlab.ledger.spec import all_facts
from daxlab.sweep import Spec, plan_sweep, sweep
from daxlab.sweep.parts import part_named, part_of
from executors import in_process

runs = st.builds(
    Spec,
    split=st.sampled_from(["simple", "jump"]),
    seed=st.integers(0, 20),
    learner=st.builds(RNN, hidden=st.sampled_from([5, 25, 26]), updates=st.sampled_from([100, 1_000])),
)
sweeps = st.lists(runs, min_size=1, max_size=80, unique=True)


@settings(max_examples=100)
@given(sweeps, st.integers(1, 9), st.sampled_from(["cpu", "gpu"]), st.randoms())
def test_every_run_is_in_one_part_whatever_the_order_of_the_specs(specs, parts, device, chance) -> None:
    divided = [part_of(specs, number, parts, device) for number in range(1, parts + 1)]
    assert Counter(spec for part in divided for spec in part) == Counter(specs)
    chance.shuffle(specs)
    assert [set(part_of(specs, number, parts, device)) for number in range(1, parts + 1)] == list(map(set, divided))


@settings(max_examples=50)
@given(st.integers(1, 200), st.integers(1, 9), st.sampled_from(["cpu", "gpu"]))
def test_parts_are_balanced(count, parts, device) -> None:
    specs = [Spec("jump", seed, RNN(hidden=5)) for seed in range(count)]
    sizes = [len(part_of(specs, number, parts, device)) for number in range(1, parts + 1)]
    assert max(sizes) <= -(-count // parts)
    if device == "cpu":
        assert max(sizes) - min(sizes) <= 1


def test_on_a_card_groups_stay_whole_where_there_are_enough_of_them() -> None:
    specs = [
        Spec(split, seed, RNN(hidden=h)) for h in (5, 6, 7, 8) for split in ("jump", "simple") for seed in range(9)
    ]
    whole = {group.key for group in plan_sweep(specs, Path("none.db"), "gpu").groups}
    parts = [part_of(specs, number, 2, "gpu") for number in (1, 2)]
    assert {group.key for part in parts for group in plan_sweep(part, Path("none.db"), "gpu").groups} == whole


def test_networks_of_every_size_are_in_every_part_on_a_cpu() -> None:
    specs = [Spec("jump", seed, RNN(hidden=h)) for h in (5, 200) for seed in range(8)]
    for number in (1, 2):
        sizes = Counter(spec.learner.hidden for spec in part_of(specs, number, 2, "cpu"))
        assert sizes == {5: 4, 200: 4}


@pytest.mark.parametrize("text", ["9/8", "0/8", "x", "3", "3/", "-1/8", "1/0", "1.5/8", ""])
def test_what_is_no_part_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match="such as 3/8"):
        part_named(text)


def test_the_merged_ledgers_of_all_parts_are_the_ledger_of_the_whole_sweep(tiny: Path, tmp_path: Path) -> None:
    learners = [RNN("srn", 1, hidden, updates=200) for hidden in (4, 5)]
    specs = [Spec("jump", seed, learner, str(tiny)) for learner in learners for seed in range(2)]
    sweep(specs, tmp_path / "whole.db", executor=in_process)
    with Writer(tmp_path / "merged.db") as writer:
        for number in (1, 2, 3):
            ledger = tmp_path / f"part-{number}.db"
            sweep(part_of(specs, number, 3, "cpu"), ledger, executor=in_process)
            merge(writer, ledger)
    whole, merged = Ledger(tmp_path / "whole.db"), Ledger(tmp_path / "merged.db")
    assert sorted(merged.select()) == sorted(whole.select()) == sorted(map(key, all_facts(specs)))
    for name in whole.select():
        one, other = whole.run(name), merged.run(name)
        parts = ("spec", "group", "status", "metrics", "artefacts", "curve")
        assert [getattr(one, part) for part in parts] == [getattr(other, part) for part in parts]


def test_a_part_without_runs_is_an_empty_ledger(tiny: Path, tmp_path: Path) -> None:
    specs = [Spec("jump", 0, RNN("srn", 1, 4, updates=200), str(tiny))]
    assert part_of(specs, 2, 2, "cpu") == []
    outcome = sweep([], tmp_path / "part-2.db", executor=in_process)
    assert (outcome.trained, outcome.stopped) == (0, False)
    assert Ledger(tmp_path / "part-2.db").count() == 0
