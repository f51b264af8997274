"""What can be trained: the contract (core.py), names (registry.py), and one file for each kind.

    rnn.py       the paper's recurrent networks
    network.py   any Equinox network
    trainees.py  networks that the engine trains and asks

Knows nothing of ledgers or of scheduling. JAX is imported only when something is fitted.
"""

from daxlab.learners.core import (
    Answered,
    Answers,
    Context,
    Failure,
    Fitted,
    Job,
    Learner,
    Model,
    Prediction,
    defaults,
    setting,
)
from daxlab.learners.registry import DEFAULT, KINDS, find, from_text, label, make, name_and_fields, name_and_variant, of
from daxlab.learners.rnn import RNN

__all__ = [
    "DEFAULT",
    "KINDS",
    "RNN",
    "Answered",
    "Answers",
    "Context",
    "Failure",
    "Fitted",
    "Job",
    "Learner",
    "Model",
    "Prediction",
    "defaults",
    "find",
    "from_text",
    "label",
    "make",
    "name_and_fields",
    "name_and_variant",
    "of",
    "setting",
]
