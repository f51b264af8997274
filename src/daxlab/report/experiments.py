"""Experiments 1 to 3 on the page: a random subset of SCAN, longer action sequences, a primitive in new contexts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Literal

import polars as pl

from daxlab.analysis import errors
from daxlab.analysis.curves import by_shots, by_size
from daxlab.datasets.rules import SHOTS, SIZES
from daxlab.paper.comparison import Row as Compared
from daxlab.paper.experiments import BEST, FEW, NETWORKS, ONCE, OVERALL, PRIMITIVES, SCAN, SPLITS
from daxlab.paper.targets import numbers, stated
from daxlab.report import figures, text
from daxlab.report.blocks import Block, Cell, Section, Strip, Table, Text, absent, blocks_until_missing
from daxlab.report.drawing import picture
from daxlab.report.facts import Facts, described, network_name
from daxlab.report.splits import length_picture

DRAWS = {"release": "the release's draw", "own": "our draw"}
MOST_SHOWN = 14  # constructions, or commands
LOW = 0.2  # a cosine that the paper calls low
LEADS = {
    1: "A random 80% of the commands are for training, and the network is asked for the others: new commands, of kinds "
    "that it has seen.",
    2: "Training has all commands of up to 22 actions; the network is asked for those of 24 to 48. The parts are "
    "known, and only the length is new.",
    3: "Training has every command without a primitive, and the primitive alone, as a tenth of all presentations; the "
    "network is asked for its compositions. Who knows “walk”, “walk twice” and “jump” should know “jump twice”.",
}
RESULTS = "Means over runs with standard error and 95% interval; dots are runs, diamonds the paper's figures."
Parts = Sequence[tuple[str, str, Iterator[Block]]]  # anchor, heading, blocks


def sections(facts: Facts) -> list[Section]:
    """The three experiments."""
    networks = [network for network in (OVERALL, BEST["length"]) if facts.row(network, "length")]
    subset: Parts = [("sizes", "By the number of training commands", _sizes(facts))]
    longer: Parts = [
        ("lengths", "By the length of the action sequence and of the command", _lengths(facts, networks)),
        ("wrong-answers", "How wrong answers end, and whether the search is to blame", _wrong(facts, networks)),
    ]
    contexts: Parts = [
        ("oversampling", "Without over-sampling", _oversampling(facts)),
        ("constructions", "Errors on *turn left* by construction", _of(facts, "turn-left.errors", _constructions)),
        ("composed", "Compositions of *jump* that come out right", _of(facts, "jump.right", _composed)),
        ("neighbours", "The nearest commands to *jump*", _of(facts, "neighbours", _neighbours)),
        ("few-shot", "A few compositions shown", _few(facts)),
        ("primitives", "All six primitives", _primitives(facts)),
    ]
    return [
        _chapter(facts, 1, "a random subset of the commands", ["simple"], subset),
        _chapter(facts, 2, "longer action sequences", ["length"], longer if networks else []),
        _chapter(facts, 3, "a primitive in new contexts", ["turn-left", "jump"], contexts),
    ]


def _chapter(facts: Facts, n: int, title: str, splits: Sequence[str], parts: Parts) -> Section:
    below = [Section(name, heading, blocks_until_missing(blocks)) for name, heading, blocks in parts]
    blocks = [Text(LEADS[n], "lead"), *_results(facts, n, splits)]
    return Section(f"experiment-{n}", f"Experiment {n}: {title}", blocks, below, f"Experiment {n}")


def _results(facts: Facts, n: int, names: Sequence[str]) -> Iterator[Block]:
    """The paper's two networks on its main splits."""
    rows: list[Sequence[Cell]] = []
    for name in names:
        splits = SPLITS[name]
        for network, kind in ((OVERALL, "overall"), (BEST[name], "best")):
            if row := facts.row(network, *splits):
                draw = f" ({DRAWS['release' if row['split'] == splits[0] else 'own']})" if len(splits) > 1 else ""
                strip, paper = Strip.of(row), stated(name, kind)
                strip = replace(strip, paper=[paper])
                runs = text.counted(row["runs"], "run")
                ours = f"{text.mean_cell(row)}\n{runs}"
                rows.append(
                    (f"{network_name(network)} on *{name}*{draw}\n{NETWORKS[network]}", ours, f"{paper:g}", strip)
                )
            else:
                yield absent(f"{described(network)} on *{name}*", name)
    if rows:
        head = ("network", "ours, % right", "paper", "every run, 0 to 100%")
        yield Table(f"results-{n}", "The paper's networks, trained again.", head, rows, (1, 2), RESULTS)


