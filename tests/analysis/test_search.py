"""The search over architectures: its numbers by a second way, and what choosing the best of many is worth."""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import combinations, product
from math import prod
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import searched as made_up
from daxlab.analysis.accuracy import settings
from daxlab.analysis.search import (
    RESAMPLES,
    architectures,
    effects,
    overall,
    pooled,
    ranked,
    resampled,
    schema,
    shared_seeds,
    summarised,
    table,
    worth,
)
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec
from daxlab.paper import search as paper
from daxlab.protocol import Protocol

RELEASE = "release/simple_split/simple"
AXES = tuple(paper.AXES)


def run(split: str, network: RNN, seed: int, accuracy: float, **other: object) -> Run:
    facts = Spec("jump", seed, network).facts() | {"split": {"name": split, "digest": split}} | other
    return Run(spec=facts, metrics={"accuracy": accuracy})


def frame(accuracies: Mapping[str, Mapping[RNN, Mapping[int, float]]]) -> pl.DataFrame:
    """A search by hand: accuracies by experiment, architecture and seed."""
    rows = [
        {"experiment": experiment, "split": experiment, "network": str(network), "failed": 0,
         **{axis: getattr(network, axis) for axis in AXES},
         "seeds": list(runs), "accuracies": list(runs.values())}
        for experiment, some in accuracies.items() for network, runs in some.items()
    ]  # fmt: skip
    return summarised(pl.DataFrame(rows, schema(paper.AXES), orient="row"))


SMALL = [RNN("gru", 1, hidden, True, dropout=0.5) for hidden in (25, 50, 100)]


def test_means_and_intervals_are_those_of_the_rows_run_by_run(searched: Path) -> None:
    with Ledger(searched) as ledger:
        found, rows = paper.search(ledger), settings(ledger)
    assert (found["runs"].sum(), found["failed"].sum()) == (3600 - 23, 23)
    ranked = paper.rankings(found, top=180)
    by_rows = {(row["split"], row["network"]): row for row in rows.to_dicts()}
    shown = [row for name in made_up.SPLITS for row in ranked[name]["best"]]
    assert len(shown) == found.height == rows.height == 4 * 180
    for row in shown:
        other = by_rows[row["split"], row["network"]]
        for name in ("runs", "failed", "mean", "sem", "low", "high"):
            assert row[name] == pytest.approx(other[name], abs=1e-9)


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


# -- how sure the best is

RUNS = st.lists(st.lists(st.integers(0, 3).map(float), min_size=1, max_size=4), min_size=1, max_size=6)


def arrays(runs_of_each: list[list[float]]) -> list[np.ndarray]:
    return [np.array(runs) for runs in runs_of_each]


def slow_shares(runs_of_each: list[list[float]]) -> list[float | None]:
    """The expected shares, not drawn: every resample of every architecture, each as likely as any other."""
    means = [Counter(round(fmean(draw), 9) for draw in product(runs, repeat=len(runs))) for runs in runs_of_each]
    several = [n for n, runs in enumerate(runs_of_each) if len(runs) > 1]
    shares = dict.fromkeys(several, 0.0)
    for outcome in product(*(means[n].items() for n in several)) if several else ():
        best = max(mean for mean, _ in outcome)
        winners = [n for n, (mean, _) in zip(several, outcome, strict=True) if mean == best]
        chance = prod(count / means[n].total() for n, (_, count) in zip(several, outcome, strict=True))
        for n in winners:
            shares[n] += chance / len(winners)
    return [shares.get(n) for n in range(len(runs_of_each))]


def test_shares_of_wins_are_those_of_all_resamples_within_what_drawing_allows() -> None:
    chance = random.Random(1)
    for _ in range(20):
        runs = [[float(chance.randint(0, 5)) for _ in range(chance.randint(1, 4))] for _ in range(chance.randint(1, 4))]
        for drawn, exact in zip(resampled(arrays(runs))[0], slow_shares(runs), strict=True):
            assert (drawn is None) == (exact is None)
            assert drawn is None or exact is None or abs(drawn - exact) < 5 * 0.5 / RESAMPLES**0.5


@given(RUNS)
def test_shares_sum_to_one_and_an_architecture_of_one_run_has_none(runs: list[list[float]]) -> None:
    shares, _ = resampled(arrays(runs))
    assert [share is None for share in shares] == [len(each) == 1 for each in runs]
    known = [share for share in shares if share is not None]
    assert sum(known) == pytest.approx(1 if known else 0)
    assert resampled(arrays(runs))[0] == shares


