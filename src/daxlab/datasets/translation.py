"""English-French sentence pairs as a dataset: for Experiment 4.

tatoeba is the corpus of the paper (Tatoeba sentences, published by manythings.org), in whatever release is on this
machine; built-in is a small synthetic language that needs no file; a path is anybody's tab-separated pairs. The name
may add a new word (new_word.py). In a ledger, tatoeba has the name of its release (tatoeba-2017-09-29-2546838a), so
that a result says what it was trained on.

One English sentence may have several French ones. The vocabulary always has the new word, taught or not.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cached_property, lru_cache
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from daxlab.datasets import bleu
from daxlab.datasets.core import TEST, Dataset, Split
from daxlab.datasets.new_word import MARK, NewWord, new_word, normalise
from daxlab.datasets.rules import NUMBER, drawn
from daxlab.datasets.source import Corpus, Folder, archived, existing, find, locate, opened, stamp
from daxlab.datasets.tsv import rows
from daxlab.errors import InputError
from daxlab.languages import Example, language
from daxlab.languages.language import shipped

FILE, ABOUT = "fra.txt", "_about.txt"
ENG_FRA = Corpus(
    name="eng-fra",
    files=(FILE,),
    url="https://www.manythings.org/anki/fra-eng.zip",
    digest="2546838ae46e0eac4c02ab7032ea0a02a006074a5340077a36a9444f41e02888",  # the release of 2017-09-29
    exact=False,  # the site now serves newer releases than the paper used
    optional=(ABOUT,),  # has the release's date
    check=lambda files: read_pairs(BytesIO(files[FILE]), FILE),
)
DATE = "2017-09-29"
TATOEBA, BUILT_IN = "tatoeba", "built-in"
SYNTHETIC = "synthetic-french"  # the grammar of the built-in pairs
PAPER = f"{TATOEBA}-{DATE}-{ENG_FRA.digest[:8]}"  # the name of the paper's pairs
# The digest of the paper's pairs with daxy, from whatever file they are read.
PAPER_DIGEST = "ba5b77787d405de149a27976e5dc028b5ed1fca91130a248124a63bcd3b11fac"
TATOEBA_NAME = re.compile(rf"{TATOEBA}(-.+-[0-9a-f]{{8}})?")  # whatever the release

BASELINE = "translation"
TENTH = 10  # one English sentence in ten is kept for the test
TIMES = (1000, 100, 10, 1)  # how often the paper shows the sentence with the new word

# Experiment 4: short sentences that begin so. "she s" has no blank after it, as in the code that the paper names.
STARTS = (
    *("i am ", "i m ", "he is", "he s ", "she is", "she s", "you are", "you re "),
    *("we are", "we re ", "they are", "they re "),
)
MOST_TOKENS = 9  # on each side


class _Text(NamedTuple):
    """What a corpus has in it."""

    pairs: tuple[Example, ...]
    about: str
    release: str = ""  # the name of a release of tatoeba


class SentencePairs(Dataset):
    """English sentences with French ones, in the corpus's order. The corpus is read when it is first needed."""

    packages = ("sacrebleu",)
    unit = "sentences"

    def __init__(self, name: str, path: Path | None) -> None:
        self._typed, self._path = name, path
        self._corpus, *_ = name.split(MARK)
        if self._corpus == BUILT_IN:
            self.license = "mit"
        elif TATOEBA_NAME.fullmatch(self._corpus):
            self.license, self.source = "cc-by-2.0", ENG_FRA.url
        self.new: NewWord = new_word(name)
        self.families = f"any {condition(self.new, 'N')}; -seedN after a name draws other test sentences"

    @cached_property
    def name(self) -> str:
        """The corpus and the new word; tatoeba by the name of its release."""
        return self._text.release + self._typed.removeprefix(TATOEBA) if self._corpus == TATOEBA else self._typed

    @cached_property
    def pairs(self) -> tuple[Example, ...]:
        """The pairs, as often as the corpus has them."""
        pairs = self._text.pairs
        if len({pair.command for pair in pairs}) < 2:
            raise InputError(f"{self.name} has fewer than two English sentences to learn from and to ask")
        new = self.new.word.english
        if any(new in pair.command.split() for pair in pairs):
            raise InputError(f"{new!r} is no new word: {self.name} has sentences with it")
        return pairs

    @property
    def about(self) -> str:
        return self._text.about

    @cached_property
    def digest(self) -> str:
        """A sha256 of the pairs and the questions."""
        questions = [(question.word, question.command, question.references) for question in self.new.questions]
        content = ([pair[:2] for pair in self.pairs], self.new.taught[:2], questions)
        return sha256(json.dumps(content).encode()).hexdigest()

    def examples(self) -> Sequence[Example]:
        return (*self.pairs, self.new.taught, *self.probes())

    def split_names(self) -> list[str]:
        return [BASELINE, *(condition(self.new, times) for times in TIMES)]

    def split(self, name: str) -> Split:
        """`translation`, or daxy-1000 with the new word so often; `-seed3` at the end is another draw of the test set.

        The test set has a tenth of the distinct English sentences with all their French ones, so that no sentence is
        on both sides. A pair that the corpus has twice is presented twice as often.
        """
        word = re.escape(self.new.word.english)
        match = re.fullmatch(rf"(?:{BASELINE}|{word}-(?P<times>{NUMBER}))(?:-seed(?P<seed>{NUMBER}))?", name)
        if not match:
            raise self._unknown(name)
        if match["times"] == "0":
            raise InputError(f"{name}: show the sentence at least once; the split without it is called {BASELINE}")
        return _split(name, self, int(match["times"] or 0), int(match["seed"] or 0))

    def asks(self, split: str) -> str:
        if split.startswith(BASELINE):
            return "new sentences"
        return f"{self.new.word.english} in new sentences; seen in one"

    def probes(self) -> list[Example]:
        """The questions about the new and the known word. They need no corpus."""
        return [question.example for question in self.new.questions]

    def read(self, text: str) -> str:
        return normalise(text)

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        return bleu.scores(test, answers)

    @cached_property
    def _text(self) -> _Text:
        if self._corpus == BUILT_IN:
            return _Text(language(SYNTHETIC).commands(), "synthetic sentences that a small grammar generates")
        tatoeba = bool(TATOEBA_NAME.fullmatch(self._corpus))
        path = self._path or (locate(ENG_FRA) if tatoeba else None)
        if path is None:
            place = f" (no file {Path(self._corpus).absolute()})" if self._corpus else ""
            problem = f"there is no corpus called {self._corpus!r}{place}"
            if self._corpus in shipped():
                problem = f"{self._corpus} is a grammar"
            raise InputError(f"{problem}; give {TATOEBA}, {BUILT_IN}, or a file of tab-separated sentence pairs")
        text = _read(path, _stamp(path), tatoeba)
        if tatoeba and self._corpus not in (TATOEBA, text.release):
            raise InputError(
                f"{self._corpus} is not on this machine, which has {text.release}; fetch or name the other one"
            )
        return text


