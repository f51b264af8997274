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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlparse
from urllib.request import url2pathname

from daxlab.errors import InputError

DATA = "DAXLAB_DATA"  # names the folder to look in before the cache
MOST_BYTES = 1 << 30  # of one file
CHUNK = 1 << 20
TIMEOUT = 60  # seconds without a byte

# The standard library's errors for an archive that is damaged, truncated, encrypted or of an unknown kind.
DAMAGED = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


@dataclass(frozen=True)
class Corpus:
    """Files that belong together, where they are published, and the sha256 over all of them."""

    name: str
    files: tuple[str, ...]
    url: str
    digest: str  # of the files, by `digest` below
    exact: bool = True  # False: the publisher keeps changing it, so another digest is accepted
    beside: tuple[str, ...] = ()  # optional files, which are not part of the digest
    check: Callable[[Mapping[str, bytes]], object] = lambda files: None  # raises InputError if the content is wrong


class Files:
    """Read files by name from a folder, a zip or a tar; they may be in a folder of their own inside it."""

    def __init__(self, path: Path, first: str, called: str | None = None) -> None:
        self._path, self._called = path, called or str(path)
        self._archive: zipfile.ZipFile | tarfile.TarFile | None = None
        if not path.exists():
            raise InputError(f"there is no {self._called}")
        try:
            self._names = self._listed(first)
        except DAMAGED as error:
            raise InputError(f"cannot read {self._called}: {_reason(error)}") from None
        found = [name for name in self._names if name == first or name.endswith(f"/{first}")]
        if not found:
            raise InputError(f"{self._called} has no {first} in it")
        self._within = min(found, key=len).removesuffix(first)

    def _listed(self, first: str) -> list[str]:
        """The names in an archive, or in a folder beside and below the first file."""
        if self._path.is_dir():
            tops = [found.parent for found in (*self._path.glob(first), *self._path.glob(f"*/{first}"))]
            files = (file for top in tops for depth in ("*", "*/*", "*/*/*") for file in top.glob(depth))
            return [file.relative_to(self._path).as_posix() for file in files if file.is_file()]
        if zipfile.is_zipfile(self._path):
            self._archive = zipfile.ZipFile(self._path)
            return self._archive.namelist()
        if tarfile.is_tarfile(self._path):
            self._archive = tarfile.open(self._path)  # noqa: SIM115 - closed by close()
            return self._archive.getnames()
        raise InputError(f"{self._called} is neither a folder nor a zip or tar archive that can be read")

    @property
    def names(self) -> list[str]:
        """The files beside and below the first."""
        return [name.removeprefix(self._within) for name in self._names if name.startswith(self._within)]

    def close(self) -> None:
        """Close the archive."""
        if self._archive:
            self._archive.close()

    def __enter__(self) -> "Files":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, name: str) -> bytes | None:
        """A file's content, or None if it is not there."""
        try:
            with self.opened(name) as file:
                limit_size(self._size(self._within + name), name)
                return file.read()
        except FileNotFoundError:
            return None

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """A file to read as a stream, whatever its size."""
        try:
            with self._open(self._within + name) as file:
                yield file
        except (KeyError, FileNotFoundError):
            raise FileNotFoundError(name) from None
        except DAMAGED as error:
            raise InputError(f"cannot read {name} of {self._called}: {_reason(error)}") from None

    def _open(self, name: str) -> BinaryIO:
        if self._archive is None:
            return (self._path / name).open("rb")
        if isinstance(self._archive, zipfile.ZipFile):
            return self._archive.open(name)  # type: ignore[return-value] # a stream of bytes, to read only
        content = self._archive.extractfile(name)
        if content is None:
            raise FileNotFoundError(name)
        return content  # type: ignore[return-value]

    def _size(self, name: str) -> int:
        if self._archive is None:
            return (self._path / name).stat().st_size
        if isinstance(self._archive, zipfile.ZipFile):
            return self._archive.getinfo(name).file_size
        return self._archive.getmember(name).size


def existing(name: str) -> Path | None:
    """The file or folder of that name, if there is one."""
    try:
        path = Path(name).expanduser()
        return path if name and path.exists() else None
    except (OSError, ValueError, RuntimeError):  # too long, a null character, an unknown user
        return None


def limit_size(size: int, name: object) -> None:
    """Refuse a file that is larger than anything we read."""
    if size > MOST_BYTES:
        raise InputError(f"{name} would take {size:,} bytes; at most {MOST_BYTES:,} are read")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "it is damaged"


