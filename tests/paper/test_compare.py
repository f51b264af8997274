"""Every figure of the paper gets one row, from the runs that speak to it and from no others."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median_high, median_low

import numpy as np
import pytest

from daxlab.datasets import dataset, split
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer, pack_neighbours
from daxlab.ledger.spec import Spec
from daxlab.paper import NETWORKS, targets
from daxlab.paper.comparison import Row, compare
from daxlab.paper.experiments import few, size
from daxlab.paper.translations import COUNTED
from daxlab.protocol import Protocol

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
OVERALL = NETWORKS["overall-best"]


def run(split: str, seed: int, accuracy: float | None, network: RNN = OVERALL, **changes) -> Run:
    """A run of which only the numbers are known. Its split is named, not made: nobody asks for its answers."""
    spec = Spec("jump", seed, replace(network, **changes)).facts()
    spec["split"] = {"name": split, "digest": split}
    if accuracy is None:
        return Run(spec=spec, status="failed", failed_at=7)
    return Run(spec=spec, metrics={"accuracy": accuracy, "train_accuracy": accuracy, "oracle_accuracy": accuracy})


def compared(path: Path, runs: list[Run], experiments: list[str] | None = None, **options) -> dict[str, Row]:
    with Writer(path) as writer:
        writer.add(runs)
    with Ledger(path) as ledger:
        return {row.id: row for row in compare(ledger, experiments, **options)}


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def test_every_id_has_exactly_one_row_and_ours_come_after_the_paper_s() -> None:
    with Ledger(RESULTS) as known:
        ids = [row.id for row in compare(known)]
    paper = [target.id for target in targets()]
    assert ids[: len(paper)] == paper
    assert len(ids) == len(set(ids))
    assert all(name.startswith("ours.") for name in ids[len(paper) :])
    assert [name for name in ids if name.startswith("ours.primitives.")][:1] == ["ours.primitives.walk"]


def test_an_empty_ledger_measures_nothing_but_the_splits_themselves(ledger: Path) -> None:
    rows = compared(ledger, [])
    measured = {name: row for name, row in rows.items() if row.verdict != "unmeasured"}
    assert set(measured) - set(COUNTED) == {"exp1.size.1.parts", "exp1.size.2.parts"}
    assert all(row.mean is None and row.runs == [] for name, row in rows.items() if name not in measured)


def test_the_release_s_draws_have_the_paper_s_parts(data, ledger: Path) -> None:
    rows = compared(ledger, [])
    for percent, unseen in ((1, 1.0), (2, 0.0)):
        row = rows[f"exp1.size.{percent}.parts"]
        assert (row.mean, row.draw, row.verdict) == (unseen, "release", "agrees")


def test_our_own_draws_are_shown_beside_the_paper_s_parts(nowhere, ledger: Path) -> None:
    row = compared(ledger, [])["exp1.size.1.parts"]
    assert (row.draw, row.verdict) == ("own", "shown")


def test_the_release_s_draw_is_preferred_and_never_mixed_with_ours(ledger: Path) -> None:
    own = [run("size-1", seed, 50.0 + seed) for seed in range(5)]
    released = [run(size(1, release=True), seed, 5.0 + seed / 10) for seed in range(3)]
    row = compared(ledger, own)["exp1.size.1"]
    assert (row.draw, row.runs, row.verdict, row.approx) == ("own", [50, 51, 52, 53, 54], "differs", True)
    row = compared(ledger, released)["exp1.size.1"]
    assert (row.draw, row.runs, row.mean, row.verdict) == ("release", [5, 5.1, 5.2], pytest.approx(5.1), "agrees")


def test_runs_of_other_protocols_and_networks_do_not_speak_to_the_paper(ledger: Path) -> None:
    others = [
        run("length", 0, 99.0, updates=40),
        run("length", 1, 99.0, clip=1.0),
        run("length", 2, 99.0, replace(OVERALL, hidden=100)),
        run("length-26", 3, 99.0),
    ]
    assert compared(ledger, others)["exp2.overall"].verdict == "unmeasured"
    trial = compared(ledger, [], ["length"], protocol=Protocol(updates=40))
    assert trial["exp2.overall"].runs == [99.0]
    assert set(trial) >= {"exp2.best", "train.overall"}
    assert not set(trial) & {"exp1.best", "exp3.few.8", "exp4.bleu"}


def test_a_failed_run_is_left_out_and_the_row_says_so(ledger: Path) -> None:
    row = compared(ledger, [run("length", seed, value) for seed, value in enumerate((13.5, None, 14.1))])[
        "exp2.overall"
    ]
    assert (row.runs, row.verdict) == ([13.5, 14.1], "agrees")
    assert "1 failed and is left out" in row.note


def test_one_run_has_no_verdict(ledger: Path) -> None:
    row = compared(ledger, [run("length", 0, 13.8)])["exp2.overall"]
    assert (row.mean, row.sem, row.verdict) == (13.8, None, "shown")


def test_a_few_shot_draw_counts_once_however_many_seeds_it_was_given(ledger: Path) -> None:
    network = NETWORKS["exp3-jump-best"]
    runs = [run(few(8, 1 + n % 5, True), n, 30.0 + n, network) for n in range(7)]
    row = compared(ledger, [*runs, run("few-jump-8-rep1", 0, 99.0, network)])["exp3.few.8"]
    assert row.runs == [32.5, 33.5, 32, 33, 34]
    assert (row.draw, row.selected, row.network) == ("release", True, "exp3-jump-best")


def test_a_statement_about_four_splits_shows_the_one_that_speaks_most_against_it(ledger: Path) -> None:
    means = {"simple": 99.95, "length": 99.9, "turn-left": 90.0, "jump": 99.8}
    runs = [run(split, seed, mean - seed / 1000) for split, mean in means.items() for seed in range(5)]
    rows = compared(ledger, runs)
    row = rows["train.overall"]
    assert (row.split, row.verdict, row.paper, row.relation) == ("turn-left", "differs", 99.5, "more than")
    assert [part["verdict"] for part in row.parts] == ["agrees", "agrees", "differs", "agrees"]
    assert rows["train.best"].verdict == "unmeasured"
    assert rows["exp3.turn-left.errors"].verdict == "unmeasured"  # these runs have no predictions, and it says so
    assert rows["exp3.turn-left.errors"].note
    three = compared(ledger.with_name("three.db"), runs[:10] + runs[15:])["train.overall"]
    assert (three.verdict, three.mean) == ("unmeasured", pytest.approx(99.798))
    assert "no runs of overall-best on turn-left" in three.note


def test_without_over_sampling_runs_are_worse_or_not_whatever_their_seeds(ledger: Path) -> None:
    runs = [run("turn-left", seed, 80.0 + seed) for seed in range(3)]
    runs += [run("turn-left-once", seed, 90.0 - seed) for seed in range(3)]
    runs += [run("jump", seed, 50.0 + seed) for seed in range(3)]
    runs += [run("jump-once", seed, 10.0 + seed) for seed in range(5, 9)]
    row = compared(ledger, runs)["exp3.oversampling"]
    turn_left, jump = row.parts
    assert (jump["verdict"], turn_left["verdict"], row.verdict) == ("agrees", "differs", "differs")
    assert (jump["mean"], jump["difference"]) == (pytest.approx(16.5), pytest.approx(-34.5))
    assert (row.mean, row.difference, row.runs) == (89, 8, [90, 89, 88])
    assert row.difference_low < 8 < row.difference_high
    assert "turn-left without over-sampling 89.00, with it 81.00 (3 runs)" in row.note
    assert "jump without over-sampling 16.50, with it 51.00 (3 runs)" in row.note
    runs = [run(split, seed, 80.0 + (-1) ** seed) for split in ("jump", "turn-left") for seed in range(4)]
    runs += [run(f"{split}-once", seed, 80.0) for split in ("jump", "turn-left") for seed in range(4)]
    assert compared(ledger.with_name("alike.db"), runs)["exp3.oversampling"].verdict == "undecided"


def test_what_is_undecided_says_how_many_runs_would_decide_it(ledger: Path) -> None:
    row = compared(ledger, [run("length", seed, value) for seed, value in enumerate((8.0, 14.0, 20.0))])["exp2.overall"]
    assert (row.verdict, row.tolerance) == ("undecided", pytest.approx((8.8, 18.8)))
    assert row.needed and row.needed > 3
    many = [run("length", seed, (8.0, 14.0, 20.0)[seed % 3]) for seed in range(row.needed)]
    more = compared(ledger.with_name("more.db"), many)["exp2.overall"]
    assert (more.verdict, more.needed) == ("agrees", None)
    assert more.power and row.power and more.power > row.power


GRID = [
    RNN("srn", *shape, dropout=dropout)
    for *shape, dropout in product((1, 2), (25, 50, 100, 200, 400), (True, False), (0.0, 0.1, 0.5))
]


def test_the_search_over_srns_gives_the_best_the_mean_and_the_range(ledger: Path) -> None:
    attentive, plain = ([one for one in GRID if one.attention == attention] for attention in (True, False))
    spread = (-0.5, 0.0, 0.5)
    runs = [run("simple", n, 18.4 + 2.6 * k + d, one) for k, one in enumerate(attentive) for n, d in enumerate(spread)]
    runs += [run("simple", n, 0.04 * k + 0.01 * d, one) for k, one in enumerate(plain) for n, d in enumerate(spread)]
    rows = compared(ledger, runs)
    mean, ends, best = (rows[f"exp1.srn-{name}"] for name in ("attention-mean", "attention-range", "best"))
    assert mean.runs == pytest.approx([18.4 + 2.6 * 14.5 + d for d in spread])
    assert (mean.verdict, mean.tolerance) == ("agrees", pytest.approx((54.7, 64.7)))  # 56.1, with a narrow spread
    assert ends.ours == pytest.approx([18.4, 18.4 + 2.6 * 29])
    assert (ends.paper, ends.verdict, ends.mean) == ([18.4, 94.0], "shown", None)
    assert (best.mean, best.verdict) == (pytest.approx(0.04 * 29), "agrees")
    some = compared(ledger.with_name("some.db"), runs[:30])["exp1.srn-attention-mean"]
    assert (some.verdict, some.mean, some.shown) == ("shown", None, f"{18.4 + 2.6 * 4.5:.2f}")
    assert "so far of 10 of 30 architectures" in some.note
    none = compared(ledger.with_name("none.db"), runs[-1:])["exp1.srn-attention-range"]
    assert (none.verdict, none.shown) == ("unmeasured", "")


def test_a_run_of_the_search_that_failed_does_not_shift_the_mean(ledger: Path) -> None:
    attentive = [one for one in GRID if one.attention]
    runs = [run("simple", n, 2.0 * k, one) for k, one in enumerate(attentive) for n in range(3)]
    runs[-1] = run("simple", 2, None, attentive[-1])
    assert compared(ledger, runs)["exp1.srn-attention-mean"].runs == pytest.approx([29, 29, 29])


def test_an_architecture_with_other_seeds_than_the_rest_takes_the_verdict_away(ledger: Path) -> None:
    attentive = [one for one in GRID if one.attention]
    runs = [run("simple", n + 10 * (k == 0), 2.0 * k, one) for k, one in enumerate(attentive) for n in range(3)]
    row = compared(ledger, runs)["exp1.srn-attention-mean"]
    assert (row.verdict, row.shown) == ("shown", "29.00")
    assert "1 of 30 architectures have none of the seeds" in row.note


def test_the_nearest_commands_are_of_all_runs_and_the_five_of_one_are_of_the_lowest_seed(ledger: Path) -> None:
    train, probes = [example.command for example in split("jump").train], len(dataset("scan").probes())

    def near(seed: int, accuracy: float, cosine: float, *commands: str) -> Run:
        places = np.array([[train.index(command) for command in commands]] * probes, np.int32)
        cosines = np.linspace(cosine, 0.05, len(commands), dtype=np.float32)
        kept = {state: (places, np.tile(cosines, (probes, 1))) for state in ("final", "cell, layer 1")}
        spec = Spec("jump", seed, OVERALL).facts()
        return Run(spec=spec, metrics={"accuracy": accuracy}, artefacts={"neighbours": pack_neighbours(kept)})

    runs = [near(8, 0.0, 0.5, "jump", "look"), near(3, 1.0, 0.9, "walk", "jump"), near(5, 0.0, 0.7, "jump", "run")]
    row = compared(ledger, runs, ["jump"])["exp3.neighbours"]
    assert row.ours["run"] == runs[1].key
    assert row.ours["example"]["jump twice"] == [("walk", pytest.approx(0.9)), ("jump", pytest.approx(0.05))]
    by_state = {(one["state"], one["command"], one["without"]): one for one in row.ours["every"]}
    assert len(by_state) == 2 * 5
    twice = by_state["final", "jump twice", ""]
    assert (twice["runs"], twice["nearest"], twice["paper"]) == (3, {"jump": 2, "walk": 1}, 0.19)
    assert [twice[name] for name in ("lowest", "mean", "highest")] == pytest.approx([0.5, 0.7, 0.9])
    assert set(by_state["cell, layer 1", "jump twice", "jump"]["nearest"]) == {"walk", "look", "run"}
    nearer, mixed = row.note.split("nearer in some runs only")
    assert "'jump twice' (0.50 to 0.90, there 0.19; 'jump' in 2 of 3)" in nearer
    assert "'run' (" in mixed and "'jump twice' without 'jump' (0.05 to 0.90, there 0.19)" in mixed


def test_what_the_shipped_runs_say_closer_up() -> None:
    with Ledger(RESULTS) as known:
        rows = {row.id: row for row in compare(known)}
    errors = rows["exp3.turn-left.errors"]
    assert (errors.verdict, errors.paper) == ("shown", 45)
    assert errors.ours["errors"] in (median_low(errors.runs), median_high(errors.runs))
    assert rows["exp3.jump.right"].ours["right"] == []
    assert rows["exp2.oracle.best.24"].mean > rows["exp2.oracle.best.48"].mean
    assert len(rows["exp2.search-errors"].parts) == 2
    assert rows["exp2.oracle.best"].selected and not rows["exp2.best"].selected  # the best of our own search
    assert not rows["exp2.overall"].selected
