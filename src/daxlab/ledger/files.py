"""Opening a ledger's file: for its one writer, or for any reader; and saying in one sentence why it cannot be opened.

Knows the file and its neighbours (-wal, -shm, .lock). Of the tables it knows only who writes, and their format.
"""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from filelock import FileLock, Timeout, lock_descriptor

from daxlab.atomic import atomic_write
from daxlab.errors import InputError
from daxlab.ledger.records import described
from daxlab.ledger.schema import APPLICATION, OLD_SETTINGS, SCHEMA, STEPS, VERSION

NETWORK = re.compile(
    r"nfs\d*|cifs|smb\w*|afs|ncpfs|ceph|lustre|gpfs|beegfs|panfs|glusterfs|orangefs|pvfs2|gfs2?|ocfs2|9p|davfs"
    r"|fuse\.(sshfs|s3fs|gcsfuse|rclone|glusterfs|ceph\S*|davfs2?|blobfuse2?|juicefs|smbnetfs|mount-s3|goofys)"
)
_DENIED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH)
_DAMAGED = "{path} is damaged ({error}): use a copy, or merge what a copy has into a new ledger"
_EXPLANATIONS = {
    sqlite3.SQLITE_FULL: "no room to write {target}: the disk is full; what was stored before is safe",
    sqlite3.SQLITE_IOERR: "cannot read or write {target} ({error}): the disk may be full or failing; "
    "what was stored before is safe",
    sqlite3.SQLITE_NOTADB: "{path} is not a ledger, or its first bytes are damaged: it is not an SQLite file",
    sqlite3.SQLITE_BUSY: "{path} is held by another program; try again when it is done",
    sqlite3.SQLITE_LOCKED: "{path} is held by another program; try again when it is done",
    **dict.fromkeys(_DENIED, "{target} cannot be opened ({error}): check the permissions of the file and its folder"),
}


def network_disk(path: Path, mounts: str) -> str | None:
    """The kind of network disk that a path lies on, by the text of /proc/mounts; None for a local disk."""
    kinds = {}
    for line in filter(None, mounts.splitlines()):
        _, folder, kind, *_ = line.split()
        # Blanks and the like are written as \040 there. The later of two mounts hides the earlier.
        kinds[Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), folder))] = kind
    kind = next((kinds[folder] for folder in path.parents if folder in kinds), "")
    return kind if NETWORK.fullmatch(kind) else None


def _lies_on_network(path: Path) -> str | None:
    try:
        return network_disk(path.resolve(), Path("/proc/mounts").read_text(errors="surrogateescape"))
    except OSError:  # not a Linux
        return None


@contextmanager
def explained(path: Path, writing: Path | None = None) -> Iterator[None]:
    """Turn SQLite's errors about a ledger, and the file that is written from it, into sentences that help."""
    try:
        yield
    except sqlite3.ProgrammingError:  # a closed ledger, a wrong thread: the caller's mistake
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite quotes a damaged name
        explanation = _EXPLANATIONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _DAMAGED)
        text = " ".join(str(error).split())
        raise InputError(explanation.format(path=path, target=writing or path, error=text)) from error


def connect(address: str, one_thread: bool = False) -> sqlite3.Connection:
    """A connection that knows the functions which our SQL uses."""
    db = sqlite3.connect(address, uri=True, timeout=5, isolation_level=None, check_same_thread=one_thread)
    db.create_function("unhex", 1, bytes.fromhex, deterministic=True)  # SQLite's own since 3.41
    db.create_function("described", 2, lambda spec, column: _described(spec)[column], deterministic=True)
    return db


@lru_cache(maxsize=64)
def _described(spec: object) -> dict[str, str | None]:
    """The columns of a setting by its spec; of one that cannot be read, placeholders. Whoever reads it is told."""
    try:
        return described(json.loads(spec))  # type: ignore[arg-type]
    except (TypeError, ValueError, AttributeError, RecursionError):
        return {"dataset": "unreadable", "learner": "unreadable", "label": "unreadable", "fields": "{}"}


def address(path: Path, options: str) -> str:
    """What SQLite calls a file that is opened with these options."""
    return f"file:{quote(str(path.absolute()))}?{options}"


def reading(path: Path) -> str:
    """The address of a ledger for reading: as a file that never changes where nobody can be writing it."""
    _refuse_folder(path)
    network = _lies_on_network(path)
    if network and _has_wal_header(path):
        raise InputError(
            f"{path} is a working ledger on a network disk ({network}); export it, or copy it to this machine"
        )
    unsaved = Path(f"{path}-wal")
    fixed = not os.access(path.absolute().parent, os.W_OK) and not (unsaved.exists() and unsaved.stat().st_size)
    return address(path, "mode=ro&immutable=1" if network or fixed else "mode=ro")


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a directory; a ledger is a file")


def _has_wal_header(path: Path) -> bool:
    """Whether a file on a network disk is in WAL mode. On a local disk this would be wrong to ask: POSIX drops all
    locks of a process on a file when it closes any descriptor of it."""
    try:
        with path.open("rb") as file:
            return file.read(20)[18:] == b"\2\2"
    except OSError:  # SQLite will say why
        return False


def _version(db: sqlite3.Connection, path: Path) -> int:
    """The format of the tables; 0 where there are none yet."""
    version: int = db.execute("pragma user_version").fetchone()[0]
    ours = db.execute("pragma application_id").fetchone()[0] == APPLICATION
    if not ours and db.execute("select count(*) from sqlite_master").fetchone()[0]:
        raise InputError(f"{path} is not a ledger: it is some other SQLite file")
    if version > VERSION:
        formats = f"format {version}, and this one reads up to {VERSION}"
        raise InputError(f"{path} was written by a newer daxlab ({formats}): upgrade daxlab")
    if version < (1 if ours else 0):
        raise InputError(f"{path} is damaged: there is no format {version}; use a copy")
    return version if ours else 0


