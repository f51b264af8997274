"""Runs: what identifies one, how it is scored, and the ledger that keeps them.

    records.py     runs and groups, and the keys that name them
    artefacts.py   answers, likelihoods and arrays as compact bytes
    schema.py      the tables, and filters as SQL
    files.py       opening the file: one writer, network disks, what is damaged, what lies beside it
    reading.py     an open ledger, and how its values are read
    ledger.py      queries
    writer.py      the one writer
    exchange.py    merge, export, CSV and Parquet

The ledger is one SQLite file. Nothing outside these files knows its format, and they know nothing of training.
"""

from daxlab.runs.artefacts import (
    pack_answers,
    pack_arrays,
    pack_likelihoods,
    unpack_answers,
    unpack_arrays,
    unpack_likelihoods,
)
from daxlab.runs.exchange import Merged, export, merge, write_table
from daxlab.runs.files import is_written
from daxlab.runs.ledger import Ledger
from daxlab.runs.records import Group, Run, canonical, key
from daxlab.runs.writer import Writer

__all__ = [
    "Group",
    "Ledger",
    "Merged",
    "Run",
    "Writer",
    "canonical",
    "export",
    "is_written",
    "key",
    "merge",
    "pack_answers",
    "pack_arrays",
    "pack_likelihoods",
    "unpack_answers",
    "unpack_arrays",
    "unpack_likelihoods",
    "write_table",
]
