"""Which words of a command an attentive network looks at, action by action, for the commands that are named one by one.

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
    """A row per named command, step of its answer and word: command, step, action, place, word, weight.

    Steps and places count from 1. Empty if the run has no such artefact, as where its network has no attention.
    """
    (row,) = runs(ledger, [key])
    answered, looked = (ledger.artefact(key, kind) for kind in ("named", "attention"))
    if answered is None or looked is None:
        return pl.DataFrame(schema=SCHEMA)
    probes = dataset(row["spec"]["language"]["name"]).probes()
    answers = unpack_answers(answered, [example.actions for example in probes])
    weights = unpack_arrays(looked)
    found = []
    for n, (probe, answer) in enumerate(zip(probes, answers, strict=True)):
        command = probe.command
        map_of_shares = (
            np.asarray(weights[f"w{n}"]) / LEVELS
        )  # [steps, words and end]; no step for an end never reached
        words, actions = [*command.split(), END], [*answer, END][: len(map_of_shares)]
        found += [
            (command, step, action, place, word, float(map_of_shares[step - 1, place - 1]))
            for step, action in enumerate(actions, 1)
            for place, word in enumerate(words, 1)
        ]
    return pl.DataFrame(found, SCHEMA, orient="row")