def reader(path: Path) -> sqlite3.Connection:
    """A connection that only reads, also while the writer writes, and on a disk that cannot be written."""
    if not path.exists():
        raise InputError(f"there is no ledger at {path}")
    with explained(path), ExitStack() as undo:
        db = undo.enter_context(closing(connect(reading(path))))  # may be shared by threads
        version = _version(db, path)
        if not version:
            raise InputError(f"{path} is empty: no ledger was written there yet")
        if version < VERSION:  # it hides the table, so that every query is written once
            db.execute(f"create temp view settings as {OLD_SETTINGS}")
        undo.pop_all()
    return db


def is_written(path: Path) -> bool:
    """Whether there is a ledger. False for a file that was created but never initialised."""
    if not path.exists():
        return False
    with explained(path), closing(connect(reading(path))) as db:
        return bool(_version(db, path))


def writer(path: Path) -> tuple[sqlite3.Connection, FileLock]:
    """A connection that writes, and the lock that makes it the only one. Creates the ledger if there is none."""
    _refuse_folder(path)
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot create a ledger at {path}: there is no folder {path.absolute().parent}")
    if network := _lies_on_network(path):
        raise InputError(
            f"{path} lies on a network disk ({network}), where SQLite's locks cannot be trusted: keep the "
            "working ledger on a disk of this machine, and export it to the network disk when it is done"
        )
    with explained(path), ExitStack() as undo:
        lock = _lock(path)
        undo.callback(lock.release)
        db = undo.enter_context(closing(connect(address(path, "mode=rwc"), one_thread=True)))
        _version(db, path)  # refuses what is no ledger
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = full")  # a commit is a run that took minutes: it survives a power cut
        upgrade(db)
        db.execute("pragma foreign_keys = on")
        undo.pop_all()
    return db, lock


def upgrade(db: sqlite3.Connection) -> None:
    """Bring the tables to this format, or create them, in one transaction. Foreign keys must be off."""
    version = int(db.execute("pragma user_version").fetchone()[0])
    if version < VERSION:
        db.execute("begin immediate")
        for step in [STEPS[older] for older in range(version, VERSION)] if version else [SCHEMA]:
            for statement in filter(str.strip, step.split(";\n")):
                db.execute(statement)
        db.execute(f"pragma application_id = {APPLICATION}")
        db.execute(f"pragma user_version = {VERSION}")
        db.execute("commit")


def _beside(ledger: Path, suffix: str) -> Path:
    """Something that lies beside a ledger, whatever links lead to it."""
    return Path(f"{ledger.resolve()}.{suffix}")


def checkpoints(ledger: Path) -> Path:
    """The folder of a ledger's checkpoints."""
    return _beside(ledger, "checkpoints")


def checkpoint(folder: Path, group: str) -> Path:
    """A group's checkpoint."""
    return folder / f"{group}.safetensors"


def weights_of(ledger: Path, name: str) -> Path:
    """The final weights of a run."""
    return _beside(ledger, "weights") / f"{name}.safetensors"


def snapshot_of(ledger: Path, name: str, update: int) -> Path:
    """The weights of a run after some updates of its training."""
    return _beside(ledger, "weights") / f"{name}.snapshots" / f"{update}.safetensors"


def snapshots_of(ledger: Path, name: str) -> dict[int, Path]:
    """The snapshots of a run, by update; none where it was trained without."""
    found = snapshot_of(ledger, name, 0).parent.glob("*.safetensors")
    return {int(path.stem): path for path in sorted(found, key=lambda path: path.stem.zfill(20)) if path.stem.isdigit()}


def forget_weights(ledger: Path, name: str) -> None:
    """Remove the weights of a run and its snapshots."""
    weights_of(ledger, name).unlink(missing_ok=True)
    shutil.rmtree(snapshot_of(ledger, name, 0).parent, ignore_errors=True)


def copy_weights(ledger: Path, other: Path, name: str) -> None:
    """The weights of a run and its snapshots, from beside one ledger to beside another."""
    pairs = {weights_of(ledger, name): weights_of(other, name)}
    pairs |= {path: snapshot_of(other, name, update) for update, path in snapshots_of(ledger, name).items()}
    for source, target in pairs.items():
        if source.exists():
            atomic_write(target, source.read_bytes())


def _lock(path: Path) -> FileLock:
    lock = FileLock(_beside(path, "lock"), thread_local=False)
    try:
        lock.acquire(timeout=0.5, poll_interval=0.05)  # whoever only asks `is_locked` holds it for a moment
    except Timeout as error:
        advice = "wait for it, or use another ledger and merge them later"
        raise InputError(f"{path} is being written by another process{_who(path)}: {advice}") from error
    except OSError as error:
        reason = f"{lock.lock_file} cannot be locked ({error.strerror or error})"
        raise InputError(f"{path} cannot be opened for writing: {reason}") from error
    return lock


def _who(path: Path) -> str:
    try:
        with closing(reader(path)) as db:
            (who,) = db.execute("select value from meta where name = 'writer'").fetchone()
    except (InputError, sqlite3.Error, TypeError):  # the last where nobody has signed
        return ""
    return f" ({who})"


def is_locked(path: Path) -> bool:
    """Whether a writer is at work, on this machine, now."""
    place = _beside(path, "lock")
    try:
        descriptor = os.open(place, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InputError(f"cannot read {place}: {error.strerror or error}") from error
    try:
        return not lock_descriptor(descriptor, blocking=False)
    finally:
        os.close(descriptor)
