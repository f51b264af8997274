"""Experiment 3 on the page: a primitive seen alone, then in new company. Where errors are, what is near, few shots."""

from collections.abc import Iterator, Sequence
from operator import sub

import polars as pl

from daxlab.datasets.rules import SHOTS
from daxlab.paper.experiments import BEST, FEW, ONCE, OVERALL, PRIMITIVES
from daxlab.paper.measures import paired
from daxlab.paper.targets import numbers, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Row, Section, Table, Text, told
from daxlab.report.drawing import OTHER, OURS, Picture, picture
from daxlab.report.experiment1 import DRAWS, table_of_networks
from daxlab.report.facts import Facts, described, where

MOST_CONSTRUCTIONS = 14
LOW = 0.2  # a cosine that the paper calls low


def section(facts: Facts) -> Section:
    """The whole experiment."""
    lead = (
        "Training has every command without a primitive, and the primitive alone, as a tenth of all presentations; the "
        "network is asked for its compositions. Who knows “walk”, “walk twice” and “jump” should know “jump twice”."
    )
    below = [
        Section("oversampling", "Without over-sampling", told(_oversampling(facts))),
        Section("constructions", "Errors on *turn left* by construction", told(_constructions(facts))),
        Section("composed", "Compositions of *jump* that come out right", told(_composed(facts))),
        Section("neighbours", "The nearest commands to *jump*", told(_neighbours(facts))),
        Section("few-shot", "A few compositions shown", told(_few(facts))),
        Section("primitives", "All six primitives", told(_primitives(facts))),
    ]
    return Section(
        "experiment-3",
        "Experiment 3: a primitive in new company",
        [Text(lead, "lead"), *told(_main(facts))],
        below,
        short="Experiment 3",
    )


def _main(facts: Facts) -> Iterator[Block]:
    for split in ("turn-left", "jump"):
        for network in (OVERALL, BEST[split]):
            row = facts.row(network, split)
            if row:
                yield Text(f"On *{split}*, the network {described(network)} gets {text.measured(row)} right.")
            else:
                what = f"the network {described(network)} on *{split}*"
                yield Text(text.absent(what, text.reproduce(split)), "absent")
    for split in ("turn-left", "jump"):
        yield from table_of_networks(facts, [split], split)


