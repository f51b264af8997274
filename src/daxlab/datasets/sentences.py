"""Sentence pairs out of tab-separated text: read line by line, written as the paper's preprocessing leaves them.

Two columns (English, French), or three (attribution, which newer releases of the corpus have). Only pairs that pass the
filter are held, so that a file of any size is read in little memory. Knows nothing of where the text comes from.
"""

import re
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import BinaryIO

from daxlab.errors import InputError
from daxlab.languages import Example

# Experiment 4: short sentences that begin so. "she s" has no blank after it, as in the code that the paper names.
STARTS = (
    *("i am ", "i m ", "he is", "he s ", "she is", "she s", "you are", "you re "),
    *("we are", "we re ", "they are", "they re "),
)
BEGIN = frozenset(start[0] for start in STARTS)
MOST_TOKENS = 9  # on each side
MOST_BYTES = 100_000  # of a line
MOST_PAIRS = 1_000_000  # that pass the filter
COLUMNS = (2, 3)


def written(text: str) -> str:
    """Lower-case, without accents, a blank before . ! ?, every other sign a blank.

    >>> written("Je suis très fatigué !")
    'je suis tres fatigue !'
    """
    plain = text.lower()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
    return " ".join(re.sub(r"[^a-z.!?]+", " ", re.sub(r"([.!?])", r" \1", plain)).split())


def read_pairs(file: BinaryIO, called: str) -> tuple[Example, ...]:
    """The pairs that pass the filter, in the file's order; a line that is no pair is refused by its number."""
    found = []
    for number, line in _lines(file, called):
        pair = _pair(line, f"{called}, line {number}")
        if pair is not None:
            found.append(pair)
        if len(found) > MOST_PAIRS:
            raise InputError(f"{called} has more than {MOST_PAIRS:,} pairs of the kind that is learned; give fewer")
    if not found:
        raise InputError(
            f"{called} has no pair of at most {MOST_TOKENS} tokens a side whose English begins with 'I am', 'he is', …"
        )
    return tuple(found)


def _lines(file: BinaryIO, called: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(MOST_BYTES + 1):
        number += 1
        if len(line) > MOST_BYTES:
            raise InputError(f"{called}, line {number}: longer than {MOST_BYTES:,} bytes, so no sentence pair")
        yield number, line.removeprefix(BOM_UTF8) if number == 1 else line


def _pair(line: bytes, place: str) -> Example | None:
    """The pair of a line; None if the filter leaves it out."""
    try:
        text = line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        wrong = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
        raise InputError(f"{place}: not UTF-8 text ({wrong}); save the file as UTF-8") from None
    if not text.strip():
        raise InputError(f"{place}: an empty line; every line is an English and a French sentence with a tab between")
    columns = text.split("\t")
    if len(columns) not in COLUMNS:
        found = f"{len(columns)} column{'s' * (len(columns) > 1)}"
        raise InputError(f"{place}: {found} between tabs, not two (or three, with an attribution)")
    for side, sentence in zip(("English", "French"), columns, strict=False):
        if not sentence.strip():
            raise InputError(f"{place}: the {side} sentence is missing")
    if columns[0].lstrip()[:1].lower() not in BEGIN:  # most sentences: a corpus is large
        return None
    english = written(columns[0])
    if not english.startswith(STARTS) or english.count(" ") >= MOST_TOKENS:
        return None
    french = written(columns[1])
    if not french or french.count(" ") >= MOST_TOKENS:
        return None
    return Example(english, tuple(french.split()))
