"""The paper's experiments as declarations: which of its networks learn which splits, and from which seeds.

Knows nothing of training, nor of results.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace

from daxlab.datasets import dataset
from daxlab.datasets.release import PREFIX, SIMPLE
from daxlab.datasets.rules import REPLICATES, SHOTS, SIZES
from daxlab.errors import InputError, nearest
from daxlab.learners import RNN
from daxlab.paper.targets import RUNS, paper
from daxlab.protocol import Protocol
from daxlab.runs.spec import Spec

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

Setting = tuple[str, str]  # the name of a network, and of a split


def trained_by(network: RNN, protocol: Protocol) -> RNN:
    """A network trained by another protocol."""
    return replace(network, **asdict(protocol))


def simple(release: bool) -> str:
    """Experiment 1's split: the release's draw of 80%, or ours."""
    return PREFIX + SIMPLE if release else "simple"


def size(percent: int, release: bool) -> str:
    """Experiment 1's split with fewer commands."""
    if percent == 80:
        return simple(release)
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
    "simple": both(simple),
    "length": ("length",),
    "jump": ("jump",),
    "turn-left": ("turn-left",),
}


def settings(experiment: str, release: bool) -> Iterator[Setting]:
    """Which networks learn which splits in an experiment; not of few-shot, whose draws go with the seeds."""
    if experiment in BEST:
        split = simple(release) if experiment == "simple" else experiment
        yield from ((network, split) for network in (OVERALL, *BEST.values()))
    if experiment in ONCE:
        yield OVERALL, ONCE[experiment]
    if experiment == "size":
        yield from ((OVERALL, size(percent, release)) for percent in (*SIZES, 80))
    if experiment == "primitives":
        yield from ((OVERALL, primitive) for primitive in PRIMITIVES)


def specs(
    names: Sequence[str],
    runs: int = RUNS,
    release: bool = False,
    protocol: Protocol | None = None,
    pairs: str | None = None,
) -> list[Spec]:
    """The runs of some experiments, each once: seeds 0, 1, … `pairs` is the dataset of the English-French experiment.

    A few-shot run has its own draw of composed commands, so replicate n is seed n - 1; where the release's five draws
    are used up, they are learned again from further seeds.
    """
    if runs < 1:
        raise InputError(f"runs must be at least 1, not {runs}")

    def spec(split: str, seed: int, network: RNN, data: str = "scan") -> Spec:
        return Spec(split, seed, trained_by(network, protocol or Protocol()), data)

    wanted: list[Spec] = []
    for experiment in chosen(names):
        pairings = settings(experiment, release)
        wanted += [spec(split, seed, NETWORKS[network]) for network, split in pairings for seed in range(runs)]
        if experiment == "few-shot":
            draws = [(shots, seed) for shots in SHOTS for seed in range(runs)]
            wanted += [
                spec(few(shots, 1 + (seed % REPLICATES if release else seed), release), seed, NETWORKS[FEW])
                for shots, seed in draws
            ]
        if experiment == TRANSLATION and pairs is not None:
            splits = dataset(pairs).split_names()
            wanted += [spec(split, seed, TRANSLATOR, pairs) for split in splits for seed in range(runs)]
    return list(dict.fromkeys(wanted))


def chosen(names: Sequence[str]) -> list[str]:
    """The experiments of these names, in the paper's order; `all` means every one."""
    for name in names:
        if name not in (*EXPERIMENTS, ALL):
            raise InputError(f"no experiment is called {name!r}; {nearest(name, (*EXPERIMENTS, ALL))}")
    return [name for name in EXPERIMENTS if name in names or ALL in names]
