"""The driver: what the ledger has is not trained again, what it lacks is, and nothing is lost in between.

Groups and the ledger are looked at here with executors that train nothing; test_local.py trains.
"""

import json
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Group, Ledger, Run, Writer, key
from daxlab.ledger.files import checkpoint, checkpoints
from daxlab.sweep import Spec, driver, plan_sweep, sweep, weights_of
from daxlab.sweep.status import status
from daxlab.sweep.task import Finished, Started, Stopped, TooLarge
from executors import at_once, stopped_with_checkpoint, untrained

SMALL = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=400)


def specs(tiny: Path, runs: int, **changes) -> list[Spec]:
    return [Spec("jump", seed, replace(SMALL, **changes), str(tiny)) for seed in range(runs)]


def all_fail(tasks, stop):
    """An executor whose runs all fail."""
    for task in tasks:
        yield Finished(task.group, untrained(task, status="failed", failed_at=3, reason="made up"), {})


def planned_sizes(asked: list[Spec], ledger: Path, **more) -> list[int]:
    return [len(group.members) for group in plan_sweep(asked, ledger, "gpu", **more).groups]


def test_what_the_ledger_has_is_not_trained_again(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    counts = [sweep(specs(tiny, runs), ledger, executor=at_once).trained for runs in (1, 1, 3, 2)]
    assert counts == [1, 0, 2, 0]


def test_a_clock_that_jumps_back_puts_nothing_out_of_order(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    clock = iter(range(2_000_000_000, 0, -86_400))
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))

    def execute(tasks, stop):
        for task in tasks:
            assert not stop()
            yield Finished(task.group, untrained(task, finished=time.time()), {})

    outcome = sweep(specs(tiny, 3), tmp_path / "runs.db", budget=3600, executor=execute)
    assert (outcome.trained, outcome.stopped) == (3, False)
    with Ledger(tmp_path / "runs.db") as known:
        rows = known.rows()
        assert [row["seed"] for row in rows] == [2, 1, 0]  # the latest first
        assert sorted(row["finished"] for row in rows) == [row["finished"] for row in rows]  # by its clock, the first


def test_runs_of_a_worker_with_another_version_are_refused(tiny: Path, tmp_path: Path) -> None:
    def execute(tasks, stop):
        for task in tasks:
            runs = tuple(Run(spec=s.facts() | {"semantics": -1}, group=task.group) for s in task.members)
            yield Finished(task.group, runs, {})

    with pytest.raises(InputError, match="is its daxlab the same as here"):
        sweep(specs(tiny, 1), tmp_path / "runs.db", executor=execute)
    with Ledger(tmp_path / "runs.db") as known:
        assert known.count() == 0


def test_a_group_that_does_not_fit_in_memory_is_halved_until_it_does(tiny: Path, tmp_path: Path) -> None:
    """The part of the card is played by an executor that holds two runs."""
    sizes = []

    def execute(tasks, stop):
        for task in tasks:
            sizes.append(len(task.members))
            if len(task.members) > 2:
                yield TooLarge(task.group, "RESOURCE_EXHAUSTED")
            else:
                yield Finished(task.group, untrained(task), {})

    outcome = sweep(specs(tiny, 5), tmp_path / "runs.db", device="gpu", executor=execute)
    assert sizes == [5, 2, 3, 1, 2]
    assert outcome.trained == 5
    assert len(outcome.said) == 2


def test_a_run_that_does_not_fit_in_memory_alone_is_an_error(tiny: Path, tmp_path: Path) -> None:
    def execute(tasks, stop):
        return (TooLarge(task.group, "no room") for task in tasks)

    with pytest.raises(InputError, match="one run alone does not fit"):
        sweep(specs(tiny, 2), tmp_path / "runs.db", device="gpu", executor=execute)


