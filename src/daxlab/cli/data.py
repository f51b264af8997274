"""`daxlab data`: list, export, verify and fetch what is learned from."""

import json
import re
import sys
from collections import Counter
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from daxlab.cli.options import JsonOption, LanguageOption
from daxlab.datasets import CORPORA, Sizes, fetch, language, sizes, split, split_names
from daxlab.datasets.export import export
from daxlab.datasets.pairs import Pairs
from daxlab.datasets.release import SCAN
from daxlab.datasets.verify import GOOD, Finding, Verifier
from daxlab.errors import InputError

app = typer.Typer(no_args_is_help=True, help="The splits: list, export, verify, fetch.")


@app.command("list")
def list_splits(language_name: LanguageOption = "scan", as_json: JsonOption = False) -> None:
    """Show every split: its sizes, and whether a rule, a seed or a file determines it.

    Example: daxlab data list
    """
    from daxlab.cli.terminal import progress, table  # rich is slow to load

    lang = language(language_name)
    rows = list(progress(sizes(lang), "counting", len(split_names(lang))))
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
        return
    table(
        ["split", "train", "distinct", "test", "determined by"],
        [[_run(some), *map(_size, _sizes(some[0])), some[0].determined] for some in _alike(rows)],
        right=(1, 2, 3),
    )
    if isinstance(lang, Pairs):
        print(f"\n{lang.about}. Also any {lang.new.word.english}-N; -seedN after a name draws other test sentences.")
        return
    print("\nAlso any length-N, size-P, simple-seedN, size-P-seedN, few-PRIMITIVE-K-repN, few-around-right-K-repN.")
    if any(row.train is None for row in rows):
        print("A dash: not here yet; 'daxlab data fetch scan' and 'daxlab data fetch scan-mcd' bring these files.")


def _sizes(row: Sizes) -> tuple[int | None, ...]:
    return row.train, row.distinct_train, row.test


def _size(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _alike(rows: list[Sizes]) -> list[list[Sizes]]:
    """Replicates of one size side by side: one line of the table for all."""
    groups = groupby(rows, lambda row: (re.sub(r"rep\d+$", "rep", row.name), *_sizes(row)))
    return [list(some) for _, some in groups]


def _run(some: list[Sizes]) -> str:
    last = re.search(r"rep\d+$", some[-1].name)
    return f"{some[0].name} … {last[0]}" if last and len(some) > 1 else some[0].name


@app.command("export")
def export_split(
    name: Annotated[str, typer.Argument(metavar="SPLIT", help="As 'daxlab data list' shows it.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write into.")],
    form: Annotated[
        str, typer.Option("--format", metavar="scan|jsonl|parquet", help="The release's lines, JSONL, or Parquet.")
    ] = "scan",
    language_name: LanguageOption = "scan",
    as_json: JsonOption = False,
) -> None:
    """Write train and test of a split as files.

    Example: daxlab data export jump --to jump/ --format jsonl
    """
    paths = export(split(name, language_name), to, form)  # type: ignore[arg-type] # export checks it
    print(json.dumps([str(path) for path in paths]) if as_json else "\n".join(map(str, paths)))


@app.command("verify")
def verify(
    path: Annotated[Path, typer.Argument(help="A release of SCAN: a folder or a zip.")],
    as_json: JsonOption = False,
) -> None:
    """Say for each file of a release whether it is what our rules generate; exit 1 if one is not.

    Example: daxlab data verify SCAN-master.zip
    """
    from daxlab.cli.terminal import progress

    findings = list(progress(Verifier(path, language("scan", "release")).findings(), "verifying", len(SCAN.files)))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        _show(findings)
    if any(finding.verdict not in GOOD for finding in findings):
        raise typer.Exit(1)


def _show(findings: list[Finding]) -> None:
    from daxlab.cli.terminal import table

    table(
        ["", "file", "lines", "found"],
        [[f.verdict, f.file, f"{f.lines:,}", f.detail] for f in findings],
        right=(2,),
    )
    count = Counter(finding.verdict for finding in findings)
    print(f"\n{count['same']} files are what our rules generate: same set, same multiplicities.")
    print(f"{count['holds']} files were drawn by chance, and what the rules say of the rest holds.")
    print(f"{count['differs']} differ, {count['missing']} are missing, {count['unknown']} are unknown.")


@app.command("fetch")
def fetch_corpus(
    name: Annotated[str, typer.Argument(metavar="|".join(CORPORA), help="What to fetch.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="PATH-OR-URL", help="A folder, a zip or tar, or a URL.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Bring what rules can't generate into the cache: checked by sha256, whole or not at all.

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
