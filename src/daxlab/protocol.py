"""The training protocol: one frozen, validated object. Knows nothing of how it is carried out."""

from dataclasses import dataclass
from typing import Literal

from daxlab.settings import check, setting

SEMANTICS = 1  # of training: raised whenever the same spec and seed would train another network


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The paper's protocol, and what may be varied about it."""

    updates: int = setting(100_000, "presentations of one command each, or of a batch", least=1)
    learning_rate: float = setting(1e-3, "the optimiser's, after the warm-up", above=0)
    clip: float = setting(5.0, "the greatest norm of all gradients", above=0)
    teacher_forcing: float = setting(
        0.5, "the share of presentations that are teacher-forced; the rest are fed the network's own actions", 0, 1
    )
    self_fed_loss_ends: Literal["own", "target"] = setting(
        "own", "where the loss of a self-fed presentation ends: at the network's own first <EOS>, or at the target's"
    )
    shared_lengths: bool = setting(True, "runs share the sequence of lengths, and nothing else")
    clip_separately: bool = setting(
        False, "clip the encoder's and the decoder's gradients by a norm of their own", later=True
    )
    batch: int = setting(1, "presentations in an update; above 1, runs share no lengths", 1, 65_536, later=True)
    optimiser: Literal["adam", "nesterov"] = setting("adam", "adam, or nesterov (momentum 0.99)", later=True)
    loss_per: Literal["command", "symbol"] = setting(
        "command", "what the loss is a mean over: commands (the paper's), or the symbols of their answers", later=True
    )
    schedule: Literal["constant", "staircase", "inverse-sqrt"] = setting(
        "constant", "how the learning rate goes on after the warm-up", later=True
    )
    warmup: int = setting(0, "updates in which the learning rate rises to its value", least=0, later=True)
    decay: float = setting(0.96, "what a staircase multiplies the learning rate by", above=0, most=1, later=True)
    decay_every: int = setting(100, "updates on one step of a staircase", least=1, later=True)

    def __post_init__(self) -> None:
        check(self)