def test_groups_for_a_card_that_never_started_are_planned_again_for_the_cores(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    with Writer(ledger) as writer:
        writer.record(plan_sweep(asked, ledger, "gpu").groups)
    assert planned_sizes(asked, ledger) == [4]
    assert [len(group.members) for group in plan_sweep(asked, ledger, "cpu").groups] == [1, 1, 1, 1]
    assert sweep(asked, ledger, executor=at_once).trained == 4
    with Ledger(ledger) as known:
        assert {group.plan["device"] for group in known.groups("planned", "running", "done")} == {"cpu"}


def test_of_groups_that_never_started_only_what_is_asked_for_is_trained(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 8)
    halves = [plan_sweep(half, ledger, "gpu").groups[0] for half in (asked[:4], asked[4:])]
    with Writer(ledger) as writer:
        writer.record(halves)
        writer.begin(halves[0].key, {})  # and it was killed before it had trained anything
    assert planned_sizes(asked, ledger) == [8]
    assert planned_sizes(asked[:3] + asked[6:], ledger) == [5]
    for some, new in (asked[:3], 3), (asked, 5), (asked, 0):
        expected = {group.key for group in plan_sweep(some, ledger, "gpu").groups}
        events = []
        assert sweep(some, ledger, device="gpu", executor=at_once, show=events.append).trained == new
        assert {event.group for event in events if isinstance(event, Finished)} == expected
    with Ledger(ledger) as known:
        assert known.count() == 8
        assert not known.under_way()


def test_a_group_that_has_begun_is_resumed_as_it_was(tiny: Path, tmp_path: Path) -> None:
    ledger, folder, asked = tmp_path / "runs.db", tmp_path / "elsewhere", specs(tiny, 4)
    (group,) = plan_sweep(asked, ledger, "gpu").groups
    with Writer(ledger) as writer:
        writer.record([group])
    assert planned_sizes(asked[:1], ledger) == [1]
    folder.mkdir()
    checkpoint(folder, group.key).touch()
    assert planned_sizes(asked[:1], ledger, checkpoint_folder=folder) == [4]
    with Writer(ledger) as writer:
        writer.progress({group.key: 200})
    assert planned_sizes(asked[:1], ledger) == [4]  # its checkpoint may lie in another folder


def test_a_forgotten_folder_of_checkpoints_costs_nothing(tiny: Path, tmp_path: Path) -> None:
    ledger, folder, asked = tmp_path / "runs.db", tmp_path / "elsewhere", specs(tiny, 3)

    def breaks(tasks, stop):
        yield Started(tasks[0].group)
        raise InputError("there is no GPU here")

    sweep(asked[:2], ledger, device="gpu", checkpoint_folder=folder, executor=stopped_with_checkpoint)
    (kept,) = folder.iterdir()
    with pytest.raises(InputError, match="no GPU"):
        sweep(asked, ledger, device="gpu", executor=breaks)
    sweep(asked, ledger, device="gpu", checkpoint_folder=folder, executor=stopped_with_checkpoint)
    assert kept.exists()
    assert planned_sizes(asked, ledger, checkpoint_folder=folder) == [2, 1]


def test_groups_of_several_widths_are_planned_again(tiny: Path, tmp_path: Path) -> None:
    """Earlier versions padded them to one."""
    ledger, asked = tmp_path / "runs.db", [*specs(tiny, 1), *specs(tiny, 1, hidden=9)]
    group = Group(members=[spec.facts() for spec in asked], plan={"device": "gpu"})
    with Writer(ledger) as writer:
        writer.record([group])
        writer.progress({group.key: 200})
    assert planned_sizes(asked, ledger) == [1, 1]
    assert sweep(asked, ledger, device="gpu", executor=at_once).trained == 2


def test_a_retry_that_is_stopped_says_so_and_is_resumed(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 3)

    def stops(tasks, stop):
        for task in tasks:
            yield Stopped(task.group)

    assert sweep(asked, ledger, executor=all_fail).trained == 3
    outcome = sweep(asked, ledger, retry_failed=True, executor=stops)
    assert (outcome.trained, outcome.stopped) == (0, True)
    with Ledger(ledger) as known:
        assert (status(known).waiting, status(known).failed) == (3, 0)
    assert sweep(asked, ledger, executor=all_fail).trained == 3  # what started is resumed, retried or not
    assert not sweep(asked, ledger, retry_failed=True, executor=all_fail).stopped


def test_an_error_during_retry_keeps_failed_runs(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    sweep(asked, ledger, executor=all_fail)
    with Ledger(ledger) as known:
        before = {name: known.run(name) for name in known.select()}

    def execute(tasks, stop):
        yield Started(tasks[0].group)  # a worker has it, and finds out
        raise InputError("there is no GPU here")

    with pytest.raises(InputError, match="no GPU"):
        sweep(asked, ledger, retry_failed=True, executor=execute)
    with Ledger(ledger) as known:
        assert {name: replace(known.run(name), group=run.group) for name, run in before.items()} == before
        assert not known.under_way()


def test_ctrl_c_twice_during_retry_keeps_failed_runs(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    sweep(asked, ledger, executor=all_fail)

    def interrupted(tasks, stop):
        yield Started(tasks[0].group)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(asked, ledger, retry_failed=True, executor=interrupted)
    with Ledger(ledger) as known:
        assert known.status()["failed"] == 2


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_crash_during_retry_keeps_failed_runs(tiny: Path, tmp_path: Path, monkeypatch, error) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    sweep(asked, ledger, executor=all_fail)

    def crash(*_):
        raise error

    with monkeypatch.context() as patch, pytest.raises(error):
        patch.setattr(driver, "_planned", crash)
        sweep(asked, ledger, retry_failed=True, executor=all_fail)
    with Ledger(ledger) as known:
        assert known.status()["failed"] == 2
    assert sweep(asked, ledger, retry_failed=True, executor=all_fail).trained == 2


def test_failed_runs_stay_failed_where_the_disk_is_too_full_to_plan_a_retry(tiny, tmp_path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    sweep(asked, ledger, executor=all_fail)

    def no_room(self, groups) -> None:
        raise InputError("no room")

    with monkeypatch.context() as patch, pytest.raises(InputError, match="no room"):
        patch.setattr(Writer, "record", no_room)
        sweep(asked, ledger, retry_failed=True, executor=all_fail)
    with Ledger(ledger) as known:
        assert known.count({"status": "failed"}) == 2
    assert sweep(asked, ledger, retry_failed=True, executor=all_fail).trained == 2


def test_runs_that_came_from_elsewhere_keep_their_results_and_weights(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    with Writer(ledger) as writer:
        writer.record(plan_sweep(asked, ledger, "gpu").groups)
        writer.add([Run(spec=asked[0].facts(), metrics={"accuracy": 90.0})])
    assert planned_sizes(asked, ledger) == [3]
    assert sweep(asked, ledger, device="gpu", executor=stopped_with_checkpoint).stopped
    with Writer(ledger) as writer:
        writer.add([Run(spec=asked[1].facts(), metrics={"accuracy": 90.0})])
    path = weights_of(ledger, key(asked[1].facts()))
    path.parent.mkdir()
    path.write_bytes(b"its own")
    assert planned_sizes(asked, ledger) == [3]

    def ends(tasks, stop):
        for task in tasks:
            runs = untrained(task, metrics={"accuracy": 10.0})
            yield Finished(task.group, runs, {run.key: b"another's" for run in runs})

    assert sweep(asked, ledger, device="gpu", executor=ends).trained == 2
    assert path.read_bytes() == b"its own"
    with Ledger(ledger) as known:
        assert known.run(path.stem).metrics["accuracy"] == 90.0


def test_an_error_keeps_only_the_groups_that_have_a_checkpoint(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", [*specs(tiny, 2), *specs(tiny, 2, hidden=9)]
    planned = [group.key for group in plan_sweep(asked, ledger, "gpu").groups]

    def execute(tasks, stop):
        yield from islice(stopped_with_checkpoint(tasks, stop), 3)  # the second has no checkpoint yet
        raise InputError("there is no room")

    with pytest.raises(InputError, match="no room"):
        sweep(asked, ledger, device="gpu", executor=execute)
    with Ledger(ledger) as known:
        assert [group.status for group in known.groups()] == ["running", "dropped"]
    assert [group.key for group in plan_sweep(asked, ledger, "gpu").groups] == planned  # the same command goes on


def test_a_checkpoint_of_a_finished_group_is_removed(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    sweep(specs(tiny, 1), ledger, executor=at_once)
    with Ledger(ledger) as known:
        (group,) = known.groups("done")
    left = checkpoint(checkpoints(ledger), group.key)
    left.parent.mkdir()
    left.write_bytes(b"by a driver that was killed")
    others = left.with_stem("0" * 64)
    others.write_bytes(b"another ledger's")
    assert sweep(specs(tiny, 1), ledger, executor=at_once).trained == 0
    assert not left.exists() and others.exists()


def test_checkpoints_and_drafts_of_groups_that_ended_are_removed(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    halves = plan_sweep(asked, ledger, "cpu").groups
    with Writer(ledger) as writer:
        writer.record(halves)
        writer.drop(halves[0].key)
    folder = checkpoints(ledger)
    folder.mkdir()
    stays = [checkpoint(folder, halves[1].key).with_suffix(".damaged"), folder / "mine.safetensors"]
    goes = [checkpoint(folder, halves[0].key), folder / f".{halves[0].key}.safetensors.0badcafe"]
    for path in (*stays, *goes):
        path.touch()
    sweep(asked, ledger, executor=at_once)
    assert set(folder.iterdir()) == set(stays)


def test_a_group_that_started_is_resumed_where_its_grammar_lies_now(tiny: Path, tmp_path: Path) -> None:
    """All of its runs, though only some of them are asked for."""
    before, after, ledger = tmp_path / "one.grammar", tmp_path / "two.grammar", tmp_path / "runs.db"
    before.write_bytes(tiny.read_bytes())
    assert sweep(specs(before, 4), ledger, device="gpu", executor=stopped_with_checkpoint).stopped
    before.rename(after)
    assert sweep(specs(after, 2), ledger, device="gpu", executor=at_once).trained == 4


def test_a_group_that_no_longer_fits_in_memory_keeps_its_checkpoint(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    assert sweep(asked, ledger, device="gpu", executor=stopped_with_checkpoint).stopped

    def too_large(tasks, stop):
        return (TooLarge(task.group, "no room") for task in tasks)

    with pytest.raises(InputError, match="checkpoint is kept"):
        sweep(asked, ledger, device="gpu", executor=too_large)
    (kept,) = checkpoints(ledger).iterdir()
    assert kept.read_bytes() == b"fifty updates"
    with Ledger(ledger) as known:
        assert [(group.status, group.updates) for group in known.groups("planned", "running")] == [("planned", 50)]


def with_weights(tasks, stop):
    """An executor whose runs have weights."""
    for task in tasks:
        yield Finished(task.group, untrained(task), dict.fromkeys(task.keys, b"weights"))


def test_a_link_to_a_ledger_is_the_same_ledger(tiny: Path, tmp_path: Path) -> None:
    ledger, link = tmp_path / "runs.db", tmp_path / "link.db"
    link.symlink_to(ledger)
    with Writer(ledger), pytest.raises(InputError, match="is being written by another process"):
        sweep(specs(tiny, 1), link, executor=with_weights)
    (name,) = sweep(specs(tiny, 1), link, executor=with_weights).keys
    assert weights_of(ledger, name).exists()
    assert sweep(specs(tiny, 1), ledger, executor=with_weights).trained == 0
    assert not list(tmp_path.glob("link.db?*"))


def test_weights_of_a_deleted_run_are_not_taken_for_the_next_one_s(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 1)
    (name,) = sweep(asked, ledger, executor=with_weights).keys
    draft = weights_of(ledger, name).with_name(f".{name}.safetensors.00000000")
    draft.touch()
    with Writer(ledger) as writer:
        writer.delete([name])
    assert weights_of(ledger, name).exists()
    assert sweep(asked, ledger, keep_weights=False, executor=at_once).trained == 1
    assert not list(draft.parent.iterdir())


@pytest.mark.parametrize(
    ("given", "complaint"),
    [({"executor": "dask"}, "an executor is local or ray"), ({"address": "auto"}, "say --executor ray too")],
)
def test_an_unknown_executor_is_an_error_before_anything_is_written(tiny, tmp_path: Path, given, complaint) -> None:
    with pytest.raises(InputError, match=complaint):
        sweep(specs(tiny, 1), tmp_path / "runs.db", **given)
    assert not list(tmp_path.iterdir())


def test_a_spec_is_read_back_from_its_facts_unless_its_data_has_changed(tiny: Path) -> None:
    (one,) = specs(tiny, 1)
    assert Spec.of(json.loads(json.dumps(one.facts()))) == one
    assert key(one.facts()) != key(replace(one, seed=1).facts())
    with pytest.raises(InputError, match="split of this run is no longer what it was"):
        Spec.of(one.facts() | {"split": {"name": "jump", "digest": "0" * 64}})
