"""What rules cannot generate: published draws and corpora, found, fetched, checked and parsed.

Resolves every name of a language (a grammar, or pairs of sentences) and of a split: a bare name is our rule or our
seeded draw, `release/…` is the release's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import overload

from daxlab.datasets.pairs import Pairs
from daxlab.datasets.release import MCD, NAMES, PREFIX, SCAN, release_sizes, release_split
from daxlab.datasets.rules import Determined, Split, make, names
from daxlab.datasets.rules import named_commands as of_grammar
from daxlab.datasets.source import Corpus, Fetched, fetch, find
from daxlab.datasets.translation import (
    ENG_FRA,
    is_translation,
    new_word,
    translation,
    translation_split,
    translation_splits,
)
from daxlab.errors import InputError
from daxlab.languages import Example, Language
from daxlab.languages import language as grammatical

CORPORA = {corpus.name: corpus for corpus in (SCAN, MCD, ENG_FRA)}

__all__ = [
    "CORPORA",
    "AnyLanguage",
    "Corpus",
    "Fetched",
    "Sizes",
    "fetch",
    "find",
    "is_translation",
    "language",
    "named_commands",
    "sizes",
    "split",
    "split_names",
]

AnyLanguage = Language | Pairs


@overload
def language(name: str, names: str) -> Language: ...
@overload
def language(name: str) -> AnyLanguage: ...
def language(name: str, names: str | None = None) -> AnyLanguage:
    """A language by its name ("scan", "scan-dax", "tatoeba") or from a file: a grammar, or pairs of sentences.

    `names` is how a grammar's actions are written: "release" (I_JUMP, I_TURN_LEFT) or "paper" (JUMP, LTURN).
    """
    if not is_translation(name):
        return grammatical(name, names or "release")
    if names is not None:
        raise InputError(f"{name} is sentence pairs, not a grammar; 'daxlab predict' asks a network that learned them")
    return translation(name)


def named_commands(name: str) -> list[Example]:
    """The commands that are looked at one by one: primitives and each twice; the sentences of a new word.

    The latter are in the language's name, so that the corpus need not be here.
    """
    if is_translation(name):
        return [question.example for question in new_word(name).questions]
    return of_grammar(grammatical(name))


def split(name: str, language: str | AnyLanguage = "scan") -> Split:
    """The split of that name: train, test, and how often each training command is presented.

    The language is a name, a file or a language; published splits are of SCAN only.
    """
    lang = _load(language) if isinstance(language, str) else language
    if isinstance(lang, Pairs):
        found = translation_split(name, lang)
    else:
        found = make(name, lang)
        if found is None and _published(lang):
            found = release_split(name)
    if found is None:
        raise InputError(f"{lang.name} has no split called {name!r}; {_advice(name, lang)}")
    return found


_load = language  # where a parameter has its name


def _published(lang: AnyLanguage) -> bool:
    return isinstance(lang, Language) and lang.name == "scan" and lang.names == "release"


def split_names(lang: AnyLanguage) -> list[str]:
    """The splits of a language; of families without end, the members that the paper and the release have."""
    if isinstance(lang, Pairs):
        return translation_splits(lang)
    return [*names(lang), *(NAMES if _published(lang) else ())]


@dataclass(frozen=True)
class Sizes:
    """A line of the list of splits; sizes are None where the file is not here."""

    name: str
    determined: Determined
    train: int | None = None  # presentations, as the release's files write them out
    distinct_train: int | None = None
    test: int | None = None


def sizes(lang: AnyLanguage) -> Iterator[Sizes]:
    """The sizes of every split of a language, in the order of `split_names`."""
    for name in split_names(lang):
        if name.startswith(PREFIX):
            break
        if name in NAMES and (find(SCAN) is None or find(MCD) is None):
            yield Sizes(name, "file")
            continue
        try:
            one = split(name, lang)
        except InputError:  # a language may be too small for some members of a family
            if name in NAMES:
                raise
            continue
        yield Sizes(name, one.determined, one.presentations, len(one.train), len(one.test))
    pairs = [name for name in split_names(lang) if name.startswith(PREFIX)]
    if not pairs or find(SCAN) is None:
        yield from (Sizes(name, "file") for name in pairs)
    else:
        yield from (Sizes(name, "file", *some) for name, some in zip(pairs, release_sizes(pairs), strict=True))


def _advice(name: str, lang: AnyLanguage) -> str:
    if not _published(lang) and name.startswith((PREFIX, "mcd")):
        return "published splits are of scan, with the release's names for actions"
    near = get_close_matches(name, split_names(lang), n=1)
    there = "daxlab data list" if lang.name == "scan" else f"daxlab data list --language {lang.name}"
    return f"did you mean {near[0]!r}?" if near else f"'{there}' shows what there is"
