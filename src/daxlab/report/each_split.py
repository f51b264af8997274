"""For every split and network of the ledger: learning, errors by template, confused actions, first errors, attention.

Looks at all protocols and languages alike.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from daxlab.errors import InputError
from daxlab.paper.experiments import BEST, SPLITS
from daxlab.report import attention, figures, text
from daxlab.report.blocks import Block, Fold, Row, Section, Text
from daxlab.report.drawing import Picture, picture, short
from daxlab.report.facts import Facts, Setting, closely

MOST_TEMPLATES = 10
MAIN = [split for name in BEST for split in reversed(SPLITS[name])]  # of the two draws ours first


def section(facts: Facts) -> Section:
    """A part per split that has runs, the paper's four first."""
    title = "Every split, closer"
    if not facts.splits:
        return Section("splits", title, [Text(text.absent("any split", text.reproduce("all")), "absent")])
    lead = (
        "What the runs of each network got wrong. A template is a clause with U for its verb; a command counts under "
        "each template that it has. Actions are compared position by position in wrong answers, “end” standing where "
        "one of the two has ended. Draws of one kind are looked at together."
    )
    order = sorted(facts.splits, key=lambda name: (MAIN.index(name) if name in MAIN else len(MAIN), _natural(name)))
    return Section("splits", title, [Text(lead), *(_fold(facts, name) for name in order)], short="Every split")


def _natural(name: str) -> list[tuple[int, str]]:
    """size-2 before size-16."""
    return [(int(part or 0), word) for word, part in re.findall(r"(\D+)(\d*)", name)]


def _fold(facts: Facts, name: str) -> Fold:
    settings = facts.splits[name]
    every = [one.network for one in settings]
    shown = closely(every, _best(facts, settings))
    about, hidden = text.counted(len(set(every)), "network"), len(set(every)) - len(shown)
    blocks: list[Block] = []
    if hidden:
        about += f", {text.number(len(shown))} of them closely"
        left = f"{text.counted(hidden, 'other network')} {'is' if hidden == 1 else 'are'} left out"
        blocks.append(Text(f"The paper's networks and the best: {left}; the search has those of the paper's 180."))
    for n, one in enumerate(settings):
        if one.network in shown:
            blocks += _setting(facts, one, f"{slug(name)}-{n}")
    return Fold(f"split-{slug(name)}", name, about, blocks)


def _best(facts: Facts, settings: Sequence[Setting]) -> list[str]:
    """The network with the best mean on a split."""
    here = (pl.col("split") == settings[0].split) & (pl.col("language") == settings[0].language)
    rows = facts.networks.filter(here & (pl.col("runs") > 0)).sort("mean", "network", descending=[True, False])
    return rows["network"].to_list()[:1]


def slug(name: str) -> str:
    """A name as part of an anchor and of a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _setting(facts: Facts, one: Setting, name: str) -> Iterator[Block]:
    yield Text(f"{one.title}: {text.counted(len(one.keys), 'run')}", "name")
    pictures = [_learning(facts, one, name)]
    keys = tuple(key for key in one.keys if facts.ledger.artefact(key, "greedy") is not None)
    if len(keys) < len(one.keys):
        kept = f"those of {text.number(len(keys))} are" if keys else "none is"
        yield Text(f"Of their answers, {kept} in this ledger.", "absent")
    try:
        if keys:
            pictures += _errors(facts, replace(one, keys=keys), name)
            pictures.append(attention.picture_of(facts.ledger, keys, f"attention-{name}") if one.attention else None)
    except InputError as error:  # a split that this machine does not have
        yield Text(f"Errors cannot be shown: {error}.", "absent")
    shown = [each for each in pictures if each is not None]
    if shown:
        yield Row(shown)


def _learning(facts: Facts, one: Setting, name: str) -> Picture | None:
    from daxlab.analysis.learning import curves  # the analyses are slow to load

    frame = curves(facts.ledger, one.keys)
    if frame.is_empty():
        return None
    runs = [rows.to_dicts() for rows in frame.partition_by("key", maintain_order=True)]
    caption = "Accuracy on samples of the training and of the test commands, one line a run."
    last = "; ".join(f"seed {rows[-1]['seed']}: test {text.percent(rows[-1]['test_accuracy'])}%" for rows in runs)
    return picture(figures.learning(runs), f"learning-{name}", "Learning.", caption, f"Learning curves. {last}", frame)


def _errors(facts: Facts, one: Setting, name: str) -> Iterator[Picture]:
    from daxlab.analysis.errors import confusion, first_wrong  # the analyses are slow to load

    where = first_wrong(facts.ledger, one.keys)
    if where.is_empty():
        return
    said = "First wrong positions: " + "; ".join(f"{row['position']}: {row['count']}" for row in where.to_dicts()[:12])
    drawn = figures.columns(where["position"].to_list(), where["count"].to_list(), "position of the first wrong action")
    yield picture(
        drawn, f"first-wrong-{name}", "Where answers first go wrong.", "Wrong answers over all runs.", said, where
    )
    yield from _templates(facts, one, name)
    yield _confusion(confusion(facts.ledger, one.keys), name)


def _templates(facts: Facts, one: Setting, name: str) -> Iterator[Picture]:
    from daxlab.analysis.errors import by_template  # the analyses are slow to load

    try:
        frame, which = by_template(facts.ledger, one.keys), "of a run, on average"
    except InputError:  # several draws have several test sets
        frame, which = by_template(facts.ledger, one.keys[:1]), "of the first draw"
    top = frame.filter(pl.col("wrong") > 0).head(MOST_TEMPLATES).to_dicts()
    if top:
        given = [
            figures.Bar(row["template"], row["wrong"], row["commands"], f"{_mean(row['wrong'])} of {row['commands']:,}")
            for row in top
        ]
        label = "Errors by template: " + "; ".join(f"{bar.label}: {bar.note}" for bar in given)
        caption = f"Wrong answers {which}, where their share is greatest."
        yield picture(figures.bars(given), f"templates-{name}", "Errors by template.", caption, label, frame)


def _mean(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _confusion(frame: pl.DataFrame, name: str) -> Picture:
    counts = {(row["target"], row["given"]): row["count"] for row in frame.to_dicts()}
    targets, given = _actions(frame["target"].to_list()), _actions(frame["given"].to_list())
    cells = {(r, c): counts.get((t, g), 0) for r, t in enumerate(targets) for c, g in enumerate(given) if t != g}
    drawn = figures.matrix([short(one) for one in targets], [short(one) for one in given], cells)
    worst = sorted(((n, pair) for pair, n in counts.items() if pair[0] != pair[1]), reverse=True)[:5]
    label = "Most confused: " + "; ".join(f"{short(t)} as {short(g)} {n} times" for n, (t, g) in worst)
    caption = "Rows: the right action; columns: the one given. Positions over all runs; agreements are left out."
    return picture(drawn, f"confusion-{name}", "Which actions are confused.", caption, label, frame)


def _actions(found: Sequence[str]) -> list[str]:
    """Each once, in order, the end last."""
    return sorted(set(found), key=lambda one: (one == "end", one))
