"""Learners that nobody published, and runs of them that nobody trained: known shares of their answers are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from daxlab.learners import Learner, setting
from daxlab.ledger import Run, Writer, pack_answers
from daxlab.ledger.spec import Spec
from daxlab.paper.experiments import NETWORKS, OVERALL
from daxlab.paper.leaderboard import SPLITS


@dataclass(frozen=True)
class Nearest(Learner):
    """Answers as the nearest training command asks."""

    kind: ClassVar[str] = "nearest"
    origin: ClassVar[str] = "nobody (2018)"
    told: ClassVar[str] = "which commands are near one another"
    updates: int = setting(70_000, "updates")
    batch: int = setting(25, "examples of an update")

    @property
    def published(self) -> Sequence[str]:
        return ("ConvS2S, one configuration",)


@dataclass(frozen=True)
class Rules(Learner):
    """Writes down rules."""

    kind: ClassVar[str] = "rules"
    slots: int = setting(2, "of a rule")

    @property
    def published(self) -> Sequence[str]:
        return ("NQG (ReScience replication)", "NQG-T5 (Shaw 2021)")


CLASSES = {kind.kind: kind for kind in (Nearest, Rules)}  # to be among learners.KINDS
SHARES = {  # right by seed
    Nearest(): {
        "simple": (1.0, 0.999, 0.998),
        "jump": (0.6, 0.5, 0.7),
        "turn-left": (0.9, 0.8),
        "template-around-right": (0.02, 0.0, 0.01),
        "length": (0.0, 0.0),
        "few-jump-8": (0.3, 0.5),
    },
    Nearest(batch=1): {"jump": (0.2,)},
    Rules(): dict.fromkeys(SPLITS, (1.0, 1.0)) | {"template-around-right": (0.9, 1.0)},
    NETWORKS[OVERALL]: {"jump": (0.0, 0.001), "length": (0.13, 0.15), "simple": (1.0, 0.99)},
}


def after_the_paper(path: Path) -> Path:
    """The ledger of them."""
    with Writer(path) as writer:
        for learner, splits in SHARES.items():
            for split, shares in splits.items():
                writer.add([run(learner, split, seed, share) for seed, share in enumerate(shares)])
    return path


def run(learner: Learner, split: str, seed: int, share: float) -> Run:
    """A run of which such a share of the answers is right, the shorter ones; few-jump-8 is drawn anew for each."""
    metrics, origin = {"accuracy": 100 * share}, {"device": "made up", "platform": "cpu"}
    if split.startswith("mcd"):  # needs no data
        facts = Spec("jump", seed, learner).facts() | {"split": {"name": split, "digest": split}}
        return Run(spec=facts, metrics=metrics, origin=origin)
    spec = Spec(f"{split}-rep{seed + 1}" if split.startswith("few") else split, seed, learner)
    test = spec.content().test
    ranked = sorted(range(len(test)), key=lambda n: len(test[n].actions))
    right = set(ranked[: round(share * len(test))])
    targets = [example.actions for example in test]
    answers = [target if n in right else target[:-1] for n, target in enumerate(targets)]
    metrics = {"accuracy": 100 * len(right) / len(test)}
    return Run(spec=spec.facts(), metrics=metrics, origin=origin, artefacts={"greedy": pack_answers(answers, targets)})
