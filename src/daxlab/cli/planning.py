"""What a plan will take, before anything is trained: as facts, and in words."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daxlab.cli.options import is_shipped, shipped
from daxlab.runs import Ledger, is_written
from daxlab.sweep import Spec, plan_sweep
from daxlab.sweep.driver import crew_of
from daxlab.sweep.groups import estimate
from daxlab.units import counted, duration, size


def foresee(
    specs: Sequence[Spec],
    path: Path,
    device: str,
    executor: str = "local",
    workers: int | None = None,
    retry_failed: bool = False,
    checkpoints: Path | None = None,
) -> dict[str, Any]:
    """What is asked for, what the ledger has of it, and about what the rest will take (on a cluster, on one node).

    `failed`: of what it has, runs that failed and will not be trained again. `shipped`: of the rest, runs that are in
    the results that come with daxlab.
    """
    crew = crew_of(device, executor, workers)
    devices = crew.devices if executor == "local" else 1
    plan = plan_sweep(specs, path, device, retry_failed=retry_failed, checkpoint_folder=checkpoints)
    lacking, failed = list(plan.keys), 0
    with ExitStack() as stack:
        known = stack.enter_context(Ledger(path)) if is_written(path) else None
        if known is not None:
            lacking = known.lacking(plan.keys, retry_failed=retry_failed)
            failed = len(known.lacking(plan.keys, retry_failed=True)) - (len(plan.keys) - plan.done)
        ours = shipped()
        others = [stack.enter_context(Ledger(ours))] if ours and not is_shipped(path) else []
        taken = estimate(plan.groups, device, devices, [*([known] if known else []), *others])
    where = {"device": device, "executor": executor, "workers": max(devices, crew.at_once)}
    counts = {"asked": len(plan.keys), "done": plan.done, "failed": failed, "shipped": _shipped(lacking, path)}
    return {"ledger": str(path), **counts, **where, **asdict(taken)}


def _shipped(keys: Collection[str], ledger: Path) -> int:
    ours = shipped()
    if ours is None or is_shipped(ledger):
        return 0
    with Ledger(ours) as known:
        return len(keys) - len(known.lacking(keys, retry_failed=True))


def in_words(plan: dict[str, Any]) -> str:
    """A sentence of a plan."""
    workers, groups, known = plan["workers"], plan["groups"], plan["estimated"]
    place = counted(workers, "CPU core")
    if plan["device"] == "gpu":
        place = "the GPU" + (f", up to {workers} groups at once" if workers > 1 else "")
    if plan["executor"] == "ray":
        place = f"one {plan['device'].upper()} (divide by how many the cluster has)"
    if not known:
        took = "no such run was timed here before, so the first seconds of training will tell how long it takes"
    elif known < groups:
        took = f"about {duration(plan['seconds'])} for {known:,} of the groups, by earlier runs; the rest is unknown"
    else:
        took = f"about {duration(plan['seconds'])}, estimated from earlier runs"
    there = ""
    if plan["shipped"]:
        there = f"\nThe results that come with daxlab have {plan['shipped']:,} of these; to bring them here: "
        there += f"daxlab runs merge {shipped()} --ledger {plan['ledger']}"
    runs = f"{counted(plan['runs'], 'run')} in {counted(groups, 'group')} on {place}"
    return f"{runs}: {took}; {size(plan['bytes'])} in the ledger.{there}"
