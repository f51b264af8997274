"""Every figure by its id: the experiments whose runs it needs, and how it is measured."""

from collections.abc import Iterator
from functools import partial

from daxlab.datasets.rules import SHOTS, SIZES
from daxlab.paper import translations
from daxlab.paper.experiments import BEST, OVERALL, PRIMITIVES, SPLITS, both, size
from daxlab.paper.measures import (
    accuracy,
    few_shot,
    jump_right,
    nearest,
    oracle_at,
    over_sampling,
    search_failures,
    srn_best,
    srn_mean,
    srn_range,
    trained,
    turn_left_errors,
    unseen_parts,
)
from daxlab.paper.runs import Measure

OURS = "ours."  # begins the ids of figures that the paper lacks


def _catalogue() -> Iterator[tuple[str, tuple[str, ...], Measure]]:
    """The paper's figures."""
    yield "exp1.best", ("simple",), partial(accuracy, BEST["simple"], SPLITS["simple"])
    yield "exp1.overall", ("simple",), partial(accuracy, OVERALL, SPLITS["simple"])
    yield "exp1.srn-best", ("search",), srn_best
    yield "exp1.srn-attention-mean", ("search",), srn_mean
    yield "exp1.srn-attention-range", ("search",), srn_range
    for percent in (1, 2, 4):
        yield f"exp1.size.{percent}", ("size",), partial(accuracy, OVERALL, both(size, percent))
    for percent in (1, 2):
        yield f"exp1.size.{percent}.parts", ("size",), partial(unseen_parts, percent)
    yield "exp2.best", ("length",), partial(accuracy, BEST["length"], SPLITS["length"])
    yield "exp2.overall", ("length",), partial(accuracy, OVERALL, SPLITS["length"])
    for name, network in (("overall", OVERALL), ("best", BEST["length"])):
        how = partial(accuracy, network, SPLITS["length"], metric="oracle_accuracy")
        yield f"exp2.oracle.{name}", ("length",), how
    for length in (24, 48):
        yield f"exp2.oracle.best.{length}", ("length",), partial(oracle_at, length)
    yield "exp2.search-errors", ("length",), partial(search_failures, ("length",))
    for name in ("turn-left", "jump"):
        yield f"exp3.{name}.best", (name,), partial(accuracy, BEST[name], SPLITS[name])
        yield f"exp3.{name}.overall", (name,), partial(accuracy, OVERALL, SPLITS[name])
    yield "exp3.turn-left.errors", ("turn-left",), turn_left_errors
    yield "exp3.jump.right", ("jump",), jump_right
    yield "exp3.neighbours", ("jump",), nearest
    for shots in (8, 16, 32):
        yield f"exp3.few.{shots}", ("few-shot",), partial(few_shot, shots)
    yield "exp3.search-errors", ("turn-left", "jump"), partial(search_failures, ("turn-left", "jump"))
    yield "exp3.oversampling", ("turn-left", "jump"), over_sampling
    yield "train.overall", tuple(BEST), partial(trained, dict.fromkeys(BEST, OVERALL))
    yield "train.best", tuple(BEST), partial(trained, BEST)
    for name, measure in translations.FIGURES.items():
        yield name, () if name in translations.COUNTED else ("translation",), measure


def _beside() -> Iterator[tuple[str, tuple[str, ...], Measure]]:
    """Other results of the experiments, for which the paper states no figure."""
    for primitive in PRIMITIVES:
        yield f"{OURS}primitives.{primitive}", ("primitives",), partial(accuracy, OVERALL, (primitive,))
    for percent in SIZES[3:]:
        yield f"{OURS}size.{percent}", ("size",), partial(accuracy, OVERALL, both(size, percent))
    for shots in SHOTS[:3]:
        yield f"{OURS}few.{shots}", ("few-shot",), partial(few_shot, shots)
    for name, best in BEST.items():
        for network in (other for other in BEST.values() if other != best):
            yield f"{OURS}{name}.{network}", (name,), partial(accuracy, network, SPLITS[name])


CATALOGUE = {name: (needs, measure) for name, needs, measure in (*_catalogue(), *_beside())}