def cache() -> Path:
    """The folder in which fetched corpora are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("daxlab")


def find(corpus: Corpus) -> Path | None:
    """Where a corpus is: in the folder that DAXLAB_DATA names, or in the cache; None if in neither."""
    folder = os.environ.get(DATA)
    if folder:
        if not Path(folder).is_dir():
            raise InputError(f"{DATA} names {folder}, which is no folder")
        place = _among(_candidates(Path(folder), corpus), corpus)
        if place is not None:
            return place
    kept = cache() / corpus.name
    return kept if kept.is_dir() and _among([kept], corpus) else None


def _among(places: Iterable[Path], corpus: Corpus) -> Path | None:
    """The first of the places that has all files of a corpus."""
    for place in places:
        with suppress(InputError), Files(place, corpus.files[0]) as files:
            if set(corpus.files) <= set(files.names):
                return place
    return None


def _candidates(folder: Path, corpus: Corpus) -> Iterator[Path]:
    """Where a corpus may be in a folder of data: in it, in a subfolder of its name, in an archive in either."""
    for place in (folder, folder / corpus.name):
        if place.is_dir():
            yield place
            yield from sorted(p for p in place.iterdir() if p.name.endswith((".zip", ".tar.gz", ".tgz")))


def open_corpus(corpus: Corpus) -> Files:
    """The files of a corpus that is on this machine."""
    place = find(corpus)
    if place is None:
        raise InputError(
            f"{corpus.name} is not here: fetch it with 'daxlab data fetch {corpus.name}' (--from a file or folder, "
            f"if you have one), or set {DATA} to a folder that has it"
        )
    return Files(place, corpus.files[0])


def digest(files: dict[str, bytes]) -> str:
    """The sha256 of a file; of several, one over their names and sha256s. JSON is normalised first."""
    hashes = {name: sha256(_content(name, content)).hexdigest() for name, content in sorted(files.items())}
    if len(hashes) == 1:
        return next(iter(hashes.values()))
    return sha256("".join(f"{name} {one}\n" for name, one in hashes.items()).encode()).hexdigest()


def _content(name: str, content: bytes) -> bytes:
    if not name.endswith(".json"):
        return content
    try:
        return json.dumps(json.loads(content), sort_keys=True, separators=(",", ":")).encode()
    except ValueError:
        raise InputError(f"{name} is not JSON") from None


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
    if source is None and _among([kept], corpus):
        with Files(kept, corpus.files[0]) as files:
            found = digest(_wanted(files, corpus, str(kept)))
        if found == corpus.digest or not corpus.exact:
            return Fetched(corpus.name, kept, found, found == corpus.digest, already=True)
    with _local(corpus, source, progress) as path, Files(path, corpus.files[0], source) as files:
        content = _wanted(files, corpus, source or str(path))
        beside = {name: one for name in corpus.beside if (one := files.read(name)) is not None}
    found = digest(content)
    if corpus.exact and found != corpus.digest:
        raise InputError(
            f"{source or corpus.url} is not the published {corpus.name}: its sha256 over all files is {found}, "
            f"not {corpus.digest}; nothing was kept"
        )
    try:
        corpus.check(content)
    except InputError as error:
        raise InputError(f"{source or corpus.url} is no {corpus.name}: {error}; nothing was kept") from None
    _keep(content | beside, kept)
    return Fetched(corpus.name, kept, found, found == corpus.digest, already=False)


def _wanted(files: Files, corpus: Corpus, source: str) -> dict[str, bytes]:
    content = {name: files.read(name) for name in corpus.files}
    missing = [name for name, one in content.items() if one is None]
    if missing:
        raise InputError(f"{source} lacks {len(missing)} of the {len(content)} files of {corpus.name}: {missing[0]}, …")
    return {name: one for name, one in content.items() if one is not None}


@contextmanager
def _local(corpus: Corpus, source: str | None, progress: Progress) -> Iterator[Path]:
    """The source as a path; a download is deleted at the end of the block."""
    folder = os.environ.get(DATA)
    if source is None and folder:
        place = find(corpus)
        if place is not None and place != cache() / corpus.name:
            yield place
            return
    source = source or corpus.url
    if not source.startswith(("http:", "https:")):
        path = Path(url2pathname(urlparse(source).path) if source.startswith("file:") else source).expanduser()
        yield (_among(_candidates(path, corpus), corpus) or path) if path.is_dir() else path
        return
    with tempfile.TemporaryDirectory(prefix="daxlab-") as temporary:
        path = Path(temporary) / "download"
        _download(source, path, progress)
        yield path


class _Bar:
    """What pooch takes for a progress bar: reports to our callback, and stops a download that is too large."""

    def __init__(self, url: str, progress: Progress) -> None:
        self._url, self._progress, self._done, self.total = url, progress, 0, 0

    def update(self, size: int) -> None:
        self._done += size  # pooch counts whole chunks
        limit_size(max(self._done - CHUNK, self.total), self._url)
        if size:
            self._progress(min(self._done, self.total or self._done), self.total or None)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        pass


def _download(url: str, path: Path, progress: Progress) -> None:
    import pooch
    from requests.exceptions import ChunkedEncodingError, ConnectionError, Timeout

    from daxlab import __version__

    headers = {"User-Agent": f"daxlab/{__version__}"}  # some publishers refuse the default
    download = pooch.HTTPDownloader(_Bar(url, progress), chunk_size=CHUNK, headers=headers, timeout=TIMEOUT)
    try:
        download(url, str(path), None)
    except (OSError, ValueError) as error:  # the errors of requests are OSErrors
        broken = isinstance(error, (ConnectionError, Timeout, ChunkedEncodingError))
        reason = "the connection failed" if broken else _reason(error)
        raise InputError(f"cannot download {url}: {reason}; if you have the file, give it with --from") from None


def _keep(content: dict[str, bytes], folder: Path) -> None:
    """Write the files into a new folder, which then replaces the old one."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
            fresh = Path(temporary) / "new"
            for name, one in content.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(one)
            if folder.exists():
                shutil.move(folder, Path(temporary) / "old")
            fresh.rename(folder)
    except OSError as error:
        raise InputError(f"cannot write to the cache {folder.parent}: {_reason(error)}; nothing was kept") from None
