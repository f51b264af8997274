"""About how long groups take: what earlier runs took before the first step, in a step, and after the last one."""

from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from daxlab.learners import RNN
from daxlab.ledger import Group, Ledger, Run, Writer
from daxlab.sweep import Spec, plan_sweep, sweep
from daxlab.sweep.estimates import Cost, Costs, estimate
from executors import in_process

SMALL = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=1_000)


def timed(spec: Spec, *, runs: int = 1, at_once: int = 1, **timing: float) -> Run:
    """A run of a group of so many, which took 30 seconds, a thousand updates included."""
    usual = {"start_seconds": 5.0, "step_seconds": 0.01, "end_seconds": 15.0, "compile_seconds": 40.0, "fresh": 1.0}
    whole = {"group_seconds": 70.0, "seconds": 70.0 / runs / at_once, "at_once": at_once}
    return Run(spec=spec.facts(), timing={**whole, **usual, **timing}, origin={"platform": "cpu"})


def cost(tmp_path: Path, added: list[Run], spec: Spec) -> Cost | None:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add(added)
        return Costs("cpu", [writer.ledger]).of(spec.facts())


def planned(specs: list[Spec]) -> tuple[Group, ...]:
    return plan_sweep(specs, Path("none.db"), "cpu").groups


def test_a_cost_is_the_median_of_its_parts_without_what_was_compiled_for_good(tmp_path: Path) -> None:
    added = [timed(Spec("jump", seed, SMALL), step_seconds=step) for seed, step in enumerate((0.01, 0.02, 0.9))]
    assert cost(tmp_path, added, Spec("jump", 9, SMALL)) == Cost(start=5.0, step=0.02, end=15.0)


def test_what_the_first_run_of_a_process_takes_longer_at_its_end_is_a_part_of_the_start(tmp_path: Path) -> None:
    later = {"start_seconds": 0.1, "end_seconds": 9.0, "fresh": 0.0}
    added = [timed(Spec("jump", 0, SMALL)), *(timed(Spec("jump", seed, SMALL), **later) for seed in (1, 2))]
    assert cost(tmp_path, added, Spec("jump", 9, SMALL)) == Cost(start=5.0 + 6.0, step=0.01, end=9.0)


def test_scoring_takes_as_long_as_on_the_same_split_if_there_is_a_run_of_it(tmp_path: Path) -> None:
    added = [timed(Spec("jump", 0, SMALL), end_seconds=20.0), timed(Spec("size-1", 0, SMALL), end_seconds=80.0)]
    assert [cost(tmp_path, added, Spec(split, 9, SMALL)).end for split in ("jump", "size-1", "length")] == [20, 80, 50]


def test_a_run_s_part_of_its_group_is_what_counts(tmp_path: Path) -> None:
    added = [timed(Spec("jump", seed, SMALL), runs=5, at_once=2) for seed in range(5)]
    assert cost(tmp_path, added, Spec("jump", 9, SMALL)) == Cost(start=5.0, step=0.002, end=3.0, at_once=2)


def test_each_worker_starts_a_learner_once_and_takes_the_next_group_when_it_is_free(tmp_path: Path) -> None:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([timed(Spec("jump", 0, SMALL))])
        groups = planned([Spec("jump", seed, SMALL) for seed in range(1, 4)])
        seconds = [estimate(groups[:count], "cpu", 2, [writer.ledger]).seconds for count in (1, 2, 3)]
    assert seconds == pytest.approx([5 + 25, 5 + 25, 5 + 25 + 25])


def test_a_short_run_tells_about_a_long_one_if_its_phases_were_timed(tmp_path: Path) -> None:
    long = replace(SMALL, updates=100_000)
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([timed(Spec("jump", 0, SMALL))])
        found = estimate(planned([Spec("jump", 0, long)]), "cpu", 2, [writer.ledger])
    assert found.seconds == pytest.approx(5 + 100_000 * 0.01 + 15)


def test_of_runs_whose_phases_were_not_timed_training_and_scoring_are_told_apart(tmp_path: Path) -> None:
    timing = {"seconds": 10.0, "group_seconds": 200.0, "examine_seconds": 40.0}
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([Run(spec=Spec("jump", 0, SMALL).facts(), timing=timing, origin={"platform": "cpu"})])
        found = Costs("cpu", [writer.ledger]).of(Spec("jump", 1, replace(SMALL, updates=2_000)).facts())
    assert found == Cost(start=0.0, step=8.0 / 1_000, end=2.0)


def test_the_parts_that_a_worker_times_are_all_that_it_took(tiny: Path, tmp_path: Path) -> None:
    specs = [Spec("jump", seed, SMALL, str(tiny)) for seed in range(2)]
    began = monotonic()
    sweep(specs, tmp_path / "runs.db", executor=in_process)
    took = monotonic() - began
    with Ledger(tmp_path / "runs.db") as ledger:
        timings = [ledger.run(name).timing for name in ledger.select()]
    each = [t["start_seconds"] + 1_000 * t["step_seconds"] + t["end_seconds"] + t["compile_seconds"] for t in timings]
    assert sum(each) == pytest.approx(took, rel=0.2, abs=2)
    assert min(t[part] for t in timings for part in ("start_seconds", "step_seconds", "end_seconds")) > 0
    assert sum(t["fresh"] for t in timings) <= 1
