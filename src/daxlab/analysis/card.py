"""A card: all that a ledger knows of one learner, as plain data. What it did on each split, where it breaks, how it was
made; and what tells several learners apart.

Any learner has one: a card knows runs and their answers, not how they came about. Nor does it know how it is shown, or
what was published.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.answers import trained_on
from daxlab.analysis.contrast import answered, beforehand, contrast, learner_facts
from daxlab.analysis.origins import DEVICE, VERSIONS
from daxlab.analysis.replicates import Row, summary
from daxlab.datasets import dataset
from daxlab.datasets.disguise import PREFIX
from daxlab.datasets.part import parts_of
from daxlab.errors import InputError, nearest
from daxlab.learners import Program, name_and_fields, of
from daxlab.learners.take_home import TakeHome
from daxlab.ledger import Ledger, canonical
from daxlab.ledger.records import Facts

NAMED_BY = ("label", "learner", "file", "command", "name")  # columns and fields by which a learner is found
VERSION = ("source", "digest", "semantics")  # what differs between versions of one learner
MOST_NAMED = 12  # learners, in advice
MOST_CONSTRUCTIONS = 10
SCAN = "scan"
SCORE = "per cent of commands whose answer is exactly right"
SELECTION = "the last state only: a run is fitted once, and nothing is chosen by its answers"
NO_VALIDATION = "none: no part of training is held out"
TENTH_HELD_OUT = "a seeded tenth of the training examples is held out, for a learner that takes it for validation"
LIMITED = "a draw of at most {:,} commands of each test set, so a figure also varies with the draw"
AS_PRESENTED = "each training example as often as the split presents it; how often these are gone through is not known"
MACHINE = (*DEVICE, "machine")
NOT_RUN = "not run yet"
CONTRAST = ("pairs", "difference", "difference_low", "difference_high", "better", "better_low", "better_high", "higher")


# -- whose card


def learner_rows(ledger: Ledger, name: str) -> tuple[list[Row], int]:
    """The runs of the learner that a name stands for (its label, kind, file or command), the latest first. Of several
    versions of its source, the latest; and how many runs the others have."""
    rows = next(filter(None, (ledger.rows({column: name}) for column in NAMED_BY)), [])
    if not rows:
        there = [str(value) for column in NAMED_BY for value in ledger.values(column) if value]
        raise InputError(f"{ledger.path} has no learner {name!r}; {nearest(name, there, _there(ledger))}")
    if len({canonical(without_version(row)) for row in rows}) > 1:
        labels = sorted({row["label"] for row in rows})
        raise InputError(f"{name!r} is more than one learner in {ledger.path}; name one of them: {_some(labels)}")
    latest = learner_facts(rows[0])
    kind, fields = name_and_fields(rows[0]["spec"])
    plain = {f"protocol.{part}": value for part, value in fields.items() if not isinstance(value, list | dict)}
    every = ledger.rows({"learner": kind, **plain})  # under another label too
    return [row for row in every if learner_facts(row) == latest], sum(learner_facts(row) != latest for row in rows)


def only_learner(ledger: Ledger) -> str:
    """The name of the only learner of a ledger; an error that says which there are, if there are several."""
    labels = ledger.values("label")
    if len(labels) != 1:
        raise InputError(f"say whose card: {_there(ledger)}")
    return str(labels[0])


def without_version(row: Row) -> Row:
    """What determines a run's learner, but for the version of its source."""
    return {part: value for part, value in learner_facts(row).items() if part not in VERSION}


def _there(ledger: Ledger) -> str:
    return f"{ledger.path} has {_some([str(label) for label in ledger.values('label')]) or 'no runs'}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return "; ".join([*names[:MOST_NAMED], *[f"and {more} more"][: max(more, 0)]])


# -- what is on it


