"""A run's model, to be asked again: from its record or its weights, or fitted again by a learner that keeps neither."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from daxlab.datasets import Dataset, Split, dataset
from daxlab.errors import InputError
from daxlab.learners import KINDS, Answered, Context, Fitted, Prediction
from daxlab.ledger.artefacts import unpack_record
from daxlab.ledger.files import weights_of
from daxlab.ledger.ledger import Ledger
from daxlab.ledger.spec import Spec


class Askable:
    """One run's model, with its key, its spec and its dataset. Subclasses say where it comes from."""

    key: str
    spec: Spec
    dataset: Dataset
    _fitted: Fitted

    def evaluate(self, split: Split, test: str | None = None, *, oracle_length: bool = False) -> Answered:
        """Its answers to a test set of any split of its dataset: the main one unless another is named."""
        asked = [split.test if test is None else split.tests[test]]
        return (self._fitted.ask_with_length(asked) if oracle_length else self._fitted.ask(asked))[0]

    def predict(self, command: str) -> Prediction:
        """Its answer to any words it knows, also such as the grammar does not license."""
        return self._fitted.predict(command)

    def targets(self, command: str) -> tuple[tuple[str, ...], ...]:
        """The right answers to a command; none if it is not one of its dataset's."""
        return tuple(example.actions for example in self.dataset.examples() if example.command == command)

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.key[:12]}: {self.spec}"

    @property
    def attends(self) -> bool:
        """Whether it has attention weights to show."""
        return "attention" in self._fitted.abilities


class TrainedModel(Askable):
    """The model of a run that a ledger has."""

    def __init__(self, ledger: Path, prefix: str) -> None:
        with Ledger(ledger) as known:
            run = known.run(prefix)
        if run.status != "done":
            raise InputError(f"run {run.key[:12]} failed at step {run.failed_at}, so there is no model to ask")
        self.key, self.spec = run.key, Spec.of(run.spec, whole=False)
        path = weights_of(ledger, run.key)
        if not path.exists() and self.spec.learner.uses_jax:
            raise InputError(
                f"the weights of run {run.key[:12]} were not kept: there is no {path}. To have them, train it into a "
                "ledger that lacks it (--ledger NEW.db), by 'daxlab train' or 'daxlab sweep run --keep-weights'"
            )
        self.dataset = dataset(self.spec.data)
        learner, data = self.spec.learner, self.dataset
        fitted: Fitted | None
        if record := run.artefacts.get("record"):
            fitted = learner.restore(unpack_record(record), data)
        elif path.exists():
            fitted = learner.load(path, data)
        else:  # the same data, fields and seed give the same model
            fitted = learner.fit([Spec.of(run.spec).job()], Context())
        assert fitted is not None, "nobody told it to stop"
        if failure := next(iter(fitted.failures), None):
            raise InputError(f"run {run.key[:12]} cannot be repeated here: {failure.reason}")
        self._fitted = fitted


def askable(ledger: Ledger, runs: Sequence[Mapping[str, Any]]) -> set[str]:
    """Of these rows of a ledger, the keys of the runs whose models can be asked: those with a record or weights, and
    those of learners that are quickly fitted again."""
    recorded = ledger.having("record")
    folder = weights_of(ledger.path, "").parent
    weights = {path.stem for path in folder.glob("*.safetensors")}

    def has_model(run: Mapping[str, Any]) -> bool:
        kind = KINDS.get(run["learner"])
        refitted = Path(run["learner"].rpartition(":")[0]).is_file() if kind is None else not kind.uses_jax
        return run["key"] in recorded or run["key"] in weights or refitted

    return {run["key"] for run in runs if run["status"] == "done" and has_model(run)}
