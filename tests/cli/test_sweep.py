"""`daxlab sweep`: planned, trained as far as the time allows, watched meanwhile, resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from daxlab.ledger import Group, Ledger, Run, Writer
from daxlab.sweep import Spec, weights_of
from daxlab.sweep.status import beginning, status
from daxlab.watching import shown

SPECS = Path(__file__).parents[2] / "specs"
AXES = "layers = 1\nhidden = 8\nattention = true\ndropout = 0.1\nsplit = 'jump'\nseeds = 2\ndata = 'tiny.grammar'\n"


@pytest.fixture
def folder(tiny: Path, tmp_path: Path) -> Path:
    """A grammar and a sweep of two runs."""
    (tmp_path / "tiny.grammar").write_bytes(tiny.read_bytes())
    (tmp_path / "tiny.toml").write_text(f"{AXES}updates = 200\n")
    return tmp_path


@pytest.mark.usefixtures("trains_here")
def test_a_sweep_is_planned_stopped_resumed_and_not_trained_again(daxlab, folder: Path) -> None:
    plan = json.loads(daxlab("sweep", "plan", "tiny.toml", "--device", "cpu", "--json", cwd=folder).stdout)
    assert (plan["runs"], plan["done"], plan["lacking"], plan["groups"]) == (2, 0, 2, 2)
    assert (plan["seconds"], plan["estimated"]) == (None, 0)  # no such run was timed before
    assert sorted(file.name for file in folder.iterdir()) == ["tiny.grammar", "tiny.toml"]

    stopped = daxlab("sweep", "run", "tiny.toml", "--device", "cpu", "--budget", "0s", "--json", cwd=folder)
    assert (stopped.returncode, json.loads(stopped.stdout)["complete"]) == (3, False)
    assert "Run the same command again to go on" in stopped.stderr
    waiting = daxlab("sweep", "status", cwd=folder).stdout
    assert "0 done, 0 running, 2 waiting, 0 failed" in waiting
    assert "Run the same command again to go on." in waiting

    done = json.loads(daxlab("sweep", "run", "tiny.toml", "--device", "cpu", "--json", cwd=folder).stdout)
    assert (done["runs"], done["done"], done["trained"], done["complete"]) == (2, 2, 2, True)
    again = daxlab("sweep", "run", "tiny.toml", "--device", "cpu", cwd=folder)
    assert again.stdout == "daxlab.db has 2 of 2 runs, 0 of them new.\n" and "weights" not in again.stderr
    late = daxlab("sweep", "run", "tiny.toml", "--device", "cpu", "--keep-weights", cwd=folder)
    assert "2 runs without saved weights will not be retrained" in late.stderr
    watched = daxlab("sweep", "status", "--watch", cwd=folder).stdout  # ends, because nothing is written
    assert "2 done" in watched and "nothing is left to train" in watched and "LSTM 1x8" in watched
    with Ledger(folder / "daxlab.db") as ledger:
        assert not weights_of(ledger.path, ledger.select()[0]).exists()  # sweeps drop them
    more = json.loads(
        daxlab("sweep", "plan", "tiny.toml", "--set", "seeds=3", "--device", "cpu", "--json", cwd=folder).stdout
    )
    assert (more["lacking"], more["estimated"], more["seconds"] > 0) == (1, 1, True)  # as long as the earlier ones


@pytest.mark.usefixtures("trains_here")
def test_a_sweep_needs_no_file(daxlab, folder: Path) -> None:
    axes = ("data=tiny.grammar", "split=jump", "layers=1", "attention=true", "dropout=0.1", "updates=200", "seeds=1")
    words = [word for one in (*axes, "hidden=8,9") for word in ("--set", one)]
    assert json.loads(daxlab("sweep", "plan", *words, "--device", "cpu", "--json", cwd=folder).stdout)["runs"] == 2
    done = daxlab("sweep", "run", *words, "--only", "hidden=8", "--device", "cpu", cwd=folder)
    assert done.stdout == "daxlab.db has 1 of 1 run, 1 of them new.\n"


@pytest.mark.slow
def test_another_process_sees_how_far_a_sweep_is(daxlab, folder: Path) -> None:
    command = [sys.executable, "-m", "daxlab", "sweep", "run", "tiny.toml", "--set", "updates=200000"]
    states = []
    with subprocess.Popen([*command, "--device", "cpu", "--json"], cwd=folder, stdout=-1, stderr=-1) as running:
        while running.poll() is None:
            if (folder / "daxlab.db").exists():
                with_ledger = daxlab("sweep", "status", "--json", cwd=folder)
                states += [json.loads(with_ledger.stdout)] if with_ledger.returncode == 0 else []
            if states and states[-1]["seconds_left"]:
                running.send_signal(signal.SIGINT)
                break
            time.sleep(0.05)
        running.communicate(timeout=60)
    assert running.returncode == 3
    busy = [state for state in states if state["writing"] and state["running"]]
    assert busy and all(state["done"] + state["running"] + state["waiting"] == 2 for state in busy)
    assert busy[-1]["seconds_left"] > 0


@pytest.mark.parametrize("ends", ["the sweep", "the one who looks"])
def test_in_a_terminal_the_status_is_live_until_the_sweep_ends_or_ctrl_c(tmp_path: Path, ends: str) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "daxlab", "sweep", "status", "--ledger", str(tmp_path / "runs.db")]
    with Writer(tmp_path / "runs.db") as writer:
        watching = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        seen = b""
        while b"1 done" not in seen:
            if b"0 done" in seen and not writer.ledger.count():
                writer.add([Run(spec=Spec("jump", 0).facts())])
            seen += os.read(ours, 4096)
        assert watching.poll() is None
        if ends == "the one who looks":
            watching.send_signal(signal.SIGINT)
            assert watching.wait(30) == 0
    assert watching.wait(30) == 0
    os.close(ours)


def test_runs_that_wait_for_another_sweep_are_shown_apart(folder: Path) -> None:
    from rich.console import Console

    facts = [Spec("jump", seed, data=str(folder / "tiny.grammar")).facts() for seed in range(3)]
    ours, *others = (Group(members=[fact]) for fact in facts)
    with Writer(folder / "daxlab.db") as writer:
        writer.record([ours, *others])
        writer.progress({}, beginning(writer.ledger, [ours], ["jump"]))
        console = Console(record=True, width=400)
        console.print(shown(folder / "daxlab.db", status(writer.ledger)))
    said = console.export_text()
    assert "1 waiting" in said and "2 more wait in groups of other sweeps" in said


def test_long_names_of_splits_are_not_cut(daxlab, tmp_path: Path) -> None:
    names = [f"a-split-of-the-release-whose-name-is-long-and-says-a-lot-before-its-number-num{n:02}" for n in range(12)]
    ledger = tmp_path / "runs [old].db"
    with Writer(ledger) as writer:
        for name in names:
            spec = Spec("jump", 0).facts()
            spec["split"] = {"name": name, "digest": name}
            writer.add([Run(spec=spec, metrics={"accuracy": 50})])
    said = daxlab("sweep", "status", "--ledger", ledger, cwd=tmp_path).stdout
    assert [name in said for name in names] == [True] * 10 + [False] * 2
    assert "… and 2 more" in said
    assert f"{ledger}: 12 done" in said


@pytest.mark.usefixtures("trains_here")
def test_failed_runs_are_counted_apart_and_trained_again_if_asked(daxlab, folder: Path) -> None:
    (folder / "wild.toml").write_text(f"{AXES}[protocol]\nupdates = 200\nlearning_rate = 1e30\n")
    first = daxlab("sweep", "run", "wild.toml", "--device", "cpu", cwd=folder)
    advice = "2 of them failed; --retry-failed trains them again.\n"
    assert first.stdout == f"daxlab.db has 2 of 2 runs, 2 of them new.\n{advice}"
    assert advice in daxlab("sweep", "plan", "wild.toml", "--device", "cpu", cwd=folder).stdout
    for more, training in ([], 0), (["--retry-failed"], 2):
        plan = json.loads(daxlab("sweep", "plan", "wild.toml", "--device", "cpu", "--json", *more, cwd=folder).stdout)
        done = json.loads(daxlab("sweep", "run", "wild.toml", "--device", "cpu", "--json", *more, cwd=folder).stdout)
        assert (plan["done"], plan["failed"], plan["training"]) == (0, 2 - training, training)
        assert (done["done"], done["failed"], done["trained"], done["complete"]) == (0, 2, training, True)
        assert done["plan"] == plan


def test_a_plan_names_the_runs_that_come_with_daxlab(daxlab, tmp_path: Path) -> None:
    said = daxlab("sweep", "plan", SPECS / "paper-search.toml", "--device", "gpu", cwd=tmp_path).stdout
    assert "3,600 runs, of which daxlab.db has 0." in said
    assert "groups on the GPU" in said
    assert "To bring them here: daxlab runs merge " in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["plan", "tiny.tom"], "cannot read the sweep file tiny.tom: No such file"),
        (["plan", "wrong.toml"], "wrong.toml: no axis is called 'cel'; did you mean 'cell'?"),
        (["run", "wrong.toml"], "wrong.toml: no axis is called 'cel'"),
        (["run"], "say what to train"),
        (["run", "--set", "split=jmp"], "did you mean 'jump'?"),
        (["run", "--set", "split=jump", "--set", "hiden=5"], "did you mean 'hidden'?"),
        (["run", "--set", "split=jump", "--set", "hidden=five"], "hidden takes a whole number, not 'five'"),
        (["run", "tiny.toml", "--only", "hidden=5"], "there hidden is 8"),
        (["run", "tiny.toml", "--budget", "soon"], "is not a time"),
        (["status", "--json", "--watch"], "choose one"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(daxlab, folder: Path, arguments: list[str], complaint: str) -> None:
    (folder / "wrong.toml").write_text("split = 'jump'\ncel = 'gru'\n")
    done = daxlab("sweep", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sweep_file_that_comes_with_daxlab_is_found_from_any_folder(daxlab, tmp_path: Path) -> None:
    assert "4 runs" in daxlab("sweep", "plan", "specs/smoke.toml", "--device", "cpu", cwd=tmp_path).stdout
    (tmp_path / "smoke.toml").write_text('split = "jump"\nseeds = 1\n')
    assert "1 run, of" in daxlab("sweep", "plan", "smoke.toml", "--device", "cpu", cwd=tmp_path).stdout


def test_the_results_that_come_with_daxlab_are_never_written_to(daxlab, tmp_path: Path) -> None:
    ours = Path(__file__).parents[2] / "results" / "runs.db"
    before = ours.read_bytes()
    training = (["sweep", "run", "specs/smoke.toml"], ["train", "--split", "jump", "--hidden", "7"])
    for command in (*training, ["runs", "delete", "00"], ["runs", "merge", ours]):
        told = daxlab(*command, "--ledger", ours, cwd=tmp_path)
        assert told.returncode == 2
        assert "the results that come with daxlab, which stay as they are" in told.stderr
    assert ours.read_bytes() == before and not ours.with_name("runs.db.lock").exists()


def test_a_plan_for_a_cluster_is_for_one_of_its_devices(daxlab, tmp_path: Path) -> None:
    asked = ("sweep", "plan", "paper-search.toml", "--executor", "ray", "--device", "gpu")
    assert "on one GPU (divide by how many the cluster has)" in daxlab(*asked, cwd=tmp_path).stdout


@pytest.mark.usefixtures("trains_here")
def test_a_sweep_in_parts_is_trained_by_several_and_merged(daxlab, folder: Path) -> None:
    for part in (1, 2):
        words = ("sweep", "run", "tiny.toml", "--part", f"{part}/2", "--ledger", f"part-{part}.db", "--device", "cpu")
        done = daxlab(*words, cwd=folder)
        assert done.stdout == f"part-{part}.db has 1 of 1 run, 1 of them new.\n"
        assert f"tiny.toml, part {part}/2: 1 run" in done.stderr
    assert daxlab("runs", "merge", "part-1.db", "part-2.db", cwd=folder).returncode == 0
    plan = json.loads(daxlab("sweep", "plan", "tiny.toml", "--device", "cpu", "--json", cwd=folder).stdout)
    assert (plan["done"], plan["training"]) == (2, 0)


@pytest.mark.parametrize("part", ["9/8", "0/8", "x"])
def test_what_is_no_part_is_refused_before_anything_is_trained(daxlab, folder: Path, part: str) -> None:
    done = daxlab("sweep", "run", "tiny.toml", "--part", part, "--device", "cpu", cwd=folder)
    assert done.returncode == 2
    assert "such as 3/8" in done.stderr and part in done.stderr
    assert not (folder / "daxlab.db").exists()


def test_where_there_is_no_sweep_yet_the_shipped_results_are_shown_and_that_is_said(daxlab, tmp_path: Path) -> None:
    told = daxlab("sweep", "status", cwd=tmp_path)
    assert told.returncode == 0
    assert "the results that come with daxlab" in told.stderr and " done, 0 running" in told.stdout
