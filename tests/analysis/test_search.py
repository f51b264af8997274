"""The search over architectures: its numbers by a second way, and what choosing the best of many is worth."""

import random
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest

from daxlab.analysis.accuracy import settings
from daxlab.analysis.replicates import entries
from daxlab.analysis.search import (
    architectures,
    effects,
    leave_one_seed_out,
    overall,
    ranked,
    schema,
    shared_seeds,
    table,
    worth,
)
from daxlab.learners import RNN
from daxlab.paper import search as paper
from daxlab.protocol import Protocol
from daxlab.runs import Ledger, Run, Writer
from daxlab.runs.spec import Spec

RELEASE = "release/simple_split/simple"
AXES = tuple(paper.AXES)


def run(split: str, network: RNN, seed: int, accuracy: float, **other: object) -> Run:
    facts = Spec("jump", seed, network).facts() | {"split": {"name": split, "digest": split}} | other
    return Run(spec=facts, metrics={"accuracy": accuracy})


def frame(given: Mapping[str, Mapping[RNN, Mapping[int, float]]]) -> pl.DataFrame:
    """A search by hand: accuracies by experiment, architecture and seed."""
    rows = [
        {"experiment": experiment, "split": experiment, "network": str(network), "failed": 0,
         **{axis: getattr(network, axis) for axis in AXES},
         **entries(list(runs.values())), "seeds": list(runs)}
        for experiment, some in given.items() for network, runs in some.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema(paper.AXES), orient="row")


SMALL = [RNN("gru", 1, hidden, True, 0.5) for hidden in (25, 50, 100)]


def best_of(runs: Mapping[RNN, Mapping[int, float]]) -> dict[str, Any]:
    """The best of some architectures, and what choosing it is worth."""
    rows = ranked(frame({"jump": runs}), "jump")
    return rows.row(0, named=True) | worth(table(rows, shared_seeds(rows["seeds"].to_list())))


def test_means_and_errors_are_those_of_the_rows_run_by_run(searched: Path) -> None:
    with Ledger(searched) as ledger:
        found, rows = paper.search(ledger), settings(ledger)
    assert found.height == rows.height == 4 * 180
    both = found.join(rows, left_on=["split", "network"], right_on=["split", "network"], suffix="_by_rows")
    assert both.height == found.height
    for name in ("mean", "sem", "low", "high"):
        assert both[name].to_list() == pytest.approx(both[f"{name}_by_rows"].to_list(), abs=1e-9)
    assert both["runs"].to_list() == both["runs_by_rows"].to_list()
    assert both["failed"].to_list() == both["failed_by_rows"].to_list()
    assert (found["runs"].sum(), found["failed"].sum()) == (3600 - 23, 23)


def test_other_protocols_languages_and_architectures_are_no_replicates(tmp_path: Path) -> None:
    network = SMALL[0]
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([
            run("jump", network, 0, 10.0),
            run("jump", network, 1, 90.0, protocol=asdict(Protocol(clip=1))),
            run("jump", network, 2, 90.0, protocol=asdict(Protocol(updates=500))),
            run("jump", network, 3, 90.0, language={"name": "scan-dax", "digest": "d"}),
            run("jump", network, 4, 90.0, semantics=0),
            run("jump", replace(network, hidden=30), 5, 90.0),
            run("walk", network, 6, 90.0),
        ])  # fmt: skip
        (row,) = paper.search(writer.ledger).to_dicts()
    assert (row["network"], row["accuracies"], row["seeds"]) == (str(network), [10.0], [0])


def test_further_runs_of_one_architecture_give_it_no_better_chance(tmp_path: Path) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add(run("jump", network, seed, 10.0) for network in SMALL for seed in (0, 1))
        writer.add(run("jump", SMALL[0], seed, 90.0) for seed in (2, 3))
        writer.add([run("jump", replace(SMALL[0], layers=2), 9, 50.0)])  # has none of the others' seeds
        rows = {row["network"]: (row["mean"], row["seeds"]) for row in paper.search(writer.ledger).to_dicts()}
    assert rows == {str(one): (10.0, [0, 1]) for one in SMALL} | {str(replace(SMALL[0], layers=2)): (50.0, [9])}


