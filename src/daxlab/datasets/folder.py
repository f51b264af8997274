"""A folder of TSV files as a dataset: train.tsv, and every other .tsv a named test set.

A line has two columns, input and output, or three: the last is a category. There is no header. Tokens are separated by
blanks. COGS's own files are such a folder.
"""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from daxlab.datasets.core import TEST, Dataset, Split
from daxlab.datasets.source import read
from daxlab.errors import InputError, nearest
from daxlab.languages import Example

SUFFIX = ".tsv"
TRAIN = "train"
COLUMNS = (2, 3)  # input, output; category


class FolderDataset(Dataset):
    """Anybody's examples, in files. They are read when they are first needed."""

    unit = "sentences"

    def __init__(self, name: str) -> None:
        self._typed = name
        self._path = Path(name).expanduser()

    @property
    def name(self) -> str:
        """The path as it was typed."""
        return self._typed

    @property
    def about(self) -> str:
        """The path and the sizes."""
        sizes = ", ".join(f"{name} {len(test):,}" for name, test in self._split.tests.items())
        return f"{self._path.absolute()}: {self._split.presentations:,} training examples; test sets: {sizes}"

    @property
    def digest(self) -> str:
        """A sha256 of the examples, in all files."""
        return self._split.digest

    def examples(self) -> Sequence[Example]:
        """The training examples and all test sets."""
        return (*self._split.train, *(example for test in self._split.tests.values() for example in test))

    def split_names(self) -> list[str]:
        """One for each test set: test first, if there is one."""
        return list(self._split.tests)

    def split(self, name: str) -> Split:
        """The training set with all test sets, this one first."""
        tests = self._split.tests
        if name not in tests:
            raise self._unknown(name, "test set", nearest(name, tests))
        return self._splits[name]

    @cached_property
    def _splits(self) -> dict[str, Split]:
        """A split for each test set. They share their content, and so one training."""
        files = self._files()
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

    def _files(self) -> dict[str, Path]:
        files = {path.stem: path for path in tsv_files(self._path)}
        if TRAIN not in files:
            raise InputError(f"{self.name} has no {TRAIN}{SUFFIX}: a folder of TSV files needs one to learn from")
        if len(files) == 1:
            raise InputError(f"{self.name} has no test set: put another {SUFFIX} file beside {TRAIN}{SUFFIX}")
        return files

    def unseen(self, split: Split) -> list[str]:
        """A warning for each input word of a test set that training lacks, in the order of files and lines."""
        shown = {word for example in split.train for word in example.command.split()}
        warnings = []
        for name, test in sorted(split.tests.items()):
            lines: dict[str, list[int]] = {}
            for number, example in enumerate(test, 1):
                for word in sorted(set(example.command.split()) - shown):
                    lines.setdefault(word, []).append(number)
            for word, numbers in lines.items():
                others = f" ({len(numbers):,} lines have it)" if len(numbers) > 1 else ""
                warnings.append(
                    f"{name}{SUFFIX}, line {numbers[0]}: {word!r} never occurs in {TRAIN}{SUFFIX}{others}; "
                    "learners see it as a word they were never trained on"
                )
        return warnings


def tsv_files(folder: Path) -> list[Path]:
    """The TSV files of a folder, by name."""
    try:
        return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise InputError(f"cannot read {folder}: {error.strerror or error}") from None


def folder_dataset(name: str) -> FolderDataset:
    """The dataset in a folder; read again when one of its files has changed."""
    files = tsv_files(Path(name).expanduser())
    stamps = tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files)
    return _cached(name, stamps)


@lru_cache(maxsize=8)
def _cached(name: str, stamps: tuple[tuple[str, int, int], ...]) -> FolderDataset:
    return FolderDataset(name)


def _examples(path: Path) -> Iterator[Example]:
    """The examples of a file; what is not an example is refused with its line number."""
    try:
        content = read(path).removeprefix(BOM_UTF8)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        lines = content.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        position = error.start - content.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{path}, line {number}: not UTF-8 (byte 0x{content[error.start]:02x} at position {position}); "
            "save the file as UTF-8"
        ) from None
    if lines == [""]:
        raise InputError(f"{path} is empty")
    columns = lines[0].count("\t") + 1
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        if len(fields) != columns or columns not in COLUMNS or not fields[0].strip() or not fields[1].strip():
            raise _bad(line, fields, columns, f"{path}, line {number}")
        category = fields[2].strip() if columns == 3 else ""
        yield Example(" ".join(fields[0].split()), tuple(fields[1].split()), category)


def _bad(line: str, fields: list[str], columns: int, place: str) -> InputError:
    """The error for a line that is not an example."""
    if not line.strip():
        return InputError(f"{place}: the line is empty; every line has an input, a tab and an output")
    if len(fields) == 1:
        return InputError(f"{place}: there is no tab; every line has an input, a tab and an output")
    if len(fields) > max(COLUMNS):
        return InputError(f"{place}: {len(fields)} columns, not two or three; is there a tab too many?")
    if not fields[0].strip() or not fields[1].strip():
        return InputError(f"{place}: the {'output' if fields[0].strip() else 'input'} is empty")
    return InputError(f"{place}: {len(fields)} columns, but line 1 has {columns}; is there a tab too many or too few?")
