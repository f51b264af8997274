"""Experiment 4: how well a run translates (BLEU), what it makes of a new word, and how often training shows the frames.

BLEU is sacrebleu's, of greedy translations, on the text as the corpus is read (lower-case, no accents, signs apart), so
it tokenises nothing again. The figure is pairwise: every pair of the test set is a sentence with one reference, as the
paper's code has it; beside it, each English sentence once, with all its French ones as references.

A translation is right if it is one of the references, word for word: the paper's own, with "vous" for "tu", and with
the adjective in any form that agrees with its subject. `as_stated` asks for the paper's own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from statistics import fmean
from typing import Any

from daxlab.corpora import split
from daxlab.corpora.translation import BASELINE, new_word
from daxlab.errors import InputError
from daxlab.languages.pairs import FRAMES, NewWord, Pairs, Question, of_frame
from daxlab.splits import Split
from daxlab.store import Ledger, unpack_answers

Row = Mapping[str, Any]
CONTRACTED = {
    "i am": "i m",
    **{f"{who} is": f"{who} s" for who in ("he", "she", "it")},
    **{f"{who} are": f"{who} re" for who in ("you", "we", "they")},
}


@dataclass(frozen=True)
class Bleu:
    """A score from 0 to 100, and how it was computed."""

    score: float
    signature: str


@dataclass(frozen=True)
class Scores:
    """A run's BLEU on its test set."""

    pairwise: Bleu
    by_sentence: Bleu


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


def bleu(translations: Sequence[str], references: Sequence[Sequence[str]]) -> Bleu:
    """Corpus BLEU; each translation has one reference or more."""
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - slow to load

    metric = BLEU(tokenize="none", force=True)  # force: it need not warn that the text is tokenised already
    streams = list(zip_longest(*references))  # the first references, the second ones, …; None where there is none
    score = metric.corpus_score(list(translations), streams).score
    return Bleu(float(score), str(metric.get_signature()))


def scores(ledger: Ledger, row: Row) -> Scores:
    """BLEU of a run (a row of the ledger), from its stored translations. Needs its corpus."""
    held = _trained_on(row).test
    content = ledger.artefact(row["key"], "greedy")
    if content is None:
        raise InputError(f"{ledger.path} has no translations of {row['key'][:12]}: take them from where it was made")
    return _scored(content, held)


@lru_cache(maxsize=256)  # by content
def _scored(content: bytes, held: tuple[Any, ...]) -> Scores:
    given = [" ".join(one) for one in unpack_answers(content, [example.actions for example in held])]
    right = [" ".join(example.actions) for example in held]
    by_sentence: dict[str, tuple[str, list[str]]] = {}
    for example, translation, reference in zip(held, given, right, strict=True):
        by_sentence.setdefault(example.command, (translation, []))[1].append(reference)
    once, several = zip(*by_sentence.values(), strict=True)
    return Scores(bleu(given, [[one] for one in right]), bleu(once, several))


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


def _trained_on(row: Row) -> Split:
    spec = row["spec"]
    found = split(spec["split"]["name"], spec["language"]["name"])
    if found.digest != spec["split"]["digest"]:
        raise InputError(f"the pairs of {row['key'][:12]} are not those that are here, so they cannot be scored")
    return found


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
    framed: dict[str, int]
    """By frame: distinct English sentences that begin and end as it does, one word or more in its place."""
    asked: dict[str, int]
    """By frame: how often its question with the known word is there, with whatever French."""

    @property
    def mean(self) -> float:
        """Predicates a frame."""
        return fmean(self.predicates.values())


def shown(lang: Pairs, split_name: str = BASELINE) -> Shown:
    """What the training set of a split shows."""
    found = split(split_name, lang)
    times = zip(found.train, found.weights, strict=True)
    return _shown(lang.new, tuple(pair.command for pair, weight in times for _ in range(weight)))


@lru_cache(maxsize=16)
def _shown(new: NewWord, presented: tuple[str, ...]) -> Shown:
    asked, known, times = new.frames[1:], new.known.english, Counter(presented)
    sentences = tuple(times)
    spelt = tuple(map(_whole, sentences))
    return Shown(
        predicates={frame.english: len(set(filter(str.isalpha, of_frame(frame, sentences)))) for frame in asked},
        contracted={frame.english: len(set(filter(str.isalpha, of_frame(frame, spelt)))) for frame in asked},
        sentences=sum(known in sentence.split() for sentence in sentences),
        seen=tuple(sentence for frame in asked if (sentence := frame.asked(new.known)) in times),
        framed={frame.english: len(list(of_frame(frame, sentences))) for frame in asked},
        asked={frame.english: times[frame.asked(new.known)] for frame in asked},
    )


def caution(lang: Pairs) -> str:
    """What to know of the known word, where it was not chosen for these frames or the corpus lacks it; else nothing."""
    known = lang.new.known.english
    there = any(known in pair.command.split() for pair in lang.pairs)
    if there and lang.new.frames == FRAMES:
        return ""
    lacks = "" if there else ", and no sentence of the corpus has it"
    return f"“{known}” is asked in the same frames, whether or not they suit it{lacks}."


def _whole(sentence: str) -> str:
    """With "i am" for "i m" at its beginning."""
    for whole, short in CONTRACTED.items():
        if sentence.startswith(f"{short} "):
            return whole + sentence[len(short) :]
    return sentence
