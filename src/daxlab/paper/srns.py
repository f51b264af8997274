"""What the paper says of all its SRNs: measured where a ledger has the search over their architectures."""

from itertools import product
from statistics import fmean
from typing import Any

from daxlab.paper.experiments import simple
from daxlab.paper.measures import Part, part_of
from daxlab.paper.runs import Found, Runs
from daxlab.paper.targets import RUNS, paper, targets

SEARCHED = ("layers", "hidden", "dropout")


def _searched(attention: bool, runs: Runs) -> tuple[dict[Any, Found], str]:
    """Every SRN architecture of the paper's search with its runs; if one lacks runs, nothing, and what is lacking."""
    grid = set(product(*(paper()["search"][name] for name in SEARCHED)))
    found = {
        kind: some
        for kind, some in runs.architectures({"cell": "srn", "attention": attention}, simple).items()
        if some.rows and tuple(getattr(kind, name) for name in SEARCHED) in grid
    }
    if len(found) < len(grid):
        return {}, f"needs the search over architectures: {len(found)} of {len(grid)} architectures are in the ledger"
    return found, ""


def srn_best(runs: Runs) -> list[Part]:
    """The best SRN without attention."""
    found, lacking = _searched(False, runs)
    if not found:
        return [Part(note=lacking)]
    best = max(found, key=lambda kind: fmean(found[kind].values()))
    return [part_of(str(best), found[best], found[best].values())]


def srn_mean(runs: Runs) -> list[Part]:
    """Every replicate of the whole search is one value: the mean over architectures.

    A run that failed counts as the mean of its architecture's others.
    """
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    by_seed = [{row["seed"]: row["accuracy"] for row in some.rows} for some in found.values()]
    seeds = sorted({seed for one in by_seed for seed in one})
    values = [fmean(one.get(seed, fmean(one.values())) for one in by_seed) for seed in seeds]
    some = next(iter(found.values()))
    return [part_of(f"{len(found)} SRNs with attention", some, values)]


def srn_range(runs: Runs) -> list[Part]:
    """The worst and the best architecture, each against its end of the paper's range."""
    found, lacking = _searched(True, runs)
    if not found:
        return [Part(note=lacking)]
    ranked = sorted(found, key=lambda kind: fmean(found[kind].values()))
    (ends,) = (target.range for target in targets() if target.id == "exp1.srn-attention-range")
    return [
        part_of(str(kind), found[kind], found[kind].values(), claim=(end, None, RUNS))
        for kind, end in zip((ranked[0], ranked[-1]), ends or (), strict=True)
    ]
