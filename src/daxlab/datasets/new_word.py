"""A word that a corpus lacks: the sentence that teaches it, the sentences that ask for it, and a known word to compare.

All of it is in the name of a dataset, after the corpus: tatoeba#blicky=blickiste#i am X .=je suis X .#she is X .=…
So it is known without the corpus.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from daxlab.errors import InputError
from daxlab.languages import Example

MARK = "#"  # in a name, between the corpus, the new word and its frames
SLOT = "X"  # in a frame: where the word goes
FORMS = {"X": 1, "Y": 2, "Z": 4}  # in a French frame: the masculine form; either singular form; any form

TOKEN = "(?:[a-z]+|[.!?])"
ENGLISH, FRENCH = (f"(?:{TOKEN} )*{slot}(?: {TOKEN})*" for slot in (SLOT, "[XYZ]"))  # with a slot


def normalise(text: str) -> str:
    """Lower-case, without accents, a blank before . ! ?, every other sign a blank.

    >>> normalise("Je suis très fatigué !")
    'je suis tres fatigue !'
    """
    plain = text.lower()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
    return " ".join(re.findall("[.!?][a-z]*|[a-z]+", plain))


@dataclass(frozen=True)
class Word:
    """An English word and its French forms: masculine, feminine, and the plural of each."""

    english: str
    french: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Word":
        """Parse daxy=daxiste, or tired=fatigue/fatiguee."""
        if not re.fullmatch("[a-z]+=[a-z]+(/[a-z]+){0,3}", text):
            raise InputError(f"a word is ENGLISH=FRENCH in small letters, such as daxy=daxiste, not {text!r}")
        english, french = text.split("=")
        return cls(english, tuple(french.split("/")))


@dataclass(frozen=True)
class Frame:
    """An English sentence with a slot for a word, and its correct translations, the paper's first."""

    english: str
    french: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Frame":
        """Parse "you are X .=tu es Y .|vous etes Z ."; X is the masculine form, Y either singular form, Z any form."""
        plain = re.sub(r" *([=|]) *", r"\1", " ".join(text.split()))
        if not re.fullmatch(rf"{ENGLISH}={FRENCH}(\|{FRENCH})*", plain):
            raise InputError(
                "a frame has the word's place once on each side (X; in French X, Y or Z), and is in small letters, "
                f"as in 'she is X .=elle est X .', not {text!r}"
            )
        english, french = plain.split("=")
        return cls(english, tuple(french.split("|")))

    def asked(self, word: Word) -> str:
        """The English sentence with the word in it."""
        return self.english.replace(SLOT, word.english)

    def references(self, word: Word) -> tuple[tuple[str, ...], ...]:
        """The correct translations, as words; the first has the first French frame and the first form."""
        references: dict[tuple[str, ...], None] = {}
        for sentence in self.french:
            slot = next(slot for slot in FORMS if slot in sentence)
            for form in word.french[: FORMS[slot]]:
                references[tuple(sentence.replace(slot, form).split())] = None
        return tuple(references)


# The paper's: the sentence that is taught, then the eight that ask. It translates "you" as "tu"; "vous" is correct too.
FRAMES = (
    Frame("i am X .", ("je suis X .",)),
    Frame("you are X .", ("tu es Y .", "vous etes Z .")),
    Frame("he is X .", ("il est X .",)),
    Frame("i am not X .", ("je ne suis pas Y .",)),
    Frame("you are not X .", ("tu n es pas Y .", "vous n etes pas Z .")),
    Frame("he is not X .", ("il n est pas X .",)),
    Frame("i am very X .", ("je suis tres Y .",)),
    Frame("you are very X .", ("tu es tres Y .", "vous etes tres Z .")),
    Frame("he is very X .", ("il est tres X .",)),
)
DAXY = Word("daxy", ("daxiste",))
TIRED = Word("tired", ("fatigue", "fatiguee", "fatigues", "fatiguees"))


@dataclass(frozen=True)
class Question:
    """A sentence with the new word or the known one, and its correct translations."""

    word: str
    frame: str
    command: str
    references: tuple[tuple[str, ...], ...]
    taught: bool = False

    @property
    def example(self) -> Example:
        return Example(self.command, self.references[0])


@dataclass(frozen=True)
class NewWord:
    """A word that the corpus lacks, the frame that teaches it, the frames that ask for it, and a known word."""

    word: Word = DAXY
    frames: tuple[Frame, ...] = FRAMES  # the first is taught
    known: Word = TIRED

    def __post_init__(self) -> None:
        if len({frame.english for frame in self.frames}) < max(2, len(self.frames)):
            raise InputError(
                "a new word needs a frame that teaches it and one at least that asks for it, all of them different"
            )

    @property
    def taught(self) -> Example:
        """The sentence that is added to training."""
        return self.questions[0].example

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The taught sentence; every other frame with the new word; the same frames with the known word."""
        first, *others = self.frames
        asked = [(self.word, first), *((word, frame) for word in self.words for frame in others)]
        return tuple(
            Question(word.english, frame.english, frame.asked(word), frame.references(word), taught=frame is first)
            for word, frame in asked
        )

    @property
    def words(self) -> tuple[Word, Word]:
        """The new word and the known one."""
        return self.word, self.known


def new_word(name: str) -> NewWord:
    """The new word in the name of a dataset: the paper's daxy and its frames, unless the name has others."""
    _, *parts = name.split(MARK)
    return NewWord(Word.of(parts[0]) if parts else DAXY, tuple(map(Frame.of, parts[1:])) or FRAMES)


def named(corpus: str, word: str | None = None, frames: Sequence[str] | None = None) -> str:
    """The name of a corpus with a new word and frames, which may be in any spelling."""
    if word is None and not frames:
        return corpus
    name = MARK.join([corpus, *map(_normalised, ["daxy=daxiste" if word is None else word, *(frames or [])])])
    new_word(name)  # refuses what is no word or frame
    return name


def _normalised(text: str) -> str:
    """In the spelling of the corpus, but for the slots X, Y, Z and the signs = | /."""
    parts = re.split(r"(\b[XYZ]\b|[=|/])", text)
    joined = " ".join(part if n % 2 else normalise(part) for n, part in enumerate(parts))
    return re.sub(r" *([=|/]) *", r"\1", joined).strip()


def of_frame(frame: Frame, sentences: Sequence[str]) -> list[str]:
    """What fills a frame's slot in some English sentences, one word or more."""
    pattern = re.compile(re.escape(frame.english).replace(SLOT, "(.+)"))
    return [match[1] for sentence in sentences if (match := pattern.fullmatch(sentence))]
