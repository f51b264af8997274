"""Files that are there whole or not at all, whatever is killed or full."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from daxlab.errors import InputError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A draft beside the path, which takes its place in one step when it is written and on the disk."""
    draft = path.with_name(f".{path.name}.{token_hex(4)}")  # several machines may write one file
    try:
        yield draft
        _sync(draft)
        draft.replace(path)
        with suppress(OSError):  # not every file system can; it is there
            _sync(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def keep(path: Path, content: bytes) -> None:
    """Writes a file so, into a folder that is made if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path.parent}: {error.strerror or error}") from error
    with whole(path) as draft:
        draft.write_bytes(content)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
