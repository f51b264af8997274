"""`daxlab datasets` and `daxlab data`: what can be learned from, and its splits."""

import json
import re
import sys
from collections import Counter
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from daxlab.cli.options import DataOption, JsonOption
from daxlab.datasets import CORPORA, Sizes, catalogue, dataset, fetch, language, split
from daxlab.datasets.export import SUFFIX, export
from daxlab.datasets.release import SCAN
from daxlab.datasets.verify import GOOD, Finding, verify
from daxlab.errors import InputError

app = typer.Typer(no_args_is_help=True, help="The splits: list, export, verify, fetch.")


def list_datasets(as_json: JsonOption = False) -> None:
    """Show what can be learned from.

    Example: daxlab datasets
    """
    from daxlab.cli.terminal import table  # rich is slow to load

    entries = catalogue()
    if as_json:
        print(json.dumps([asdict(entry) for entry in entries], indent=1))
        return
    rows = [[entry.name, entry.about, "" if entry.here else "not here", entry.how] for entry in entries]
    table(["dataset", "what it is", "", "how to get or make it"], rows)
    print("\nA name in capitals is a path. 'daxlab data list --data NAME' shows the splits of a dataset.")


@app.command("list")
def list_splits(data: DataOption = "scan", as_json: JsonOption = False) -> None:
    """Show every split of a dataset: its sizes, and whether a rule, a seed or a file determines it.

    Example: daxlab data list --data scan-dax
    """
    from daxlab.cli.terminal import progress, table

    source = dataset(data)
    rows = list(progress(source.sizes(), "counting", len(source.split_names())))
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    several = any(len(row.tests) > 1 for row in rows)
    columns = ["split", "train", "distinct", "test", "origin", *(["other test sets"] if several else [])]
    table(columns, [_line(group)[: len(columns)] for group in _alike(rows)], right=(1, 2, 3))
    print(f"\n{source.about}.")
    if source.families:
        print(f"Also {source.families}.")
    if any(row.train is None for row in rows):
        print("A dash: not here yet; 'daxlab data fetch scan' and 'daxlab data fetch scan-mcd' bring these files.")


def _line(group: list[Sizes]) -> list[str]:
    """A line of the table, for one split or for replicates of the same sizes."""
    row = group[0]
    first, *others = row.tests or [""]
    sizes = [_size(row.train), _size(row.distinct_train), _size(row.tests.get(first))]
    last = re.search(r"rep\d+$", group[-1].name)
    name = f"{row.name} … {last[0]}" if last and len(group) > 1 else row.name
    return [name, *sizes, row.origin, ", ".join(f"{name} {row.tests[name]:,}" for name in others)]


def _size(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _alike(rows: list[Sizes]) -> list[list[Sizes]]:
    """Neighbouring replicates of the same sizes, in one group."""
    groups = groupby(rows, lambda row: (re.sub(r"rep\d+$", "rep", row.name), row.train, row.distinct_train, row.tests))
    return [list(group) for _, group in groups]


@app.command("export")
def export_split(
    name: Annotated[str, typer.Argument(metavar="SPLIT", help="As 'daxlab data list' shows it.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    form: Annotated[
        str,
        typer.Option("--format", metavar="|".join(SUFFIX), help="SCAN's own lines, TSV, JSONL, or Parquet."),
    ] = "scan",
    data: DataOption = "scan",
    as_json: JsonOption = False,
) -> None:
    """Write the training set and the test sets of a split as files.

    Example: daxlab data export jump --to jump/ --format jsonl
    """
    paths = export(split(name, data), to, form)
    print(json.dumps([str(path) for path in paths]) if as_json else "\n".join(map(str, paths)))


@app.command("verify")
def verify_release(
    path: Annotated[Path, typer.Argument(help="A release of SCAN: a folder or a zip.")],
    as_json: JsonOption = False,
) -> None:
    """Check whether each file of a release is what our rules generate. Exit 1 if one is not.

    Example: daxlab data verify SCAN-master.zip
    """
    from daxlab.cli.terminal import progress

    findings = list(progress(verify(path, language("scan", "release")), "verifying", len(SCAN.files)))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        _show(findings)
    if any(finding.verdict not in GOOD for finding in findings):
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    from daxlab.cli.terminal import table

    table(
        ["", "file", "lines", "detail"],
        [[f.verdict, f.file, f"{f.lines:,}", f.detail] for f in findings],
        right=(2,),
    )
    count = Counter(finding.verdict for finding in findings)
    print(f"\n{count['same']} files are what our rules generate: same set, same multiplicities.")
    print(f"{count['holds']} files were drawn by chance, and the rest of them is as the rules say.")
    print(f"{count['differs']} differ, {count['missing']} are missing, {count['unknown']} are unknown.")


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
        raise InputError(f"nothing to fetch is called {name!r}; there are {', '.join(CORPORA)}")
    from daxlab.cli.terminal import download

    with download(name) as progress:
        done = fetch(CORPORA[name], source, progress)
    if as_json:
        print(json.dumps(asdict(done), default=str))
        return
    print(f"{done.corpus}: {'already ' if done.already else ''}in {done.path}, sha256 {done.sha256}")
    if not done.exact:
        print("This is not the release that the paper used; results name it by its sha256.", file=sys.stderr)
