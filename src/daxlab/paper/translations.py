"""Experiment 4 in a ledger: the baseline, and networks that were shown a new word so many times; the paper's figures.

Of any pairs, by the digest of their dataset; the paper's figures only of its own pairs. Needs no frames, so that a bare
machine can ask.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import Any

from daxlab.analysis.translation import Translated, right_of, scores, shown, translated
from daxlab.datasets import bleu, sentence_pairs
from daxlab.datasets.new_word import FRAMES, new_word
from daxlab.datasets.translation import BASELINE, PAPER, PAPER_DIGEST, TIMES, condition
from daxlab.ledger import Ledger
from daxlab.paper import experiments
from daxlab.paper.runs import Measure, Measurement, Runs, filters
from daxlab.paper.targets import target
from daxlab.paper.verdicts import Scale
from daxlab.protocol import Protocol

NETWORK = "exp4"
COUNTED = ("exp4.tired.constructions", "exp4.tired.seen", "exp4.frames")  # in the corpus, without runs


@dataclass(frozen=True, kw_only=True)
class Condition(Measurement):
    """The runs that were shown the new word so many times (0: the baseline), by seed."""

    ledger: Ledger
    language: str
    times: int

    @cached_property
    def _scores(self) -> list[Mapping[str, float]]:
        return [scores(self.ledger, row) for row in self.rows]

    @property
    def bleu(self) -> list[float]:
        """Pairwise BLEU of every run."""
        return [metrics[bleu.PAIRWISE] for metrics in self._scores]

    @property
    def by_sentence(self) -> list[float]:
        """BLEU of every run with each English sentence once, against all its French ones."""
        return [metrics[bleu.BY_SENTENCE] for metrics in self._scores]

    @cached_property
    def translated(self) -> list[list[Translated]]:
        """Every run's translations of the questions."""
        return [translated(self.ledger, row) for row in self.rows]

    @property
    def signature(self) -> str:
        """sacrebleu's signature of the pairwise BLEU."""
        return bleu.signature(str(self.rows[0]["origin"].get(bleu.PACKAGE, "unknown")))

    def right(self, word: str, *, as_stated: bool = False) -> list[int]:
        """How many of the questions with a word every run gets right; `as_stated`: as the paper itself writes it."""
        asked = [right_of(translations, word) for translations in self.translated]
        return [sum(a.as_stated if as_stated else a.right for a in answers) for answers in asked]


def conditions(ledger: Ledger, digest: str, name: str, protocol: Protocol | None = None) -> list[Condition]:
    """The conditions of a dataset (by its digest; its name has the new word), in the paper's order."""
    splits = {BASELINE: 0, **{condition(new_word(name), times): times for times in TIMES}}
    where = {"language.digest": digest, **filters(experiments.TRANSLATOR, protocol or Protocol())}
    every = []
    for split, times in splits.items():
        rows = ledger.rows({**where, "split": split})
        every.append(Condition.of(rows, NETWORK, split, "own", ledger=ledger, language=name, times=times))
    return every


def lost(baseline: Condition, taught: Condition) -> list[float]:
    """BLEU points that the new word costs, seed by seed."""
    before, after = (dict(zip(runs.seeds, runs.bleu, strict=True)) for runs in (baseline, taught))
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
        "seeds": runs.seeds,
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
    ids = {"new": f"exp4.daxy.{times}"} if times else {"bleu": "exp4.bleu"}
    if times == TIMES[0]:
        ids |= {"lost": "exp4.daxy.bleu-drop", "known": "exp4.tired"}
    return {name: str(target(figure)) for name, figure in ids.items()}


# -- the paper's figures: of each a value for every run of a condition, and a note


def bleu_of(condition: Condition, _: Condition) -> tuple[Sequence[float], str]:
    """BLEU, pair by pair."""
    note = f"sacrebleu {condition.signature}; with each English sentence once and all its French ones as references, "
    return condition.bleu, f"{note}{fmean(condition.by_sentence):.2f}"


