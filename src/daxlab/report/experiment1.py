"""Experiment 1 on the page: a random subset of the commands. Every network, the sample-complexity curve, the parts."""

from collections.abc import Iterator, Sequence

import polars as pl

from daxlab.datasets.rules import SIZES
from daxlab.paper.experiments import BEST, OVERALL, SPLITS
from daxlab.paper.targets import numbers
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Row, Section, Strip, Table, Text, told
from daxlab.report.drawing import OTHER, OURS, Picture, picture
from daxlab.report.facts import SCAN, Facts, closely, described, where

PERCENTAGES = (*SIZES, 80)
DRAWS = {"own": "our draw", "release": "the release's draw"}


def section(facts: Facts) -> Section:
    """The whole experiment."""
    return Section(
        "experiment-1",
        "Experiment 1: a random subset of the commands",
        [
            Text(
                "A random 80% of the commands are for training, and the network is asked for the others: new commands, "
                "of kinds that it has seen.",
                "lead",
            ),
            *told(_simple(facts)),
        ],
        [
            Section("sizes", "By the number of training commands", told(_sizes(facts))),
            Section("parts", "The parts of the test commands", told(_parts(facts))),
        ],
        short="Experiment 1",
    )


def _simple(facts: Facts) -> Iterator[Block]:
    names = SPLITS["simple"]
    for network in (OVERALL, BEST["simple"]):
        row = facts.row(network, *names)
        if row:
            draw = DRAWS["release" if row["split"] == names[0] else "own"]
            yield Text(f"On *simple* ({draw}), the network {described(network)} gets {text.measured(row)} right.")
        else:
            what = f"the network {described(network)} on *simple*"
            yield Text(text.absent(what, text.reproduce("simple")), "absent")
    yield from table_of_networks(facts, names, "simple")


def table_of_networks(facts: Facts, splits: Sequence[str], name: str) -> Iterator[Table]:
    """Every network that was run on a split, best first, with every run."""
    chosen = pl.col("split").is_in(list(splits)) & (pl.col("language") == SCAN) & (pl.col("runs") > 0)
    frame = facts.networks.filter(chosen).sort("mean", "network", descending=[True, False])
    if frame.is_empty():
        return
    several, every = len(splits) > 1, frame["network"].unique(maintain_order=True).to_list()
    shown = closely(every, every)
    rows = [
        (
            f"{row['network']}\n{', '.join(one for one in (several and row['split'], row['protocol']) if one)}",
            str(row["runs"]) + (f" (+{row['failed']} failed)" if row["failed"] else ""),
            Strip(row["accuracies"], row["low"], row["high"]),
            text.percent(row["mean"]) + ("" if row["sem"] is None else f" ± {row['sem']:.2f}"),
            text.percent(row["train_mean"]),
            text.percent(row["oracle_mean"]),
        )
        for row in frame.iter_rows(named=True)
        if row["network"] in shown
    ]
    head = ("network", "runs", "every run, 0 to 100%", "test", "training", "oracle length")
    caption = (
        "Accuracies in per cent: means over runs, on the test commands with standard error; bands are 95% intervals."
    )
    which = f"Every network run so far on *{name}*."
    if len(shown) < len(every):
        which = f"The paper's networks and the best on *{name}*."
        left = text.counted(len(every) - len(shown), "other network")
        caption += f" Without {left}: the search has those that are of the paper's 180."
    yield Table(f"networks-{name}", which, head, rows, right=(1, 3, 4, 5), caption=caption)


def _sizes(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.size import curve  # the analyses are slow to load

    frame = curve(facts.ledger, where(OVERALL)).filter(pl.col("percent").is_in(PERCENTAGES))
    own = {draw: frame.filter(pl.col("draw") == draw) for draw in ("release", "own")}
    some = {draw: rows for draw, rows in own.items() if rows.height > 1}
    if not some:
        yield Text(text.absent("the sample-complexity curve", text.reproduce("size")), "absent")
        return
    for draw, rows in some.items():
        yield Text(text.sizes(rows.to_dicts(), DRAWS[draw]))
    yield Row([_curve(pl.concat(some.values()), some)])
    missing = [str(p) for p in PERCENTAGES if p not in set(frame["percent"])]
    if missing:
        yield Text(text.absent(f"training on {text.listed(missing)}%", text.reproduce("size")), "absent")


def _curve(frame: pl.DataFrame, some: dict[str, pl.DataFrame]) -> Picture:
    place = {percent: n for n, percent in enumerate(PERCENTAGES)}
    colors = {"release": OURS, "own": OURS if len(some) == 1 else OTHER}
    series = [
        figures.Series(DRAWS[draw], rows.to_dicts(), [place[p] for p in rows["percent"]], colors[draw])
        for draw, rows in some.items()
    ]
    ids = {p: f"exp1.size.{p}" for p in SIZES} | {80: "exp1.overall"}
    paper = {place[p]: numbers()[name] for p, name in ids.items() if name in numbers()}
    drawn = figures.curve(series, [str(p) for p in PERCENTAGES], "per cent of the commands in training", paper)
    return picture(
        drawn,
        "size-curve",
        "Accuracy on new commands by how many are shown in training.",
        f"{described(OVERALL)}. Means and standard errors, every run as a faint dot beside its mean; diamonds are the "
        "paper's figures, as far as its text states them.",
        "Accuracy by per cent of the commands in training: "
        + "; ".join(f"{row['percent']}%: {row['mean']:.2f}" for row in frame.to_dicts()),
        frame,
    )


def _parts(facts: Facts) -> Iterator[Block]:
    for percent in (1, 2):
        row = facts.compared[f"exp1.size.{percent}.parts"]
        if row.ours and row.draw:
            said = text.coverage(percent, **row.ours)
            yield Text(f"{said} This is {DRAWS[row.draw]}. In the paper: {row.stated} {row.unit}.")