def card(
    ledger: Ledger,
    name: str,
    facts: Facts,
    rows: Sequence[Row],
    data: str = "",
    lacking: Sequence[Facts] = (),
    why: str = NOT_RUN,
    checks: Sequence[Row] = (),
    brief: bool = False,
) -> Row:
    """The card of one learner's runs on a dataset, as report/card.schema.json describes it.

    `facts`: those of any run of it. `data`: SCAN, unless there are no runs on it. `lacking`: the facts of runs that
    were asked for and are not there; `why` is their status. `checks`: what `daxlab check` found. `brief`: without where
    it breaks, which takes seconds.
    """
    data = data or data_of(rows)
    absent = {name: _splits(lacking, name) for name in (data, PREFIX + data)}
    plain, disguised = (
        _in_order(data, {split: [] for split in absent[name]} | _by_split(rows, name)) for name in absent
    )
    if not plain:
        raise InputError(f"{name} has no runs on {data}; there are some on {_some(_datasets(rows))}")
    on_card = [row for replicates in (*plain.values(), *disguised.values()) for row in replicates]
    return {
        "learner": _learner(name, facts),
        "protocol": _protocol(data, facts, on_card),
        "splits": {
            split: entry(replicates, absent[data][split], why) | _content(ledger, replicates, brief)
            for split, replicates in plain.items()
        },
        "disguised": {
            split: entry(replicates, absent[PREFIX + data][split], why)
            | beforehand(data, _scores(plain.get(split, ())), _scores(replicates))
            for split, replicates in disguised.items()
        },
        "checks": list(checks),
    }


def data_of(rows: Sequence[Row]) -> str:
    """The dataset that a card is about if nobody says which."""
    names = _datasets(rows)
    if len(names) > 1 and SCAN not in names:
        raise InputError(f"say on which dataset: --data {names[0]}, say; there are runs on {_some(names)}")
    return SCAN if SCAN in names else names[0]


def _datasets(rows: Sequence[Row]) -> list[str]:
    """What the runs were trained on, without disguises."""
    return sorted({str(row["dataset"]).removeprefix(PREFIX) for row in rows})


def _splits(runs: Sequence[Facts], data: str) -> Counter[str]:
    """The splits of a dataset that these runs are on, and how many of them are on each."""
    return Counter(facts["split"]["name"] for facts in runs if facts["language"]["name"] == data)


def _by_split(rows: Sequence[Row], data: str) -> dict[str, list[Row]]:
    """The runs on each split of a dataset, by seed; if the split has changed meanwhile, those on its latest content."""
    by_split: dict[str, list[Row]] = {}
    for row in rows:  # the latest first
        if row["dataset"] == data:
            same = by_split.setdefault(row["split"], [])
            if not same or _digest(same[0]) == _digest(row):
                same.append(row)
    return {split: sorted(replicates, key=lambda row: row["seed"]) for split, replicates in by_split.items()}


