"""`daxlab sweep`: what a spec file spans, trained as far as the ledger lacks it; how much that is; how far it is."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from daxlab.cli.options import (
    LEDGER,
    AddressOption,
    BudgetOption,
    CheckpointsOption,
    DeviceOption,
    ExecutorOption,
    JsonOption,
    LedgerOption,
    RetryOption,
    device_named,
    seconds,
    spec_at,
    writable_ledger,
)
from daxlab.errors import InputError
from daxlab.runs import Ledger
from daxlab.units import duration

if TYPE_CHECKING:
    from rich.console import RenderableType

app = typer.Typer(help="Many runs at once: run, plan, status.", no_args_is_help=True)
SpecArgument = Annotated[
    Path | None, typer.Argument(metavar="[SPEC.toml]", help="Axes whose product are runs (see specs/).")
]
AxesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="AXIS=VALUES",
        help="An axis: split, data, learner, seeds or any field of the learner, such as hidden=25,50. Can be repeated.",
    ),
]
KeepOption = Annotated[bool, typer.Option("--keep-weights", help="Keep the final weights of every network.")]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="AXIS=VALUES",
        help="Only a part of it, such as hidden=25,50, or seeds=0,1 for the first two. Can be repeated.",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        metavar="N",
        help="Groups at a time, at most. Default: one a core, six on a GPU, as many as a cluster holds.",
    ),
]
EVERY = 2.0  # seconds between two looks at the ledger
MOST_SPLITS = 10  # whose best is shown


@app.command("run")
def run(
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    address: AddressOption = None,
    workers: WorkersOption = None,
    budget: BudgetOption = None,
    checkpoints: CheckpointsOption = None,
    keep_weights: KeepOption = False,
    retry_failed: RetryOption = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train the runs that a file or --set declares and the ledger lacks.

    Example: daxlab sweep run specs/paper-search.toml --device gpu --budget 20m
    Example: daxlab sweep run --set split=jump --set hidden=25,50 --set seeds=3
    """
    from daxlab.sweep import sweep, weights_of  # so that --help stays light

    path, where, until = ledger or LEDGER, device_named(device, executor), seconds(budget)
    wanted = _declared(spec, axes, only)
    plan, words = _planned(spec, wanted, path, where, executor, workers, retry_failed, checkpoints)
    print(words, file=sys.stderr)
    if plan["groups"]:
        writable_ledger(path)
    with _watched(path, plan["training"]) as show:
        outcome = sweep(
            wanted,
            path,
            device=where,
            workers=workers,
            budget=until,
            retry_failed=retry_failed,
            keep_weights=keep_weights,
            checkpoint_folder=checkpoints,
            executor=executor,
            address=address,
            show=show,
        )
    for line in outcome.said:
        print(line, file=sys.stderr)
    with Ledger(path) as known:
        lacking, undone = (set(known.lacking(outcome.keys, retry_failed=retried)) for retried in (False, True))
    asked = len(outcome.keys)
    there, done = asked - len(lacking), asked - len(undone)
    bare = keep_weights and sum(not weights_of(path, key).exists() for key in outcome.keys if key not in undone)
    if as_json:
        about = {"runs": asked, "done": done, "failed": there - done, "trained": outcome.trained}
        print(json.dumps(about | {"complete": not outcome.stopped, "plan": plan}, indent=1))
    else:
        print(f"{there:,} of {asked:,} runs are in {path}, {there - asked + plan['lacking']:,} of them new.")
        if there > done:
            print(_failed(there - done))
    if bare:
        print(f"{bare:,} runs have no saved weights; they will not be retrained.", file=sys.stderr)
    if outcome.stopped:
        print("Stopped at a checkpoint. Run the same command again to go on.", file=sys.stderr)
        raise typer.Exit(3)


