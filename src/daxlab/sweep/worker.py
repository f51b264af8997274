"""One group trained and examined, in whatever process this is called.

Returns what the ledger will hold; writes nothing but the group's checkpoint. Needs JAX.
"""

import contextlib
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

from daxlab import engine
from daxlab.datasets import bleu, is_translation, language, named_commands
from daxlab.encoding import Encoding
from daxlab.engine import weights
from daxlab.errors import InputError
from daxlab.networks import seq2seq
from daxlab.runs import Run, key
from daxlab.runs.scoring import Examined, examine, rehearse
from daxlab.runs.spec import Architecture, Spec, all_facts
from daxlab.sweep.process import out_of_memory
from daxlab.sweep.task import Finished, Memory, Noted, Progress, Report, Started, Task, Turn


def network_maker(architecture: Architecture, encoding: Encoding) -> Callable[..., Any]:
    """From a key and a width to a network of this architecture."""
    return partial(
        seq2seq,
        words=len(encoding.words),
        actions=len(encoding.actions),
        cell=architecture.cell,
        layers=architecture.layers,
        attention=architecture.attention,
    )


def engine_group(members: Sequence[Spec]) -> engine.Group:
    """The engine's group for these specs, which share a language, a protocol and an architecture but for its size."""
    first = members[0]
    encoding = Encoding.of(language(first.language).commands())
    splits = {name: replace(first, split=name).content() for name in {spec.split for spec in members}}  # each once
    runs = tuple(
        engine.Run(spec.seed, splits[spec.split], spec.architecture.hidden, spec.architecture.dropout)
        for spec in members
    )
    return engine.Group(runs, network_maker(first.architecture, encoding), encoding, first.protocol)


def work(task: Task, report: Report, turn: Turn = contextlib.nullcontext, at_once: int = 1) -> Finished | None:
    """Trains a group from its checkpoint, if it has one, and examines it; None if it was stopped on the way."""
    facts, group, first = all_facts(task.members), engine_group(task.members), task.members[0]
    if [key(fact) for fact in facts] != list(task.keys):
        raise InputError(
            f"these runs on {first.language} are not those that were asked for: did its file change, or is the daxlab "
            "here another than the driver's?"
        )
    translates = is_translation(first.language)
    # What will be needed in the end is asked for now; and what is at work now, not what a checkout holds by then.
    origin = _origin() | ({bleu.PACKAGE: bleu.version()} if translates else {})
    named, attention = named_commands(first.language), first.architecture.attention
    rehearsal = None
    if jax.default_backend() != "cpu":  # one core has nothing to spare for it
        with turn("compiles"):
            if _foresee(task, group, report) is False:
                return None
        rehearsal = rehearse(group, named, attention)
    with turn("trains"):
        if rehearsal is not None and report(Started(task.group)) is False:  # it may have waited long
            return None
        trained, resumed = _trained(task, group, report)
    if trained.update < group.protocol.updates:
        return None
    if rehearsal is not None:
        rehearsal.join()
    began = time.monotonic()
    try:
        examined = examine(group, trained.networks, named, attention, translates)
    except Exception as error:
        if not out_of_memory(error):
            raise
        safe = "; their checkpoint is kept: the same command goes on from there, on a device with more memory"
        raise InputError(
            f"{len(task.members)} runs are trained, but there is not the memory to ask them all they are asked"
            f"{safe if task.checkpoint else ''}"
        ) from error
    training, examining = float(trained.history.seconds), time.monotonic() - began
    timing = {
        "seconds": (training + examining) / len(task.members) / at_once,
        "group_seconds": training + examining,
        "examine_seconds": examining,
        "resumed": int(resumed),
        "at_once": at_once,  # workers that shared the card meanwhile
    }
    runs = _runs(task, facts, trained, examined, timing, origin)
    kept = {}
    if task.keep_weights:
        kept = {
            run.key: weights.dump(engine.unstack(trained.networks, n), group.hidden)
            for n, run in enumerate(runs)
            if run.status == "done"
        }
    return Finished(task.group, runs, kept)


