"""A ledger of runs that nobody trained: known shares of their answers are right, so that every part of a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import searched
from daxlab.datasets import Split, dataset
from daxlab.learners import Context, Learner
from daxlab.ledger import Run, Writer, pack_answers, pack_arrays, pack_likelihoods
from daxlab.ledger.scoring import score
from daxlab.ledger.spec import Spec
from daxlab.paper.experiments import BEST, FEW, NETWORKS, OVERALL

SETTINGS = [  # network, split, share right by seed
    (OVERALL, "length", (0.10, 0.20)),
    (BEST["length"], "length", (0.30, 0.20)),
    (OVERALL, "jump", (0.0, 0.0, 0.001)),
    (OVERALL, "jump-once", (0.0,)),
    (OVERALL, "turn-left", (0.9, 0.8, 0.7)),
    (OVERALL, "turn-left-once", (0.3, 0.2)),
    (OVERALL, "walk", (0.001,)),
    (OVERALL, "size-32", (0.8, 0.9)),
    (OVERALL, "simple", (1.0, 0.99)),
    (FEW, "jump", (0.01, 0.02)),
    (FEW, "few-jump-8-rep1", (0.3,)),
    (FEW, "few-jump-8-rep2", (0.5,)),
    (FEW, "few-jump-32-rep1", (0.9,)),
]


def made_up(path: Path) -> Path:
    """The ledger, with a failed run and one of another protocol too, and on jump a search."""
    with Writer(path) as writer:
        runs = [
            run(Spec(split, seed, NETWORKS[network]), share)
            for network, split, shares in SETTINGS
            for seed, share in enumerate(shares)
        ]
        runs.append(run(Spec("turn-left", 0, replace(NETWORKS[OVERALL], clip=1.0)), 0.95))
        failed = Spec("jump", 9, NETWORKS[OVERALL]).facts()
        runs.append(Run(spec=failed, status="failed", failed_at=70, reason="not finite"))
        writer.add(runs)
        named = set(NETWORKS.values())  # whose runs are above, with their answers
        writer.add(searched.runs(lambda network, split, _: split == "jump" and network not in named))
    return path


def run(spec: Spec, share: float) -> Run:
    """A run of which such a share of the answers is right; the others lack their last action, or have one too many."""
    test = spec.content().test
    targets = [example.actions for example in test]
    wrong = range(round(share * len(test)), len(test))
    answers = [*targets]
    for n in wrong:
        answers[n] = targets[n][:-1] if n % 3 else (*targets[n], "I_WALK")
    oracle = [target if n % 2 else ("I_RUN", *target[1:]) for n, target in enumerate(targets)]
    right = sum(map(tuple.__eq__, answers, targets))
    oracle_right = sum(map(tuple.__eq__, oracle, targets))
    likelihoods = [-1.0] * len(test), [-2.0 if n in wrong else -1.0 for n in range(len(test))]
    artefacts = {
        "greedy": pack_answers(answers, targets),
        "oracle": pack_answers(oracle, targets),
        "likelihoods": pack_likelihoods(*likelihoods),
    }
    return Run(
        spec=spec.facts(),
        metrics={
            "accuracy": 100 * right / len(test),
            "train_accuracy": 80.0,
            "oracle_accuracy": 100 * oracle_right / len(test),
        },
        curve={
            "update": [10_000, 20_000],
            "train_accuracy": [50.0, 99.0],
            "test_accuracy": [20.0, 100 * share],
            "loss": [2.0, 0.1],
        },
        timing={"seconds": 12.5},
        origin={"device": "NVIDIA H200", "platform": "gpu", "daxlab": "0.1", "jax": "0.11"},
        artefacts=artefacts | probed(spec.learner, len(spec.content().train)),
    )


def probed(network: Any, train: int) -> dict[str, bytes]:
    """Neighbours, answers and attention for the dataset's probes."""
    named = dataset("scan").probes()
    answers: list[Sequence[str]] = [example.actions for example in named]
    places = np.arange(6 * len(named), dtype=np.int32).reshape(len(named), 6) % train
    cosines = np.tile(np.linspace(0.9, 0.1, 6, dtype=np.float32), (len(named), 1))
    found = {"neighbours": pack_arrays({"places": places, "cosines": cosines}), "named": pack_answers(answers, answers)}
    if network.attention:
        looked = {
            f"w{n}": np.full((len(example.actions) + 1, len(example.command.split()) + 1), 80, np.uint8)
            for n, example in enumerate(named)
        }
        found["attention"] = pack_arrays(looked)
    return found


@dataclass(frozen=True)
class Memory(Learner):
    """Knows the sentences it saw, and of others the words: it writes them one by one. No network."""

    kind: ClassVar[str] = "memory"
    forgets: int = 3  # every so-many-th sentence, from one that the seed says

    def fit_one(self, split: Split, seed: int) -> "Remembered":
        return Remembered(self.forgets, seed)


@dataclass(frozen=True)
class Remembered:
    forgets: int
    seed: int

    def answers(self, commands: Sequence[str]) -> list[tuple[str, ...]]:
        given = [tuple(command.upper().split()) for command in commands]
        return [answer[:-1] if (n + self.seed) % self.forgets == 0 else answer for n, answer in enumerate(given)]


def sentences(folder: Path) -> Path:
    """A folder of TSV files: a training set and two test sets, one of them with categories that differ in hardness."""
    folder.mkdir()
    plain = [f"the {who} {does}" for who in ("cat", "dog", "girl", "boy") for does in ("slept", "ate", "ran", "saw")]
    lines = {
        "train": [f"{text}\t{text.upper()}\tin_distribution" for text in plain],
        "test": [f"{text}\t{text.upper()}\tin_distribution" for text in plain[::3]],
        "gen": [f"{text}\t{text.upper()}\tsubj_to_obj" for text in plain]
        + [f"{text} and {text}\t{' '.join(text.upper().split()[::-1])}\tcp_recursion" for text in plain]
        + [f"a {text}\tA {text.upper()}\tactive_to_passive" for text in plain],
    }
    for name, some in lines.items():
        (folder / f"{name}.tsv").write_text("\n".join(some) + "\n")
    return folder


def without_networks(ledger: Path, folder: Path) -> Path:
    """A ledger of a learner that is no network on such a folder, with two of its settings and three seeds each."""
    with Writer(ledger) as writer:
        for forgets in (3, 5):
            learner = Memory(forgets)
            specs = [Spec("test", seed, learner, str(folder)) for seed in range(3)]
            fitted = learner.fit([spec.job() for spec in specs], Context())
            assert fitted is not None
            writer.add(
                [
                    Run(spec=spec.facts(), metrics=scored.metrics, artefacts=scored.artefacts)
                    for spec, scored in zip(specs, score(fitted), strict=True)
                ]
            )
    return ledger