@pytest.mark.parametrize(("released", "own", "taken"), [(2, 2, RELEASE), (1, 3, "simple"), (3, 1, RELEASE)])
def test_of_two_draws_the_one_is_taken_that_more_architectures_have_and_never_both(
    tmp_path: Path, released: int, own: int, taken: str
) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([run(RELEASE, network, 0, 1.0) for network in SMALL[:released]])
        writer.add([run("simple", network, 0, 2.0) for network in SMALL[:own]])
        found = paper.search(writer.ledger)
    assert set(found["split"]) == {taken}
    assert found.height == max(released, own)


def test_two_settings_of_one_architecture_are_its_runs_together(tmp_path: Path) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        other = {"language": {"name": "scan", "digest": "written anew"}}
        writer.add([run("jump", SMALL[0], 1, 1.0), run("jump", SMALL[0], 0, 3.0, **other)])
        (row,) = architectures(writer.ledger, paper.AXES, {"jump": ["jump"]}).to_dicts()
    assert (row["seeds"], row["accuracies"], row["mean"]) == ([0, 1], [3.0, 1.0], 2.0)


def test_a_seed_that_few_architectures_have_is_no_replicate_of_the_search() -> None:
    assert shared_seeds([[0, 1], [0, 1, 7], [0, 8], []]) == [0, 1]


def slowly_again(values: list[list[float | None]]) -> list[float]:
    """Choose by the others, score on the one left out: as it is said, one at a time."""
    scores = []
    for left in range(len(values[0])):
        candidates = {}
        for n, row in enumerate(values):
            others = [value for k, value in enumerate(row) if k != left and value is not None]
            if others and row[left] is not None:
                candidates[n] = fmean(others)
        if candidates:
            best = max(candidates.values())
            scores.append(fmean(values[n][left] for n, mean in candidates.items() if abs(mean - best) < 1e-9))
    return scores


def test_choosing_again_is_what_it_says() -> None:
    chance = random.Random(1)
    for _ in range(50):
        size = chance.randint(1, 6), chance.randint(1, 5)
        values = [[None if chance.random() < 0.2 else float(chance.randint(0, 3)) for _ in range(size[1])]
                  for _ in range(size[0])]  # fmt: skip
        assert leave_one_seed_out(np.array(values, float)) == pytest.approx(slowly_again(values))


def test_among_equals_the_best_is_luck_and_luck_does_not_come_again() -> None:
    chance = random.Random(0)
    equals = [RNN("gru", 1, hidden, True, 0.5) for hidden in range(1, 181)]
    row = best_of({one: {s: chance.gauss(50, 10) for s in range(5)} for one in equals})
    assert row["mean"] > 58  # the best of 180 means with a standard error of 4.5
    assert abs(row["again"] - 50) < 12 < row["mean"] - 50 + 6  # five draws of a standard deviation of 10
    assert row["again"] == pytest.approx(sum(row["scores"]) / 5)


def test_where_nothing_is_left_to_chance_the_best_is_as_good_again() -> None:
    row = best_of({one: dict.fromkeys(range(5), float(n)) for n, one in enumerate(SMALL)})
    assert (row["network"], row["again"], row["scores"]) == (str(SMALL[2]), 2.0, [2.0] * 5)


def test_one_replicate_says_nothing_of_luck() -> None:
    row = best_of({SMALL[0]: {0: 5.0}})
    assert (row["again"], row["scores"]) == (None, [])


def test_equal_means_share_a_place() -> None:
    found = frame({"jump": {SMALL[0]: {0: 5.0}, SMALL[1]: {0: 9.0}, SMALL[2]: {0: 9.0}}})
    assert ranked(found, "jump")["place"].to_list() == [1, 1, 3]


