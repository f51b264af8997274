"""Experiment 4 in a ledger: the baseline, and networks that were shown a new word so many times; the paper's figures.

Of any pairs, by the digest of their dataset; the paper's figures only of its own pairs. Needs no frames, so that a bare
machine can ask.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import Any

from daxlab.analysis.replicates import entries
from daxlab.analysis.translation import Translated, right_of, scores, shown, translated
from daxlab.datasets import bleu, sentence_pairs
from daxlab.datasets.new_word import new_word
from daxlab.datasets.translation import BASELINE, PAPER, PAPER_DIGEST, TIMES, condition
from daxlab.errors import InputError
from daxlab.paper import experiments
from daxlab.paper.runs import Measure, Measurement, Replicates, Runs, filters
from daxlab.paper.targets import targets
from daxlab.protocol import Protocol
from daxlab.runs import Ledger

NETWORK = "exp4"
COUNTED = ("exp4.tired.constructions", "exp4.tired.seen", "exp4.frames")  # in the corpus, without runs


@dataclass(frozen=True, kw_only=True)
class Condition(Replicates):
    """The runs that were shown the new word so many times (0: the baseline), by seed."""

    ledger: Ledger
    language: str
    times: int

    @cached_property
    def _scores(self) -> list[Mapping[str, float]]:
        of_runs = [scores(self.ledger, row) for row in self.rows]
        if any(bleu.PAIRWISE not in metrics for metrics in of_runs):
            raise InputError(f"{self.ledger.path} has neither BLEU nor translations of {self.split}")
        return of_runs

    @cached_property
    def translated(self) -> list[list[Translated]]:
        """Every run's translations of the questions."""
        return [translated(self.ledger, row) for row in self.rows]

    @property
    def bleu(self) -> list[float]:
        """Pairwise BLEU of every run."""
        return [metrics[bleu.PAIRWISE] for metrics in self._scores]

    @property
    def by_sentence(self) -> list[float]:
        """BLEU of every run with each English sentence once, against all its French ones."""
        return [metrics[bleu.BY_SENTENCE] for metrics in self._scores]

    @property
    def signature(self) -> str:
        """sacrebleu's signature of the pairwise BLEU."""
        return bleu.signature(str(self.rows[0]["origin"].get(bleu.PACKAGE, "unknown")))

    def right(self, word: str, *, as_stated: bool = False) -> list[int]:
        """How many of the questions with a word every run gets right; `as_stated`: as the paper itself writes it."""
        asked = [right_of(translations, word) for translations in self.translated]
        return [sum(a.as_stated if as_stated else a.right for a in answers) for answers in asked]

    def percent_right(self, word: str) -> dict[str, Any]:
        """The same in per cent of the questions, summarised over runs."""
        asked = len(right_of(self.translated[0], word))
        return entries([100 * right / asked for right in self.right(word)])


def conditions(ledger: Ledger, digest: str, name: str, protocol: Protocol | None = None) -> list[Condition]:
    """The conditions of a dataset (by its digest; its name has the new word), in the paper's order."""
    splits = {BASELINE: 0, **{condition(new_word(name), times): times for times in TIMES}}
    where = {"language.digest": digest} | filters(experiments.TRANSLATOR, protocol or Protocol())
    every = []
    for split, times in splits.items():
        rows = sorted(ledger.rows(where | {"split": split}), key=lambda row: int(row["seed"]))
        done = tuple(row for row in rows if row["status"] == "done")
        failed = len(rows) - len(done)
        every.append(Condition(NETWORK, split, "own", done, failed, ledger=ledger, language=name, times=times))
    return every


def lost(baseline: Condition, taught: Condition) -> list[float]:
    """BLEU points that the new word costs, seed by seed."""
    before, after = (
        {row["seed"]: score for row, score in zip(runs.rows, runs.bleu, strict=True)} for runs in (baseline, taught)
    )
    return [before[seed] - after[seed] for seed in sorted(before.keys() & after.keys())]


# -- all that a ledger has of the experiment


def translation_summary(ledger: Ledger, pairs: str, protocol: Protocol | None = None) -> dict[str, Any]:
    """All that the ledger has of the experiment on these pairs, as plain data: about them, and each condition."""
    data = sentence_pairs(pairs)
    baseline, *others = conditions(ledger, data.digest, data.name, protocol)
    words = [word.english for word in data.new.words]
    return {
        "language": {"name": data.name, "about": data.about, "digest": data.digest},
        "paper": data.digest == PAPER_DIGEST,
        "new": data.new.word.english,
        "known": data.new.known.english,
        "asked": len(data.new.frames) - 1,
        "signature": next((runs.signature for runs in (baseline, *others) if runs.rows), None),
        "conditions": [_summary(runs, baseline, words) for runs in (baseline, *others)],
    }


def _summary(runs: Condition, baseline: Condition, words: Sequence[str]) -> dict[str, Any]:
    return {
        "split": runs.split,
        "times": runs.times,
        "seeds": [row["seed"] for row in runs.rows],
        "runs": runs.keys,
        "failed": runs.failed,
        "bleu": runs.bleu,
        "bleu_by_sentence": runs.by_sentence,
        "lost": lost(baseline, runs) if runs.times else [],
        "right": {word: runs.right(word) for word in words},
        "as_stated": {word: runs.right(word, as_stated=True) for word in words},
        "questions": [
            {
                "sentence": question.command,
                "frame": question.frame,
                "word": question.word,
                "taught": question.taught,
                "references": [" ".join(reference) for reference in question.references],
                "translations": [[" ".join(answer.translation), answer.right] for answer in answers],
            }
            for answers in zip(*runs.translated, strict=True)
            for question in [answers[0].question]
        ],
    }


