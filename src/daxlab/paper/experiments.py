"""The paper's experiments as declarations: which of its networks learn which splits, and from which seeds.

Knows nothing of training, nor of results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from daxlab.datasets import dataset
from daxlab.datasets.release import PREFIX, SIMPLE
from daxlab.datasets.rules import REPLICATES, SHOTS, SIZES
from daxlab.errors import InputError, nearest
from daxlab.learners import RNN
from daxlab.ledger.spec import Spec
from daxlab.paper.targets import RUNS, paper
from daxlab.protocol import Protocol
from daxlab.settings import recorded

NETWORKS = {name: RNN(**fields) for name, fields in paper()["networks"].items() if name != "exp4"}
TRANSLATOR = RNN(**paper()["networks"]["exp4"])
OVERALL = "overall-best"
BEST = {  # of 180 architectures, on each of the four main splits
    "simple": "exp1-best",
    "length": "exp2-best",
    "turn-left": "exp3-turn-left-best",
    "jump": "exp3-jump-best",
}
FEW = BEST["jump"]  # the network of the few-shot curve
ONCE = {split: f"{split}-once" for split in ("turn-left", "jump")}  # the same without over-sampling
PRIMITIVES = ("walk", "look", "run", "jump", "turn-left", "turn-right")
TRANSLATION = "translation"
EXPERIMENTS = ("simple", "size", "length", "turn-left", "jump", "few-shot", "primitives", TRANSLATION)
ALL = "all"
SCAN = "scan"


def recorded_values(description: RNN | Protocol) -> dict[str, Any]:
    """The fields by which runs are found in a ledger; None for those that a run records only where they are changed."""
    return {part.name: recorded(description).get(part.name) for part in fields(description)}


def trained_by(network: RNN, protocol: Protocol) -> RNN:
    """A network trained by another protocol."""
    return replace(network, **asdict(protocol))


def size(percent: int, release: bool) -> str:
    """Experiment 1's split with so many of the commands in training, by the release's draw or ours."""
    if percent == 80:
        return PREFIX + SIMPLE if release else "simple"
    return f"{PREFIX}simple_split/size_variations/simple_p{percent}" if release else f"size-{percent}"


def few(shots: int, replicate: int, release: bool) -> str:
    """Experiment 3's split with some composed commands; the release has five draws."""
    if not release:
        return f"few-jump-{shots}-rep{replicate}"
    return f"{PREFIX}add_prim_split/with_additional_examples/addprim_complex_jump_num{shots}_rep{replicate}"


def both(split: Callable[..., str], *which: int) -> tuple[str, str]:
    """A random split's names: the release's draw, and ours."""
    return split(*which, True), split(*which, False)


SPLITS: dict[str, tuple[str, ...]] = {  # the four main experiments, in the order of the search
    "simple": both(size, 80),
    "length": ("length",),
    "jump": ("jump",),
    "turn-left": ("turn-left",),
}


def settings(experiment: str, seed: int, release: bool, pairs: str | None = None) -> Iterator[tuple[RNN, str, str]]:
    """Which networks learn which splits of which datasets from a seed. Only few-shot draws another split for each."""
    if experiment in BEST:
        split = size(80, release) if experiment == "simple" else experiment
        yield from ((NETWORKS[network], split, SCAN) for network in (OVERALL, *BEST.values()))
    if experiment in ONCE:
        yield NETWORKS[OVERALL], ONCE[experiment], SCAN
    if experiment == "size":
        yield from ((NETWORKS[OVERALL], size(percent, release), SCAN) for percent in (*SIZES, 80))
    if experiment == "few-shot":  # the release has five draws, so more seeds learn them again
        replicate = 1 + (seed % REPLICATES if release else seed)
        yield from ((NETWORKS[FEW], few(shots, replicate, release), SCAN) for shots in SHOTS)
    if experiment == "primitives":
        yield from ((NETWORKS[OVERALL], primitive, SCAN) for primitive in PRIMITIVES)
    if experiment == TRANSLATION and pairs is not None:
        yield from ((TRANSLATOR, split, pairs) for split in dataset(pairs).split_names())


def specs(
    names: Sequence[str],
    runs: int = RUNS,
    release: bool = False,
    protocol: Protocol | None = None,
    pairs: str | None = None,
) -> list[Spec]:
    """The runs of some experiments, each once: seeds 0, 1, … `pairs`: the dataset of the English-French experiment."""
    if runs < 1:
        raise InputError(f"runs must be at least 1, not {runs}")
    wanted = [
        Spec(split, seed, trained_by(network, protocol or Protocol()), data)
        for experiment in chosen(names)
        for replicates in zip(*(settings(experiment, seed, release, pairs) for seed in range(runs)), strict=True)
        for seed, (network, split, data) in enumerate(replicates)
    ]
    return list(dict.fromkeys(wanted))


def chosen(names: Sequence[str]) -> list[str]:
    """The experiments of these names, in the paper's order; `all` means all of them."""
    for name in names:
        if name not in (*EXPERIMENTS, ALL):
            raise InputError(f"no experiment is called {name!r}; {nearest(name, (*EXPERIMENTS, ALL))}")
    return [name for name in EXPERIMENTS if name in names or ALL in names]
