"""Atomic writes: a file appears complete or not at all, even if the process is killed or the disk is full."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from daxlab.errors import InputError


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, which replaces it in one step once it is written and flushed to disk."""
    draft = path.with_name(f".{path.name}.{token_hex(4)}")  # several machines may write the same file
    try:
        yield draft
        _sync(draft)
        draft.replace(path)
        with suppress(OSError):  # not every file system can flush a folder
            _sync(path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file atomically; its folder is created if it does not exist."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path.parent}: {error.strerror or error}") from error
    with atomic_file(path) as draft:
        draft.write_bytes(content)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
