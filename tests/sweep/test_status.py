"""Whoever opens the ledger sees how far a sweep is, while it is written and afterwards."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from daxlab.protocol import Protocol
from daxlab.runs import Ledger, Run, Writer
from daxlab.runs.progress import under_way
from daxlab.runs.spec import all_facts
from daxlab.sweep import Architecture, Spec, driver, sweep
from daxlab.sweep.cost import ahead, further_words, left
from daxlab.sweep.grouping import grouped
from daxlab.sweep.status import Status, beginning, status
from daxlab.sweep.task import Finished, Progress, Started, Stopped

NARROW = Architecture("srn", 1, 5)
AHEAD = ahead("cpu", 1)  # seconds before anything trains


def seen(ledger: Path) -> Status:
    with Ledger(ledger) as known:
        return status(known)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, list[dict]]:
    return tmp_path / "runs.db", all_facts(Spec("jump", seed, NARROW, Protocol(1_000_000)) for seed in range(2))


def noted(ledger: Ledger, workers: int = 1) -> dict:
    """What is noted at the beginning of a sweep of all that is recorded."""
    return beginning(ledger, ledger.groups(), ["jump"], "cpu", workers, 1)


def test_of_a_sweep_under_way_it_says_what_is_done_running_waiting_how_fast_and_how_long(two) -> None:
    path, facts = two
    first, second = grouped(facts, "cpu")
    with Writer(path) as writer:
        writer.record([first, second])
        writer.begin(first.key, {})
        notes = noted(writer.ledger)
        notes["sweep"]["since"] = time.time() - 3600  # an hour ago
        writer.progress({first.key: 500_000}, notes)
        now = seen(path)
        assert (now.done, now.running, now.waiting, now.failed, now.writing) == (0, 1, 1, 0, True)
        assert [(g.network, g.runs, g.update, g.updates) for g in now.groups] == [
            ("SRN 1x5, dropout 0.5", 1, 500_000, 1_000_000)
        ]
        assert [(g.split, g.seed) for g in now.groups] == [("jump", 0)]
        assert now.runs_per_hour == pytest.approx(0.5, rel=1e-3)
        half, whole = left(replace(first, updates=500_000), "cpu"), left(first, "cpu")
        assert now.seconds_left == pytest.approx(3600 * (half + whole) / (AHEAD + whole - half), rel=1e-3)
        assert now.best == []
        writer.add([Run(spec=facts[0], group=first.key, metrics={"accuracy": 12.5})])
        then = seen(path)
        assert (then.done, then.running, then.waiting) == (1, 0, 1)
        assert then.seconds_left == pytest.approx(3600 * whole / (AHEAD + whole), rel=1e-3)
        assert [(row["split"], row["hidden"], row["runs"], row["mean"]) for row in then.best] == [("jump", 5, 1, 12.5)]
    after = seen(path)
    assert (after.done, after.waiting, after.writing, after.seconds_left) == (1, 1, False, None)


def test_a_group_that_ends_while_one_looks_is_not_counted_twice(two, monkeypatch) -> None:
    path, facts = two
    (first, *_) = grouped(facts, "cpu")
    with Writer(path) as writer:
        writer.record([first])
        writer.begin(first.key, {})
        writer.progress({}, noted(writer.ledger))

        def meanwhile(ledger):
            rows = under_way(ledger)
            writer.add([Run(spec=facts[0], group=first.key)])
            return rows

        monkeypatch.setattr("daxlab.sweep.status.under_way", meanwhile)
        now, then = seen(path), seen(path)
        assert (now.done, now.running, then.done, then.running) == (0, 1, 1, 0)


def test_before_there_is_a_pace_the_model_says_how_long_and_a_clock_that_jumps_says_nothing(two) -> None:
    path, facts = two
    with Writer(path) as writer:
        writer.record(grouped(facts, "cpu"))
        notes = noted(writer.ledger, workers=2)
        writer.progress({}, notes)
        assert seen(path).seconds_left == pytest.approx(notes["sweep"]["seconds"] / 2 + AHEAD, abs=1)
        notes["sweep"]["since"] = time.time() + 3600
        writer.progress({}, notes)
        assert (seen(path).runs_per_hour, seen(path).seconds_left) == (None, None)


def test_what_another_sweep_left_neither_waits_nor_takes_time_in_this_one(two) -> None:
    path, facts = two
    other = all_facts(Spec("simple", seed, Architecture()) for seed in range(50))
    whole, rest = grouped(other, "gpu")[0], grouped(facts, "gpu")[0]
    halves = [replace(rest, members=[fact]) for fact in facts]
    with Writer(path) as writer:
        writer.add([Run(spec=Spec("simple", 99, NARROW).facts(), metrics={"accuracy": 50})])
        writer.record([rest, whole])
        writer.progress({}, beginning(writer.ledger, [rest], ["jump"], "gpu", 1, 1))
        now = seen(path)
        assert (now.waiting, now.others, now.best) == (2, 50, [])
        assert now.seconds_left == pytest.approx(left(rest, "gpu") + ahead("gpu", 1), abs=1)
        writer.drop(rest.key)  # it did not fit in memory
        writer.record(halves)
        assert (seen(path).waiting, seen(path).others) == (2, 50)
    assert (seen(path).waiting, seen(path).others) == (52, 0)  # no sweep is under way: whichever is asked for goes on


def test_of_sentences_the_time_left_is_what_the_plan_has(tmp_path: Path) -> None:
    path, facts = tmp_path / "runs.db", Spec("simple", 0, Architecture()).facts()
    facts["language"] |= {"name": "built-in"}
    (group,) = grouped([facts], "cpu")
    with Writer(path) as writer:
        writer.record([group])
        writer.progress({}, noted(writer.ledger))
        assert further_words(Architecture(), "built-in") > 0
        assert seen(path).seconds_left == pytest.approx(left(group, "cpu") + AHEAD, abs=1)


def test_the_best_of_a_split_is_the_setting_with_the_best_mean(tmp_path: Path) -> None:
    accuracies = {("jump", 5): [1, 99], ("jump", 6): [60, 60], ("length", 5): [3, 2]}
    with Writer(tmp_path / "runs.db") as writer:
        for (split, hidden), values in accuracies.items():
            writer.add(
                Run(spec=Spec(split, seed, Architecture(hidden=hidden)).facts(), metrics={"accuracy": value})
                for seed, value in enumerate(values)
            )
    rows = [(row["split"], row["hidden"], row["mean"]) for row in seen(tmp_path / "runs.db").best]
    assert rows == [("jump", 6, 60), ("length", 5, 2.5)]


def test_the_driver_writes_down_what_is_under_way_and_how_far_but_not_at_every_step(two, monkeypatch) -> None:
    """The workers' part is played by an executor that looks at the ledger like another process would."""
    path, _ = two
    looked, written = [], []
    progress = Writer.progress
    monkeypatch.setattr(Writer, "progress", lambda *given: [written.append(given), progress(*given)])

    def execute(tasks, device, workers, stop):
        yield Started(tasks[0].group)
        looked.append(seen(path))
        for update in range(1, 401):
            yield Progress(tasks[0].group, update, (0.0,), (-1,))
        looked.append(seen(path))
        yield Finished(tasks[0].group, tuple(Run(spec=s.facts(), group=tasks[0].group) for s in tasks[0].members), {})
        looked.append(seen(path))
        yield Started(tasks[1].group)
        yield Progress(tasks[1].group, 200, (0.0,), (-1,))
        yield Stopped(tasks[1].group)

    monkeypatch.setattr(driver, "execute", execute)
    specs = [Spec("jump", seed, NARROW, Protocol(1000)) for seed in range(2)]
    assert sweep(specs, path).stopped
    assert [(now.done, now.running, now.waiting) for now in looked] == [(0, 1, 1), (0, 1, 1), (1, 0, 1)]
    assert [group.update for group in looked[1].groups] == [1]  # the first is written at once, the others wait
    assert len(written) <= 4
    with Ledger(path) as ledger:
        assert [row["updates"] for row in under_way(ledger)] == [200]  # what was stopped is known
    assert seen(path).waiting == 1


