"""`daxlab runs`: what the ledger holds."""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from time import time
from typing import Annotated, Any

import typer

from daxlab.atomic import atomic_write
from daxlab.cli.options import JsonOption, LedgerOption, RunArgument, TestOption, WhereOption, read_filters
from daxlab.cli.terminal import print_json, progress, show, sparkline, table
from daxlab.errors import InputError
from daxlab.ledger import Ledger, Writer, export, merge, write_frame, write_table
from daxlab.ledger.artefacts import unpack_record
from daxlab.ledger.location import LEDGER, ledger_at, writable_ledger
from daxlab.ledger.trackers import TRACKERS, log
from daxlab.sweep import weights_of
from daxlab.units import counted

app = typer.Typer(help="The ledger: list, show, curve, answers, export, folder, log, delete, merge.")
RunsArgument = Annotated[list[str], typer.Argument(metavar="RUN…", help="Any unique beginnings of runs' keys.")]
COLUMNS = {"run": "key", "dataset": "dataset", "split": "split", "learner": "label", "seed": "seed"}
COLUMNS |= {"status": "status", "test %": "accuracy", "train %": "train_accuracy", "oracle %": "oracle_accuracy"}
MOST_SHOWN = 50


@app.callback(invoke_without_command=True)
def runs(context: typer.Context, ledger: LedgerOption = None) -> None:
    """The ledger: list, show, curve, answers, export, folder, log, delete, merge. By itself: list."""
    if context.invoked_subcommand is None:
        list_runs(ledger=ledger)
    elif ledger is not None:
        raise InputError(f"say --ledger after {context.invoked_subcommand}: each command here has its own")


@app.command("list")
def list_runs(
    where: WhereOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The latest so many. Default: 50, with --json all.", show_default=False)
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List runs, the latest first.

    Example: daxlab runs list --where split=jump --where learner=rnn
    """
    with Ledger(ledger_at(ledger)) as known:
        filters = read_filters(known, where or [])
        rows, count = known.rows(filters, limit=limit or (None if as_json else MOST_SHOWN)), known.count(filters)
    if as_json:
        return print_json(rows)
    only_scan = all(row["dataset"] == "scan" for row in rows)
    shown = [row | {"key": row["key"][:12], "dataset": None if only_scan else row["dataset"]} for row in rows]
    show(table(shown, COLUMNS))
    print(f"\n{len(rows):,} of {counted(count, 'run')}")


@app.command("show")
def show_run(run: RunArgument, ledger: LedgerOption = None) -> None:
    """Show all that is known of a run, as JSON; of a grammar also its rules, and how often each is used.

    Example: daxlab runs show 2c7e
    """
    with Ledger(ledger_at(ledger, run)) as known:
        whole = known.run(run)
    parts = ("spec", "group", "status", "failed_at", "reason", "metrics", "curve", "timing", "origin", "finished")
    content = {"key": whole.key, **{part: getattr(whole, part) for part in parts}, "curve": _finite(whole.curve)}
    content |= {"artefacts": {kind: len(artefact) for kind, artefact in whole.artefacts.items()}}
    if record := whole.artefacts.get("record"):
        content["record"] = unpack_record(record).get("shown", {})
    print_json(content)


@app.command("curve")
def curve(runs: RunsArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Show learning curves: accuracy on samples of the training and the test commands, every 10,000 updates.

    Example: daxlab runs curve 2c7e
    """
    with Ledger(ledger_at(ledger, runs[0])) as known:
        keys = [known.find(run) for run in runs]
        curves = known.curves({"key": keys})
    if as_json:
        return print_json({key: _finite(curve) for key, curve in curves.items()})
    for key in keys:
        updates = curves[key].get("update")
        print(f"{key[:12]}  " + (f"updates {int(updates[-1]):,}" if updates else "its learner keeps no learning curve"))
        for part, bounds in (("train_accuracy", (0, 100)), ("test_accuracy", (0, 100)), ("loss", None)):
            line = curves[key].get(part, [])
            if line:
                print(f"  {part:15} {sparkline(line, bounds)}  {line[0]:.2f} … {line[-1]:.2f}")


@app.command("answers")
def write_answers(
    runs: RunsArgument,
    to: Annotated[Path, typer.Option(metavar="FILE", help="A .jsonl, .csv or .parquet file to write.")],
    test: TestOption = None,
    ledger: LedgerOption = None,
) -> None:
    """Write runs' answers to their test set: run, split, command, target, answer, right, and whether it ended.

    An answer that did not end was cut off. 'daxlab score' reads the .jsonl of a run.
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
        typer.Argument(help="A .csv, .jsonl or .parquet table, or a .db ledger to ship; a folder, for a --format."),
    ],
    where: WhereOption = None,
    figures_only: Annotated[
        bool, typer.Option("--figures-only", help="Of a .db: metrics and curves, without answers and weights.")
    ] = False,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="every-eval-ever", help="A record of each learner, in this schema."),
    ] = None,
    organization: Annotated[
        str, typer.Option(metavar="NAME", help="Of such records: who trained the learners.")
    ] = "unknown",
    ledger: LedgerOption = None,
) -> None:
    """Export runs as a table, or as a ledger of their own: one file, which opens where nothing can be written too.

    Or as records of Every Eval Ever, version 0.3 of its schema.
    Example: daxlab runs export runs.csv --where split=jump
    Example: daxlab runs export eee/ --format every-eval-ever --organization my-lab
    """
    with Ledger(ledger_at(ledger)) as known:
        filters = read_filters(known, where or [])
        if form is not None:
            return _export_records(known, to, filters, form, organization)
        if to.suffix != ".db":
            if figures_only:
                raise InputError("--figures-only is for a .db: a table has nothing but figures")
            write_table(known, to, filters)
        else:
            export(known, to, filters, artefacts=[] if figures_only else None)
            if not figures_only:
                _copy_weights(known.path, to, known.select(filters))
    print(to)


def _export_records(ledger: Ledger, folder: Path, where: Mapping[str, Any], form: str, organization: str) -> None:
    from daxlab.analysis.every_eval_ever import NAME, records  # polars is slow to load

    if form != NAME:
        raise InputError(f"the one format of records is {NAME}, not {form!r}; a table is named by its suffix: runs.csv")
    contents = dict(records(ledger, where, organization, time()))
    if not contents:
        raise InputError("none of these runs has an accuracy, so there is nothing to export")
    for path, record in contents.items():
        atomic_write(folder / path, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())
        print(folder / path)


@app.command("folder")
def run_as_folder(
    run: RunArgument,
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    ledger: LedgerOption = None,
) -> None:
    """Write a run as a folder to publish: its weights, config.json, and a Hugging Face model card.

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
    tracker: Annotated[str, typer.Argument(metavar="|".join(TRACKERS), help="Where to; install it by that name.")],
    project: Annotated[
        str, typer.Option(metavar="NAME", help="The project there; of TensorBoard, the folder to write into.")
    ] = "daxlab",
    where: WhereOption = None,
    ledger: LedgerOption = None,
) -> None:
    """Log runs to Weights & Biases, Trackio or TensorBoard: configuration, learning curve, final metrics.

    Example: daxlab runs log tensorboard --project tensorboard/ --where split=jump
    """
    with Ledger(ledger_at(ledger)) as known:
        keys = known.select(read_filters(known, where or []))[::-1]  # in the order in which they were added
        logged = list(progress(log(known, keys, tracker, project), "logging", len(keys)))
    print(f"{counted(len(logged), 'run')} logged to {tracker}, {project}")


