"""Which runs train together, in which order groups start, and about how long they take."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from daxlab.learners import RNN
from daxlab.ledger import Group, Ledger, Run, Writer, key
from daxlab.ledger.spec import all_facts
from daxlab.sweep import Spec, plan_sweep
from daxlab.sweep.estimates import LEDGER_BYTES, estimate
from daxlab.sweep.grid import parse
from daxlab.sweep.groups import grouped, ordered

SMALL = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=1_000)


def groups_of(specs: list[Spec], device: str) -> list[Group]:
    facts = {key(fact): fact for fact in all_facts(specs)}
    return grouped(facts, dict(zip(facts, specs, strict=True)), device)


def hidden(group: Group) -> int:
    return group.members[0]["network"]["hidden"]


runs = st.builds(
    Spec,
    split=st.sampled_from(["simple", "jump", "length"]),
    seed=st.integers(0, 3),
    learner=st.builds(
        RNN,
        cell=st.sampled_from(["srn", "lstm"]),
        layers=st.integers(1, 2),
        hidden=st.sampled_from([5, 25, 26]),
        attention=st.booleans(),
        dropout=st.sampled_from([0, 0.5]),
        clip=st.sampled_from([1, 5]),
    ),
)


@settings(max_examples=100)
@given(st.lists(runs, min_size=1, max_size=60, unique=True), st.randoms())
def test_every_run_is_in_exactly_one_group_and_the_order_of_the_specs_does_not_matter(specs, chance) -> None:
    groups = groups_of(specs, "gpu")
    assert Counter(name for group in groups for name in group.keys) == Counter(map(key, all_facts(specs)))
    for group in groups:
        assert len({key([{**m["network"], "dropout": 0}, m["protocol"]]) for m in group.members}) == 1
    chance.shuffle(specs)
    assert {group.key for group in groups_of(specs, "gpu")} == {group.key for group in groups}


def test_on_a_card_runs_of_one_network_share_a_group_across_splits_seeds_and_dropout() -> None:
    specs = parse({"split": ["jump", "length"], "hidden": [5, 10], "dropout": [0, 0.5], "seeds": 3})
    assert [len(group.members) for group in groups_of(specs, "gpu")] == [12, 12]


def test_protocols_and_datasets_are_never_mixed_in_a_group() -> None:
    specs = parse({"split": "jump", "seeds": 2, "data": ["scan", "scan-dax"], "clip": [1, 5]})
    groups = groups_of(specs, "gpu")
    assert [len(group.members) for group in groups] == [2] * 4
    for group in groups:
        assert len({(m["language"]["name"], m["protocol"]["clip"]) for m in group.members}) == 1


def test_on_a_cpu_every_run_is_a_group_of_its_own() -> None:
    specs = parse({"split": ["jump", "length"], "hidden": [5, 25]})
    assert [group.members for group in groups_of(specs, "cpu")] == [[fact] for fact in all_facts(specs)]


def test_many_runs_are_cut_into_groups_of_one_size() -> None:
    sizes = [len(group.members) for group in groups_of(parse({"split": "jump", "seeds": 1000}), "gpu")]
    assert max(sizes) <= RNN.most_together < 2 * min(sizes)
    assert len(set(sizes[:-1])) == 1


def test_9_000_runs_are_planned_in_seconds() -> None:
    began = time.process_time()
    specs = parse({"split": ["jump", "length"], "hidden": list(range(10, 410, 80)), "seeds": 900})
    assert sum(len(group.members) for group in groups_of(specs, "gpu")) == 9_000
    assert time.process_time() - began < 10  # of CPU; about 1


def timed(spec: Spec, seconds: float, platform: str = "cpu") -> Run:
    return Run(spec=spec.facts(), timing={"seconds": seconds}, origin={"platform": platform})


@pytest.fixture
def ledger(tmp_path: Path):
    """Runs of 1,000 updates that took 8, 10 and 30 seconds on a core, and one of 1 second on a card."""
    with Writer(tmp_path / "runs.db") as writer:
        writer.add(timed(Spec("jump", seed, SMALL), took) for seed, took in enumerate((8, 10, 30)))
        writer.add([timed(Spec("jump", 3, SMALL), 1, "gpu")])
    with Ledger(tmp_path / "runs.db") as opened:
        yield opened


def planned(specs: list[Spec], device: str = "cpu") -> tuple[Group, ...]:
    return plan_sweep(specs, Path("none.db"), device).groups


def test_an_estimate_is_the_median_time_an_update_of_earlier_runs_times_the_updates(ledger: Ledger) -> None:
    longer = replace(SMALL, updates=2_000, dropout=0.5)
    found = estimate(planned([Spec("length", seed, longer) for seed in range(4)]), "cpu", 1, [ledger])
    assert (found.runs, found.groups, found.estimated, found.bytes) == (4, 4, 4, 4 * LEDGER_BYTES)
    assert found.seconds == pytest.approx(4 * 2_000 * 10 / 1_000)


def test_a_group_takes_as_long_as_its_runs_and_earlier_runs_count_only_on_the_same_kind_of_device(ledger) -> None:
    found = estimate(planned([Spec("jump", seed, SMALL) for seed in range(20)], "gpu"), "gpu", 1, [ledger])
    assert (found.groups, found.seconds) == (1, pytest.approx(20 * 1.0))


def test_workers_share_the_groups_but_not_one_run(ledger: Ledger) -> None:
    groups = planned([Spec("jump", seed, SMALL) for seed in range(4)])
    assert estimate(groups, "cpu", 2, [ledger]).seconds == pytest.approx(4 * 10 / 2)
    assert estimate(groups[:1], "cpu", 2, [ledger]).seconds == pytest.approx(10)


def test_what_is_trained_already_is_not_estimated_again(ledger: Ledger) -> None:
    (group,) = planned([Spec("jump", 0, SMALL)])
    assert estimate([replace(group, updates=750)], "cpu", 1, [ledger]).seconds == pytest.approx(10 / 4)


def test_without_earlier_runs_of_the_learner_and_dataset_there_is_no_estimate(ledger: Ledger) -> None:
    others = [Spec("jump", 0, replace(SMALL, hidden=9)), Spec("jump", 0, SMALL, "scan-dax")]
    assert estimate(planned(others), "cpu", 1, [ledger]).seconds is None
    assert estimate(planned([Spec("jump", 0, SMALL)]), "cpu", 1, []).seconds is None
    mixed = estimate(planned([Spec("jump", 9, SMALL), *others]), "cpu", 1, [ledger])
    assert (mixed.groups, mixed.estimated, mixed.seconds) == (3, 1, pytest.approx(10))
    assert estimate((), "cpu", 2, [ledger]).seconds is None


def test_the_first_ledger_that_has_such_runs_gives_the_time(ledger: Ledger, tmp_path: Path) -> None:
    with Writer(tmp_path / "other.db") as writer:
        writer.add([timed(Spec("jump", 0, SMALL), 500)])
        groups = planned([Spec("jump", 9, SMALL)])
        assert estimate(groups, "cpu", 1, [ledger, writer.ledger]).seconds == pytest.approx(10)
        assert estimate(groups, "cpu", 1, [writer.ledger, ledger]).seconds == pytest.approx(500)


def test_cores_begin_with_the_longest_group_and_a_card_with_the_shortest(tmp_path: Path) -> None:
    asked = [Spec("jump", 0, RNN(hidden=hidden)) for hidden in (50, 200, 25)]
    with Writer(tmp_path / "runs.db") as writer:
        for platform, seed in (("cpu", 1), ("gpu", 2)):
            writer.add(timed(replace(spec, seed=seed), spec.learner.hidden, platform) for spec in asked)
        for device, order in (("cpu", [200, 50, 25]), ("gpu", [25, 50, 200])):
            assert [hidden(group) for group in ordered(planned(asked, device), device, writer.ledger)] == order


def test_groups_start_as_asked_for_where_not_all_their_times_are_known(ledger: Ledger) -> None:
    asked = [Spec("jump", 9, replace(SMALL, hidden=hidden)) for hidden in (7, 9, 8)]
    assert [hidden(group) for group in ordered(planned(asked), "cpu", ledger)] == [7, 9, 8]
