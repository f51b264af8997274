"""The README.md beside exported Parquet files, by which Hugging Face's `datasets` loads them. Writes nothing."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from daxlab.card import card
from daxlab.datasets.core import Dataset, Split
from daxlab.datasets.folder import TRAIN
from daxlab.datasets.release import MCD, MCD_NAMES
from daxlab.errors import InputError

WRITER = "Written by `daxlab data export`"  # every card has this line in it
COLUMNS = {
    "command": "the input",
    "actions": "the output, its symbols separated by blanks",
    "category": "of a test example, where the data has such",
    "weight": "how often training presents the example; 1 in a test set",
}


def columns(categories: bool) -> list[str]:
    """The columns of an exported file."""
    return [name for name in COLUMNS if categories or name != "category"]


def configuration(split: Split) -> str:
    """The name of a split where a slash cannot be in it: as a folder, and as a configuration on Hugging Face.

    >>> configuration(Split("release/simple_split/simple", "file", (), (), {}))
    'release-simple_split-simple'
    """
    return re.sub(r"[^\w.-]", "-", split.name)


def repository(data: Dataset) -> str:
    """What a dataset can be called on Hugging Face: of one's own file or folder, its name without the path."""
    return re.sub(r"[^\w.-]", "-", Path(data.name).name)


def dataset_card(data: Dataset, splits: Mapping[str, Split]) -> bytes:
    """The card of splits, each in the folder by that name."""
    front: dict[str, Any] = {"license": data.license} if data.license else {}
    front |= {"pretty_name": repository(data), "tags": ["compositional-generalization", "daxlab"]}
    front["configs"] = [
        {"config_name": configuration(split), "data_files": _files(folder, split)} for folder, split in splits.items()
    ]
    front["dataset_info"] = [
        {"config_name": configuration(split), "features": _features(split)} for split in splits.values()
    ]
    rows = [
        f"| `{configuration(split)}` | {split.presentations:,} | {len(split.train):,} | "
        + ", ".join(f"{name} {len(test):,}" for name, test in split.tests.items())
        + f" | `{split.digest[:12]}` |"
        for split in splits.values()
    ]
    categories, (some, *_) = any(split.has_categories for split in splits.values()), splits.values()
    text = f"""# {repository(data)}: {", ".join(split.name for split in splits.values())}

{chr(10).join(_origin(data, splits.values()))}

| split | training, with repetitions | distinct | test sets | sha256 |
|---|--:|--:|---|---|
{chr(10).join(rows)}

{chr(10).join(f"- `{name}`: {COLUMNS[name]}" for name in columns(categories))}

```python
from datasets import load_dataset

load_dataset("path/to/this/folder", "{configuration(some)}")
```

{WRITER}; the sha256 is that of a split's content in `daxlab runs show --json`.
"""
    return card(front, text)


def _files(folder: str, split: Split) -> list[dict[str, str]]:
    """The file of each side. Their names have letters, digits and underscores only."""
    sides = {re.sub(r"\W", "_", name): name for name in (TRAIN, *split.tests)}
    if len(sides) <= len(split.tests):
        names = ", ".join(split.tests)
        raise InputError(f"Hugging Face cannot tell these test sets apart: {names}; rename one, or export as jsonl")
    return [{"split": side, "path": f"{folder}/{name}.parquet".removeprefix("./")} for side, name in sides.items()]


def _features(split: Split) -> list[dict[str, str]]:
    types = {name: "int64" if name == "weight" else "string" for name in columns(split.has_categories)}
    return [{"name": name, "dtype": kind} for name, kind in types.items()]


def _origin(data: Dataset, splits: Iterable[Split]) -> list[str]:
    """What it is, its source and licence; of somebody's own files nothing of this is known."""
    if not data.license:
        return ["Licence: not known to daxlab; add it before you publish."]
    lines = [f"{data.about}. Licence: {data.license}."]
    if data.source:
        lines.append(f"Source: {data.source}")
    if any(split.name in MCD_NAMES for split in splits):
        lines.append(f"Which commands are in mcd1, mcd2 and mcd3 is from Keysers et al. (2020): {MCD.url}")
    return lines
