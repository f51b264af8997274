"""The ledger of runs: one SQLite file, written by one driver, read by anyone, at any time.

    records.py     what a run and a group are, and the key that names them
    artefacts.py   predictions, likelihoods and arrays as compact bytes
    schema.py      the tables
    files.py       opening the file: who may write, what is damaged, what lies on a network disk
    conditions.py  what `where` asks for, as SQL
    ledger.py      what its readers ask
    writer.py      what its one writer records
    progress.py    what those ask who watch
    exchange.py    ledger to ledger, ledger to CSV and Parquet

Nothing outside this package knows the file's format. It knows nothing of training or languages.
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
