"""Published files: found in a folder or an archive, downloaded, checked by sha256, kept in the user's cache.

A corpus comes into the cache complete or not at all.
"""

import json
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from posixpath import normpath
from urllib.parse import urlparse

from daxlab.errors import InputError

DATA = "DAXLAB_DATA"  # names the folder to look in before the cache
ARCHIVES = (".zip", ".tar.gz", ".tgz")
MOST_BYTES = 1 << 30  # in a tar, which is read into memory
CHUNK = 1 << 20  # bytes of a download between two reports of progress
TIMEOUT = 60  # seconds without a byte

# The standard library's errors for an archive that is damaged, truncated, encrypted or of an unknown kind.
DAMAGED = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)

Folder = Path | zipfile.Path  # on the disk, or in an archive
Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


@dataclass(frozen=True)
class Corpus:
    """Files that belong together, where they are published, and the sha256 over all of them."""

    name: str
    files: tuple[str, ...]
    url: str
    digest: str  # of the files, by `digest` below
    exact: bool = True  # False: the publisher keeps changing it, so another digest is accepted
    optional: tuple[str, ...] = ()  # further files, which are not part of the digest
    check: Callable[[Mapping[str, bytes]], object] = lambda files: None  # raises InputError if the content is wrong


# Files on this machine.


def existing(name: str) -> Path | None:
    """The file or folder of that name, if there is one."""
    try:
        path = Path(name).expanduser()
        return path if name and path.exists() else None
    except (OSError, ValueError, RuntimeError):  # too long, a null character, an unknown user
        return None


def stamp(*files: Path) -> tuple[tuple[str, int, int], ...]:
    """Changes when one of the files does."""
    stats = [(file.name, file.stat()) for file in files]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats)


def archived(path: Path) -> bool:
    """Whether a file is a zip or a tar."""
    return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


@contextmanager
def opened(path: Path, first: str, called: str | None = None) -> Iterator[Folder]:
    """The folder that has the file `first`: `path` or a folder in it, where `path` may be a zip or a tar."""
    called = called or str(path)
    if not path.exists():
        raise InputError(f"there is no {called}")
    try:
        with _holding(path, first, called) as folders:
            if not folders:
                raise InputError(f"{called} has no {first} in it")
            yield folders[0]
    except DAMAGED as error:
        raise InputError(f"cannot read {called}: {_reason(error)}") from None


@contextmanager
def _holding(path: Path, first: str, called: str) -> Iterator[list[Folder]]:
    if path.is_dir():
        yield [file.parent for place in (first, f"*/{first}") for file in sorted(path.glob(place))]
    elif archived(path):
        with zipfile.ZipFile(path if zipfile.is_zipfile(path) else _tar_as_zip(path, called)) as archive:
            names = sorted((name for name in archive.namelist() if f"/{name}".endswith(f"/{first}")), key=len)
            yield [zipfile.Path(archive, name.removesuffix(first)) for name in names]
    else:
        raise InputError(f"{called} is neither a folder nor a zip or tar archive that can be read")


def _tar_as_zip(path: Path, called: str) -> BytesIO:
    """The files of a tar as a zip in memory, so that there is one way to read both."""
    content = BytesIO()
    with tarfile.open(path) as tar, zipfile.ZipFile(content, "w") as archive:
        members = [member for member in tar if member.isfile()]
        if sum(member.size for member in members) > MOST_BYTES:
            raise InputError(f"{called} has more than {MOST_BYTES:,} bytes in it, which is the most that is read")
        for member in members:
            archive.writestr(normpath(member.name), tar.extractfile(member).read())  # type: ignore[union-attr]
    return content


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "it is damaged"


# Corpora.


def cache() -> Path:
    """The folder in which fetched corpora are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("daxlab")


def find(corpus: Corpus) -> Path | None:
    """Where a corpus is: in the folder that DAXLAB_DATA names, or in the cache; None if in neither."""
    return _in_data(corpus) or _within(cache() / corpus.name, corpus)


def _in_data(corpus: Corpus) -> Path | None:
    folder = os.environ.get(DATA)
    if folder and not Path(folder).is_dir():
        raise InputError(f"{DATA} names {folder}, which is no folder")
    return _within(Path(folder), corpus) if folder else None


def _within(folder: Path, corpus: Corpus) -> Path | None:
    """Where a folder has a corpus: in it, in a subfolder of the corpus's name, or in an archive in either."""
    for place in (folder, folder / corpus.name):
        for candidate in (place, *sorted(path for path in place.glob("*") if path.name.endswith(ARCHIVES))):
            with suppress(InputError), opened(candidate, corpus.files[0]) as files:
                if all((files / name).is_file() for name in corpus.files):
                    return candidate
    return None


def locate(corpus: Corpus) -> Path:
    """Where a corpus is, or an error that says how to get it."""
    place = find(corpus)
    if place is None:
        raise InputError(
            f"{corpus.name} is not here: fetch it with 'daxlab data fetch {corpus.name}' (--from a file or folder, "
            f"if you have one), or set {DATA} to a folder that has it"
        )
    return place


