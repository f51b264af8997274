"""Runs in trackers: what they are told is what the ledger has. TensorBoard's own reader reads it back."""

import math
import sys
from pathlib import Path

import pytest

from daxlab import InputError
from daxlab.learners import RNN
from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec
from daxlab.ledger.trackers import TRACKERS, log, tracked

CURVE = {"update": [10, 20], "loss": [2.5, math.nan], "test_accuracy": [0.0, 50.0]}
RUNS = [
    Run(spec=Spec("turn-left", 0, RNN(hidden=7)).facts(), metrics={"accuracy": 25.0}, curve=CURVE, finished=1e9),
    Run(spec=Spec("turn-left", 1, RNN(hidden=7)).facts(), status="failed", failed_at=7, reason="not finite"),
]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    with Writer(tmp_path / "runs.db") as writer:
        writer.add(RUNS)
    return tmp_path / "runs.db"


def read(folder: Path):
    """What TensorBoard finds in the folder of a run."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder))
    events.Reload()
    return events


def test_a_tracker_is_told_the_configuration_the_finite_points_and_the_metrics() -> None:
    done, failed = map(tracked, RUNS)
    assert {"run": RUNS[0].key, "dataset": "scan", "split": "turn-left", "seed": 0, "hidden": 7}.items() <= (
        done.config.items()
    )
    assert done.points == [(10, {"loss": 2.5, "test_accuracy": 0.0}), (20, {"test_accuracy": 50.0})]
    assert done.final == {"final/accuracy": 25.0}
    assert (failed.config["status"], failed.points, failed.final) == ("failed", [], {})


def test_tensorboard_reads_curve_metrics_and_configuration(ledger: Path, daxlab, tmp_path: Path) -> None:
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    folder = tmp_path / "tensorboard"
    for _ in range(2):  # logged again, it is the same run there
        done = daxlab("runs", "log", "tensorboard", "--project", folder, "--ledger", ledger)
        assert (done.returncode, done.stdout.split()[0]) == (0, "2")
    events = read(folder / tracked(RUNS[0]).name)
    scalars = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
    assert scalars == {"loss": [(10, 2.5)], "test_accuracy": [(10, 0), (20, 50)], "final/accuracy": [(20, 25)]}
    (told,) = HParamsPluginData.FromString(
        events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    ).ListFields()[:1]
    assert told[1].hparams["hidden"].number_value == 7
    assert len(list(folder.iterdir())) == 2


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    facts = {"language": "scan", "seed": 0, "split": {"name": "../release/x"}}
    run = Run(spec=facts | {"learner": {"kind": "program", "command": "../run.sh {train} " + "x" * 300}})
    name = tracked(run).name
    assert "/" not in name
    assert len(name) < 255


def test_a_tracker_that_is_not_installed_or_not_known_is_one_sentence(ledger: Path, monkeypatch) -> None:
    for tracker in TRACKERS:
        monkeypatch.setitem(sys.modules, tracker, None)  # importing it fails
        with Ledger(ledger) as known, pytest.raises(InputError, match=f"install it: pip install {tracker}"):
            list(log(known, known.select(), tracker, "daxlab"))
    with Ledger(ledger) as known, pytest.raises(InputError, match="no tracker is called 'wandbb'; did you mean"):
        list(log(known, known.select(), "wandbb", "daxlab"))
