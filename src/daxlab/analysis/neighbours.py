"""The training commands whose final encoder states are nearest to those of the dataset's probes (Experiment 3).

Reads what training left in the ledger (the artefact "neighbours"); computes no state itself.
"""

from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.answers import identity, runs, trained_on
from daxlab.datasets import dataset
from daxlab.runs import Ledger, unpack_arrays

SCHEMA: dict[str, Any] = {"command": str, "rank": int, "neighbour": str, "cosine": float}


def neighbours(ledger: Ledger, key: str, nearest: int = 5) -> pl.DataFrame:
    """A row per probe and neighbour: command, rank (from 1), neighbour, cosine. No command is its own neighbour.

    Empty if the run has no encoder states.
    """
    (row,) = runs(ledger, [key])
    content = ledger.artefact(key, "neighbours")
    if content is None:
        return pl.DataFrame(schema=SCHEMA)
    train = trained_on(*identity(row)).train
    places, cosines = (np.asarray(unpack_arrays(content)[name]).tolist() for name in ("places", "cosines"))
    rows = []
    for probe, where, how_near in zip(dataset(row["dataset"]).probes(), places, cosines, strict=True):
        near = [(train[place].command, cosine) for place, cosine in zip(where, how_near, strict=True)]
        others = sorted((pair for pair in near if pair[0] != probe.command), key=lambda pair: -pair[1])[:nearest]
        rows += [(probe.command, rank, *other) for rank, other in enumerate(others, 1)]
    return pl.DataFrame(rows, SCHEMA, orient="row")
