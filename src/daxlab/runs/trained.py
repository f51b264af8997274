"""A trained network taken out of the ledger again, to be asked. Needs JAX."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daxlab import engine
from daxlab.datasets import language
from daxlab.datasets.pairs import Pairs
from daxlab.datasets.rules import Split
from daxlab.datasets.sentences import written
from daxlab.encoding import Encoding
from daxlab.engine import weights
from daxlab.errors import InputError
from daxlab.runs import Ledger
from daxlab.runs.places import weights_of
from daxlab.runs.spec import Spec
from daxlab.sweep.worker import network_maker


@dataclass(frozen=True)
class Answer:
    """What a network answers to a command, step by step; the last step is the end, where it came to one."""

    actions: tuple[str, ...]
    probabilities: tuple[float, ...]  # of each action, and of the end after them
    attention: NDArray[np.float32] | None  # [steps, words and end]


class TrainedNetwork:
    """One run's network, with its spec."""

    def __init__(self, ledger: Path, prefix: str) -> None:
        with Ledger(ledger) as known:
            run = known.run(prefix)
        if run.status != "done":
            raise InputError(f"run {run.key[:12]} failed at update {run.failed_at}, so there is no network to ask")
        path = weights_of(ledger, run.key)
        if not path.exists():
            raise InputError(
                f"the weights of run {run.key[:12]} were not kept: there is no {path}. To have them, train it into a "
                "ledger that lacks it (--ledger NEW.db), by 'daxlab train' or 'daxlab sweep run --keep-weights'"
            )
        self.key, self.spec = run.key, Spec.of(run.spec, whole=False)
        lang = language(self.spec.language)
        self.translates = isinstance(lang, Pairs)  # English sentences, not commands
        self.encoding = Encoding.of(lang.commands())
        network = weights.load(path, network_maker(self.spec.architecture, self.encoding))
        self._networks = engine.stack([network])

    def evaluate(self, split: Split, *, oracle_length: bool = False) -> engine.Evaluation:
        """Its answers to the test commands of any split of its language."""
        run = engine.Run(self.spec.seed, split, self.spec.architecture.hidden)
        maker = network_maker(self.spec.architecture, self.encoding)
        group = engine.Group((run,), maker, self.encoding, self.spec.protocol)
        return engine.evaluate(group, self._networks, oracle_length=oracle_length)[0]

    def read(self, text: str) -> str:
        """A text as the network is asked it: a sentence is written as those it learned from."""
        return written(text) if self.translates else " ".join(text.split())

    def predict(self, command: str) -> Answer:
        """Its answer to any words it knows, also such as the grammar does not license."""
        rows = self.encoding.commands([command])
        given = engine.answers(self._networks, rows, cap=self.encoding.answer_time)[0]
        actions = self.encoding.actions.sequence(given[0].tolist())
        steps = len(actions) + bool(engine.ended(given)[0])
        scores = engine.scores(self._networks, rows, given)[0, 0]
        probabilities = np.exp(scores[np.arange(steps), given[0, :steps]])
        attention = None
        if self.spec.architecture.attention:
            words = len(command.split()) + 1
            attention = engine.attentions(self._networks, rows, given)[0, 0, :steps, :words]
        return Answer(actions, tuple(probabilities.tolist()), attention)
