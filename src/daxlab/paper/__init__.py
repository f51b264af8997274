"""The paper: its figures, its experiments as declarations, and the comparison with the runs of a ledger.

targets.json     every figure that the paper states
targets.py       the same, typed
experiments.py   which networks learn which splits, from which seeds
published.py     what others published since, and leaderboard.py every learner of a ledger beside it
search.py        its search over 180 architectures, and its choices beside ours
runs.py          the runs of a ledger that count as the paper's, and what is measured in them
measures.py      every figure by its id, and how it is measured in runs
translations.py  the same for English-French
verdicts.py      when the two agree
comparison.py    both in a row
evidence.py      what is measured for its claims beside these figures
claims.py        its findings as sentences, their bounds, and whether they hold

Claims, comparison, leaderboard, measures and search need polars; a bare machine that only trains the experiments does
without them.
"""

from daxlab.paper.experiments import EXPERIMENTS as EXPERIMENTS, NETWORKS as NETWORKS, chosen as chosen, specs as specs
from daxlab.paper.targets import Target as Target, targets as targets
