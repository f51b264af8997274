"""Convolutional sequence-to-sequence learning, in the one configuration of Dessì and Baroni (2019) for all splits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from daxlab.datasets import Split
from daxlab.errors import InputError
from daxlab.learners.network import NetworkLearner
from daxlab.protocol import Protocol
from daxlab.settings import changed, ordered, setting, usual

if TYPE_CHECKING:
    from daxlab.encoding import Encoding

# By the number of decoder layers with attention. The best per split were chosen on the test commands.
PUBLISHED = {
    6: ("ConvS2S, one configuration", "ConvS2S, one configuration, other 5 seeds", "ConvS2S, best per split"),
    3: ("ConvS2S, attention in the top three of six layers",),
    2: ("ConvS2S, attention in the top two of six layers",),
    1: ("ConvS2S, attention in the top one of six layers",),
}


@dataclass(frozen=True)
class ConvS2S(NetworkLearner):
    """A convolutional encoder and decoder with attention in every layer (Gehring et al. 2017), always teacher-forced.

    It is trained as the paper's networks are, 100,000 commands one at a time. Dessì and Baroni present equally many in
    batches of at most 25 actions of like length: 1.4 to 1.6 commands an update, 62,000 to 70,000 updates.
    """

    kind: ClassVar[str] = "conv-s2s"
    origin: ClassVar[str] = "Gehring et al. (2017); configuration of Dessì and Baroni (2019)"
    most_together: ClassVar[int] = 5  # on an H200 they end within nine minutes, by estimate
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "small": {"hidden": 64, "layers": 3, "attention_layers": 3, "updates": 60_000},
    }
    _own: ClassVar[tuple[str, ...]] = ("hidden", "layers", "kernel", "attention_layers", "positions", "dropout")

    hidden: int = setting(512, "units of a layer", least=1, most=100_000)
    layers: int = setting(6, "layers of the encoder and of the decoder", least=1, most=100)
    kernel: int = setting(5, "positions that a layer sees at once", least=1, most=1_000)
    attention_layers: int = setting(6, "decoder layers with attention, counted from the top", least=1, most=100)
    positions: int = setting(
        64,
        "positions that have a vector: three more than the longest answer has symbols, or more",
        least=1,
        most=100_000,
    )
    dropout: float = usual(NetworkLearner, "dropout", 0.25)
    optimiser: Literal["adam", "nesterov"] = usual(Protocol, "optimiser", "nesterov")
    learning_rate: float = usual(Protocol, "learning_rate", 0.01)
    clip: float = usual(Protocol, "clip", 0.1)
    loss_per: Literal["command", "symbol"] = usual(Protocol, "loss_per", "symbol")
    teacher_forcing: float = usual(Protocol, "teacher_forcing", 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attention_layers > self.layers:
            raise InputError(f"attention_layers is at most layers ({self.layers}), not {self.attention_layers}")
        if self.teacher_forcing != 1:
            raise InputError("conv-s2s is always fed the right actions in training: leave teacher_forcing at 1")

    def prepared(self, split: Split, encoding: "Encoding") -> None:
        """Nothing, but it refuses examples that are too long, before the training and not after it."""
        needed = max(encoding.command_time, encoding.answer_time + 1)  # an unfinished answer is scored with its <EOS>
        if needed > self.positions:
            raise InputError(
                f"conv-s2s has vectors for {self.positions} positions, but this dataset needs {needed}: "
                f"set positions={needed}"
            )

    @property
    def published(self) -> Sequence[str]:
        network = [part.name for part in ordered(ConvS2S) if part.name not in ("attention_layers", "positions")]
        return () if changed(self, network) else PUBLISHED.get(self.attention_layers, ())

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks.convs2s import convs2s

        return convs2s(key, **own)
