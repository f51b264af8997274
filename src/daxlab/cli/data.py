"""`daxlab datasets` and `daxlab data`: what can be learned from, and its splits."""

import re
import shlex
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.cli.app import App
from daxlab.cli.options import DataOption, JsonOption
from daxlab.cli.terminal import download, print_json, progress, show, table
from daxlab.datasets import CORPORA, Sizes, catalogue, dataset, fetch, language
from daxlab.datasets.dataset_card import repository
from daxlab.datasets.export import SUFFIX, export
from daxlab.datasets.release import SCAN
from daxlab.datasets.verify import GOOD, verify
from daxlab.errors import InputError, nearest
from daxlab.units import counted

app = App(no_args_is_help=True, help="The splits: list, export, verify, fetch.")


def list_datasets(as_json: JsonOption = False) -> None:
    """Show what can be learned from.

    Example: daxlab datasets
    """
    entries = catalogue()
    if as_json:
        return print_json(entries)
    rows = [{**vars(entry), "where": "" if entry.here else "not here"} for entry in entries]
    show(table(rows, {"dataset": "name", "what it is": "about", " ": "where", "how to get or make it": "how"}))
    print("\nFILE and FOLDER stand for a path of yours. 'daxlab data list --data NAME' shows the splits of a dataset.")


@app.command("list")
def list_splits(data: DataOption = "scan", as_json: JsonOption = False) -> None:
    """Show every split of a dataset: its sizes, and whether a rule, a seed or a file determines it.

    Example: daxlab data list --data scan-dax
    """
    source = dataset(data)
    splits = list(progress(source.sizes(), "counting", len(source.split_names())))
    if as_json:
        return print_json(splits)
    show(table([_row(list(group)) for _, group in groupby(splits, _replicates)]))
    print(f"\n{source.about}.")
    if source.families:
        print(f"Also {source.families}.")
    if any(sizes.train is None for sizes in splits):
        print("A dash: not here yet; 'daxlab data fetch scan' and 'daxlab data fetch scan-mcd' bring these files.")


def _replicates(sizes: Sizes) -> object:
    """What neighbouring replicates of the same sizes have in common: they share a row."""
    return re.sub(r"rep\d+$", "rep", sizes.name), sizes.train, sizes.distinct_train, sizes.tests


def _row(group: list[Sizes]) -> dict[str, Any]:
    sizes, last = group[0], re.search(r"rep\d+$", group[-1].name)
    first, *others = sizes.tests or [""]
    return {
        "split": f"{sizes.name} … {last[0]}" if last and len(group) > 1 else sizes.name,
        "train": sizes.train,
        "distinct": sizes.distinct_train,
        "test": sizes.tests.get(first),
        "origin": sizes.origin,
        "other test sets": ", ".join(f"{name} {sizes.tests[name]:,}" for name in others),
    }


@app.command("export")
def export_split(
    names: Annotated[list[str], typer.Argument(metavar="SPLIT", help="As 'daxlab data list' shows them.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    form: Annotated[
        str,
        typer.Option("--format", metavar="|".join(SUFFIX), help="SCAN's own lines, TSV, JSONL, or Parquet."),
    ] = "scan",
    data: DataOption = "scan",
    as_json: JsonOption = False,
) -> None:
    """Write the training set and the test sets of a split as files; of several splits, into a folder for each.

    With Parquet comes a dataset card, by which Hugging Face's load_dataset("DIR") loads it.
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
    path: Annotated[Path, typer.Argument(help="A release of SCAN: a folder or a zip.")],
    as_json: JsonOption = False,
) -> None:
    """Check whether each file of a release is what our rules generate. Exit 1 if one is not.

    Example: daxlab data verify SCAN-master.zip
    """
    findings = list(progress(verify(path, language("scan", "release")), "verifying", len(SCAN.files)))
    if as_json:
        print_json(findings)
    else:
        rows = [vars(finding) for finding in findings]
        show(table(rows, {" ": "verdict", "file": "file", "lines": "lines", "detail": "detail"}))
        count = Counter(finding.verdict for finding in findings)
        print(f"\n{counted(count['same'], 'file')} matched our rules: same set, same multiplicities.")
        print(f"{counted(count['holds'], 'file')} drawn by chance matched all that the rules say of them.")
        print(f"{count['differs']} differ, {count['missing']} missing, {count['unknown']} unknown.")
    if any(finding.verdict not in GOOD for finding in findings):
        raise typer.Exit(1)


@app.command("fetch")
def fetch_corpus(
    name: Annotated[str, typer.Argument(metavar="|".join(CORPORA), help="What to fetch.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="PATH-OR-URL", help="A folder, a zip or tar, or a URL.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Download published data into the cache: checked by sha256, complete or not at all.

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
