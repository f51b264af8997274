"""A folder of TSV files as a dataset: train.tsv, and every other .tsv a named test set.

A line has two columns, input and output, or three: the last is a category. There is no header. Tokens are separated by
blanks. COGS's own files are such a folder.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations, islice
from pathlib import Path

from daxlab.datasets.core import TEST, Dataset, Split
from daxlab.datasets.source import stamp
from daxlab.datasets.tsv import rows
from daxlab.errors import InputError, nearest
from daxlab.languages import Example

SUFFIX = ".tsv"
TRAIN = "train"
MOST_TRIED = 50  # sets of files, of each size, that may be new
# What columns are called. A first line of such names is a header, which would be learned as an example.
UNSEEN = {
    "input": "learners see it as a word they were never trained on",
    "output": "only a learner that copies its input can answer with it",
}
NAMES = {"input", "output", "command", "commands", "action", "actions", "source", "target", "sentence", "category"}


class FolderDataset(Dataset):
    """Anybody's examples, in files. They are read when they are first needed."""

    unit = "sentences"

    def __init__(self, name: str) -> None:
        self._typed = name
        self._path = Path(name).expanduser()

    @property
    def name(self) -> str:
        return self._typed

    @property
    def about(self) -> str:
        sizes = ", ".join(f"{name} {len(test):,}" for name, test in self._split.tests.items())
        return f"{self._path.absolute()}: {self._split.presentations:,} training examples; test sets: {sizes}"

    @property
    def digest(self) -> str:
        return self._split.digest

    def examples(self) -> Sequence[Example]:
        return (*self._split.train, *(example for test in self._split.tests.values() for example in test))

    def split_names(self) -> list[str]:
        """One for each test set: test first, if there is one."""
        return list(self._splits)

    def split(self, name: str) -> Split:
        """The training set with all test sets, this one first."""
        if name not in self._splits:
            raise self._unknown(name, "test set", nearest(name, self._splits))
        return self._splits[name]

    @cached_property
    def _splits(self) -> dict[str, Split]:
        """A split for each test set. They share their content, and so one training."""
        files = {path.stem: path for path in tsv_files(self._path)}
        if TRAIN not in files:
            raise InputError(f"{self.name} has no {TRAIN}{SUFFIX}: a folder of TSV files needs one to learn from")
        if len(files) == 1:
            raise InputError(f"{self.name} has no test set: put another {SUFFIX} file beside {TRAIN}{SUFFIX}")
        train = Counter(_examples(files.pop(TRAIN)))
        names = sorted(files, key=lambda name: (name != TEST, name))
        tests = {name: tuple(_examples(files[name])) for name in names}
        return {
            name: Split(name, "file", tuple(train), tuple(train.values()), {name: tests[name], **tests})
            for name in names
        }

    @property
    def _split(self) -> Split:
        return next(iter(self._splits.values()))

    def changed_since(self, digest: str) -> str:
        """Which test sets are new, if the folder is as it was but for these."""
        tests = self._split.tests
        for count in range(1, len(tests)):
            for new in islice(combinations(tests, count), MOST_TRIED):
                rest = {name: test for name, test in tests.items() if name not in new}
                if replace(self._split, tests=rest).digest == digest:
                    files, are = ", ".join(f"{name}{SUFFIX}" for name in new), "is" if count == 1 else "are"
                    return f"{files} {are} new: move {'it' if count == 1 else 'them'} elsewhere, or train again"
        return ""

    def warnings(self, split: Split) -> list[str]:
        """Lines of a file that contradict each other, then each word of a test set that training lacks."""
        files = [TRAIN, *sorted(split.tests)]
        return [*(warning for name in files for warning in self._contradictions(name)), *self._unseen(split)]

    def _contradictions(self, name: str) -> Iterator[str]:
        first: dict[str, tuple[int, tuple[str, ...]]] = {}  # input -> its first line, and the output there
        for number, example in enumerate(_examples(self._path / f"{name}{SUFFIX}"), 1):
            line, actions = first.setdefault(example.command, (number, example.actions))
            if example.actions != actions:
                other = f"{example.command!r} has another output than on line {line}"
                yield f"{name}{SUFFIX}, line {number}: {other}; a learner can give only one of them"

    def _unseen(self, split: Split) -> list[str]:
        shown = set[tuple[str, str]]().union(*map(_words, split.train))
        lines: dict[tuple[str, str, str], int] = {}  # (test set, side, word) -> where it first occurs
        for name, test in sorted(split.tests.items()):
            for number, example in enumerate(test, 1):
                for side, word in sorted(_words(example) - shown):
                    lines.setdefault((name, side, word), number)
        return [
            f"{name}{SUFFIX}, line {number}: {word!r} never occurs in the {side}s of {TRAIN}{SUFFIX}; {UNSEEN[side]}"
            for (name, side, word), number in lines.items()
        ]


def _words(example: Example) -> set[tuple[str, str]]:
    """Its words, each with the side that it stands on."""
    return {("input", word) for word in example.command.split()} | {("output", word) for word in example.actions}


def tsv_files(folder: Path) -> list[Path]:
    """The TSV files of a folder, by name."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file() and not path.name.startswith("."))


def folder_dataset(name: str) -> FolderDataset:
    """The dataset in a folder; read again when one of its files has changed."""
    return _cached(name, stamp(*tsv_files(Path(name).expanduser())))


@lru_cache(maxsize=8)
def _cached(name: str, stamp: object) -> FolderDataset:
    return FolderDataset(name)


def _examples(path: Path) -> list[Example]:
    """The examples of a file; what is not an example is refused with its line number."""
    try:
        with path.open("rb") as file:
            table = list(rows(file, str(path), "an input", "an output"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    if not table:
        raise InputError(f"{path} is empty")
    for number, fields in enumerate(table, 1):
        if len(fields) != len(table[0]):
            counts = f"{len(fields)} columns, but line 1 has {len(table[0])}"
            raise InputError(f"{path}, line {number}: {counts}; is there a tab too many or too few?")
    examples = [Example(" ".join(row[0].split()), tuple(row[1].split()), "".join(row[2:]).strip()) for row in table]
    first, *others = examples
    names = {field.strip().lower() for field in table[0]}
    if names <= NAMES and not any(first.command in example.command.split() for example in others):
        raise InputError(f"{path}, line 1 has the names of columns, not an example; delete the line")
    return examples
