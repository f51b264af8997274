"""One run: a learner trained on a split with a seed, to be looked at and to be asked.

What the ledger has of it is read when it is wanted, and its model is loaded by the first question to it.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daxlab.datasets import Dataset, Split, dataset
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.units import counted

if TYPE_CHECKING:
    import polars as pl

    from daxlab.api.runs import Runs
    from daxlab.learners import Prediction
    from daxlab.ledger.trained import Askable

Row = dict[str, Any]
SHORT = 12  # digits of a key that are shown
OTHER_TEST = "accuracy."  # begins the metrics of further test sets


class Run:
    """A learner that was trained on a split with a seed: what came of it, and its model to be asked.

    >>> import daxlab
    >>> run = daxlab.load("9485894f")
    >>> run
    Run 9485894fac4f: LSTM 1x100, attention, dropout 0.1 on jump, seed 0: 0.45% right
    >>> run.split, run.seed, run.fields["hidden"], round(run.accuracy, 2)
    ('jump', 0, 100, 0.45)
    """

    def __init__(self, row: Mapping[str, Any], ledger: Path | None, model: "Askable | None" = None) -> None:
        self._row, self._ledger = dict(row), ledger
        if model is not None:
            self.__dict__["model"] = model  # what the cached property would load

    # -- what it is, and what came of it

    @property
    def key(self) -> str:
        """What names it: a hash of all that determines it. Any unique beginning will do."""
        return str(self._row["key"])

    @property
    def split(self) -> str:
        """The name of the split that it learned."""
        return str(self._row["split"])

    @property
    def seed(self) -> int:
        """The seed of all its draws."""
        return int(self._row["seed"])

    @property
    def learner(self) -> str:
        """The kind of its learner, such as rnn."""
        return str(self._row["learner"])

    @property
    def label(self) -> str:
        """Its learner in words."""
        return str(self._row["label"])

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of its learner."""
        return dict(self._row["fields"])

    @property
    def data(self) -> str:
        """The name of its dataset."""
        return str(self._row["dataset"])

    @cached_property
    def dataset(self) -> Dataset:
        """Its dataset."""
        return dataset(self.data)

    @property
    def status(self) -> str:
        """done or failed."""
        return str(self._row["status"])

    @property
    def accuracy(self) -> float | None:
        """The percentage of test commands that it answers wholly right, as it was scored; None if it failed."""
        return self._metric("accuracy")

    @property
    def train_accuracy(self) -> float | None:
        """The same of the training commands."""
        return self._metric("train_accuracy")

    @property
    def oracle_accuracy(self) -> float | None:
        """The same of the test commands, when told the right number of actions."""
        return self._metric("oracle_accuracy")

    def _metric(self, name: str) -> float | None:
        value = self._row.get(name)
        return None if value is None else float(value)

    @property
    def ledger(self) -> Path:
        """The ledger that has it; an error if it comes from a folder."""
        if self._ledger is None:
            raise InputError(
                f"{self.key[:SHORT]} comes from a folder, which has the model alone; what was recorded in training "
                "and scoring is in the ledger that it was written from"
            )
        return self._ledger

    def alone(self) -> "Runs":
        """As a sequence of one run."""
        from daxlab.api.runs import Runs

        return Runs([self._row], self.ledger)

    # -- its model

    @cached_property
    def model(self) -> "Askable":
        """Its model, loaded from what was kept; an error that says how to have it, if nothing was."""
        from daxlab.ledger.trained import TrainedModel

        return TrainedModel(self.ledger, self.key)

    @property
    def askable(self) -> bool:
        """Whether its model was kept, or is quickly made again, so that it can be asked anything.

        >>> import daxlab
        >>> daxlab.load("9485894f").askable
        True
        """
        if "model" in self.__dict__:
            return True
        from daxlab.ledger.trained import askable

        with Ledger(self.ledger) as ledger:
            return self.key in askable(ledger, [self._row])

    def predict(self, command: str) -> "Prediction":
        """Its answer to a command: actions, their probabilities, attention, and whether it is right.

        >>> import daxlab
        >>> run = daxlab.load("9485894f")
        >>> run.predict("walk twice")
        walk twice → I_WALK I_WALK ✓
        >>> answer = run.predict("jump twice")
        >>> answer.actions, answer.right
        (('I_JUMP',), False)
        """
        model = self.model
        if not (text := model.dataset.read(command)):
            raise InputError(f"nothing is asked: give one of its {model.dataset.unit}, such as {self._example()!r}")
        return replace(model.predict(text), command=text, targets=model.targets(text))

    def attention(self, command: str | None = None) -> "pl.DataFrame":
        """Where it looks while it answers, a row per step and word: command, step, action, place, word, weight.

        Without a command, the maps of its dataset's probes that the ledger has.

        >>> import daxlab
        >>> run = daxlab.load("b38f820f")
        >>> run.attention("jump twice").columns
        ['command', 'step', 'action', 'place', 'word', 'weight']
        """
        from daxlab.analysis import probes

        if command is None:
            with Ledger(self.ledger) as ledger:
                return probes.attention(ledger, self.key)
        if not self.model.attends:
            raise InputError(f"{self.label} has no attention, so it looks nowhere")
        answer = self.predict(command)
        return probes.attended([(answer.command, answer.actions, answer.attention)])

    def answers(
        self, split: str | Split | None = None, test: str | None = None, *, oracle_length: bool = False
    ) -> "pl.DataFrame":
        """Its answers, a row per command: command, category, words, actions, target, answer, right, ended.

        To its own test set, as they were scored (with oracle_answer, oracle_right, own and likelihood, where the ledger
        has them); to another split's, or with the right length given, its model is asked.

        >>> import daxlab
        >>> frame = daxlab.load("9485894f").answers()
        >>> frame.height, int(frame["right"].sum())
        (7706, 35)
        """
        from daxlab.analysis.answers import answers, asked

        if self._ledger is not None and split is None and not oracle_length:
            with Ledger(self.ledger) as ledger:
                return answers(ledger, self.key, test)
        content = self._split(split)
        if test is not None and test not in content.tests:
            raise InputError(f"{content.name} has no test set {test!r}; {nearest(test, content.tests)}")
        given = self.model.evaluate(content, test, oracle_length=oracle_length)
        return asked(given.asked, given.answers, given.right, given.ended)

    def evaluate(
        self, split: str | Split | None = None, test: str | None = None, *, oracle_length: bool = False
    ) -> float:
        """The percentage of a test set that its model answers right now: of its own split, or of another.

        >>> import daxlab
        >>> run = daxlab.load("6c913ca2")
        >>> run.evaluate("length", oracle_length=True) > run.evaluate("length")
        True
        """
        frame = self.answers(self._split(split), test, oracle_length=oracle_length)
        return 100 * float(frame["right"].sum()) / max(frame.height, 1)

    def errors(self, by: str | None = None) -> "pl.DataFrame":
        """Its wrong answers, a row each; or what goes wrong, `by` length, words, category, template, action, position,
        end or search.

        >>> import daxlab
        >>> run = daxlab.load("9485894f")
        >>> run.errors().columns
        ['command', 'target', 'answer', 'ended']
        >>> run.errors(by="template").row(0)[0]
        'U around left thrice'
        """
        from daxlab.api.errors import errors

        with Ledger(self.ledger) as ledger:
            return errors(ledger, [self.key], by)

    def curve(self) -> "pl.DataFrame":
        """Its learning curve: update, train_accuracy, test_accuracy (of samples), loss.

        >>> import daxlab
        >>> daxlab.load("9485894f").curve()["update"].max()
        100000
        """
        from daxlab.analysis.curves import learning

        with Ledger(self.ledger) as ledger:
            return learning(ledger, [self.key]).drop("key", "seed")

    def _split(self, split: str | Split | None) -> Split:
        if isinstance(split, Split):
            return split
        return self.dataset.split(split or self.split)

    def _example(self) -> str:
        return next(iter([*self.dataset.probes(), *self.dataset.examples()])).command

    # -- how it is shown

    def __repr__(self) -> str:
        where = self.split if self.data == "scan" else f"{self.split} of {self.data}"
        return f"Run {self.key[:SHORT]}: {self.label} on {where}, seed {self.seed}: {self._came_of_it()}"

    def _came_of_it(self) -> str:
        if self.status != "done":
            return f"failed at step {self._row['failed_at']:,}"
        return "not scored" if self.accuracy is None else f"{self.accuracy:.2f}% right"

    def _repr_html_(self) -> str:
        facts = {"run": self.key[:SHORT], "learner": self.label, "split": self.split}
        facts |= {} if self.data == "scan" else {"dataset": self.data}
        facts |= {"seed": str(self.seed), "test": self._came_of_it()}
        others = {"training": self.train_accuracy, "right length given": self.oracle_accuracy}
        facts |= {name: f"{value:.2f}% right" for name, value in others.items() if value is not None}
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
        return f"<table>{rows}</table>"


def described(rows: list[Row]) -> str:
    """So many runs, and of how many settings."""
    settings = {(row["dataset"], row["split"], row["label"]) for row in rows}
    several = f" of {counted(len(settings), 'setting')}" if len(settings) > 1 else ""
    return f"{counted(len(rows), 'run')}{several}"
