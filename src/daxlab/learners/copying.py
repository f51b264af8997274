"""Copying: the paper's attention LSTM, whose softmax may also translate a word that it looks at by a lexicon.

The lexicon copy head of Akyürek and Andreas (2021). `pairs` gives the same six entries on simple, length, jump,
turn-left, template-around-right, mcd1 to mcd3, few-jump-8-rep1 and filler-0: walk, look, run, jump, left and right,
each with its own action. Wherever one of these words is, its action is in the answer. This holds of no other word but
one: where "around" is only seen with "left", it claims I_TURN_LEFT too. There "left" wins, because it alone is in
every command whose answer has that action. `pmi` gives the other seven words an action too, whichever is a little more
frequent with them: on template-around-right "around" is to turn left.

`none` is the control, a pointer-generator without a lexicon. No word of SCAN is an action, so what a pointer would copy
has to be learned: the table starts with all actions alike for every word, and is trained. Akyürek and Andreas trained
such a control elsewhere (on COGS), not on SCAN.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from daxlab.datasets import Split
from daxlab.errors import InputError
from daxlab.learners.lexicon import LEXICONS
from daxlab.learners.network import NetworkLearner
from daxlab.learners.rnn import RNN, CellName
from daxlab.settings import setting, usual
from daxlab.symbols import EOS

if TYPE_CHECKING:
    from daxlab.encoding import Encoding


SYSTEMS = {
    "pairs": ("Lexicon copy, simple rule (Akyürek 2021)", "Lexicon copy (SpanSub re-run)"),
    "pmi": ("Lexicon copy, PMI (Akyürek 2021)",),
}


@dataclass(frozen=True)
class Copying(NetworkLearner):
    """An attention LSTM that may also translate the words it looks at by a lexicon."""

    kind: ClassVar[str] = "copy"
    told: ClassVar[str] = "the training examples; that a word may stand for one action, wherever it is"
    origin: ClassVar[str] = "Akyürek and Andreas (2021)"
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "small": {"hidden": 50, "updates": 30_000},
        # Their size and training. Theirs also has attention after the decoder's step instead of before it, a linear
        # layer between it and the softmax whose output is fed to the next step (input feeding; here the context is),
        # 0.998 as Adam's second decay, and a hundredth of training held out.
        "published": {
            "layers": 2,
            "hidden": 512,
            "dropout": 0.4,
            "teacher_forcing": 1.0,
            "batch": 512,
            "updates": 8_000,
            "learning_rate": 6.98771e-4,  # 1 / sqrt(512 * 4,000): at the end of the warm-up
            "schedule": "inverse-sqrt",
            "warmup": 4_000,
        },
    }
    _own: ClassVar[tuple[str, ...]] = ("cell", "layers", "hidden", "lexicon", "trained", "head_dropout")

    lexicon: Literal["pairs", "pmi", "none"] = setting(
        "pairs", "what words translate to: what is always beside them, what tells most about them, or nothing known"
    )
    trained: bool = setting(False, "train the lexicon from that start; one that starts with nothing always is")
    head_dropout: float = setting(
        0.5,
        "the share of what the softmax reads that is dropped in training; none if dropout is 0",
        least=0,
        below=1,
    )
    cell: CellName = usual(RNN, "cell", "lstm")
    layers: int = usual(RNN, "layers", 1)
    hidden: int = usual(RNN, "hidden", 100)
    dropout: float = usual(NetworkLearner, "dropout", 0.1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.trained and self.lexicon == "none":
            raise InputError("a lexicon that starts with nothing is always trained: leave trained=true out")

    @property
    def published(self) -> Sequence[str]:
        return () if self.trained else SYSTEMS.get(self.lexicon, ())

    @staticmethod
    def _start(key: Any, *, words: int, actions: int, **own: Any) -> Any:
        from daxlab.networks.copying import copying

        nothing = own.pop("lexicon") == "none"
        own |= {"lexicon": own.pop("prepared"), "trained": own["trained"] or nothing}
        return copying(key, words=words, actions=actions, **own)

    def prepared(self, split: Split, encoding: "Encoding") -> Any:
        """The lexicon, bool [words, producible actions]; the end of a command translates to the end of an answer."""
        import numpy as np

        entries = LEXICONS[self.lexicon](split)
        table = np.zeros((len(encoding.words), len(encoding.actions) - EOS), np.bool_)
        table[EOS, 0] = self.lexicon != "none"
        for word, action in entries.items():
            table[encoding.words.symbols.index(word), encoding.actions.symbols.index(action) - EOS] = True
        return table
