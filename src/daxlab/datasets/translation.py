"""English-French sentence pairs as a dataset: for Experiment 4.

tatoeba is the corpus of the paper (Tatoeba sentences, published by manythings.org), in whatever release is on this
machine; built-in is a small synthetic language that needs no file; a path is anybody's tab-separated pairs. The name
may add a new word (new_word.py). In a ledger, tatoeba has the name of its release (tatoeba-2017-09-29-2546838a), so
that a result says what it was trained on.

One English sentence may have several French ones. The vocabulary always has the new word, taught or not.
"""

import json
import re
import tarfile
import zipfile
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from daxlab.datasets import bleu
from daxlab.datasets.core import TEST, Dataset, Split
from daxlab.datasets.new_word import MARK, NewWord, new_word, normalise
from daxlab.datasets.rules import NUMBER, drawn
from daxlab.datasets.source import CHUNK, Corpus, Files, existing, find, open_corpus
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
    beside=(ABOUT,),  # has the release's date
    check=lambda files: read_pairs(BytesIO(files[FILE]), FILE),
)
DATE = "2017-09-29"
TATOEBA, BUILT_IN = "tatoeba", "built-in"
SYNTHETIC = "synthetic-french"  # the grammar of the built-in pairs
PAPER = f"{TATOEBA}-{DATE}-{ENG_FRA.digest[:8]}"  # the name of the paper's pairs
# The digest of the paper's pairs with daxy, from whatever file they are read.
PAPER_DIGEST = "ba5b77787d405de149a27976e5dc028b5ed1fca91130a248124a63bcd3b11fac"
RELEASED = re.compile(rf"{TATOEBA}-(?P<date>.+)-(?P<digest>[0-9a-f]{{8}})")

BASELINE = "translation"
TENTH = 10  # one English sentence in ten is kept for the test
TIMES = (1000, 100, 10, 1)  # how often the paper shows the sentence with the new word

# Experiment 4: short sentences that begin so. "she s" has no blank after it, as in the code that the paper names.
STARTS = (
    *("i am ", "i m ", "he is", "he s ", "she is", "she s", "you are", "you re "),
    *("we are", "we re ", "they are", "they re "),
)
FIRST_LETTERS = frozenset(start[0] for start in STARTS)
MOST_TOKENS = 9  # on each side
MOST_BYTES = 100_000  # of a line
MOST_PAIRS = 1_000_000  # that pass the filter
COLUMNS = (2, 3)  # English, French; attribution


class _Content(NamedTuple):
    """What is read from a corpus."""

    name: str
    pairs: tuple[Example, ...]
    about: str


class SentencePairs(Dataset):
    """English sentences with French ones, in the corpus's order. The corpus is read when it is first needed."""

    packages = ("sacrebleu",)
    unit = "sentences"

    def __init__(self, name: str) -> None:
        self._given = name
        self.new: NewWord = new_word(name)

    @property
    def name(self) -> str:
        """The corpus and the new word; tatoeba by the name of its release."""
        return self._content.name if _corpus(self._given) == TATOEBA else self._given

    @property
    def pairs(self) -> tuple[Example, ...]:
        """The pairs, as often as the corpus has them."""
        return self._content.pairs

    @property
    def about(self) -> str:
        """Where the pairs come from."""
        return self._content.about

    @cached_property
    def digest(self) -> str:
        """A sha256 of the pairs and the questions."""
        questions = [(question.word, question.command, question.references) for question in self.new.questions]
        content = ([pair[:2] for pair in self.pairs], self.new.taught[:2], questions)
        return sha256(json.dumps(content).encode()).hexdigest()

    def examples(self) -> Sequence[Example]:
        """The pairs, and the sentences about the new and the known word."""
        return (*self.pairs, self.new.taught, *self.probes())

    def split_names(self) -> list[str]:
        """The baseline, and the paper's conditions."""
        return [BASELINE, *(condition(self.new, times) for times in TIMES)]

    @property
    def families(self) -> str:
        """Other numbers, and other draws of the test set."""
        return f"any {condition(self.new, 'N')}; -seedN after a name draws other test sentences"

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

    def probes(self) -> list[Example]:
        """The questions about the new and the known word. They need no corpus."""
        return [question.example for question in self.new.questions]

    def read(self, text: str) -> str:
        """A sentence in the spelling of the corpus."""
        return normalise(text)

    def scores(self, test: Sequence[Example], answers: Sequence[Sequence[str]]) -> dict[str, float]:
        """BLEU."""
        return bleu.scores(test, answers)

    @cached_property
    def _content(self) -> _Content:
        content = _load(self._given)
        if len({pair.command for pair in content.pairs}) < 2:
            raise InputError(f"{content.name} has fewer than two English sentences to learn from and to ask")
        new = self.new.word.english
        if any(new in pair.command.split() for pair in content.pairs):
            raise InputError(f"{new!r} is no new word: {content.name} has sentences with it")
        return content


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


