"""Every run is in one group; a group shares what one program must; and no plan is slower than one without padding."""

import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daxlab.runs import Group, key
from daxlab.runs.spec import all_facts
from daxlab.sweep import Architecture, Spec
from daxlab.sweep.cost import DEVICES, cost, largest, memory, widest
from daxlab.sweep.grid import parse, read
from daxlab.sweep.grouping import grouped, ordered

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="module")
def search() -> list[dict]:
    return all_facts(read(SPECS / "paper-search.toml").specs())


def alone(facts: list[dict], runs: int = 60) -> list[Group]:
    """The plan without padding: each size of network by itself, so many runs at once."""
    kinds: dict[str, list[dict]] = {}
    for fact in facts:
        kinds.setdefault(key({**fact["network"], "dropout": 0, **fact["protocol"]}), []).append(fact)
    return [Group(members=some[at : at + runs]) for some in kinds.values() for at in range(0, len(some), runs)]


runs = st.builds(
    Spec,
    split=st.sampled_from(["simple", "jump", "length"]),
    seed=st.integers(0, 3),
    architecture=st.builds(
        Architecture,
        cell=st.sampled_from(["srn", "lstm"]),
        layers=st.integers(1, 2),
        hidden=st.sampled_from([5, 25, 26, 100, 400, 3000]),
        attention=st.booleans(),
        dropout=st.sampled_from([0, 0.5]),
    ),
)


@settings(max_examples=100)
@given(st.lists(runs, min_size=1, max_size=60, unique=True), st.randoms())
def test_every_run_is_in_one_group_whatever_their_order(specs: list[Spec], chance) -> None:
    facts = all_facts(specs)
    groups = grouped(facts, "gpu")
    assert Counter(name for group in groups for name in group.keys) == Counter(map(key, facts))
    for group in groups:
        shared = {(m["network"]["cell"], m["network"]["layers"], m["network"]["attention"]) for m in group.members}
        assert len(shared) == 1
        assert group.members[0]["network"]["hidden"] == widest(group).hidden  # the first stands for all
        assert len(group.members) <= largest(widest(group), "gpu")
    chance.shuffle(facts)
    assert [group.key for group in grouped(facts, "gpu")] == [group.key for group in groups]
    assert cost(groups, "gpu", 1).seconds <= cost(alone(facts), "gpu", 1).seconds + 1e-6


def test_where_groups_train_at_once_less_is_padded(search) -> None:
    """Their launches overlap, and padding is weights to stream."""
    turns, together = grouped(search, "gpu"), grouped(search, "gpu", at_once=6)
    idle = [
        sum(widest(group).hidden - m["network"]["hidden"] for group in groups for m in group.members)
        for groups in (turns, together)
    ]
    assert 0 < idle[1] < idle[0] / 2
    seconds = [cost(groups, "gpu", 1, on_card=6).seconds for groups in (together, turns, alone(search))]
    assert seconds[0] == min(seconds)
    assert seconds[0] < cost(turns, "gpu", 1, on_card=1).seconds


def test_protocols_and_languages_are_never_mixed() -> None:
    declared = {"split": "jump", "seeds": 2, "language": ["scan", "scan-dax"], "hidden": [5, 10]}
    groups = grouped(all_facts(parse(declared | {"protocol": {"clip": [1, 5]}}).specs()), "gpu")
    assert [len(group.members) for group in groups] == [4] * 4
    for group in groups:
        assert len({(m["language"]["name"], m["protocol"]["clip"]) for m in group.members}) == 1


def test_small_networks_share_a_group_across_replicates_dropout_split_and_width_and_large_ones_do_not(search) -> None:
    groups = grouped(search, "gpu")
    widths = Counter(tuple(sorted({m["network"]["hidden"] for m in group.members})) for group in groups)
    assert widths[(400,)] == 12
    assert widths[(25, 50, 100)] >= 10
    for group in groups:
        assert len({m["split"]["name"] for m in group.members}) == 4
        assert len({m["network"]["dropout"] for m in group.members}) == 3
        assert len({m["seed"] for m in group.members}) == 5
        assert memory(widest(group), len(group.members)) < DEVICES["gpu"].memory


def test_the_papers_search_takes_less_time_than_with_each_architecture_alone(search) -> None:
    ours, theirs = (cost(groups, "gpu", 1).seconds for groups in (grouped(search, "gpu"), alone(search)))
    assert ours < 0.9 * theirs
    narrow = [fact for fact in search if fact["network"]["hidden"] <= 100]
    ours, theirs = (cost(groups, "gpu", 1).seconds for groups in (grouped(narrow, "gpu"), alone(narrow)))
    assert ours < 0.7 * theirs


def test_many_runs_are_cut_into_groups_of_one_size_that_launches_no_longer_slow_down() -> None:
    specs = parse({"split": "jump", "hidden": 400, "seeds": 1000}).specs()
    sizes = [len(group.members) for group in grouped(all_facts(specs), "gpu")]
    most = largest(specs[0].architecture, "gpu")
    assert max(sizes) <= most < 2 * min(sizes)
    assert len(set(sizes[:-1])) == 1


def test_one_worker_begins_with_the_narrowest_and_several_with_the_longest(search) -> None:
    groups = grouped(search, "gpu")
    one, several = ordered(groups, "gpu", 1), ordered(groups, "gpu", 8)
    assert [widest(group).hidden for group in one] == sorted(widest(group).hidden for group in groups)
    assert str(widest(several[0])) == "LSTM 2x400, attention, dropout 0"
    assert sorted(group.key for group in several) == sorted(group.key for group in groups)


def test_on_a_cpu_each_run_is_alone() -> None:
    facts = all_facts(parse({"split": ["jump", "length"], "hidden": [5, 25]}).specs())
    assert [group.members for group in grouped(facts, "cpu")] == [[fact] for fact in facts]


def test_36_000_runs_are_planned_in_seconds() -> None:
    began = time.process_time()
    specs = parse({"split": ["jump", "length"], "hidden": list(range(10, 410, 20)), "seeds": 900}).specs()
    groups = grouped(all_facts(specs), "gpu")
    assert sum(len(group.members) for group in groups) == 36_000
    assert time.process_time() - began < 20  # of CPU; about 3