def _sizes(facts: Facts) -> Iterator[Block]:
    frame = by_size(facts.ledger, {"label": str(NETWORKS[OVERALL]), "dataset": SCAN})
    ids = {percent: f"exp1.size.{percent}" for percent in SIZES} | {80: "exp1.overall"}
    title = f"Accuracy on new commands by how many are shown, of {described(OVERALL)}."
    yield from _curve(frame, "percent", ids, "per cent of the commands in training", "size", title)


def _few(facts: Facts) -> Iterator[Block]:
    frame = by_shots(facts.ledger, {"label": str(NETWORKS[FEW]), "dataset": SCAN})
    ids = {0: "exp3.jump.best"} | {n: f"exp3.few.{n}" for n in SHOTS}
    title = f"Accuracy on other compositions by how many are shown, of {described(FEW)}."
    yield from _curve(frame, "shots", ids, "composed “jump” commands in training", "few-shot", title)


def _curve(
    frame: pl.DataFrame, by: str, ids: Mapping[int, str], axis: str, experiment: str, title: str
) -> Iterator[Block]:
    """Accuracy by how much is shown, a curve for each draw with two points at least; `ids` of the paper's figures."""
    frame = frame.filter(pl.col(by).is_in(list(ids)))
    draws = {name: rows for draw, name in DRAWS.items() if (rows := frame.filter(draw=draw)).height > 1}
    if draws:
        paper = {value: numbers()[name] for value, name in ids.items() if name in numbers()}
        drawn = figures.curve(draws, by, list(ids), axis, paper)
        caption = "Means and standard errors, runs as faint dots; diamonds are the paper's figures."
        yield picture(drawn, f"{experiment}-curve", title, caption, pl.concat(draws.values()))
    missing = [str(value) for value in ids if value not in set(frame[by])]
    if missing:
        yield absent(f"the curve at {text.listed(missing)}", experiment)


