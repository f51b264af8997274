"""Experiment 2 on the page: longer action sequences than any in training. By length, with the oracle, how they end."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from daxlab.paper.experiments import BEST, OVERALL
from daxlab.paper.targets import numbers
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Row, Section, Table, Text, told
from daxlab.report.drawing import MUTED, OTHER, OURS, Picture, picture
from daxlab.report.experiment1 import table_of_networks
from daxlab.report.facts import Facts, described

SPLIT = "length"
COUNTS = ("seed", "wrong", "search_errors", "unended")


def section(facts: Facts) -> Section:
    """The whole experiment."""
    lead = (
        "Training has all commands of up to 22 actions; the network is asked for those of 24 to 48. The parts are "
        "known, and only the length is new."
    )
    networks = (OVERALL, BEST[SPLIT])
    measured = [network for network in networks if facts.row(network, SPLIT)]
    blocks: list[Block] = [Text(lead, "lead")]
    for network in networks:
        row = facts.row(network, SPLIT)
        if row:
            means = text.oracle(row["mean"], row["oracle_mean"]) if row["oracle_mean"] is not None else ""
            blocks.append(Text(f"The network {described(network)} gets {text.measured(row)} right. {means}"))
        else:
            blocks.append(Text(text.absent(f"the network {described(network)}", text.reproduce(SPLIT)), "absent"))
    blocks += table_of_networks(facts, [SPLIT], SPLIT)
    if not measured:
        return Section("experiment-2", "Experiment 2: longer action sequences", blocks, short="Experiment 2")
    below = [
        Section("by-actions", "By the length of the action sequence", told(_lengths(facts, measured, "actions"))),
        Section("by-words", "By the length of the command", told(_lengths(facts, measured, "words"))),
        Section("search", "Are errors the search's?", told(_search(facts, measured))),
        Section("ends", "Early and late ends", told(_ends(facts, measured))),
    ]
    return Section("experiment-2", "Experiment 2: longer action sequences", blocks, below, short="Experiment 2")


def _lengths(facts: Facts, networks: list[str], by: Any) -> Iterator[Block]:
    from daxlab.analysis.lengths import by_length  # the analyses are slow to load

    pictures = []
    for network in networks:
        keys = facts.keys(network, SPLIT)
        greedy, oracle = (by_length(facts.ledger, keys, by, oracle=oracle) for oracle in (False, True))
        rows = greedy.to_dicts()
        given = text.ends_of(oracle.to_dicts(), by, told=True) if oracle.height else ""
        yield Text(f"*{network}*. {text.attained(rows, by)} {text.ends_of(rows, by)} {given}")
        pictures.append(_by_length(network, by, greedy, oracle))
    yield Row(pictures)


def _by_length(network: str, by: str, greedy: pl.DataFrame, oracle: pl.DataFrame) -> Picture:
    lengths = sorted({*greedy["length"], *oracle["length"]})
    place = {length: n for n, length in enumerate(lengths)}
    both = {"greedy": greedy, "oracle length": oracle}
    series = [
        figures.Series(name, frame.to_dicts(), [place[n] for n in frame["length"]], color)
        for (name, frame), color in zip(both.items(), (OURS, OTHER), strict=True)
        if frame.height
    ]
    stated = (24, 48) if by == "actions" and network == BEST[SPLIT] else ()
    paper = {place[n]: numbers()[f"exp2.oracle.best.{n}"] for n in stated if n in place}
    drawn = figures.curve(series, [str(n) for n in lengths], f"length in {by}", paper, paper_label="paper, oracle")
    data = pl.concat([frame.select(pl.lit(name).alias("decoding"), pl.all()) for name, frame in both.items()])
    return picture(
        drawn,
        f"length-by-{by}-{network}",
        described(network),
        "Means and standard errors over runs; every run as a faint dot."
        + (" Diamonds: the paper's figures with the right length given." if paper else ""),
        f"Accuracy by length in {by}: " + "; ".join(f"{row['length']}: {row['mean']:.2f}" for row in greedy.to_dicts()),
        data,
    )


def _search(facts: Facts, networks: list[str]) -> Iterator[Block]:
    from daxlab.analysis.search_errors import search_errors  # the analyses are slow to load

    rows: list[tuple[str, ...]] = []
    for network in networks:
        frame = search_errors(facts.ledger, facts.keys(network, SPLIT)).to_dicts()
        yield Text(f"*{network}*. {text.searching(frame)}")
        rows += [(network, *("–" if row[name] is None else f"{row[name]:,}" for name in COUNTS)) for row in frame]
    caption = "In the paper, less than one test command a run, for both networks."
    head = ("network", "seed", "wrong answers", "search errors", "of these never ended")
    yield Table("search-errors", "Search errors on *length*.", head, rows, right=(1, 2, 3, 4), caption=caption)


def _ends(facts: Facts, networks: list[str]) -> Iterator[Block]:
    from daxlab.analysis.ends import ends  # the analyses are slow to load

    pictures = []
    for network in networks:
        frame = ends(facts.ledger, facts.keys(network, SPLIT))
        rows = frame.to_dicts()
        yield Text(f"*{network}*. {text.ending(rows)}")
        parts = [figures.Part("too early", OURS), figures.Part("right length", MUTED), figures.Part("too late", OTHER)]
        drawn = figures.stacked(
            [(f"seed {row['seed']}", (row["early"], row["same"], row["late"])) for row in rows], parts
        )
        said = "; ".join(
            f"seed {r['seed']}: {r['early']} early, {r['same']} of the right length, {r['late']} late" for r in rows
        )
        caption = "Wrong answers by where they end, run by run."
        pictures.append(picture(drawn, f"ends-{network}", described(network), caption, f"Wrong answers. {said}", frame))
    yield Row(pictures)