def test_mean_rank_shares_places_among_equals_and_needs_every_experiment() -> None:
    a, b, c = SMALL
    four = RNN("srn", 1, 25, False, 0.0)
    found = frame({
        "length": {a: {0: 3.0, 1: 3.0}, b: {0: 2.0, 1: 2.0}, c: {0: 2.0, 1: 1.0}, four: {0: 99.0, 1: 99.0}},
        "jump": {a: {0: 0.0, 1: 0.0}, b: {0: 0.0, 1: 0.0}, c: {0: 1.0}},
    })  # fmt: skip
    rows, best = overall(found)
    assert rows["network"].to_list() == [str(c), str(a), str(b)]  # the fourth lacks jump, and so takes no place
    ranks = dict(zip(rows["network"], rows["rank_runs"].to_list(), strict=True))
    assert ranks[str(a)] == [(1 + 2.5) / 2, (1 + 2.5) / 2]
    assert ranks[str(b)] == [(2.5 + 2.5) / 2, (2 + 2.5) / 2]
    assert ranks[str(c)] == [(2.5 + 1) / 2]  # its second run on jump failed: of its replicates only the first counts
    assert rows["accuracy"].to_list() == pytest.approx([1.5, 1.5, 1.0])
    assert rows["accuracy_sem"].to_list() == [None, 0.0, 0.0]  # of one replicate no spread is known
    # Chosen by the one replicate, scored on the other: of a and b it is a; c has none to be chosen by.
    assert best["rank"]["scores"] == [1.75, 1.75]
    assert best["accuracy"]["scores"] == [1.5, 1.5]


def test_nothing_is_best_overall_where_no_architecture_has_all_experiments() -> None:
    rows, best = overall(frame({"length": {SMALL[0]: {0: 1.0}}, "jump": {SMALL[1]: {0: 1.0}}}))
    assert rows.is_empty() and best == {}


def additive(network: RNN) -> float:
    return (
        10 * ("srn", "lstm", "gru").index(network.cell)
        + 5 * network.attention
        + network.layers
        + network.hidden / 40
        + 8 * network.dropout
    )


def test_main_effects_are_exact_where_effects_add_up_though_the_search_has_holes() -> None:
    chance = random.Random(2)
    grid = [RNN(c, n, h, a, d) for c, a, n, h, d in product(*(paper.AXES[name] for name in AXES))]
    some = [network for network in grid if chance.random() < 0.85]
    found = frame({"jump": {network: {s: additive(network) + s for s in range(3)} for network in some}})
    rows = effects(found, "jump", paper.AXES)
    worth = {(row["axis"], row["value"]): row for row in rows.to_dicts()}
    assert len(worth) == 3 + 2 + 2 + 5 + 3
    gain = lambda axis, low, high: worth[axis, high]["mean"] - worth[axis, low]["mean"]  # noqa: E731
    assert gain("cell", "SRN", "GRU") == pytest.approx(20)
    assert gain("attention", "without", "with") == pytest.approx(5)
    assert gain("layers", "1", "2") == pytest.approx(1)
    assert gain("hidden", "25", "400") == pytest.approx(375 / 40)
    assert gain("dropout", "0", "0.5") == pytest.approx(4)
    one = worth["layers", "1"]
    assert one["sem"] == pytest.approx(np.std([0, 1, 2], ddof=1) / 3**0.5)  # all runs of a seed move together
    assert len(one["means"]) == one["architectures"] < 90


def test_a_value_that_few_architectures_have_is_not_compared() -> None:
    narrow = {replace(one, cell=cell): {0: 1.0, 1: 2.0} for one in SMALL[:2] for cell in ("srn", "lstm", "gru")}
    stray = {RNN("lstm", 2, 200, False, 0.5): {0: 90.0}}
    rows = effects(frame({"jump": narrow | stray}), "jump", paper.AXES)
    assert {(row["axis"], row["value"]) for row in rows.to_dicts()} == {
        ("cell", "SRN"), ("cell", "LSTM"), ("cell", "GRU"), ("hidden", "25"), ("hidden", "50")}  # fmt: skip
    assert rows["mean"].max() < 90


def test_completeness_counts_architectures_by_their_runs(searched: Path) -> None:
    with Ledger(searched) as ledger:
        experiments = paper.choices(paper.search(ledger)).values()
    assert [experiment["architectures"] for experiment in experiments] == [180] * 4
    counts = [pair for experiment in experiments for pair in experiment["by_runs"].items()]
    assert sum(architectures for _, architectures in counts) == 4 * 180
    assert sum(runs * architectures for runs, architectures in counts) == 3577
    assert sum(experiment["failed"] for experiment in experiments) == 23


def test_the_paper_s_search_is_180_architectures_and_holds_its_choices() -> None:
    grid = {RNN(c, n, h, a, d) for c, a, n, h, d in product(*(paper.AXES[name] for name in AXES))}
    assert len(grid) == paper.ARCHITECTURES
    assert set(paper.NETWORKS.values()) <= grid
