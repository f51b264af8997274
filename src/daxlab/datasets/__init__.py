"""What can be learned from: grammars, published splits, sentence pairs, folders of TSV files.

`dataset` finds any of them by its name. All keep the contract of core.py.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from daxlab.datasets.core import Dataset as Dataset, Sizes as Sizes, Split as Split
from daxlab.datasets.disguise import PREFIX, disguised
from daxlab.datasets.folder import FolderDataset as FolderDataset, folder_dataset
from daxlab.datasets.grammars import GrammarDataset
from daxlab.datasets.part import PATTERN, part
from daxlab.datasets.release import MCD, SCAN
from daxlab.datasets.source import existing, fetch as fetch, find as find
from daxlab.datasets.translation import (
    BUILT_IN,
    ENG_FRA,
    TATOEBA,
    SentencePairs as SentencePairs,
    is_pairs_file,
    is_pairs_name,
    sentence_pairs as sentence_pairs,
)
from daxlab.errors import InputError, nearest
from daxlab.languages import Language, language as grammar
from daxlab.languages.language import shipped

CORPORA = {corpus.name: corpus for corpus in (SCAN, MCD, ENG_FRA)}


def dataset(name: str) -> Dataset:
    """A dataset by its name: scan, scan-dax, tatoeba, built-in, or the path of a file or folder.

    A file is a grammar, or sentence pairs between tabs; a folder has TSV files, train.tsv among them. disguised:NAME is
    the dataset of that name with made-up words, limit-N:NAME asks N commands of each test set, and dev-tenth:NAME holds
    a tenth of training out.
    """
    if name.startswith(PREFIX):
        return disguised(dataset(name.removeprefix(PREFIX)))
    if match := PATTERN.fullmatch(name):
        return part(dataset(match["whole"]), name.removesuffix(match["whole"]))
    if name in shipped() or name.endswith(".grammar"):
        return _of_grammar(grammar(name))
    if is_pairs_name(name):
        return sentence_pairs(name)
    path = existing(name)
    if path is None:
        hint = nearest(name, [*shipped(), TATOEBA, BUILT_IN])
        place = f", and there is no file or folder {Path(name).absolute()}" if name else ""
        raise InputError(f"no dataset is called {name!r}{place}; {hint}")
    try:
        if is_pairs_file(path):
            return sentence_pairs(name)
        return folder_dataset(name) if path.is_dir() else _of_grammar(grammar(name))
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None


@lru_cache(maxsize=64)
def _of_grammar(language: Language) -> GrammarDataset:
    return GrammarDataset(language)


def language(name: str, names: str = "release") -> Language:
    """A grammar by its name (scan, scan-dax) or from a file.

    `names` is how its actions are written: "release" (I_JUMP, I_TURN_LEFT) or "paper" (JUMP, LTURN).
    """
    is_dataset = name.startswith(PREFIX) or PATTERN.fullmatch(name) or is_pairs_name(name) or existing(name)
    if name not in shipped() and is_dataset and dataset(name).grammar is None:
        raise InputError(f"{name} is not a grammar; 'daxlab predict' asks a learner that was trained on it")
    return grammar(name, names)


def split(name: str, language: str | Language | Dataset = "scan") -> Split:
    """A split of a dataset, which is given by its name, or as a language or dataset."""
    if isinstance(language, str):
        language = dataset(language)
    return (_of_grammar(language) if isinstance(language, Language) else language).split(name)


@dataclass(frozen=True)
class Entry:
    """A line of the list of datasets. A name in capitals stands for a path."""

    name: str
    about: str
    how: str = ""  # how to get it, or to make one
    here: bool = True


def catalogue() -> list[Entry]:
    """What can be learned from, with what is known of it on this machine."""
    missing = {corpus: f"daxlab data fetch {corpus.name}" for corpus in CORPORA.values() if find(corpus) is None}
    published = ", ".join(missing[corpus] for corpus in (SCAN, MCD) if corpus in missing)
    how = {"scan": f"for its published splits: {published}"} if published else {}
    pairs = "English-French sentences of Experiment 4, from the Tatoeba corpus"
    return [
        *(Entry(name, _of_grammar(grammar(name)).about, how.get(name, "")) for name in shipped()),
        Entry(TATOEBA, pairs, missing.get(ENG_FRA, ""), ENG_FRA not in missing),
        Entry(BUILT_IN, "synthetic English-French sentences"),
        Entry("FILE.grammar", "a grammar of your own", "write one: docs/your-data.md"),
        Entry("FILE.tsv", "English-French sentences of your own", "a pair on each line, with a tab between"),
        Entry("FOLDER", "examples of your own, or COGS", "train.tsv and other .tsv: input, output, category"),
        Entry(
            f"{PREFIX}NAME", "any of these with made-up words, which no learner knows beforehand", f"{PREFIX}scan, say"
        ),
        Entry("limit-N:NAME", "any of these, with at most N commands of each test set asked", "limit-500:scan, say"),
        Entry("dev-tenth:NAME", "any of these, with a tenth of training held out", "dev-tenth:scan, say"),
    ]
