"""`daxlab datasets` and `daxlab data`: what can be learned from, and its splits."""

import re
import shlex
import sys
from collections import Counter
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli import completion
from daxlab.cli.help import App
from daxlab.cli.options import DataOption, JsonOption
from daxlab.datasets import CORPORA, Dataset, Sizes, catalogue, dataset, fetch, language
from daxlab.datasets.dataset_card import repository
from daxlab.datasets.export import SUFFIX, export
from daxlab.datasets.release import PREFIX, SCAN
from daxlab.datasets.verify import GOOD, verify
from daxlab.errors import InputError, nearest
from daxlab.terminal import download, print_json, progress, show, show_rows, table
from daxlab.units import counted

MOST_WARNINGS = 3
LEAST = ("distinct", "other test sets", "origin")  # goes first where a terminal is narrow

app = App(no_args_is_help=True, help="The splits of a dataset: list, export, verify, fetch.")


def list_datasets(as_json: JsonOption = False) -> None:
    """List the datasets that can be learned from.

    Example: daxlab datasets
    """
    entries = catalogue()
    if as_json:
        return print_json(entries)
    rows = [{**vars(entry), "where": "" if entry.here else "not here"} for entry in entries]
    show(table(rows, {"dataset": "name", "what it is": "about", " ": "where", "how to get or make it": "how"}))
    print("\nFILE and FOLDER stand for a path of yours. 'daxlab data list --data NAME' shows the splits of a dataset.")


@app.command("list")
def list_splits(
    data: DataOption = "scan",
    every: Annotated[
        bool, typer.Option("--all", help="List SCAN's own files release/…, every replicate and every warning too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the splits of a dataset: what each asks for, and its sizes.

    Replicates (rep1, rep2, …) share a line, which has the sizes of the first.

    Example: daxlab data list --data scan-dax
    """
    source = dataset(data)
    names = source.split_names()
    groups = {name: [name] for name in names}
    if not (every or as_json):
        shown = [name for name in names if not name.startswith(PREFIX)]
        groups = {
            first: [first, *rest] for first, *rest in (list(some) for _, some in groupby(shown, _without_replicate))
        }
    splits = list(progress(source.sizes(list(groups)), "counting", len(groups)))
    if as_json:
        return print_json([asdict(sizes) | {"asks": source.asks(sizes.name)} for sizes in splits])
    rows = [_row(sizes, groups[sizes.name], source.asks(sizes.name)) for sizes in splits]
    warnings = list(
        dict.fromkeys(text for sizes in splits if sizes.origin == "file" for text in _warnings(source, sizes))
    )
    dropped = show_rows(rows, {column: column for column in rows[0]}, LEAST)
    print(f"\n{source.about}.")
    if dropped:
        print(dropped)
    print("asks for: what the test set has; seen: what training has of it. distinct: without repetitions.")
    if source.families:
        print(f"Also {source.families}.")
    if any(sizes.train is None for sizes in splits):
        print("A dash: not here yet; 'daxlab data fetch scan' and 'daxlab data fetch scan-mcd' bring these files.")
    for warning in warnings if every else warnings[:MOST_WARNINGS]:
        print(warning)
    if len(warnings) > MOST_WARNINGS and not every:
        print(f"… and {counted(len(warnings) - MOST_WARNINGS, 'more warning')}: --all shows them")
    if hidden := sum(name.startswith(PREFIX) for name in names if not every):
        print(f"{hidden} more are SCAN's own files, release/…: --all lists them.")


def _warnings(source: Dataset, sizes: Sizes) -> list[str]:
    return source.warnings(source.split(sizes.name)) if sizes.train and not source.grammar else []


def _without_replicate(name: str) -> str:
    return re.sub(r"rep\d+$", "rep", name)


def _row(sizes: Sizes, replicates: list[str], asks: str) -> dict[str, Any]:
    first, *others = sizes.tests or [""]
    last = re.search(r"rep(\d+)$", replicates[-1])
    return {
        "split": f"{sizes.name}…{last[1]}" if last and len(replicates) > 1 else sizes.name,
        "asks for": asks,
        "train": sizes.train,
        "distinct": sizes.distinct_train,
        "test": sizes.tests.get(first),
        "origin": sizes.origin,
        "other test sets": ", ".join(f"{name} {sizes.tests[name]:,}" for name in others),
    }


@app.command("export")
def export_split(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SPLIT", help="Splits, as 'daxlab data list' shows them.", autocompletion=completion.splits
        ),
    ],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(SUFFIX),
            help="SCAN's own lines, TSV, JSONL or Parquet.",
            autocompletion=completion.one_of(*SUFFIX),
        ),
    ] = "scan",
    data: DataOption = "scan",
    as_json: JsonOption = False,
) -> None:
    """Write the training set and the test sets of splits into files.

    Several splits get a folder each. Parquet files come with a dataset card, for Hugging Face's load_dataset("DIR").

    Example: daxlab data export jump length --to scan/ --format parquet
    """
    source = dataset(data)
    paths = export(source, [source.split(name) for name in names], to, form)
    if as_json:
        return print_json(paths)
    print(*paths, sep="\n")
    if form == "parquet":
        print(f"\nTo publish it: hf upload YOUR-NAME/{repository(source)} {shlex.quote(str(to))} --repo-type dataset")


@app.command("verify")
def verify_release(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A release of SCAN: a folder or a zip.")],
    every: Annotated[bool, typer.Option("--all", help="List the files that match, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check whether the files of SCAN's release are what our rules generate.

    The exit code is 1 if a file is not.

    Example: daxlab data verify SCAN-master.zip
    """
    findings = list(progress(verify(path, language("scan", "release")), "verifying", len(SCAN.files)))
    if as_json:
        print_json(findings)
    else:
        count = Counter(finding.verdict for finding in findings)
        print(f"{counted(count['same'], 'file')} matched our rules: same set, same multiplicities.")
        print(f"{counted(count['holds'], 'file')} drawn by chance matched all that the rules say of them.")
        print(f"{count['differs']} differ, {count['missing']} missing, {count['unknown']} unknown.")
        if rows := [vars(finding) for finding in findings if every or finding.verdict not in GOOD]:
            print()
            show(table(rows, {" ": "verdict", "file": "file", "lines": "lines", "detail": "detail"}))
        else:
            print("--all lists the files.")
    if any(finding.verdict not in GOOD for finding in findings):
        raise typer.Exit(1)


@app.command("fetch")
def fetch_corpus(
    name: Annotated[
        str,
        typer.Argument(metavar="|".join(CORPORA), help="What to fetch.", autocompletion=completion.one_of(*CORPORA)),
    ],
    source: Annotated[
        str | None, typer.Option("--from", metavar="PATH-OR-URL", help="Take it from this folder, zip, tar or URL.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Download published data, and check that they are complete and as published.

    Example: daxlab data fetch scan --from SCAN-master.zip
    """
    if name not in CORPORA:
        raise InputError(f"nothing to fetch is called {name!r}; {nearest(name, CORPORA)}")
    with download(name) as report:
        done = fetch(CORPORA[name], source, report)
    if as_json:
        return print_json(done)
    print(f"{done.corpus}: {'already ' if done.already else ''}in {done.path}, sha256 {done.sha256}")
    if not done.exact:
        print("This is not the release that the paper used; results name it by its sha256.", file=sys.stderr)