def new_word_right(condition: Condition, _: Condition) -> tuple[Sequence[float], str]:
    """How many of the eight questions with the new word every run gets right."""
    word = new_word(PAPER).word.english
    every = (answer for answers in condition.translated for answer in right_of(answers, word) if answer.right)
    right = ", ".join(f"'{command}'" for command in dict.fromkeys(answer.question.command for answer in every))
    strict = fmean(condition.right(word, as_stated=True))
    return condition.right(word), f"with the paper's own words {strict:.2f} of 8; right in any run: {right or 'none'}"


def bleu_drop(condition: Condition, baseline: Condition) -> tuple[Sequence[float], str]:
    """The baseline's BLEU minus that with the new word, of the seeds that have both."""
    points = lost(baseline, condition)
    return points, f"{fmean(baseline.bleu):.2f} without, {fmean(condition.bleu):.2f} with" if points else ""


def known_word_right(condition: Condition, baseline: Condition) -> tuple[Sequence[float], str]:
    """The same eight questions with the known word, of the network that was taught the new one."""
    word = new_word(PAPER).known.english
    note = f"with masculine forms and 'tu' alone {fmean(condition.right(word, as_stated=True)):.2f} of 8"
    return condition.right(word), note + (f"; the baseline {fmean(baseline.right(word)):.2f}" if baseline.rows else "")


def measured(
    measure: Callable[[Condition, Condition], tuple[Sequence[float], str]], scale: Scale, times: int, runs: Runs
) -> list[Measurement]:
    """A figure of the condition with the new word so many times, perhaps beside the baseline."""
    every = {part.times: part for part in conditions(runs.ledger, PAPER_DIGEST, PAPER, runs.protocol)}
    condition, baseline = every[times], every[0]
    values, note = measure(condition, baseline) if condition.rows else ((), "")
    others = () if values else sorted({row["dataset"] for row in runs.ledger.rows({"split": BASELINE})} - {PAPER})
    if others:
        note = f"the ledger has runs on {', '.join(others)}, which are not the paper's pairs"
    return [condition.measured(values, note, scale=scale)]


def counted(figure: str, _: Runs) -> list[Measurement]:
    """What the training set shows: it needs the paper's pairs, and no runs."""
    training = shown(sentence_pairs(PAPER))
    frames = {"frames": training.predicates, "contracted": training.contracted}
    single_words = (
        "distinct single words in the frame's place, the sentence as it is spelt and nothing else; "
        f"with 'you re' counted as 'you are', {training.mean_contracted:.1f}"
    )
    ours, note = {
        "exp4.tired.constructions": (training.sentences, "distinct English training sentences with 'tired'"),
        "exp4.tired.seen": (len(training.seen), ", ".join(training.seen) or "none"),
        "exp4.frames": (frames, single_words),
    }[figure]
    note += " (a tenth of the English sentences, our own draw)"
    if isinstance(ours, int):
        return [Measurement("", BASELINE, "own", ours=ours, shown=str(ours), count=ours, note=note)]
    return [Measurement("", BASELINE, "own", ours=ours, shown=f"{training.mean:.1f}", note=note)]


def figures() -> Iterator[tuple[str, Sequence[str], Measure]]:
    """The figures of Experiment 4: an id, the experiments whose runs it needs, how it is measured."""
    needs = [experiments.TRANSLATION]
    points, right = Scale(of=None, points=2.0), Scale.count(len(FRAMES) - 1)  # BLEU; questions
    yield "exp4.bleu", needs, partial(measured, bleu_of, points, 0)
    for times in TIMES:
        yield f"exp4.daxy.{times}", needs, partial(measured, new_word_right, right, times)
    yield "exp4.daxy.bleu-drop", needs, partial(measured, bleu_drop, points, TIMES[0])
    yield "exp4.tired", needs, partial(measured, known_word_right, right, TIMES[0])
    for name in COUNTED:
        yield name, [], partial(counted, name)
