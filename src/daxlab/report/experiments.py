"""Experiments 1 to 3 on the page: a random subset of SCAN, longer action sequences, a primitive in new contexts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.curves import by_shots, by_size
from daxlab.datasets.rules import SHOTS, SIZES
from daxlab.paper.comparison import Row as Compared
from daxlab.paper.experiments import BEST, FEW, NETWORKS, ONCE, OVERALL, PRIMITIVES, SPLITS
from daxlab.paper.targets import numbers, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Row, Section, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import COLOR, picture
from daxlab.report.facts import SCAN, Facts, described
from daxlab.report.splits import learner_table, length_picture

DRAWS = {"release": "the release's draw", "own": "our draw"}
COUNTS = ("seed", "wrong", "search_errors", "unended")
ENDS = {"too early": COLOR.ours, "right length": COLOR.muted, "too late": COLOR.other}
MOST_SHOWN = 14  # constructions, or commands
LOW = 0.2  # a cosine that the paper calls low
MAIN = (["simple"], ["length"], ["turn-left", "jump"])
TITLES = ("a random subset of the commands", "longer action sequences", "a primitive in new contexts")
LEADS = (
    "A random 80% of the commands are for training, and the network is asked for the others: new commands, of kinds "
    "that it has seen.",
    "Training has all commands of up to 22 actions; the network is asked for those of 24 to 48. The parts are known, "
    "and only the length is new.",
    "Training has every command without a primitive, and the primitive alone, as a tenth of all presentations; the "
    "network is asked for its compositions. Who knows “walk”, “walk twice” and “jump” should know “jump twice”.",
)


def sections(facts: Facts) -> list[Section]:
    """The three experiments."""
    networks = [network for network in (OVERALL, BEST["length"]) if facts.row(network, "length")]
    parts = {
        1: [
            ("sizes", "By the number of training commands", _sizes(facts)),
            ("parts", "The parts of the test commands", _parts(facts)),
        ],
        2: [
            ("by-actions", "By the length of the action sequence", _lengths(facts, networks, "actions")),
            ("by-words", "By the length of the command", _lengths(facts, networks, "words")),
            ("search", "Are errors the search's?", _search_errors(facts, networks)),
            ("ends", "Early and late ends", _ends(facts, networks)),
        ],
        3: [
            ("oversampling", "Without over-sampling", _oversampling(facts)),
            ("constructions", "Errors on *turn left* by construction", _of(facts, "turn-left.errors", _constructions)),
            ("composed", "Compositions of *jump* that come out right", _of(facts, "jump.right", _composed)),
            ("neighbours", "The nearest commands to *jump*", _of(facts, "neighbours", _neighbours)),
            ("few-shot", "A few compositions shown", _few(facts)),
            ("primitives", "All six primitives", _primitives(facts)),
        ],
    }
    chapters = []
    for n, title, splits, lead in zip(parts, TITLES, MAIN, LEADS, strict=True):
        some = parts[n] if n != 2 or networks else []
        below = [Section(name, heading, blocks_until_missing(blocks)) for name, heading, blocks in some]
        blocks = [Text(lead, "lead"), *(block for split in splits for block in _results(facts, split))]
        chapters.append(Section(f"experiment-{n}", f"Experiment {n}: {title}", blocks, below, f"Experiment {n}"))
    return chapters


def _results(facts: Facts, name: str) -> Iterator[Block]:
    """The paper's two networks on one of its main splits, and a table of every learner there."""
    splits = SPLITS[name]
    for network in (OVERALL, BEST[name]):
        if row := facts.row(network, *splits):
            draw = f" ({DRAWS['release' if row['split'] == splits[0] else 'own']})" if len(splits) > 1 else ""
            yield Text(f"On *{name}*{draw}, the network {described(network)} gets {text.measured(row)} right.")
        else:
            yield absent(f"the network {described(network)} on *{name}*", name)
    here = pl.col("split").is_in(list(splits)) & (pl.col("dataset") == SCAN) & (pl.col("runs") > 0)
    yield from learner_table(facts.settings.filter(here), name, name, splits=len(splits) > 1)


