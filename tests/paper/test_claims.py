"""A claim holds, does not hold or is undecided by where the runs lie, and says so with its figures."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import searched
from daxlab import Example
from daxlab.datasets import dataset
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer, pack_answers, pack_arrays, pack_likelihoods
from daxlab.ledger.spec import Spec
from daxlab.paper import claims as module
from daxlab.paper.claims import BOUNDS, CLAIMS, Bound, Claimed, claims, hold
from daxlab.paper.evidence import EVIDENCE
from daxlab.paper.experiments import BEST, FEW, NETWORKS, OVERALL
from daxlab.paper.measures import CATALOGUE
from daxlab.paper.runs import Measurement, Runs
from daxlab.paper.verdicts import Scale

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
HOLDS, NOT, OPEN = "holds", "does not hold", "undecided"
NUMBER = Scale(of=None)
accuracies = st.lists(st.floats(0, 100), min_size=2, max_size=6)


def test_every_claim_has_bounds_and_every_bound_a_claim_and_a_figure() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {bound.claim for bound in BOUNDS} == {claim.id for claim in CLAIMS}
    assert {bound.figure for bound in BOUNDS} <= CATALOGUE.keys() | EVIDENCE.keys()
    assert set(EVIDENCE) <= {bound.figure for bound in BOUNDS} and not EVIDENCE.keys() & CATALOGUE.keys()


# -- figures against bounds


@given(accuracies, st.floats(1, 99))
def test_what_holds_above_a_bound_does_not_hold_below_it(runs: list[float], end: float) -> None:
    measured = Measurement(runs=tuple(runs))
    above, below = (
        hold(Bound("x", "x", "x", **side), measured, "").verdict for side in ({"least": end}, {"most": end})
    )
    assert below == {HOLDS: NOT, NOT: HOLDS, OPEN: OPEN}[above]


@given(accuracies, st.floats(0, 100), st.floats(0, 50))
def test_a_wider_bound_never_turns_against_a_claim(runs: list[float], least: float, wider: float) -> None:
    measured, bound = Measurement(runs=tuple(runs)), Bound("x", "x", "x", least=least)
    order = [NOT, OPEN, HOLDS]
    narrow, wide = (hold(some, measured, "").verdict for some in (bound, replace(bound, least=least - wider)))
    assert order.index(wide) >= order.index(narrow)


@given(accuracies)
def test_a_line_has_the_figure_its_interval_its_runs_and_its_bound(runs: list[float]) -> None:
    figure = hold(Bound("x", "x", "right", least=60, most=95), Measurement(runs=tuple(runs)), "")
    assert figure.mean is not None and figure.low is not None and figure.high is not None
    ends = f"{figure.low:.2f} to {figure.high:.2f}, {len(runs)} runs"
    assert figure.text == f"right: {figure.mean:.2f}% ({ends}; needed: at least 60 and at most 95%)"
    assert figure.bound == (60, 95)


def made_up(side: str, bound: Bound) -> Measurement:
    """Runs far on one side of a bound, or on both."""
    middle = (bound.least + bound.most) / 2
    inside = middle if abs(middle) < inf else bound.least + 30 if bound.least > -inf else bound.most - 30
    outside = bound.least - 30 if bound.least > -inf else bound.most + 30
    values = {HOLDS: [inside] * 3, NOT: [outside] * 3, OPEN: [inside, outside]}[side]
    return Measurement(runs=tuple(value + 0.01 * n for n, value in enumerate(values)), scale=NUMBER)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_by_all_its_figures_and_falls_by_any(claim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = [bound for bound in BOUNDS if bound.claim == claim.id]
    monkeypatch.setattr(module, "CLAIMS", [claim])

    def verdict(*sides: str) -> str:
        each = {b.figure: made_up(side, b) for b, side in zip(bounds, sides, strict=True)}
        figures = {name: ((), lambda _, some=some: [some]) for name, some in each.items()}
        monkeypatch.setattr(module, "CATALOGUE", figures)
        (claimed,) = claims(None)  # type: ignore[arg-type]
        assert claimed.evidence in [figure.text for figure in claimed.figures if figure.verdict == claimed.verdict]
        return claimed.verdict

    with monkeypatch.context() as patch:
        patch.setattr(module, "EVIDENCE", {})
        every = [HOLDS] * len(bounds)
        assert verdict(*every) == HOLDS
        for n in range(len(bounds)):
            for side in (OPEN, NOT):
                assert verdict(*every[:n], side, *every[n + 1 :]) == side
        assert verdict(NOT, *[OPEN] * (len(bounds) - 1)) == NOT


# -- runs of a ledger against the claims


def run(network: str | RNN, split: str, seed: int, **metrics: float) -> Run:
    """A run of which only the numbers are known; its split is named, not made."""
    learner = NETWORKS[network] if isinstance(network, str) else network
    spec = Spec("jump", seed, learner).facts() | {"split": {"name": split, "digest": split}}
    return Run(spec=spec, metrics=metrics)


def found(path: Path, runs: Sequence[Run]) -> dict[str, Claimed]:
    """What a ledger of these runs says of every claim."""
    path.unlink(missing_ok=True)
    with Writer(path) as writer:
        writer.add(list(runs))
    with Ledger(path) as ledger:
        return {claim.id: claim for claim in claims(Runs(ledger))}


ONE_SPLIT = {  # figures that are accuracies of one network on one split
    "exp1.overall": (OVERALL, "simple"),
    "exp1.size.1": (OVERALL, "size-1"),
    "exp1.size.4": (OVERALL, "size-4"),
    "exp2.best": (BEST["length"], "length"),
    "exp2.overall": (OVERALL, "length"),
    "exp2.oracle.best": (BEST["length"], "length"),
    "exp3.turn-left.overall": (OVERALL, "turn-left"),
    "exp3.jump.best": (BEST["jump"], "jump"),
    "exp3.jump.overall": (OVERALL, "jump"),
    "exp3.few.8": (FEW, "few-jump-8-rep"),
    "exp3.few.32": (FEW, "few-jump-32-rep"),
}


@pytest.mark.parametrize("figure", ONE_SPLIT)
def test_accuracies_on_either_side_of_a_bound_decide_and_mixed_ones_do_not(figure: str, tmp_path: Path) -> None:
    (bound,) = (bound for bound in BOUNDS if bound.figure == figure)
    network, split = ONE_SPLIT[figure]
    least, most = max(bound.least, 0), min(bound.most, 100)
    inside, outside = (least + most) / 2, least / 2 if least else (most + 100) / 2
    end = bound.least if least else bound.most
    mixed = [end - min(end, 100 - end) / 2, end + min(end, 100 - end) / 2]
    for values, said in (([inside] * 8, HOLDS), ([outside] * 8, NOT), (mixed * 2, OPEN)):
        names = [f"{split}{n + 1}" if split.endswith("rep") else split for n in range(len(values))]
        runs = [run(network, names[n], n, accuracy=v, oracle_accuracy=v) for n, v in enumerate(values)]
        claim = found(tmp_path / "runs.db", runs)[bound.claim]
        (measured,) = (some for some in claim.figures if some.id == figure)
        assert (measured.verdict, measured.runs, claim.measured) == (said, len(values), True)


def test_without_over_sampling_it_must_be_worse_on_both_splits(tmp_path: Path) -> None:
    def verdict(**means: float) -> str:
        splits = {name.replace("_", "-"): mean for name, mean in means.items()}
        runs = [run(OVERALL, name, seed, accuracy=mean + seed) for name, mean in splits.items() for seed in range(5)]
        return found(tmp_path / "runs.db", runs)["over-sampling"].verdict

    assert verdict(turn_left=80, turn_left_once=40, jump=20, jump_once=5) == HOLDS
    assert verdict(turn_left=80, turn_left_once=40, jump=5, jump_once=20) == NOT
    assert verdict(turn_left=80, turn_left_once=40, jump=5, jump_once=5) == OPEN


@pytest.mark.parametrize(("lead", "said"), [(40, HOLDS), (-40, NOT), (0, OPEN)])
def test_the_best_on_jump_must_lead_on_the_same_draws(lead: int, said: str, tmp_path: Path) -> None:
    names = [f"few-jump-32-rep{n}" for n in range(1, 6)]
    best = [run(FEW, name, n, accuracy=50 + lead + n) for n, name in enumerate(names)]
    overall = [run(OVERALL, name, n, accuracy=50 + n) for n, name in enumerate(names)]
    assert found(tmp_path / "runs.db", best + overall)["few-best"].verdict == said
    alone = found(tmp_path / "runs.db", best)["few-best"]
    assert alone.verdict == OPEN and "daxlab train --runs 1 --split few-jump-32-rep1" in alone.evidence


def search(accuracy: Callable[[RNN, str], float], splits: Sequence[str], grid: Sequence[RNN]) -> list[Run]:
    """Five replicates of a search with these mean accuracies."""
    each = [(network, split, seed) for split in splits for network in grid for seed in range(5)]
    values = [min(max(accuracy(network, split) + 0.1 * seed, 0), 100) for network, split, seed in each]
    return [run(*some, accuracy=value, train_accuracy=value) for some, value in zip(each, values, strict=True)]


def test_srns_must_need_attention_and_the_others_must_not(tmp_path: Path) -> None:
    def verdict(srn: float, with_attention: float, gated: float) -> str:
        def accuracy(network: RNN, _: str) -> float:
            return gated if network.cell != "srn" else with_attention if network.attention else srn

        return found(tmp_path / "runs.db", search(accuracy, ["simple"], searched.GRID))["srns"].verdict

    assert verdict(1, 60, 99) == HOLDS
    assert {verdict(50, 60, 99), verdict(1, 3, 99), verdict(1, 60, 50)} == {NOT}


def test_many_networks_means_many_of_a_search(tmp_path: Path) -> None:
    for many, said in ((20, HOLDS), (1, NOT)):
        good = set(searched.GRID[:many])
        runs = search(lambda network, _: 90 if network in good else 10, ["turn-left"], searched.GRID)  # noqa: B023
        (_, measured) = found(tmp_path / "runs.db", runs)["turn-left"].figures
        assert (measured.mean, measured.verdict) == (many, said)


def test_the_best_differs_by_task_unless_one_is_the_best_of_all(tmp_path: Path) -> None:
    splits, grid = ["simple", "length", "jump", "turn-left"], searched.GRID[:6]

    def verdict(best: Sequence[int]) -> str:
        winners = {split: grid[n] for split, n in zip(splits, best, strict=True)}
        runs = search(lambda network, split: 90 if network == winners[split] else 10, splits, grid)
        return found(tmp_path / "runs.db", runs)["by-task"].verdict

    assert (verdict([0, 1, 2, 3]), verdict([2, 2, 2, 2])) == (HOLDS, NOT)
    alike = found(tmp_path / "runs.db", search(lambda *_: 50, splits, grid))["by-task"]
    assert (alike.verdict, alike.figures[0].low, alike.figures[0].high) == (OPEN, 0, 6)


def answered(
    split: str, seed: int, right: Callable[[Example], bool], *, network: str = OVERALL, preferred: bool = True
) -> Run:
    """A run with answers: right, or without their last action; `preferred`: to their targets, by the network."""
    spec = Spec(split, seed, NETWORKS[network])
    test = spec.content().test
    marks = [right(example) for example in test]
    targets = [example.actions for example in test]
    answers = [target if good else target[:-1] for good, target in zip(marks, targets, strict=True)]
    own = [-1.0 if good or preferred else -3.0 for good in marks]
    accuracy = 100 * sum(marks) / len(marks)
    return Run(
        spec=spec.facts(),
        metrics={"accuracy": accuracy, "oracle_accuracy": accuracy},
        artefacts={
            "greedy": pack_answers(answers, targets),
            "likelihoods": pack_likelihoods(own, [-1.0 if good else -2.0 for good in marks]),
        },
    )


def test_success_must_be_on_short_sequences_from_long_commands(tmp_path: Path) -> None:
    def verdict(right: Callable[[Example], bool]) -> str:
        return found(tmp_path / "runs.db", [answered("length", seed, right) for seed in range(8)])["similar"].verdict

    assert verdict(lambda e: len(e.actions) <= 25 and len(e.command.split()) >= 8) == HOLDS
    assert verdict(lambda e: len(e.command.split()) >= 8) == NOT
    assert verdict(lambda e: len(e.actions) <= 25) == NOT


def test_errors_must_be_what_the_network_prefers(tmp_path: Path) -> None:
    for preferred, said in ((True, HOLDS), (False, NOT)):
        runs = [
            answered("length", seed, lambda e: len(e.actions) < 26, network=network, preferred=preferred)
            for network in (OVERALL, BEST["length"])
            for seed in range(3)
        ]
        assert found(tmp_path / "runs.db", runs)["search"].verdict == said


def test_errors_on_turn_left_must_be_in_conjunctions_with_it(tmp_path: Path) -> None:
    def verdict(right: Callable[[Example], bool]) -> str:
        return found(tmp_path / "runs.db", [answered("turn-left", seed, right) for seed in (0, 1, 2)])["errors"].verdict

    assert verdict(lambda e: not e.command.startswith("turn left and jump")) == HOLDS
    assert verdict(lambda e: not e.command.startswith("turn left twice")) == NOT


def near(split: str, seed: int, cosines: dict[str, float], first: str) -> Run:
    """A run with the cosine of each probe and its nearest training command, which is `first`."""
    spec, probes = Spec(split, seed, NETWORKS[OVERALL]), [probe.command for probe in dataset("scan").probes()]
    commands = [example.command for example in spec.content().train]
    places = np.tile([commands.index(name) for name in (first, "look after look")], (len(probes), 1))
    values = [[cosines.get(probe, 0.0) + 0.001 * seed, -1.0] for probe in probes]
    arrays = {"places": places.astype(np.int32), "cosines": np.array(values, np.float32)}
    return Run(spec=spec.facts(), metrics={"accuracy": 0.0}, artefacts={"neighbours": pack_arrays(arrays)})


def test_representations_are_near_or_isolated_by_their_cosines(tmp_path: Path) -> None:
    def verdicts(jump: float, first: str = "walk") -> tuple[str, str]:
        cosines = {"run": 0.8, "jump": jump, "jump twice": jump}
        runs = [near("jump", seed, cosines, first) for seed in range(3)]
        runs += [near("simple", seed, {"jump": 0.7}, first) for seed in range(3)]
        every = found(tmp_path / "runs.db", runs)
        return every["near"].verdict, every["isolated"].verdict

    assert verdicts(0.1) == (HOLDS, HOLDS)
    assert verdicts(0.6) == (HOLDS, NOT)
    assert verdicts(0.1, first="run and walk") == (NOT, HOLDS)  # which is no primitive


# -- what is lacking


def test_a_ledger_without_runs_decides_nothing_and_says_what_to_do(tmp_path: Path) -> None:
    every = found(tmp_path / "empty.db", [])
    assert {claim.verdict for claim in every.values()} == {OPEN}
    assert not any(claim.measured for claim in every.values())
    assert all("`daxlab" in claim.evidence for claim in every.values())


@pytest.mark.usefixtures("nowhere")
def test_without_the_release_a_claim_that_needs_it_says_where_to_get_it(tmp_path: Path) -> None:
    release = run(OVERALL, "release/simple_split/simple", 0, accuracy=99.0)
    kept = {"neighbours": pack_arrays({"places": np.zeros((1, 1), np.int32), "cosines": np.zeros((1, 1), np.float32)})}
    near = found(tmp_path / "runs.db", [replace(release, artefacts=kept)])["near"]
    assert any("daxlab data fetch scan" in figure.text for figure in near.figures)


def test_json_has_every_claim_with_its_numbers(daxlab, tmp_path: Path) -> None:
    found(tmp_path / "runs.db", [run(OVERALL, "turn-left", seed, accuracy=90.0 + seed) for seed in range(3)])
    rows = json.loads(daxlab("claims", "--json", "--ledger", tmp_path / "runs.db").stdout)
    assert [row["id"] for row in rows] == [claim.id for claim in CLAIMS]
    keys = {"id", "experiment", "claim", "verdict", "evidence", "figures", "anchor"}
    assert all(row.keys() == keys for row in rows)
    assert all(figure.keys() >= {"mean", "low", "high", "runs", "bound"} for row in rows for figure in row["figures"])
    (turn_left,) = (row["figures"][0] for row in rows if row["id"] == "turn-left")
    assert (turn_left["mean"], turn_left["runs"], turn_left["bound"]) == (91.0, 3, [75, None])
    shown = daxlab("claims", "--ledger", tmp_path / "runs.db").stdout
    assert turn_left["text"] in shown and all(claim.sentence in shown for claim in CLAIMS)


@pytest.mark.results
@pytest.mark.usefixtures("data")
def test_the_shipped_runs_speak_to_every_claim() -> None:
    with Ledger(RESULTS) as ledger:
        every = {claim.id: claim for claim in claims(Runs(ledger))}
    assert all(claim.measured for claim in every.values())
    assert not [figure.text for claim in every.values() for figure in claim.figures if figure.low is None]
    assert {every[name].verdict for name in ("random", "length", "turn-left", "jump", "few", "daxy")} == {HOLDS}