def open_corpus(corpus: Corpus) -> AbstractContextManager[Folder]:
    """The folder with the files of a corpus that is on this machine."""
    return opened(locate(corpus), corpus.files[0])


@dataclass(frozen=True)
class Fetched:
    """The result of a fetch: where the corpus is, its sha256, and whether that is the published one."""

    corpus: str
    path: Path
    sha256: str
    exact: bool
    already: bool


def fetch(corpus: Corpus, source: str | None = None, progress: Progress = lambda done, of: None) -> Fetched:
    """Bring a corpus into the cache, from a path, a URL or its publisher: all of it, checked, or nothing."""
    kept = cache() / corpus.name
    if source is None and (place := _within(kept, corpus)):
        _, sha = _content(corpus, place)
        if sha == corpus.digest or not corpus.exact:
            return Fetched(corpus.name, kept, sha, sha == corpus.digest, already=True)
    with _local(corpus, source, progress) as path:
        content, sha = _content(corpus, path, source)
    if corpus.exact and sha != corpus.digest:
        raise InputError(
            f"{source or corpus.url} is not the published {corpus.name}: its sha256 over all files is {sha}, "
            f"not {corpus.digest}; nothing was kept"
        )
    try:
        corpus.check(content)
    except InputError as error:
        raise InputError(f"{source or corpus.url} is no {corpus.name}: {error}; nothing was kept") from None
    _keep(content, kept)
    return Fetched(corpus.name, kept, sha, sha == corpus.digest, already=False)


def _content(corpus: Corpus, path: Path, called: str | None = None) -> tuple[dict[str, bytes], str]:
    """The files of a corpus at a place, and their digest, which the optional ones are no part of."""
    with opened(path, corpus.files[0], called) as folder:
        missing = [name for name in corpus.files if not (folder / name).is_file()]
        if missing:
            lacks = f"{len(missing)} of the {len(corpus.files)} files of {corpus.name}"
            raise InputError(f"{called or path} lacks {lacks}: {missing[0]}, …")
        content = {name: (folder / name).read_bytes() for name in corpus.files}
        optional = {name: folder / name for name in corpus.optional}
        further = {name: file.read_bytes() for name, file in optional.items() if file.is_file()}
    return content | further, digest(content)


def digest(files: Mapping[str, bytes]) -> str:
    """The sha256 of a file; of several, the sha256 of their names and sha256s. JSON is normalised first."""
    hashes = {name: sha256(_normalised(name, content)).hexdigest() for name, content in sorted(files.items())}
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    return sha256("".join(f"{name} {of_file}\n" for name, of_file in hashes.items()).encode()).hexdigest()


def _normalised(name: str, content: bytes) -> bytes:
    if not name.endswith(".json"):
        return content
    try:
        return json.dumps(json.loads(content), sort_keys=True, separators=(",", ":")).encode()
    except ValueError:
        raise InputError(f"{name} is not JSON") from None


@contextmanager
def _local(corpus: Corpus, source: str | None, progress: Progress) -> Iterator[Path]:
    """The source as a path; a download is deleted at the end of the block."""
    place = _in_data(corpus) if source is None else None
    source = source or corpus.url
    if place is not None:
        yield place
    elif not source.startswith(("http:", "https:")):
        from urllib.request import url2pathname  # slow to load

        path = Path(url2pathname(urlparse(source).path) if source.startswith("file:") else source).expanduser()
        yield _within(path, corpus) or path
    else:
        with tempfile.TemporaryDirectory(prefix="daxlab-") as temporary:
            path = Path(temporary) / "download"
            _download(source, path, progress)
            yield path


def _download(url: str, path: Path, progress: Progress) -> None:
    import requests

    from daxlab import __version__

    headers = {"User-Agent": f"daxlab/{__version__}"}  # some publishers refuse the default
    try:
        with requests.get(url, headers=headers, timeout=TIMEOUT, stream=True) as response, path.open("wb") as file:
            response.raise_for_status()
            size = int(response.headers.get("content-length", 0)) or None
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                progress(file.tell(), size)
    except (OSError, ValueError) as error:  # the errors of requests are OSErrors
        broken = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)
        reason = "the connection failed" if isinstance(error, broken) else _reason(error)
        raise InputError(f"cannot download {url}: {reason}; if you have the file, give it with --from") from None


def _keep(content: dict[str, bytes], folder: Path) -> None:
    """Write the files into a new folder, which then replaces the old one."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
            fresh = Path(temporary) / "new"
            for name, of_file in content.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(of_file)
            if folder.exists():
                shutil.move(folder, Path(temporary) / "old")
            fresh.rename(folder)
    except OSError as error:
        raise InputError(f"cannot write to the cache {folder.parent}: {_reason(error)}; nothing was kept") from None