def condition(new: NewWord, times: int | str) -> str:
    """The name of the split that shows the new word so often: daxy-1000."""
    return f"{new.word.english}-{times}"


@lru_cache(maxsize=64)
def _split(name: str, dataset: SentencePairs, times: int, seed: int) -> Split:
    sentences = dict.fromkeys(pair.command for pair in dataset.pairs)
    order = drawn([Example(sentence, ()) for sentence in sentences], f"{BASELINE}-seed{seed}")
    held_out = {example.command for example in order[: max(1, len(order) // TENTH)]}
    train = Counter(pair for pair in dataset.pairs if pair.command not in held_out)
    test = tuple(pair for pair in dataset.pairs if pair.command in held_out)
    if times:
        train[dataset.new.taught] += times
    return Split(name, "seed", tuple(train), tuple(train.values()), {TEST: test})


def sentence_pairs(name: str) -> SentencePairs:
    """The pairs of that name; read again when their file has changed."""
    corpus, *_ = name.split(MARK)
    path = None
    with suppress(InputError):  # said again when the pairs are needed
        path = find(ENG_FRA) if TATOEBA_NAME.fullmatch(corpus) else existing(corpus)
    return _cached(name, path, path and _stamp(path))


@lru_cache(maxsize=16)
def _cached(name: str, path: Path | None, stamp: tuple[int, int] | None) -> SentencePairs:
    return SentencePairs(name, path)


def is_pairs_name(name: str) -> bool:
    """Whether a name means sentence pairs, whatever is on this machine."""
    return MARK in name or name == BUILT_IN or bool(TATOEBA_NAME.fullmatch(name)) or name.endswith(".tsv")


def is_pairs_file(path: Path) -> bool:
    """Whether a file or a folder has sentence pairs in it, by a look at its beginning."""
    if path.is_dir():
        return (path / FILE).exists()
    with path.open("rb") as file:
        return b"\t" in file.readline(10_000) or archived(path)


def _stamp(path: Path) -> tuple[object, ...]:
    return stamp(path / FILE if (path / FILE).exists() else path)


@lru_cache(maxsize=4)  # names with other new words share it
def _read(path: Path, stamp: object, tatoeba: bool) -> _Text:
    """What is in a file, or in fra.txt of a folder or archive."""
    file: Folder = path
    called, about = ENG_FRA.name if tatoeba else str(path), ""
    with ExitStack() as stack:
        if path.is_dir() or archived(path):
            folder = stack.enter_context(opened(path, FILE))
            file, called = folder / FILE, f"{FILE} of {called}"
            about = (folder / ABOUT).read_bytes().decode(errors="replace") if (folder / ABOUT).is_file() else ""
        stream = stack.enter_context(file.open("rb"))
        digest = file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type] # a stream of bytes
        stream.seek(0)
        pairs = read_pairs(stream, called)
    if not tatoeba:
        return _Text(pairs, f"{path}, sha256 {digest[:8]}")
    papers = digest == ENG_FRA.digest
    date = DATE if papers else next(iter(re.findall(r"\b\d{4}-\d\d-\d\d\b", about)), "undated")
    whose = "the paper's" if papers else "not the paper's"
    about = f"Tatoeba, release of {date}, sha256 {digest[:8]}, {whose}"
    return _Text(pairs, about, f"{TATOEBA}-{date}-{digest[:8]}")


def read_pairs(file: IO[bytes], called: str) -> tuple[Example, ...]:
    """The pairs that pass the paper's filter, in the file's order. Only these are held in memory."""
    lines = rows(file, called, "an English sentence", "a French sentence")
    pairs = tuple(pair for english, french, *_ in lines if (pair := _pair(english, french)))
    if not pairs:
        raise InputError(
            f"{called} has no pair of at most {MOST_TOKENS} tokens a side whose English begins with 'I am', 'he is', …"
        )
    return pairs


def _pair(english: str, french: str) -> Example | None:
    """The sentences as the paper writes them; None if the filter drops them."""
    command = normalise(english)
    if not command.startswith(STARTS) or command.count(" ") >= MOST_TOKENS:
        return None
    actions = tuple(normalise(french).split())
    return Example(command, actions) if 0 < len(actions) <= MOST_TOKENS else None
