"""A Ray cluster of two nodes comes to what this machine alone comes to, whatever is killed on the way."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.ledger.files import checkpoints
from daxlab.sweep import Spec, cluster, driver, sweep, weights_of
from daxlab.sweep.groups import grouped
from daxlab.sweep.task import Finished, Progress

SMALL = RNN("lstm", 1, 8, attention=True, dropout=0.1)
NODE = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}


def specs(tiny: Path, updates: int = 600, runs: int = 12) -> list[Spec]:
    """24 runs, unless fewer are asked for: replicates on two splits, as `command` asks for them."""
    return [
        Spec(split, seed, replace(SMALL, updates=updates), str(tiny))
        for split in ("jump", "simple")
        for seed in range(runs)
    ]


def wild(tiny: Path) -> Spec:
    """A run whose loss explodes."""
    return Spec("jump", 0, replace(SMALL, updates=600, learning_rate=1e30), str(tiny))


def content(ledger: Path) -> dict[str, Any]:
    """All that each run is known by: its end, its metrics, its curve, its predictions, and its weights."""
    found = {}
    with Ledger(ledger) as known:
        known.check()
        for name in known.select():
            run = known.run(name)
            path = weights_of(ledger, name)
            weights = sha256(path.read_bytes()).hexdigest() if path.exists() else None
            end = (run.status, run.failed_at, sorted(run.metrics.items()), repr(run.curve), run.group)
            found[name] = (*end, sorted(run.artefacts.items()), weights)
    return found


@pytest.fixture(scope="module")
def whole(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What this machine alone comes to, uninterrupted."""
    ledger = tmp_path_factory.mktemp("local") / "runs.db"
    assert sweep([*specs(tiny), wild(tiny), *specs(tiny, 60_000, 1)], ledger).trained == 27
    return content(ledger)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A cluster of two nodes of one core each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        from ray.cluster_utils import Cluster

        made = Cluster(initialize_head=True, head_node_args=NODE)
        made.add_node(**NODE)
        yield made
        made.shutdown()


