"""`daxlab card`: all that is known of a learner; and the table that `examine` and `score` share with it."""

import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from daxlab.atomic import atomic_write
from daxlab.cli.completion import datasets
from daxlab.cli.options import ExceptOption, JsonOption, LedgerOption
from daxlab.datasets.part import parts_of
from daxlab.errors import InputError
from daxlab.learners import Learner, Program, of
from daxlab.ledger import Ledger, Writer, is_written, key
from daxlab.ledger.location import ledger_at, shipped
from daxlab.ledger.spec import Spec, all_facts
from daxlab.paper.experiments import NETWORKS
from daxlab.terminal import print_json, show, table
from daxlab.units import counted

Card = dict[str, Any]
COLUMNS = {"split": "split", "mean %": "mean", "95% interval": "interval", "runs": "runs", "status": "status"}
COLUMNS |= {"disguised %": "disguised", "95% interval, disguised": "disguised interval"}
COLUMNS |= {"status, disguised": "disguised status", "verdict": "verdict", "the paper's overall best %": "paper"}
DIFFERENCES = {
    "split": "split",
    "A": "a",
    "B": "b",
    "A - B": "difference",
    "95% interval": "interval",
    "pairs": "pairs",
}
MEASURED = {"split": "split", "network": "system", "mean %": "mean", "95% interval": "interval", "runs": "runs"}
MEASURED |= {"from": "source"}
FORMATS = (".md", ".html", ".json")
MOST_CONSTRUCTIONS = 3
SHIPPED = "the results that come with daxlab"


def card(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="A learner by the name of 'examine --name', or as 'daxlab runs list' shows it."
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it into a .md, .html or .json file, with published figures."),
    ] = None,
    data: Annotated[
        str,
        typer.Option(
            metavar="NAME|PATH", help="The dataset. Default: scan, if there are runs.", autocompletion=datasets
        ),
    ] = "",
    check: Annotated[bool, typer.Option("--check", help="Run the checks of 'daxlab check' too.")] = False,
    exceptions: ExceptOption = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a card and stop.")] = False,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show on one card what is known of a learner: accuracies, where it breaks, how it was trained.

    Published figures are beside it. Several learners are compared on the splits that two of them have.

    Example: daxlab card my-model overall-best --to card.html
    """
    from daxlab.report import card as cards  # polars is slow to load

    if schema:
        return print_json(cards.schema())
    if to and to.suffix not in FORMATS:
        raise InputError(f"a card is written as {', '.join(FORMATS)}: end the name of {to} in one of them")
    from daxlab.analysis.card import differences as differences_of, only_learner

    with Ledger(ledger_at(ledger)) as known, ExitStack() as stack:
        learners = {name: _runs(known, name, stack) for name in names or [only_learner(known)]}
        splits = Counter(split for _, rows in learners.values() for split in {row["split"] for row in rows})
        shared = {split for split, count in splits.items() if count > 1 or len(learners) == 1}
        if not shared:
            raise InputError(f"{', '.join(learners)} have no split in common: make a card of each")
        checks = (exceptions or []) if check or exceptions else None
        content = [_card(*runs, name, shared, data, checks) for name, runs in learners.items()]
    differences = differences_of(content)
    if to:
        atomic_write(to.resolve(), cards.written(content, differences, to.suffix).encode())
        print(f"Wrote {to}.")
    elif as_json:
        print(cards.written(content, differences, ".json"), end="")
    else:
        for card in content:
            show_table(card)
            _show_details(card)
        _show_differences(differences)


def _runs(ledger: Ledger, name: str, stack: ExitStack) -> tuple[Ledger, list[Card]]:
    """The runs of the learner that a name stands for: in this ledger, or else in the results that come with daxlab."""
    from daxlab.analysis.card import learner_rows

    wanted, results = str(NETWORKS.get(name, name)), shipped()
    try:
        rows, others = learner_rows(ledger, wanted)
    except InputError:
        other = stack.enter_context(Ledger(results)) if results and results != ledger.path.resolve() else None
        if other is None or not other.count({"label": wanted}):
            raise
        print(f"{ledger.path} has no {name}: it is taken from {SHIPPED}.", file=sys.stderr)
        return _runs(other, name, stack)
    if others:
        print(f"{name}: {counted(others, 'run')} of earlier versions are not on the card.", file=sys.stderr)
    return ledger, rows


def _card(
    ledger: Ledger,
    rows: Sequence[Card],
    name: str,
    splits: Container[str],
    data: str,
    exceptions: Sequence[str] | None,
) -> Card:
    """The card of a learner's runs on these splits; without checks if there are no `exceptions`, not even an empty
    list."""
    called = name if name in {row["label"] for row in rows} else rows[0]["label"]
    checks = [] if exceptions is None else _checks(rows[0]["spec"], exceptions)
    return card_of(
        ledger, called, rows[0]["spec"], [row for row in rows if row["split"] in splits], data, checks=checks
    )


def card_of(ledger: Ledger, name: str, facts: Mapping[str, Any], rows: Sequence[Card], data: str, **more: Any) -> Card:
    """A learner's card beside what the paper's networks do, in this ledger or in the results that come with daxlab."""
    from daxlab.analysis.card import card as own_card
    from daxlab.report.card import with_others

    with ExitStack() as stack:
        results = shipped()
        ledgers = {"this ledger": ledger}
        if results and results != ledger.path.resolve():
            ledgers[SHIPPED] = stack.enter_context(Ledger(results))
        return with_others(own_card(ledger, name, facts, rows, data, **more), ledgers)


def rows_of(ledger: Ledger, specs: Sequence[Spec]) -> list[Card]:
    """The rows of the runs of these specs that a ledger has, in their order."""
    keys = [key(facts) for facts in all_facts(specs)]
    rows = {row["key"]: row for row in ledger.rows({"key": keys})}
    return [rows[name] for name in keys if name in rows]


def facts_without(rows: Sequence[Card], specs: Sequence[Spec]) -> list[Mapping[str, Any]]:
    """The facts of the specs whose runs are not among these rows."""
    there = {row["key"] for row in rows}
    return [facts for facts in all_facts(specs) if key(facts) not in there]


def refuse_taken(path: Path, name: str, learner: Learner) -> None:
    """Refuse a name that stands for another learner in the ledger; another version of its source may have it too."""
    if not name or not is_written(path):
        return
    from daxlab.analysis.card import without_version

    with Ledger(path) as ledger:
        for row in ledger.rows({"label": name}):
            if without_version(row) != without_version({"spec": learner.facts()}):
                file = row["fields"].get("file") or row["fields"].get("command") or row["learner"]
                raise InputError(f"{path} has another learner called {name} ({file}): give this one another --name")


def label_runs(path: Path, specs: Sequence[Spec], name: str) -> None:
    """Call the learner of these runs by a name, wherever runs are listed. It goes along when they are merged."""
    with Ledger(path) as ledger:
        keys = [row["key"] for row in rows_of(ledger, specs) if name and row["label"] != name]
    if keys:
        with Writer(path) as writer:
            writer.label(keys, name)


def _checks(facts: Mapping[str, Any], exceptions: Sequence[str]) -> list[Card]:
    """What `daxlab check` finds in a learner, if it is still the one that was run."""
    from daxlab.cli.check import checked_by

    learner = of(facts)
    if isinstance(learner, Program) and not learner.is_unchanged:
        raise InputError(f"{learner} has changed since it was run: restore it, or examine it again")
    return checked_by(learner, exceptions)


# -- in the terminal


def show_card(card: Card, out: Path | None, as_json: bool) -> None:
    """Print a card as JSON or as a table; `out`: a file to write it into as JSON too."""
    from daxlab.report.card import written

    if out:
        atomic_write(out.resolve(), written([card], [], ".json").encode())
    if as_json:
        print(written([card], [], ".json"), end="")
    else:
        show_table(card)


def show_table(card: Card) -> None:
    """The table of a card: each split, in disguise too, beside the paper's figure; and why runs failed."""
    from daxlab.report.card import NOT_LEARNED, interval

    print(f"\n{card['learner']['name']}\n")
    rows = []
    for split, entry in card["splits"].items():
        disguised = card["disguised"].get(split, {})
        rows.append({**entry, "split": split, "interval": interval(entry)})
        rows[-1] |= {"disguised": disguised.get("mean", ""), "disguised interval": interval(disguised)}
        rows[-1] |= {"disguised status": disguised.get("status"), "verdict": disguised.get("verdict")}
        rows[-1] |= {"paper": "" if entry["paper"] is None else entry["paper"]}
    show(table(rows, COLUMNS))
    part = parts_of(card["protocol"]["data"])
    said = {"Asked": part.limit, "Validation": part.dev}
    for name in (name for name, differs in said.items() if differs):
        print(f"\n{name}: {card['protocol'][name.lower()]}.")
    if not card["learner"]["learns"]:
        print(f"\n{NOT_LEARNED}")
    for entry in (*card["splits"].values(), *card["disguised"].values()):
        for failure in entry["failures"]:
            print(f"\n{counted(failure['runs'], 'run')} {failure['reason']}")


