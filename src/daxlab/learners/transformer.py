"""Attention alone: the Transformer, with absolute or relative positions, layers separate or shared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from daxlab.errors import InputError
from daxlab.learners.network import NetworkLearner
from daxlab.settings import setting, usual


@dataclass(frozen=True)
class Transformer(NetworkLearner):
    """A Transformer; the defaults are the relative universal Transformer of the paper, trained as there.

    Values are those that take effect in the authors' code: its dropout is 0.1, whatever its SCAN profile says. Absolute
    positions are scaled down to the embeddings (their "position embedding downscaling").
    """

    kind: ClassVar[str] = "transformer"
    origin: ClassVar[str] = "Csordás, Irie and Schmidhuber (2021)"
    most_together: ClassVar[int] = 5
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "small": {"depth": 2, "width": 64, "heads": 4, "feed_forward": 128, "updates": 10_000, "batch": 16},
        # The paper's 100,000 presentations. In a trial on `simple`, with the small network, so many were worth more
        # in batches of 16 than one at a time.
        "paper-budget": {"updates": 6_250, "batch": 16},
    }
    _own: ClassVar[tuple[str, ...]] = ("positions", "shared", "depth", "width", "heads", "feed_forward")

    positions: Literal["relative", "absolute"] = setting("relative", "the positions that attention knows of")
    shared: bool = setting(True, "all layers of the encoder share their weights, as do those of the decoder")
    depth: int = setting(3, "layers of the encoder and of the decoder", least=1, most=100)
    width: int = setting(128, "units of an embedding and of a state; an even number", least=2, most=100_000)
    heads: int = setting(8, "heads of each attention; they share the width", least=1, most=1_000)
    feed_forward: int = setting(256, "hidden units of a layer's feed-forward part", least=1, most=100_000)
    dropout: float = usual(NetworkLearner, "dropout", 0.1)
    updates: int = usual(NetworkLearner, "updates", 50_000)
    batch: int = usual(NetworkLearner, "batch", 256)
    loss_per: Literal["command", "symbol"] = usual(NetworkLearner, "loss_per", "symbol")
    teacher_forcing: float = usual(NetworkLearner, "teacher_forcing", 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.teacher_forcing != 1:
            raise InputError(f"a Transformer is teacher-forced only: teacher_forcing is 1, not {self.teacher_forcing}")
        if self.width % 2 or self.width % self.heads:
            raise InputError(f"width is an even multiple of the {self.heads} heads, not {self.width}")

    @property
    def published(self) -> Sequence[str]:
        if self.positions == "relative":
            return ("Rel. Universal Transformer (Csordás 2021)",) if self.shared else ()
        if self.shared:
            return ("Universal Transformer (Keysers 2020)",)
        authors = ("Keysers 2020", "Furrer 2020", "Chaabouni 2021")
        return (*(f"Transformer ({author})" for author in authors), "Transformer absolute (Ontañón 2021)")

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks.transformer import transformer

        return transformer(key, **own)
