"""`daxlab sweep`: what a spec file spans, trained as far as the ledger lacks it; how much that is; how far it is."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli import training
from daxlab.cli.completion import axes as complete_axes
from daxlab.cli.help import HOW, WHAT, App
from daxlab.cli.options import JsonOption, LedgerOption
from daxlab.cli.training import Training, with_training_options
from daxlab.errors import InputError
from daxlab.ledger import Ledger, is_written
from daxlab.ledger.location import default_ledger, ledger_at, shipped, writable_ledger
from daxlab.sweep import Outcome, Spec, weights_of
from daxlab.sweep.grid import parse, part, read
from daxlab.sweep.local import device_named
from daxlab.sweep.parts import part_named, part_of
from daxlab.terminal import print_json, show
from daxlab.units import counted
from daxlab.watching import LOOK_EVERY, look, shown

app = App(help="Train many runs at once: run, plan, status.", no_args_is_help=True)
SpecArgument = Annotated[
    Path | None, typer.Argument(metavar="SPEC.toml", help="A file that says what to train (see specs/).")
]
SET = "Values of split, data, learner, seeds or a field, such as hidden=25,50. Can be repeated: all combinations."
AxesOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="AXIS=VALUES", help=SET, rich_help_panel=WHAT, autocompletion=complete_axes),
]
ONLY = "Only a part of the sweep, such as hidden=25,50 or seeds=0,1. Can be repeated."
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="AXIS=VALUES", help=ONLY, rich_help_panel=WHAT, autocompletion=complete_axes),
]
PART = "Only the third of eight parts, say, each for a machine and a ledger of its own; then 'daxlab runs merge'."
PartOption = Annotated[str | None, typer.Option("--part", metavar="3/8", help=PART, rich_help_panel=WHAT)]
WATCH = "Keep looking until nothing is trained. Default: in a terminal yes, elsewhere no."


@app.command("run")
@with_training_options
def run(
    how: Training,
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    of_parts: PartOption = None,
    keep_weights: Annotated[
        bool,
        typer.Option(
            "--keep-weights", help="Keep every network's weights, so that it can be asked.", rich_help_panel=HOW
        ),
    ] = False,
    as_json: JsonOption = False,
) -> Outcome:
    """Train what a file or --set describes, as far as the ledger lacks it.

    Example: daxlab sweep run specs/paper-search.toml --device gpu --budget 20m
    Example: daxlab sweep run --set split=jump --set hidden=25,50 --set seeds=3
    Example: daxlab sweep run specs/smoke.toml --part 1/2 --ledger part-1.db
    """
    wanted, path = _declared(spec, axes, only, of_parts, how), how.ledger
    plan = training.plan(wanted, how)
    if plan["groups"]:
        writable_ledger(path)
    print(training.in_words(plan, _title(spec, of_parts)), file=sys.stderr)
    outcome = training.train(wanted, how, plan, keep_weights=keep_weights)
    with Ledger(path) as known:
        lacking, undone = (set(known.lacking(outcome.keys, retry_failed=retried)) for retried in (False, True))
    asked = len(outcome.keys)
    there, done = asked - len(lacking), asked - len(undone)
    if as_json:
        about = {"runs": asked, "done": done, "failed": there - done, "trained": outcome.trained}
        print_json(about | {"complete": not outcome.stopped, "plan": _as_json(plan)})
    else:
        print(f"{path} has {there:,} of {counted(asked, 'run')}, {there - plan['done']:,} of them new.")
        if there > done:
            print(training.FAILED.format(there - done))
    bare = keep_weights and sum(not weights_of(path, key).exists() for key in outcome.keys if key not in undone)
    if bare:
        print(f"{counted(bare, 'run')} without saved weights will not be retrained.", file=sys.stderr)
    return outcome


@app.command("plan")
@with_training_options
def plan(
    how: Training,
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    of_parts: PartOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how many runs 'sweep run' would train and how long it would take. Trains nothing.

    Example: daxlab sweep plan specs/paper-search.toml --device gpu
    """
    facts = training.plan(_declared(spec, axes, only, of_parts, how), how, to_train=False)
    if as_json:
        return print_json(_as_json(facts))
    print(training.in_words(facts, _title(spec, of_parts)))


def _declared(
    spec: Path | None, axes: list[str] | None, only: list[str] | None, of_parts: str | None, how: Training
) -> list[Spec]:
    """The runs that a file and axes declare, and of these a part. A file may be one that comes with daxlab."""
    numbers = part_named(of_parts) if of_parts is not None else None
    if spec is None and not axes:
        raise InputError("say what to train: name a sweep file, or add --set split=jump --set hidden=25,50")
    if spec and not spec.exists() and spec.parent in (Path(), Path("specs")):
        spec = shipped(f"specs/{spec.name}") or spec
    specs = part(read(spec, axes or []) if spec else parse({}, axes or []), only or [])
    return part_of(specs, *numbers, device_named(how.device, how.executor)) if numbers else specs


def _title(spec: Path | None, of_parts: str | None) -> str:
    return str(spec or "This sweep") + (f", part {of_parts}" if of_parts else "")


def _as_json(plan: dict[str, Any]) -> dict[str, Any]:
    counts = {"runs": plan["asked"], "lacking": plan["asked"] - plan["done"], "training": plan["runs"]}
    rest = {name: value for name, value in plan.items() if name not in ("asked", "runs")}
    return {**counts, **rest, "done": plan["done"] - plan["failed"]}


@app.command("status")
def status(
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
    watch: Annotated[bool | None, typer.Option("--watch/--once", help=WATCH, show_default=False)] = None,
) -> None:
    """Say how far a sweep is: what is done, running, failed and left, and what is best so far.

    Example: daxlab sweep status
    """
    path = ledger or (default_ledger() if is_written(default_ledger()) else ledger_at(None))
    if as_json and watch:
        raise InputError("--json and --watch do not go together: choose one")
    now = look(path)
    if as_json:
        print_json(now)
    elif not now.writing or not (sys.stdout.isatty() if watch is None else watch):
        show(shown(path, now))
    else:
        from rich.live import Live  # slow to load

        with suppress(KeyboardInterrupt), Live(shown(path, now), auto_refresh=False) as live:
            while now.writing:
                time.sleep(LOOK_EVERY)
                now = look(path)
                live.update(shown(path, now), refresh=True)