def _sizes(facts: Facts) -> Iterator[Block]:
    frame = by_size(facts.ledger, {"label": str(NETWORKS[OVERALL]), "dataset": SCAN})
    ids = {percent: f"exp1.size.{percent}" for percent in SIZES} | {80: "exp1.overall"}
    caption = f"{described(OVERALL)}. Means and standard errors, runs as faint dots; diamonds are the paper's figures."
    title, axis = "Accuracy on new commands by how many are shown.", "per cent of the commands in training"
    shown = list(_curve(frame, "percent", ids, "size-curve", title, caption, axis))
    yield from shown or [absent("the sample-complexity curve", "size")]
    missing = [str(percent) for percent in ids if percent not in set(frame["percent"])]
    if shown and missing:
        yield absent(f"training on {text.listed(missing)}%", "size")


def _few(facts: Facts) -> Iterator[Block]:
    frame = by_shots(facts.ledger, {"label": str(NETWORKS[FEW]), "dataset": SCAN})
    ids = {0: "exp3.jump.best"} | {n: f"exp3.few.{n}" for n in SHOTS}
    caption = f"{described(FEW)}. Means and standard errors over draws; diamonds are the paper's figures."
    title, axis = "Accuracy on other compositions by how many are shown.", "composed “jump” commands in training"
    shown = list(_curve(frame, "shots", ids, "few-shot-curve", title, caption, axis))
    yield from shown or [absent("the few-shot curve", "few-shot")]


def _curve(frame: pl.DataFrame, by: str, ids: Mapping[int, str], name: str, title: str, caption: str,
           axis: str) -> Iterator[Block]:  # fmt: skip
    """Accuracy by how much is shown, a curve for each draw with two points at least; `ids` of the paper's figures."""
    places = {value: n for n, value in enumerate(ids)}
    frame = frame.filter(pl.col(by).is_in(list(places)))
    draws = {draw: rows for draw in DRAWS if (rows := frame.filter(pl.col("draw") == draw)).height > 1}
    series = []
    for (draw, rows), color in zip(draws.items(), (COLOR.ours, COLOR.other), strict=False):
        yield Text(f"Per cent right on {DRAWS[draw]}, by {axis}: {text.means(rows.to_dicts(), by)}.")
        series.append(figures.Series(DRAWS[draw], rows.to_dicts(), [places[value] for value in rows[by]], color))
    if series:
        paper = {places[value]: numbers()[name] for value, name in ids.items() if name in numbers()}
        drawn = figures.curve(series, list(map(str, places)), axis, paper)
        yield Row([picture(drawn, name, title, caption, pl.concat(draws.values()))])


def _parts(facts: Facts) -> Iterator[Block]:
    yield Text("How many of the commands without a conjunction that the test commands are made of are not in training:")
    for percent in (1, 2):
        row = facts.compared[f"exp1.size.{percent}.parts"]
        if row.ours and row.draw:
            which = "".join(f" `{part}`" for part in row.ours["unseen"][:8])
            yield Text(f"At {percent}% ({DRAWS[row.draw]}), {row.note}. In the paper: {row.stated} {row.unit}."
                       + (f" Not in training:{which}." if which else ""))  # fmt: skip


def _lengths(facts: Facts, networks: Sequence[str], by: Literal["actions", "words"]) -> Iterator[Block]:
    pictures = []
    for network in networks:
        keys = facts.runs.of(network, "length").keys
        greedy, oracle = (errors.by_length(facts.ledger, keys, by, oracle=oracle) for oracle in (False, True))
        told = f" With the right length given: {text.means(oracle.to_dicts(), 'length')}." if oracle.height else ""
        yield Text(f"*{network}*, per cent right by length: {text.means(greedy.to_dicts(), 'length')}.{told}")
        stated = (24, 48) if by == "actions" and network == BEST["length"] else ()
        paper = {length: numbers()[f"exp2.oracle.best.{length}"] for length in stated}
        frames, name = {"greedy": greedy, "oracle length": oracle}, f"length-by-{by}-{network}"
        pictures.append(length_picture(frames, by, name, described(network), "over runs", paper))
    yield Row(pictures)


