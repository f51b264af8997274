"""Sentence pairs: written as the paper's preprocessing leaves them, filtered as it does, refused by line number."""

import io
import tracemalloc

import pytest

from daxlab import Example, InputError
from daxlab.datasets.new_word import normalise
from daxlab.datasets.translation import read_pairs
from daxlab.datasets.tsv import MOST_BYTES


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Je suis très fatigué !", "je suis tres fatigue !"),
        ("I'm not daxy.", "i m not daxy ."),
        ("Il n'est pas là…", "il n est pas la"),
        ("Ça va?!", "ca va ? !"),
        ("I am 30 years old.", "i am years old ."),
        ("  He's  at   home. ", "he s at home ."),
    ],
)
def test_text_is_lower_case_without_accents_and_other_signs(text: str, plain: str) -> None:
    assert normalise(text) == plain


def pairs(text: str | bytes) -> tuple[Example, ...]:
    return read_pairs(io.BytesIO(text if isinstance(text, bytes) else text.encode()), "mine.tsv")


def test_two_columns_and_three_give_the_same_pairs() -> None:
    two = pairs("I am tired.\tJe suis fatigué.\nI am tired.\tJe suis fatiguée.\n")
    assert two == (
        Example("i am tired .", ("je", "suis", "fatigue", ".")),
        Example("i am tired .", ("je", "suis", "fatiguee", ".")),
    )
    assert pairs("I am tired.\tJe suis fatigué.\tCC-BY 2.0\nI am tired.\tJe suis fatiguée.\t\n") == two
    assert pairs("\ufeffI am tired.\tJe suis fatigué.\r\nI am tired.\tJe suis fatiguée.") == two


@pytest.mark.parametrize(
    ("english", "kept"),
    [
        ("I am here", True),
        ("I'm here", True),
        ("I amble", False),
        ("He isn't here", True),  # the paper's code has no blank after "he is"
        ("He says no", False),
        ("She says no", True),  # nor after "she s"
        ("You aren't here", True),
        ("They're here", True),
        ("It is here", False),
        ("I am one two three four five six seven", True),
        ("I am one two three four five six seven.", False),  # the full stop is a tenth token
    ],
)
def test_short_sentences_that_begin_with_i_am_and_the_like_are_kept(english: str, kept: bool) -> None:
    found = pairs(f"{english}\tbon\nI am the one\tcelui\n")
    assert (len(found) == 2) == kept


def test_the_french_side_has_at_most_nine_tokens_too() -> None:
    long = " ".join(["mot"] * 10)
    assert len(pairs(f"I am a\t{long}\nI am b\t{long[4:]}\n")) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("I am a.\tA.\nI am b.\n", "mine.tsv, line 2: 1 column between tabs"),
        ("I am a.\tA.\tx\ty\n", "line 1: 4 columns"),
        ("I am a.\tA.\n\nI am b.\tB.\n", "line 2: the line is empty"),
        ("I am a.\tA.\n   \n", "line 2: the line is empty"),
        ("I am a.\tA.\n\tB.\n", "line 2: an English sentence is missing"),
        ("I am a.\tA.\nI am b.\t \n", "line 2: a French sentence is missing"),
        (b"I am a.\tA.\nI am b.\t\xe9t\xe9.\n", "line 2: not UTF-8 .byte 0xe9 at position 9"),
        (b"I am a.\tA.\n" + b"x" * (MOST_BYTES + 1), "line 2: longer than 10,000,000 bytes"),
        ("Go.\tVa !\n", "no pair of at most 9 tokens"),
        ("", "no pair of at most 9 tokens"),
    ],
)
def test_what_is_no_pair_is_refused_by_its_line(text: str | bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        pairs(text)


class Endless(io.RawIOBase):
    """A corpus of so many lines that is nowhere in memory."""

    def __init__(self, lines: int) -> None:
        self._left = lines

    def readline(self, size: int | None = -1) -> bytes:
        self._left -= 1
        return b"I am tired.\tJe suis las.\n" if self._left == 0 else b"Nobody is.\tPersonne.\n" * (self._left > 0)


def test_a_large_file_is_read_in_little_memory() -> None:
    tracemalloc.start()
    try:
        found = read_pairs(Endless(30_000), "large.tsv")  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found) == 1
    assert peak < 200_000  # of 630,000 bytes of text