# Names.


def sentence_pairs(name: str) -> SentencePairs:
    """The pairs of that name; read again when their file has changed."""
    place = _place(_corpus(name))
    return _cached(name, None if place is None else _stamp(place))


@lru_cache(maxsize=16)
def _cached(name: str, stamp: tuple[int, int] | None) -> SentencePairs:
    return SentencePairs(name)


def is_pairs_name(name: str) -> bool:
    """Whether a name means sentence pairs, whatever is on this machine."""
    corpus = _corpus(name)
    return MARK in name or corpus in (TATOEBA, BUILT_IN) or bool(RELEASED.fullmatch(corpus)) or corpus.endswith(".tsv")


def is_pairs_file(path: Path) -> bool:
    """Whether a file or a folder has sentence pairs in it, by a look at its beginning."""
    if path.is_dir():
        return (path / FILE).exists()
    with path.open("rb") as file:
        line = file.readline(10_000)
    return b"\t" in line or zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


def _corpus(name: str) -> str:
    """The part of a name before the new word."""
    return name.split(MARK, 1)[0]


def _place(corpus: str) -> Path | None:
    """Where a corpus is on this machine."""
    if corpus == BUILT_IN:
        return None
    if corpus != TATOEBA and not RELEASED.fullmatch(corpus):
        return existing(corpus)
    try:
        return find(ENG_FRA)
    except InputError:  # said again when the pairs are needed
        return None


def _load(name: str) -> _Content:
    corpus, mark, rest = _corpus(name), *name.partition(MARK)[1:]
    if corpus == BUILT_IN:
        return _Content(name, language(SYNTHETIC).commands(), "synthetic sentences that a small grammar generates")
    if corpus != TATOEBA and not RELEASED.fullmatch(corpus):
        path, choice = existing(corpus), f"give {TATOEBA}, {BUILT_IN}, or a file of tab-separated sentence pairs"
        if corpus in shipped() or corpus.endswith(".grammar"):
            raise InputError(f"{corpus} is a grammar; {choice}")
        if path is None:
            looked = f" (no file {Path(corpus).absolute()})" if corpus else ""
            raise InputError(f"there is no corpus called {corpus!r}{looked}; {choice}")
        pairs, digest, _ = _read(path, _stamp(path), str(path))
        return _Content(name, pairs, f"{path}, sha256 {digest[:8]}")
    place = find(ENG_FRA)
    if place is None:
        open_corpus(ENG_FRA)  # raises, and says what to do
    assert place is not None
    pairs, digest, date = _read(place, _stamp(place), ENG_FRA.name)
    release = f"{TATOEBA}-{date}-{digest[:8]}"
    if corpus not in (TATOEBA, release):
        raise InputError(f"{corpus} is not on this machine, which has {release}; fetch or name the other one")
    whose = "the paper's" if digest == ENG_FRA.digest else "not the paper's"
    return _Content(release + mark + rest, pairs, f"Tatoeba, release of {date}, sha256 {digest[:8]}, {whose}")