def _in_order(data: str, by_split: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """The splits in the order of the dataset's own list, as far as they are in it and it is on this machine."""
    names: list[str] = []
    with suppress(InputError):
        names = dataset(data).split_names()
    places = {name: place for place, name in enumerate(names)}
    return {split: by_split[split] for split in sorted(by_split, key=lambda name: (places.get(name, len(names)), name))}


def _digest(row: Row, part: str = "split") -> str | None:
    value = row["spec"].get(part)
    return value.get("digest") if isinstance(value, Mapping) else None


def _learner(name: str, facts: Facts) -> Row:
    kind, fields = name_and_fields(facts)
    source = facts.get("learner", {}).get("kind")
    about: Row = {"name": name, "kind": kind, "fields": dict(sorted(fields.items()))}
    if isinstance(source, Mapping):
        about["digest"] = source.get("digest")  # of the file that it stands in
    program = of(facts) if kind == Program.kind else None
    return about | {"learns": program.learns if isinstance(program, Program) else True}


def _protocol(data: str, facts: Facts, rows: Sequence[Row]) -> Row:
    """What must be known to compare these figures with others."""
    fields = name_and_fields(facts)[1]
    updates = fields.get("updates")
    shown = updates * fields.get("batch", 1) if isinstance(updates, int) else None
    digests = {digest for row in rows if row["dataset"] == data and (digest := _digest(row, "language"))}
    part = parts_of(data)
    limits: Row = next((row["origin"].get("limits", {}) for row in rows), {})
    unseen = _unseen(facts)
    return {
        "data": data,
        "digest": next(iter(digests)) if len(digests) == 1 else None,
        "training": f"{shown:,} presentations, drawn with replacement" if shown else AS_PRESENTED,
        "validation": TENTH_HELD_OUT if part.dev else NO_VALIDATION,
        "asked": "every test command" if part.limit is None else LIMITED.format(part.limit),
        "selection": SELECTION,
        "score": SCORE,
        "seeds": sorted({row["seed"] for row in rows}),
        "limits": limits,
        "versions": _origins(rows, [part for part in VERSIONS if part not in unseen]),
        "machines": _origins(rows, [part for part in MACHINE if part not in unseen]),
    }


def _unseen(facts: Facts) -> set[str]:
    """What the origin of a run says of daxlab's own process alone, because the learner was trained in another one."""
    kind, fields = name_and_fields(facts)
    if kind == TakeHome.kind:
        return {"python", *MACHINE}
    if kind == Program.kind:
        return {*DEVICE, *(["python"] if fields.get("python") or fields.get("command") else [])}
    return set()


def _origins(rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    """Where runs were made, or with what: each combination, and how many runs it made."""
    counts = Counter(tuple((name, row["origin"][name]) for name in names if name in row["origin"]) for row in rows)
    return [dict(made) | {"runs": count} for made, count in counts.most_common() if made]


# -- a split


def entry(rows: Sequence[Row], lacking: int = 0, why: str = NOT_RUN) -> Row:
    """What the card says of a split: runs without an accuracy, because they failed or are lacking, are counted by
    their status."""
    scores, statuses = _scores(rows), Counter(map(_status, rows)) + Counter({why: lacking})
    single = next(iter(statuses)) if len(statuses) == 1 else ""
    reasons = Counter(row["reason"] or "failed" for row in rows if row["status"] == "failed")
    accuracies = [accuracy for _, accuracy in scores]
    ends = summary(accuracies)
    return {
        **{part: ends[part] for part in ("mean", "low", "high")},
        "runs": len(scores),
        "status": single or ", ".join(f"{word} {count}" for word, count in statuses.items()),
        "seeds": [seed for seed, _ in scores],
        "accuracies": accuracies,
        "failures": [{"reason": reason, "runs": count} for reason, count in reasons.items()],
        "digest": _digest(rows[0]) if rows else None,
    }


def _status(row: Row) -> str:
    """What a program's failure begins with (crashed, timed out, …); a network only fails."""
    word, colon, _ = (row["reason"] or "").partition(":")
    return "ok" if row["status"] == "done" else word if colon else "failed"


def _scores(rows: Sequence[Row]) -> list[tuple[int, float]]:
    """The seed and the accuracy of each run that has one."""
    return [(row["seed"], row["accuracy"]) for row in rows if row["status"] == "done" and row["accuracy"] is not None]


def _content(ledger: Ledger, rows: Sequence[Row], brief: bool) -> Row:
    """How large the split is, and where its answers break; None where the data or the answers are not here."""
    unknown = {"train": None, "presentations": None, "test": None, "breaks": None}
    if not rows:
        return unknown
    keys = [] if brief else answered(ledger, [row["key"] for row in rows if row["status"] == "done"])
    try:
        split = trained_on(rows[0])
        sizes = {"train": len(split.train), "presentations": split.presentations, "test": len(split.test)}
        return unknown | sizes | {"breaks": breaks(ledger, keys) if keys else None}
    except InputError:  # the data is not on this machine, or is no longer what it was
        return unknown


def breaks(ledger: Ledger, keys: Sequence[str]) -> Row:
    """Where the answers of runs on one split are wrong: by length, construction and category; at which action they
    first depart from their targets; how many are shorter or longer than these, or as long."""
    ends = errors.ends(ledger, keys)
    try:
        constructions = errors.by_template(ledger, keys).filter(pl.col("wrong") > 0).to_dicts()
    except InputError:  # the dataset has no grammar
        constructions = []
    return {
        "runs": len(keys),
        "ends": {part: int(ends[part].sum()) for part in ("wrong", "early", "late", "same")},
        "first_wrong": errors.first_wrong(ledger, keys).to_dicts() if ends["wrong"].sum() else [],
        "lengths": errors.by_length(ledger, keys).to_dicts(),
        "constructions": constructions[:MOST_CONSTRUCTIONS],
        "categories": errors.by_category(ledger, keys).to_dicts(),
    }


# -- several learners


def differences(cards: Sequence[Row]) -> list[Row]:
    """A row for each pair of cards and split that both have: what tells the two apart, by analysis/contrast.py."""
    rows = []
    for a, b in combinations(cards, 2):
        for split, entry_a in a["splits"].items():
            entry_b = b["splits"].get(split)
            if entry_b and entry_a["digest"] == entry_b["digest"] and entry_a["digest"]:
                scores = [list(zip(side["seeds"], side["accuracies"], strict=True)) for side in (entry_a, entry_b)]
                row = {"split": split, "a": a["learner"]["name"], "b": b["learner"]["name"]}
                rows.append(row | dict.fromkeys(CONTRAST) | contrast(*scores))
    return rows
