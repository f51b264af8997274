"""`daxlab runs export --format every-eval-ever`: a file for each learner's record, and one for its samples."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any

from daxlab.analysis.every_eval_ever import NAME, records, samples as samples_of, samples_path, with_samples
from daxlab.atomic import atomic_file, atomic_write
from daxlab.errors import InputError
from daxlab.ledger import Ledger


def export_records(
    ledger: Ledger, folder: Path, where: Mapping[str, Any], form: str, organization: str, samples: bool
) -> None:
    """Write the records of these runs, and print where."""
    if form != NAME:
        raise InputError(f"the one format of records is {NAME}, not {form!r}; a table is named by its suffix: runs.csv")
    contents = dict(records(ledger, where, organization, time()))
    if not contents:
        raise InputError("none of these runs has an accuracy, so there is nothing to export")
    for path, record in contents.items():
        whole = record
        if samples:
            place = folder / samples_path(path)
            checksum, rows = _write_lines(place, samples_of(ledger, record))
            whole = with_samples(record, path, checksum, rows)
            print(place)
        atomic_write(folder / path, (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())
        print(folder / path)


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> tuple[str, int]:
    """Write rows as JSON lines, however many; the file's sha256, and how many they are."""
    digest, count = sha256(), 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as draft, draft.open("wb") as out:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
            digest.update(line)
            out.write(line)
            count += 1
    return digest.hexdigest(), count
