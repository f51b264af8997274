"""Experiment 4 in a ledger: the baseline, and the networks that were shown a new word so many times.

Of any pairs, by the digest of their language. Needs no frames, so that it can be asked on a bare machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from daxlab.analysis.translation import Translated, right_of, scores, translated
from daxlab.datasets import bleu, sentence_pairs
from daxlab.datasets.new_word import new_word
from daxlab.datasets.translation import BASELINE, PAPER_DIGEST, TIMES, condition
from daxlab.errors import InputError
from daxlab.paper import experiments
from daxlab.paper.targets import targets
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.runs import Ledger


@dataclass(frozen=True)
class Condition:
    """The runs that were shown the new word so often (0: the baseline), by seed."""

    ledger: Ledger
    language: str
    split: str
    times: int
    rows: Sequence[dict[str, Any]]
    failed: int = 0

    @cached_property
    def _scores(self) -> list[Mapping[str, float]]:
        found = [scores(self.ledger, row) for row in self.rows]
        if any(bleu.PAIRWISE not in one for one in found):
            raise InputError(f"{self.ledger.path} has neither BLEU nor translations of {self.split}")
        return found

    @cached_property
    def translated(self) -> list[list[Translated]]:
        """What every run makes of the questions."""
        return [translated(self.ledger, row) for row in self.rows]

    @property
    def bleu(self) -> list[float]:
        """Of every run, pairwise."""
        return [one[bleu.PAIRWISE] for one in self._scores]

    @property
    def by_sentence(self) -> list[float]:
        """Of every run, each English sentence once with all its French ones."""
        return [one[bleu.BY_SENTENCE] for one in self._scores]

    @property
    def signature(self) -> str:
        """sacrebleu's, of the pairwise figure."""
        return bleu.signature(str(self.rows[0]["origin"].get(bleu.PACKAGE, "unknown")))

    def right(self, word: str, *, as_stated: bool = False) -> list[int]:
        """How many of the questions with a word every run gets right; `as_stated`: as the paper itself writes it."""
        asked = [right_of(found, word) for found in self.translated]
        return [sum(one.as_stated if as_stated else one.right for one in found) for found in asked]


def conditions(ledger: Ledger, digest: str, name: str, protocol: Protocol | None = None) -> list[Condition]:
    """Those of a language (by its digest; its name has the new word), in the paper's order."""
    splits = {BASELINE: 0, **{condition(new_word(name), times): times for times in TIMES}}
    where: dict[str, Any] = {"language.digest": digest} | asdict(experiments.TRANSLATOR)
    where |= {f"protocol.{part}": value for part, value in asdict(protocol or Protocol()).items()}
    found = []
    for split, times in splits.items():
        rows = [row for row in ledger.rows(where | {"split": split}) if row["spec"]["semantics"] == SEMANTICS]
        done = sorted((row for row in rows if row["status"] == "done"), key=lambda row: int(row["seed"]))
        found.append(Condition(ledger, name, split, times, done, len(rows) - len(done)))
    return found


def lost(baseline: Condition, taught: Condition) -> list[float]:
    """BLEU points that the new word costs, seed by seed."""
    before = {row["seed"]: score for row, score in zip(baseline.rows, baseline.bleu, strict=True)}
    after = {row["seed"]: score for row, score in zip(taught.rows, taught.bleu, strict=True)}
    return [before[seed] - after[seed] for seed in sorted(before.keys() & after.keys())]


def told(ledger: Ledger, pairs: str, protocol: Protocol | None = None) -> dict[str, Any]:
    """All that the ledger has of the experiment on these pairs, as plain data: about them, and a part per condition."""
    lang = sentence_pairs(pairs)
    baseline, *others = conditions(ledger, lang.digest, lang.name, protocol)
    every = [one for one in (baseline, *others) if one.rows]
    words = [word.english for word in lang.new.words]
    return {
        "language": {"name": lang.name, "about": lang.about, "digest": lang.digest},
        "paper": lang.digest == PAPER_DIGEST,
        "new": lang.new.word.english,
        "known": lang.new.known.english,
        "asked": len(lang.new.frames) - 1,
        "signature": every[0].signature if every else None,
        "conditions": [_as_part(one, baseline, words) for one in (baseline, *others)],
    }


def _as_part(one: Condition, baseline: Condition, words: Sequence[str]) -> dict[str, Any]:
    return {
        "split": one.split,
        "times": one.times,
        "seeds": [row["seed"] for row in one.rows],
        "runs": [row["key"] for row in one.rows],
        "failed": one.failed,
        "bleu": one.bleu,
        "bleu_by_sentence": one.by_sentence,
        "lost": lost(baseline, one) if one.times else [],
        "right": {word: one.right(word) for word in words},
        "as_stated": {word: one.right(word, as_stated=True) for word in words},
        "questions": _questions(one),
    }


def _questions(one: Condition) -> list[dict[str, Any]]:
    """Every question with what each run made of it."""
    found = []
    for answers in zip(*one.translated, strict=True):
        asked = answers[0].question
        entry = {"sentence": asked.command, "frame": asked.frame, "word": asked.word, "taught": asked.taught}
        entry |= {"references": [" ".join(each) for each in asked.references]}
        found.append(entry | {"translations": [[" ".join(each.translation), each.right] for each in answers]})
    return found


def stated(times: int) -> dict[str, str]:
    """What the paper says of a condition: bleu, lost, new, known, as text."""
    known = {one.id: str(one) for one in targets()}
    if not times:
        return {"bleu": known["exp4.bleu"]}
    found = {"new": known.get(f"exp4.daxy.{times}", "")}
    return found | ({"lost": known["exp4.daxy.bleu-drop"], "known": known["exp4.tired"]} if times == TIMES[0] else {})
