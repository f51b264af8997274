"""Whoever opens the ledger sees how far a sweep is, while it is written and afterwards."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from daxlab.learners import RNN
from daxlab.ledger import Group, Ledger, Run, Writer
from daxlab.ledger.spec import all_facts
from daxlab.sweep import Spec, sweep
from daxlab.sweep.status import Status, beginning, status
from daxlab.sweep.task import Finished, Started, Stopped
from executors import progress, untrained

NARROW = RNN("srn", 1, 5, updates=1_000)


def seen(ledger: Path) -> Status:
    with Ledger(ledger) as known:
        return status(known)


def alone(facts: list[dict]) -> list[Group]:
    return [Group(members=[fact]) for fact in facts]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, list[dict]]:
    return tmp_path / "runs.db", all_facts(Spec("jump", seed, NARROW) for seed in range(2))


def noted(writer: Writer, hours_ago: float = 0) -> dict:
    """What is noted at the beginning of a sweep of all that is recorded."""
    notes = beginning(writer.ledger, writer.ledger.groups(), ["jump"])
    notes["sweep"]["since"] -= 3600 * hours_ago
    return notes


def test_status_counts_what_is_done_running_and_waiting_and_estimates_the_rest_by_the_rate_so_far(two) -> None:
    path, facts = two
    first, second = alone(facts)
    with Writer(path) as writer:
        writer.record([first, second])
        writer.begin(first.key, {})
        writer.progress({first.key: 500}, noted(writer, hours_ago=1))
        now = seen(path)
        assert (now.done, now.running, now.waiting, now.failed, now.writing) == (0, 1, 1, 0, True)
        (group,) = now.groups
        assert (group.label, group.runs, group.step, group.steps) == (str(NARROW), 1, 500, 1_000)
        assert (group.split, group.seed) == ("jump", 0)
        assert now.runs_per_hour == pytest.approx(0.5, rel=1e-3)
        assert now.seconds_left == pytest.approx(3 * 3600, rel=1e-3)  # one and a half runs
        assert now.best == []
        writer.add([Run(spec=facts[0], group=first.key, metrics={"accuracy": 12.5})])
        then = seen(path)
        assert (then.done, then.running, then.waiting) == (1, 0, 1)
        assert then.seconds_left == pytest.approx(3600, rel=1e-3)
        assert [(row["split"], row["label"], row["runs"], row["mean"]) for row in then.best] == [
            ("jump", str(NARROW), 1, 12.5)
        ]
    after = seen(path)
    assert (after.done, after.waiting, after.writing, after.seconds_left) == (1, 1, False, None)


def test_the_rate_counts_only_what_was_trained_since_the_sweep_began(two) -> None:
    path, facts = two
    first, second = alone(facts)
    with Writer(path) as writer:
        writer.add(Run(spec=Spec("length", seed, NARROW).facts()) for seed in range(100))
        writer.record([first, second])
        writer.progress({first.key: 500})  # of an earlier sweep, from its checkpoint
        writer.progress({first.key: 750}, noted(writer, hours_ago=1))
        now = seen(path)
        assert now.done == 0
        assert now.runs_per_hour == pytest.approx(0.25, rel=1e-3)
        assert now.seconds_left == pytest.approx(5 * 3600, rel=1e-3)  # one and a quarter runs


def test_there_is_no_estimate_before_anything_was_trained_nor_when_the_clock_jumped_back(two) -> None:
    path, facts = two
    with Writer(path) as writer:
        writer.record(alone(facts))
        writer.progress({}, noted(writer, hours_ago=1))
        assert (seen(path).runs_per_hour, seen(path).seconds_left) == (None, None)
        writer.progress({}, noted(writer, hours_ago=-1))
        assert (seen(path).runs_per_hour, seen(path).seconds_left) == (None, None)


def test_the_first_seconds_of_a_sweep_tell_nothing_of_its_pace(two) -> None:
    """Most of them are spent compiling."""
    path, facts = two
    with Writer(path) as writer:
        writer.record(alone(facts))
        writer.progress({alone(facts)[0].key: 20}, noted(writer, hours_ago=0.01))  # a hundredth of two runs
        assert seen(path).seconds_left is None
        writer.progress({alone(facts)[0].key: 500})
        assert seen(path).seconds_left == pytest.approx(3 * 36, rel=0.1)


def test_a_group_that_ends_while_one_looks_is_not_counted_twice(two, monkeypatch) -> None:
    path, facts = two
    first = Group(members=facts[:1])
    with Writer(path) as writer:
        writer.record([first])
        writer.begin(first.key, {})
        writer.progress({}, noted(writer))

        under_way = Ledger.under_way

        def meanwhile(ledger):
            rows = under_way(ledger)
            writer.add([Run(spec=facts[0], group=first.key)])
            return rows

        monkeypatch.setattr(Ledger, "under_way", meanwhile)
        now, then = seen(path), seen(path)
        assert (now.done, now.running, then.done, then.running) == (0, 1, 1, 0)


def test_runs_that_wait_for_another_sweep_are_counted_apart(two) -> None:
    path, facts = two
    ours, others = Group(members=facts), Group(members=all_facts(Spec("simple", seed) for seed in range(50)))
    halves = [replace(ours, members=[fact]) for fact in facts]
    with Writer(path) as writer:
        writer.add([Run(spec=Spec("simple", 99, NARROW).facts(), metrics={"accuracy": 50})])
        writer.record([ours, others])
        writer.progress({}, beginning(writer.ledger, [ours], ["jump"]))
        now = seen(path)
        assert (now.waiting, now.others, now.best) == (2, 50, [])
        writer.drop(ours.key)  # it did not fit in memory
        writer.record(halves)
        assert (seen(path).waiting, seen(path).others) == (2, 50)
    assert (seen(path).waiting, seen(path).others) == (52, 0)  # no sweep is under way: whichever is asked for goes on


def test_the_best_of_a_split_is_the_setting_with_the_best_mean(tmp_path: Path) -> None:
    accuracies = {("jump", 5): [1, 99], ("jump", 6): [60, 60], ("length", 5): [3, 2]}
    with Writer(tmp_path / "runs.db") as writer:
        for (split, hidden), values in accuracies.items():
            writer.add(
                Run(spec=Spec(split, seed, RNN(hidden=hidden)).facts(), metrics={"accuracy": value})
                for seed, value in enumerate(values)
            )
    rows = [(row["split"], row["label"], row["mean"]) for row in seen(tmp_path / "runs.db").best]
    assert rows == [("jump", str(RNN(hidden=6)), 60), ("length", str(RNN(hidden=5)), 2.5)]


def test_the_driver_writes_down_how_far_groups_are_but_not_at_every_step(two, monkeypatch) -> None:
    """The workers' part is played by an executor that looks at the ledger like another process would."""
    path, _ = two
    looked, written = [], []
    write = Writer.progress
    monkeypatch.setattr(Writer, "progress", lambda *given: [written.append(given), write(*given)])

    def execute(tasks, stop):
        yield Started(tasks[0].group)
        looked.append(seen(path))
        for update in range(1, 401):
            yield progress(tasks[0], update)
        looked.append(seen(path))
        yield Finished(tasks[0].group, untrained(tasks[0]), {})
        looked.append(seen(path))
        yield Started(tasks[1].group)
        yield progress(tasks[1], 200)
        yield Stopped(tasks[1].group)

    assert sweep([Spec("jump", seed, NARROW) for seed in range(2)], path, executor=execute).stopped
    assert [(now.done, now.running, now.waiting) for now in looked] == [(0, 1, 1), (0, 1, 1), (1, 0, 1)]
    assert [group.step for group in looked[1].groups] == [1]  # the first is written at once, the others wait
    assert len(written) <= 10
    with Ledger(path) as ledger:
        assert [row["updates"] for row in ledger.under_way()] == [200]  # what was stopped is known
    assert seen(path).waiting == 1


