"""What a plan will take, before anything is trained, as facts and in words."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from daxlab.cli.options import is_shipped, shipped
from daxlab.runs import Ledger, is_written
from daxlab.sweep import Spec, foreseen
from daxlab.sweep.cost import cost
from daxlab.sweep.driver import crew_of


def foresee(
    specs: Sequence[Spec],
    path: Path,
    device: str,
    keep_weights: bool = True,
    executor: str = "local",
    workers: int | None = None,
    retry_failed: bool = False,
    checkpoints: Path | None = None,
) -> dict[str, Any]:
    """What is asked for, what the ledger has of it, and about what the rest will take: on a cluster, of one place.

    `failed`: of what it has, runs that failed and will not be trained again. `shipped`: of the rest, runs that are in
    the results that come with daxlab.
    """
    crew = crew_of(device, executor, workers)
    on_card = crew.at_once if device == "gpu" and executor == "local" and crew.processes != 1 else None
    devices = crew.devices if executor == "local" else 1
    how: dict[str, Any] = {"retry_failed": retry_failed, "checkpoint_folder": checkpoints}
    plan = foreseen(specs, path, device, at_once=crew.at_once, **how)
    of_all = partial(cost, keep_weights=keep_weights, on_card=on_card)
    if is_written(path):
        with Ledger(path) as known:
            taken = of_all(plan.groups, device, devices, known)
            lacking = known.lacking(plan.keys, retry_failed=retry_failed)
            failed = len(known.lacking(plan.keys, retry_failed=True)) - (len(plan.keys) - plan.done)
    else:
        taken, lacking, failed = of_all(plan.groups, device, devices), list(plan.keys), 0
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
    workers, groups, measured, like = plan["workers"], plan["groups"], plan["measured"], ""
    place = f"{workers} CPU core{'s' if workers > 1 else ''}"
    if plan["device"] == "gpu":
        place, like = "the GPU" + (f", up to {workers} at once" if workers > 1 else ""), " for a card like an H200"
    if plan["executor"] == "ray":
        place = f"one {plan['device'].upper()} (divide by how many the cluster has)"
    basis = "timed by the ledger's own runs"
    if measured < groups:
        basis = f"{measured} of {groups} groups {basis}, the others estimated{like}" if measured else f"estimated{like}"
    there = ""
    if plan["shipped"]:
        there = f"\nThe results that come with daxlab have {plan['shipped']:,} of these; to bring them here: "
        there += f"daxlab runs merge {shipped()} --ledger {plan['ledger']}"
    return (
        f"{_counted(plan['runs'], 'run')} in {_counted(groups, 'group')} on {place}: about "
        f"{spoken(plan['seconds'])} ({basis}), {size(plan['bytes'])} of disk, and up to "
        f"{size(plan['checkpoint_bytes'])} more for checkpoints meanwhile."
        f"{there}"
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count > 1 else ''}"


def spoken(seconds: float) -> str:
    """A time as one says it."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"


def size(count: float) -> str:
    """Bytes as one says them."""
    return f"{count / 1e6:,.1f} MB" if count < 1e9 else f"{count / 1e9:,.1f} GB"
