"""The paper's network with a stack. It has the paper's sizes and protocol, so that only the stack differs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from daxlab.learners.network import NetworkLearner
from daxlab.learners.rnn import CellName
from daxlab.settings import setting, usual


@dataclass(frozen=True)
class Stack(NetworkLearner):
    """The paper's network with a stack to push to and pop from; the sizes are those of the paper's overall best."""

    kind: ClassVar[str] = "stack"
    told: ClassVar[str] = "the training examples; that there is a stack"
    origin: ClassVar[str] = "Joulin and Mikolov (2015)"
    most_together: ClassVar[int] = 25  # of the default size; a group ends within minutes on a card
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"small": {"layers": 1, "hidden": 100, "dropout": 0.1}}
    _own: ClassVar[tuple[str, ...]] = ("cell", "layers", "hidden", "width", "depth")

    cell: CellName = setting("lstm", "the recurrent cell: srn, lstm or gru")
    layers: int = setting(2, "layers of the encoder and of the decoder", least=1, most=100)
    hidden: int = setting(200, "units of a layer", least=1, most=100_000)
    width: int = setting(32, "numbers in each vector on the stack", least=1, most=10_000)
    depth: int = setting(32, "vectors that the stack holds; what is pushed beyond is lost", least=1, most=10_000)
    dropout: float = usual(NetworkLearner, "dropout", 0.5)

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks.stack import stack_seq2seq

        return stack_seq2seq(key, **own)
