"""Opening a ledger's file: for its one writer, or for any reader; and saying in one sentence why not.

Knows the file and its neighbours (-wal, -shm, .lock); of what the tables mean, only who writes.
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote
from weakref import WeakSet

from daxlab.errors import InputError
from daxlab.runs.schema import APPLICATION, SCHEMA, STEPS, VERSION

MAGIC = b"SQLite format 3\0"
WAL = b"\2\2"  # in the header's bytes 18 and 19, by SQLite's file format
NETWORK = re.compile(
    r"nfs\d*|cifs|smb\w*|afs|ncpfs|ceph|lustre|gpfs|beegfs|panfs|glusterfs|orangefs|pvfs2|gfs2?|ocfs2|9p|davfs"
    r"|fuse\.(sshfs|s3fs|gcsfuse|rclone|glusterfs|ceph\S*|davfs2?|blobfuse2?|juicefs|smbnetfs|mount-s3|goofys)"
)


class _Connection(sqlite3.Connection):
    """One that is known while it is open: which file it is on, by device and inode, and how that begins."""

    node: tuple[int, int]
    header: bytes

    def close(self) -> None:
        """Let go of the file."""
        super().close()
        _open.discard(self)


_open: WeakSet[_Connection] = WeakSet()  # of this process


def network_disk(path: Path, mounts: str) -> str | None:
    """The kind of network disk that a path lies on, by the text of /proc/mounts; None for a local one."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        # Blanks and the like are written as \040 there.
        where = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1]))
        if path.is_relative_to(where) and len(where.parts) >= best:  # the later of two mounts hides the earlier
            best, kind = len(where.parts), fields[2]
    return kind if NETWORK.fullmatch(kind) else None


def _lies_on_network(path: Path) -> str | None:
    try:
        return network_disk(path.resolve(), Path("/proc/mounts").read_text(errors="surrogateescape"))
    except OSError:  # not a Linux
        return None


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a file into what a user can mend."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            raise InputError(f"no room to write {path}: the disk is full; what was stored before is safe") from error
        if code == sqlite3.SQLITE_IOERR:
            raise InputError(
                f"cannot read or write {path} ({error}): the disk may be full or failing; "
                "what was stored before is safe"
            ) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise InputError(
                f"{path} is damaged ({error}): use a copy, or merge what a copy has into a new one"
            ) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise InputError(f"{path} is held by another program; try again when it is done") from error
        if code in (
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_PERM,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_AUTH,
        ):
            raise InputError(
                f"{path} cannot be opened for this ({error}): see its permissions and its folder's"
            ) from error
        raise


