"""Runs in Weights & Biases, Trackio or TensorBoard, after the fact: configuration, learning curve, final metrics.

Each tracker is written by its own library. Knows nothing of what a metric means.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

from daxlab.errors import InputError, nearest
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.records import Run, described

LONGEST = 100  # of a learner in words: trackers make folders of names


@dataclass(frozen=True)
class Tracked:
    """A run as a tracker wants it."""

    name: str
    config: Mapping[str, Any]  # texts, numbers and truths
    points: list[tuple[int, dict[str, float]]]  # of the learning curve: the update, and what was measured then
    final: Mapping[str, float]
    finished: float  # seconds since 1970


def tracked(run: Run) -> Tracked:
    """What a tracker is told of a run. A number that is not finite is left out."""
    facts = described(run.spec)
    config: dict[str, Any] = {"run": run.key, "seed": run.spec["seed"], "status": run.status}
    config |= {name: facts[name] for name in ("dataset", "split", "learner", "label")}
    fields = json.loads(facts["fields"] or "{}")
    config |= {f"learner.{name}" if name in config else name: _plain(value) for name, value in fields.items()}
    columns = {name: values for name, values in run.curve.items() if name != "update"}
    points = [
        (int(update), {name: values[n] for name, values in columns.items() if n < len(values) and isfinite(values[n])})
        for n, update in enumerate(run.curve.get("update", ()))
    ]
    final = {f"final/{name}": value for name, value in run.metrics.items()}
    name = f"{facts['label']}"[:LONGEST] + f", {facts['split']}, {run.key[:12]}"
    return Tracked(re.sub(r"[^\w.,; -]+", "-", name), config, points, final, run.finished)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | bool | int | float) else json.dumps(value)


def log(ledger: Ledger, keys: Iterable[str], tracker: str, project: str) -> Iterator[str]:
    """Write runs into a project of a tracker (of TensorBoard: a folder), one after the other; their names."""
    if tracker not in TRACKERS:
        raise InputError(f"no tracker is called {tracker!r}; {nearest(tracker, TRACKERS)}")
    try:
        library = import_module(tracker)
    except ImportError:
        raise InputError(f"to log runs to {tracker}, install it: pip install {tracker}") from None
    for key in keys:
        run = tracked(ledger.run(key))
        TRACKERS[tracker](library, project, run)
        yield run.name


def _to_wandb(wandb: Any, project: str, run: Tracked) -> None:
    identity = run.config["run"][:16]  # logged again, it is the same run there
    try:
        with wandb.init(
            project=project,
            id=identity,
            name=run.name,
            config=dict(run.config),
            resume="allow",
            settings=wandb.Settings(quiet=True),
        ) as there:
            for update, values in run.points:
                there.log(values, step=update)
            there.summary.update(dict(run.final))
    except wandb.errors.Error as error:
        advice = "'wandb login' first, or set WANDB_MODE=offline and use 'wandb sync' later"
        raise InputError(f"Weights & Biases did not take {run.name}: {error}; {advice}") from None


def _to_trackio(trackio: Any, project: str, run: Tracked) -> None:
    with suppress(ValueError):  # no such project yet
        if any(known.name == run.name for known in trackio.Api().runs(project)):
            return  # logged again, it is the same run there
    there = trackio.init(
        project, run.name, config=dict(run.config), embed=False, auto_log_gpu=False, auto_log_cpu=False
    )
    for update, values in run.points:
        there.log(values, step=update)
    there.log(dict(run.final), step=run.points[-1][0] if run.points else 0)
    trackio.finish()


def _to_tensorboard(_library: Any, folder: str, run: Tracked) -> None:
    event_pb2, summary_pb2 = (import_module(f"tensorboard.compat.proto.{name}_pb2") for name in ("event", "summary"))
    hparams = import_module("tensorboard.plugins.hparams.summary_v2")
    place = Path(folder) / run.name
    for earlier in place.glob("events.out.tfevents.*"):  # logged again, it is the same run there
        earlier.unlink()
    writer = import_module("tensorboard.summary.writer.event_file_writer").EventFileWriter(str(place))
    last = run.points[-1][0] if run.points else 0
    summaries = [(0, hparams.hparams_pb(dict(run.config), trial_id=run.name, start_time_secs=run.finished))]
    for update, values in [*run.points, (last, run.final)]:
        parts = [summary_pb2.Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        summaries.append((update, summary_pb2.Summary(value=parts)))
    for step, summary in summaries:
        writer.add_event(event_pb2.Event(wall_time=run.finished, step=step, summary=summary))
    writer.close()


TRACKERS: dict[str, Callable[[Any, str, Tracked], None]] = {
    "wandb": _to_wandb,
    "trackio": _to_trackio,
    "tensorboard": _to_tensorboard,
}
