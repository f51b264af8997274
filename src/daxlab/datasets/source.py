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
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from posixpath import normpath
from urllib.parse import urlparse
from urllib.request import url2pathname

from daxlab.errors import InputError

DATA = "DAXLAB_DATA"  # names the folder to look in before the cache
MOST_BYTES = 1 << 30  # of one file
CHUNK = 1 << 20
TIMEOUT = 60  # seconds without a byte

# The standard library's errors for an archive that is damaged, truncated, encrypted or of an unknown kind.
DAMAGED = (OSError, EOFError, RuntimeError, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError)

Files = Mapping[str, Path | zipfile.Path]  # by name
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


def archived(path: Path) -> bool:
    """Whether a file is a zip or a tar."""
    return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


@contextmanager
def opened(path: Path, first: str, called: str | None = None) -> Iterator[Files]:
    """The files beside and below the file `first`, which a folder, a zip or a tar has in it or in a folder of it."""
    called = called or str(path)
    if not path.exists():
        raise InputError(f"there is no {called}")
    try:
        with _listed(path, first, called) as files:
            tops = [name.removesuffix(first) for name in files if f"/{name}".endswith(f"/{first}")]
            if not tops:
                raise InputError(f"{called} has no {first} in it")
            top = min(tops, key=len)
            yield {name.removeprefix(top): file for name, file in files.items() if name.startswith(top)}
    except DAMAGED as error:
        raise InputError(f"cannot read {called}: {_reason(error)}") from None


@contextmanager
def _listed(path: Path, first: str, called: str) -> Iterator[Files]:
    """The files of an archive; of a folder those beside and below the file `first`."""
    if path.is_dir():
        tops = [file.parent for file in (*path.glob(first), *path.glob(f"*/{first}"))]
        files = (file for top in tops for depth in ("*", "*/*", "*/*/*") for file in top.glob(depth))
        yield {file.relative_to(path).as_posix(): file for file in files if file.is_file()}
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield {name: zipfile.Path(archive, name) for name in archive.namelist()}
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tar, zipfile.ZipFile(BytesIO(), "w") as archive:  # then read as a zip
            members = [member for member in tar if member.isfile()]
            limit_size(sum(member.size for member in members), called)
            for member in members:
                archive.writestr(normpath(member.name), tar.extractfile(member).read())  # type: ignore[union-attr]
            yield {name: zipfile.Path(archive, name) for name in archive.namelist()}
    else:
        raise InputError(f"{called} is neither a folder nor a zip or tar archive that can be read")


def read(file: Path | zipfile.Path) -> bytes:
    """The content of a file, unless it is larger than anything we read."""
    with file.open("rb") as stream:
        content: bytes = stream.read(MOST_BYTES + 1)
    limit_size(len(content), file)
    return content


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
        raise InputError(f"{name} is larger than {MOST_BYTES:,} bytes, which is the most that is read")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "it is damaged"


def cache() -> Path:
    """The folder in which fetched corpora are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("daxlab")


def find(corpus: Corpus) -> Path | None:
    """Where a corpus is: in the folder that DAXLAB_DATA names, or in the cache; None if in neither."""
    folder = os.environ.get(DATA)
    if folder and not Path(folder).is_dir():
        raise InputError(f"{DATA} names {folder}, which is no folder")
    return _among([*(_candidates(Path(folder), corpus) if folder else ()), cache() / corpus.name], corpus)


def locate(corpus: Corpus) -> Path:
    """The same, or an error that says how to get the corpus."""
    place = find(corpus)
    if place is None:
        raise InputError(
            f"{corpus.name} is not here: fetch it with 'daxlab data fetch {corpus.name}' (--from a file or folder, "
            f"if you have one), or set {DATA} to a folder that has it"
        )
    return place


def _among(places: Iterable[Path], corpus: Corpus) -> Path | None:
    """The first of the places that has all files of a corpus."""
    for place in places:
        with suppress(InputError), opened(place, corpus.files[0]) as files:
            if files.keys() >= set(corpus.files):
                return place
    return None


def _candidates(folder: Path, corpus: Corpus) -> Iterator[Path]:
    """Where a corpus may be in a folder of data: in it, in a subfolder of its name, in an archive in either."""
    for place in (folder, folder / corpus.name):
        if place.is_dir():
            yield place
            yield from sorted(p for p in place.iterdir() if p.name.endswith((".zip", ".tar.gz", ".tgz")))


def open_corpus(corpus: Corpus) -> AbstractContextManager[Files]:
    """The files of a corpus that is on this machine."""
    return opened(locate(corpus), corpus.files[0])


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
        sha = digest(_content(corpus, kept)[0])
        if sha == corpus.digest or not corpus.exact:
            return Fetched(corpus.name, kept, sha, sha == corpus.digest, already=True)
    with _local(corpus, source, progress) as path:
        content, beside = _content(corpus, path, source)
    sha = digest(content)
    if corpus.exact and sha != corpus.digest:
        raise InputError(
            f"{source or corpus.url} is not the published {corpus.name}: its sha256 over all files is {sha}, "
            f"not {corpus.digest}; nothing was kept"
        )
    try:
        corpus.check(content)
    except InputError as error:
        raise InputError(f"{source or corpus.url} is no {corpus.name}: {error}; nothing was kept") from None
    _keep(content | beside, kept)
    return Fetched(corpus.name, kept, sha, sha == corpus.digest, already=False)


def _content(corpus: Corpus, path: Path, called: str | None = None) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of a corpus at a place, and the optional files beside them."""
    with opened(path, corpus.files[0], called) as files:
        missing = [name for name in corpus.files if name not in files]
        if missing:
            lacks = f"{len(missing)} of the {len(corpus.files)} files of {corpus.name}"
            raise InputError(f"{called or path} lacks {lacks}: {missing[0]}, …")
        beside = [name for name in corpus.beside if name in files]
        return {name: read(files[name]) for name in corpus.files}, {name: read(files[name]) for name in beside}


@contextmanager
def _local(corpus: Corpus, source: str | None, progress: Progress) -> Iterator[Path]:
    """The source as a path; a download is deleted at the end of the block."""
    place = find(corpus) if source is None else None
    source = source or corpus.url
    if place not in (None, cache() / corpus.name):
        yield place
    elif not source.startswith(("http:", "https:")):
        path = Path(url2pathname(urlparse(source).path) if source.startswith("file:") else source).expanduser()
        yield (_among(_candidates(path, corpus), corpus) or path) if path.is_dir() else path
    else:
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
            for name, of_file in content.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(of_file)
            if folder.exists():
                shutil.move(folder, Path(temporary) / "old")
            fresh.rename(folder)
    except OSError as error:
        raise InputError(f"cannot write to the cache {folder.parent}: {_reason(error)}; nothing was kept") from None
