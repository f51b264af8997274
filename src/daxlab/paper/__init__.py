"""The paper: its figures, its experiments as declarations, and the comparison with the runs of a ledger.

targets.json     every figure that the paper states
targets.py       the same, typed
experiments.py   which networks learn which splits, from which seeds
search.py        its search over 180 architectures, and its choices beside ours
runs.py          the runs of a ledger that count as the paper's, and what is measured in them
measures.py      every figure by its id, and how it is measured in runs
translations.py  the same for English-French
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
    """The comparison needs frames. A bare machine that only trains the experiments does not have them."""
    if name not in ("Row", "compare", "experiments_of"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from daxlab.paper import comparison

    return getattr(comparison, name)
