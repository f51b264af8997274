"""Experiment 4: how a run translates a new word, and how often training shows the frames.

A translation is right if it is one of the references, word for word: the paper's own, with "vous" for "tu", and with
the adjective in any form that agrees with its subject. `as_stated` asks for the paper's own.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from daxlab.datasets import SentencePairs, bleu, dataset
from daxlab.datasets.new_word import FRAMES, NewWord, Question, new_word, of_frame
from daxlab.datasets.translation import BASELINE
from daxlab.errors import InputError
from daxlab.ledger import Ledger, unpack_answers

Row = Mapping[str, Any]
VERBS = {"m": "am", "s": "is", "re": "are"}
CONTRACTED = re.compile("^(i|you|he|she|it|we|they) (m|s|re) ")


@dataclass(frozen=True)
class Translated:
    """A question, and a run's translation of it."""

    question: Question
    translation: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.translation in self.question.references

    @property
    def as_stated(self) -> bool:
        return self.translation == self.question.references[0]


def scores(ledger: Ledger, row: Row) -> Mapping[str, float]:
    """BLEU of a run: from the ledger, or else computed from its translations and its corpus."""
    metrics = ledger.run(row["key"]).metrics
    if bleu.PAIRWISE not in metrics:
        metrics = computed(ledger, row)
    if bleu.PAIRWISE not in metrics:
        raise InputError(f"{ledger.path} has neither BLEU nor translations of run {row['key'][:12]}")
    return metrics


def computed(ledger: Ledger, row: Row) -> dict[str, float]:
    """A dataset's further metrics of a run's answers (BLEU), if the ledger has the answers. Needs the data."""
    content = ledger.artefact(row["key"], "greedy")
    if content is None:
        return {}
    data = dataset(row["dataset"])
    test = data.split(row["split"]).test
    return data.scores(test, unpack_answers(content, [example.actions for example in test]))


def translated(ledger: Ledger, row: Row) -> list[Translated]:
    """A run's translations of the sentence that teaches the new word, and of every question. Needs no corpus."""
    questions = new_word(row["dataset"]).questions
    content = ledger.artefact(row["key"], "named")
    if content is None:
        raise InputError(f"{ledger.path} has no answers of {row['key'][:12]}: take them from where it was trained")
    translations = unpack_answers(content, [question.references[0] for question in questions])
    return [Translated(*pair) for pair in zip(questions, translations, strict=True)]


def right_of(answers: Sequence[Translated], word: str) -> list[Translated]:
    """The answers to questions with a word, without the sentence that was taught."""
    return [answer for answer in answers if answer.question.word == word and not answer.question.taught]


@dataclass(frozen=True)
class Shown:
    """How often training shows a frame, and the known word."""

    predicates: dict[str, int]  # by frame: distinct single words in its place, where the sentence is nothing else
    contracted: dict[str, int]  # the same, "you re X" counted as "you are X"
    sentences: int  # distinct English sentences that have the known word
    seen: tuple[str, ...]  # the questions with the known word that are among them
    framed: dict[str, int]  # by frame: distinct English sentences that begin and end as it does
    asked: dict[str, int]  # by frame: how often its question with the known word is presented, with any French

    @property
    def mean(self) -> float:
        """Predicates a frame."""
        return fmean(self.predicates.values())

    @property
    def mean_contracted(self) -> float:
        return fmean(self.contracted.values())


def shown(lang: SentencePairs) -> Shown:
    """What the training set of the baseline shows."""
    split = lang.split(BASELINE)
    times = zip(split.train, split.weights, strict=True)
    return _shown(lang.new, [pair.command for pair, weight in times for _ in range(weight)])


def _shown(new: NewWord, presented: Sequence[str]) -> Shown:
    asked, known, times = new.frames[1:], new.known.english, Counter(presented)
    sentences = list(times)
    spelt = list(map(_whole, sentences))
    return Shown(
        predicates={frame.english: len(set(filter(str.isalpha, of_frame(frame, sentences)))) for frame in asked},
        contracted={frame.english: len(set(filter(str.isalpha, of_frame(frame, spelt)))) for frame in asked},
        sentences=sum(known in sentence.split() for sentence in sentences),
        seen=tuple(sentence for frame in asked if (sentence := frame.asked(new.known)) in times),
        framed={frame.english: len(of_frame(frame, sentences)) for frame in asked},
        asked={frame.english: times[frame.asked(new.known)] for frame in asked},
    )


def caution(lang: SentencePairs) -> str:
    """A warning, where the known word was not chosen for these frames or the corpus lacks it; else nothing."""
    known = lang.new.known.english
    in_corpus = any(known in pair.command.split() for pair in lang.pairs)
    if in_corpus and lang.new.frames == FRAMES:
        return ""
    lacks = "" if in_corpus else ", and no sentence of the corpus has it"
    return f"“{known}” is asked in the same frames, whether or not they suit it{lacks}."


def _whole(sentence: str) -> str:
    """With "i am" for "i m" at its beginning."""
    return CONTRACTED.sub(lambda match: f"{match[1]} {VERBS[match[2]]} ", sentence)
