"""What a plan will take: a small model of what was measured, corrected by what the ledger has."""

import json
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import pytest

from daxlab.encoding import Encoding
from daxlab.paper.experiments import specs
from daxlab.protocol import Protocol
from daxlab.runs import Group, Ledger, Run, Writer
from daxlab.runs.spec import all_facts
from daxlab.sweep import Architecture, Spec, foreseen
from daxlab.sweep.cost import DEVICES, LEDGER_BYTES, Cost, cost, left, memory, modelled, parameters, update
from daxlab.sweep.grid import part, read
from daxlab.sweep.grouping import grouped
from daxlab.sweep.worker import network_maker

LARGE, SMALL = Architecture(), Architecture("lstm", 1, 100, attention=True, dropout=0.1)
ROOT = Path(__file__).parents[2]
CARD, SWEEPS, AT_ONCE = (
    json.loads((ROOT / "results" / "bench" / f"{name}.json").read_text()) for name in ("card", "sweeps", "at_once")
)
GPU = DEVICES["gpu"]


@pytest.mark.parametrize("cell", ["srn", "gru", "lstm"])
@pytest.mark.parametrize("attention", [True, False])
@pytest.mark.parametrize("layers", [1, 3])
def test_weights_are_counted_as_the_network_has_them(scan, cell: str, attention: bool, layers: int) -> None:
    one = Architecture(cell, layers, 20, attention)
    make = network_maker(one, Encoding.of(scan.commands()))
    shapes = jax.eval_shape(lambda key: eqx.filter(make(key, 20), eqx.is_inexact_array), jax.random.key(0))
    assert parameters(one) == sum(leaf.size for leaf in jax.tree.leaves(shapes))


@pytest.mark.parametrize(
    ("device", "network", "runs", "milliseconds"),
    [
        *(("gpu", replace(LARGE, hidden=row["hidden"]), row["runs"], row["ms"]) for row in CARD["rows"]),
        ("gpu", SMALL, 20, 1.02),
        ("gpu", SMALL, 180, 2.76),
        ("cpu", LARGE, 1, 4.5),
        ("cpu", SMALL, 1, 0.85),
    ],
)
def test_an_update_is_within_a_tenth_of_what_was_measured(
    device: str, network: Architecture, runs: int, milliseconds: float
) -> None:
    assert 1000 * update(network, runs, device) == pytest.approx(milliseconds, rel=0.1)


@pytest.mark.parametrize(
    ("network", "runs", "training", "examining", "whole"),
    [(LARGE, 20, 182, 8.4, 245), (LARGE, 64, 403, 26.4, 484), (SMALL, 39, 117, None, None)],  # seconds
)
def test_a_command_is_within_a_tenth_of_what_was_measured(network, runs, training, examining, whole) -> None:
    long, short = (modelled(network, runs, updates, "gpu") for updates in (100_000, 0))
    assert long - short == pytest.approx(training, rel=0.1)
    if whole:
        assert short == pytest.approx(examining, rel=0.2)
        assert cost(groups(network, runs, "gpu"), "gpu", 1, on_card=1).seconds == pytest.approx(whole, rel=0.1)


@pytest.mark.parametrize(("network", "seconds"), [(LARGE, 45), (SMALL, 9)])
def test_examining_on_a_core_is_within_a_tenth_of_what_was_measured(network: Architecture, seconds: float) -> None:
    assert modelled(network, 1, 0, "cpu") == pytest.approx(seconds, rel=0.1)


def groups(network: Architecture, runs: int, device: str, updates: int = 100_000) -> tuple[Group, ...]:
    wanted = [Spec("jump", seed, network, Protocol(updates)) for seed in range(runs)]
    return foreseen(wanted, Path("none.db"), device).groups


