"""What a plan will take: a small model of what was measured, corrected by what the ledger has."""

from pathlib import Path

import equinox as eqx
import jax
import pytest

from daxlab.encoding import Encoding
from daxlab.protocol import Protocol
from daxlab.store import Group, Ledger, Run, Writer
from daxlab.sweep import Architecture, Spec, foreseen
from daxlab.sweep.cost import DEVICES, cost, modelled, parameters
from daxlab.sweep.worker import network_maker

LARGE, SMALL = Architecture(), Architecture("lstm", 1, 100, attention=True, dropout=0.1)


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
        ("gpu", LARGE, 5, 1.17),
        ("gpu", LARGE, 20, 2.04),
        ("gpu", LARGE, 64, 4.1),
        ("gpu", SMALL, 20, 1.02),
        ("gpu", SMALL, 180, 2.76),
        ("cpu", LARGE, 1, 4.5),
        ("cpu", SMALL, 1, 0.85),
    ],
)
def test_the_model_is_within_a_tenth_of_what_was_measured(
    device: str, network: Architecture, runs: int, milliseconds: float
) -> None:
    long, short = (
        modelled(Spec("jump", 0, network, Protocol(updates)).facts(), runs, device) for updates in (101_000, 1_000)
    )
    assert long - short == pytest.approx(100 * milliseconds, rel=0.1)


def groups(network: Architecture, runs: int, device: str, updates: int = 100_000) -> tuple[Group, ...]:
    wanted = [Spec("jump", seed, network, Protocol(updates)) for seed in range(runs)]
    return foreseen(wanted, Path("none.db"), device).groups


def test_on_a_card_runs_share_a_group_and_on_cores_they_share_the_time() -> None:
    card = cost(groups(LARGE, 20, "gpu"), "gpu", 1)
    one, two = (cost(groups(LARGE, 20, "cpu"), "cpu", workers) for workers in (1, 2))
    assert (card.runs, card.groups, one.groups) == (20, 1, 20)
    assert card.seconds == pytest.approx(40 + 15 + 204, rel=0.1)
    assert two.seconds == pytest.approx(one.seconds / 2)
    assert cost(groups(LARGE, 1, "cpu"), "cpu", 8).seconds > 450  # a run is not shared by cores
    assert card.bytes == 20 * (4 * parameters(LARGE) + 30_000)
    assert cost((), "cpu", 2).seconds == 0


@pytest.mark.parametrize(
    ("timed", "platform", "factor"),
    [
        ({"resumed": 1, "examine_seconds": 9}, "gpu", 2.0),
        ({"resumed": 0}, "gpu", 2.0),  # without examining
        ({"resumed": 1}, "gpu", 1.0),  # the rest only
        ({"resumed": 0, "examine_seconds": 9}, "cpu", 1.0),
    ],
)
def test_what_the_ledger_timed_on_such_a_device_counts_more(
    tmp_path: Path, timed: dict[str, float], platform: str, factor: float
) -> None:
    (group,) = groups(SMALL, 10, "gpu")
    took = 2 * modelled(group.members[0], 10, "gpu") - (0 if "examine_seconds" in timed else DEVICES["gpu"].examine)
    timing = {"seconds": took / 10, "group_seconds": took, **timed}
    with Writer(tmp_path / "runs.db") as writer:
        writer.record([group])
        writer.add(Run(spec=s, group=group.key, timing=timing, origin={"platform": platform}) for s in group.members)
    asked = groups(SMALL, 40, "gpu")
    with Ledger(tmp_path / "runs.db") as ledger:
        found, other = cost(asked, "gpu", 1, ledger), cost(groups(SMALL, 40, "gpu", 50_000), "gpu", 1, ledger)
    assert (found.measured, other.measured) == (factor == 2.0, 0)
    assert found.seconds == pytest.approx(factor * modelled(asked[0].members[0], 40, "gpu"))