def _oversampling(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.replicates import entries  # the analyses are slow to load

    for split in ONCE:
        often, once = paired(split, facts.runs)
        if often:
            gain = entries(list(map(sub, often, once)))
            yield Text(text.oversampling(split, entries(often), entries(once), gain))
        else:
            yield Text(text.absent(f"*{split}* with the primitive shown as often as any command",
                                   text.reproduce(split)), "absent")  # fmt: skip


def _median(facts: Facts, split: str) -> tuple[str, str] | None:
    """The median run of the overall-best network, and how it is introduced."""
    from daxlab.analysis.accuracy import median_run  # the analyses are slow to load

    keys = facts.keys(OVERALL, split)
    if not keys:
        return None
    key = median_run(facts.ledger, keys)
    (row,) = facts.ledger.rows({"key": key})
    which = "" if len(keys) % 2 else ", of the middle two the lower"
    return (
        key,
        f"The median run of {OVERALL} on *{split}* (seed {row['seed']}, {text.percent(row['accuracy'])}%{which})",
    )


def _constructions(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.constructions import errors_by_construction  # the analyses are slow to load
    from daxlab.analysis.ends import ends

    median = _median(facts, "turn-left")
    if median is None:
        yield Text(text.absent("*turn-left*", text.reproduce("turn-left")), "absent")
        return
    key, run = median
    wrong = ends(facts.ledger, [key])["wrong"].to_list()
    frame = errors_by_construction(facts.ledger, key, "turn-left")
    many = text.counted(wrong[0] if wrong else 0, "error")
    paper = facts.compared["exp3.turn-left.errors"]
    yield Text(f"{run} makes {many}. {text.constructions(frame.to_dicts(), 'turn left')} "
               f"In the paper: {paper.stated} {paper.unit}.")  # fmt: skip
    shown = frame.filter(pl.col("wrong") > 0).head(MOST_CONSTRUCTIONS).to_dicts()
    if not shown:
        return
    given = [
        figures.Bar(
            row["construction"] + ("" if row["place"] == "alone" else " *"),
            row["wrong"],
            row["commands"],
            f"{row['wrong']:,} of {row['commands']:,}",
        )
        for row in shown
    ]
    label = "Errors by construction: " + "; ".join(f"{one.label} {one.note}" for one in given)
    caption = "Wrong answers among the test commands of each construction; * in a conjunction."
    yield Row([picture(figures.bars(given, room=186), "constructions-turn-left",
                       "Errors of the median run by construction.", caption, label, frame)])  # fmt: skip


def _composed(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.constructions import composed_right  # the analyses are slow to load

    median = _median(facts, "jump")
    if median is None:
        yield Text(text.absent("*jump*", text.reproduce("jump")), "absent")
        return
    key, run = median
    every = {one: composed_right(facts.ledger, one) for one in facts.keys(OVERALL, "jump")}
    right = text.right_ones(every[key])
    paper = facts.compared["exp3.jump.right"]
    yield Text(f"{run}: {right[0].lower()}{right[1:]} In the paper: {paper.stated} {paper.unit}.")
    if len(every) > 1:
        yield Text(text.right_anywhere(list(every.values())))


def _neighbours(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.neighbours import neighbours  # the analyses are slow to load

    median = _median(facts, "jump")
    frame = neighbours(facts.ledger, median[0]) if median else None
    paper = facts.compared["exp3.neighbours"].paper
    if median is None or frame is None or frame.is_empty():
        yield Text(text.absent("which training commands are nearest", text.reproduce("jump")), "absent")
        return
    yield Text(f"{median[1]}: the training commands whose final encoder states are nearest, by cosine.")
    rows: list[Sequence[str]] = []
    for command, theirs in paper.items():
        ours = frame.filter(pl.col("command") == command).sort("rank").to_dicts()
        here = [(row["neighbour"], row["cosine"]) for row in ours]
        rows += (
            [(f"“{command}”",), *((*_near(*a), *_near(*b)) for a, b in zip(here, theirs, strict=False))] if here else []
        )
    caption = f"Italics mark low similarities, below {LOW}, as in the paper."
    head = ("here", "cosine", "in the paper", "cosine")
    yield Table("neighbours-table", "Nearest training commands.", head, rows, right=(1, 3), caption=caption)


def _near(command: str, cosine: float) -> tuple[str, str]:
    """Written as in the paper's table."""
    return (f"*{command}*", f"*{cosine:.2f}*") if cosine < LOW else (command, f"{cosine:.2f}")


def _few(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.few import curve  # the analyses are slow to load

    frame = curve(facts.ledger, where(FEW)).filter(pl.col("shots").is_in((0, *SHOTS)))
    some = {draw: frame.filter(pl.col("draw") == draw) for draw in ("release", "own")}
    some = {draw: rows for draw, rows in some.items() if rows["shots"].max() or 0}
    if not some:
        yield Text(text.absent("the few-shot curve", text.reproduce("few-shot")), "absent")
        return
    for draw, rows in some.items():
        yield Text(text.shots(rows.to_dicts(), f"{DRAWS[draw]}s"))
    yield Row([_few_curve(pl.concat(some.values()), some)])


def _few_curve(frame: pl.DataFrame, some: dict[str, pl.DataFrame]) -> Picture:
    places = {shots: n for n, shots in enumerate((0, *SHOTS))}
    colors = {"release": OURS, "own": OURS if len(some) == 1 else OTHER}
    series = [
        figures.Series(DRAWS[draw], rows.to_dicts(), [places[n] for n in rows["shots"]], colors[draw])
        for draw, rows in some.items()
    ]
    ids = {0: "exp3.jump.best"} | {n: f"exp3.few.{n}" for n in SHOTS}
    paper = {places[n]: numbers()[name] for n, name in ids.items() if name in numbers()}
    drawn = figures.curve(series, [str(n) for n in places], "composed “jump” commands in training", paper)
    label = "Accuracy by composed commands shown: " + "; ".join(
        f"{r['shots']}: {r['mean']:.2f}" for r in frame.to_dicts()
    )
    caption = f"{described(FEW)}. Means and standard errors over draws; diamonds are the paper's figures."
    title = "Accuracy on other compositions by how many are shown."
    return picture(drawn, "few-shot-curve", title, caption, label, frame)


def _primitives(facts: Facts) -> Iterator[Block]:
    found = {name: facts.row(OVERALL, name) for name in PRIMITIVES}
    rows = {name: row for name, row in found.items() if row}
    missing = [f"*{name}*" for name in PRIMITIVES if name not in rows]
    if rows:
        yield Text(
            "The paper tests two of the six primitives and calls the others redundant, because they stand in the same "
            f"commands as these. Here the same network {text.contrast(list(rows.items()))}"
        )
        known = {name: stated(name, "overall") for name in ("turn-left", "jump")}
        given = [
            figures.Line(name, row["accuracies"], row["mean"], row["low"], row["high"], known.get(name))
            for name, row in rows.items()
        ]
        data = pl.DataFrame([dict(row) for row in rows.values()])
        label = "Accuracy by primitive: " + "; ".join(f"{name} {row['mean']:.2f}" for name, row in rows.items())
        caption = f"{described(OVERALL)}. Every run, mean and 95% interval; diamonds are the paper's figures."
        title = "Accuracy on the compositions of each primitive."
        yield Row([picture(figures.lines(given), "primitives-lines", title, caption, label, data)])
    if missing:
        several = len(missing) > 1
        yield Text(text.absent(text.listed(missing), text.reproduce("primitives"), several=several), "absent")
