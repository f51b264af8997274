"""The paper's experiments as declarations: which of its networks learn which splits, and from which seeds.

Knows nothing of training, nor of what came of it.
"""

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches

from daxlab.datasets import dataset
from daxlab.datasets.release import PREFIX, SIMPLE
from daxlab.datasets.rules import REPLICATES, SHOTS, SIZES
from daxlab.errors import InputError
from daxlab.paper.targets import RUNS, paper
from daxlab.protocol import Protocol
from daxlab.sweep import Architecture, Spec

NETWORKS = {name: Architecture(**facts) for name, facts in paper()["networks"].items() if name != "exp4"}
TRANSLATOR = Architecture(**paper()["networks"]["exp4"])
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

Setting = tuple[str, str]  # a network's name, a split's


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
    """Who learns what in an experiment, but for few-shot, whose draws go with the seeds."""
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
    """The runs of some experiments, each once: seeds 0, 1, … English-French of these pairs, a language's name.

    A few-shot run has its own draw of composed commands, so replicate n is seed n - 1; where the release's five draws
    are used up, they are learned again from further seeds.
    """
    if runs < 1:
        raise InputError(f"runs must be at least 1, not {runs}")
    how, found = protocol or Protocol(), dict[Spec, None]()
    for experiment in chosen(names):
        for network, split in settings(experiment, release):
            found |= dict.fromkeys(Spec(split, seed, NETWORKS[network], how) for seed in range(runs))
        if experiment == "few-shot":
            draws = [(shots, seed) for shots in SHOTS for seed in range(runs)]
            found |= dict.fromkeys(
                Spec(few(shots, 1 + (seed % REPLICATES if release else seed), release), seed, NETWORKS[FEW], how)
                for shots, seed in draws
            )
        if experiment == TRANSLATION and pairs is not None:
            splits = dataset(pairs).split_names()
            found |= dict.fromkeys(
                Spec(split, seed, TRANSLATOR, how, pairs) for split in splits for seed in range(runs)
            )
    return list(found)


def chosen(names: Sequence[str]) -> list[str]:
    """The experiments of these names, in the paper's order; `all` is every one."""
    for name in names:
        if name not in (*EXPERIMENTS, ALL):
            near = get_close_matches(name, EXPERIMENTS, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(EXPERIMENTS)}, and {ALL}"
            raise InputError(f"no experiment is called {name!r}; {advice}")
    return [name for name in EXPERIMENTS if name in names or ALL in names]
