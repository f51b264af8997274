"""Finding runs: many by what they are, or one by its key or its folder."""

from pathlib import Path
from typing import Any

from daxlab.api.ledgers import to_read
from daxlab.api.run import Run
from daxlab.api.runs import Runs
from daxlab.errors import InputError
from daxlab.ledger import Ledger

Row = dict[str, Any]


def runs(ledger: str | Path | None = None, **filters: Any) -> Runs:
    """The runs of a ledger that fit some filters: by split, learner, seed, dataset, status or any field of the learner.

    A list means any of its values. `ledger`: a file, or "shipped" for the results that come with daxlab; by default
    DAXLAB_LEDGER or daxlab.db in the working folder, and where that has no runs, the shipped results.

    >>> import daxlab
    >>> daxlab.runs(split="jump", learner="rnn", cell=["gru", "lstm"], hidden=50, layers=2)
    Runs: 60 runs of 12 settings
    """
    path = to_read(ledger)
    with Ledger(path) as known:
        known.check_columns(filters)
        rows = known.rows(
            {name: list(value) if isinstance(value, tuple | set) else value for name, value in filters.items()}
        )
    return Runs(sorted(rows, key=_order), path, filters)


def load(run: str | Path | Run, data: str | None = None, *, ledger: str | Path | None = None) -> Run:
    """One run, to be asked: by the beginning of its key, or from a folder that `daxlab runs folder` wrote.

    `data`: of a folder, where its dataset is now, if that is a file or a folder that was moved.

    >>> import daxlab
    >>> print(daxlab.load("9485894f").predict("jump twice"))
    jump twice → I_JUMP ✗ should be I_JUMP I_JUMP
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, Path) or not _is_key(run) or (ledger is None and (Path(run) / "config.json").exists()):
        return _from_folder(run, data)
    path = to_read(ledger, run)
    with Ledger(path) as known:
        (row,) = known.rows({"key": known.find(run)})
    return Run(row, path)


def _is_key(text: str) -> bool:
    return 0 < len(text) <= 64 and not set(text.lower()) - set("0123456789abcdef")


def _from_folder(path: str | Path, data: str | None) -> Run:
    from daxlab.learners import label, name_and_fields
    from daxlab.ledger import folder as folders

    if not str(path) or not Path(path).is_dir():
        raise InputError(
            f"{str(path)!r} is no run's key, and there is no such folder: a key is hexadecimal, such as 9485894f "
            "(daxlab.runs() has all), and a folder is one that 'daxlab runs folder' wrote"
        )
    model = folders.load(path, data)
    kind, fields = name_and_fields(model.facts)
    facts = {"key": model.key, "dataset": model.spec.data, "split": model.spec.split, "seed": model.spec.seed}
    facts |= {"learner": kind, "label": label(model.facts), "fields": fields, "status": "done", "spec": model.facts}
    return Run(facts | model.metrics, None, model)


def _order(row: Row) -> tuple[Any, ...]:
    return row["dataset"] != "scan", row["dataset"], row["split"], row["label"], row["seed"], row["key"]
