"""Experiments 1 to 3 on the page: a random subset of SCAN, longer action sequences, a primitive in new contexts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import sub
from typing import Any, Literal

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.accuracy import median_run
from daxlab.analysis.curves import by_shots, by_size
from daxlab.analysis.neighbours import neighbours
from daxlab.analysis.replicates import entries
from daxlab.datasets.rules import SHOTS, SIZES
from daxlab.paper.experiments import BEST, FEW, NETWORKS, ONCE, OVERALL, PRIMITIVES, SPLITS
from daxlab.paper.measures import paired
from daxlab.paper.targets import numbers, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Row, Section, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import MUTED, OTHER, OURS, picture
from daxlab.report.facts import SCAN, Facts, described
from daxlab.report.splits import learner_table, length_picture

PERCENTAGES = (*SIZES, 80)
DRAWS = {"release": "the release's draw", "own": "our draw"}
COUNTS = ("seed", "wrong", "search_errors", "unended")
ENDS = {"too early": OURS, "right length": MUTED, "too late": OTHER}
MOST_CONSTRUCTIONS = 14
LOW = 0.2  # a cosine that the paper calls low


def sections(facts: Facts) -> list[Section]:
    """The three experiments."""
    first = {
        "sizes": ("By the number of training commands", _sizes(facts)),
        "parts": ("The parts of the test commands", _parts(facts)),
    }
    networks = [network for network in (OVERALL, BEST["length"]) if facts.row(network, "length")]
    second = {
        "by-actions": ("By the length of the action sequence", _lengths(facts, networks, "actions")),
        "by-words": ("By the length of the command", _lengths(facts, networks, "words")),
        "search": ("Are errors the search's?", _search_errors(facts, networks)),
        "ends": ("Early and late ends", _ends(facts, networks)),
    }
    third = {
        "oversampling": ("Without over-sampling", _oversampling(facts)),
        "constructions": ("Errors on *turn left* by construction", _constructions(facts)),
        "composed": ("Compositions of *jump* that come out right", _composed(facts)),
        "neighbours": ("The nearest commands to *jump*", _neighbours(facts)),
        "few-shot": ("A few compositions shown", _few(facts)),
        "primitives": ("All six primitives", _primitives(facts)),
    }
    leads = {
        "a random subset of the commands": "A random 80% of the commands are for training, and the network is asked "
        "for the others: new commands, of kinds that it has seen.",
        "longer action sequences": "Training has all commands of up to 22 actions; the network is asked for those of "
        "24 to 48. The parts are known, and only the length is new.",
        "a primitive in new contexts": "Training has every command without a primitive, and the primitive alone, as a "
        "tenth of all presentations; the network is asked for its compositions. Who knows “walk”, “walk twice” and "
        "“jump” should know “jump twice”.",
    }
    splits = (["simple"], ["length"], ["turn-left", "jump"])
    parts = zip(leads.items(), splits, (first, second if networks else {}, third), strict=True)
    return [
        Section(
            f"experiment-{n}",
            f"Experiment {n}: {title}",
            [Text(lead, "lead"), *(block for split in main for block in _results(facts, split))],
            [Section(name, heading, blocks_until_missing(blocks)) for name, (heading, blocks) in below.items()],
            short=f"Experiment {n}",
        )
        for n, ((title, lead), main, below) in enumerate(parts, 1)
    ]


def _results(facts: Facts, name: str) -> Iterator[Block]:
    """The paper's two networks on one of its main splits, and a table of every learner there."""
    splits = SPLITS[name]
    for network in (OVERALL, BEST[name]):
        row = facts.row(network, *splits)
        if row is None:
            yield absent(f"the network {described(network)} on *{name}*", text.reproduce(name))
            continue
        draw = f" ({DRAWS['release' if row['split'] == splits[0] else 'own']})" if len(splits) > 1 else ""
        said = f"On *{name}*{draw}, the network {described(network)} gets {text.measured(row)} right."
        told = row["oracle_mean"] if name == "length" else None
        yield Text(said if told is None else f"{said} {text.oracle(row['mean'], told)}")
    here = pl.col("split").is_in(list(splits)) & (pl.col("dataset") == SCAN) & (pl.col("runs") > 0)
    yield from learner_table(facts.settings.filter(here), name, name, splits=len(splits) > 1)


def _where(network: str) -> dict[str, Any]:
    return {"label": str(NETWORKS[network]), "dataset": SCAN}


def _sizes(facts: Facts) -> Iterator[Block]:
    frame = by_size(facts.ledger, _where(OVERALL)).filter(pl.col("percent").is_in(PERCENTAGES))
    ids = {p: f"exp1.size.{p}" for p in SIZES} | {80: "exp1.overall"}
    caption = f"{described(OVERALL)}. Means and standard errors, every run as a faint dot beside its mean; diamonds are "
    caption += "the paper's figures, as far as its text states them."
    title = "Accuracy on new commands by how many are shown in training."
    shown = list(_curve(frame, "percent", ids, text.sizes, "size-curve", title, caption, "per cent of the commands in training"))
    yield from shown or [absent("the sample-complexity curve", text.reproduce("size"))]
    missing = [str(p) for p in PERCENTAGES if p not in set(frame["percent"])]
    if shown and missing:
        yield absent(f"training on {text.listed(missing)}%", text.reproduce("size"))


