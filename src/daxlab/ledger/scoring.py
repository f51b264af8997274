"""What a fitted learner is asked before it is let go: all that the ledger will know of it.

Its answers to every test set and to the training examples; and, as far as it has the ability, answers of the right
length, likelihoods, its record, and of the dataset's probes the nearest training commands and the attention weights.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from daxlab.languages import Example
from daxlab.learners import NO_ANSWER, Answered, Failure, Fitted, Learner
from daxlab.ledger.artefacts import pack_answers, pack_arrays, pack_likelihoods, pack_neighbours, pack_record

NEAREST = 10  # training commands that are kept for each probe


@dataclass
class Scored:
    """What one run leaves in the ledger."""

    metrics: dict[str, float] = field(default_factory=dict)
    artefacts: dict[str, bytes] = field(default_factory=dict)
    failure: Failure | None = None


def score(fitted: Fitted, on_progress: Callable[[int, int], object] = lambda done, of: None) -> list[Scored]:
    """Each run's metrics, in percent, and artefacts; of a run that failed, only why.

    `on_progress` is told how many answers have come, and of how many.
    """
    jobs, done, of = fitted.jobs, 0, _answers_wanted(fitted)

    def count(more: int) -> None:
        nonlocal done
        done = min(done + more, of)
        on_progress(done, of)

    fitted.on_answers = count
    runs = [Scored(failure=failure) for failure in fitted.failures]
    _score_main(fitted, runs)
    for name in dict.fromkeys(name for job in jobs for name in list(job.split.tests)[1:]):
        asked = [job.split.tests.get(name, ()) for job in jobs]
        for run, answered in zip(runs, fitted.ask(asked), strict=True):
            if answered.asked:
                run.metrics[f"accuracy.{name}"] = accuracy(answered)
                run.metrics |= _abstentions(answered, jobs[0].learner, f".{name}")
                run.artefacts[f"greedy.{name}"] = _packed(answered)
    if probes := list(jobs[0].dataset.probes()):
        _score_probes(fitted, runs, probes)
    if "record" in fitted.abilities:
        for n, run in enumerate(runs):
            run.artefacts["record"] = pack_record(fitted.record(n))
    return [Scored(failure=run.failure) if run.failure else run for run in runs]


def _answers_wanted(fitted: Fitted) -> int:
    """How many answers scoring asks for, likelihoods and states included."""
    able, wanted = fitted.abilities, 0
    probes = len(list(fitted.jobs[0].dataset.probes()))
    for split in (job.split for job in fitted.jobs):
        times = 1 + ("oracle length" in able) + 2 * ("likelihoods" in able)
        wanted += times * len(split.test) + len(split.asked_again) + probes
        wanted += sum(map(len, list(split.tests.values())[1:]))
        if probes and "states" in able:
            wanted += len(split.train) + probes
    return wanted


def accuracy(answered: Answered) -> float:
    """The percentage of examples whose answer is exactly right."""
    return 100 * (sum(map(bool, answered.right)) / len(answered.asked))


def _abstentions(answered: Answered, learner: Learner, end: str = "") -> dict[str, float]:
    """The percentage of examples that a learner has no answer to, if it may have none."""
    if not learner.abstains:
        return {}
    return {f"abstained{end}": 100 * sum(answer == NO_ANSWER for answer in answered.answers) / len(answered.asked)}


def _packed(answered: Answered) -> bytes:
    return pack_answers(answered.answers, [example.actions for example in answered.asked])


def _score_main(fitted: Fitted, runs: list[Scored]) -> None:
    """The main test set and the training examples."""
    import numpy as np

    tests, trains = ([job.split.test for job in fitted.jobs], [job.split.asked_again for job in fitted.jobs])
    greedy = fitted.ask(tests)
    oracle = fitted.ask_with_length(tests) if "oracle length" in fitted.abilities else None
    train = fitted.ask(trains)
    likelihoods = fitted.likelihoods(greedy) if "likelihoods" in fitted.abilities else None
    for n, (run, job) in enumerate(zip(runs, fitted.jobs, strict=True)):
        if likelihoods is not None and any(np.isnan(row).any() for row in likelihoods[n]):
            run.failure = run.failure or Failure(job.learner.steps, "its answers have no finite likelihood")
        if run.failure is not None:
            continue
        run.metrics |= {"accuracy": accuracy(greedy[n]), "train_accuracy": accuracy(train[n])}
        run.metrics |= _abstentions(greedy[n], job.learner)
        run.metrics |= job.dataset.scores(tests[n], greedy[n].answers)
        run.artefacts["greedy"] = _packed(greedy[n])
        unended = [place for place, ended in enumerate(greedy[n].ended) if not ended]
        run.artefacts["unended"] = pack_arrays({"places": np.array(unended, np.int32)})
        if oracle is not None:
            run.metrics["oracle_accuracy"] = accuracy(oracle[n])
            run.artefacts["oracle"] = _packed(oracle[n])
        if likelihoods is not None:
            run.artefacts["likelihoods"] = pack_likelihoods(*(row.tolist() for row in likelihoods[n]))


def _score_probes(fitted: Fitted, runs: list[Scored], probes: Sequence[Example]) -> None:
    """Of the probes: answers, the nearest training commands, attention weights."""
    import numpy as np

    commands = [probe.command for probe in probes]
    for run, answered in zip(runs, fitted.ask([probes] * len(runs)), strict=True):
        run.artefacts["named"] = _packed(answered)
    if "states" in fitted.abilities:
        for n, near in _neighbours(fitted, commands):
            runs[n].artefacts["neighbours"] = pack_neighbours(near)
    if "attention" in fitted.abilities:
        for run, maps in zip(runs, fitted.attention(commands), strict=True):
            shares = {f"w{i}": np.rint(255 * np.nan_to_num(w)).astype(np.uint8) for i, w in enumerate(maps)}
            run.artefacts["attention"] = pack_arrays(shares)


def _neighbours(fitted: Fitted, commands: Sequence[str]) -> Iterator[tuple[int, dict[str, tuple[Any, Any]]]]:
    """For each run: places in its training set, and cosines, of the commands nearest to each probe, by state."""
    import numpy as np

    splits = {id(job.split): job.split for job in fitted.jobs}
    for split in splits.values():
        train = [example.command for example in split.train]
        same = np.array([[a == b for b in train] for a in commands])
        for n in (n for n, job in enumerate(fitted.jobs) if job.split is split):
            asked, learnt = fitted.states(n, commands), fitted.states(n, train)
            yield n, {state: nearest(asked[state], learnt[state], same) for state in asked}


def nearest(asked: Any, learnt: Any, same: Any) -> tuple[Any, Any]:
    """Places and cosines [probes, NEAREST] of the learnt states nearest to each asked one, itself (`same`) left out.

    Of equals the first come first. Only those at least as near as the last one that is kept are sorted.
    """
    import numpy as np

    length = np.linalg.norm(asked, axis=1)[:, None] * np.linalg.norm(learnt, axis=1)
    cosines = asked @ learnt.T / np.maximum(length, 1e-30)  # [probes, learnt]
    cosines = np.where(same | np.isnan(cosines), -2, cosines)
    kept = min(NEAREST, cosines.shape[1])
    least = np.partition(cosines, -kept, axis=1)[:, -kept]
    near = [np.flatnonzero(row >= bound) for row, bound in zip(cosines, least, strict=True)]
    ranked = [some[np.argsort(-row[some], kind="stable")][:kept] for row, some in zip(cosines, near, strict=True)]
    places = np.array(ranked, np.int32)
    return places, np.take_along_axis(cosines, places, axis=1).astype(np.float32)
