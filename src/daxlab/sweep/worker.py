"""A worker's process, whichever executor started it: prepared before JAX starts, then one task after another.

A task is a group: it is fitted, scored, and returned as what the ledger will hold. Nothing is written but the group's
checkpoint. Whatever goes wrong in a task is an event too. Knows nothing of how tasks come here or where events go.
"""

import os
import platform
import signal
import subprocess
import time
import traceback
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from daxlab.errors import InputError
from daxlab.learners import Context, Learner
from daxlab.learners.registry import line_in
from daxlab.ledger import Run, key
from daxlab.ledger.scoring import Scored, score
from daxlab.ledger.spec import all_facts
from daxlab.sweep.estimates import program
from daxlab.sweep.phases import Phases, time_compiling
from daxlab.sweep.task import Broken, Entered, Event, Finished, Noted, Report, Stopped, Task, TooLarge

OUT_OF_MEMORY = ("RESOURCE_EXHAUSTED", "Out of memory", "out of memory")
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
PACKAGES = ("jax", "jaxlib", "equinox", "numpy")


def prepare(device: str, workers: int = 1) -> None:
    """Before JAX starts: on a CPU it gets one thread, because there is a worker for every core; on a card that several
    workers share, its part of the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the driver, which tells us to stop
    if device == "cpu":
        flags = os.environ.get("XLA_FLAGS", "")
        if ONE_THREAD not in flags:
            os.environ["XLA_FLAGS"] = f"{flags} {ONE_THREAD}"
        os.environ["PJRT_NPROC"] = "1"
    elif workers > 1:
        asked = os.environ.pop("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.9")  # its older name; XLA refuses both at once
        os.environ["XLA_CLIENT_MEM_FRACTION"] = str(float(os.environ.get("XLA_CLIENT_MEM_FRACTION", asked)) / workers)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def run_task(
    task: Task,
    device: str,
    report: Report,
    turn: AbstractContextManager[object] | None = None,
    at_once: int = 1,
    before: float = 0.0,
) -> Event:
    """Fit a group and say what became of it.

    `turn`: a lock to hold while training. `at_once`: how many workers use the card at the same time. `before`: seconds
    that its process took to start.
    """
    try:
        return work(task, device, report, turn, at_once, before) or Stopped(task.group)
    except InputError as error:
        return Broken(task.group, str(error), mendable=True)
    except (BrokenPipeError, ConnectionResetError):  # nobody listens any more
        raise
    except (Exception, SystemExit) as error:  # a learner of the user's may call sys.exit
        if isinstance(error, MemoryError) or any(mark in str(error) for mark in OUT_OF_MEMORY):
            return TooLarge(task.group, next(iter(str(error).splitlines()), type(error).__name__))
        if place := _in_learner(task, error):
            return Broken(task.group, f"{place}: {type(error).__name__}: {error}", mendable=True)
        return Broken(task.group, traceback.format_exc(), mendable=False)


def _in_learner(task: Task, error: BaseException) -> str:
    """Where in a user's learner file an error was raised; nothing if it was not there."""
    source = task.members[0].learner.source
    if source is None:
        return ""
    path = Path(source["name"].rpartition(":")[0])
    if line := line_in(path, error):
        return f"{path.name}, line {line}"
    wrong = isinstance(error, TypeError | AttributeError)  # a wrong signature, or no model
    return f"{source['name']} breaks the contract" if wrong else ""