def _few(facts: Facts) -> Iterator[Block]:
    frame = by_shots(facts.ledger, _where(FEW)).filter(pl.col("shots").is_in((0, *SHOTS)))
    ids = {0: "exp3.jump.best"} | {n: f"exp3.few.{n}" for n in SHOTS}
    caption = f"{described(FEW)}. Means and standard errors over draws; diamonds are the paper's figures."
    title = "Accuracy on other compositions by how many are shown."
    axis = "composed “jump” commands in training"
    shown = list(_curve(frame, "shots", ids, text.shots, "few-shot-curve", title, caption, axis))
    yield from shown or [absent("the few-shot curve", text.reproduce("few-shot"))]


def _curve(frame: pl.DataFrame, by: str, ids: Mapping[int, str], say: Callable[[Sequence[Any], str], str], name: str,
           title: str, caption: str, axis: str) -> Iterator[Block]:  # fmt: skip
    """Accuracy by how much is shown, a curve for each draw of two points at least; `ids` of the paper's figures."""
    draws = {draw: frame.filter(pl.col("draw") == draw) for draw in DRAWS}
    draws = {draw: rows for draw, rows in draws.items() if rows.height > 1}
    places = {value: n for n, value in enumerate(ids)}
    series = []
    for (draw, rows), color in zip(draws.items(), (OURS, OTHER), strict=False):
        yield Text(say(rows.to_dicts(), DRAWS[draw]))
        series.append(figures.Series(DRAWS[draw], rows.to_dicts(), [places[value] for value in rows[by]], color))
    if series:
        paper = {places[value]: numbers()[name] for value, name in ids.items() if name in numbers()}
        drawn = figures.curve(series, list(map(str, places)), axis, paper)
        yield Row([picture(drawn, name, title, caption, pl.concat(draws.values()))])


def _parts(facts: Facts) -> Iterator[Block]:
    for percent in (1, 2):
        row = facts.compared[f"exp1.size.{percent}.parts"]
        if row.ours and row.draw:
            said = text.coverage(percent, **row.ours)
            yield Text(f"{said} This is {DRAWS[row.draw]}. In the paper: {row.stated} {row.unit}.")


def _lengths(facts: Facts, networks: Sequence[str], by: Literal["actions", "words"]) -> Iterator[Block]:
    pictures = []
    for network in networks:
        keys = facts.keys(network, "length")
        greedy, oracle = (errors.by_length(facts.ledger, keys, by, oracle=oracle) for oracle in (False, True))
        rows = greedy.to_dicts()
        said = f"*{network}*. {text.attained(rows, by)} {text.sentence(text.ends_of(rows, by))}"
        if oracle.height:
            said += f" With the right length given, {text.ends_of(oracle.to_dicts(), by)}."
        yield Text(said)
        stated = (24, 48) if by == "actions" and network == BEST["length"] else ()
        paper = {length: numbers()[f"exp2.oracle.best.{length}"] for length in stated}
        frames, name = {"greedy": greedy, "oracle length": oracle}, f"length-by-{by}-{network}"
        pictures.append(length_picture(frames, by, name, described(network), "over runs", paper))
    yield Row(pictures)


