"""The paper's networks: an encoder and a decoder, recurrent, with or without attention, by the paper's protocol."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from daxlab.datasets import Dataset
from daxlab.learners.network import NetworkLearner
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.settings import changed, recorded, setting, usual
from daxlab.symbols import EOS, SPECIAL

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
    dropout: float = usual(NetworkLearner, "dropout", 0.5)

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks import seq2seq

        return seq2seq(key, **own)

    def parameters(self, dataset: Dataset) -> int | None:
        """Counted by the shapes of networks/seq2seq.py, so that tables with the paper's networks need no JAX."""
        if type(self) is not RNN:  # somebody's variation of it
            return super().parameters(dataset)
        examples, hidden, gates = dataset.examples(), self.hidden, {"srn": 1, "lstm": 4, "gru": 3}[self.cell]
        words = len(SPECIAL) + len({word for example in examples for word in example.command.split()})
        actions = len(SPECIAL) + len({action for example in examples for action in example.actions})
        read = 2 * hidden if self.attention else hidden  # by the decoder's first layer and the softmax: the context too
        layers = 2 * self.layers * gates * hidden * (2 * hidden + 2) + gates * hidden * (read - hidden)
        attention = hidden * (2 * hidden + 1) if self.attention else 0
        return (words + actions) * hidden + layers + attention + (actions - EOS) * (read + 1)

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