@app.command("delete")
def delete(
    runs: RunsArgument,
    ledger: LedgerOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete runs from the ledger.

    Example: daxlab runs delete 2c7e --yes
    """
    path = writable_ledger(ledger or LEDGER)
    if not path.exists():
        raise InputError(f"there is no ledger at {path}")
    with Writer(path) as writer:
        keys = [writer.ledger.find(run) for run in runs]
        if not yes:
            some = ", ".join(key[:12] for key in keys[:5])
            typer.confirm(f"Delete {counted(len(keys), 'run')} ({some})?", abort=True)
        print(f"{counted(writer.delete(keys), 'run')} deleted")
    for key in keys:
        weights_of(path, key).unlink(missing_ok=True)


@app.command("merge")
def merge_runs(
    others: Annotated[list[Path], typer.Argument(metavar="OTHER…", help="Ledgers to take runs from.")],
    ledger: LedgerOption = None,
) -> None:
    """Add the runs of other ledgers. Where both have a run, ours stays; if theirs has other predictions and was not
    trained on another device, exit is 1.

    Example: daxlab runs merge from-the-card.db
    """
    differ, path = 0, writable_ledger(ledger or LEDGER)
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
            _copy_weights(other, path, lacking - set(result.differ))
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


def _copy_weights(source: Path, target: Path, keys: Iterable[str]) -> None:
    """Weights that lie beside one ledger go beside the other with their runs."""
    for key in keys:
        if weights_of(source, key).exists():
            atomic_write(weights_of(target, key), weights_of(source, key).read_bytes())


def _finite(curve: Mapping[str, Sequence[float]]) -> dict[str, list[float | None]]:
    """JSON has no number for what is not finite."""
    return {name: [point if isfinite(point) else None for point in line] for name, line in curve.items()}
