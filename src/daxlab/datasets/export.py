"""Write splits as files for other programs: the release's lines, TSV, JSONL or Parquet. All files or none.

Beside Parquet lies a dataset card, a README.md by which Hugging Face's `datasets` loads the folder.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

from daxlab.atomic import atomic_file
from daxlab.card import card
from daxlab.datasets.core import DEV, Dataset, Split
from daxlab.datasets.folder import TRAIN
from daxlab.datasets.release import MCD, MCD_NAMES, line
from daxlab.errors import InputError, nearest
from daxlab.languages import Example
from daxlab.units import counted

SUFFIX = {"scan": ".txt", "tsv": ".tsv", "jsonl": ".jsonl", "parquet": ".parquet"}  # by format
CARD = "README.md"
WRITER = "Written by `daxlab data export`"  # what a card of ours has in it
COLUMNS = {
    "command": "the input",
    "actions": "the output, its symbols separated by blanks",
    "category": "of a test example, where the data has such",
    "weight": "how often training presents the example; 1 in a test set",
}

Weighted = Iterable[tuple[Example, int]]


def export(data: Dataset, splits: Sequence[Split], folder: Path, form: str) -> list[Path]:
    """Write the training set and every test set into a folder; of several splits, into a folder for each.

    A split that is written as TSV can be read back as a dataset.
    """
    if form not in SUFFIX:
        raise InputError(f"no format is called {form!r}; {nearest(form, SUFFIX)}")
    places = {_place(split) if len(splits) > 1 else ".": split for split in splits}
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


def _place(split: Split) -> str:
    """The name of a split as a folder has it, and a configuration on Hugging Face.

    >>> _place(Split("release/simple_split/simple", "file", (), (), {}))
    'release-simple_split-simple'
    """
    return re.sub(r"[^\w.-]", "-", split.name)


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
    *columns, _ = _columns(categories)
    rows = [((e.command, " ".join(e.actions), e.category)[: len(columns)], weight) for e, weight in examples]
    if form == "tsv":
        return "".join(("\t".join(row) + "\n") * weight for row, weight in rows).encode()
    table = [dict(zip((*columns, "weight"), (*row, weight), strict=True)) for row, weight in rows]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table).encode()
    import polars  # slow to load

    file = BytesIO()
    polars.DataFrame(table).write_parquet(file)
    return file.getvalue()


def _columns(categories: bool) -> list[str]:
    return [name for name in COLUMNS if categories or name != "category"]


def dataset_card(data: Dataset, splits: Mapping[str, Split]) -> bytes:
    """The card of splits as Parquet, each in the folder by its name, or all of one split in "."."""
    configurations = [_configuration(place, split) for place, split in splits.items()]
    front: dict[str, Any] = {"license": data.license} if data.license else {}
    front |= {"pretty_name": data.name, "tags": ["compositional-generalization", "daxlab"]}
    front["configs"] = [{name: part[name] for name in ("config_name", "data_files")} for part in configurations]
    front["dataset_info"] = [
        {name: part[name] for name in ("config_name", "features", "splits")} for part in configurations
    ]
    categories = any(split.has_categories for split in splits.values())
    rows = [
        f"| `{_place(split)}` | {split.presentations:,} | {len(split.train):,} | "
        + ", ".join(f"{name} {len(test):,}" for name, test in split.tests.items())
        + f" | `{split.digest[:12]}` |"
        for split in splits.values()
    ]
    first = _place(next(iter(splits.values())))
    text = f"""# {data.name}: {", ".join(split.name for split in splits.values())}

{data.about}.

| split | training, with repetitions | distinct | test sets | sha256 |
|---|--:|--:|---|---|
{chr(10).join(rows)}

{chr(10).join(f"- `{name}`: {COLUMNS[name]}" for name in _columns(categories))}

```python
from datasets import load_dataset

load_dataset("path/to/this/folder", "{first}")
```

{chr(10).join(_origin(data, splits.values()))}
{WRITER} ({counted(len(splits), "split")}; sha256 is of a split's content, as daxlab computes it).
"""
    return card(front, text)


def _configuration(place: str, split: Split) -> dict[str, Any]:
    """What `datasets` needs to know of a split: its files, columns and sizes."""
    sets = {re.sub(r"\W", "_", name): (name, len(list(examples))) for name, examples in _sets(split).items()}
    if len(sets) <= len(split.tests):
        names = ", ".join(split.tests)
        raise InputError(
            f"two test sets have the same name for Hugging Face, where only letters count ({names}); rename one"
        )
    folder = "" if place == "." else f"{place}/"
    return {
        "config_name": _place(split),
        "data_files": [{"split": side, "path": f"{folder}{name}.parquet"} for side, (name, _) in sets.items()],
        "features": [
            {"name": name, "dtype": "int64" if name == "weight" else "string"}
            for name in _columns(split.has_categories)
        ],
        "splits": [{"name": side, "num_examples": size} for side, (_, size) in sets.items()],
    }


def _origin(data: Dataset, splits: Iterable[Split]) -> list[str]:
    """Licence and source, as far as they are known."""
    lines = [
        f"Licence: {data.license}." if data.license else "Licence: not known to daxlab; add it before you publish."
    ]
    if data.source:
        lines.append(f"Source: {data.source}")
    if any(split.name in MCD_NAMES for split in splits):
        lines.append(f"Which commands are in mcd1, mcd2 and mcd3 is from Keysers et al. (2020): {MCD.url}")
    return [line + "\n" for line in lines]