def test_what_came_otherwise_is_not_counted_with_the_group_that_trains_it(tmp_path: Path) -> None:
    path, facts = tmp_path / "runs.db", all_facts(Spec("jump", seed, NARROW) for seed in range(4))
    (group,) = grouped(facts, "gpu")
    with Writer(path) as writer:
        writer.record([group])
        writer.begin(group.key, {})
        writer.add([Run(spec=fact) for fact in facts[:3]])
        now = seen(path)
        assert (now.done, now.running, now.waiting) == (3, 1, 0)


def test_a_writer_that_is_no_sweep_is_not_taken_for_the_last_one(two) -> None:
    path, facts = two
    with Writer(path) as writer:
        writer.record(grouped(facts, "cpu"))
        writer.progress({}, noted(writer.ledger))
        assert seen(path).seconds_left is not None
    with Writer(path):
        now = seen(path)
        assert (now.runs_per_hour, now.seconds_left) == (None, None)


def test_compiling_is_not_taken_for_a_slow_pace(two) -> None:
    """Two of three steps are compiling and a twentieth of the work: what is left is not 20 times as long."""
    path, facts = two
    with Writer(path) as writer:
        groups = grouped(facts, "cpu")
        writer.record(groups)
        notes = noted(writer.ledger, workers=2)
        work = notes["sweep"]["seconds"] / 2 / 20
        notes["sweep"]["since"] = time.time() - AHEAD - work
        writer.progress({group.key: 50_000 for group in groups}, notes)
        assert seen(path).seconds_left == pytest.approx(19 * work, rel=0.1)