def _look(path: Path) -> None:
    """See, before SQLite does, whether this can be a ledger at all."""
    if path.is_dir():
        raise InputError(f"{path} is a directory; a ledger is a file")
    try:
        start = _header(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if start and not start.startswith(MAGIC):
        raise InputError(f"{path} is not a ledger: it is not an SQLite file")


def _header(path: Path) -> bytes:
    """A file's first 20 bytes, or what they are known to be where this process has it open.

    There, no descriptor but SQLite's own may be closed: POSIX drops all the locks that a process has on a file with it.
    """
    node = _node(path)
    for one in tuple(_open):
        if one.node == node:
            return one.header
    with path.open("rb") as file:
        return file.read(20)


def _node(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def is_working(path: Path) -> bool:
    """Whether a ledger is one that runs are written into, with neighbours of its own, and no export."""
    return _header(path)[18:20] == WAL


def _connect(path: Path, options: str, timeout: float = 5, one_thread: bool = False) -> _Connection:
    try:
        header = _header(path)
    except OSError:  # it is not there yet, or SQLite will say what it is
        header = b""
    db = sqlite3.connect(
        _uri(path, options),
        uri=True,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=one_thread,
        factory=_Connection,
    )
    db.node, db.header = _node(path), header
    _open.add(db)
    db.create_function("unhex", 1, bytes.fromhex, deterministic=True)  # SQLite's own since 3.41
    return db


def _uri(path: Path, options: str) -> str:
    return f"file:{quote(str(path.absolute()))}?{options}"


def reading_uri(path: Path) -> str:
    """The address under which SQLite opens a ledger for reading."""
    return _uri(path, _reading(path))


def _version(db: sqlite3.Connection, path: Path) -> int:
    """The version of the tables, 0 where there are none yet."""
    version: int = db.execute("pragma user_version").fetchone()[0]
    ours = db.execute("pragma application_id").fetchone()[0] == APPLICATION
    if not ours and db.execute("select count(*) from sqlite_master").fetchone()[0]:
        raise InputError(f"{path} is not a ledger: it is some other SQLite file")
    if version > VERSION:
        raise InputError(
            f"{path} was written by a newer daxlab (format {version}, and this one knows {VERSION}): upgrade daxlab"
        )
    return version if ours else 0


def reader(path: Path) -> sqlite3.Connection:
    """A connection that only reads, also while the writer writes, also on a disk that cannot be written."""
    if not path.exists():
        raise InputError(f"there is no ledger at {path}")
    _look(path)
    with explained(path):
        db = _connect(path, _reading(path))  # may be shared by threads
        try:
            if not _version(db, path):
                raise InputError(f"{path} is empty: no ledger was written there yet")
        except BaseException:
            db.close()
            raise
    return db


def is_written(path: Path) -> bool:
    """Whether there is a ledger: a file whose maker was killed, or had no room, before its tables is none yet."""
    if not path.exists():
        return False
    _look(path)
    with explained(path), closing(_connect(path, _reading(path))) as db:
        return bool(_version(db, path))


def _reading(path: Path) -> str:
    """How to open a file for reading: as one that never changes where nobody can be writing it."""
    working = is_working(path)
    network = _lies_on_network(path)
    if network and working:
        raise InputError(
            f"{path} is a working ledger on a network disk ({network}); export it, or copy it to this machine"
        )
    unsaved = Path(f"{path}-wal")
    fixed = not os.access(path.absolute().parent, os.W_OK) and not (unsaved.exists() and unsaved.stat().st_size)
    return "mode=ro&immutable=1" if network or fixed else "mode=ro"


def writer(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection]:
    """A connection that writes, and the lock that makes it the only one. Makes a ledger if there is none."""
    if path.exists():
        _look(path)
    elif not path.absolute().parent.is_dir():
        raise InputError(f"cannot make a ledger at {path}: there is no folder {path.absolute().parent}")
    if network := _lies_on_network(path):
        raise InputError(
            f"{path} lies on a network disk ({network}), where SQLite's locks cannot be trusted: keep the "
            "working ledger on a disk of this machine, and export it to the network disk when it is done"
        )
    with explained(path):
        lock = _lock(path)
        try:
            db = _connect(path, "mode=rwc", one_thread=True)
            try:
                _prepare(db, path)
                db.header = MAGIC + b"\0\0" + WAL
            except BaseException:
                db.close()
                raise
        except BaseException:
            lock.close()
            raise
    return db, lock


def _beside(path: Path) -> Path:
    """The lock of a ledger, whatever links lead to it."""
    return Path(f"{path.resolve()}.lock")


def _lock(path: Path) -> sqlite3.Connection:
    """An exclusive transaction on an empty database beside the ledger; it ends with its process, however."""
    lock = _connect(_beside(path), "mode=rwc", timeout=0.5)
    try:
        lock.execute("pragma journal_mode = memory")  # nothing is written, so nothing need lie beside it
        lock.execute("begin exclusive")
    except sqlite3.Error as error:
        lock.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise InputError(
                f"{path} is being written by another process{_who(path)}: wait for it, "
                "or use another ledger and merge them later"
            ) from error
        raise
    return lock


def _who(path: Path) -> str:
    try:
        with closing(reader(path)) as db:
            found = db.execute("select value from meta where name = 'writer'").fetchone()
    except (InputError, sqlite3.Error):
        return ""
    return f" ({found[0]})" if found else ""


def is_locked(path: Path) -> bool:
    """Whether a writer is at work, on this machine, now."""
    lock = _beside(path)
    if not lock.exists():
        return False
    with explained(lock), closing(_connect(lock, "mode=ro", timeout=0)) as db:
        try:
            db.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return True
            raise
    return False


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    version = _version(db, path)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = full")  # a commit is a run that took minutes: it survives a power cut
    db.execute("pragma foreign_keys = on")
    if version < VERSION:
        db.execute("begin immediate")
        for step in [STEPS[older] for older in range(version, VERSION)] if version else [SCHEMA]:
            for statement in filter(str.strip, step.split(";\n")):
                db.execute(statement)
        db.execute(f"pragma application_id = {APPLICATION}")
        db.execute(f"pragma user_version = {VERSION}")
        db.execute("commit")