def at_work(ray: Any) -> list[int]:
    """The processes of the cluster's workers that have a task now."""
    raylets = {node.all_processes["raylet"][0].process.pid for node in ray.list_all_nodes()}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in raylets and b"ray::_work" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended
            continue
    return found


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_bit(
    ray: Any, tiny: Path, whole: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, killed, lost, most = tmp_path / "runs.db", set(), [], []
    again, give_out = cluster._Flight._again, cluster._Flight.give_out
    monkeypatch.setattr(cluster._Flight, "_again", lambda self, *how: lost.append(how) or again(self, *how))
    monkeypatch.setattr(cluster._Flight, "give_out", lambda self: (give_out(self), most.append(len(self.out))))
    ended = 0

    def show(event: Any) -> None:
        nonlocal ended
        ended += isinstance(event, Finished)
        if ended > 5 and not lost:
            for pid in at_work(ray)[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)

    asked = [*specs(tiny), wild(tiny)]
    outcome = sweep(
        asked, ledger, executor="ray", address=ray.address, checkpoint_every=0.0, keep_weights=True, show=show
    )
    assert killed and lost
    assert (outcome.trained, outcome.stopped) == (25, False)
    assert content(ledger) == {name: whole[name] for name in outcome.keys}
    assert not list(checkpoints(ledger).iterdir())
    assert max(most) == 2 + cluster.SPARE  # never more given out than the cluster holds and a few
    with Ledger(ledger) as known:
        assert {group.executor["kind"] for group in known.groups("done")} == {"ray"}
        assert known.count({"status": "failed"}) == 1


@pytest.mark.slow
def test_a_worker_killed_while_it_trains_a_group_of_many_runs_changes_no_bit(
    ray: Any, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a card: runs of one network are one group, whatever their split, dropout and seed."""
    monkeypatch.setattr(driver, "grouped", lambda facts, specs, device: grouped(facts, specs, "gpu"))
    asked = [
        replace(one, learner=replace(one.learner, cell=cell, dropout=dropout))
        for one in specs(tiny, 1_200, runs=2)
        for cell in ("srn", "gru", "lstm")
        for dropout in (0.1, 0.5)
    ]
    killed: set[int] = set()

    def show(event: Any) -> None:
        if isinstance(event, Progress) and event.update > 200 and not killed:
            killed.update(at_work(ray)[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    here, there = tmp_path / "here.db", tmp_path / "there.db"
    assert sweep(asked, here).trained == 24
    outcome = sweep(asked, there, executor="ray", address=ray.address, checkpoint_every=0.0, show=show)
    assert killed and (outcome.trained, outcome.stopped) == (24, False)
    assert content(there) == content(here)
    with Ledger(there) as known:
        assert [len(group.members) for group in known.groups("done")] == [8, 8, 8]


@pytest.mark.slow
def test_a_node_that_is_lost_changes_no_bit(ray: Any, tiny: Path, whole: dict[str, Any], tmp_path: Path) -> None:
    ray.add_node(**NODE)
    gone = []

    def show(event: Any) -> None:
        if isinstance(event, Finished) and not gone:
            from ray import get_runtime_context

            ours = get_runtime_context().get_node_id()
            gone.append(next(node for node in ray.worker_nodes if node.node_id != ours))
            ray.remove_node(gone[0], allow_graceful=False)

    outcome = sweep(specs(tiny), tmp_path / "runs.db", executor="ray", address=ray.address, show=show)
    assert gone and outcome.trained == 24
    assert content(tmp_path / "runs.db") == {name: whole[name] for name in outcome.keys}


@pytest.mark.slow
def test_ctrl_c_stops_the_workers_at_a_checkpoint_and_the_same_call_resumes(
    ray: Any, tiny: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    ledger, shared, heard = tmp_path / "runs.db", tmp_path / "shared", []

    def interrupt(event: Any) -> None:
        heard.append(type(event))
        if heard.count(Progress) == 1 and heard[-1] is Progress:
            signal.raise_signal(signal.SIGINT)

    how: dict[str, Any] = {"executor": "ray", "address": ray.address, "checkpoint_folder": shared}
    stopped = sweep(specs(tiny, 60_000, 1), ledger, **how, show=interrupt)
    assert (stopped.trained, stopped.stopped) == (0, True)
    assert list(shared.glob("*.safetensors"))
    resumed = []
    outcome = sweep(specs(tiny, 60_000, 1), ledger, **how, show=resumed.append)
    assert content(ledger) == {name: whole[name] for name in outcome.keys}
    assert any(run.timing["resumed"] for event in resumed if isinstance(event, Finished) for run in event.runs)
    assert not list(shared.iterdir())
    assert sweep(specs(tiny, 500), ledger, **how, budget=0.0).stopped  # before anything was given out


@pytest.mark.slow
def test_workers_that_cannot_write_checkpoints_train_in_one_go_and_say_so(
    ray: Any, tiny: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    how: dict[str, Any] = {"executor": "ray", "address": ray.address, "checkpoint_folder": tmp_path / "file"}
    outcome = sweep(specs(tiny, runs=1), tmp_path / "runs.db", **how, checkpoint_every=0.0)
    assert content(tmp_path / "runs.db") == {name: whole[name] for name in outcome.keys}
    assert len(outcome.said) == 1 and "has no checkpoints" in outcome.said[0]


def command(tiny: Path, ledger: Path, address: str) -> list[str]:
    return [
        *(sys.executable, "-m", "daxlab", "train", "--split", "jump", "--split", "simple"),
        *("--data", str(tiny), "--layers", "1", "--hidden", "8", "--attention", "--dropout", "0.1"),
        *("--runs", "12", "--updates", "600", "--ledger", str(ledger), "--checkpoint-every", "0.05", "--json"),
        *("--device", "cpu", "--executor", "ray", "--address", address),
    ]


@pytest.mark.slow
@pytest.mark.fuzz
def test_a_driver_killed_ten_times_at_random_moments_comes_to_the_same_bits(
    ray: Any, tiny: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    chance, killed, window = random.Random(10), 0, 0.0
    for number in itertools.count():
        ledger, before, began = tmp_path / f"{number}.db", killed, time.monotonic()
        while True:
            process = subprocess.Popen(command(tiny, ledger, ray.address), stdout=subprocess.PIPE, stderr=-3)
            try:
                told, _ = process.communicate(timeout=chance.uniform(0, window) if window and killed < 10 else None)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
        asked = [run["id"] for split in json.loads(told)["splits"].values() for run in split["runs"]]
        assert len(asked) == 24
        assert content(ledger) == {name: whole[name] for name in asked}
        if killed == before:  # a whole sweep: a driver is killed at any moment of one
            window = time.monotonic() - began
        elif killed == 10:
            break


@pytest.mark.slow
def test_a_cluster_that_is_missing_or_has_no_card_is_an_error_and_changes_nothing(
    ray: Any, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, asked = tmp_path / "runs.db", specs(tiny, 200, 1)
    with pytest.raises(InputError, match="no Ray cluster answers at 127"):
        sweep(asked, ledger, executor="ray", address="127.0.0.1:1")
    with pytest.raises(InputError, match="cannot use a Ray cluster at nowhere"):
        sweep(asked, ledger, executor="ray", address="nowhere")
    with pytest.raises(InputError, match="no node of the Ray cluster has a GPU"):
        sweep(asked, ledger, executor="ray", address=ray.address, device="gpu")
    other = [replace(spec, data=str(tmp_path / "gone.grammar")) for spec in asked]
    (tmp_path / "gone.grammar").write_text(tiny.read_text())
    monkeypatch.setattr(cluster._Flight, "give_out", removing(tmp_path / "gone.grammar"))
    with pytest.raises(InputError, match="gone"):
        sweep(other, ledger, executor="ray", address=ray.address)
    monkeypatch.undo()
    assert sweep(asked, ledger, executor="ray", address=ray.address).trained == 2  # none of it is in the way


def removing(path: Path) -> Any:
    """Gives tasks out as ever, when a file is gone that the driver had and workers have not."""
    give_out = cluster._Flight.give_out

    def instead(flight: Any) -> None:
        path.unlink(missing_ok=True)
        give_out(flight)

    return instead


def test_without_ray_the_error_names_the_extra(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name == "ray" or name.startswith("ray.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "daxlab.sweep.cluster")
    monkeypatch.delattr("daxlab.sweep.cluster")
    with pytest.raises(InputError, match=r'pip install "daxlab\[ray\]"'):
        sweep(specs(tiny, 200, 1), tmp_path / "runs.db", executor="ray")
    assert not list(tmp_path.iterdir())


def test_an_address_where_nothing_answers_is_an_error_at_once(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no Ray cluster answers at 127"):
        sweep(specs(tiny, 200, 1), tmp_path / "runs.db", executor="ray", address="127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--executor", "dask"], "an executor is local or ray"),
        (["--address", "auto"], "add --executor ray"),
        (["--executor", "ray", "--device", "auto"], "say --device cpu or --device gpu"),
    ],
)
def test_bad_options_are_one_sentence_and_exit_2(daxlab, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    for verb in (["train", "--split", "jump"], ["reproduce", "jump"]):
        done = daxlab(*verb, *arguments, cwd=tmp_path)
        assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
