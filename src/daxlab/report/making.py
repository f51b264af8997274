"""The last parts of the page: the protocol, where and with what runs were made, what they took, how to repeat it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from daxlab.paper.experiments import EXPERIMENTS
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.report import text
from daxlab.report.blocks import Block, Section, Table, Text, told
from daxlab.report.facts import Facts

MEANING = {
    "updates": "updates of one command each, drawn with replacement from the training commands",
    "learning_rate": "learning rate of Adam (its other settings are the usual ones)",
    "clip": "greatest norm over all gradients",
    "teacher_forcing": "share of commands fed with the right actions; the others with the network's own",
    "self_fed_loss_ends": "where the loss of a self-fed answer ends: at the network's own first end, or the target's",
    "shared_lengths": "whether all runs on a split see the same lengths in the same order, and share nothing else",
}

SHOWN = ("device", "daxlab", "python", "jax", "jaxlib", "equinox", "numpy")


def sections(facts: Facts) -> list[Section]:
    """The three of them."""
    return [
        Section("protocol", "Protocol", told(_protocol(facts))),
        Section("versions", "Versions, devices and cost", told(_made(facts)), short="Versions and cost"),
        Section("repeat", "How to repeat it", told(_repeat(facts))),
    ]


def _protocol(facts: Facts) -> Iterator[Block]:
    yield Text(
        "A network reads a command word by word and writes actions one by one, until it ends. Words and actions are "
        "embedded as wide as the hidden layer; dropout is on embeddings and between layers, with a fresh mask at every "
        "step. There is no validation set and no early stopping: the last weights count. An answer is greedy, and only "
        "right if every action is. With oracle length, the end is barred until the right length and forced there."
    )
    usual = asdict(Protocol())
    rows = [(name.replace("_", " "), str(value), MEANING.get(name, "")) for name, value in usual.items()]
    rows.append(("semantics", str(SEMANTICS), "version of what training does, a part of every run's key"))
    yield Table("protocol-table", "The protocol.", ("setting", "value", "what it is"), rows, right=(1,))
    others = sorted({one for one in facts.networks["protocol"].to_list() if one is not None})
    if others:
        said = f"Some runs of this ledger differ from it: {'; '.join(others)}."
        yield Text(f"{said} They are in no comparison with the paper.")


def _made(facts: Facts) -> Iterator[Block]:
    from daxlab.analysis.origins import devices, untimed, versions  # the analyses are slow to load

    cost = devices(facts.ledger).to_dicts()
    if not cost:
        yield Text("This ledger holds no run.", "absent")
        return
    lost = untimed(facts.ledger)
    yield Text(
        f"{text.sentence(text.listed([_taken(row) for row in cost]))} A run's time is its share of the group that it "
        "was trained in, on a card without compiling. Where several groups shared a card it is divided by the workers "
        "there were, though not all of them trained all the while: at least so much, then."
        + (f" {text.sentence(text.counted(lost, 'run') + ' recorded no time')}" if lost else "")
    )
    rows = [
        (*(row[name] or "–" for name in SHOWN), f"{row['runs']:,}", f"{row['failed']:,}", duration(row["seconds"]))
        for row in versions(facts.ledger).to_dicts()
    ]
    head = ("device", "daxlab", "Python", "jax", "jaxlib", "equinox", "numpy", "runs", "failed", "time")
    yield Table("versions-table", "Where the runs were made, and with what.", head, rows, right=(7, 8, 9))


def _taken(row: Mapping[str, Any]) -> str:
    kind = "card" if row["platform"] == "gpu" else "CPU"
    device = f" ({row['device']})" if row["device"] not in (None, "cpu") else ""
    return f"{text.counted(row['runs'], 'run')} took {duration(row['seconds'])} of {kind} time{device}"


def duration(seconds: float) -> str:
    """A time that a person can picture.

    >>> duration(42.0), duration(600.0), duration(7500.0)
    ('42 s', '10 min', '2.1 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _repeat(facts: Facts) -> Iterator[Block]:
    from daxlab.paper.search import COMMAND  # polars is slow to load

    yield Text(
        f"`daxlab reproduce all` trains what the ledger lacks of the paper's experiments ({', '.join(EXPERIMENTS)}), "
        f"`{COMMAND}` what it lacks of the search; both go on where they were if they are interrupted. "
        "`daxlab compare` prints the comparison, `daxlab report` makes this page: the same ledger and data give the "
        "same page, byte for byte."
    )
    if facts.networks.height:
        yield Text(
            "`daxlab runs list` names every run; `daxlab runs show` has all that is known of one. Its key is a hash of "
            "all that determines it: language and split by content, network, protocol and seed."
        )
