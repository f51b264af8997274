"""Scheduling: trains what a ledger lacks of some specs, in groups, on an executor. `train` is a sweep of one spec.

grid.py         a sweep file: axes, whose product are runs
groups.py       which runs train together, and in which order
estimates.py    about how long they take, from what earlier runs took
parts.py        a sweep in parts, for machines that share nothing
driver.py       specs minus what the ledger has, as groups, into the ledger
status.py       how far a sweep is, from its ledger alone
task.py         what passes between driver and worker
phases.py       the phases of a group in its worker, told and timed
worker.py       one group fitted and scored, in a process of its own
local.py        this machine as an executor
gpu_sharing.py  several workers on one card at once
cluster.py      a Ray cluster as an executor (needs the extra daxlab[ray])
"""

from daxlab.ledger.files import weights_of as weights_of
from daxlab.ledger.spec import Spec as Spec
from daxlab.sweep.driver import (
    Outcome as Outcome,
    Plan as Plan,
    check_packages as check_packages,
    plan_sweep as plan_sweep,
    sweep as sweep,
)
