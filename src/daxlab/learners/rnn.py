"""The paper's networks: an encoder and a decoder, recurrent, with or without attention, by the paper's protocol."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from daxlab.learners.core import changed, setting
from daxlab.learners.network import NetworkLearner
from daxlab.protocol import SEMANTICS, Protocol, recorded

CellName = Literal["srn", "lstm", "gru"]
PROTOCOL = tuple(field.name for field in fields(Protocol))


@dataclass(frozen=True)
class RNN(NetworkLearner):
    """One of the paper's networks and how it is trained; the defaults are the paper's overall best."""

    kind: ClassVar[str] = "rnn"
    origin: ClassVar[str] = "Lake and Baroni (2018)"
    _own: ClassVar[tuple[str, ...]] = ("cell", "layers", "hidden", "attention")

    cell: CellName = setting("lstm", "the recurrent cell: srn, lstm or gru")
    layers: int = setting(2, "layers of the encoder and of the decoder", least=1, most=100)
    hidden: int = setting(200, "units of a layer", least=1, most=100_000)
    attention: bool = setting(False, "let the decoder look back at the command")
    dropout: float = setting(0.5, "the share of units dropped in training", least=0, below=1)
    updates: int = setting(Protocol.updates, "presentations of one command each", least=1)
    learning_rate: float = setting(Protocol.learning_rate, "of Adam")
    clip: float = setting(Protocol.clip, "the greatest norm of all gradients")
    teacher_forcing: float = setting(Protocol.teacher_forcing, "the share of presentations that are teacher-forced")
    self_fed_loss_ends: Literal["own", "target"] = setting(
        Protocol.self_fed_loss_ends, "where the loss of a self-fed presentation ends"
    )
    shared_lengths: bool = setting(Protocol.shared_lengths, "runs share the sequence of lengths, and nothing else")
    clip_separately: bool = setting(
        Protocol.clip_separately, "clip the encoder's and the decoder's gradients by a norm of their own", later=True
    )

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks import seq2seq

        return seq2seq(key, **own)

    def facts(self) -> dict[str, Any]:
        """In the form that the first runs were recorded in, so that they keep their keys."""
        if type(self) is not RNN:  # somebody's variation of it
            return super().facts()
        every = recorded(self)
        network = {name: value for name, value in every.items() if name not in PROTOCOL}
        return {
            "network": network,
            "protocol": {name: every[name] for name in PROTOCOL if name in every},
            "semantics": SEMANTICS,
        }

    @property
    def architecture(self) -> str:
        """The network alone, as a reader knows it."""
        shape = f"{self.cell.upper()} {self.layers}x{self.hidden}{', attention' if self.attention else ''}"
        return f"{shape}, dropout {self.dropout:g}"

    @property
    def variant(self) -> str:
        """What differs from the paper's protocol; nothing if it is the paper's."""
        return ", ".join(changed(self, sorted(PROTOCOL)))

    def __str__(self) -> str:
        return "; ".join(part for part in (self.architecture, self.variant) if part)
