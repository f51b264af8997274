"""Write splits as files for other programs: the release's lines, TSV, JSONL or Parquet. All files or none.

Beside Parquet lies a dataset card, a README.md by which Hugging Face's `datasets` loads the folder.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

from daxlab.atomic import atomic_file
from daxlab.datasets.core import DEV, Dataset, Split
from daxlab.datasets.dataset_card import WRITER, columns, configuration, dataset_card
from daxlab.datasets.folder import TRAIN
from daxlab.datasets.release import line
from daxlab.errors import InputError, nearest
from daxlab.languages import Example

SUFFIX = {"scan": ".txt", "tsv": ".tsv", "jsonl": ".jsonl", "parquet": ".parquet"}  # by format
CARD = "README.md"

Weighted = Iterable[tuple[Example, int]]


def export(data: Dataset, splits: Sequence[Split], folder: Path, form: str) -> list[Path]:
    """Write the training set and every test set into a folder; of several splits, into a folder for each.

    A split that is written as TSV can be read back as a dataset.
    """
    if form not in SUFFIX:
        raise InputError(f"no format is called {form!r}; {nearest(form, SUFFIX)}")
    places = {configuration(split) if len(splits) > 1 else ".": split for split in splits}
    contents = {
        folder / place / f"{name}{SUFFIX[form]}": content(examples, form, split.has_categories)
        for place, split in places.items()
        for name, examples in _sets(split).items()
    }
    for place in places:
        _prepare(folder / place, form, contents)
    if form == "parquet":
        if (folder / CARD).exists() and WRITER not in (folder / CARD).read_text(errors="replace"):
            raise InputError(f"{folder / CARD} is not a card that daxlab wrote; export into another folder")
        contents[folder / CARD] = dataset_card(data, places)
    _write(contents, folder)
    for place in places:
        stale = folder / place / f"{DEV}{SUFFIX[form]}"
        if stale not in contents:
            stale.unlink(missing_ok=True)
    return list(contents)


def _sets(split: Split) -> dict[str, Weighted]:
    """The training set and the test sets by name."""
    tests = {name: [(example, 1) for example in test] for name, test in split.tests.items()}
    return {TRAIN: list(zip(split.train, split.weights, strict=True)), **tests}


def _prepare(folder: Path, form: str, contents: Iterable[Path]) -> None:
    """Make a folder; an error if something in it would be taken for a part of the split."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from None
    stale = folder / f"{DEV}{SUFFIX[form]}"  # of a split that was exported here before
    others = {path for path in folder.glob("*.tsv") if form == "tsv"} - {stale, *contents}
    if others:
        raise InputError(f"{min(others)} would be read as a test set of this split; export into an empty folder")


def _write(contents: dict[Path, bytes], folder: Path) -> None:
    """Write all files, then replace the old ones."""
    replacing = False
    try:
        with ExitStack() as drafts:
            for path, data in contents.items():
                if path.is_dir():
                    raise InputError(f"{path.name} is a folder")
                drafts.enter_context(atomic_file(path)).write_bytes(data)
            replacing = True
    except InputError as error:
        state = "some files were replaced already" if replacing else "nothing was changed there"
        raise InputError(f"cannot write to {folder}: {error}; {state}") from None


def content(examples: Weighted, form: str, categories: bool) -> bytes:
    """A file with these examples."""
    if form == "scan":  # a line for each presentation
        return "".join(f"{line(example)}\n" * weight for example, weight in examples).encode()
    *names, _ = columns(categories)
    rows = [((e.command, " ".join(e.actions), e.category)[: len(names)], weight) for e, weight in examples]
    if form == "tsv":
        return "".join(("\t".join(row) + "\n") * weight for row, weight in rows).encode()
    table = [dict(zip((*names, "weight"), (*row, weight), strict=True)) for row, weight in rows]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table).encode()
    import polars  # slow to load

    file = BytesIO()
    polars.DataFrame(table).write_parquet(file)
    return file.getvalue()