def test_runs_that_came_from_elsewhere_are_not_counted_with_the_group_that_trains_them(tmp_path: Path) -> None:
    path, facts = tmp_path / "runs.db", all_facts(Spec("jump", seed, NARROW) for seed in range(4))
    group = Group(members=facts)
    with Writer(path) as writer:
        writer.record([group])
        writer.begin(group.key, {})
        writer.add([Run(spec=fact) for fact in facts[:3]])
        now = seen(path)
        assert (now.done, now.running, now.waiting) == (3, 1, 0)


def test_a_writer_that_is_no_sweep_is_not_taken_for_the_last_sweep(two) -> None:
    path, facts = two
    (first, *_) = alone(facts)
    with Writer(path) as writer:
        writer.record(alone(facts))
        writer.progress({first.key: 500}, noted(writer, hours_ago=1))
        assert seen(path).seconds_left is not None
    with Writer(path):
        now = seen(path)
        assert (now.runs_per_hour, now.seconds_left) == (None, None)


def test_time_left_knows_that_steps_take_unequally_long_and_that_runs_are_scored(tmp_path: Path) -> None:
    def timed(learner: RNN, step: float, end: float) -> Run:
        timing = {"seconds": 100.0, "group_seconds": 100.0, "fresh": 0.0, "at_once": 1}
        timing |= {"start_seconds": 0.0, "step_seconds": step, "end_seconds": end, "compile_seconds": 0.0}
        return Run(spec=Spec("jump", 99, learner).facts(), timing=timing, origin={"platform": "cpu"})

    wide = replace(NARROW, hidden=400)
    facts = all_facts([Spec("jump", 0, NARROW), Spec("jump", 0, wide), Spec("jump", 1, wide)])
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([timed(NARROW, 0.001, 2), timed(wide, 0.1, 8)])
        writer.record(alone(facts))
        writer.progress({}, noted(writer))
        for group in alone(facts)[:2]:
            writer.begin(group.key, {})
        first, second = (group.key for group in alone(facts)[:2])
        at = {
            first: {"phase": "training", "since": time.time(), "pace": 0.002},
            second: {"phase": "training", "since": time.time()},
        }
        writer.progress({first: 500}, {"phases": at})
        now = seen(tmp_path / "runs.db")
        assert [group.seconds_left for group in now.groups] == pytest.approx([500 * 0.002, 1_000 * 0.1], abs=1)
        rest = [500 * 0.002 + 2, 1_000 * 0.1 + 8, 1_000 * 0.1 + 8]  # two of them at once
        assert now.seconds_left == pytest.approx(sum(rest) / 2, abs=2)
        assert now.scoring_known
        assert [(group.phase, group.seed) for group in now.next] == [("waiting", 1)]
