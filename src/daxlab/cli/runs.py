"""`daxlab runs`: what the ledger holds."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from daxlab.cli import completion
from daxlab.cli.help import App
from daxlab.cli.listing import list_runs
from daxlab.cli.one_run import finite, show_curve, show_run
from daxlab.cli.options import (
    RUN,
    JsonOption,
    LedgerOption,
    ModelArgument,
    TestOption,
    WhereOption,
    WrittenLedgerOption,
    read_filters,
)
from daxlab.errors import InputError
from daxlab.ledger import Ledger, Writer, export, merge, write_frame, write_table
from daxlab.ledger.files import copy_weights, forget_weights, weights_of
from daxlab.ledger.location import LEDGER, ledger_at, writable_ledger
from daxlab.ledger.trackers import TRACKERS, log
from daxlab.terminal import print_json, progress
from daxlab.units import counted

app = App(help="The runs in a ledger: list, show, curve, answers, export, folder, log, delete, merge.")
RunsArgument = Annotated[list[str], typer.Argument(metavar="RUN", help=RUN, autocompletion=completion.runs)]


@app.callback(invoke_without_command=True)
def runs(context: typer.Context, ledger: LedgerOption = None) -> None:
    """The runs in a ledger: list, show, curve, answers, export, folder, log, delete, merge. By itself: list."""
    if context.invoked_subcommand is None:
        list_runs(ledger=ledger)
    elif ledger is not None:
        raise InputError(f"put --ledger after {context.invoked_subcommand}, which has an option of that name")


app.command("list")(list_runs)
app.command("show")(show_run)


@app.command("curve")
def curve(runs: RunsArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Draw learning curves: accuracy on samples of the training and the test commands, and the loss.

    Example: daxlab runs curve 2c7e
    """
    with Ledger(ledger_at(ledger, runs[0])) as known:
        keys = [known.find(run) for run in runs]
        curves = known.curves({"key": keys})
    if as_json:
        return print_json({key: finite(curve) for key, curve in curves.items()})
    for key in keys:
        updates = curves[key].get("update")
        print(f"{key[:12]}  " + (f"updates {int(updates[-1]):,}" if updates else "its learner keeps no learning curve"))
        show_curve(curves[key])


@app.command("answers")
def write_answers(
    runs: RunsArgument,
    to: Annotated[Path, typer.Option(metavar="FILE", help="A .jsonl, .csv or .parquet file to write.")],
    test: TestOption = None,
    ledger: LedgerOption = None,
) -> None:
    """Write the answers of runs to their test set into a file.

    Each row has run, split, command, target, answer, right, and ended (an answer that did not end was cut off). 'daxlab
    score' reads the .jsonl of a run.

    Example: daxlab runs answers 9485894f --to answers.jsonl
    """
    from daxlab.analysis.answers import as_text  # polars is slow to load

    with Ledger(ledger_at(ledger, runs[0])) as known:
        write_frame(as_text(known, [known.find(run) for run in runs], test), to)
    print(to)


@app.command("export")
def export_runs(
    to: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A .csv, .jsonl or .parquet table, or a .db ledger; with --format a folder."
        ),
    ],
    where: WhereOption = None,
    figures_only: Annotated[
        bool, typer.Option("--figures-only", help="With a .db: leave out answers and weights.")
    ] = False,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="every-eval-ever", help="Write a record of each learner in this format."),
    ] = None,
    organization: Annotated[
        str, typer.Option(metavar="NAME", help="With --format: who trained the learners.")
    ] = "unknown",
    samples: Annotated[
        bool, typer.Option("--samples", help="With such records: every answer, a kilobyte each.")
    ] = False,
    ledger: LedgerOption = None,
) -> None:
    """Write runs into a table, a ledger of their own, or records of Every Eval Ever.

    Example: daxlab runs export runs.csv --where split=jump
    Example: daxlab runs export eee/ --format every-eval-ever --organization my-lab
    """
    with Ledger(ledger_at(ledger)) as known:
        filters = read_filters(known, where or [])
        if form is not None:
            from daxlab.cli.every_eval_ever import export_records  # polars is slow to load

            return export_records(known, to, filters, form, organization, samples)
        if samples:
            raise InputError(
                "--samples is for --format every-eval-ever; 'daxlab runs answers' writes answers as a table"
            )
        if to.suffix != ".db":
            if figures_only:
                raise InputError("--figures-only is for a .db; a table has nothing but figures anyway")
            write_table(known, to, filters)
        else:
            export(known, to, filters, artefacts=[] if figures_only else None)
            if not figures_only:
                for key in known.select(filters):
                    copy_weights(known.path, to, key)
    print(to)