def work(
    task: Task,
    device: str,
    report: Report,
    turn: AbstractContextManager[object] | None,
    at_once: int,
    before: float,
) -> Finished | None:
    """Fit a group, from its checkpoint if it has one, and score it; None if it was stopped on the way."""
    report(Entered(task.group, "starting"))
    began, resumes = time.monotonic() - before, task.checkpoint is not None and task.checkpoint.exists()
    facts, first = all_facts(task.members), task.members[0]
    if [key(fact) for fact in facts] != list(task.keys):
        raise InputError(
            f"these runs of {first.learner} on {first.data} are not those that were asked for: did a file of theirs "
            "change, or is the daxlab here another than the driver's?"
        )
    phases = Phases(task.group, program(facts[0]), report, began, resumes)
    if first.learner.uses_jax:
        from daxlab.engine.device import on_device

        on_device(device)
        time_compiling()
    contents = {(spec.data, spec.split): spec.job() for spec in task.members}  # a split's runs are asked together
    jobs = [replace(contents[spec.data, spec.split], learner=spec.learner, seed=spec.seed) for spec in task.members]
    # The versions of now, not of what a checkout holds when the training ends.
    origin = _origin(first.learner.uses_jax) | {name: version(name) for name in jobs[0].dataset.packages}
    if limits := _limits(first.learner):
        origin["limits"] = limits
    context = Context(
        checkpoint=task.checkpoint,
        checkpoint_every=task.checkpoint_every,
        snapshots=task.snapshots,
        set_aside=task.set_aside,
        progress=phases.step,
        phase=phases.enter,
        note=lambda message: report(Noted(task.group, message)),
        turn=phases.awaited(turn) if turn else nullcontext(),
    )
    if not first.learner.uses_jax:
        phases.enter("training")
    fitted = first.learner.fit(jobs, context)
    if fitted is None:
        return None
    began = time.monotonic()
    phases.enter("scoring")
    scored = score(fitted, phases.scored)
    scoring = time.monotonic() - began
    timing = {
        "seconds": (fitted.seconds + scoring) / len(jobs) / at_once,
        "group_seconds": fitted.seconds + scoring,
        "examine_seconds": scoring,
        "resumed": int(fitted.resumed),
        "at_once": at_once,  # workers that shared the card meanwhile
        **phases.timing(first.learner.steps),
    }
    shared = {"group": task.group, "timing": timing, "origin": origin, "finished": time.time()}
    parts = zip(scored, facts, fitted.curves, strict=True)
    runs = tuple(_run(score, {**shared, "spec": fact, "curve": curve}) for score, fact, curve in parts)
    saves = task.keep_weights and "weights" in fitted.abilities
    kept = {run.key: n for n, run in enumerate(runs) if saves and run.status == "done"}
    weights = {name: fitted.weights(n) for name, n in kept.items()}
    snapshots = {name: dict(fitted.snapshots(n)) for name, n in kept.items()} if task.snapshots else {}
    return Finished(task.group, runs, weights, snapshots)


def _run(scored: Scored, content: dict[str, Any]) -> Run:
    """A run as the ledger holds it."""
    if scored.failure is not None:
        return Run(**content, status="failed", failed_at=scored.failure.step, reason=scored.failure.reason)
    return Run(**content, metrics=scored.metrics, artefacts=scored.artefacts)


def _origin(uses_jax: bool) -> dict[str, Any]:
    """What is needed to repeat a run besides its spec."""
    facts = {"python": platform.python_version(), "machine": platform.machine(), "daxlab": _daxlab()}
    facts["processor"] = _processor()
    if not uses_jax:
        return {"device": "cpu", "platform": "cpu", **facts}
    import jax

    device = jax.devices()[0]
    versions = {name: version(name) for name in PACKAGES}
    return {"device": device.device_kind, "platform": device.platform, **facts, **versions}


def _limits(learner: Learner) -> dict[str, float]:
    """The limits of time and memory that a learner's runs had; they are no part of a key."""
    parts = [part.name for part in fields(learner) if not part.metadata.get("keyed", True)]
    return {name: value for name in parts if isinstance(value := getattr(learner, name), float)}


@cache
def _processor() -> str:
    """The kind of CPU, because another kind rounds otherwise."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        if models:
            return models[0]
    return platform.processor()


@cache
def _daxlab() -> str:
    """Version and commit, as they were when first asked for: the commit that DAXLAB_COMMIT names, for a copy without
    its history, or the checkout's."""
    from daxlab import __version__

    commit, root = os.environ.get("DAXLAB_COMMIT", ""), Path(__file__).parents[3]
    if not commit and (root / ".git").exists():  # else the history around it is another project's
        with suppress(OSError, subprocess.CalledProcessError):
            describe = ["git", "-C", str(root), "describe", "--always", "--dirty"]
            commit = subprocess.run(describe, capture_output=True, text=True, check=True).stdout.strip()
    return f"{__version__} ({commit})" if commit else __version__