def _search_errors(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    rows: list[tuple[str, ...]] = []
    for network in networks:
        runs = errors.search_errors(facts.ledger, facts.keys(network, "length")).to_dicts()
        yield Text(f"*{network}*. {text.searching(runs)}")
        rows += [(network, *("–" if run[name] is None else f"{run[name]:,}" for name in COUNTS)) for run in runs]
    caption = "In the paper, less than one test command a run, for both networks."
    head = ("network", "seed", "wrong answers", "search errors", "of these never ended")
    yield Table("search-errors", "Search errors on *length*.", head, rows, right=(1, 2, 3, 4), caption=caption)


def _ends(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    pictures = []
    for network in networks:
        frame = errors.ends(facts.ledger, facts.keys(network, "length"))
        yield Text(f"*{network}*. {text.ending(frame.to_dicts())}")
        runs = {f"seed {row['seed']}": (row["early"], row["same"], row["late"]) for row in frame.to_dicts()}
        caption = "Wrong answers by where they end, run by run."
        drawn = figures.stacked(runs, ENDS)
        pictures.append(picture(drawn, f"ends-{network}", described(network), caption, frame))
    yield Row(pictures)


def _oversampling(facts: Facts) -> Iterator[Block]:
    for split in ONCE:
        often, once = paired(split, facts.runs)
        if often:
            gain = entries(list(map(sub, often, once)))
            yield Text(text.oversampling(split, entries(often), entries(once), gain))
        else:
            what = f"*{split}* with the primitive shown as often as any command"
            yield absent(what, text.reproduce(split))


def _median(facts: Facts, split: str) -> tuple[str, str] | None:
    """The median run of the overall-best network, and how it is introduced."""
    keys = facts.keys(OVERALL, split)
    if not keys:
        return None
    (row,) = facts.ledger.rows({"key": median_run(facts.ledger, keys)})
    which = "" if len(keys) % 2 else ", of the middle two the lower"
    run = f"The median run of {OVERALL} on *{split}* (seed {row['seed']}, {text.percent(row['accuracy'])}%{which})"
    return row["key"], run


def _constructions(facts: Facts) -> Iterator[Block]:
    median = _median(facts, "turn-left")
    if median is None:
        yield absent("*turn-left*", text.reproduce("turn-left"))
        return
    key, run = median
    wrong = errors.ends(facts.ledger, [key])["wrong"].sum()
    frame = errors.errors_by_construction(facts.ledger, key, "turn-left")
    paper = facts.compared["exp3.turn-left.errors"]
    yield Text(f"{run} makes {text.counted(wrong, 'error')}. {text.constructions(frame.to_dicts(), 'turn left')} "
               f"In the paper: {paper.stated} {paper.unit}.")  # fmt: skip
    bars = []
    for row in frame.filter(pl.col("wrong") > 0).head(MOST_CONSTRUCTIONS).to_dicts():
        label = row["construction"] + ("" if row["place"] == "alone" else " *")
        note = f"{row['wrong']:,} of {row['commands']:,}"
        bars.append(figures.Bar(label, row["wrong"] / row["commands"], note))
    if bars:
        caption = "Wrong answers among the test commands of each construction; * in a conjunction."
        title, drawn = "Errors of the median run by construction.", figures.bars(bars, room=186)
        yield Row([picture(drawn, "constructions-turn-left", title, caption, frame)])


def _composed(facts: Facts) -> Iterator[Block]:
    median = _median(facts, "jump")
    if median is None:
        yield absent("*jump*", text.reproduce("jump"))
        return
    key, run = median
    every = {one: errors.composed_right(facts.ledger, one) for one in facts.keys(OVERALL, "jump")}
    paper = facts.compared["exp3.jump.right"]
    yield Text(f"{run}: {text.right_ones(every[key])} In the paper: {paper.stated} {paper.unit}.")
    if len(every) > 1:
        yield Text(text.right_anywhere(list(every.values())))


def _neighbours(facts: Facts) -> Iterator[Block]:
    median = _median(facts, "jump")
    frame = neighbours(facts.ledger, median[0]) if median else None
    if median is None or frame is None or frame.is_empty():
        yield absent("which training commands are nearest", text.reproduce("jump"))
        return
    yield Text(f"{median[1]}: the training commands whose final encoder states are nearest, by cosine.")
    rows: list[Sequence[str]] = []
    for command, theirs in facts.compared["exp3.neighbours"].paper.items():
        ours = frame.filter(pl.col("command") == command).sort("rank").select("neighbour", "cosine").rows()
        pairs = [(*_near(*a), *_near(*b)) for a, b in zip(ours, theirs, strict=False)]
        rows += [(f"“{command}”",), *pairs] if pairs else []
    caption = f"Italics mark low similarities, below {LOW}, as in the paper."
    head = ("here", "cosine", "in the paper", "cosine")
    yield Table("neighbours-table", "Nearest training commands.", head, rows, right=(1, 3), caption=caption)


def _near(command: str, cosine: float) -> tuple[str, str]:
    """As in the paper's table."""
    return (f"*{command}*", f"*{cosine:.2f}*") if cosine < LOW else (command, f"{cosine:.2f}")


def _primitives(facts: Facts) -> Iterator[Block]:
    rows = {name: row for name in PRIMITIVES if (row := facts.row(OVERALL, name))}
    if rows:
        yield Text(
            "The paper tests two of the six primitives and calls the others redundant, because they stand in the same "
            f"commands as these. Here the same network {text.contrast(list(rows.items()))}"
        )
        known = {name: stated(name, "overall") for name in ("turn-left", "jump")}
        drawn = figures.lines([figures.Line(name, row, known.get(name)) for name, row in rows.items()])
        caption = f"{described(OVERALL)}. Every run, mean and 95% interval; diamonds are the paper's figures."
        title = "Accuracy on the compositions of each primitive."
        yield Row([picture(drawn, "primitives-lines", title, caption, list(rows.values()))])
    missing = [f"*{name}*" for name in PRIMITIVES if name not in rows]
    if missing:
        yield absent(text.listed(missing), text.reproduce("primitives"), several=len(missing) > 1)
