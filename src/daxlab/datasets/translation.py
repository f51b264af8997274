"""English-French pairs as languages by name, and their splits: for Experiment 4.

tatoeba is the corpus of the paper (Tatoeba sentences, by way of manythings.org), in whatever release is here; built-in
is a small synthetic language for machines without it; a path is anybody's tab-separated pairs. A name may go on with a
new word of one's own in daxy's place, and frames for it: tatoeba#blicky=blickiste#i am X .=je suis X .#she is X .=…

In a ledger, tatoeba is called by its release (tatoeba-2017-09-29-2546838a), so that a result says what it is of.
"""

import re
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from daxlab.datasets.pairs import DAXY, FRAMES, Frame, NewWord, Pairs, Word
from daxlab.datasets.rules import NUMBER, Split, drawn
from daxlab.datasets.sentences import read_pairs, written
from daxlab.datasets.source import CHUNK, Corpus, Files, find, open_corpus
from daxlab.errors import InputError
from daxlab.languages import Example, language
from daxlab.languages.language import shipped

FILE, ABOUT = "fra.txt", "_about.txt"
ENG_FRA = Corpus(
    name="eng-fra",
    files=(FILE,),
    url="https://www.manythings.org/anki/fra-eng.zip",
    digest="2546838ae46e0eac4c02ab7032ea0a02a006074a5340077a36a9444f41e02888",  # the release of 2017-09-29
    exact=False,  # the site now serves newer ones than the paper used
    beside=(ABOUT,),  # has the release's date
    check=lambda files: read_pairs(BytesIO(files[FILE]), FILE),
)
DATE = "2017-09-29"
TATOEBA, BUILT_IN = "tatoeba", "built-in"
SYNTHETIC = "synthetic-french"  # the grammar that the built-in pairs are of
PAPER = f"{TATOEBA}-{DATE}-{ENG_FRA.digest[:8]}"  # what the paper's pairs are called here
# Of the paper's pairs with daxy, whatever file they were read from.
PAPER_DIGEST = "ba5b77787d405de149a27976e5dc028b5ed1fca91130a248124a63bcd3b11fac"
RELEASED = re.compile(rf"{TATOEBA}-(?P<date>.+)-(?P<digest>[0-9a-f]{{8}})")
MARK = "#"

BASELINE = "translation"
SHARE = 10  # one in so many English sentences is kept for the test
TIMES = (1000, 100, 10, 1)  # how often the paper shows the sentence with the new word


def is_translation(name: str) -> bool:
    """Whether a language's name means pairs of sentences. Looks at the file, if it is a path that could be either."""
    base = _corpus(name)
    if base in shipped() or name.endswith(".grammar"):
        return False
    if MARK in name or base in (TATOEBA, BUILT_IN) or RELEASED.fullmatch(base) or base.endswith(".tsv"):
        return True
    path = Path(base)
    if path.is_dir():
        return (path / FILE).exists()
    if not path.is_file() or path.suffix == ".grammar":
        return False
    with path.open("rb") as file:
        first = file.readline(10_000)
    return b"\t" in first or zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


def _corpus(name: str) -> str:
    """What a name has before its new word."""
    base, *_ = name.split(MARK)
    return str(Path(base).expanduser()) if base.startswith("~/") else base


def new_word(name: str) -> NewWord:
    """The new word that a language's name has after its corpus: daxy, in the paper's frames, unless it says another."""
    _, *parts = name.split(MARK)
    return NewWord(Word.of(parts[0]) if parts else DAXY, tuple(map(Frame.of, parts[1:])) or FRAMES)


def named(corpus: str, word: str | None = None, frames: list[str] | None = None) -> str:
    """The name of a corpus with a new word; word and frames are read as the corpus is, in any spelling."""
    if word is None and not frames:
        return corpus
    new = DAXY if word is None else Word.of(_spelt(word))
    return MARK.join([corpus, str(new), *(str(Frame.of(_spelt(one))) for one in frames or [])])


def _spelt(text: str) -> str:
    """As the corpus is written, the places X, Y, Z and the signs = | / as they are."""
    parts = re.split(r"(\b[XYZ]\b|[=|/])", text)
    joined = " ".join(part if n % 2 else written(part) for n, part in enumerate(parts))
    return re.sub(r" *([=|/]) *", r"\1", joined).strip()


