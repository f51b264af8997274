"""Atomic writes: a file appears complete or not at all, even if the process is killed or the disk is full."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from secrets import token_hex

from daxlab.errors import InputError


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, which replaces it in one step once it is written and flushed to disk."""
    _remove_stale_drafts(path)
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


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which appears as `path` in one step; an error if there is something there.

    What a killed process left of its draft is removed the next time. One process at a time writes a folder.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path} is not empty: name a new folder")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        yield draft
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _remove_stale_drafts(path: Path) -> None:
    """Remove what killed processes left: drafts of this file that nobody has written to for ten minutes."""
    with suppress(OSError):  # writing the file itself will say what is wrong with the folder
        for draft in path.parent.glob(f".{escape(path.name)}.{'[0-9a-f]' * 8}"):
            if time.time() - draft.stat().st_mtime > 600:
                draft.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