def _search_errors(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    yield Text("A search error is a wrong answer that the network itself finds less likely than the target.")
    rows: list[tuple[str, ...]] = []
    for network in networks:
        for run in errors.search_errors(facts.ledger, facts.runs.of(network, "length").keys).to_dicts():
            counts = ("–" if run[name] is None else f"{run[name]:,}" for name in COUNTS)
            rows.append((network, *counts))
    caption = "In the paper, less than one test command a run, for both networks."
    head = ("network", "seed", "wrong answers", "search errors", "of these never ended")
    yield Table("search-errors", "Search errors on *length*.", head, rows, right=(1, 2, 3, 4), caption=caption)


def _ends(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    pictures = []
    for network in networks:
        frame = errors.ends(facts.ledger, facts.runs.of(network, "length").keys)
        runs = {f"seed {row['seed']}": (row["early"], row["same"], row["late"]) for row in frame.to_dicts()}
        caption, drawn = "Wrong answers by where they end, run by run.", figures.stacked(runs, ENDS)
        pictures.append(picture(drawn, f"ends-{network}", described(network), caption, frame))
    yield Row(pictures)


def _oversampling(facts: Facts) -> Iterator[Block]:
    for split, part in zip(ONCE, facts.compared["exp3.oversampling"].parts, strict=True):
        if part["runs"]:
            ends = "" if part["low"] is None else f" (95% interval {text.interval(part)})"
            yield Text(f"{text.sentence(part['note'])[:-1]}: {text.signed(part['mean'])} points{ends}.")
        else:
            yield absent(f"*{split}* with the primitive shown as often as any command", split)


def _median(facts: Facts, row: Compared) -> str:
    """The median run of the overall-best network that a row of the comparison is about."""
    (run,) = facts.ledger.rows({"key": row.ours["run"]})
    which = "" if len(row.runs) % 2 else ", of the middle two the lower"
    return f"The median run of {OVERALL} (seed {run['seed']}, {text.percent(run['accuracy'])}%{which})"


def _of(facts: Facts, figure: str, show: Callable[[Facts, Compared], Iterator[Block]]) -> Iterator[Block]:
    """What a row of the comparison tells of the median run; the row's split if it has no runs."""
    row = facts.compared[f"exp3.{figure}"]
    split = row.split or "jump"
    lacking = Text(text.sentence(row.note), "absent") if row.note else absent(f"*{split}*", split)
    yield from show(facts, row) if row.ours else [lacking]


def _constructions(facts: Facts, row: Compared) -> Iterator[Block]:
    yield Text(f"{_median(facts, row)} makes {text.counted(row.ours['errors'], 'error')}. In the paper: {row.stated} "
               f"{row.unit}.")  # fmt: skip
    shown = row.ours["constructions"]
    if shown:
        marks = {"alone": "", "in a conjunction": " *"}
        bars = [figures.share_bar(one["construction"] + marks[one["place"]], one["wrong"], one["commands"])
                for one in shown[:MOST_SHOWN]]  # fmt: skip
        drawn = figures.bars(bars, room=186)
        caption = "Wrong answers among the test commands of each construction; * in a conjunction."
        title = "Errors of the median run by construction."
        yield Row([picture(drawn, "constructions-turn-left", title, caption, shown)])


def _composed(facts: Facts, row: Compared) -> Iterator[Block]:
    right = text.counted(len(row.ours["right"]), "composed command")
    yield Text(f"{_median(facts, row)} gets {right} right. In the paper: {row.stated} {row.unit}.")
    every = [f"`{command}` ({text.counted(runs, 'run')})" for command, runs in row.ours["any_run"].items()]
    if every:
        more = [f"{len(every) - MOST_SHOWN:,} others"] if len(every) > MOST_SHOWN else []
        runs = text.counted(len(row.runs), "run")
        yield Text(f"Right in any of {runs}: {text.listed([*every[:MOST_SHOWN], *more])}.")


def _neighbours(_: Facts, row: Compared) -> Iterator[Block]:
    yield Text("The training commands whose final encoder states are nearest, by cosine, in the median run on *jump*.")
    rows: list[Sequence[str]] = []
    for command, ours in row.ours.items():
        pairs = [(*_near(*here), *_near(*there)) for here, there in zip(ours, row.paper[command], strict=False)]
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
        drawn = figures.lines([(name, row, known.get(name)) for name, row in rows.items()])
        caption = f"{described(OVERALL)}. Every run, mean and 95% interval; diamonds are the paper's figures."
        title = "Accuracy on the compositions of each primitive."
        yield Row([picture(drawn, "primitives-lines", title, caption, list(rows.values()))])
    missing = [f"*{name}*" for name in PRIMITIVES if name not in rows]
    if missing:
        yield absent(text.listed(missing), "primitives", several=len(missing) > 1)
