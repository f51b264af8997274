"""What a network makes of its dataset's probes: the words it looks at, and the training commands nearest to them.

Reads what training left in the ledger (the artefacts "named", "attention" and "neighbours"); computes nothing itself.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from daxlab.analysis.answers import runs, trained_on
from daxlab.datasets import dataset
from daxlab.ledger import Ledger, unpack_answers, unpack_arrays, unpack_neighbours
from daxlab.ledger.scoring import NEAREST
from daxlab.symbols import FINAL

END = "end"  # of the command, which is looked at like a word, and of the answer, which is a step like an action
LEVELS = 255  # weights are stored as shares of it
ATTENTION: dict[str, Any] = {"command": str, "step": int, "action": str, "place": int, "word": str, "weight": float}
NEIGHBOURS: dict[str, Any] = {"command": str, "rank": int, "neighbour": str, "cosine": float}


def attention(ledger: Ledger, key: str) -> pl.DataFrame:
    """A row per probe, step of its answer and word: command, step, action, place, word, weight.

    Steps and places count from 1. Empty if the run has no attention weights.
    """
    (row,) = runs(ledger, [key])
    answered, weights = (ledger.artefact(key, kind) for kind in ("named", "attention"))
    if answered is None or weights is None:
        return pl.DataFrame(schema=ATTENTION)
    probes = dataset(row["dataset"]).probes()
    answers, maps = unpack_answers(answered, [probe.actions for probe in probes]), unpack_arrays(weights)
    shares = (np.asarray(maps[f"w{n}"]) / LEVELS for n in range(len(probes)))
    return attended(
        (probe.command, answer, share) for probe, answer, share in zip(probes, answers, shares, strict=True)
    )


def attended(looked: Iterable[tuple[str, Sequence[str], Any]]) -> pl.DataFrame:
    """The same of commands, answers and their weights: [steps, words and end]; an end never reached has no step."""
    rows: list[tuple[Any, ...]] = []
    for command, answer, weights in looked:
        words, actions = [*command.split(), END], [*answer, END][: len(weights)]
        rows += [
            (command, step, action, place, word, float(weights[step - 1][place - 1]))
            for step, action in enumerate(actions, 1)
            for place, word in enumerate(words, 1)
        ]
    return pl.DataFrame(rows, ATTENTION, orient="row")


def states(ledger: Ledger, key: str) -> list[str]:
    """The encoder states by which a run's neighbours were kept, by name, "final" first; none if it has none."""
    return list(_kept(ledger, key))


def neighbours(ledger: Ledger, key: str, nearest: int = 5, state: str = FINAL) -> pl.DataFrame:
    """A row per probe and training command near it: command, rank (from 1), neighbour, cosine (Experiment 3).

    Cosines are of an encoder state: "final" (of a recurrent network, the top layer's hidden state after the last word
    and <EOS>) or another of `states`. No command is its own neighbour. Empty if the run did not keep that state's.
    """
    (row,) = runs(ledger, [key])
    kept = _kept(ledger, key)
    if state not in kept:
        return pl.DataFrame(schema=NEIGHBOURS)
    train = trained_on(row).train
    places, cosines = (array.tolist() for array in kept[state])
    rows = []
    for probe, where, how_near in zip(dataset(row["dataset"]).probes(), places, cosines, strict=True):
        near = [(train[place].command, cosine) for place, cosine in zip(where, how_near, strict=True)]
        others = sorted((pair for pair in near if pair[0] != probe.command), key=lambda pair: -pair[1])[:nearest]
        rows += [(probe.command, rank, *other) for rank, other in enumerate(others, 1)]
    return pl.DataFrame(rows, NEIGHBOURS, orient="row")


def nearest(ledger: Ledger, keys: Iterable[str], state: str = FINAL, without: Sequence[str] = ()) -> pl.DataFrame:
    """A row per probe: command; neighbour and cosine, lists of the nearest training command in every run that kept it.

    `without`: training commands that do not count as neighbours.
    """
    kept = [neighbours(ledger, key, NEAREST, state).filter(~pl.col("neighbour").is_in(without)) for key in keys]
    first = [frame.unique("command", keep="first", maintain_order=True) for frame in kept]
    frame = pl.concat([pl.DataFrame(schema=NEIGHBOURS), *first])
    return frame.group_by("command", maintain_order=True).agg("neighbour", "cosine")


def _kept(ledger: Ledger, key: str) -> dict[str, Any]:
    content = ledger.artefact(key, "neighbours")
    return {} if content is None else unpack_neighbours(content)
