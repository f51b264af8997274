"""Experiment 4: what a run makes of a new word, and how often training shows the frames.

A translation is right if it is one of the references, word for word: the paper's own, with "vous" for "tu", and with
the adjective in any form that agrees with its subject. `as_stated` asks for the paper's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

from daxlab.corpora import split
from daxlab.corpora.translation import BASELINE, new_word
from daxlab.errors import InputError
from daxlab.languages.pairs import NewWord, Pairs, Question, of_frame
from daxlab.store import Ledger, unpack_answers

Row = Mapping[str, Any]
CONTRACTED = {"i am": "i m", "he is": "he s", "you are": "you re"}


@dataclass(frozen=True)
class Translated:
    """A question, and what a network made of it."""

    question: Question
    translation: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether it is one of the references."""
        return self.translation in self.question.references

    @property
    def as_stated(self) -> bool:
        """Whether it is the first, which is the paper's."""
        return self.translation == self.question.references[0]


def translated(ledger: Ledger, row: Row) -> list[Translated]:
    """What a run makes of the sentence that teaches the new word, and of every question. Needs no corpus."""
    questions = new_word(row["spec"]["language"]["name"]).questions
    content = ledger.artefact(row["key"], "named")
    if content is None:
        raise InputError(f"{ledger.path} has no answers of {row['key'][:12]}: take them from where it was made")
    given = unpack_answers(content, [question.references[0] for question in questions])
    return [Translated(*pair) for pair in zip(questions, given, strict=True)]


def right_of(found: Sequence[Translated], word: str) -> list[Translated]:
    """Those with a word that were asked, not taught."""
    return [one for one in found if one.question.word == word and not one.question.taught]


@dataclass(frozen=True)
class Shown:
    """How often training shows a frame, and the known word."""

    predicates: dict[str, int]
    """By frame: distinct single words that stand in its place, where the sentence is nothing else."""
    contracted: dict[str, int]
    """The same, "you re X" counted as "you are X"."""
    sentences: int
    """Distinct English sentences that have the known word."""
    seen: tuple[str, ...]
    """The questions with the known word that are among them."""

    @property
    def mean(self) -> float:
        """Predicates a frame."""
        return fmean(self.predicates.values())


def shown(lang: Pairs, split_name: str = BASELINE) -> Shown:
    """What the training set of a split shows, presentations not counted."""
    return _shown(lang.new, tuple(dict.fromkeys(pair.command for pair in split(split_name, lang).train)))


@lru_cache(maxsize=16)
def _shown(new: NewWord, sentences: tuple[str, ...]) -> Shown:
    asked = new.frames[1:]
    there, known = frozenset(sentences), new.known.english
    spelt = tuple(map(_whole, sentences))
    return Shown(
        predicates={frame.english: len(set(of_frame(frame, sentences))) for frame in asked},
        contracted={frame.english: len(set(of_frame(frame, spelt))) for frame in asked},
        sentences=sum(known in sentence.split() for sentence in sentences),
        seen=tuple(sentence for frame in asked if (sentence := frame.asked(new.known)) in there),
    )


def _whole(sentence: str) -> str:
    """With "i am" for "i m" at its beginning."""
    for whole, short in CONTRACTED.items():
        if sentence.startswith(f"{short} "):
            return whole + sentence[len(short) :]
    return sentence
