"""Training many runs at once, and asking what they learned. Knows nothing of the ledger; prints nothing."""

from daxlab.engine.checkpoint import Damaged
from daxlab.engine.decode import answers, attend, attentions, encodings, ended, log_likelihoods, right, scores
from daxlab.engine.evaluate import Evaluation, evaluate, likelihoods, sample_accuracy
from daxlab.engine.stack import Member, Stack, stack, subset, unstack
from daxlab.engine.train import CURVE_EVERY, WINDOW, History, Progress, Trained, memory_needed, train
from daxlab.protocol import SEMANTICS, Protocol

__all__ = [
    "CURVE_EVERY",
    "SEMANTICS",
    "WINDOW",
    "Damaged",
    "Evaluation",
    "History",
    "Member",
    "Progress",
    "Protocol",
    "Stack",
    "Trained",
    "answers",
    "attend",
    "attentions",
    "encodings",
    "ended",
    "evaluate",
    "likelihoods",
    "log_likelihoods",
    "memory_needed",
    "right",
    "sample_accuracy",
    "scores",
    "stack",
    "subset",
    "train",
    "unstack",
]
