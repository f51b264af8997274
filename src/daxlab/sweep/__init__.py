"""From specs to runs in the ledger: what it lacks, in groups, on an executor. `train` is a sweep of one spec.

spec.py      what determines a run
task.py      what passes between driver and worker
grid.py      a spec file: axes, whose product are runs
places.py    where things lie beside a ledger
driver.py    specs minus what the ledger has, as groups, into the ledger
grouping.py  which runs train together, and in which order
cost.py      what groups will take, from what others took
status.py    how far a sweep is, from its ledger alone
local.py     this machine as an executor
gpu_sharing.py several workers on one card at once
cluster.py   a Ray cluster as an executor (needs the extra daxlab[ray])
process.py   a worker's process: made ready, then a task, and what became of it
worker.py    one group trained and examined
examine.py   what a trained group is asked
compiled.py  compiled programs, kept between processes
trained.py   a network out of the ledger, to be asked

The last four need JAX.
"""

from daxlab.runs.places import weights_of
from daxlab.runs.spec import Architecture, Spec
from daxlab.sweep.driver import Outcome, Plan, foreseen, sweep

__all__ = ["Architecture", "Outcome", "Plan", "Spec", "foreseen", "sweep", "weights_of"]
