"""What a fitted learner is asked before it is let go: all that the ledger will know of it.

Its answers to every test set and to the training examples; and, as far as it has the ability, answers of the right
length, likelihoods, and of the dataset's probes the nearest training commands and the attention weights.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from daxlab.learners import Answered, Failure, Fitted
from daxlab.runs.artefacts import pack_answers, pack_arrays, pack_likelihoods

NEAREST = 10  # training commands that are kept for each probe
AT_ONCE = 8  # runs whose states for all training commands are held at a time
NO_LIKELIHOOD = "its answers have no finite likelihood"


@dataclass
class Scored:
    """What one run leaves in the ledger."""

    metrics: dict[str, float] = field(default_factory=dict)
    artefacts: dict[str, bytes] = field(default_factory=dict)
    failure: Failure | None = None


def score(fitted: Fitted) -> list[Scored]:
    """Each run's metrics, in percent, and artefacts; of a run that failed, only why."""
    jobs = fitted.jobs
    found = [Scored(failure=failure) for failure in fitted.failures]
    _score_main(fitted, found)
    for name in dict.fromkeys(name for job in jobs for name in list(job.split.tests)[1:]):
        asked = [job.split.tests.get(name, ()) for job in jobs]
        for n, answered in enumerate(fitted.ask(asked)):
            if asked[n]:
                found[n].metrics[f"accuracy.{name}"] = accuracy(answered)
                found[n].artefacts[f"greedy.{name}"] = _packed(answered)
    if probes := jobs[0].dataset.probes():
        _score_probes(fitted, found, [probe.command for probe in probes], [probe.actions for probe in probes])
    for one in found:
        if one.failure is not None:
            one.metrics.clear()
            one.artefacts.clear()
    return found


def accuracy(answered: Answered) -> float:
    """The percentage of examples whose answer is exactly right."""
    return 100 * (sum(map(bool, answered.right)) / len(answered.asked))


def _packed(answered: Answered) -> bytes:
    return pack_answers(answered.answers, [example.actions for example in answered.asked])


def _score_main(fitted: Fitted, found: list[Scored]) -> None:
    """The main test set and the training examples."""
    tests, trains = ([job.split.test for job in fitted.jobs], [job.split.train for job in fitted.jobs])
    greedy = fitted.ask(tests)
    oracle = fitted.ask_with_length(tests) if "oracle length" in fitted.abilities else None
    train = fitted.ask(trains)
    likelihoods = fitted.likelihoods(greedy) if "likelihoods" in fitted.abilities else None
    for n, one in enumerate(found):
        if likelihoods is not None and not _are_numbers(likelihoods[n]):
            one.failure = one.failure or Failure(fitted.jobs[n].learner.steps, NO_LIKELIHOOD)
        if one.failure is not None:
            continue
        one.metrics |= {"accuracy": accuracy(greedy[n]), "train_accuracy": accuracy(train[n])}
        one.metrics |= fitted.jobs[n].dataset.scores(tests[n], greedy[n].answers)
        one.artefacts["greedy"] = _packed(greedy[n])
        cut = [place for place, ended in enumerate(greedy[n].ended) if not ended]
        one.artefacts["unended"] = pack_arrays({"places": _int32(cut)})
        if oracle is not None:
            one.metrics["oracle_accuracy"] = accuracy(oracle[n])
            one.artefacts["oracle"] = _packed(oracle[n])
        if likelihoods is not None:
            one.artefacts["likelihoods"] = pack_likelihoods(*(row.tolist() for row in likelihoods[n]))


def _int32(numbers: Sequence[int]) -> Any:
    from array import array

    return array("i", numbers)


def _are_numbers(likelihoods: tuple[Any, Any]) -> bool:
    return not any(isnan(value) for row in likelihoods for value in row.tolist())


def _score_probes(
    fitted: Fitted, found: list[Scored], commands: Sequence[str], targets: Sequence[Sequence[str]]
) -> None:
    """Of the probes: answers, the nearest training commands, attention weights."""
    probes = list(fitted.jobs[0].dataset.probes())
    for one, answered in zip(found, fitted.ask([probes] * len(found)), strict=True):
        one.artefacts["named"] = pack_answers(answered.answers, targets)
    if "states" in fitted.abilities:
        for n, (places, cosines) in _neighbours(fitted, commands):
            found[n].artefacts["neighbours"] = pack_arrays({"places": places, "cosines": cosines})
    if "attention" in fitted.abilities:
        import numpy as np

        for one, maps in zip(found, fitted.attention(commands), strict=True):
            shares = {f"w{i}": np.rint(255 * np.nan_to_num(w)).astype(np.uint8) for i, w in enumerate(maps)}
            one.artefacts["attention"] = pack_arrays(shares)


def _neighbours(fitted: Fitted, commands: Sequence[str]) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """For each run: places in its training set, and cosines, of the commands nearest to each probe."""
    import numpy as np

    splits = {id(job.split): job.split for job in fitted.jobs}
    for split in splits.values():
        members = [n for n, job in enumerate(fitted.jobs) if job.split is split]
        train = [example.command for example in split.train]
        same = np.array([[a == b for b in train] for a in commands])
        for start in range(0, len(members), AT_ONCE):
            some = members[start : start + AT_ONCE]
            pairs = zip(some, fitted.states(some, commands), fitted.states(some, train), strict=True)
            for n, asked, known in pairs:
                yield n, nearest(asked, known, same)


def nearest(asked: Any, known: Any, same: Any) -> tuple[Any, Any]:
    """Places and cosines [probes, NEAREST] of the known states nearest to each asked one, itself (`same`) left out."""
    import numpy as np

    length = np.linalg.norm(asked, axis=1)[:, None] * np.linalg.norm(known, axis=1)
    cosines = np.where(same, -2, asked @ known.T / np.maximum(length, 1e-30))  # [probes, known]
    places = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
    return places.astype(np.int32), np.take_along_axis(cosines, places, axis=1).astype(np.float32)