def test_who_reaches_the_best_in_a_twentieth_of_all_resamples_cannot_be_told_from_it() -> None:
    """By every resample of both, each as likely as any other; where drawing could decide otherwise, nothing is said."""
    chance = random.Random(2)
    for _ in range(40):
        runs = [[float(chance.randint(0, 20)) for _ in range(4)] for _ in range(3)]
        _, among = resampled(arrays(runs))
        best = max(range(3), key=lambda n: round(fmean(runs[n]), 9))
        for n in range(3):
            means, bests = ([round(fmean(draw), 9) for draw in product(runs[k], repeat=4)] for k in (n, best))
            reached = sum(bisect_right(sorted(bests), mean) for mean in means) / len(means) / len(bests)
            if n == best or abs(reached - 0.05) > 0.02:
                assert among[n] == (n == best or reached > 0.05)


def test_an_architecture_whose_worst_run_beats_all_others_is_the_best_for_sure() -> None:
    found = frame({"jump": {SMALL[0]: {0: 5.0, 1: 9.0}, SMALL[1]: {0: 20.0, 1: 80.0}, SMALL[2]: {0: 0.0, 1: 1.0}}})
    rows = ranked(found, "jump")
    assert rows["network"][0] == str(SMALL[1])
    assert rows["share"].to_list() == [1.0, 0.0, 0.0]
    assert rows["contender"].to_list() == [True, False, False]


@pytest.mark.parametrize("many", [1, 3, 40])
def test_equal_architectures_share_the_wins_and_none_is_told_from_the_others(many: int) -> None:
    shares, contenders = resampled(arrays([[7.1, 7.1, 7.1]] * many))
    assert shares == pytest.approx([1 / many] * many)
    assert contenders == [True] * many


def test_with_one_replicate_nothing_is_said_of_luck() -> None:
    rows = ranked(frame({"jump": {SMALL[0]: {0: 5.0}, SMALL[1]: {0: 6.0}}}), "jump")
    assert rows["share"].to_list() == [None, None]
    assert rows["contender"].to_list() == [False, False]
    assert worth(table(rows, [0])) == {}


@pytest.mark.parametrize("top", [None, 1, 3, 10])
def test_all_that_cannot_be_told_from_the_best_are_shown_unless_fewer_are_asked_for(
    searched: Path, top: int | None
) -> None:
    with Ledger(searched) as ledger:
        found = paper.search(ledger)
    for name, ranking in paper.rankings(found, top=top).items():
        shown = [row["network"] for row in ranking["best"]]
        if top:
            assert len(shown) == top
        else:
            rows = overall(found)[ranking["measure"]] if name.startswith("overall") else ranked(found, name)
            assert set(rows.filter("contender")["network"]) | set(rows.head(10)["network"]) <= set(shown)
            assert len(shown) <= max(10, (rows["place"] <= 10).sum()) + ranking["contenders"]


def test_the_ranking_asked_for_is_the_same_alone_as_among_all(searched: Path) -> None:
    with Ledger(searched) as ledger:
        found = paper.search(ledger)
    every = paper.rankings(found, top=2)
    alone = [paper.rankings(found, name, top=2) for name in (*made_up.SPLITS, "overall")]
    assert {name: ranking for some in alone for name, ranking in some.items()} == every


def test_architectures_are_pooled_replicate_by_replicate_though_runs_are_missing() -> None:
    nan = np.nan
    assert pooled(np.array([[1.0, 2.0], [3.0, nan], [nan, nan]])) == [2.0, 2.5]  # the third has no replicate
    assert pooled(np.array([[nan, nan]])) == []


# -- what a choice by a few runs is worth


def slow_worth(values: list[list[float | None]]) -> dict[int, float]:
    """Choose by some seeds, score on the others: as it is said, one at a time."""
    complete = [row for row in values if None not in row]
    seeds, by_count = range(len(values[0])), {}
    for k in range(1, 5):
        scores = []
        for chosen in combinations(seeds, k):
            others = [seed for seed in seeds if seed not in chosen]
            if complete and others:
                means = [fmean(row[seed] for seed in chosen) for row in complete]
                best = [row for row, mean in zip(complete, means, strict=True) if max(means) - mean < 1e-9]
                scores.append(fmean(fmean(row[seed] for seed in others) for row in best))
        if scores:
            by_count[k] = fmean(scores)
    return by_count


def test_a_choice_is_worth_what_the_chosen_score_on_the_other_seeds() -> None:
    chance = random.Random(1)
    for _ in range(50):
        architectures, seeds = chance.randint(1, 6), chance.randint(1, 7)
        values = [
            [None if chance.random() < 0.1 else float(chance.randint(0, 3)) for _ in range(seeds)]
            for _ in range(architectures)
        ]
        assert worth(np.array(values, float)) == pytest.approx(slow_worth(values))


def test_among_equals_the_best_is_luck_and_luck_is_worth_nothing() -> None:
    values = np.random.default_rng(0).normal(50, 10, (180, 5))
    assert values.mean(axis=1).max() > 58  # the best of 180 means with a standard error of 4.5
    assert list(worth(values)) == [1, 2, 3, 4]
    assert all(abs(score - 50) < 12 for score in worth(values).values())


