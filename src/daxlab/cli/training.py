"""What train, reproduce and sweep share: options, a plan in words, training that one can watch, the end."""

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from daxlab.cli.completion import one_of
from daxlab.cli.help import HOW, WHERE
from daxlab.cli.notify import notifying
from daxlab.cli.options import WrittenLedgerOption, budget_of
from daxlab.errors import InputError
from daxlab.ledger import Ledger, is_written
from daxlab.ledger.location import LEDGER, shipped, writable_ledger
from daxlab.sweep import Outcome, Spec, check_packages, estimates, plan_sweep, sweep
from daxlab.sweep.local import device_named, groups_at_once
from daxlab.units import counted
from daxlab.watching import watch

NOTIFY = "Run this in a shell at the end: $DAXLAB_STATUS is done, stopped or failed, $DAXLAB_SUMMARY says more."
FAILED = "{:,} of them failed; --retry-failed trains them again."


@dataclass(frozen=True)
class Training:
    """Where runs are trained, for how long, and into which ledger: the options of every command that trains."""

    device: Annotated[
        str,
        typer.Option(
            metavar="auto|cpu|gpu",
            help="Where to compute. auto: on a GPU, if JAX finds one.",
            rich_help_panel=WHERE,
            autocompletion=one_of("auto", "cpu", "gpu"),
        ),
    ] = "auto"
    executor: Annotated[
        str,
        typer.Option(
            metavar="local|ray",
            help="Train on this machine or on a Ray cluster (docs/sweeps.md).",
            rich_help_panel=WHERE,
            autocompletion=one_of("local", "ray"),
        ),
    ] = "local"
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT|ray://…|auto",
            help="Of the Ray cluster. Default: one is started here.",
            rich_help_panel=WHERE,
        ),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Groups of runs to train at a time. Default: one a core, six on a GPU.",
            rich_help_panel=WHERE,
        ),
    ] = None
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="TIME",
            parser=budget_of,
            help="Stop after this long, such as 90s, 8m or 1h30m. The same command goes on from there.",
            rich_help_panel=WHERE,
        ),
    ] = None
    checkpoints: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where to keep checkpoints; on a cluster, a shared folder. Default: beside the ledger.",
            rich_help_panel=WHERE,
        ),
    ] = None
    notify: Annotated[str | None, typer.Option(metavar="COMMAND", help=NOTIFY, rich_help_panel=WHERE)] = None
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Train runs again that failed before.", rich_help_panel=HOW)
    ] = False
    ledger: WrittenLedgerOption = LEDGER

    def __post_init__(self) -> None:
        if self.address is not None and self.executor != "ray":
            raise InputError("an address is that of a Ray cluster: add --executor ray")


def with_training_options(command: Callable[..., Outcome | None]) -> Callable[..., None]:
    """The command with the fields of its parameter `how`, a Training, as options. Exits 3 if training was stopped."""
    hints, own = get_type_hints(Training, include_extras=True), signature(command)
    kept = [parameter for name, parameter in own.parameters.items() if name != "how"]
    options = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
        for field in fields(Training)
    ]

    @wraps(command)
    def run(**values: Any) -> None:
        how = Training(**{option.name: values.pop(option.name) for option in options})
        with notifying(how.notify, how.ledger) as ending:
            ending.outcome = command(how=how, **values)
        exit_if_stopped(ending.outcome, how.ledger)

    run.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*kept, *options]}
    return run


def exit_if_stopped(outcome: Outcome | None, ledger: Path) -> None:
    """Exit 3, with a word on how to go on, if training was stopped."""
    if outcome is not None and outcome.stopped:
        again = f"Run the same command again to go on; the ledger is {ledger}."
        print(f"Stopped, and nothing done so far is lost. {again}", file=sys.stderr)
        raise typer.Exit(3)


def tell_of_change(path: Path, name: str, where: dict[str, Any], digest: dict[str, Any]) -> None:
    """Say so if earlier runs of a learner's file have another digest: they stay, and those of the file now are new."""
    if not is_written(path):
        return
    with Ledger(path) as ledger:
        others = ledger.count(where) - ledger.count(where | digest)
    if others:
        earlier = counted(others, "earlier run")
        print(f"{name} has changed since {earlier}; what is trained now is new.", file=sys.stderr)


def plan(specs: Sequence[Spec], how: Training, *, to_train: bool = True) -> dict[str, Any]:
    """What is asked for, what the ledger has of it, and about what the rest will take (on a cluster, on one device).

    `failed`: runs in the ledger that failed and will not be trained again. `shipped`: runs that the ledger lacks and
    the results that come with daxlab have. An error if they are `to_train` and cannot be trained on this machine.
    """
    device, path, results = device_named(how.device, how.executor), how.ledger, shipped()
    workers = groups_at_once(device, how.workers) if how.executor == "local" else 1
    planned = plan_sweep(specs, path, device, retry_failed=how.retry_failed, checkpoint_folder=how.checkpoints)
    if to_train and planned.groups:
        check_packages(specs, how.executor)
    with ExitStack() as stack:
        own = [stack.enter_context(Ledger(path))] if is_written(path) else []
        others = [stack.enter_context(Ledger(results))] if results not in (None, path.resolve()) else []
        there = sum(len(planned.lacking) - len(other.lacking(planned.lacking, retry_failed=True)) for other in others)
        taken = estimates.estimate(planned.groups, device, workers, [*own, *others])
    done = len(planned.keys) - len(planned.lacking)
    counts = {"asked": len(planned.keys), "done": done, "failed": planned.failed, "shipped": there}
    where = {"device": device, "executor": how.executor, "workers": workers}
    return {"ledger": str(path), **counts, **where, **asdict(taken)}


def in_words(plan: dict[str, Any], what: str, notes: Sequence[str] = ()) -> str:
    """A plan in sentences: what is asked for, notes, and about what it takes to train the rest."""
    asked, done, extra = plan["asked"], plan["done"], plan["runs"] - plan["asked"] + plan["done"]
    lines = [f"{what}: {counted(asked, 'run')}, of which {plan['ledger']} has {done:,}.", *notes]
    if plan["failed"]:
        lines.append(FAILED.format(plan["failed"]))
    if plan["groups"]:
        lines.append(estimates.in_words(plan))
    if extra > 0:
        lines.append(f"{counted(extra, 'extra run')} will be trained because they share a group with missing ones.")
    if plan["shipped"]:
        merge = f"daxlab runs merge {shipped()} --ledger {plan['ledger']}"
        lines.append(f"The results that come with daxlab have {plan['shipped']:,} of them. To bring them here: {merge}")
    return "\n".join(lines)


def train(specs: Sequence[Spec], how: Training, plan: dict[str, Any], **options: Any) -> Outcome:
    """Train what the ledger lacks of the specs, and show how far it is. `options` are those of `sweep`."""
    if plan["groups"]:
        writable_ledger(how.ledger)
    with watch(how.ledger) as show:
        return sweep(
            specs,
            how.ledger,
            device=plan["device"],
            workers=how.workers,
            budget=how.budget,
            retry_failed=how.retry_failed,
            checkpoint_folder=how.checkpoints,
            executor=how.executor,
            address=how.address,
            show=show,
            **options,
        )
