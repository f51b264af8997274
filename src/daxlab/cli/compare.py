"""`daxlab compare` and `daxlab report`: the paper's figures beside ours, as tables or as one page."""

import time
import webbrowser
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer

from daxlab.analysis.translation import caution
from daxlab.atomic import atomic_write
from daxlab.cli.contrast import show_contrast
from daxlab.cli.options import JsonOption, LedgerOption, WhereOption
from daxlab.cli.terminal import every, print_json, show, table
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import FRAMES, new_word
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at, shipped_hint

if TYPE_CHECKING:
    from daxlab.paper.comparison import Row

COLUMNS = {"figure": "figure", "paper": "paper", "ours": "ours", "95% interval": "interval"}
COLUMNS |= {"difference": "difference", "verdict": "verdict", "power": "power", "needed": "needed", "every run": "runs"}
LEGEND = """\
Percentages of test commands with every action right, unless the figure says otherwise. The 95% interval is that of
our mean; of the best of our search, that of the best mean of such a search. The difference is that of ours minus the
paper's, whose few runs vary too.
agrees: our interval lies within the tolerance, which is 5 points, or a factor of 3 in odds where that is narrower.
differs: chance does not explain the difference, over all figures together. undecided: neither, and needed says how many
runs would decide it (–: hundreds would not). power: how probable it is that a true difference as large as the tolerance
would have been told. src/daxlab/paper/verdicts.py has the rules.
† a network that the paper chose as its best of 180, so its figure tends to be lower when it is measured again.
‡ our own draw, not the release's."""
BLEU_LEGEND = """\
BLEU compares greedy translations with the corpus, pair by pair; "by sentence" takes each English sentence once, with
all its French ones as references. A translation of a question is right if it is the reference word for word, or the
same with "vous" for "tu" or another form of the adjective that agrees; "as stated" counts the reference alone."""


