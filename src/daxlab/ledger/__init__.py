"""Runs: what identifies one, how it is scored, and the ledger that keeps them.

    records.py     runs and groups, and the keys that name them
    artefacts.py   answers, likelihoods and arrays as compact bytes
    decoding.py    how values are read, and what is malformed
    schema.py      the tables, the columns of queries, and filters as SQL
    files.py       opening the file: one writer, network disks, what is damaged, what lies beside it
    ledger.py      queries
    location.py    where ledgers are
    writer.py      the one writer
    exchange.py    merge, export; CSV, JSONL and Parquet
    trained.py     a run's model, to be asked again
    folder.py      a run as a folder to publish

The ledger is one SQLite file. Nothing outside these files knows its format, and they know nothing of training.
"""

from daxlab.ledger.artefacts import (
    Targets as Targets,
    pack_answers as pack_answers,
    pack_arrays as pack_arrays,
    pack_likelihoods as pack_likelihoods,
    pack_neighbours as pack_neighbours,
    unpack_answers as unpack_answers,
    unpack_arrays as unpack_arrays,
    unpack_likelihoods as unpack_likelihoods,
    unpack_neighbours as unpack_neighbours,
    unpack_wrong as unpack_wrong,
)
from daxlab.ledger.exchange import (
    Merged as Merged,
    export as export,
    merge as merge,
    write_frame as write_frame,
    write_table as write_table,
)
from daxlab.ledger.files import is_written as is_written
from daxlab.ledger.ledger import Ledger as Ledger
from daxlab.ledger.records import Group as Group, Run as Run, canonical as canonical, key as key
from daxlab.ledger.writer import Writer as Writer