@app.command("folder")
def run_as_folder(
    run: ModelArgument,
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    ledger: LedgerOption = None,
) -> None:
    """Write a run into a folder to publish: weights, config.json and a model card for Hugging Face.

    In Python, daxlab.load("DIR") reads it again.

    Example: daxlab runs folder 9485894f --to model/
    """
    from daxlab.ledger.folder import write_folder  # numpy is slow to load

    path = ledger_at(ledger, run)
    print(*write_folder(path, run, to), sep="\n")
    with Ledger(path) as known:
        key = known.find(run)
    print(f"\nTo publish it: hf upload YOUR-NAME/daxlab-{key[:12]} {shlex.quote(str(to))}")


@app.command("log")
def log_runs(
    tracker: Annotated[
        str,
        typer.Argument(
            metavar="|".join(TRACKERS),
            help="Where to. Install it by that name.",
            autocompletion=completion.one_of(*TRACKERS),
        ),
    ],
    project: Annotated[
        str, typer.Option(metavar="NAME", help="The project there; for TensorBoard a folder.")
    ] = "daxlab",
    where: WhereOption = None,
    ledger: LedgerOption = None,
) -> None:
    """Log runs to Weights & Biases, Trackio or TensorBoard.

    Example: daxlab runs log tensorboard --project tensorboard/ --where split=jump
    """
    with Ledger(ledger_at(ledger)) as known:
        keys = known.select(read_filters(known, where or []))[::-1]  # in the order in which they were added
        logged = list(progress(log(known, keys, tracker, project), "logging", len(keys)))
    print(f"{counted(len(logged), 'run')} logged to {tracker}, {project}")


@app.command("delete")
def delete(
    runs: RunsArgument,
    ledger: WrittenLedgerOption = LEDGER,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete runs from the ledger.

    Example: daxlab runs delete 2c7e --yes
    """
    path = writable_ledger(ledger)
    if not path.exists():
        raise InputError(f"there is no ledger at {path}")
    with Writer(path) as writer:
        keys = [writer.ledger.find(run) for run in runs]
        if not yes:
            some = ", ".join(key[:12] for key in keys[:5])
            typer.confirm(f"Delete {counted(len(keys), 'run')} ({some})?", abort=True)
        print(f"{counted(writer.delete(keys), 'run')} deleted")
    for key in keys:
        forget_weights(path, key)


@app.command("merge")
def merge_runs(
    others: Annotated[list[Path], typer.Argument(metavar="OTHER", help="The ledgers to take runs from.")],
    ledger: WrittenLedgerOption = LEDGER,
) -> None:
    """Add the runs of other ledgers to this one.

    A run that both have stays as it is here. The exit code is 1 if the answers of such a run differ though it was
    trained on the same kind of device.

    Example: daxlab runs merge from-the-card.db
    """
    differ, path = 0, writable_ledger(ledger)
    for other in others:
        Ledger(other).close()  # all can be read, or nothing is begun
    with Writer(path) as writer:
        for other in others:
            with Ledger(other) as known:
                keys = known.select()
                fresh = set(writer.ledger.lacking(keys))  # weights that lie here already are not theirs
                result = merge(writer, other)
                ours, theirs = (_devices(side, result.differ) for side in (writer.ledger, known))
            lacking = {key for key in keys if key in fresh or not weights_of(path, key).exists()}
            for key in lacking - set(result.differ):
                copy_weights(other, path, key)
            print(f"{other}: {result.added:,} added, {result.same:,} the same, {len(result.differ):,} differ")
            unexplained = [key for key in result.differ if ours[key] == theirs[key] or None in (ours[key], theirs[key])]
            for key in unexplained:
                print(f"  {key[:12]} has other predictions there; ours stay")
            if rounded := len(result.differ) - len(unexplained):
                print(f"  {rounded:,} of them because another device trained them there; yours stay")
            differ += len(unexplained)
    if differ:
        raise typer.Exit(1)


def _devices(ledger: Ledger, keys: Sequence[str]) -> dict[str, tuple[str, str | None] | None]:
    """The device that each run was trained on, and the kind of CPU, where it was written down; None of a run that
    failed, which rounding does not explain."""
    devices = dict[str, tuple[str, str | None] | None]()
    for row in ledger.rows({"key": list(keys)}):
        device, processor = (row["origin"].get(name) for name in ("device", "processor"))
        devices[row["key"]] = (device, processor) if device and row["status"] == "done" else None
    return devices