def _trained(task: Task, group: engine.Group, report: Report) -> tuple[engine.Trained, bool]:
    """The group after its training, and whether a checkpoint spared it some; a damaged one is set aside."""

    def on_progress(now: engine.Progress) -> bool | None:
        losses, failed = tuple(map(float, now.losses)), tuple(map(int, now.failed))
        return report(Progress(task.group, now.update, losses, failed))

    train = partial(engine.train, group, checkpoint_every=task.checkpoint_every, on_progress=on_progress)
    resumed = task.checkpoint is not None and task.checkpoint.exists()
    try:
        return train(checkpoint=task.checkpoint), resumed
    except engine.Damaged as error:
        if task.checkpoint is None or not task.set_aside:
            raise
        aside = task.checkpoint.with_suffix(".damaged")
        task.checkpoint.replace(aside)
        report(Noted(task.group, f"{error.what}: set aside as {aside.name}, its runs train from their start"))
        return train(checkpoint=task.checkpoint), False


def _foresee(task: Task, group: engine.Group, report: Report) -> bool | None:
    """Says what a group will need of the card; one that cannot fit is not even tried. False: it was told to stop."""
    needed = engine.memory_needed(group)
    available = int((jax.devices()[0].memory_stats() or {}).get("bytes_limit", 0))
    heard = report(Memory(task.group, len(task.members), needed, available))
    if available and needed > available:
        raise MemoryError(f"out of memory: {needed:,} bytes needed, {available:,} there")
    return heard


def _runs(
    task: Task,
    specs: Sequence[Any],
    trained: engine.Trained,
    examined: Sequence[Examined | None],
    timing: dict[str, float],
    origin: dict[str, Any],
) -> tuple[Run, ...]:
    """The runs of a trained group as the ledger holds them."""
    runs = []
    for n, facts in enumerate(specs):
        common: dict[str, Any] = {
            "spec": facts,
            "group": task.group,
            "timing": timing,
            "origin": origin,
            "finished": time.time(),
            "curve": _curve(trained, n),
        }
        found = examined[n]
        if trained.failed[n] >= 0:
            number = int(trained.failed[n]) + 1  # the first update is number 1
            runs.append(Run(**common, status="failed", failed_at=number, reason="its loss was no longer finite"))
        elif found is None:
            reason = "what it answers has no likelihood that is a number"
            runs.append(Run(**common, status="failed", failed_at=trained.update, reason=reason))
        else:
            runs.append(Run(**common, metrics=found.metrics, artefacts=found.artefacts))
    return tuple(runs)


def _curve(trained: engine.Trained, run: int) -> dict[str, list[float]]:
    history = trained.history
    losses, per_point = trained.mean_losses[:, run], engine.CURVE_EVERY // engine.WINDOW
    return {
        "update": history.updates.tolist(),
        "train_accuracy": (100 * history.train[:, run]).tolist(),
        "test_accuracy": (100 * history.test[:, run]).tolist(),
        "loss": [float(losses[at : at + per_point].mean()) for at in range(0, len(losses), per_point)],
    }


def _origin() -> dict[str, Any]:
    """What is needed to repeat a run besides its spec."""
    device = jax.devices()[0]
    packages = {name: version(name) for name in ("jax", "jaxlib", "equinox", "numpy")}
    return {
        "device": device.device_kind,
        "platform": device.platform,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "daxlab": _daxlab(),
        **packages,
    }


@cache
def _daxlab() -> str:
    """Version and commit, as they were when first asked for: the commit that DAXLAB_COMMIT names, for a copy without
    its history, or the checkout's."""
    from daxlab import __version__

    commit, root = os.environ.get("DAXLAB_COMMIT", ""), Path(__file__).parents[3]
    if not commit and (root / ".git").exists():  # else the history around it is another project's
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            describe = ["git", "-C", str(root), "describe", "--always", "--dirty"]
            commit = subprocess.run(describe, capture_output=True, text=True, check=True).stdout.strip()
    return f"{__version__} ({commit})" if commit else __version__


def on_device(device: str) -> None:
    """Makes sure that this process computes where it was told to."""
    # Beside a card the CPU is kept at hand, for the draws.
    jax.config.update("jax_platforms", "cpu" if device == "cpu" else "cuda,cpu")
    try:
        found = jax.devices()[0].platform
    except (RuntimeError, AssertionError):  # JAX's, where a platform of that name cannot be had
        found = "none"
    if device == "gpu" and found != "gpu":
        raise InputError(
            "there is no GPU here that JAX can use: install daxlab[gpu] on a machine that has one, or use --device cpu"
        )