def test_on_a_card_runs_share_a_group_and_on_cores_they_share_the_time() -> None:
    card = cost(groups(LARGE, 20, "gpu"), "gpu", 1)
    one, two = (cost(groups(LARGE, 20, "cpu"), "cpu", workers) for workers in (1, 2))
    assert (card.runs, card.groups, one.groups) == (20, 1, 20)
    start = DEVICES["cpu"].once
    assert two.seconds - start == pytest.approx((one.seconds - start) / 2)
    assert cost(groups(LARGE, 1, "cpu"), "cpu", 8).seconds > 450  # a run is not shared by cores
    assert cost((), "cpu", 2) == Cost(0, 0, 0, 0, 0, 0)


def test_disk_is_the_ledgers_rows_and_the_weights_that_are_kept_and_a_checkpoint_twice() -> None:
    asked = groups(LARGE, 20, "gpu")
    card, without = cost(asked, "gpu", 1), cost(asked, "gpu", 1, keep_weights=False)
    assert card.bytes == 20 * (4 * parameters(LARGE) + LEDGER_BYTES)
    assert without.bytes == 20 * LEDGER_BYTES
    assert card.checkpoint_bytes == 2 * 3 * 20 * 4 * parameters(LARGE)


def test_groups_of_one_shape_compile_one_program() -> None:
    one, two = ([Group(members=[fact]) for fact in facts] for facts in (several(LARGE), several(SMALL)))
    assert cost(one, "gpu", 1).seconds == pytest.approx(GPU.once + GPU.program + 2 * left(one[0], "gpu"))
    mixed = cost([one[0], two[0]], "gpu", 1).seconds
    assert mixed == pytest.approx(GPU.once + 2 * GPU.program + left(one[0], "gpu") + left(two[0], "gpu"))


@pytest.mark.parametrize("row", SWEEPS["rows"])
def test_a_sweep_is_within_a_quarter_of_what_was_measured(row) -> None:
    wanted = part(read(ROOT / "specs" / f"{row['spec']}.toml").specs(), row["only"])
    asked = grouped(all_facts(wanted), "gpu", row["workers"])
    found = cost(asked, "gpu", 1, on_card=row["workers"])
    assert found.runs == row["runs"]
    assert found.seconds == pytest.approx(row["seconds"], rel=0.25)


@pytest.mark.parametrize("plan", [plan for plan in AT_ONCE["plans"] if plan["plan"] != "in turn"])
def test_groups_at_once_are_within_a_sixth_of_what_was_measured(plan) -> None:
    def part(cell, layers, attention, widths) -> float:
        network = Architecture(cell, layers, max(widths), attention)
        return update(network, AT_ONCE["runs"] * len(widths), "gpu", len(plan["groups"]))

    assert 1000 * sum(part(*group) for group in plan["groups"]) == pytest.approx(plan["ms"], rel=1 / 6)


@pytest.mark.usefixtures("data")
def test_translation_is_within_a_tenth_of_what_was_measured() -> None:
    asked = specs(["translation"], 5, pairs="tatoeba")
    card, cores = (foreseen(asked, Path("none.db"), device).groups for device in ("gpu", "cpu"))
    assert cost(card, "gpu", 1, on_card=1).seconds == pytest.approx(881, rel=0.1)
    assert left(cores[0], "cpu") == pytest.approx(7_001, rel=0.1)
    (group,), core = ([replace(one, updates=100_000) for one in some[:1]] for some in (card, cores))
    assert left(group, "gpu") == pytest.approx(7.4, rel=0.1)  # all that is left is examining
    assert left(core[0], "cpu") == pytest.approx(50, rel=0.2)


def test_in_turn_only_the_first_program_and_the_last_examining_are_waited_for() -> None:
    two = [Group(members=several(network)) for network in (LARGE, SMALL)]
    training = sum(modelled(n, 2, 100_000, "gpu") - modelled(n, 2, 0, "gpu") for n in (LARGE, SMALL))
    found = cost(two, "gpu", 1, on_card=1).seconds
    assert found == pytest.approx(GPU.once + GPU.program + training + modelled(LARGE, 2, 0, "gpu"))
    trial = [Group(members=[fact]) for n in (LARGE, SMALL) for fact in several(n, updates=100)[:1]]
    assert cost(trial, "gpu", 1, on_card=1).seconds > GPU.once + 2 * GPU.program


