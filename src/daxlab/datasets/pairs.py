"""A parallel corpus as a language: its commands are English sentences, its actions the words of French ones.

One English sentence may have several French ones, so there is no one meaning to translate to; there are pairs. A new
word belongs to it: the sentence that teaches it, and those that ask for it. So the vocabulary, which is the language's,
has the new word in every network, whether it was taught the word or not. Knows nothing of files, nor of splits.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from daxlab.errors import InputError
from daxlab.languages.derivation import Example

SLOT = "X"  # of a frame, where the word goes
FORMS = {"X": 1, "Y": 2, "Z": 4}  # of a French frame: the masculine form; either singular; any
MOST_FORMS = 4


def _filled(frame: str, slot: str, word: str) -> str:
    return " ".join(word if part == slot else part for part in frame.split())


def _is_word(text: str) -> bool:
    return text.isascii() and text.isalpha() and text.islower()


@dataclass(frozen=True)
class Word:
    """An English word, and its French forms, as far as given: masculine, feminine, the plural of each."""

    english: str
    french: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Word":
        """From daxy=daxiste, or tired=fatigue/fatiguee."""
        english, _, french = text.partition("=")
        forms = tuple(french.split("/"))
        if not all(_is_word(one) for one in (english, *forms)) or len(forms) > MOST_FORMS:
            raise InputError(f"a word is ENGLISH=FRENCH in small letters, such as daxy=daxiste, not {text!r}")
        return cls(english, forms)

    def __str__(self) -> str:
        return f"{self.english}={'/'.join(self.french)}"


@dataclass(frozen=True)
class Frame:
    """An English sentence with a place for a word, and the French ones that are right for it, the paper's first."""

    english: str
    french: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Frame":
        """From "you are X .=tu es Y .|vous etes Z .": X is the word's first form, Y either singular, Z any."""
        english, _, rest = text.partition("=")
        french = tuple(" ".join(one.split()) for one in rest.split("|"))
        frame = cls(" ".join(english.split()), french)
        slots = [frame.english.split().count(SLOT)]
        slots += [sum(word in FORMS for word in one.split()) for one in frame.french]
        if any(count != 1 for count in slots):
            raise InputError(
                f"a frame has the word's place once on each side (X; in French X, Y or Z), as in "
                f"'she is X .=elle est X .'; not so {text!r}"
            )
        words = [word for one in (frame.english, *frame.french) for word in one.split() if word not in FORMS]
        if not all(word in ".!?" or _is_word(word) for word in words):
            raise InputError(f"a frame is such as 'she is X .=elle est X .', in small letters, not {text!r}")
        return frame

    def __str__(self) -> str:
        return f"{self.english}={'|'.join(self.french)}"

    def asked(self, word: Word) -> str:
        """The English sentence with the word in it."""
        return _filled(self.english, SLOT, word.english)

    def references(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The French sentences that are right, as words; the first has the first frame and form."""
        found: dict[tuple[str, ...], None] = {}
        for one in self.french:
            slot = next(part for part in one.split() if part in FORMS)
            for form in word.french[: FORMS[slot]]:
                found[tuple(_filled(one, slot, form).split())] = None
        return tuple(found)


# The paper's: the sentence that is taught, then the eight that ask. It translates "you" by "tu"; "vous" is as right.
FRAMES = tuple(
    map(
        Frame.of,
        (
            "i am X .=je suis X .",
            "you are X .=tu es Y .|vous etes Z .",
            "he is X .=il est X .",
            "i am not X .=je ne suis pas Y .",
            "you are not X .=tu n es pas Y .|vous n etes pas Z .",
            "he is not X .=il n est pas X .",
            "i am very X .=je suis tres Y .",
            "you are very X .=tu es tres Y .|vous etes tres Z .",
            "he is very X .=il est tres X .",
        ),
    )
)
DAXY = Word.of("daxy=daxiste")
TIRED = Word.of("tired=fatigue/fatiguee/fatigues/fatiguees")


@dataclass(frozen=True)
class Question:
    """A sentence that is looked at: with the new word or the known one, taught or not, and what is right."""

    word: str
    frame: str
    command: str
    references: tuple[tuple[str, ...], ...]
    taught: bool = False

    @property
    def example(self) -> Example:
        """The sentence with its first reference."""
        return Example(self.command, self.references[0])


@dataclass(frozen=True)
class NewWord:
    """A word that no sentence of a corpus has, the frame that teaches it, those that ask for it, and a known word."""

    word: Word = DAXY
    frames: tuple[Frame, ...] = FRAMES  # the first is taught
    known: Word = TIRED

    def __post_init__(self) -> None:
        if len(self.frames) < 2:
            raise InputError("a new word needs a frame that teaches it and one at least that asks for it")
        sentences = [frame.english for frame in self.frames]
        twice = next((one for one in sentences if sentences.count(one) > 1), None)
        if twice:
            raise InputError(
                f"the frame {twice!r} is there twice; the first is taught, and each of the others asks something else"
            )

    @cached_property
    def taught(self) -> Example:
        """The sentence that is added to training."""
        return Example(self.frames[0].asked(self.word), self.frames[0].references(self.word)[0])

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The taught sentence; every other frame with the new word; the same with the known one."""
        first, *others = self.frames
        words = [(self.word, first, True), *((word, frame, False) for word in self.words for frame in others)]
        return tuple(
            Question(word.english, frame.english, frame.asked(word), frame.references(word), taught)
            for word, frame, taught in words
        )

    @property
    def words(self) -> tuple[Word, Word]:
        """The new one, the known one."""
        return self.word, self.known


@dataclass(frozen=True, eq=False)
class Pairs:
    """English sentences with French ones, in the corpus's order and as often as it has them. Make one with
    `daxlab.language`.
    """

    name: str
    pairs: tuple[Example, ...]
    new: NewWord
    about: str = ""  # where the pairs are from

    def __post_init__(self) -> None:
        if len({pair.command for pair in self.pairs}) < 2:
            raise InputError(f"{self.name} has fewer than two English sentences to learn from and to ask")
        if any(self.new.word.english in pair.command.split() for pair in self.pairs):
            raise InputError(f"{self.new.word.english!r} is no new word: {self.name} has sentences with it")

    def commands(self) -> tuple[Example, ...]:
        """All that is ever shown or asked: the pairs, and the sentences about the new and the known word."""
        return self._commands

    @cached_property
    def digest(self) -> str:
        """A sha256 of its pairs and of what is asked."""
        asked = [(one.word, one.command, one.references) for one in self.new.questions]
        return sha256(json.dumps((self.pairs, self.new.taught, asked)).encode()).hexdigest()

    @cached_property
    def _commands(self) -> tuple[Example, ...]:
        return (*self.pairs, self.new.taught, *(question.example for question in self.new.questions))


def of_frame(frame: Frame, sentences: Sequence[str]) -> Iterator[str]:
    """What stands in a frame's place in some English sentences, one word or more."""
    before, after = frame.english.split(SLOT)
    for sentence in sentences:
        if sentence.startswith(before) and sentence.endswith(after):
            words = sentence[len(before) : len(sentence) - len(after)]
            if words:
                yield words
