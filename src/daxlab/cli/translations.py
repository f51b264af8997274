"""The English-French experiment in the terminal: BLEU, and every question."""

from collections import Counter
from statistics import fmean
from typing import Any

from daxlab.analysis.translation import caution
from daxlab.cli.terminal import table
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import FRAMES, new_word

HOW = """\
BLEU compares greedy translations with the corpus, pair by pair; "by sentence" takes each English sentence once, with
all its French ones as references. A translation of a question is right if it is the reference word for word, or the
same with "vous" for "tu" or another form of the adjective that agrees; "as stated" counts the reference alone."""


def show(summary: dict[str, Any]) -> None:
    """Print a summary (paper.translations)."""
    lang, new, known, asked = summary["language"], summary["new"], summary["known"], summary["asked"]
    print(f"\nEnglish-French: {lang['about']}")
    if not summary["paper"]:
        print("These are not the paper's pairs and new word: its figures are for orientation only.")
        if warning := caution(sentence_pairs(lang["name"])):
            print(warning)
    columns = ["split", "runs", "BLEU", "by sentence", "BLEU lost", f"{new} of {asked}", "as stated"]
    columns += [f"{known} of {asked}", "as stated", "every run's BLEU"]
    print()
    papers_frames = new_word(lang["name"]).frames == FRAMES
    lines = [line for part in summary["conditions"] for line in (_line(part, new, known), *_paper(part, papers_frames))]
    table(columns, lines, right=range(1, 9))
    for part in summary["conditions"]:
        if part["runs"]:
            print(f"\n{part['split']}:\n")
            table(["sentence", "reference", "translation", "runs", ""], _sentences(part), right=(3,))
    print(f"\n{HOW}")
    if summary["signature"]:
        print(f"sacrebleu {summary['signature']}")


def _paper(part: dict[str, Any], papers_frames: bool) -> list[list[str]]:
    """A line with the paper's figures, if it has any; its counts only where the frames are its own."""
    from daxlab.paper.translations import stated

    figures = stated(part["times"])
    names = ("bleu", "", "lost", "new", "", "known", "") if papers_frames else ("bleu", "", "lost", "", "", "", "")
    numbers = [figures.get(name, "") for name in names]
    return [["  in the paper", "1", *numbers, ""]] if any(numbers) else []


def _line(part: dict[str, Any], new: str, known: str) -> list[str]:
    numbers = [_mean(part["bleu"]), _mean(part["bleu_by_sentence"]), _mean(part["lost"])]
    for word in (new, known):
        numbers += [_mean(part["right"][word]), _mean(part["as_stated"][word])]
    every = " ".join(f"{score:.2f}" for score in part["bleu"])
    return [part["split"], str(len(part["runs"])), *numbers, every]


def _mean(values: list[float]) -> str:
    return f"{fmean(values):.2f}" if values else "–"


def _sentences(part: dict[str, Any]) -> list[list[str]]:
    """A line for each question and each different translation of it."""
    lines = []
    for question in part["questions"]:
        sentence = question["sentence"] + (" (taught)" if question["taught"] and part["times"] else "")
        reference = question["references"][0]
        for (translation, right), runs in Counter(map(tuple, question["translations"])).most_common():
            lines.append([sentence, reference, translation, str(runs), "right" if right else "wrong"])
            sentence = reference = ""
    return lines