def test_groups_at_once_cost_less_and_their_weights_what_they_did() -> None:
    assert [update(SMALL, 60, "gpu", k) for k in (1, 2, 6)] == sorted(
        (update(SMALL, 60, "gpu", k) for k in (1, 2, 6)), reverse=True
    )
    whole, none = update(SMALL, 60, "gpu"), update(SMALL, 0, "gpu")
    assert update(SMALL, 60, "gpu", 6) > whole - none  # launches only
    asked = [Group(members=several(replace(SMALL, hidden=hidden))) for hidden in (25, 50, 100)]
    turns, together = (cost(asked, "gpu", 1, on_card=k).seconds for k in (1, 6))
    assert 0.4 * turns < together < turns
    assert cost(asked[:1], "gpu", 1, on_card=6) == cost(asked[:1], "gpu", 1, on_card=1)  # one has no company


def several(network: Architecture, updates: int = 100_000) -> list[dict]:
    return [Spec("jump", seed, network, Protocol(updates)).facts() for seed in range(2)]


def test_a_group_of_several_widths_costs_what_its_widest_would() -> None:
    narrow, wide = (Spec("jump", 0, replace(LARGE, hidden=hidden)).facts() for hidden in (25, 200))
    assert left(Group(members=[narrow, wide]), "gpu") == modelled(LARGE, 2, 100_000, "gpu")


def test_what_is_trained_already_is_not_counted() -> None:
    (group,) = groups(LARGE, 20, "gpu")
    examining = modelled(LARGE, 20, 0, "gpu")
    done = left(replace(group, updates=75_000), "gpu")
    assert done - examining == pytest.approx((left(group, "gpu") - examining) / 4)


def test_memory_is_some_copies_of_the_weights_and_what_the_way_back_needs() -> None:
    assert 5 * 4 * parameters(LARGE) < memory(LARGE, 1) < 7 * 4 * parameters(LARGE)
    assert memory(LARGE, 10) == 10 * memory(LARGE, 1)


@pytest.mark.parametrize(
    ("timed", "platform", "factor"),
    [
        ({"resumed": 1, "examine_seconds": 9}, "gpu", 2.0),
        ({"resumed": 0}, "gpu", 2.0),  # without examining, but with compiling
        ({"resumed": 1}, "gpu", 1.0),  # the rest only
        ({"resumed": 0, "examine_seconds": 9}, "cpu", 1.0),
    ],
)
def test_what_the_ledger_timed_on_such_a_device_counts_more(
    tmp_path: Path, timed: dict[str, float], platform: str, factor: float
) -> None:
    (group,) = groups(SMALL, 10, "gpu")
    training = modelled(SMALL, 10, 100_000, "gpu") - modelled(SMALL, 10, 0, "gpu")
    took = 2 * training + timed.get("examine_seconds", 2 * GPU.program)
    timing = {"seconds": took / 10, "group_seconds": took, **timed}
    with Writer(tmp_path / "runs.db") as writer:
        writer.record([group])
        writer.add(Run(spec=s, group=group.key, timing=timing, origin={"platform": platform}) for s in group.members)
    asked = groups(SMALL, 40, "gpu")
    with Ledger(tmp_path / "runs.db") as ledger:
        found, other = cost(asked, "gpu", 1, ledger), cost(groups(SMALL, 40, "gpu", 50_000), "gpu", 1, ledger)
    assert (found.measured, other.measured) == (factor == 2.0, 0)
    start = GPU.once + GPU.program
    examining = modelled(SMALL, 40, 0, "gpu")
    training = modelled(SMALL, 40, 100_000, "gpu") - examining
    assert found.seconds == pytest.approx(factor * training + examining + start)