@given(st.integers(1, 6), st.lists(st.floats(0, 100), min_size=2, max_size=6))
def test_a_choice_among_identical_architectures_is_worth_their_mean(many: int, runs: list[float]) -> None:
    found = worth(np.array([runs] * many))
    assert list(found.values()) == pytest.approx([fmean(runs)] * min(4, len(runs) - 1))


def test_where_nothing_is_left_to_chance_one_run_chooses_as_well_as_four() -> None:
    assert worth(np.array([[float(n)] * 5 for n in range(3)])) == {1: 2.0, 2: 2.0, 3: 2.0, 4: 2.0}


def test_many_seeds_do_not_take_for_ever() -> None:
    assert list(worth(np.random.default_rng(0).random((180, 64)))) == [1, 2, 3, 4]


# -- the best overall


def test_equal_means_share_a_place() -> None:
    found = frame({"jump": {SMALL[0]: {0: 5.0}, SMALL[1]: {0: 9.0}, SMALL[2]: {0: 9.0}}})
    assert ranked(found, "jump")["place"].to_list() == [1, 1, 3]


def test_mean_rank_shares_places_among_equals_and_needs_every_experiment() -> None:
    a, b, c = SMALL
    four = RNN("srn", 1, 25, False, dropout=0.0)
    found = frame({
        "length": {a: {0: 3.0, 1: 3.0}, b: {0: 2.0, 1: 2.0}, c: {0: 2.0, 1: 1.0}, four: {0: 99.0, 1: 99.0}},
        "jump": {a: {0: 0.0, 1: 0.0}, b: {0: 0.0, 1: 0.0}, c: {0: 1.0}},
    })  # fmt: skip
    rows, by_accuracy = overall(found).values()
    assert rows["network"].to_list() == [str(c), str(a), str(b)]  # the fourth lacks jump, and so takes no place
    ranks = dict(zip(rows["network"], rows["accuracies"].to_list(), strict=True))
    assert ranks[str(a)] == [(1 + 2.5) / 2, (1 + 2.5) / 2]
    assert ranks[str(b)] == [(2.5 + 2.5) / 2, (2 + 2.5) / 2]
    assert ranks[str(c)] == [(2.5 + 1) / 2]  # its second run on jump failed: of its replicates only the first counts
    assert by_accuracy["mean"].to_list() == pytest.approx([1.5, 1.5, 1.0])
    assert by_accuracy["network"].to_list() == [str(c), str(a), str(b)]
    # In each replicate a is before b by rank, and in accuracy; c has a single replicate, so it takes no part.
    assert rows["share"].to_list() == [None, 1.0, 0.0]
    assert by_accuracy["share"].to_list() == [None, 1.0, 0.0]
    assert rows["contender"].to_list() == [False, True, False]


def test_nothing_is_best_overall_where_no_architecture_has_all_experiments() -> None:
    assert not overall(frame({"length": {SMALL[0]: {0: 1.0}}, "jump": {SMALL[1]: {0: 1.0}}}))
    assert not overall(frame({"length": {SMALL[0]: {0: 1.0}}, "jump": {SMALL[0]: {1: 1.0}}}))  # not one replicate


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
    grid = [RNN(c, n, h, a, dropout=d) for c, a, n, h, d in product(*(paper.AXES[name] for name in AXES))]
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
    stray = {RNN("lstm", 2, 200, False, dropout=0.5): {0: 90.0}}
    rows = effects(frame({"jump": narrow | stray}), "jump", paper.AXES)
    assert {(row["axis"], row["value"]) for row in rows.to_dicts()} == {
        ("cell", "SRN"), ("cell", "LSTM"), ("cell", "GRU"), ("hidden", "25"), ("hidden", "50")}  # fmt: skip
    assert rows["mean"].max() < 90


def test_completeness_counts_architectures_by_their_runs(searched: Path) -> None:
    with Ledger(searched) as ledger:
        experiments = paper.completeness(paper.search(ledger)).values()
    assert [experiment["architectures"] for experiment in experiments] == [180] * 4
    counts = [pair for experiment in experiments for pair in experiment["by_runs"].items()]
    assert sum(architectures for _, architectures in counts) == 4 * 180
    assert sum(runs * architectures for runs, architectures in counts) == 3577
    assert sum(experiment["failed"] for experiment in experiments) == 23


def test_the_paper_s_search_is_180_architectures_and_holds_its_choices() -> None:
    grid = {RNN(c, n, h, a, dropout=d) for c, a, n, h, d in product(*(paper.AXES[name] for name in AXES))}
    assert len(grid) == paper.ARCHITECTURES
    assert set(paper.NETWORKS.values()) <= grid