def compare(
    a: Annotated[
        list[str] | None, typer.Option("--a", metavar="COLUMN=VALUE", help="Which runs are A, such as hidden=50.")
    ] = None,
    b: Annotated[
        list[str] | None, typer.Option("--b", metavar="COLUMN=VALUE", help="Which runs are B, such as hidden=100.")
    ] = None,
    where: WhereOption = None,
    items: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write how often A and B get each command right (.csv).")
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every figure of the paper beside ours: mean, 95% interval, difference, verdict and every run.

    With --a and --b, compare two sets of runs on the splits that both have. Give an option again to filter by more;
    --where holds for both.

    Example: daxlab compare --ledger results/runs.db
    Example: daxlab compare --a hidden=50 --b hidden=100 --where split=jump --where cell=gru
    """
    if a and b:
        return show_contrast(a, b, where or [], items, ledger, as_json)
    if a or b:
        lacking, example = ("--b", "hidden=100") if a else ("--a", "hidden=50")
        raise InputError(f"two sets of runs are compared: add {lacking}, such as {lacking} {example}")
    if where or items:
        raise InputError("--where and --items are for two sets of runs: add --a and --b ('daxlab compare --help')")
    from daxlab.paper.comparison import compare as compared  # polars is slow to load

    path = ledger_at(ledger)
    with Ledger(path) as known:
        rows = compared(known)
    if as_json:
        return print_json(rows)
    print(f"{path}\n")
    show_comparison(rows)
    if any(row.verdict == "unmeasured" for row in rows):
        print(shipped_hint(path))


def report(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write.")] = Path("report.html"),
    ledger: LedgerOption = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Write the results as one page that needs no network: text, figures, tables, the paper's figures beside ours.

    Example: daxlab report --out report.html --open
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is a page: give --out a name that ends in .html, not {out.name!r}")
    if out.is_dir() or not out.parent.is_dir():
        reason = "it is a folder" if out.is_dir() else f"there is no folder {out.parent}"
        raise InputError(f"cannot write {out}: {reason}")
    path = ledger_at(ledger)
    with Ledger(path) as known:
        from rich.console import Console

        with Console(stderr=True).status("Writing the report") as status:
            from daxlab.report.page import page  # matplotlib and jinja2 are slow to load

            began = time.monotonic()
            written = page(known, lambda what: status.update(_progress(what, time.monotonic() - began)))
    atomic_write(out.resolve(), written.encode())
    print(f"Wrote {out} from {path}." + ("" if ledger else shipped_hint(path)))
    if open_page:
        webbrowser.open(out.resolve().as_uri())


def _progress(what: str, seconds: float) -> str:
    return f"Writing the report: {what} ({seconds:.0f} s so far)"


def show_comparison(rows: Sequence["Row"]) -> None:
    """The paper's figures beside ours as tables, with notes below."""
    from daxlab.paper.comparison import experiments_of
    from daxlab.paper.search import COMMAND

    show(table([figure_row(row) for row in rows if row.paper is not None], COLUMNS))
    others = [row for row in rows if row.paper is None and row.verdict != "unmeasured"]
    if others:
        print("\nOther results, for which the paper states no figure:\n")
        show(table([figure_row(row) | {"verdict": ""} for row in others], COLUMNS))
    print()
    for note in dict.fromkeys(row.note for row in rows if row.note):
        print(f"{', '.join(row.id for row in rows if row.note == note)}: {note}.")
    print(f"\n{LEGEND}")
    if needs := experiments_of([row.id for row in rows if row.verdict == "unmeasured"]):
        print(f"\n'daxlab reproduce {' '.join(needs)}' trains what the unmeasured figures need.")
    if any(row.id.startswith("exp1.srn") and row.note.startswith("so far") for row in rows):
        print(f"\nFigures about all SRNs need the search: '{COMMAND}'.")


def figure_row(row: "Row") -> dict[str, str]:
    """A figure of the paper beside ours, as a row of a table."""
    from daxlab.paper.comparison import cells

    text = cells(row)
    return text | {"figure": row.id + text["marks"], "runs": every(text["runs"].split()), "note": row.note}


def show_translations(summary: dict[str, Any]) -> None:
    """The English-French experiment (paper.translations): BLEU, and every question."""
    name = summary["language"]["name"]
    print(f"\nEnglish-French: {summary['language']['about']}")
    if not summary["paper"]:
        print("These are not the paper's pairs and new word: its figures are for orientation only.")
        if warning := caution(sentence_pairs(name)):
            print(warning)
    print()
    papers_frames = new_word(name).frames == FRAMES
    rows = [row for split in summary["conditions"] for row in _split_rows(split, summary, papers_frames)]
    show(table(rows))
    for split in summary["conditions"]:
        if split["runs"]:
            print(f"\n{split['split']}:\n")
            show(table(_sentence_rows(split)))
    print(f"\n{BLEU_LEGEND}")
    if summary["signature"]:
        print(f"sacrebleu {summary['signature']}")


def _split_rows(split: dict[str, Any], summary: dict[str, Any], papers_frames: bool) -> list[dict[str, Any]]:
    """Our results on a split, and the paper's if it has any; its counts only where the frames are its own."""
    from daxlab.paper.translations import stated

    new, known, asked = summary["new"], summary["known"], summary["asked"]
    ours = {
        "split": split["split"],
        "runs": len(split["runs"]),
        "BLEU": _mean(split["bleu"]),
        "by sentence": _mean(split["bleu_by_sentence"]),
        "BLEU lost": _mean(split["lost"]),
        f"{new} of {asked}": _mean(split["right"][new]),
        f"{new} as stated": _mean(split["as_stated"][new]),
        f"{known} of {asked}": _mean(split["right"][known]),
        f"{known} as stated": _mean(split["as_stated"][known]),
        "every run's BLEU": " ".join(f"{score:.2f}" for score in split["bleu"]),
    }
    figures = stated(split["times"])
    paper = {"BLEU": figures.get("bleu", ""), "BLEU lost": figures.get("lost", "")}
    if papers_frames:
        paper |= {f"{new} of {asked}": figures.get("new", ""), f"{known} of {asked}": figures.get("known", "")}
    if not any(paper.values()):
        return [ours]
    return [ours, {**dict.fromkeys(ours, ""), "split": "  in the paper", "runs": "1", **paper}]


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _sentence_rows(split: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each question and each different translation of it."""
    rows = []
    for question in split["questions"]:
        sentence = question["sentence"] + (" (taught)" if question["taught"] and split["times"] else "")
        reference = question["references"][0]
        for (translation, right), runs in Counter(map(tuple, question["translations"])).most_common():
            row = {"sentence": sentence, "reference": reference, "translation": translation, "runs": runs}
            rows.append(row | {" ": "right" if right else "wrong"})
            sentence = reference = ""
    return rows