def _show_details(card: Card) -> None:
    """Where it breaks, what the checks found, what stands beside it, and the protocol."""
    from daxlab.report.card import NO_ANSWERS, break_words, protocol_rows

    breaks = {split: entry["breaks"] for split, entry in card["splits"].items() if entry["breaks"]}
    print("\nWhere it breaks:" if breaks else f"\n{NO_ANSWERS}")
    for split, errors in breaks.items():
        words = break_words(errors) if errors["ends"]["wrong"] else ["every answer is right."]
        print(f"\n{split}: " + "\n  ".join(words))
        worst = [f"{row['template']} ({100 * row['wrong'] / row['commands']:.0f}%)" for row in errors["constructions"]]
        if worst:
            print(f"  Most often wrong (U is a verb): {', '.join(worst[:MOST_CONSTRUCTIONS])}.")
    if card["checks"]:
        print("\nWhat 'daxlab check' found:\n")
        show(table(card["checks"], {"check": "id", "verdict": "verdict", "what was seen": "seen", "reason": "reason"}))
    _show_others([row for entry in card["splits"].values() for row in entry["beside"]])
    print("\nProtocol:")
    lines = [[cell.replace("`", "") for cell in row] for row in protocol_rows(card)]
    show(table([dict(zip((" ", "  "), row, strict=True)) for row in lines]))


def _show_others(others: Sequence[Card]) -> None:
    """The paper's networks as they were measured; of published figures only how many there are."""
    from daxlab.report.card import interval

    measured = [row | {"interval": interval(row)} for row in others if row["status"] == "measured"]
    if measured:
        print("\nThe paper's networks here:\n")
        show(table(measured, MEASURED))
    if published := len(others) - len(measured):
        print(f"\n{counted(published, 'figure')} of others on these splits: --to card.html or card.md shows them.")


def _show_differences(differences: Sequence[Card]) -> None:
    """What tells several learners apart."""
    from daxlab.report.card import interval

    if differences:
        ends = [{"low": row["difference_low"], "high": row["difference_high"]} for row in differences]
        print("\nDifferences, in points; runs of the same seed are pairs:\n")
        rows = [row | {"interval": interval(end).replace("−", "-")} for row, end in zip(differences, ends, strict=True)]
        show(table(rows, DIFFERENCES))
