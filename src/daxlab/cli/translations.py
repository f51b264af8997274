"""What came of the English-French experiment, in the terminal and for scripts: BLEU, and every question."""

from collections import Counter
from statistics import fmean
from typing import Any

from daxlab.analysis.translation import caution
from daxlab.datasets import sentence_pairs
from daxlab.datasets.new_word import FRAMES, new_word

HOW = """\
BLEU is of greedy translations, pair by pair, on the text as the corpus is read; beside it, each English sentence once
with all its French ones. A translation of a question is right if it is the reference word for word, or the same with
"vous" for "tu" or another form of the adjective that agrees; "as stated" is the reference and nothing else."""


def show(found: dict[str, Any]) -> None:
    """The same for people."""
    from daxlab.cli.terminal import table

    lang, new, known, asked = found["language"], found["new"], found["known"], found["asked"]
    print(f"\nEnglish-French: {lang['about']}")
    if not found["paper"]:
        print("These are not the paper's pairs with its new word: its figures stand beside ours for orientation only.")
        if said := caution(sentence_pairs(lang["name"])):
            print(said)
    columns = ["split", "runs", "BLEU", "by sentence", "BLEU lost", f"{new} of {asked}", "as stated"]
    columns += [f"{known} of {asked}", "as stated", "every run's BLEU"]
    print()
    theirs = new_word(lang["name"]).frames == FRAMES
    lines = [line for part in found["conditions"] for line in (_line(part, new, known), *_paper(part, theirs))]
    table(columns, lines, right=range(1, 9))
    for part in found["conditions"]:
        if part["runs"]:
            print(f"\n{part['split']}:\n")
            table(["sentence", "reference", "translation", "runs", ""], _sentences(part), right=(3,))
    print(f"\n{HOW}")
    if found["signature"]:
        print(f"sacrebleu {found['signature']}")


def _paper(part: dict[str, Any], theirs: bool) -> list[list[str]]:
    """What the paper says, its counts only where the frames are its own; no line where that is nothing."""
    from daxlab.paper.translations import stated

    said = stated(part["times"])
    names = ("bleu", "", "lost", "new", "", "known", "") if theirs else ("bleu", "", "lost", "", "", "", "")
    numbers = [said.get(name, "") for name in names]
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
    for asked in part["questions"]:
        sentence = asked["sentence"] + (" (taught)" if asked["taught"] and part["times"] else "")
        reference = asked["references"][0]
        for (given, right), runs in Counter(map(tuple, asked["translations"])).most_common():
            lines.append([sentence, reference, given, str(runs), "right" if right else "wrong"])
            sentence = reference = ""
    return lines