# Files.


def _stamp(path: Path) -> tuple[int, int]:
    """Changes when the file does."""
    stat = (path / FILE if path.is_dir() and (path / FILE).exists() else path).stat()
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=4)
def _read(path: Path, stamp: tuple[int, int], called: str) -> tuple[tuple[Example, ...], str, str]:
    """The pairs of a file, or of fra.txt in a folder or archive; the sha256 of the text; the date of the release."""
    with _opened(path) as (file, about):
        hashed = _Hashed(file)
        pairs = read_pairs(hashed, f"{FILE} of {called}" if about is not None else called)  # type: ignore[arg-type]
        digest = hashed.digest()
    dates = re.findall(r"\b\d{4}-\d\d-\d\d\b", (about or b"").decode(errors="replace"))
    return pairs, digest, DATE if digest == ENG_FRA.digest else dates[0] if dates else "undated"


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, bytes | None]]:
    """The text, and what the archive says about itself; None for a plain file."""
    if path.is_dir() or zipfile.is_zipfile(path) or tarfile.is_tarfile(path):
        with Files(path, FILE) as files, files.opened(FILE) as file:
            yield file, files.read(ABOUT) or b""
    else:
        with path.open("rb") as file:
            yield file, None


class _Hashed:
    """The lines of a file, hashed while they are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._hash = file, sha256()

    def readline(self, most: int) -> bytes:
        line = self._file.readline(most)
        self._hash.update(line)
        return line

    def digest(self) -> str:
        while rest := self._file.read(CHUNK):
            self._hash.update(rest)
        return self._hash.hexdigest()


def read_pairs(file: BinaryIO, called: str) -> tuple[Example, ...]:
    """The pairs that pass the paper's filter, in the file's order. Only these are held in memory."""
    pairs = []
    for number, line in _lines(file, called):
        pair = _pair(line, f"{called}, line {number}")
        if pair is not None:
            pairs.append(pair)
        if len(pairs) > MOST_PAIRS:
            raise InputError(f"{called} has more than {MOST_PAIRS:,} pairs that pass the filter; give fewer")
    if not pairs:
        raise InputError(
            f"{called} has no pair of at most {MOST_TOKENS} tokens a side whose English begins with 'I am', 'he is', …"
        )
    return tuple(pairs)


def _lines(file: BinaryIO, called: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(MOST_BYTES + 1):
        number += 1
        if len(line) > MOST_BYTES:
            raise InputError(f"{called}, line {number}: longer than {MOST_BYTES:,} bytes, so not a sentence pair")
        yield number, line.removeprefix(BOM_UTF8) if number == 1 else line


def _pair(line: bytes, place: str) -> Example | None:
    """The pair on a line; None if the filter drops it."""
    try:
        text = line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        wrong = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        raise InputError(f"{place}: not UTF-8 text ({wrong}); save the file as UTF-8") from None
    if not text.strip():
        raise InputError(f"{place}: an empty line; every line is an English and a French sentence with a tab between")
    columns = text.split("\t")
    if len(columns) not in COLUMNS:
        count = f"{len(columns)} column{'s' * (len(columns) > 1)}"
        raise InputError(f"{place}: {count} between tabs, not two (or three, with an attribution)")
    for side, sentence in zip(("English", "French"), columns, strict=False):
        if not sentence.strip():
            raise InputError(f"{place}: the {side} sentence is missing")
    if columns[0].lstrip()[:1].lower() not in FIRST_LETTERS:  # fast: drops most sentences of a large corpus
        return None
    english = normalise(columns[0])
    if not english.startswith(STARTS) or english.count(" ") >= MOST_TOKENS:
        return None
    french = normalise(columns[1])
    if not french or french.count(" ") >= MOST_TOKENS:
        return None
    return Example(english, tuple(french.split()))
