"""`daxlab learners` and `daxlab train`: what can be trained, and replicates of one learner on one split or several."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from math import inf
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any

import typer

from daxlab import learners
from daxlab.analysis.replicates import summary
from daxlab.cli import completion, training
from daxlab.cli.help import HOW, WHAT
from daxlab.cli.options import DataOption, JsonOption, TestOption
from daxlab.cli.training import Training, with_training_options
from daxlab.datasets import Dataset, dataset
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import writable_ledger
from daxlab.ledger.spec import replicates
from daxlab.settings import ordered, written
from daxlab.sweep import Outcome
from daxlab.terminal import print_json, show, table
from daxlab.units import counted

KIND = "Only these, with what each field means. A class of yours: path/to/file.py:Name."
LEARNER = "What to train ('daxlab learners'). A class of yours: path/to/file.py:Name. Default: rnn."
SPLIT = "The split to train and test on ('daxlab data list'). Can be repeated."
SET = "A field of the learner, such as hidden=100. Can be repeated."
OPTIONS = ("split", "set", "data", "test", "runs", "seed", "device", "executor", "address", "workers", "budget")
COLUMNS = {"run": "run", "seed": "seed", "test %": "accuracy", "train %": "train_accuracy"}
COLUMNS |= {"oracle length %": "oracle_accuracy", " ": "failure"}
MOST_WARNINGS, MOST_SNAPSHOTS = 3, 100
SNAPSHOTS = (
    "Keep a network's weights at N points of its training too, evenly on a log scale, for 'daxlab web': when did it "
    "learn that? The runs are the same. Each takes as much room as the weights."
)


def list_learners(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="LEARNER", help=KIND, autocompletion=completion.learners)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what can be trained, with the fields of each learner and their defaults.

    Example: daxlab learners rnn
    """
    kinds = [_about(name) for name in names or learners.KINDS]
    if as_json:
        return print_json(kinds)
    for kind in kinds:
        print(f"{kind['learner']}: {kind['about']}")
        _say(f"told: {kind['told']}" + (f"; from: {kind['origin']}" if kind["origin"] else ""))
        sizes = {
            f"size={name}": "stands for " + ", ".join(f"{field} {written(value)}" for field, value in size.items())
            for name, size in kind["sizes"].items()
        }
        if names and kind["fields"]:
            rows = [(name, written(field["default"]), field["help"]) for name, field in kind["fields"].items()]
            rows += [(name, "", stands_for) for name, stands_for in sizes.items()]
            print()
            show(
                table([dict(zip(("  field", "default", " "), (f"  {row[0]}", *row[1:]), strict=True)) for row in rows])
            )
        elif kind["fields"]:
            _say(
                "fields: " + ", ".join(f"{name} {written(f['default'])}".strip() for name, f in kind["fields"].items())
            )
            for name, stands_for in sizes.items():
                _say(f"{name} {stands_for}")
        print()
    if not names:
        print("'daxlab learners rnn' says what the fields of rnn mean.")
    print("A class of your own is a learner too: daxlab train path/to/file.py:Name (docs: CONTRIBUTING.md).")


def _say(text: str) -> None:
    """A paragraph below a learner's name."""
    wide = min(get_terminal_size().columns, 120)
    print(fill(text, wide, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))


def _about(name: str) -> dict[str, Any]:
    kind = learners.find(name)
    about = (kind.__doc__ or "").strip().partition("\n")[0]
    settings = {
        field.name: {"default": field.default, "help": field.metadata.get("help", "")} for field in ordered(kind)
    }
    sizes = {size: dict(fields) for size, fields in kind.named_sizes.items()}
    return {
        "learner": name,
        "about": about,
        "told": kind.told,
        "origin": kind.origin,
        "fields": settings,
        "sizes": sizes,
    }


@with_training_options
def train(
    how: Training,
    learner: Annotated[
        list[str] | None, typer.Argument(metavar="LEARNER", help=LEARNER, autocompletion=completion.learners)
    ] = None,
    splits: Annotated[
        list[str] | None,
        typer.Option("--split", metavar="SPLIT", help=SPLIT, rich_help_panel=WHAT, autocompletion=completion.splits),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE", help=SET, rich_help_panel=WHAT, autocompletion=completion.settings
        ),
    ] = None,
    data: DataOption = "scan",
    test: TestOption = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Runs on each split, a seed each.", rich_help_panel=WHAT)] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="The first seed.", rich_help_panel=WHAT)] = 0,
    checkpoint_every: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Time between checkpoints, the most that a kill -9 loses.", rich_help_panel=HOW
        ),
    ] = 20.0,
    snapshots: Annotated[
        int, typer.Option(min=0, max=MOST_SNAPSHOTS, metavar="N", help=SNAPSHOTS, rich_help_panel=HOW)
    ] = 0,
    as_json: JsonOption = False,
) -> Outcome:
    """Train a learner on a split, once for each seed.

    Runs that are in the ledger already are not trained again. Every field of the learner is an option too: --hidden 100
    is --set hidden=100.

    Example: daxlab train --split jump --layers 1 --hidden 100 --attention --dropout 0.1 --runs 5
    """
    if not 0 <= checkpoint_every < inf:
        raise InputError(f"--checkpoint-every takes a number of seconds, not {checkpoint_every}")
    chosen = learners.from_text(*name_and_settings(learner or [], settings or []))
    if snapshots and not chosen.uses_jax:
        raise InputError(f"--snapshots keeps the weights of a network as it trains, and {chosen.kind} is none")
    source = dataset(data)
    specs = replicates(chosen, data, splits or [], test, runs=runs, seed=seed)
    names = list(dict.fromkeys(spec.split for spec in specs))
    _warn(source, names)
    if source_file := chosen.source:
        name, digest = source_file["name"], {"learner.kind.digest": source_file["digest"]}
        training.tell_of_change(how.ledger, name, {"learner": name}, digest)
    plan = training.plan(specs, how)
    if plan["groups"]:
        writable_ledger(how.ledger)
        print(training.in_words(plan, ", ".join(names)), file=sys.stderr)
    # Whoever trains a few runs decides what to do with a damaged checkpoint; `sweep` and `reproduce` go on.
    outcome = training.train(specs, how, plan, checkpoint_every=checkpoint_every, set_aside=False, snapshots=snapshots)
    results = _results(how.ledger, outcome.keys, names)
    if as_json:
        content = {"splits": results} if len(names) > 1 else results[names[0]]
        print_json(content | {"complete": not outcome.stopped})
    else:
        for split, result in results.items():
            _show(f"{chosen} on {split}" + ("" if data == "scan" else f" of {data}"), result, runs)
    return outcome


