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
from daxlab.cli.completion import filters
from daxlab.cli.contrast import show_contrast
from daxlab.cli.options import JsonOption, LedgerOption, WhereOption
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import FRAMES, new_word
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.ledger.location import ledger_at, shipped_hint
from daxlab.terminal import every, print_json, show, show_rows, table

if TYPE_CHECKING:
    from daxlab.paper.comparison import Row

COLUMNS = {"figure": "figure", "network": "network", "paper": "paper", "ours": "ours", "95% interval": "interval"}
COLUMNS |= {"difference": "difference", "verdict": "verdict", "power": "power", "needed": "needed", "every run": "runs"}
LEAST = ("every run", "power", "difference", "needed")  # goes first where a terminal is narrow
EXPERIMENTS = {
    "exp1": "Experiment 1: random commands",
    "exp2": "Experiment 2: longer action sequences",
    "exp3": "Experiment 3: a verb or a turn seen alone",
    "exp4": "Experiment 4: English-French",
    "train": "Accuracy on the training sets",
    "ours": "For which the paper states no figure",
}
SHORT = {
    "exp1.size.1.parts": "parts that 1% lacks",
    "exp1.size.2.parts": "parts that 2% lacks",
    "exp1.size.1": "simple at 1%",
    "exp2.oracle.best.24": "length, oracle length, 24 actions",
    "exp2.oracle.best.48": "length, oracle length, 48 actions",
    "exp2.search-errors": "length: % of errors that are search failures",
    "exp3.turn-left.errors": "turn left: errors with bare turn left (thrice)",
    "exp3.few.8": "jump with 8 composed",
    "exp3.few.16": "jump with 16 composed",
    "exp3.few.32": "jump with 32 composed",
    "exp3.neighbours": "jump: cosine of the nearest commands",
    "exp3.jump.right": "jump: composed commands right",
    "exp3.search-errors": "both: % of errors that are search failures",
    "exp3.oversampling": "both without over-sampling",
    "exp4.tired": "the same with 'tired': of 8 translations right",
    "exp4.daxy.bleu-drop": "'I am daxy' x 1000: BLEU lost",
    "exp4.tired.constructions": "training corpus: constructions with 'tired'",
    "exp4.tired.seen": "training corpus: of 8 test constructions with 'tired'",
    "exp4.frames": "training corpus: predicates in a construction",
    "train.overall": "each of four experiments",
    "train.best": "each experiment",
}
LEGEND = """\
Percentages of test commands with every action right, unless the figure says otherwise. Ours is the mean of our runs
with its 95% interval; for the best of our search, the interval of the best mean of such a search. The difference is
ours minus the paper's, with the chance in both.
agrees: our interval is within 5 points of the paper's figure, or a factor of 3 in odds where that is narrower.
differs: chance does not explain the difference. undecided: neither; needed is the number of runs that would decide it
(–: more than hundreds). power: how probable it is that a true difference of that size would have been found. The rules
are in src/daxlab/paper/verdicts.py.
† a network that the paper chose as its best of 180, so that its figure tends to be lower when measured again.
‡ our own draw, not the release's."""
BLEU_LEGEND = """\
BLEU compares greedy translations with the corpus, pair by pair; "by sentence" takes each English sentence once, with
all its French ones as references. A translation of a question is right if it is the reference word for word, or the
same with "vous" for "tu" or another form of the adjective that agrees; "as stated" counts the reference alone."""


def compare(
    a: Annotated[
        list[str] | None,
        typer.Option(
            "--a", metavar="COLUMN=VALUE", help="Which runs are A, such as hidden=50.", autocompletion=filters
        ),
    ] = None,
    b: Annotated[
        list[str] | None,
        typer.Option(
            "--b", metavar="COLUMN=VALUE", help="Which runs are B, such as hidden=100.", autocompletion=filters
        ),
    ] = None,
    where: WhereOption = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write how often A and B get each command right into a .csv file."),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare our runs with the paper's figures, or two sets of runs.

    With --a and --b, two sets of runs are compared on the splits that both have. --where holds for both sides.

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
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write all results as one HTML page, with figures.

    Example: daxlab report --out report.html --open
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"the report is an HTML page: end the name of --out in .html, not {out.name!r}")
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

    shown = [row for row in rows if row.paper is not None or row.verdict != "unmeasured"]
    dropped = ""
    for part, title in EXPERIMENTS.items():
        if some := [figure_row(row) for row in shown if _part(row) == part]:
            print(f"{title}\n")
            dropped = show_rows(some, COLUMNS, LEAST) or dropped
            print()
    if dropped:
        print(f"{dropped}\n")
    for note in dict.fromkeys(row.note for row in rows if row.note):
        names = dict.fromkeys(", ".join(filter(None, (_figure(row), row.network))) for row in rows if row.note == note)
        print(f"{'; '.join(names)}: {note}.")
    print(f"\n{LEGEND}")
    if needs := experiments_of([row.id for row in rows if row.verdict == "unmeasured"]):
        print(f"\n'daxlab reproduce {' '.join(needs)}' trains what the unmeasured figures need.")
    if any(row.id.startswith("exp1.srn") and row.note.startswith("so far") for row in rows):
        print(f"\nFigures about all SRNs need the search: '{COMMAND}'.")


def figure_row(row: "Row") -> dict[str, str]:
    """A figure of the paper beside ours, as a row of a table."""
    from daxlab.paper.comparison import cells

    text = cells(row)
    more = {"figure": _figure(row) + text["marks"], "runs": every(text["runs"].split()), "note": row.note}
    if row.paper is None:
        return text | more | {"verdict": ""}
    incomplete = row.verdict == "unmeasured" and text["ours"] != "–"
    return text | more | ({"verdict": "incomplete"} if incomplete else {})


def _part(row: "Row") -> str:
    """Which experiment a figure is of; "ours" if the paper does not state it."""
    return "ours" if row.paper is None else row.id.partition(".")[0]


def _figure(row: "Row") -> str:
    """What a figure is, in words."""
    if row.id in SHORT:
        return SHORT[row.id]
    if row.paper is not None:
        return ": ".join(filter(None, (row.experiment, row.unit)))
    kind, _, rest = row.id.removeprefix("ours.").partition(".")
    return {"size": f"simple at {rest}%", "few": f"jump with {rest} composed", "primitives": rest}.get(kind, kind)


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
