"""Real training: whatever interrupts it, the same command comes to the same bits.

Most of it is trained in this process (executors.py); what is about processes has workers of its own.
"""

import ast
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger, key, unpack_arrays
from daxlab.ledger.files import checkpoints
from daxlab.ledger.trained import TrainedModel
from daxlab.sweep import Spec, driver, local, sweep, weights_of, worker
from daxlab.sweep.groups import grouped
from daxlab.sweep.task import Progress, Task, TooLarge
from executors import in_process
from fuzzing import parts

SMALL = RNN("lstm", 1, 8, attention=True, dropout=0.1, updates=400)
LONG = 20_000  # updates, so that there is time to interrupt


def specs(data: Path, runs: int, **changes) -> list[Spec]:
    return [Spec("jump", seed, replace(SMALL, **changes), str(data)) for seed in range(runs)]


def weights(ledger: Path) -> dict[str, str]:
    """sha256 of every run's final weights."""
    files = weights_of(ledger, "x").parent.glob("*.safetensors")
    return {file.stem: sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.fixture(scope="module")
def here(tiny: Path, tmp_path_factory) -> Path:
    """A ledger of two runs, trained in this process without interruption."""
    ledger = tmp_path_factory.mktemp("here") / "runs.db"
    outcome = sweep(specs(tiny, 2), ledger, executor=in_process)
    assert (outcome.trained, outcome.stopped) == (2, False)
    return ledger


@pytest.fixture(scope="module")
def whole(tiny: Path, tmp_path_factory) -> Path:
    """A ledger of two longer runs, trained by workers without interruption."""
    ledger = tmp_path_factory.mktemp("whole") / "runs.db"
    assert sweep(specs(tiny, 2, updates=LONG), ledger).trained == 2
    return ledger


def interrupt_at_first_progress():
    """What Ctrl-C does to the driver, as soon as there is something to lose."""

    def show(event) -> None:
        if getattr(event, "update", 0) == 200:
            os.kill(os.getpid(), signal.SIGINT)

    return show


def test_a_run_leaves_metrics_a_curve_answers_and_weights(trained: Path) -> None:
    with Ledger(trained) as ledger:
        (name,) = ledger.select({"seed": 1})
        run = ledger.run(name)
    assert run.status == "done"
    assert 0 <= run.metrics["accuracy"] <= 100
    assert run.metrics["train_accuracy"] > 90  # it is a very small language
    assert run.curve["update"] == [run.spec["protocol"]["updates"]]
    assert set(run.artefacts) == {"greedy", "unended", "oracle", "likelihoods", "named", "neighbours", "attention"}
    assert run.origin["platform"] == "cpu"
    assert name in weights(trained)


def test_a_sweep_that_is_interrupted_and_resumed_comes_to_the_same_bits(tiny: Path, here: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    stopped = sweep(specs(tiny, 2), ledger, executor=in_process, show=interrupt_at_first_progress())
    assert (stopped.stopped, stopped.trained) == (True, 0)
    assert list(checkpoints(ledger).glob("*.safetensors"))
    assert sweep(specs(tiny, 2), ledger, executor=in_process).trained == 2
    assert weights(ledger) == weights(here)
    assert not list(checkpoints(ledger).glob("*.safetensors"))


def test_a_budget_that_is_used_up_stops_and_the_next_call_resumes(tiny: Path, here: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "runs.db"
    assert sweep(specs(tiny, 2), ledger, executor=in_process, budget=0.0).stopped
    assert sweep(specs(tiny, 2), ledger, executor=in_process).trained == 2
    assert weights(ledger) == weights(here)


def test_a_sweep_that_finishes_although_its_budget_ran_out_was_not_stopped(tiny: Path, tmp_path: Path) -> None:
    def execute(tasks, stop):
        return (event for event in in_process(tasks, lambda: False))

    outcome = sweep(specs(tiny, 1, updates=200), tmp_path / "runs.db", budget=0.0, executor=execute)
    assert (outcome.trained, outcome.stopped) == (1, False)


def test_a_folder_of_checkpoints_that_cannot_be_made_is_an_error(tiny: Path, tmp_path: Path) -> None:
    checkpoints(tmp_path / "runs.db").touch()
    with pytest.raises(InputError, match="cannot make the folder"):
        sweep(specs(tiny, 1), tmp_path / "runs.db", executor=in_process)


def flipped(content: bytes) -> bytes:
    """A byte of a tensor as a failing disk might return it."""
    return content[:-100] + bytes([content[-100] ^ 64]) + content[-99:]


@pytest.mark.parametrize("damaged", [lambda content: content[:1000], flipped, lambda content: b""])
def test_a_damaged_checkpoint_is_set_aside_and_its_runs_train_from_the_start(
    tiny: Path, here: Path, tmp_path: Path, damaged: Callable[[bytes], bytes]
) -> None:
    ledger, events = tmp_path / "runs.db", []
    assert sweep(specs(tiny, 1), ledger, executor=in_process, show=interrupt_at_first_progress()).stopped
    (checkpoint,) = checkpoints(ledger).glob("*.safetensors")
    bad = damaged(checkpoint.read_bytes())
    checkpoint.write_bytes(bad)
    with pytest.raises(InputError, match="delete it"):
        sweep(specs(tiny, 1), ledger, executor=in_process, set_aside=False)
    assert checkpoint.read_bytes() == bad
    outcome = sweep(specs(tiny, 1), ledger, executor=in_process, show=events.append)
    assert outcome.trained == 1
    assert next(event.update for event in events if isinstance(event, Progress)) == 200
    assert "set aside" in outcome.said[0] and checkpoint.name in outcome.said[0]
    assert [file.read_bytes() for file in checkpoints(ledger).iterdir()] == [bad]
    assert weights(ledger).items() < weights(here).items()


@pytest.mark.parametrize("rate", [1e30, 1e19])  # at the second, likelihoods are no numbers either
def test_a_run_whose_loss_explodes_has_failed_and_is_only_trained_again_if_asked(
    tiny: Path, tmp_path: Path, rate: float
) -> None:
    ledger, wild = tmp_path / "runs.db", specs(tiny, 1, learning_rate=rate)
    assert sweep(wild, ledger, executor=in_process).trained == 1
    with Ledger(ledger) as known:
        (row,) = known.rows()
    assert row["status"] == "failed"
    assert 0 < row["failed_at"] < 400
    assert row["accuracy"] is None
    assert not weights(ledger)
    assert sweep(wild, ledger, executor=in_process).trained == 0
    assert sweep(wild, ledger, executor=in_process, retry_failed=True).trained == 1


def task(specs: list[Spec]) -> Task:
    return Task("a group", tuple(specs), tuple(key(one.facts()) for one in specs), None)


@pytest.mark.parametrize("words", ["", "RESOURCE_EXHAUSTED: 5 GB\nat some place"])
def test_an_error_that_means_out_of_memory_makes_a_group_too_large(tiny: Path, monkeypatch, words: str) -> None:
    def work(*given):
        raise RuntimeError(words) if words else MemoryError

    monkeypatch.setattr(worker, "work", work)
    reason = words.partition("\n")[0] or "MemoryError"
    assert worker.run_task(task(specs(tiny, 2)), "cpu", lambda event: None) == TooLarge("a group", reason)


def test_a_grammar_that_changes_while_its_runs_wait_is_not_trained_on(tiny: Path, tmp_path: Path) -> None:
    grammar, ledger = tmp_path / "mine.grammar", tmp_path / "runs.db"
    grammar.write_text(tiny.read_text())

    def edited(tasks, stop):
        grammar.write_text(tiny.read_text().replace("JUMP", "WALK"))
        return in_process(tasks, stop)

    with pytest.raises(InputError, match="did a file of theirs change"):
        sweep(specs(grammar, 1), ledger, executor=edited)
    with Ledger(ledger) as known:
        assert known.count() == 0


@pytest.fixture(scope="module")
def both(tiny: Path, tmp_path_factory) -> tuple[list[str], Path, Path]:
    """The same runs of two splits and two dropouts, each alone and all in one group."""
    folder = tmp_path_factory.mktemp("groups")
    asked = [
        Spec(split, seed, replace(SMALL, dropout=dropout), str(tiny))
        for seed, (split, dropout) in enumerate((("jump", 0.5), ("simple", 0.1), ("jump", 0.1)))
    ]
    keys = sweep(asked, folder / "alone.db", executor=in_process).keys
    with pytest.MonkeyPatch.context() as patch:  # as on a card
        patch.setattr(driver, "grouped", lambda facts, specs, device: grouped(facts, specs, "gpu"))
        sweep(asked, folder / "together.db", executor=in_process)
    with Ledger(folder / "together.db") as ledger:
        assert [len(group.members) for group in ledger.groups("done")] == [3]
    return list(keys), folder / "alone.db", folder / "together.db"


def test_a_run_in_a_group_of_several_splits_and_dropouts_equals_the_run_alone(both) -> None:
    keys, alone, together = both
    with Ledger(alone) as one, Ledger(together) as other:
        for name in keys:
            first, second = one.run(name), other.run(name)
            assert first.metrics == pytest.approx(second.metrics)
            np.testing.assert_allclose(first.curve["loss"], second.curve["loss"], rtol=1e-3)
            near = [np.asarray(unpack_arrays(run.artefacts["neighbours"])["cosines"]) for run in (first, second)]
            np.testing.assert_allclose(*near, atol=1e-3)


def test_the_weights_of_a_run_in_a_group_load_and_answer_like_those_of_the_run_alone(both) -> None:
    keys, alone, together = both
    for name in keys:
        one, other = TrainedModel(alone, name), TrainedModel(together, name)
        first, second = one.predict("walk twice and run"), other.predict("walk twice and run")
        assert first.actions == second.actions
        assert first.probabilities == pytest.approx(second.probabilities, abs=1e-3)
        split = one.spec.content()
        assert list(one.evaluate(split).right) == list(other.evaluate(split).right)


# Workers and drivers that die.


def kill_worker(driver: int) -> int:
    """Kills a worker of a process, and returns its number; 0 if there was none."""
    children = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
    worker = next((int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()), 0)
    if worker:
        os.kill(worker, signal.SIGKILL)
    return worker


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_changes_no_bit(tiny: Path, whole: Path, tmp_path: Path) -> None:
    ledger, killed = tmp_path / "runs.db", []

    def show(event) -> None:
        if not killed and getattr(event, "update", 0):
            killed.append(kill_worker(os.getpid()))

    outcome = sweep(specs(tiny, 2, updates=LONG), ledger, show=show)
    assert killed
    assert outcome.trained == 2
    assert weights(ledger) == weights(whole)


@pytest.mark.slow
def test_workers_that_take_turns_train_one_at_a_time_even_after_one_died(
    tiny: Path, whole: Path, tmp_path: Path, monkeypatch
) -> None:
    """As on a card, whose part is played by two cores."""
    ledger, heard, killed = tmp_path / "runs.db", [], []
    place = local._Place("cpu", 2, turn=tmp_path / "turn")
    monkeypatch.setattr(local, "_place", lambda device, workers: nullcontext(place))

    def show(event) -> None:
        if isinstance(event, Progress):
            heard.append(event.group)
        if not killed and heard:
            killed.append(kill_worker(os.getpid()))

    assert sweep(specs(tiny, 2, updates=LONG), ledger, show=show).trained == 2
    assert weights(ledger) == weights(whole)
    changes = sum(a != b for a, b in pairwise(heard))
    assert changes <= 2  # the first, the second when the first died, the first again


def command(tiny: Path, ledger: Path, checkpoint_every: float = 0.05) -> list[str]:
    return [
        *(sys.executable, "-m", "daxlab", "train", "--split", "jump", "--data", str(tiny), "--runs", "2"),
        *("--layers", "1", "--hidden", "8", "--attention", "--dropout", "0.1", "--updates", str(LONG)),
        *("--ledger", str(ledger), "--checkpoint-every", str(checkpoint_every), "--json"),
    ]


def sweep_command(tiny: Path, ledger: Path) -> list[str]:
    """The same runs as a sweep."""
    axes = {"split": "jump", "data": tiny, "seeds": 2, "layers": 1, "hidden": 8, "attention": "true", "dropout": 0.1}
    words = [f"--set={name}={value}" for name, value in {**axes, "updates": LONG}.items()]
    return [*(sys.executable, "-m", "daxlab", "sweep", "run", "--keep-weights", "--ledger", str(ledger)), *words]


@pytest.mark.slow
def test_ctrl_c_stops_train_at_a_checkpoint_and_the_same_command_resumes(
    tiny: Path, whole: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "runs.db"
    words = command(tiny, ledger, checkpoint_every=1)
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "2 runs, of which" in process.stderr.readline()  # what it will take
        assert "2 runs in 2 groups" in process.stderr.readline()
        while not list(tmp_path.glob("runs.db.checkpoints/*.safetensors")):  # they train
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=120)
    assert process.returncode == 3, told
    assert json.loads(said)["complete"] is False
    assert told.count("Ctrl-C again stops at once") == 1
    assert "Run the same command again to go on" in told
    done = subprocess.run(words, capture_output=True, check=True)
    assert [run["status"] for run in json.loads(done.stdout)["runs"]] == ["done", "done"]
    assert weights(ledger) == weights(whole)


@pytest.mark.slow
def test_a_full_disk_is_an_error_and_with_room_the_same_command_resumes(
    daxlab_process, tiny: Path, whole: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "runs.db"
    small = command(tiny, ledger)[3:]
    for room in (10_000, 150_000):  # not for a ledger; for one, but not with its runs
        full = daxlab_process(*small, room=room)
        assert full.returncode == 2 and str(tmp_path) in full.stderr and "Traceback" not in full.stderr, full.stderr
    done = daxlab_process(*small)
    assert [run["status"] for run in json.loads(done.stdout)["runs"]] == ["done", "done"]
    assert weights(ledger) == weights(whole)


def kill(process: subprocess.Popen[bytes], victim: str) -> bool:
    """Kill a driver, one of its workers, or all of them; whether there was one to kill."""
    if process.poll() is not None:
        return False
    if victim == "all":
        os.killpg(process.pid, signal.SIGKILL)
    elif victim == "driver":  # whose workers are still there for a moment
        process.kill()
    else:
        return bool(kill_worker(process.pid))
    return True


@pytest.mark.parametrize("seeds", parts(12, of=72))
def test_whatever_is_killed_at_random_moments_the_runs_come_to_the_same_bits(
    tiny: Path, whole: Path, tmp_path: Path, seeds: range
) -> None:
    commands, sweeps, killed = [command(tiny, Path("ledger")), sweep_command(tiny, Path("ledger"))], 0, Counter[str]()
    start = time.monotonic()
    subprocess.run(command(tiny, tmp_path / "other.db"), capture_output=True, check=True)
    longest = time.monotonic() - start
    for seed in itertools.count(seeds.start):
        chance, ledger = random.Random(seed), tmp_path / f"{sweeps}.db"
        victim = chance.choice(["all", "driver", "worker"])
        words = [str(ledger) if word == "ledger" else word for word in chance.choice(commands)]
        with (tmp_path / "told").open("wb") as told:
            process = subprocess.Popen(words, start_new_session=True, stdout=-3, stderr=told)
        time.sleep(chance.uniform(0, longest))
        if killed.total() < len(seeds):
            killed[victim] += kill(process, victim)
        if process.wait(timeout=300):
            assert process.returncode == -signal.SIGKILL, (tmp_path / "told").read_text()
            continue
        assert weights(ledger) == weights(whole)
        with Ledger(ledger) as known:
            known.check()
            assert known.count() == 2
        assert not list(checkpoints(ledger).iterdir())
        sweeps += 1
        if killed.total() == len(seeds):
            break
    assert set(killed) == {"all", "driver", "worker"}


@pytest.mark.parametrize(
    ("given", "half"),
    [
        ({}, 0.45),
        ({"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.8"}, 0.4),
        ({"XLA_CLIENT_MEM_FRACTION": "0.6"}, 0.3),
    ],
)
def test_two_workers_share_the_memory_that_the_user_gives_of_a_card(given: dict[str, str], half: float) -> None:
    code = "from daxlab.sweep.worker import prepare; import os; prepare('gpu', 2); print(dict(os.environ))"
    clean = {name: value for name, value in os.environ.items() if "MEM_FRACTION" not in name}
    run = subprocess.run([sys.executable, "-c", code], env=clean | given, capture_output=True, text=True, check=True)
    found = ast.literal_eval(run.stdout)
    assert float(found["XLA_CLIENT_MEM_FRACTION"]) == half
    assert "XLA_PYTHON_CLIENT_MEM_FRACTION" not in found


def test_a_gpu_that_is_not_there_is_an_error_and_the_cpu_can_go_on(tiny: Path, tmp_path: Path) -> None:
    if any(Path("/dev").glob("nvidia*")):
        pytest.skip("there is a GPU")
    ledger = tmp_path / "runs.db"
    with pytest.raises(InputError, match="there is no GPU here"):
        sweep(specs(tiny, 2), ledger, device="gpu")
    assert sweep(specs(tiny, 2), ledger, executor=in_process).trained == 2
