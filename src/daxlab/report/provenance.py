"""The last parts of the page: the paper's protocol, where and with what runs were made, how to repeat them."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from daxlab.analysis.origins import VERSIONS, devices, versions
from daxlab.learners import RNN
from daxlab.paper.experiments import EXPERIMENTS
from daxlab.paper.search import COMMAND
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.report import text
from daxlab.report.blocks import Absent, Block, Fold, Section, Table, Text
from daxlab.report.facts import Facts
from daxlab.settings import recorded
from daxlab.units import duration


def section(facts: Facts) -> Section:
    """The protocol, if the page is about the paper; versions, devices and cost; how to repeat the runs."""
    parts = [
        *[Section("protocol", "The protocol", list(_protocol(facts)), about="what training and testing are")]
        * facts.of_paper,
        Section("versions", "Versions, devices and cost", list(_made(facts))),
        Section("repeat", "How to repeat it", list(_repeat(facts))),
    ]
    return Section("made", "How it was made", [], parts)


def absent_part(lacking: Sequence[Absent]) -> Section:
    """What the page would also show if the ledger had the runs, and the commands that train them."""
    by_command: dict[str, list[str]] = {}
    for one in lacking:
        by_command.setdefault(one.command, []).append(one.what)
    rows = [(text.sentence("; ".join(dict.fromkeys(what))), f"`{command}`") for command, what in by_command.items()]
    table = Table("absent-table", "What this page would also show.", ("what", "the command that trains the runs"), rows)
    count = text.counted(sum(len(set(what)) for what in by_command.values()), "thing")
    return Section("absent", "What is not measured in this ledger", [table], about=count)


def _protocol(facts: Facts) -> Iterator[Block]:
    yield Text(
        "A network reads a command word by word and writes actions one by one, until it ends. Words and actions are "
        "embedded as wide as the hidden layer; dropout is on embeddings and between layers, with a fresh mask at every "
        "step. Each update presents one command, drawn with replacement from the training commands. There is no "
        "validation set and no early stopping: the last weights count. An answer is greedy, and only right if every "
        "action is. With oracle length, the end is barred until the right length and forced there."
    )
    meaning = {field.name: field.metadata["help"] for field in fields(RNN)}
    rows = [(name.replace("_", " "), str(value), meaning[name]) for name, value in recorded(Protocol()).items()]
    rows.append(("semantics", str(SEMANTICS), "version of what training does, a part of every run's key"))
    yield Table("protocol-table", "The protocol.", ("setting", "value", "what it is"), rows, right=(1,))
    others = sorted(set(facts.settings["protocol"].drop_nulls()))
    if others:
        how = "; ".join(others)
        yield Text(f"Some runs were trained otherwise: {how}. They are in no comparison with the paper.")


def _made(facts: Facts) -> Iterator[Block]:
    made, cost = versions(facts.ledger), []
    for row in devices(made).to_dicts():
        kind = "card" if row["platform"] == "gpu" else "CPU"
        device = f" ({row['device']})" if row["device"] not in (None, "cpu") else ""
        cost.append(f"{text.counted(row['runs'], 'run')} took {duration(row['seconds'])} of {kind} time{device}")
    if not cost:
        yield Text("This ledger holds no run.", "absent")
        return
    lost = int(made["untimed"].sum())
    yield Text(
        f"{text.sentence(text.listed(cost))} A run's time is its share of the group that it was trained in, without "
        "compiling on a card; where several workers shared a card, divided by their number, so a lower bound."
        + (f" {text.sentence(text.counted(lost, 'run') + ' recorded no time')}" if lost else "")
    )
    rows = []
    for row in made.to_dicts():
        counts = [f"{row[name]:,}" for name in ("runs", "failed")]
        rows.append([*(row[name] or "–" for name in ("device", *VERSIONS)), *counts, duration(row["seconds"])])
    head = ("device", *(name.replace("python", "Python") for name in VERSIONS), "runs", "failed", "time")
    table = Table("versions-table", "Where the runs were made, and with what.", head, rows, right=(7, 8, 9))
    yield Fold("versions-fold", "Every device and version", text.counted(len(rows), "combination"), [table])


def _repeat(facts: Facts) -> Iterator[Block]:
    if facts.of_paper:
        yield Text(
            f"`daxlab reproduce all` trains what the ledger lacks of the paper's experiments ({', '.join(EXPERIMENTS)}"
            f"), `{COMMAND}` what it lacks of the search; both continue where they were interrupted. `daxlab compare` "
            "prints the comparison, `daxlab report` makes this page: the same ledger and data give the same page, byte "
            "for byte."
        )
    if facts.settings.height:
        yield Text(
            "`daxlab runs list` names every run; `daxlab runs show` has all that is known of one. Its key is a hash of "
            "all that determines it: dataset and split by content, learner and seed."
        )
