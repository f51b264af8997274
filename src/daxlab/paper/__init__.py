"""The paper: its figures, its experiments as declarations, and the comparison with what is in a ledger.

targets.json     every figure that the paper states
targets.py       the same, typed
experiments.py   which networks learn which splits, from which seeds
search.py        its search over 180 architectures, and its choices beside ours
runs.py          the runs of a ledger that speak to the paper
measures.py      from runs to the counterpart of a figure
srns.py          the same for the search over SRNs
translations.py  the same for English-French
conditions.py    English-French runs: the baseline, and those that were taught a new word
parts.py         what a measurement is
catalogue.py     which figure is measured how
verdicts.py      when the two agree
comparison.py    both in a row
"""

from typing import TYPE_CHECKING, Any

from daxlab.paper.experiments import EXPERIMENTS, NETWORKS, chosen, specs
from daxlab.paper.targets import Target, targets

if TYPE_CHECKING:
    from daxlab.paper.comparison import Row, compare, experiments_of

__all__ = ["EXPERIMENTS", "NETWORKS", "Row", "Target", "chosen", "compare", "experiments_of", "specs", "targets"]


def __getattr__(name: str) -> Any:
    """The comparison needs frames; who only trains the experiments, on a bare machine with a card, does not."""
    if name not in ("Row", "compare", "experiments_of"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from daxlab.paper import comparison

    return getattr(comparison, name)
