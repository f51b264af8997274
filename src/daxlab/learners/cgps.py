"""CGPS (compositional generalisation for primitive substitutions): its sizes and how its authors train it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from daxlab.datasets import Split
from daxlab.errors import InputError
from daxlab.learners.network import NetworkLearner
from daxlab.settings import changed, ordered, setting, usual

if TYPE_CHECKING:
    from daxlab.encoding import Encoding


@dataclass(frozen=True)
class CGPS(NetworkLearner):
    """Two representations of a word: where to look is computed from the one, what to say from the other."""

    kind: ClassVar[str] = "cgps"
    told: ClassVar[str] = (
        "the training examples; that each action is said by one word, and where to look does not depend on which"
    )
    origin: ClassVar[str] = "Li, Zhao, Wang and Hestness (2019)"
    most_together: ClassVar[int] = 10  # a group ends within minutes on a card
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"small": {"batch": 256}}
    _own: ClassVar[tuple[str, ...]] = ("hidden", "primitive", "function", "noise", "penalty")

    hidden: int = setting(64, "units of the decoder; the encoder has half as many in each direction", 2, 10_000)
    primitive: int = setting(16, "the size of what tells what to say: a word's primitive representation", 1, 10_000)
    function: int = setting(8, "the size of what tells where to look: its functional representation", 1, 10_000)
    noise: float = setting(1.0, "the standard deviation of the noise on both representations in training", least=0)
    penalty: float = setting(0.1, "the loss has this times the mean square of each representation", least=0)
    updates: int = usual(NetworkLearner, "updates", 5_000)
    batch: int = usual(NetworkLearner, "batch", 4_096)
    learning_rate: float = usual(NetworkLearner, "learning_rate", 0.01)
    clip: float = usual(NetworkLearner, "clip", 1.0)
    schedule: Literal["constant", "staircase", "inverse-sqrt"] = usual(NetworkLearner, "schedule", "staircase")
    teacher_forcing: float = usual(NetworkLearner, "teacher_forcing", 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden % 2:
            raise InputError(f"hidden is an even number, half of it for each direction, not {self.hidden}")
        if self.teacher_forcing != 1:
            raise InputError("cgps feeds no actions back, so teacher_forcing stays 1")
        if self.dropout:
            raise InputError("cgps has no dropout, but noise: set noise instead")

    @property
    def published(self) -> Sequence[str]:
        return () if changed(self, [part.name for part in ordered(CGPS)]) else ("CGPS (Li 2019)",)

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks.cgps import cgps

        return cgps(key, places=len(own.pop("prepared")), **own)

    def prepared(self, split: Split, encoding: "Encoding") -> Any:
        """A zero for each place that a word or the end of a command can have: only their number counts."""
        import numpy as np

        return np.zeros(encoding.command_time, np.float32)
