"""`daxlab sweep`: what a spec file spans, trained as far as the ledger lacks it; how much that is; how far it is."""

import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli import training
from daxlab.cli.options import LEDGER, JsonOption, LedgerOption, spec_at
from daxlab.cli.terminal import show
from daxlab.cli.training import Training, with_training_options
from daxlab.cli.watching import LOOK_EVERY, look, shown
from daxlab.errors import InputError
from daxlab.runs import Ledger
from daxlab.sweep import Spec, weights_of
from daxlab.sweep.grid import parse, part, read

app = typer.Typer(help="Many runs at once: run, plan, status.", no_args_is_help=True)
SpecArgument = Annotated[
    Path | None, typer.Argument(metavar="SPEC.toml", help="Axes whose product are runs (see specs/).")
]
SET = "An axis: split, data, learner, seeds or any field of the learner, such as hidden=25,50. Can be repeated."
AxesOption = Annotated[list[str] | None, typer.Option("--set", metavar="AXIS=VALUES", help=SET)]
ONLY = "Only a part of it, such as hidden=25,50, or seeds=0,1 for the first two. Can be repeated."
OnlyOption = Annotated[list[str] | None, typer.Option("--only", metavar="AXIS=VALUES", help=ONLY)]
WATCH = "Look again and again, until nothing is trained. Default: so in a terminal, elsewhere once."


@app.command("run")
@with_training_options
def run(
    how: Training,
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    keep_weights: Annotated[bool, typer.Option("--keep-weights", help="Keep every network's weights.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Train the runs that a file or --set declares and the ledger lacks.

    Example: daxlab sweep run specs/paper-search.toml --device gpu --budget 20m
    Example: daxlab sweep run --set split=jump --set hidden=25,50 --set seeds=3
    """
    wanted, path = _declared(spec, axes, only), how.ledger
    plan, words = _planned(spec, wanted, how)
    print(words, file=sys.stderr)
    outcome = training.train(wanted, how, plan, keep_weights=keep_weights)
    with Ledger(path) as known:
        lacking, undone = (set(known.lacking(outcome.keys, retry_failed=retried)) for retried in (False, True))
    asked = len(outcome.keys)
    there, done = asked - len(lacking), asked - len(undone)
    if as_json:
        about = {"runs": asked, "done": done, "failed": there - done, "trained": outcome.trained}
        print(json.dumps(about | {"complete": not outcome.stopped, "plan": plan}, indent=1))
    else:
        print(f"{there:,} of {asked:,} runs are in {path}, {there - asked + plan['lacking']:,} of them new.")
        if there > done:
            print(_failed(there - done))
    bare = keep_weights and sum(not weights_of(path, key).exists() for key in outcome.keys if key not in undone)
    if bare:
        print(f"{bare:,} runs have no saved weights; they will not be retrained.", file=sys.stderr)
    training.exit_if_stopped(outcome, path)


@app.command("plan")
@with_training_options
def plan(
    how: Training,
    spec: SpecArgument = None,
    axes: AxesOption = None,
    only: OnlyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what 'sweep run' with the same options would take: runs, groups, time, disk. Trains nothing.

    Example: daxlab sweep plan specs/paper-search.toml --device gpu
    """
    facts, words = _planned(spec, _declared(spec, axes, only), how)
    print(json.dumps(facts, indent=1) if as_json else words)


def _declared(spec: Path | None, axes: list[str] | None, only: list[str] | None) -> list[Spec]:
    """The runs that a file and axes declare, and of these a part."""
    if spec is None and not axes:
        raise InputError("give a sweep file, or axes: --set split=jump --set hidden=25,50, say")
    return part(parse({}, axes or []) if spec is None else read(spec_at(spec), axes or []), only or [])


def _planned(spec: Path | None, wanted: list[Spec], how: Training) -> tuple[dict[str, Any], str]:
    """The plan of a sweep, as facts and in words."""
    facts = training.plan(wanted, how)
    words = [f"{spec or 'This sweep'}: {facts['asked']:,} runs, of which {how.ledger} has {facts['done']:,}."]
    words += [_failed(facts["failed"])] if facts["failed"] else []
    words += [training.in_words(facts)] if facts["groups"] else []
    asked, runs = facts.pop("asked"), facts.pop("runs")
    lacking = asked - facts["done"]
    facts["done"] -= facts["failed"]
    if runs > lacking:
        words.append(f"{runs - lacking:,} extra runs will be trained because they share a group with missing ones.")
    return {"runs": asked, "lacking": lacking, "training": runs, **facts}, "\n".join(words)


def _failed(runs: int) -> str:
    return f"{runs:,} of them failed; --retry-failed trains them again."


@app.command("status")
def status(
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
    watch: Annotated[bool | None, typer.Option("--watch/--once", help=WATCH, show_default=False)] = None,
) -> None:
    """Say how far a sweep is, from another terminal or afterwards: what is done, running, failed, left, best so far.

    Example: daxlab sweep status
    """
    path = ledger or LEDGER
    if as_json and watch:
        raise InputError("--json says it once, --watch again and again: choose one")
    now = look(path)
    if as_json:
        print(json.dumps(asdict(now), indent=1))
    elif not now.writing or not (sys.stdout.isatty() if watch is None else watch):
        show(shown(path, now))
    else:
        from rich.live import Live  # slow to load

        with suppress(KeyboardInterrupt), Live(shown(path, now), auto_refresh=False) as live:
            while now.writing:
                time.sleep(LOOK_EVERY)
                now = look(path)
                live.update(shown(path, now), refresh=True)