def name_and_settings(typed: Sequence[str], settings: Sequence[str]) -> tuple[str, dict[str, str]]:
    """A learner's name and its fields as text: LEARNER comes first, any field may be an option (--hidden 100)."""
    words, texts = list(typed), dict[str, str]()
    name = words.pop(0) if words and not words[0].startswith("-") else learners.DEFAULT
    defaults = learners.defaults(learners.find(name))
    while words:
        option, equals, value = words.pop(0).partition("=")
        if not option.startswith("--"):
            raise InputError(
                f"{option!r} is not understood here: the learner comes first, and each value after its option"
            )
        field = option.removeprefix("--").replace("-", "_")
        if field not in defaults and isinstance(defaults.get(field.removeprefix("no_")), bool) and not equals:
            texts[field.removeprefix("no_")] = "false"
            continue
        if field not in defaults:
            near = get_close_matches(field, [*defaults, *OPTIONS], n=1)
            advice = f"did you mean --{near[0].replace('_', '-')}?" if near else "'daxlab learners' lists its fields"
            raise InputError(f"there is no option {option}, and {name} has no such field; {advice}")
        if not equals and words and not words[0].startswith("--"):
            value = words.pop(0)
        elif not equals and not isinstance(defaults[field], bool):
            raise InputError(f"the option {option} needs a value")
        texts[field] = value if value or equals else "true"
    for setting in settings:
        field, equals, value = (part.strip() for part in setting.partition("="))
        if not (field and equals):
            raise InputError(f"--set takes FIELD=VALUE, such as hidden=100, not {setting!r}")
        texts[field.removeprefix("protocol.")] = value
    return name, texts


def _warn(data: Dataset, splits: Sequence[str]) -> None:
    warnings = list(dict.fromkeys(warning for name in splits for warning in data.warnings(data.split(name))))
    for warning in warnings[:MOST_WARNINGS]:
        print(warning, file=sys.stderr)
    if len(warnings) > MOST_WARNINGS:
        option = f" --data {shlex.quote(data.name)} --all"
        print(
            f"… and {counted(len(warnings) - MOST_WARNINGS, 'more warning')}: daxlab data list{option}", file=sys.stderr
        )


def _results(path: Path, keys: tuple[str, ...], splits: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Of each split, its runs in the order of their keys, and what they say together; accuracies in percent."""
    with Ledger(path) as ledger:
        by_key = {row["key"]: row for row in ledger.rows({"key": list(keys)})}
    parts = (
        "split",
        "seed",
        "status",
        "accuracy",
        "train_accuracy",
        "oracle_accuracy",
        "failed_at",
        "reason",
        "seconds",
    )
    rows = [{"id": key, **{part: by_key[key][part] for part in parts}} for key in keys if key in by_key]
    results = {}
    for split in splits:
        runs = [row for row in rows if row["split"] == split]
        accuracies = [run["accuracy"] for run in runs if run["accuracy"] is not None]
        results[split] = {"runs": runs, **summary(accuracies)}
    return results


def _show(title: str, result: Mapping[str, Any], asked: int) -> None:
    print(f"\n{title}\n")
    rows = []
    for row in result["runs"]:
        failure = "" if row["status"] == "done" else f"failed at step {row['failed_at']:,}: {row['reason']}"
        rows.append(row | {"run": row["id"][:12], "failure": failure})
    show(table(rows, COLUMNS))
    done = sum(row["accuracy"] is not None for row in result["runs"])
    of = f" of {done:,} of {counted(asked, 'run')}" if done < asked else ""
    if result["sem"] is not None:
        interval = f"95% interval {result['low']:.2f} to {result['high']:.2f}"
        print(f"\nmean{of} {result['mean']:.2f}, standard error {result['sem']:.2f}, {interval}")
    elif of:
        print(f"\n{of.removeprefix(' of ')}")
