"""What rules cannot generate: published draws and corpora, found, fetched, checked and parsed.

Resolves every name of a split: a bare name is our rule or our seeded draw, `release/…` is the release's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from daxlab.corpora.release import MCD, NAMES, PREFIX, SCAN, release_sizes, release_split
from daxlab.corpora.source import Corpus, Fetched, fetch, find
from daxlab.corpora.translation import ENG_FRA
from daxlab.errors import InputError
from daxlab.languages import Language
from daxlab.languages import language as load
from daxlab.splits import Determined, Split, make, names

CORPORA = {corpus.name: corpus for corpus in (SCAN, MCD, ENG_FRA)}

__all__ = ["CORPORA", "Corpus", "Fetched", "Sizes", "fetch", "find", "sizes", "split", "split_names"]


def split(name: str, language: str | Language = "scan") -> Split:
    """The split of that name: train, test, and how often each training command is presented.

    The language is a name, a grammar file or a Language; published splits are of SCAN only.
    """
    lang = load(language) if isinstance(language, str) else language
    found = make(name, lang)
    if found is None and _published(lang):
        found = release_split(name)
    if found is None:
        raise InputError(f"{lang.name} has no split called {name!r}; {_advice(name, lang)}")
    return found


def _published(lang: Language) -> bool:
    return lang.name == "scan" and lang.names == "release"


def split_names(lang: Language) -> list[str]:
    """The splits of a language; of families without end, the members that the paper and the release have."""
    return [*names(lang), *(NAMES if _published(lang) else ())]


@dataclass(frozen=True)
class Sizes:
    """A line of the list of splits; sizes are None where the file is not here."""

    name: str
    determined: Determined
    train: int | None = None  # presentations, as the release's files write them out
    distinct_train: int | None = None
    test: int | None = None


def sizes(lang: Language) -> Iterator[Sizes]:
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


def _advice(name: str, lang: Language) -> str:
    if not _published(lang) and name.startswith((PREFIX, "mcd")):
        return "published splits are of scan, with the release's names for actions"
    near = get_close_matches(name, split_names(lang), n=1)
    return f"did you mean {near[0]!r}?" if near else "'daxlab data list' shows what there is"