@app.command("plan")
def plan(
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    device: DeviceOption = "auto",
    executor: ExecutorOption = "local",
    workers: WorkersOption = None,
    checkpoints: CheckpointsOption = None,
    retry_failed: RetryOption = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a sweep would take: runs, groups, time on this device, disk. Trains nothing.

    Example: daxlab sweep plan specs/paper-search.toml --device gpu
    """
    wanted, where = _declared(spec, axes, only), device_named(device, executor)
    path = ledger or LEDGER
    found, words = _planned(spec, wanted, path, where, executor, workers, retry_failed, checkpoints)
    print(json.dumps(found, indent=1) if as_json else words)


def _declared(spec: Path | None, axes: list[str] | None, only: list[str] | None) -> Any:
    """The runs that a file declares, with the axes given, and of these a part."""
    from daxlab.sweep.grid import parse, part, read

    if spec is None and not axes:
        raise InputError("give a sweep file, or axes: --set split=jump --set hidden=25,50, say")
    wanted = parse({}, axes or []) if spec is None else read(spec_at(spec), axes or [])
    return part(wanted, only or [])


def _planned(
    spec: Path | None,
    wanted: Any,
    ledger: Path,
    device: str,
    executor: str,
    workers: int | None,
    retry_failed: bool,
    checkpoints: Path | None,
) -> tuple[dict[str, Any], str]:
    """The plan of a sweep, as facts and in words."""
    from daxlab.cli.planning import foresee, in_words  # so that --help stays light

    found = foresee(wanted, ledger, device, executor, workers, retry_failed, checkpoints)
    words = f"{spec or 'This sweep'}: {found['asked']:,} runs, of which {ledger} has {found['done']:,}."
    words += f"\n{_failed(found['failed'])}" if found["failed"] else ""
    words += f"\n{in_words(found)}" if found["groups"] else ""
    asked, training = found.pop("asked"), found.pop("runs")
    lacking = asked - found["done"]
    found["done"] -= found["failed"]
    if training > lacking:
        words += f"\n{training - lacking:,} extra runs will be trained because they share a group with missing ones."
    return {"runs": asked, "lacking": lacking, "training": training, **found}, words


def _failed(runs: int) -> str:
    return f"{runs:,} of them failed; --retry-failed trains them again."


@app.command("status")
def status(
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
    watch: Annotated[
        bool | None,
        typer.Option(
            "--watch/--once",
            help="Look again and again, until nothing is trained. Default: so in a terminal, elsewhere once.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Say how far a sweep is, from another terminal or afterwards: what is done, running, failed, left, best so far.

    Example: daxlab sweep status
    """
    path = ledger or LEDGER
    if as_json:
        if watch:
            raise InputError("--json says it once, --watch again and again: choose one")
        print(json.dumps(asdict(_status(path)), indent=1))
        return
    from rich.live import Live  # slow to load

    from daxlab.cli.terminal import show

    now = _status(path)
    if not now.writing or not (sys.stdout.isatty() if watch is None else watch):
        show(_shown(path, now))
        return
    with suppress(KeyboardInterrupt), Live(_shown(path, now), auto_refresh=False) as live:
        while now.writing:
            time.sleep(EVERY)
            now = _status(path)
            live.update(_shown(path, now), refresh=True)


def _status(path: Path) -> Any:
    from daxlab.sweep.status import status as asked  # so that --help stays light

    with Ledger(path) as known:
        return asked(known)


def _shown(path: Path, now: Any) -> "RenderableType":
    """A status as lines and tables."""
    from rich.console import Group  # slow to load
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    counts = f"{now.done:,} done, {now.running:,} running, {now.waiting:,} waiting, {now.failed:,} failed"
    pace = "nothing is left to train" if now.done else "all have failed" if now.failed else "nothing is recorded yet"
    pace = "Nothing is training now. Run the same command again to go on." if now.waiting else pace
    if now.writing:
        rate = "" if now.runs_per_hour is None else f"{now.runs_per_hour:,.0f} runs an hour"
        left = "" if now.seconds_left is None else f"about {duration(now.seconds_left)} left"
        pace = ", ".join(part for part in (rate, left) if part) or "beginning"
    groups = Table.grid(padding=(0, 2))
    for group in now.groups:
        bar = ProgressBar(total=group.steps, completed=group.step, width=20)
        what = f"{group.runs:,} of {group.label}"
        if group.split is not None:
            what = f"{group.label}, on {group.split}, seed {group.seed}"
        groups.add_row(what, bar, f"{group.step:,} of {group.steps:,} steps")
    parts: list[RenderableType] = [Text(f"{path}: {counts}"), pace]  # a path may have brackets
    if now.others:
        parts.append(f"{now.others:,} more wait in groups of other sweeps")
    if now.groups:
        parts += ["", groups]
    if now.best:
        parts += ["", "best in this ledger", _best(now.best[:MOST_SPLITS])]
    if len(now.best) > MOST_SPLITS:
        parts.append(f"… and {len(now.best) - MOST_SPLITS:,} more")
    return Group(*parts)


def _best(rows: list[dict[str, Any]]) -> "RenderableType":
    from daxlab.cli.terminal import tabled  # slow to load

    also = ["dataset"] if len({row["dataset"] for row in rows}) > 1 else []
    lines = [
        [row["split"], f"{row['mean']:.2f}", row["label"], f"{row['runs']:,}", *(str(row[part]) for part in also)]
        for row in rows
    ]
    return tabled(["split", "mean %", "learner", "runs", *also], lines, right=(1, 3))


@contextmanager
def _watched(path: Path, lacking: int) -> Iterator[Callable[[Any], None]]:
    """A live status on standard error where that is a terminal; a line for each group where it is not."""
    from rich.console import Console  # slow to load
    from rich.live import Live

    from daxlab.sweep import Plan
    from daxlab.sweep.task import Stopping

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _plain(lacking)
        return
    started: list[Live] = []
    how: dict[str, Any] = {"console": console, "refresh_per_second": 1 / EVERY, "transient": True}
    with ExitStack() as stack:

        def show(event: Any) -> None:
            if isinstance(event, Plan) and not started:  # only now there is a ledger
                started.append(stack.enter_context(Live(get_renderable=lambda: _shown(path, _status(path)), **how)))
            elif isinstance(event, Stopping):
                print(event, file=sys.stderr)  # Live puts it above itself

        yield show


def _plain(lacking: int) -> Callable[[Any], None]:
    done = 0

    def show(event: Any) -> None:
        from daxlab.sweep.task import Finished, Memory, Stopping

        nonlocal done
        if isinstance(event, Memory | Stopping):
            print(event, file=sys.stderr)
        elif isinstance(event, Finished):
            done += len(event.runs)
            print(f"{done:,} of {lacking:,} runs", file=sys.stderr)

    return show
