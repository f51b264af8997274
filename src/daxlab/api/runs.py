"""Several runs: a sequence, and what they say together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from daxlab.api.run import SHORT, Run, described
from daxlab.errors import InputError, nearest
from daxlab.ledger import Ledger
from daxlab.ledger.records import METRICS, canonical, setting
from daxlab.units import counted

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
MOST_SHOWN = 20  # runs in a notebook
MOST_FIELDS, MOST_VALUES = 4, 5  # in an error


@dataclass(frozen=True)
class Accuracy:
    """The mean accuracy of replicates in per cent, with its 95% interval where there are two or more."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        ends = "" if self.low is None else f" (95% interval {self.low:.2f} to {self.high:.2f})"
        return f"{self.mean:.2f}%{ends}, {counted(self.runs, 'run')}"


class Runs(Sequence[Run]):
    """Several runs of a ledger: a sequence of runs, with what they say together.

    >>> import daxlab
    >>> runs = daxlab.runs(split="jump", hidden=100, attention=True, cell="gru", layers=1, dropout=0.1)
    >>> len(runs), runs[0].seed, [run.seed for run in runs[:2]]
    (5, 0, [0, 1])
    """

    def __init__(self, rows: Sequence[Row], ledger: Path, filters: Mapping[str, Any] | None = None) -> None:
        self.rows, self.ledger = list(rows), ledger
        """Their rows of the ledger, and the ledger."""
        self.filters = None if filters is None else dict(filters)
        """What they were found by; None of runs that were chosen otherwise."""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Run: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> "Runs": ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> "Run | Runs":
        if isinstance(place, slice):
            return Runs(self.rows[place], self.ledger)
        return Run(self.rows[place], self.ledger)

    def __iter__(self) -> Iterator[Run]:
        return (Run(row, self.ledger) for row in self.rows)

    @property
    def keys(self) -> list[str]:
        """Their keys."""
        return [row["key"] for row in self.rows]

    def where(self, **filters: Any) -> "Runs":
        """Those of them that also fit these filters, which are as for `daxlab.runs`.

        >>> import daxlab
        >>> jump = daxlab.runs(split="jump", learner="rnn")
        >>> len(jump.where(cell="srn", hidden=[25, 50])) < len(jump)
        True
        """
        if self.filters is not None and not self.filters.keys() & filters.keys():
            from daxlab.api.find import runs

            return runs(self.ledger, **self.filters, **filters)
        with Ledger(self.ledger) as ledger:
            ledger.check_columns(filters)
            wanted = set(ledger.select(filters)) if filters else set(self.keys)
        return Runs([row for row in self.rows if row["key"] in wanted], self.ledger)

    @property
    def askable(self) -> "Runs":
        """Those of them whose models were kept, so that they can be asked anything.

        >>> import daxlab
        >>> [run.key[:8] for run in daxlab.runs(split="jump", learner="rnn", ledger="shipped").askable]
        ['ae8ed408', '9485894f']
        """
        from daxlab.ledger.trained import askable

        with Ledger(self.ledger) as ledger:
            wanted = askable(ledger, self.rows)
        return Runs([row for row in self.rows if row["key"] in wanted], self.ledger)

    @property
    def answered(self) -> "Runs":
        """Those of them whose answers the ledger has, for `answers`, `errors` and the figures of these.

        >>> import daxlab
        >>> jump = daxlab.runs(split="jump", learner="rnn", ledger="shipped")
        >>> len(jump.answered), len(jump)
        (30, 859)
        """
        with Ledger(self.ledger) as ledger:
            wanted = ledger.having("greedy")
        return Runs([row for row in self.rows if row["key"] in wanted], self.ledger)

    # -- together

    @property
    def accuracies(self) -> list[float]:
        """The accuracy of each that has one, in their order."""
        return [row["accuracy"] for row in self.rows if row["accuracy"] is not None]

    @property
    def accuracy(self) -> Accuracy:
        """Their mean accuracy with its 95% interval. They have to be replicates: one learner on one split.

        >>> import daxlab
        >>> daxlab.runs(split="jump", hidden=100, attention=True, cell="gru", layers=1, dropout=0.1).accuracy
        0.16% (95% interval 0.06 to 2.52), 5 runs
        """
        from daxlab.analysis.replicates import summary

        self.need_some()
        if len({canonical(setting(row["spec"])) for row in self.rows}) > 1:
            raise InputError(
                f"these are {described(self.rows)}, which differ in {self._differing()}, so they have no one accuracy: "
                "choose by where(…), or see summary()"
            )
        if not self.accuracies:
            raise InputError(f"none of these {counted(len(self), 'run')} has an accuracy: training failed")
        row = summary(self.accuracies)
        return Accuracy(row["mean"], row["low"], row["high"], len(self.accuracies))

    @property
    def median(self) -> Run:
        """The run of median accuracy, the most representative."""
        from daxlab.analysis.accuracy import median_run

        self.need_some()
        with Ledger(self.ledger) as ledger:
            key = median_run(ledger, self.keys)
        return next(run for run in self if run.key == key)

    def frame(self) -> "pl.DataFrame":
        """A row per run: split, label, seed, accuracy, train_accuracy, oracle_accuracy, status, seconds, key, dataset,
        learner, and a column for every field of their learners.

        >>> import daxlab
        >>> frame = daxlab.runs(split="jump", learner="rnn").frame()
        >>> frame.filter(layers=1, hidden=25, attention=True, seed=0)["cell", "dropout", "accuracy"].height
        9
        """
        import polars as pl  # slow to load

        columns = ("split", "label", "seed", *METRICS, "status", "seconds", "key", "dataset", "learner")
        names = dict.fromkeys(name for row in self.rows for name in row["fields"])
        fields = [name for name in names if name not in columns]
        kinds: dict[str, Any] = dict.fromkeys(columns, pl.String)
        kinds |= {"seed": pl.Int64, **dict.fromkeys((*METRICS, "seconds"), pl.Float64)}
        content = {name: [row[name] for row in self.rows] for name in columns}
        series = [pl.Series(name, values, kinds[name]) for name, values in content.items()]
        return pl.DataFrame(
            [*series, *(_column(name, [row["fields"].get(name) for row in self.rows]) for name in fields)]
        )

    def summary(self) -> "pl.DataFrame":
        """A row per learner and split: how many runs, their mean accuracy with its 95% interval, every accuracy.

        >>> import daxlab
        >>> daxlab.runs(learner="grammar", repair=True, split="jump").summary()["split", "runs", "mean"].row(0)
        ('jump', 5, 100.0)
        """
        from daxlab.analysis.accuracy import settings

        with Ledger(self.ledger) as ledger:
            return settings(ledger, {"key": self.keys})

    def answers(self) -> "pl.DataFrame":
        """Their answers to their test sets, run after run, as the ledger has them: key, seed, and as of one run."""
        from daxlab.analysis.answers import SCHEMA, together

        with Ledger(self.ledger) as ledger:
            return together(ledger, self.keys, list(SCHEMA))

    def errors(self, by: str | None = None) -> "pl.DataFrame":
        """Their wrong answers, a row each, or what goes wrong, `by` as of one run. They have to be on one split.

        >>> import daxlab
        >>> daxlab.runs(split="length", label="GRU 1x50, attention, dropout 0.5").errors("end").columns
        ['key', 'seed', 'wrong', 'early', 'late', 'same', 'unended']
        """
        from daxlab.api.errors import errors

        self.need_some()
        with Ledger(self.ledger) as ledger:
            return errors(ledger, self.keys, by)

    def curves(self) -> "pl.DataFrame":
        """Their learning curves: key, seed, update, train_accuracy, test_accuracy (of samples), loss."""
        from daxlab.analysis.curves import learning

        with Ledger(self.ledger) as ledger:
            return learning(ledger, self.keys)

    def need_some(self) -> None:
        """Raise an error that says why, if there are none."""
        if not self.rows:
            raise InputError(self._why_none())

    def _why_none(self) -> str:
        """Why there are no runs: which filter no run fits, and what is near."""
        if not self.filters:
            return f"there are no runs here: {self.ledger} has others"
        with Ledger(self.ledger) as ledger:
            for name, value in self.filters.items():
                if name not in ("key", "group", *METRICS) and not ledger.count({name: value}):
                    values = [str(value) for value in ledger.values(name) if value is not None]
                    return f"no run of {self.ledger} has {name}={value}: {nearest(str(value), values)}"
        return f"no run of {self.ledger} has all of {_written(self.filters)}"

    def _differing(self) -> str:
        """The columns and fields in which they differ, with their first values."""
        facts = [
            {"dataset": r["dataset"], "split": r["split"], "learner": r["learner"], **r["fields"]} for r in self.rows
        ]
        names = dict.fromkeys(name for fact in facts for name in fact)
        values = {name: dict.fromkeys(canonical(fact.get(name)).strip('"') for fact in facts) for name in names}
        several = [
            f"{name} ({', '.join([*some][:MOST_VALUES])}{', …' if len(some) > MOST_VALUES else ''})"
            for name, some in values.items()
            if len(some) > 1
        ]
        more = ["…"] if len(several) > MOST_FIELDS else []
        return ", ".join([*several[:MOST_FIELDS], *more]) or "the version of their learner"

    # -- how they are shown

    def __repr__(self) -> str:
        if not self.rows:
            return f"Runs: none; {self._why_none()}"
        labels = {(row["label"], row["split"]) for row in self.rows}
        ((label, split), *others) = labels
        return f"Runs: {described(self.rows)}" + ("" if others else f" of {label} on {split}: {self._mean()}")

    def _mean(self) -> str:
        values = self.accuracies
        failed = f", {len(self) - len(values)} without" if len(values) < len(self) else ""
        return f"mean {sum(values) / len(values):.2f}% right{failed}" if values else "none has an accuracy"

    def _repr_html_(self) -> str:
        head = ("run", "split", "learner", "seed", "test %")
        cells = [
            (
                r["key"][:SHORT],
                r["split"],
                r["label"],
                r["seed"],
                "failed" if r["accuracy"] is None else f"{r['accuracy']:.2f}",
            )
            for r in self.rows[:MOST_SHOWN]
        ]
        rows = ["".join(f"<td>{escape(str(cell))}</td>" for cell in line) for line in cells]
        more = f"<p>… and {len(self) - MOST_SHOWN:,} more: frame() has them all</p>" if len(self) > MOST_SHOWN else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{body}</table>" if rows else ""
        return f"<p>{escape(repr(self))}</p>{table}{more}"


def _written(filters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in filters.items())


def _column(name: str, values: Sequence[Any]) -> "pl.Series":
    """A field's values as a column; whole numbers and others are numbers, and what is mixed is text."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return pl.Series(name, values, pl.Float64)
    if kinds <= {int} or kinds <= {float} or kinds <= {bool} or kinds <= {str}:
        return pl.Series(name, values)
    return pl.Series(name, [None if value is None else canonical(value) for value in values], pl.String)
