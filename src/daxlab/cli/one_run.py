"""`daxlab runs show`: a run as a page for people, with what can be asked of it, or as JSON for scripts."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from math import isfinite
from textwrap import fill
from typing import Any

from daxlab import learners
from daxlab.cli.options import JsonOption, LedgerOption, RunArgument
from daxlab.errors import InputError
from daxlab.ledger import Ledger, Run
from daxlab.ledger.artefacts import unpack_record
from daxlab.ledger.location import default_ledger, ledger_at, shipped
from daxlab.ledger.trained import ANSWERS, MODEL, kept
from daxlab.settings import written
from daxlab.terminal import print_json, sparkline
from daxlab.units import duration

ACCURACIES = {"accuracy": "test set", "train_accuracy": "training set", "oracle_accuracy": "right length given"}
CURVES = (("train_accuracy", (0, 100)), ("test_accuracy", (0, 100)), ("loss", None))
WIDTH = 78
COMMAND = 53  # characters, beside which there is room for a word
MOST_RULES = 12


def show_run(run: RunArgument, ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """Show a run: its accuracy, its learning curve, how it was trained, and what can be asked of it.

    Example: daxlab runs show 9485894f
    """
    path = ledger_at(ledger, run)
    with Ledger(path) as known:
        whole = known.run(run)
        (row,) = known.rows({"key": [whole.key]})
        parts = kept(known, {"key": [whole.key]}).get(whole.key, [])
    if as_json:
        return print_json(as_plain(whole))
    where = "" if row["dataset"] == "scan" else f" of {row['dataset']}"
    print(f"{whole.key[:12]}  {row['label']}\n{'':12}  on {row['split']}{where}, seed {row['seed']}\n")
    if whole.status == "failed":
        print(f"It failed at step {whole.failed_at:,}: {whole.reason}")
    _show_accuracies(whole.metrics)
    if updates := whole.curve.get("update"):
        print(f"\n  learning curve, to update {int(updates[-1]):,}")
        show_curve(whole.curve)
    _show_training(whole, row["fields"])
    if record := whole.artefacts.get("record"):
        _show_rules(unpack_record(record).get("shown", {}))
    found_anyway = path.resolve() in (default_ledger().resolve(), shipped())
    option = "" if found_anyway else f" --ledger {shlex.quote(str(path))}"
    print("\nWhat can be asked:" if parts else "\nIts model and its answers are not kept here. What can be done:")
    for line, about in _commands(whole, row, parts, option):
        print(f"  {line:{COMMAND}}  # {about}" if len(line) <= COMMAND else f"  {line}\n  {'':{COMMAND}}  # {about}")


def as_plain(run: Run) -> dict[str, Any]:
    """All that is known of a run, as JSON has it."""
    parts = ("spec", "group", "status", "failed_at", "reason", "metrics", "curve", "timing", "origin", "finished")
    content = {"key": run.key, **{part: getattr(run, part) for part in parts}, "curve": finite(run.curve)}
    content |= {"artefacts": {kind: len(artefact) for kind, artefact in run.artefacts.items()}}
    if record := run.artefacts.get("record"):
        content["record"] = unpack_record(record).get("shown", {})
    return content


def finite(curve: Mapping[str, Sequence[float]]) -> dict[str, list[float | None]]:
    """JSON has no number for what is not finite."""
    return {name: [point if isfinite(point) else None for point in line] for name, line in curve.items()}


def show_curve(curve: Mapping[str, Sequence[float]]) -> None:
    """A learning curve as lines of blocks."""
    for part, bounds in CURVES:
        if line := curve.get(part):
            print(f"  {part:15} {sparkline(line, bounds)}  {line[0]:.2f} … {line[-1]:.2f}")


def _show_accuracies(metrics: Mapping[str, float]) -> None:
    for name, value in metrics.items():
        if name in ACCURACIES:
            print(f"  {ACCURACIES[name]:20} {value:6.2f}% right")
        else:
            print(
                f"  {name.removeprefix('accuracy.'):20} {value:6.2f}{'% right' if name.startswith('accuracy.') else ''}"
            )


def _show_training(run: Run, fields: Mapping[str, Any]) -> None:
    """How it was trained: its fields, when, where, for how long."""
    if fields:
        print()
        settings = ", ".join(f"{name.replace('_', ' ')} {written(value)}" for name, value in fields.items())
        print(fill(settings, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))
    device, version = run.origin.get("device"), run.origin.get("daxlab")
    took = f" in {duration(run.timing['seconds'])}" if "seconds" in run.timing else ""
    day = f", {datetime.fromtimestamp(run.finished):%Y-%m-%d %H:%M}"
    print(f"  trained{f' on {device}' if device else ''}{took}{day}" + (f", by daxlab {version}" if version else ""))


def _show_rules(shown: Mapping[str, Any]) -> None:
    if not (rules := shown.get("rules")):
        return
    print("\nIts rules, and how often each is used:")
    for rule in rules[:MOST_RULES]:
        print(f"  {rule['uses']:>9,.0f}  {rule['rule']}")
    if len(rules) > MOST_RULES:
        print(f"  … and {len(rules) - MOST_RULES:,} more: --json has all")


def _commands(run: Run, row: Mapping[str, Any], parts: Sequence[str], ledger: str) -> Iterator[tuple[str, str]]:
    """The command lines that ask or use a run, each with what it does."""
    key, scan = run.key[:8], row["dataset"] == "scan"
    if MODEL in parts:
        command = '"jump twice"' if scan else '"…"'
        yield f"daxlab predict {key} {command}{ledger}", "what does it answer?"
        other = "length" if row["split"] != "length" else "jump"
        yield f"daxlab evaluate {key}{f' --split {other}' if scan else ''}{ledger}", "how well does it do?"
        yield f"daxlab runs folder {key} --to model/{ledger}", "its weights and a model card"
    if ANSWERS in parts:
        yield f"daxlab runs answers {key} --to answers.jsonl{ledger}", "every answer to its test set"
    if again := _trained_by(run, row):
        yield again, "trains it again" if MODEL in parts else "trains it into a new ledger, with its model"


def _trained_by(run: Run, row: Mapping[str, Any]) -> str:
    """The command that trains a run again; nothing where that cannot be told."""
    kind = learners.KINDS.get(row["learner"])
    if kind is None or (not kind.uses_jax and row["learner"] != "grammar"):
        return ""
    try:
        usual = learners.defaults(kind)
    except InputError:
        return ""
    fields = [f"--set {name}={written(value)}" for name, value in row["fields"].items() if usual.get(name) != value]
    data = "" if row["dataset"] == "scan" else f" --data {shlex.quote(str(row['dataset']))}"
    what = f"daxlab train {row['learner']} --split {row['split']}{data} --runs 1 --seed {row['seed']}"
    return " ".join([what, *fields, "--ledger new.db"])
