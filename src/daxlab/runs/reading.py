"""An open ledger, and how its values are read. What cannot be read is an InputError that names it.

Knows nothing of what is asked; the queries are in ledger.py and exchange.py.
"""

import json
import math
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from daxlab.errors import InputError
from daxlab.runs import files
from daxlab.runs.schema import ROW

Row = dict[str, Any]
SETTING = ("dataset", "split", "learner", "label", "fields")
"""What describes a setting to a reader."""


class Reader:
    """A connection that reads: while a writer writes, or in a folder that cannot be written."""

    def __init__(self, path: str | Path, db: sqlite3.Connection | None = None) -> None:
        self.path = Path(path)
        self.db = db or files.reader(self.path)

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Every query inside sees the same state, whatever is written meanwhile."""
        self.query("begin")
        try:
            yield
        finally:
            if self.db.in_transaction:  # a disk that does not answer has ended it already
                self.query("rollback")

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows that a query gives."""
        with files.explained(self.path):
            return self.db.execute(sql, values).fetchall()

    def keys(self, sql: str, values: Sequence[Any]) -> list[str]:
        """The keys that a query gives, in hexadecimal."""
        return [self.decode_key(key) for (key,) in self.query(sql, values)]

    def damage(self, what: str, run: str | None = None) -> InputError:
        """The error for something of the ledger, or of one run, that cannot be read."""
        remedy = "use a copy of the ledger"
        if run is not None:
            what = f"{what} of run {run[:12]}"
            remedy = f"delete that run ('daxlab runs delete {run[:12]}') and train it again, or {remedy}"
        return InputError(f"{self.path} is damaged: {what} cannot be read; {remedy}")

    def decode_key(self, key: Any) -> str:
        """A key in hexadecimal."""
        if not isinstance(key, bytes) or len(key) != 32:
            raise self.damage("the key of a run or a group")
        return key.hex()

    def decode(self, text: Any, kind: type, what: str, run: str | None = None) -> Any:
        """A value that is stored as JSON, of the type that it must have."""
        try:
            value = json.loads(text)
            if isinstance(value, kind):
                return value
        except (TypeError, ValueError, RecursionError):
            pass
        raise self.damage(f"the {what}", run)

    def decode_row(self, row: Row) -> Row:
        """A row of runs (schema.ROW) as readers have it."""
        row["key"] = run = self.decode_key(row["key"])
        for name, (_, kind) in ROW.items():
            if name != "key" and not isinstance(row[name], kind):
                raise self.damage(f"the {name}", run)
        row["group"] = None if row["group"] is None else self.decode_key(row["group"])
        for name in ("fields", "origin", "spec"):
            row[name] = self.decode(row[name], dict, name, run)
        row["spec"]["seed"] = row["seed"]
        return row

    def decode_settings(self, found: Iterable[Sequence[Any]]) -> list[Row]:
        """Rows with what describes a setting: SETTING, the fields as dicts."""
        kinds = [ROW[name][1] for name in SETTING]
        fields: dict[str, Row] = {}  # many settings have the same learner
        rows = []
        for values in found:
            if not all(map(isinstance, values, kinds)):
                raise self.damage("a setting")
            row = dict(zip(SETTING, values, strict=True))
            text = row["fields"]
            if text not in fields:
                fields[text] = self.decode(text, dict, f"fields of {row['label']}")
            row["fields"] = fields[text].copy()
            rows.append(row)
        return rows

    def decode_details(self, run: str, texts: Sequence[Any]) -> tuple[Row, Row, dict[str, list[float]]]:
        """Further metrics, timing and curve of a run."""
        metrics, timing = (
            self.decode(text, dict, name, run) for name, text in zip(("metrics", "timing"), texts, strict=False)
        )
        for name, numbers in (("metrics", metrics), ("timing", timing)):
            if not all(isinstance(value, int | float) for value in numbers.values()):
                raise self.damage(f"the {name}", run)
        return metrics, timing, self.decode_curve(texts[2], run)

    def decode_curve(self, text: Any, run: str) -> dict[str, list[float]]:
        """A learning curve; what is not finite was stored as null."""
        lines = self.decode(text, dict, "curve", run)
        for line in lines.values():
            if not isinstance(line, list) or not all(isinstance(point, int | float | None) for point in line):
                raise self.damage("the curve", run)
        return {name: [math.nan if point is None else point for point in line] for name, line in lines.items()}

    def decompress(self, payload: Any, kind: str, run: str) -> bytes:
        """The content of an artefact."""
        try:
            return zlib.decompress(payload)
        except (TypeError, zlib.error) as error:
            raise self.damage(f"the {kind}", run) from error
