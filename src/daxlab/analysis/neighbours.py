"""Experiment 3: the training commands whose final encoder states are nearest to those of some named commands.

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
    """A row per named command and neighbour: command, rank (from 1), neighbour, cosine. None is its own neighbour.

    Empty if the run has no such artefact.
    """
    (row,) = runs(ledger, [key])
    content = ledger.artefact(key, "neighbours")
    if content is None:
        return pl.DataFrame(schema=SCHEMA)
    train = trained_on(*identity(row)).train
    probes = dataset(row["spec"]["language"]["name"]).probes()
    places, cosines = (np.asarray(unpack_arrays(content)[name]).tolist() for name in ("places", "cosines"))
    found = []
    for probe, where, how_near in zip(probes, places, cosines, strict=True):
        command = probe.command
        near = [(train[place].command, cosine) for place, cosine in zip(where, how_near, strict=True)]
        others = sorted((one for one in near if one[0] != command), key=lambda one: -one[1])[:nearest]
        found += [(command, rank, *other) for rank, other in enumerate(others, 1)]
    return pl.DataFrame(found, SCHEMA, orient="row")
