"""What the ledger has is not trained again; what it lacks is; whatever happens in between, nothing is lost."""

import ast
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.protocol import Protocol
from daxlab.runs import Ledger, Run, Writer, key
from daxlab.runs.places import checkpoint, checkpoints
from daxlab.runs.progress import under_way
from daxlab.sweep import Architecture, Spec, driver, foreseen, local, sweep, weights_of
from daxlab.sweep.status import status
from daxlab.sweep.task import Finished, Progress, Started, Stopped, Task, TooLarge

SMALL = Architecture("lstm", 1, 8, attention=True, dropout=0.1)


def specs(tiny: Path, runs: int, updates: int = 400, **changes) -> list[Spec]:
    protocol = replace(Protocol(updates=updates), **changes)
    return [Spec("jump", seed, SMALL, protocol, str(tiny)) for seed in range(runs)]


def task(specs: list[Spec]) -> Task:
    return Task("a group", tuple(specs), tuple(key(one.facts()) for one in specs), None)


def weights(ledger: Path) -> dict[str, str]:
    """sha256 of every run's final weights."""
    files = weights_of(ledger, "x").parent.glob("*.safetensors")
    return {file.stem: sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def whole(tiny, tmp_path_factory) -> Path:
    """A ledger of two runs that nothing interrupted."""
    ledger = tmp_path_factory.mktemp("whole") / "runs.db"
    outcome = sweep(specs(tiny, 2, updates=6_000), ledger)
    assert (outcome.trained, outcome.stopped) == (2, False)
    return ledger


def test_a_run_leaves_metrics_a_curve_predictions_and_weights(tiny: Path, whole: Path) -> None:
    with Ledger(whole) as ledger:
        (name,) = ledger.select({"seed": 1})
        run = ledger.run(name)
    assert run.status == "done"
    assert 0 <= run.metrics["accuracy"] <= 100
    assert run.metrics["train_accuracy"] > 90  # it is a very small language
    assert run.curve["update"] == [6_000]
    assert set(run.artefacts) == {"greedy", "oracle", "likelihoods", "named", "neighbours", "attention"}
    assert run.origin["platform"] == "cpu"
    assert name in weights(whole)


def test_asked_again_nothing_is_trained_and_asked_for_more_only_the_rest_is(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    first = sweep(specs(tiny, 1), ledger)
    before = weights(ledger)
    again, more = sweep(specs(tiny, 1), ledger), sweep(specs(tiny, 2), ledger)
    assert (first.trained, again.trained, more.trained) == (1, 0, 1)
    assert before.items() < weights(ledger).items()


def test_the_budget_stops_and_the_next_call_comes_to_the_same_bits(tiny: Path, whole: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    stopped = sweep(specs(tiny, 2, updates=6_000), ledger, budget=0.0)
    assert (stopped.stopped, stopped.trained) == (True, 0)
    assert sweep(specs(tiny, 2, updates=6_000), ledger).trained == 2
    assert weights(ledger) == weights(whole)
    assert not list(driver.checkpoints(ledger).glob("*.safetensors"))


def test_what_was_finished_in_time_was_not_stopped(tiny: Path, tmp_path: Path) -> None:
    outcome = sweep(specs(tiny, 1, updates=200), tmp_path / "runs.db", budget=2.0)  # about over before its one chunk is
    assert (outcome.trained, outcome.stopped) == (1, False)


def test_a_checkpoint_that_cannot_be_written_is_a_sentence(tiny: Path, tmp_path: Path) -> None:
    driver.checkpoints(tmp_path / "runs.db").touch()
    with pytest.raises(InputError, match="cannot make the folder"):
        sweep(specs(tiny, 1), tmp_path / "runs.db")


def flipped(content: bytes) -> bytes:
    """A byte of a tensor as a failing disk might return it."""
    return content[:-100] + bytes([content[-100] ^ 64]) + content[-99:]


@pytest.mark.parametrize("damaged", [lambda content: content[:1000], flipped, lambda content: b""])
def test_a_damaged_checkpoint_is_set_aside_and_its_runs_train_from_their_start(
    tiny: Path, whole: Path, tmp_path: Path, damaged: Callable[[bytes], bytes]
) -> None:
    ledger, events = tmp_path / "runs.db", []
    assert sweep(specs(tiny, 1, updates=6_000), ledger, show=interrupt_at_first_progress()).stopped
    (checkpoint,) = driver.checkpoints(ledger).glob("*.safetensors")
    bad = damaged(checkpoint.read_bytes())
    checkpoint.write_bytes(bad)
    with pytest.raises(InputError, match="delete it to train these runs from their start"):
        sweep(specs(tiny, 1, updates=6_000), ledger, set_aside=False)
    assert checkpoint.read_bytes() == bad
    outcome = sweep(specs(tiny, 1, updates=6_000), ledger, show=events.append)
    assert outcome.trained == 1
    assert next(event.update for event in events if isinstance(event, Progress)) == 200
    assert "set aside" in outcome.said[0] and checkpoint.name in outcome.said[0]
    assert [file.read_bytes() for file in driver.checkpoints(ledger).iterdir()] == [bad]
    assert weights(ledger).items() < weights(whole).items()


def test_a_full_disk_is_a_sentence_and_with_room_it_goes_on(
    daxlab, no_room, tiny: Path, whole: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "runs.db"
    small = command(tiny, ledger)[3:]
    for room in (10_000, 150_000):  # not for a ledger; for one, but not with its runs
        full = daxlab(*small, preexec_fn=no_room(room))
        assert full.returncode == 2 and str(tmp_path) in full.stderr and "Traceback" not in full.stderr, full.stderr
    done = daxlab(*small)
    assert [run["status"] for run in json.loads(done.stdout)["runs"]] == ["done", "done"]
    assert weights(ledger) == weights(whole)


def test_a_clock_that_jumps_back_puts_nothing_out_of_order(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    clock = iter(range(2_000_000_000, 0, -86_400))
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))

    def execute(tasks, device, workers, stop):
        for task in tasks:
            assert not stop()
            runs = tuple(Run(spec=s.facts(), group=task.group, finished=time.time()) for s in task.members)
            yield Finished(task.group, runs, {})

    monkeypatch.setattr(driver, "execute", execute)
    outcome = sweep(specs(tiny, 3), tmp_path / "runs.db", budget=3600)
    assert (outcome.trained, outcome.stopped) == (3, False)
    with Ledger(tmp_path / "runs.db") as known:
        rows = known.rows()
        assert [row["seed"] for row in rows] == [2, 1, 0]  # the latest first
        assert sorted(row["finished"] for row in rows) == [row["finished"] for row in rows]  # by its clock, the first


def test_a_worker_of_another_version_is_found_out(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    def execute(tasks, device, workers, stop):
        for task in tasks:
            runs = tuple(Run(spec=s.facts() | {"semantics": -1}, group=task.group) for s in task.members)
            yield Finished(task.group, runs, {})

    monkeypatch.setattr(driver, "execute", execute)
    with pytest.raises(InputError, match="is its daxlab the same as here"):
        sweep(specs(tiny, 1), tmp_path / "runs.db")
    with Ledger(tmp_path / "runs.db") as known:
        assert known.count() == 0


def interrupt_at_first_progress():
    """What Ctrl-C does to the driver, as soon as there is something to lose."""

    def show(event) -> None:
        if getattr(event, "update", 0) == 200:
            os.kill(os.getpid(), signal.SIGINT)

    return show


def command(tiny: Path, ledger: Path, *more: str) -> list[str]:
    return [
        *(sys.executable, "-m", "daxlab", "train", "--split", "jump"),
        *("--language", str(tiny), "--layers", "1", "--hidden", "8", "--attention", "--dropout", "0.1"),
        *("--runs", "2", "--updates", "6000", "--ledger", str(ledger), "--checkpoint-every", "0.05", "--json", *more),
    ]


def test_ctrl_c_stops_at_a_checkpoint_and_says_how_to_go_on(tiny: Path, whole: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    with subprocess.Popen(command(tiny, ledger), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "2 runs in 2 groups" in process.stderr.readline()  # what it will take
        assert "update" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=120)
    assert process.returncode == 3, told
    assert json.loads(said)["complete"] is False
    assert told.count("Ctrl-C again stops at once") == 1
    assert "Run the same command again to go on" in told
    done = subprocess.run(command(tiny, ledger), capture_output=True, check=True)
    assert [run["status"] for run in json.loads(done.stdout)["runs"]] == ["done", "done"]
    assert weights(ledger) == weights(whole)


def killed_at_random(tiny: Path, ledger: Path, times: int, longest: float) -> None:
    """Starts the command over and over, and kills it with all its workers at uniformly random moments."""
    chance = random.Random(times)
    for _ in range(times):
        process = subprocess.Popen(command(tiny, ledger), start_new_session=True, stdout=-3, stderr=-3)
        time.sleep(chance.uniform(0, longest))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_comes_to_the_same_bits(
    tiny: Path, whole: Path, tmp_path: Path, times: int
) -> None:
    ledger = tmp_path / "runs.db"
    start = time.monotonic()
    subprocess.run(command(tiny, tmp_path / "other.db"), capture_output=True, check=True)
    killed_at_random(tiny, ledger, times, time.monotonic() - start)
    done = json.loads(subprocess.run(command(tiny, ledger), capture_output=True, check=True).stdout)
    assert [run["seed"] for run in done["runs"]] == [0, 1]
    assert weights(ledger) == weights(whole)
    with Ledger(ledger) as known:
        known.check()
        assert known.count() == 2


def worker_killed() -> int:
    """Kills a worker of this process."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    worker = next(int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes())
    os.kill(worker, signal.SIGKILL)
    return worker


def test_a_worker_that_is_killed_is_replaced(tiny: Path, whole: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    killed = []

    def show(event) -> None:
        if not killed and getattr(event, "update", 0):
            killed.append(worker_killed())

    outcome = sweep(specs(tiny, 2, updates=6_000), ledger, show=show)
    assert killed
    assert outcome.trained == 2
    assert weights(ledger) == weights(whole)


def test_where_they_take_turns_one_trains_at_a_time_even_after_one_died(
    tiny: Path, whole: Path, tmp_path: Path, monkeypatch
) -> None:
    """As on a card, whose part is played by two cores."""
    ledger, heard, killed = tmp_path / "runs.db", [], []
    place = local._Place("cpu", 2, turns=tmp_path)
    monkeypatch.setattr(local, "_place", lambda device, workers: nullcontext(place))

    def show(event) -> None:
        if isinstance(event, Progress):
            heard.append(event.group)
        if not killed and heard:
            killed.append(worker_killed())

    assert sweep(specs(tiny, 2, updates=6_000), ledger, show=show).trained == 2
    assert weights(ledger) == weights(whole)
    changes = sum(a != b for a, b in pairwise(heard))
    assert changes <= 2  # the first, the second when the first died, the first again


def test_a_run_whose_loss_explodes_has_failed_and_counts_as_done(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    wild = specs(tiny, 1, learning_rate=1e30)
    assert sweep(wild, ledger).trained == 1
    with Ledger(ledger) as known:
        (row,) = known.rows()
    assert row["status"] == "failed"
    assert 0 < row["failed_at"] < 400
    assert row["accuracy"] is None
    assert sweep(wild, ledger).trained == 0
    assert sweep(wild, ledger, retry_failed=True).trained == 1


def test_a_run_that_failed_is_recorded_as_such_though_its_answers_have_no_likelihoods(tiny: Path) -> None:
    """At such a rate losses are no numbers after three updates, and likelihoods neither."""
    from daxlab.sweep.worker import work

    wild = specs(tiny, 6, learning_rate=1e19)
    done = work(task([replace(one, architecture=replace(SMALL, dropout=0.0)) for one in wild]), print)
    assert {run.status for run in done.runs} == {"failed"} and not done.weights


def test_a_group_that_does_not_fit_is_halved_until_it_does(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    """The card's part is played by an executor that holds two runs."""
    sizes = []

    def execute(tasks, device, workers, stop):
        for task in tasks:
            sizes.append(len(task.members))
            if len(task.members) > 2:
                yield TooLarge(task.group, "RESOURCE_EXHAUSTED")
            else:
                yield Finished(task.group, tuple(Run(spec=s.facts(), group=task.group) for s in task.members), {})

    monkeypatch.setattr(driver, "execute", execute)
    outcome = sweep(specs(tiny, 5), tmp_path / "runs.db", device="gpu")
    assert sizes == [5, 2, 3, 1, 2]
    assert outcome.trained == 5
    assert len(outcome.said) == 2


@pytest.mark.parametrize("words", ["", "RESOURCE_EXHAUSTED: 5 GB\nat some place"])
def test_a_group_is_too_large_in_pythons_words_as_in_xlas(tiny: Path, monkeypatch, words: str) -> None:
    from daxlab.sweep import compiled, process, worker

    def work(*given):
        raise RuntimeError(words) if words else MemoryError

    monkeypatch.setattr(worker, "work", work)
    monkeypatch.setattr(compiled, "remember", lambda: None)
    reason = words.partition("\n")[0] or "MemoryError"
    assert process.outcome(task(specs(tiny, 2)), "cpu", lambda event: None) == TooLarge("a group", reason)


def test_what_was_planned_for_a_card_and_never_began_is_planned_anew_for_the_cores(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    asked = specs(tiny, 4)
    with Writer(ledger) as writer:
        writer.record(foreseen(asked, ledger, "gpu").groups)
    assert [len(group.members) for group in foreseen(asked, ledger, "gpu").groups] == [4]
    assert [len(group.members) for group in foreseen(asked, ledger, "cpu").groups] == [1, 1, 1, 1]
    assert sweep(asked, ledger).trained == 4
    with Ledger(ledger) as known:
        assert {group.plan["device"] for group in known.groups(("planned", "running", "done"))} == {"cpu"}


def trains_at_once(tasks, device, workers, stop):
    """An executor whose every group is trained as soon as it is asked for."""
    for task in tasks:
        yield Finished(task.group, tuple(Run(spec=s.facts(), group=task.group) for s in task.members), {})


def foreseen_sizes(asked: list[Spec], ledger: Path, **more) -> list[int]:
    return [len(group.members) for group in foreseen(asked, ledger, "gpu", **more).groups]


def test_of_groups_that_never_began_only_what_is_asked_for_is_trained(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 8)
    halves = [foreseen(half, ledger, "gpu").groups[0] for half in (asked[:4], asked[4:])]
    with Writer(ledger) as writer:
        writer.record(halves)
        writer.begin(halves[0].key, {})  # and it was killed before it had trained anything
        assert foreseen_sizes(asked[:3], ledger) == [4]  # while it is alive, that may be under way
    assert foreseen_sizes(asked, ledger) == [4, 4]  # all of it is trained as it was planned
    assert foreseen_sizes(asked[:3] + asked[6:], ledger) == [5]
    monkeypatch.setattr(driver, "execute", trains_at_once)
    for some, new in (asked[:3], 3), (asked, 5), (asked, 0):
        expected = {group.key for group in foreseen(some, ledger, "gpu").groups}
        events = []
        assert sweep(some, ledger, device="gpu", show=events.append).trained == new
        assert {event.group for event in events if isinstance(event, Finished)} == expected
    with Ledger(ledger) as known:
        assert known.count() == 8
        assert not under_way(known)


@pytest.mark.parametrize("begun", ["by its updates", "by its checkpoint"])
def test_a_group_that_began_goes_on_as_it_was_whatever_is_asked_for(tiny: Path, tmp_path: Path, begun: str) -> None:
    ledger, folder, asked = tmp_path / "runs.db", tmp_path / "elsewhere", specs(tiny, 4)
    (group,) = foreseen(asked, ledger, "gpu").groups
    with Writer(ledger) as writer:
        writer.record([group])
        if begun == "by its updates":
            writer.progress({group.key: 200})
    folder.mkdir()
    if begun == "by its checkpoint":
        (folder / f"{group.key}.safetensors").touch()
    assert foreseen_sizes(asked[:1], ledger, checkpoint_folder=folder) == [4]


def test_a_retry_that_is_stopped_says_so(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    wild = specs(tiny, 3, learning_rate=1e30)
    assert sweep(wild, ledger).trained == 3
    one = sweep(wild, ledger, retry_failed=True, workers=1, budget=0)
    assert (one.trained, one.stopped) == (0, True)
    with Ledger(ledger) as known:
        assert (status(known).waiting, status(known).failed) == (3, 0)
    assert sweep(wild, ledger).trained == 3  # what was begun goes on, asked for again or not
    assert not sweep(wild, ledger, retry_failed=True).stopped


def test_a_retry_that_cannot_be_forgets_nothing(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    ledger = tmp_path / "runs.db"
    wild = specs(tiny, 2, learning_rate=1e30)
    sweep(wild, ledger)
    with Ledger(ledger) as known:
        before = {name: known.run(name) for name in known.select()}

    def execute(tasks, *_):
        yield Started(tasks[0].group)  # a worker has it, and finds out
        raise InputError("there is no GPU here")

    monkeypatch.setattr(driver, "execute", execute)
    with pytest.raises(InputError, match="no GPU"):
        sweep(wild, ledger, retry_failed=True)
    with Ledger(ledger) as known:
        assert {name: replace(known.run(name), group=run.group) for name, run in before.items()} == before
        assert not under_way(known)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nor_does_one_that_breaks(tiny: Path, tmp_path: Path, monkeypatch, error) -> None:
    ledger, wild = tmp_path / "runs.db", specs(tiny, 2, learning_rate=1e30)
    sweep(wild, ledger)

    def planned(*_):
        raise error

    monkeypatch.setattr(driver, "_planned", planned)
    with pytest.raises(error):
        sweep(wild, ledger, retry_failed=True)
    with Ledger(ledger) as known:
        assert known.status()["failed"] == 2


def begun(tasks, device, workers, stop):
    """An executor that is stopped when every group has just begun."""
    for task in tasks:
        yield Started(task.group)
        yield Progress(task.group, 200, (0.0,) * len(task.members), (-1,) * len(task.members))
    for task in tasks:
        yield Stopped(task.group)


def test_what_came_otherwise_is_not_trained_again_unless_its_group_began(tiny, tmp_path: Path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    with Writer(ledger) as writer:
        writer.record(foreseen(asked, ledger, "gpu").groups)
        writer.add([Run(spec=asked[0].facts(), metrics={"accuracy": 90.0})])
    assert foreseen_sizes(asked, ledger) == [3]
    monkeypatch.setattr(driver, "execute", begun)
    assert sweep(asked, ledger, device="gpu").stopped
    with Writer(ledger) as writer:
        writer.add([Run(spec=asked[1].facts(), metrics={"accuracy": 90.0})])
    path = weights_of(ledger, key(asked[1].facts()))
    path.parent.mkdir()
    path.write_bytes(b"its own")
    assert foreseen_sizes(asked, ledger) == [3]
    assert foreseen(asked, ledger, "gpu").groups[0].updates == 0  # there is no checkpoint, so all is to do again
    plans = []
    assert sweep(asked, ledger, device="gpu", budget=0, show=plans.append).stopped
    assert [group.updates for group in plans[0].groups] == [0]

    def ends(tasks, device, workers, stop):
        for task in tasks:
            runs = tuple(Run(spec=s.facts(), group=task.group, metrics={"accuracy": 10.0}) for s in task.members)
            yield Finished(task.group, runs, {run.key: b"another's" for run in runs})

    monkeypatch.setattr(driver, "execute", ends)
    assert sweep(asked, ledger, device="gpu").trained == 2
    assert path.read_bytes() == b"its own"
    with Ledger(ledger) as known:
        assert known.run(path.stem).metrics["accuracy"] == 90.0


def test_on_a_full_disk_what_had_begun_stays_as_it_was(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    halves = [foreseen(half, ledger, "gpu").groups[0] for half in (asked[:2], asked[2:])]
    with Writer(ledger) as writer:
        writer.record(halves)

    def execute(*given):
        yield from islice(begun(*given), 2)
        raise InputError("there is no room")

    monkeypatch.setattr(driver, "execute", execute)
    with pytest.raises(InputError, match="no room"):
        sweep(asked, ledger, device="gpu")
    assert {group.key for group in foreseen(asked, ledger, "gpu").groups} == {group.key for group in halves}
    with Ledger(ledger) as known:
        assert sorted(group.status for group in known.groups()) == ["planned", "running"]


def test_the_checkpoint_of_a_group_that_is_done_is_removed_whoever_left_it(tiny: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    sweep(specs(tiny, 1), ledger)
    with Ledger(ledger) as known:
        (group,) = known.groups("done")
    left = checkpoint(checkpoints(ledger), group.key)
    left.write_bytes(b"by a driver that was killed")
    others = left.with_stem("0" * 64)
    others.write_bytes(b"another ledger's")
    assert sweep(specs(tiny, 1), ledger).trained == 0
    assert not left.exists() and others.exists()


@pytest.mark.parametrize(
    ("given", "half"),
    [
        ({}, 0.45),
        ({"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.8"}, 0.4),
        ({"XLA_CLIENT_MEM_FRACTION": "0.6"}, 0.3),
    ],
)
def test_two_workers_share_what_the_user_gives_of_a_card(given: dict[str, str], half: float) -> None:
    code = "from daxlab.sweep.process import prepare; import os; prepare('gpu', 2); print(dict(os.environ))"
    clean = {name: value for name, value in os.environ.items() if "MEM_FRACTION" not in name}
    run = subprocess.run([sys.executable, "-c", code], env=clean | given, capture_output=True, text=True, check=True)
    found = ast.literal_eval(run.stdout)
    assert float(found["XLA_CLIENT_MEM_FRACTION"]) == half
    assert "XLA_PYTHON_CLIENT_MEM_FRACTION" not in found


def test_a_gpu_that_is_not_there_is_a_sentence_and_the_cpu_goes_on(tiny: Path, tmp_path: Path) -> None:
    if any(Path("/dev").glob("nvidia*")):
        pytest.skip("there is a GPU")
    ledger = tmp_path / "runs.db"
    with pytest.raises(InputError, match="there is no GPU here"):
        sweep(specs(tiny, 2), ledger, device="gpu")
    assert sweep(specs(tiny, 2), ledger).trained == 2


def test_a_spec_is_what_it_was_written_down_as(tiny: Path) -> None:
    (one,) = specs(tiny, 1)
    assert Spec.of(json.loads(json.dumps(one.facts()))) == one
    assert key(one.facts()) != key(replace(one, seed=1).facts())
    with pytest.raises(InputError, match="split of this run is no longer what it was"):
        Spec.of(one.facts() | {"split": {"name": "jump", "digest": "0" * 64}})


def test_a_split_that_is_asked_for_twice_by_whatever_name_is_told_once(daxlab, tiny: Path, tmp_path) -> None:
    small = ["--language", tiny, "--layers", "1", "--hidden", "8", "--runs", "2", "--updates", "200", "--json"]
    twice = ["train", "--split", "simple-seed0", "--split", "simple", *small, "--ledger", tmp_path / "runs.db"]
    told = json.loads(daxlab(*twice).stdout)["runs"]
    assert [(run["split"], run["seed"]) for run in told] == [("simple", 0), ("simple", 1)]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--split", "jmp"], "did you mean 'jump'"),
        (["--split", "jump", "--dropout", "1.5"], "dropout is a share"),
        (["--split", "jump", "--hidden", "-3"], "hidden must be at least 1"),
        (["--split", "jump", "--layers", "0"], "layers must be at least 1"),
        (["--split", "jump", "--cell", "lstn"], "no cell is called 'lstn'"),
        (["--split", "jump", "--runs", "0"], "runs must be between"),
        (["--split", "jump", "--seed", "-1"], "a seed is a whole number"),
        (["--split", "jump", "--updates", "0"], "updates must be a positive"),
        (["--split", "jump", "--device", "tpu"], "a device is auto, cpu or gpu"),
        (["--split", "jump", "--budget", "soon"], "a budget is a time such as"),
        (["--split", "jump", "--ledger", "."], "is a directory"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    done = daxlab("train", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_network_is_asked_and_answers_as_the_ledger_says(daxlab, tiny: Path, whole: Path, tmp_path: Path) -> None:
    with Ledger(whole) as ledger:
        (row,) = ledger.rows({"seed": 0})
    found = json.loads(daxlab("evaluate", row["key"][:10], "--ledger", whole, "--json").stdout)
    assert found["accuracy"] == pytest.approx(row["accuracy"])
    oracle = json.loads(daxlab("evaluate", row["key"][:10], "--oracle-length", "--ledger", whole, "--json").stdout)
    assert oracle["accuracy"] == pytest.approx(row["oracle_accuracy"])
    answer = json.loads(daxlab("predict", row["key"], "walk twice", "--ledger", whole, "--json").stdout)
    assert answer["actions"] == ["WALK", "WALK"]
    assert [round(sum(step), 4) for step in answer["attention"]] == [1.0] * 3
    drawn = tmp_path / "map.svg"
    daxlab("predict", row["key"], "walk", "twice", "--ledger", whole, "--attention-map", drawn)
    assert "twice" in drawn.read_text()
    unknown = daxlab("predict", row["key"], "dax twice", "--ledger", whole)
    assert unknown.returncode == 2
    assert "unknown word 'dax'" in unknown.stderr


def test_a_language_that_changed_while_its_runs_waited_is_not_trained_on(tiny: Path, tmp_path: Path) -> None:
    """Not even if it is back when they are done."""
    grammar, ledger = tmp_path / "mine.grammar", tmp_path / "runs.db"
    ours = tiny.read_text()
    grammar.write_text(ours)

    def edit(event) -> None:
        if isinstance(event, Started):
            grammar.write_text(ours.replace("JUMP", "WALK"))
        if isinstance(event, Progress):
            grammar.write_text(ours)

    with pytest.raises(InputError, match="did its file change"):
        sweep(specs(grammar, 1), ledger, show=edit)
    with Ledger(ledger) as known:
        assert known.count() == 0


def test_what_has_begun_goes_on_where_its_language_lies_now(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    """Also for some of it, though all train on together."""
    before, after, ledger = tmp_path / "one.grammar", tmp_path / "two.grammar", tmp_path / "runs.db"
    before.write_bytes(tiny.read_bytes())
    with monkeypatch.context() as patch:
        patch.setattr(driver, "execute", begins)
        assert sweep(specs(before, 4), ledger, device="gpu").stopped
    before.rename(after)
    monkeypatch.setattr(driver, "execute", trains_at_once)
    assert sweep(specs(after, 2), ledger, device="gpu").trained == 4


def begins(tasks, device, workers, stop):
    """An executor that leaves a checkpoint."""
    for one in tasks:
        yield Progress(one.group, 50, (0.0,) * len(one.members), (-1,) * len(one.members))
        one.checkpoint.parent.mkdir(exist_ok=True)
        one.checkpoint.write_bytes(b"fifty updates")
        yield Stopped(one.group)


def test_what_has_begun_and_no_longer_fits_keeps_its_checkpoint(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 4)
    monkeypatch.setattr(driver, "execute", begins)
    assert sweep(asked, ledger, device="gpu").stopped
    monkeypatch.setattr(driver, "execute", lambda tasks, *_: [TooLarge(one.group, "no room") for one in tasks])
    with pytest.raises(InputError, match="checkpoint is kept"):
        sweep(asked, ledger, device="gpu")
    (kept,) = checkpoints(ledger).iterdir()
    assert kept.read_bytes() == b"fifty updates"
    with Ledger(ledger) as known:
        assert [(group.status, group.updates) for group in known.groups(("planned", "running"))] == [("planned", 50)]


def test_by_a_link_a_ledger_is_the_same_ledger(tiny: Path, tmp_path: Path) -> None:
    ledger, link = tmp_path / "runs.db", tmp_path / "link.db"
    link.symlink_to(ledger)
    with Writer(ledger), pytest.raises(InputError, match="is being written by another process"):
        sweep(specs(tiny, 1), link)
    (name,) = sweep(specs(tiny, 1), link).keys
    assert weights_of(ledger, name).exists()
    assert sweep(specs(tiny, 1), ledger).trained == 0
    assert not list(tmp_path.glob("link.db?*"))


def test_weights_that_a_deleted_run_left_are_not_the_next_ones(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 1)
    (name,) = sweep(asked, ledger).keys
    draft = weights_of(ledger, name).with_name(f".{name}.safetensors.00000000")
    draft.touch()
    with Writer(ledger) as writer:
        writer.delete([name])
    assert weights_of(ledger, name).exists()
    monkeypatch.setattr(driver, "execute", trains_at_once)
    assert sweep(asked, ledger, keep_weights=False).trained == 1
    assert not list(draft.parent.iterdir())


def test_what_failed_stays_failed_where_there_is_no_room_to_plan_it_again(tiny, tmp_path, monkeypatch) -> None:
    ledger, wild = tmp_path / "runs.db", specs(tiny, 2, learning_rate=1e30)
    sweep(wild, ledger)

    def no_room(self, groups) -> None:
        raise InputError("no room")

    with monkeypatch.context() as patch, pytest.raises(InputError, match="no room"):
        patch.setattr(Writer, "record", no_room)
        sweep(wild, ledger, retry_failed=True)
    with Ledger(ledger) as known:
        assert known.count({"status": "failed"}) == 2
    assert sweep(wild, ledger, retry_failed=True).trained == 2


def test_checkpoints_and_drafts_of_groups_that_ended_are_removed(tiny: Path, tmp_path: Path) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 2)
    halves = foreseen(asked, ledger, "cpu").groups
    with Writer(ledger) as writer:
        writer.record(halves)
        writer.drop(halves[0].key)
    folder = checkpoints(ledger)
    folder.mkdir()
    stays = [checkpoint(folder, halves[1].key).with_suffix(".damaged"), folder / "mine.safetensors"]
    goes = [checkpoint(folder, halves[0].key), folder / f".{halves[0].key}.safetensors.0badcafe"]
    for path in (*stays, *goes):
        path.touch()
    sweep(asked, ledger)
    assert set(folder.iterdir()) == set(stays)
