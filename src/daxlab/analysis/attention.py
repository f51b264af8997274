"""Which words of a command a network with attention looks at, action by action, for the dataset's probes.

Reads what training left in the ledger (the artefacts "named" and "attention"); computes no weight itself.
"""

from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.answers import runs
from daxlab.datasets import dataset
from daxlab.runs import Ledger, unpack_answers, unpack_arrays

END = "end"  # of the command, which is looked at like a word, and of the answer, which is a step like an action
LEVELS = 255  # weights are stored as shares of it
SCHEMA: dict[str, Any] = {"command": str, "step": int, "action": str, "place": int, "word": str, "weight": float}


def attention(ledger: Ledger, key: str) -> pl.DataFrame:
    """A row per probe, step of its answer and word: command, step, action, place, word, weight.

    Steps and places count from 1. Empty if the run has no attention weights.
    """
    (row,) = runs(ledger, [key])
    answered, weights = (ledger.artefact(key, kind) for kind in ("named", "attention"))
    if answered is None or weights is None:
        return pl.DataFrame(schema=SCHEMA)
    probes = dataset(row["dataset"]).probes()
    answers, maps = unpack_answers(answered, [probe.actions for probe in probes]), unpack_arrays(weights)
    rows = []
    for n, (probe, answer) in enumerate(zip(probes, answers, strict=True)):
        shares = np.asarray(maps[f"w{n}"]) / LEVELS  # [steps, words and end]; an end never reached has no step
        words, actions = [*probe.command.split(), END], [*answer, END][: len(shares)]
        rows += [
            (probe.command, step, action, place, word, float(shares[step - 1, place - 1]))
            for step, action in enumerate(actions, 1)
            for place, word in enumerate(words, 1)
        ]
    return pl.DataFrame(rows, SCHEMA, orient="row")