def translation(name: str) -> Pairs:
    """The pairs of that name (see above)."""
    _, mark, rest = name.partition(MARK)
    new, base = new_word(name), _corpus(name)
    if base == BUILT_IN:
        return _built_in(name, new)
    if base != TATOEBA and not RELEASED.fullmatch(base):
        path, how = Path(base), f"give {TATOEBA}, {BUILT_IN}, or a file of tab-separated sentence pairs"
        if base in shipped() or path.suffix == ".grammar":
            raise InputError(f"{base} is a grammar; {how}")
        if not base or not path.exists():
            looked = f" (no file {path.absolute()})" if base else ""
            raise InputError(f"there is no corpus called {base!r}{looked}; {how}")
        pairs, found, _ = _read(path, _stamp(path), str(path))
        return _made(name, pairs, new, f"{path}, sha256 {found[:8]}")
    place = find(ENG_FRA)
    if place is None:
        open_corpus(ENG_FRA)  # says what to do
    assert place is not None
    pairs, found, date = _read(place, _stamp(place), ENG_FRA.name)
    here = f"{TATOEBA}-{date}-{found[:8]}"
    if base not in (TATOEBA, here):
        raise InputError(f"{base} is asked for, and the release that is here is {here}; fetch or name the other one")
    ours = "the paper's" if found == ENG_FRA.digest else "not the paper's"
    return _made(here + mark + rest, pairs, new, f"Tatoeba, release of {date}, sha256 {found[:8]}, {ours}")


@lru_cache(maxsize=16)
def _made(name: str, pairs: tuple[Example, ...], new: NewWord, about: str) -> Pairs:
    return Pairs(name, pairs, new, about)


@lru_cache(maxsize=16)
def _built_in(name: str, new: NewWord) -> Pairs:
    return Pairs(name, language(SYNTHETIC).commands(), new, "synthetic sentences that a small grammar generates")


def _stamp(path: Path) -> tuple[int, int]:
    """So that a file that changes is read anew."""
    found = path / FILE if path.is_dir() and (path / FILE).exists() else path
    return found.stat().st_mtime_ns, found.stat().st_size


@lru_cache(maxsize=4)
def _read(path: Path, stamp: tuple[int, int], called: str) -> tuple[tuple[Example, ...], str, str]:
    """The pairs of a file, or of fra.txt in a folder or archive; the corpus's sha256; the release's date."""
    with _opened(path) as (file, about):
        hashed = _Hashed(file)
        pairs = read_pairs(hashed, f"{FILE} of {called}" if about is not None else called)  # type: ignore[arg-type]
        found = hashed.digest()
    dates = re.findall(r"\b\d{4}-\d\d-\d\d\b", (about or b"").decode(errors="replace"))
    return pairs, found, DATE if found == ENG_FRA.digest else dates[0] if dates else "undated"


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, bytes | None]]:
    """The text, and what the archive says about itself; None for a file of pairs alone."""
    if path.is_dir() or zipfile.is_zipfile(path) or tarfile.is_tarfile(path):
        with Files(path, FILE) as files, files.opened(FILE) as file:
            yield file, files.read(ABOUT) or b""
    else:
        with path.open("rb") as file:
            yield file, None


class _Hashed:
    """Lines of a file, hashed as they are read."""

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


# Splits.


def translation_splits(lang: Pairs) -> list[str]:
    """The names of the paper's conditions."""
    return [BASELINE, *(condition(lang.new, times) for times in TIMES)]


def condition(new: NewWord, times: int) -> str:
    """daxy-1000: the split with the sentence that teaches the new word so many times."""
    return f"{new.word.english}-{times}"


@lru_cache(maxsize=64)
def translation_split(name: str, lang: Pairs) -> Split | None:
    """`translation`, or with the new word so often `daxy-1000`; `-seed3` after it is another draw of the test set.

    A tenth of the distinct English sentences is for the test with all their French ones, so that none is on both sides.
    A pair that the corpus has twice is presented twice as often.
    """
    word = re.escape(lang.new.word.english)
    match = re.fullmatch(rf"(?:{BASELINE}|{word}-(?P<times>{NUMBER}))(?:-seed(?P<seed>{NUMBER}))?", name)
    if not match:
        return None
    times, seed = int(match["times"] or 0), int(match["seed"] or 0)
    if match["times"] == "0":
        raise InputError(f"{name}: the sentence is shown once at least; without it the split is called {BASELINE}")
    sentences = list(dict.fromkeys(pair.command for pair in lang.pairs))
    order = drawn([Example(sentence, ()) for sentence in sentences], f"{BASELINE}-seed{seed}")
    held = {example.command for example in order[: max(1, len(order) // SHARE)]}
    train = Counter(pair for pair in lang.pairs if pair.command not in held)
    test = tuple(pair for pair in lang.pairs if pair.command in held)
    if times:
        train[lang.new.taught] += times
    return Split(name, "seed", tuple(train), test, tuple(train.values()))