def _lengths(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    by: Literal["actions", "words"]
    for by in ("actions", "words"):
        for network in networks:
            keys = facts.runs.of(network, "length").keys
            greedy, oracle = (errors.by_length(facts.ledger, keys, by, oracle=oracle) for oracle in (False, True))
            lengths = (24, 48) if by == "actions" and network == BEST["length"] else ()
            paper = {length: numbers()[f"exp2.oracle.best.{length}"] for length in lengths}
            frames, name = {"greedy": greedy, "oracle length": oracle}, f"length-by-{by}-{network}"
            yield length_picture(frames, by, name, described(network), paper=paper)


def _wrong(facts: Facts, networks: Sequence[str]) -> Iterator[Block]:
    rows: list[Sequence[str]] = []
    for network in networks:
        keys = facts.runs.of(network, "length").keys
        ends, search = errors.ends(facts.ledger, keys), errors.search_errors(facts.ledger, keys)
        counts = ends.select("seed", "wrong", "early", "same", "late").hstack(search["search_errors", "unended"])
        rows.append((described(network),))
        rows += [["–" if count is None else f"{count:,}" for count in run] for run in counts.iter_rows()]
    caption = (
        "Wrong answers by where they end, run by run. A search error is a wrong answer that the network itself finds "
        "less likely than the target; in the paper, less than one test command a run, for both networks. Those that "
        "never ended were cut off, which the network finds unlikely, so the comparison does not count them."
    )
    head = ("seed", "wrong", "too early", "right length", "too late", "search errors", "of these never ended")
    yield Table("wrong-answers-table", "Wrong answers on *length*.", head, rows, range(1, 7), caption)


def _oversampling(facts: Facts) -> Iterator[Block]:
    for split, part in zip(ONCE, facts.compared["exp3.oversampling"].parts, strict=True):
        if part["runs"]:
            said = [part["note"]]
            if part["difference"] is not None:
                said.append(text.difference(part["difference_low"], part["difference_high"]))
            yield Text(text.sentence("; ".join(said)))
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
    made = text.counted(row.ours["errors"], "error")
    yield Text(f"{_median(facts, row)} makes {made}. In the paper: {row.stated} {row.unit}.")
    shown = row.ours["constructions"]
    if shown:
        marks = {"alone": "", "in a conjunction": " *"}
        bars = [(of["construction"] + marks[of["place"]], of["wrong"], of["commands"]) for of in shown[:MOST_SHOWN]]
        drawn = figures.bars(bars, room=186)
        caption = "Wrong answers among the test commands of each construction; * in a conjunction."
        title = "Errors of the median run by construction."
        yield picture(drawn, "constructions-turn-left", title, caption, shown)


def _composed(facts: Facts, row: Compared) -> Iterator[Block]:
    right = text.counted(len(row.ours["right"]), "composed command")
    yield Text(f"{_median(facts, row)} gets {right} right. In the paper: {row.stated} {row.unit}.")
    every = [f"`{command}` ({text.counted(runs, 'run')})" for command, runs in row.ours["any_run"].items()]
    if every:
        more = [f"{len(every) - MOST_SHOWN:,} others"] if len(every) > MOST_SHOWN else []
        runs = text.counted(len(row.runs), "run")
        yield Text(f"Right in any of {runs}: {text.listed([*every[:MOST_SHOWN], *more])}.")


def _neighbours(facts: Facts, row: Compared) -> Iterator[Block]:
    yield Text(
        "Commands are compared by the cosine of their encoder states, by default the *final* one: the top layer's "
        f"hidden state after the whole command and its end. By it, {row.note}."
    )
    rows: list[Sequence[str]] = []
    for state, nearest in groupby(row.ours["every"], key=itemgetter("state")):
        by_state = list(nearest)
        rows.append((f"{state} ({text.counted(by_state[0]['runs'], 'run')})",))
        for near in by_state:
            left_out = f" without “{near['without']}”" if near["without"] else ""
            cosines = [f"{near[name]:.2f}" for name in ("mean", "lowest", "highest", "paper")]
            rows.append((f"“{near['command']}”{left_out}", *cosines, _counts(near["nearest"])))
    columns = ("command", "mean", "lowest", "highest", "in the paper", "which (runs)")
    title = "The cosine of the nearest training command in every run, and which it is."
    caption = "Commands that are nearest in one run only are counted together, where there are several."
    yield Table("nearest-table", title, columns, rows, range(1, 5), caption)
    (run,) = facts.ledger.rows({"key": row.ours["run"]})
    rows = []
    for command, near in row.ours["example"].items():
        pairs = [(*_near(*here), *_near(*paper)) for here, paper in zip(near, row.paper[command], strict=False)]
        rows += [(f"“{command}”",), *pairs] if pairs else []
    caption = f"Of our runs, that of the lowest seed ({run['seed']}). Italics mark similarities below {LOW}, as there."
    title = "The five nearest training commands in one of our runs, and in the paper's."
    head = ("here", "cosine", "in the paper", "cosine")
    yield Table("neighbours-table", title, head, rows, right=(1, 3), caption=caption)


def _counts(nearest: Mapping[str, int]) -> str:
    """Which commands are nearest, and in how many runs; several of one run each are only counted.

    >>> _counts({"jump": 9, "look twice": 1}), _counts({"look": 2, "run": 1, "walk": 1}), _counts({"run": 1, "look": 1})
    ('jump (9), look twice (1)', 'look (2), two others', 'two commands')
    """
    once = [command for command, runs in nearest.items() if runs == 1]
    listed = [f"{command} ({runs})" for command, runs in nearest.items() if runs > 1 or len(once) == 1]
    few = [text.counted(len(once), "other" if listed else "command")] if len(once) > 1 else []
    return ", ".join([*listed, *few])


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
        drawn = figures.lines({name: (row, known.get(name)) for name, row in rows.items()})
        caption = f"{described(OVERALL)}. Every run, mean and 95% interval; diamonds are the paper's figures."
        title = "Accuracy on the compositions of each primitive."
        yield picture(drawn, "primitives-lines", title, caption, list(rows.values()))
    missing = [f"*{name}*" for name in PRIMITIVES if name not in rows]
    if missing:
        yield absent(text.listed(missing), "primitives")
