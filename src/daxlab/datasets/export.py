"""Writes a split as files that others read: the release's lines, JSONL, or Parquet.

All files of a split are written, or none. Knows nothing of training.
"""

import json
import os
from collections.abc import Iterable, Iterator
from errno import EISDIR
from pathlib import Path
from typing import Literal, get_args

from daxlab.datasets.release import line
from daxlab.datasets.rules import Split
from daxlab.errors import InputError
from daxlab.languages import Example

Format = Literal["scan", "jsonl", "parquet"]
SUFFIX: dict[Format, str] = {"scan": ".txt", "jsonl": ".jsonl", "parquet": ".parquet"}

Weighted = tuple[Example, int]


def export(split: Split, folder: Path, form: Format) -> list[Path]:
    """Writes train and test (and dev, where a split has one) into a folder, which is made if need be."""
    if form not in get_args(Format):
        raise InputError(f"no format is called {form!r}; there are {', '.join(SUFFIX)}")
    sides = {
        "train": zip(split.train, split.weights, strict=True),
        **({"dev": ((example, 1) for example in split.dev)} if split.dev else {}),
        "test": ((example, 1) for example in split.test),
    }
    contents = {folder / f"{side}{SUFFIX[form]}": _encoded(rows, form) for side, rows in sides.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}") from None
    drafts = {path: folder / f".{path.name}.{os.getpid()}" for path in contents}
    changed = False
    try:
        for path, draft in drafts.items():
            _write(draft, contents[path])
            if path.is_dir():
                raise IsADirectoryError(EISDIR, f"{path.name} is a folder")
        for path, draft in drafts.items():
            draft.replace(path)
            changed = True
        if not split.dev:  # of a split exported here before
            (folder / f"dev{SUFFIX[form]}").unlink(missing_ok=True)
    except OSError as error:
        state = "some files were replaced already" if changed else "nothing was changed there"
        raise InputError(f"cannot write to {folder}: {error.strerror or error}; {state}") from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    return list(contents)


def _encoded(side: Iterable[Weighted], form: Format) -> bytes:
    """A file's whole content, so that only writing is left to go wrong."""
    if form == "parquet":
        return _parquet(side)
    return b"".join(_repeated(side) if form == "scan" else _rows(side))


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _repeated(side: Iterable[Weighted]) -> Iterator[bytes]:
    """The release's own lines, each as often as it is presented."""
    return (f"{line(example)}\n".encode() * weight for example, weight in side)


def _row(example: Example, weight: int) -> dict[str, str | int]:
    return {"command": example.command, "actions": " ".join(example.actions), "weight": weight}


def _rows(side: Iterable[Weighted]) -> Iterator[bytes]:
    return (json.dumps(_row(*one), ensure_ascii=False).encode() + b"\n" for one in side)


def _parquet(side: Iterable[Weighted]) -> bytes:
    from io import BytesIO  # polars is loaded for Parquet only

    import polars

    schema = {"command": polars.String, "actions": polars.String, "weight": polars.Int64}
    content = BytesIO()
    polars.DataFrame([_row(*one) for one in side], schema=schema).write_parquet(content)
    return content.getvalue()
