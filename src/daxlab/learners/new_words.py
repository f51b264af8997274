"""New words: the paper's attention LSTM, where the vectors of words that are seen only alone start elsewhere.

The paper names "special ways to initialize the embeddings of novel words" as an avenue, and does not say which. Here,
before training, the vectors of a word that is a command by itself, and is in no other, are the mean of those of words
that are commands by themselves too, but are in longer ones as well. These vectors are its embedding, and, if its answer
is one action that is in no other command's, that action's embedding and row of the softmax.

Before training all vectors are random, so their mean says nothing of what words mean. It says where the new word is: as
near as can be to all of the words that it is like (of three, at a cosine of 0.58 to each instead of about 0). Training
then moves each of them by its commands, and the new word by one command alone. Of the leaderboard's splits this
concerns jump only: "jump" starts amid walk, look and run. Where there is no such word, the network is the paper's, seed
for seed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from daxlab.datasets import Split
from daxlab.learners.network import NetworkLearner
from daxlab.learners.rnn import RNN
from daxlab.settings import usual

if TYPE_CHECKING:
    from daxlab.encoding import Encoding


@dataclass(frozen=True)
class NewWords(RNN):
    """An attention LSTM where words that are seen only alone start amid others that also stand alone."""

    kind: ClassVar[str] = "new-words"
    told: ClassVar[str] = "the training examples; that words which stand alone are alike"
    origin: ClassVar[str] = "an idea of Lake and Baroni (2018), not published on SCAN before"
    named_sizes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"small": {"hidden": 50, "updates": 30_000}}

    layers: int = usual(RNN, "layers", 1)
    hidden: int = usual(RNN, "hidden", 100)
    attention: bool = usual(RNN, "attention", True)
    dropout: float = usual(NetworkLearner, "dropout", 0.1)

    @staticmethod
    def _start(key: Any, **own: Any) -> Any:
        from daxlab.networks.new_words import Placed, with_new_words

        placed = (Placed(*which) for which in own.pop("prepared"))
        return with_new_words(RNN._start(key, **own), *placed)

    def prepared(self, split: Split, encoding: "Encoding") -> Any:
        """Of words and of actions: which are new, and which they are like; each bool [symbols]."""
        import numpy as np

        sides = zip((encoding.words, encoding.actions), new_and_like(split), strict=True)
        return [[np.isin(vocabulary.symbols, sorted(names)) for names in which] for vocabulary, which in sides]

    @property
    def architecture(self) -> str:
        return f"{self.kind}, {super().architecture}"


def new_and_like(split: Split) -> tuple[tuple[set[str], set[str]], tuple[set[str], set[str]]]:
    """The new words and those that they are like; the same of the actions that are their answers."""
    alone = {e.command: tuple(e.actions) for e in split.train if len(e.command.split()) == 1}
    longer = {word for e in split.train if e.command not in alone for word in e.command.split()}
    others = {action for e in split.train if e.command in longer or e.command not in alone for action in e.actions}
    like = set(alone) & longer
    new = set(alone) - longer if like else set()
    answers = {word: actions[0] for word, actions in alone.items() if len(actions) == 1}
    like_actions = {answers[word] for word in like & set(answers)}
    new_actions = {answers[word] for word in new & set(answers)} - others if like_actions else set()
    return (new, like), (new_actions, like_actions)