def stated(times: int) -> dict[str, str]:
    """What the paper says of a condition: bleu, lost, new, known, as text."""
    figures = {target.id: str(target) for target in targets()}
    if not times:
        return {"bleu": figures["exp4.bleu"]}
    new = {"new": figures.get(f"exp4.daxy.{times}", "")}
    return new | ({"lost": figures["exp4.daxy.bleu-drop"], "known": figures["exp4.tired"]} if times == TIMES[0] else {})


# -- the paper's figures: of each a value for every run, and a note

Conditions = Mapping[int, Condition]  # by how often the new word was shown


def baseline_bleu(by_times: Conditions) -> tuple[Sequence[float], str]:
    """BLEU of the baseline, pair by pair."""
    baseline = by_times[0]
    note = f"sacrebleu {baseline.signature}; with each English sentence once and all its French ones as references, "
    return baseline.bleu, f"{note}{fmean(baseline.by_sentence):.2f}"


def new_word_right(times: int, by_times: Conditions) -> tuple[Sequence[float], str]:
    """How many of the eight questions with the new word every run gets right."""
    word, taught = new_word(PAPER).word.english, by_times[times]
    every = (answer for answers in taught.translated for answer in right_of(answers, word) if answer.right)
    right = ", ".join(f"'{command}'" for command in dict.fromkeys(answer.question.command for answer in every))
    strict = fmean(taught.right(word, as_stated=True))
    return taught.right(word), f"with the paper's own words {strict:.2f} of 8; right in any run: {right or 'none'}"


def bleu_drop(by_times: Conditions) -> tuple[Sequence[float], str]:
    """The baseline's BLEU minus that with the new word a thousand times."""
    baseline, taught = by_times[0], by_times[TIMES[0]]
    return lost(baseline, taught), f"{fmean(baseline.bleu):.2f} without, {fmean(taught.bleu):.2f} with"


def known_word_right(by_times: Conditions) -> tuple[Sequence[float], str]:
    """The same eight questions with the known word, of the network that was taught the new one."""
    word, baseline, taught = new_word(PAPER).known.english, by_times[0], by_times[TIMES[0]]
    note = f"with masculine forms and 'tu' alone {fmean(taught.right(word, as_stated=True)):.2f} of 8"
    return taught.right(word), note + (f"; the baseline {fmean(baseline.right(word)):.2f}" if baseline.rows else "")


def measured(
    measure: Callable[[Conditions], tuple[Sequence[float], str]], needs: Sequence[int], runs: Runs
) -> list[Measurement]:
    """A figure that needs some conditions; a note where the ledger lacks one of them."""
    by_times = {part.times: part for part in conditions(runs.ledger, PAPER_DIGEST, PAPER, runs.protocol)}
    for missing in (by_times[times] for times in needs if not by_times[times].rows):
        names = sorted({row["dataset"] for row in runs.ledger.rows({"split": BASELINE})} - {PAPER})
        note = f"the ledger has runs on {', '.join(names)}, which are not the paper's pairs" if names else ""
        return [missing.measurement(note=note)]
    return [by_times[needs[-1]].measurement(*measure(by_times))]


def counted(figure: str, _: Runs) -> list[Measurement]:
    """What the training set shows: it needs the paper's pairs, and no runs."""
    training, draw = shown(sentence_pairs(PAPER)), "a tenth of the English sentences, our own draw"
    if figure == "exp4.frames":
        note = (
            "distinct single words in the frame's place, the sentence as it is spelt and nothing else; "
            f"with 'you re' counted as 'you are', {training.mean_contracted:.1f} ({draw})"
        )
        ours = {"frames": training.predicates, "contracted": training.contracted}
        return [Measurement(None, BASELINE, "own", ours=ours, shown=f"{training.mean:.1f}", note=note)]
    counts = {
        "exp4.tired.constructions": (training.sentences, "distinct English training sentences with 'tired'"),
        "exp4.tired.seen": (len(training.seen), ", ".join(training.seen) or "none"),
    }
    count, note = counts[figure]
    return [Measurement(None, BASELINE, "own", ours=count, shown=str(count), count=count, note=f"{note} ({draw})")]


def figures() -> Iterator[tuple[str, Sequence[str], Measure]]:
    """The figures of Experiment 4: an id, the experiments whose runs it needs, how it is measured."""
    needs = [experiments.TRANSLATION]
    yield "exp4.bleu", needs, partial(measured, baseline_bleu, [0])
    for times in TIMES:
        yield f"exp4.daxy.{times}", needs, partial(measured, partial(new_word_right, times), [times])
    yield "exp4.daxy.bleu-drop", needs, partial(measured, bleu_drop, [0, TIMES[0]])
    yield "exp4.tired", needs, partial(measured, known_word_right, [TIMES[0]])
    for name in COUNTED:
        yield name, [], partial(counted, name)
