"""The training protocol: one frozen, validated object. Knows nothing of how it is carried out."""

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from daxlab.errors import InputError

SEMANTICS = 1  # of training: raised whenever the same spec and seed would train another network
LATER = {"later": True}  # metadata of a field that was added after runs had been recorded


@dataclass(frozen=True)
class Protocol:
    """The paper's protocol, and what may be varied about it."""

    updates: int = 100_000  # of one example each
    learning_rate: float = 1e-3
    clip: float = 5.0  # of the norm over all gradients
    teacher_forcing: float = 0.5  # the share of examples fed with the right actions; the rest with the network's own
    self_fed_loss_ends: Literal["own", "target"] = "own"  # at the network's own first <EOS>, or at the target's
    shared_lengths: bool = True  # runs share the sequence of lengths (and nothing else)
    clip_separately: bool = field(default=False, metadata=LATER)  # one norm for the encoder, another for the decoder

    def __post_init__(self) -> None:
        for name in ("learning_rate", "clip", "teacher_forcing"):
            object.__setattr__(self, name, float(getattr(self, name)))  # 5 and 5.0 are one protocol
        if isinstance(self.updates, bool) or not isinstance(self.updates, int) or self.updates < 1:
            raise InputError(f"updates must be a positive whole number, not {self.updates!r}")
        for name, value in (("learning rate", self.learning_rate), ("clip", self.clip)):
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"the {name} must be a positive number, not {value!r}")
        if not 0 <= self.teacher_forcing <= 1:
            raise InputError(f"teacher forcing is a share between 0 and 1, not {self.teacher_forcing!r}")
        if self.self_fed_loss_ends not in ("own", "target"):
            raise InputError(f"the self-fed loss ends at 'own' or 'target', not {self.self_fed_loss_ends!r}")


def recorded(description: Any) -> dict[str, Any]:
    """The fields of a protocol or a learner that a run's key is made of.

    A field that was added later counts only where it is not at its default, so that earlier runs keep their keys. A
    field that is not keyed never counts.
    """
    parts = [part for part in fields(description) if part.metadata.get("keyed", True)]
    values = asdict(description)
    return {
        part.name: values[part.name]
        for part in parts
        if not (part.metadata.get("later") and values[part.name] == part.default)
    }
