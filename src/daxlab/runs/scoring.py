"""What a trained group is asked before it is let go: all that the ledger will ever know of its networks.

Answers to the test commands, with and without the right lengths, and to the training commands; likelihoods; and, of the
commands that the paper looks at one by one, the nearest training commands and the attention weights. Needs JAX.
"""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daxlab import engine
from daxlab.datasets import bleu
from daxlab.languages import Example
from daxlab.networks.contract import Encodes
from daxlab.runs import pack_answers, pack_arrays, pack_likelihoods
from daxlab.symbols import PAD

NEAREST = 10  # training commands that are kept of each named command
AT_ONCE = 8  # runs whose encoder states for all training commands are held at a time


@dataclass(frozen=True)
class Examined:
    """What one run leaves in the ledger."""

    metrics: dict[str, float]
    artefacts: dict[str, bytes]


def examine(
    group: engine.Group, networks: Any, named: Sequence[Example], attention: bool, translates: bool = False
) -> list[Examined | None]:
    """Each run's metrics (in percent; of translations BLEU too) and artefacts; None where likelihoods are not numbers.

    `named` are commands of their language to look at closely; `attention`: the networks have attention weights.
    """
    greedy = engine.evaluate(group, networks)
    oracle = engine.evaluate(group, networks, oracle_length=True)
    train = [one.accuracy for one in engine.evaluate(_asked(group, "train"), networks)]
    likelihoods = engine.likelihoods(group, networks, greedy)
    found: list[Examined | None] = []
    for n, run in enumerate(group.runs):
        if np.isnan(likelihoods[n]).any():
            found.append(None)
            continue
        targets = [example.actions for example in run.split.test]
        metrics = {
            "accuracy": 100 * greedy[n].accuracy,
            "train_accuracy": 100 * train[n],
            "oracle_accuracy": 100 * oracle[n].accuracy,
            **(bleu.scores(run.split.test, greedy[n].answers) if translates else {}),
        }
        artefacts = {
            "greedy": pack_answers(greedy[n].answers, targets),
            "oracle": pack_answers(oracle[n].answers, targets),
            "likelihoods": pack_likelihoods(*(row.tolist() for row in likelihoods[n])),
        }
        found.append(Examined(metrics, artefacts))
    for n, artefacts in enumerate(_close_up(group, networks, named, attention) if named else []):
        if one := found[n]:
            one.artefacts.update(artefacts)
    return found


def rehearse(group: engine.Group, named: Sequence[Example], attention: bool) -> Thread:
    """Examines untrained networks on a command each, in a thread: so all programs are compiled when they are needed."""

    def work() -> None:
        with contextlib.suppress(Exception):  # what is wrong here will be wrong again where it is reported
            networks = group.start()
            engine.sample_accuracy(group, networks, 1)
            examine(_asked(group, "one of each"), networks, named, attention)

    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread


def _asked(group: engine.Group, what: str) -> engine.Group:
    """The same runs, tested on what they were trained on, or with splits of one command."""

    def changed(split: Any) -> Any:
        if what == "train":
            return replace(split, test=split.train)
        return replace(split, train=split.train[:1], weights=split.weights[:1], test=split.test[:1])

    splits = {id(run.split): changed(run.split) for run in group.runs}
    return replace(group, runs=tuple(replace(run, split=splits[id(run.split)]) for run in group.runs))


def _close_up(group: engine.Group, networks: Any, named: Sequence[Example], attention: bool) -> list[dict[str, bytes]]:
    """Of the named commands: answers, the nearest training commands, attention weights."""
    commands = group.encoding.commands([example.command for example in named])
    given = engine.answers(networks, commands, cap=group.encoding.answer_time)  # [runs, named, cap]
    targets, words = [example.actions for example in named], group.encoding.actions.sequence
    found = [{"named": pack_answers([words(row.tolist()) for row in rows], targets)} for rows in given]
    if isinstance(networks, Encodes):
        for n, (places, cosines) in _neighbours(group, networks, [example.command for example in named]):
            found[n]["neighbours"] = pack_arrays({"places": places, "cosines": cosines})
    if attention:
        looked = engine.attentions(networks, np.stack([commands] * len(given)), given)
        steps = np.sum(given != PAD, axis=-1)
        for n, rows in enumerate(looked):
            seen = [rows[i, : steps[n, i], : len(example.command.split()) + 1] for i, example in enumerate(named)]
            found[n]["attention"] = pack_arrays(
                {f"w{i}": np.rint(255 * np.nan_to_num(w)).astype(np.uint8) for i, w in enumerate(seen)}
            )
    return found


def _neighbours(
    group: engine.Group, networks: Any, named: Sequence[str]
) -> Iterator[tuple[int, tuple[NDArray[np.int32], NDArray[np.float32]]]]:
    """For each run: places in its training set, and cosines, of the commands nearest to each of the named ones."""
    asked = group.encoding.commands(named)
    for split, members in group.by_split():
        train = [example.command for example in split.train]
        rows = group.encoding.commands(train)
        find = partial(nearest, same=np.array([[a == b for b in train] for a in named]))
        for start in range(0, len(members), AT_ONCE):
            some = members[start : start + AT_ONCE]
            chosen = engine.subset(networks, some)
            yield from zip(
                some,
                map(
                    find,
                    engine.encodings(chosen, asked)[:, :, -1],  # [runs, named, hidden]: the top layer
                    engine.encodings(chosen, rows)[:, :, -1],
                ),
                strict=True,
            )


def nearest(
    asked: NDArray[np.float32], known: NDArray[np.float32], same: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Places and cosines [named, NEAREST] of the known states nearest to each asked one, itself (`same`) left out."""
    length = np.linalg.norm(asked, axis=1)[:, None] * np.linalg.norm(known, axis=1)
    cosines = np.where(same, -2, asked @ known.T / np.maximum(length, 1e-30))  # [named, known]
    places = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
    return places.astype(np.int32), np.take_along_axis(cosines, places, axis=1).astype(np.float32)
