"""The paper: its figures, its experiments as declarations, and the comparison with what is in a ledger.

targets.json    every figure that the paper states
targets.py      the same, typed
experiments.py  which networks learn which splits, from which seeds
search.py       its search over 180 architectures, and its choices beside ours
runs.py         the runs of a ledger that speak to the paper
measures.py     from runs to the counterpart of a figure
srns.py         the same for the search over SRNs
catalogue.py    which figure is measured how
verdicts.py     when the two agree
compare.py      both in a row
"""

from daxlab.paper.compare import Row, compare, experiments_of
from daxlab.paper.experiments import EXPERIMENTS, NETWORKS, chosen, specs
from daxlab.paper.targets import Target, targets

__all__ = ["EXPERIMENTS", "NETWORKS", "Row", "Target", "chosen", "compare", "experiments_of", "specs", "targets"]
