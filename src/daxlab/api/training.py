"""Training from Python: the same runs, in the same ledger, as those of `daxlab train`."""

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daxlab import learners
from daxlab.api.ledgers import to_write
from daxlab.api.progress import watched
from daxlab.api.runs import Runs
from daxlab.datasets import Dataset, Split, dataset
from daxlab.errors import InputError, nearest
from daxlab.learners import Learner
from daxlab.ledger import Ledger, is_written
from daxlab.ledger.spec import Spec, replicates
from daxlab.settings import defaults
from daxlab.sweep import sweep
from daxlab.sweep.local import device_named
from daxlab.units import counted

OPTIONS = ("data", "test", "runs", "seed", "ledger", "device", "workers", "budget", "retry_failed", "progress")
MOST_WARNINGS = 3


def train(
    split: str | Split | Sequence[str | Split] = (),
    learner: str | Learner | type = learners.DEFAULT,
    *,
    data: str | Path | Dataset = "scan",
    test: str | None = None,
    runs: int = 5,
    seed: int = 0,
    ledger: str | Path | None = None,
    device: str = "auto",
    workers: int | None = None,
    budget: float | None = None,
    retry_failed: bool = False,
    progress: bool = True,
    **fields: Any,
) -> Runs:
    """Train replicates of a learner on a split or several; what the ledger has already is not trained again.

    `learner`: a name ('daxlab learners' has all), a class in a file ("mine.py:Mine"), or a Learner. Its fields are
    keywords: hidden=100. `data`: a dataset, by its name or path; `test`: of a folder of TSV files, the test set.
    `runs`: how many, with seeds from `seed` on. `ledger`: a file; by default DAXLAB_LEDGER, or daxlab.db in the working
    folder. `device`: auto, cpu or gpu; `workers`: so many groups at a time at most. `budget`: seconds after which to
    stop at a checkpoint. `progress`: whether to show how far it is.

    Weights are kept, so that every run can be asked. Ctrl-C stops at a checkpoint and keeps what is done: the same call
    goes on from there.

    >>> import daxlab
    >>> runs = daxlab.train("jump", data="limit-20:scan", hidden=4, layers=1, updates=5, runs=1, progress=False)
    >>> runs
    Runs: 1 run of LSTM 1x4, dropout 0.5; updates 5 on jump: mean 0.00% right
    >>> runs[0].predict("jump twice").right
    False
    """
    chosen, name = chosen_learner(learner, fields), _data_name(data)
    splits = [split] if isinstance(split, str | Split) else list(split)
    names = [one.name if isinstance(one, Split) else one for one in splits]
    specs = replicates(chosen, name, names, test, runs=runs, seed=seed)
    _warn(name, specs)
    path, place = to_write(ledger), device_named(device)
    with watched(progress, path, place, workers) as show:
        outcome = sweep(
            specs,
            path,
            device=place,
            workers=workers,
            budget=budget,
            retry_failed=retry_failed,
            set_aside=False,
            show=show,
        )
    if outcome.stopped and budget is None:
        raise KeyboardInterrupt("stopped at a checkpoint; the same call goes on from there")
    rows = []
    if is_written(path):
        with Ledger(path) as known:
            by_key = {row["key"]: row for row in known.rows({"key": list(outcome.keys)})}
        rows = [by_key[key] for key in outcome.keys if key in by_key]
    if outcome.stopped:
        warnings.warn(
            f"the budget was used up: {counted(len(rows), 'run')} of {len(specs):,} came to an end, and the same call "
            "goes on with the others",
            stacklevel=2,
        )
    return Runs(rows, path)


def chosen_learner(learner: str | Learner | type, fields: dict[str, Any]) -> Learner:
    """A learner by its name, class or object, with these of its fields.

    >>> print(chosen_learner("rnn", {"cell": "gru", "hidden": 50}))
    GRU 2x50, dropout 0.5
    """
    if isinstance(learner, Learner):
        fields = asdict(learner) | fields
    name = learner if isinstance(learner, str) else _name_of(learner if isinstance(learner, type) else type(learner))
    known = list(defaults(learners.find(name)))
    for field in fields:
        if field not in known:
            advice = nearest(field, [*known, *OPTIONS], f"'daxlab learners {name}' lists its fields")
            raise InputError(f"train takes no {field!r}, and {name} has no such field; {advice}")
    return learners.make(name, fields)


def _name_of(kind: type) -> str:
    """What a class of a learner, or of a network, is called: its kind, or its file and its name."""
    known = getattr(kind, "kind", "")
    if learners.KINDS.get(known) is kind:
        return str(known)
    if source := getattr(kind, "source", None):
        return str(source["name"])
    try:
        file = None if kind.__module__ == "__main__" else inspect.getsourcefile(kind)
    except TypeError:
        file = None
    if file is None or not Path(file).is_file():
        raise InputError(
            f"runs are known by the file of their learner: write {kind.__name__} into a file of its own (in a "
            f"notebook, %%writefile mine.py), and train 'mine.py:{kind.__name__}'"
        )
    path = Path(file)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{kind.__name__}"


def _data_name(data: str | Path | Dataset) -> str:
    return data.name if isinstance(data, Dataset) else str(data)


def _warn(data: str, specs: Sequence[Spec]) -> None:
    """Tell of what a user may not expect of the data."""
    source = dataset(data)
    names = dict.fromkeys(spec.split for spec in specs)
    told = list(dict.fromkeys(warning for name in names for warning in source.warnings(source.split(name))))
    for warning in told[:MOST_WARNINGS]:
        warnings.warn(warning, stacklevel=3)
    if len(told) > MOST_WARNINGS:
        warnings.warn(f"… and {counted(len(told) - MOST_WARNINGS, 'more warning')}", stacklevel=3)
