"""What a network has to keep as a learner: the contract (networks/conformance.py), and that it can be trained.

Imported only when a network is checked. Knows nothing of programs.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import equinox as eqx
import jax
import numpy as np

from daxlab.check import Check, NotKept
from daxlab.encoding import Encoding
from daxlab.engine import unstack
from daxlab.engine.device import on_device
from daxlab.languages import Example
from daxlab.learners.checks import EXAMPLES, PAIRS, SIXTEEN, TRAIN, learned_from
from daxlab.learners.core import Context, Job
from daxlab.learners.network import NetworkLearner
from daxlab.learners.trainees import Trainees
from daxlab.networks.conformance import CHECKS as CONTRACT, Candidate

FEW, MANY = 20, 2_000  # updates
BY_HEART: dict[str, Any] = {"updates": MANY, "learning_rate": 5e-3, "dropout": 0.0}  # whatever the learner's own are
CLOSE = 1e-3  # what rounding may change in a few updates


@lru_cache(maxsize=16)
def _candidate(learner: NetworkLearner) -> Candidate:
    encoding = Encoding.of(EXAMPLES)
    words, actions = len(encoding.words), len(encoding.actions)
    make, prepared = learner.network(words, actions), learner.prepared(learned_from(TRAIN), encoding)
    return Candidate(make if prepared is None else partial(make, prepared=prepared), words, actions)


@lru_cache(maxsize=16)
def _trained(learner: NetworkLearner, seeds: tuple[int, ...] = (0,), pairs: int = len(TRAIN)) -> Trainees:
    """Runs of a learner, trained together on the first pairs."""
    _ = _candidate(learner).network  # unclear if it cannot be made
    on_device("cpu")
    split = learned_from(TRAIN[:pairs])
    trainees = learner.fit([Job(learner, SIXTEEN, split, seed) for seed in seeds], Context())
    assert trainees is not None  # nobody stops it
    if failure := trainees.failures[0]:
        raise NotKept("broken", f"at step {failure.step}, {failure.reason}")
    return trainees


def _by_heart(learner: NetworkLearner) -> Trainees:
    own = {field: value for field, value in BY_HEART.items() if field not in learner._own}
    return _trained(replace(learner, **own), pairs=PAIRS)


def _group(learner: NetworkLearner) -> str:
    few = replace(learner, updates=FEW)
    alone, together = (unstack(_trained(few, seeds).networks, 0) for seeds in ((0,), (0, 1)))
    pairs = zip(*(jax.tree.leaves(eqx.filter(network, eqx.is_array)) for network in (alone, together)), strict=True)
    furthest = max(float(np.max(np.abs(np.subtract(a, b, dtype=float)), initial=0)) for a, b in pairs)
    if not furthest <= CLOSE:
        raise NotKept("broken", f"after {FEW} updates a weight differs by {furthest:.2g}")
    return f"the same weights after {FEW} updates"


def _overfits(learner: NetworkLearner) -> str:
    right = sum(_by_heart(learner).ask([TRAIN[:PAIRS]])[0].right)
    seen = f"right on {right} of {PAIRS} training pairs after {MANY:,} updates"
    if right < PAIRS:
        raise NotKept("broken", seen)
    return seen


def _saves(learner: NetworkLearner) -> str:
    saved = _by_heart(learner)
    with TemporaryDirectory(prefix="daxlab-") as folder:
        file = Path(folder, "weights.safetensors")
        file.write_bytes(saved.weights(0))
        loaded = saved.jobs[0].learner.load(file, SIXTEEN)
        assert isinstance(loaded, Trainees)
    (before, scores), (after, again) = (_answered(network, EXAMPLES) for network in (saved, loaded))
    if before != after or not np.allclose(scores, again, rtol=CLOSE, atol=CLOSE):
        raise NotKept("broken", "it answers otherwise after its weights were written to a file and read again")
    return f"the same answers to {len(EXAMPLES)} commands, as likely as before"


def _answered(network: Trainees, asked: Sequence[Example]) -> tuple[Any, Any]:
    answered = network.ask([asked])
    return answered[0].answers, network.likelihoods(answered)[0]


def _as_learners(check: Check[Candidate]) -> Check[NetworkLearner]:
    """A check of the contract, as one of the learner whose network it is."""
    return Check(check.id, check.promise, check.change, lambda learner: check.look(_candidate(learner)))


# fmt: off
CHECKS: tuple[Check[NetworkLearner], ...] = (
    *map(_as_learners, CONTRACT),
    Check("group", "A run that is trained in a group is the run that it is alone.",
          "Draw everything from the keys that are given, and fold the time step into them.", _group),
    Check("overfits", "Ten training pairs are learned by heart.",
          "Look whether every array gets a gradient, and whether greedy computes what loss trains.", _overfits),
    Check("saves-and-loads", "A network that was saved answers as before when it is loaded.",
          "Keep what is trained or drawn in arrays of the module, which are what is saved.", _saves),
)
# fmt: on
