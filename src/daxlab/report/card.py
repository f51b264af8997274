"""A card for people: a learner's card beside what the paper and others published, as JSON, Markdown or a page.

analysis/card.py says what a ledger knows of a learner, paper/beside.py what stands beside it. Nothing is computed here.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from math import fsum
from typing import Any

from daxlab.analysis.card import SCAN
from daxlab.datasets.part import parts_of
from daxlab.errors import InputError
from daxlab.ledger import Ledger
from daxlab.paper.beside import beside
from daxlab.paper.experiments import OVERALL
from daxlab.paper.targets import FIGURES, stated
from daxlab.report import text
from daxlab.report.blocks import Block, Faint, Fold, Note, Section, Strip, Table, Text
from daxlab.units import counted, duration, size

Card = dict[str, Any]
FORMATS = (".json", ".md", ".html")
NOT_LEARNED = "It is not given the training examples: nothing is learned."
NO_ANSWERS = "The ledger has no answers of these runs, or their data is not here, so where it breaks cannot be said."
SHORT = 12  # digits of a digest, in a sentence
BINS = 4  # of lengths, in a sentence
VERDICTS = {"kept": "good", "as good in disguise": "good", "broken": "bad", "undecided": "open", "unclear": "open"}
OTHERS = (
    "What the paper's networks do here, and what was published. Grey: another protocol, or one that is not known, or a "
    "system that was told more than the training examples."
)


def with_others(card: Card, ledgers: Mapping[str, Ledger]) -> Card:
    """A learner's card with what stands beside it on each split of SCAN: paper (the stated figure of the overall best
    network) and beside (rows of paper/beside.py)."""
    for split, entry in card["splits"].items():
        of_scan = parts_of(card["protocol"]["data"]).whole == SCAN
        entry["paper"] = stated(split, "overall") if of_scan and split in FIGURES else None
        others = beside(split, ledgers) if of_scan else []
        entry["beside"] = [row for row in others if not row["system"].endswith(f": {card['learner']['name']}")]
    return card


def schema() -> dict[str, Any]:
    """The JSON Schema of a card, or of several with their differences."""
    content: dict[str, Any] = json.loads((files("daxlab.report") / "card.schema.json").read_text(encoding="utf-8"))
    return content


def written(cards: Sequence[Card], differences: Sequence[Card], form: str) -> str:
    """One card, or several side by side, in a format of FORMATS."""
    if form == ".json":
        content = cards[0] if len(cards) == 1 else {"cards": cards, "differences": differences}
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    title = text.listed([card["learner"]["name"] for card in cards])
    if form == ".md":
        from daxlab.report.markdown import markdown

        return markdown(title, opening(cards), sections(cards, differences))
    if form == ".html":
        known = {f"knows {card['protocol']['data']} beforehand": "bad" for card in cards}
        verdicts = VERDICTS | known
        from daxlab.report import page  # matplotlib and jinja2 are slow to load

        return page.written(title, opening(cards), sections(cards, differences, drawn=True), "card", verdicts=verdicts)
    raise InputError(f"a card is {', '.join(FORMATS)}, not {form or 'a file without an ending'!r}")


# -- its parts


def opening(cards: Sequence[Card]) -> list[Block]:
    """What these learners are."""
    blocks: list[Block] = []
    for card in cards:
        learner, protocol = card["learner"], card["protocol"]
        written = {name: str(value)[:SHORT] if name == "digest" else value for name, value in learner["fields"].items()}
        fields = [f"{name.replace('_', ' ')} `{value}`" for name, value in written.items() if value != ""]
        said = f"*{learner['name']}* is a learner of kind `{learner['kind']}` ({', '.join(fields) or 'no fields'})"
        seeds = f"{text.counted(len(protocol['seeds']), 'seed')} on {protocol['data']}"
        blocks.append(Text(f"{said}; {seeds}.{'' if learner['learns'] else ' ' + NOT_LEARNED}"))
    return blocks


def sections(cards: Sequence[Card], differences: Sequence[Card], drawn: bool = False) -> list[Section]:
    """The card from top to bottom; `drawn`: with figures."""
    parts = [Section("results", "How right it is", list(_results(cards)), short="Results")]
    if differences:
        parts.append(Section("differences", "What tells them apart", [_differences(differences)], short="Differences"))
    if any(card["disguised"] for card in cards):
        parts.append(Section("disguise", "Does it know the data beforehand?", [_disguise(cards)], short="Disguise"))
    parts.append(Section("breaks", "Where it breaks", list(_breaks(cards, drawn)), short="Errors"))
    if any(entry["beside"] for card in cards for entry in card["splits"].values()):
        parts.append(Section("beside", "Beside it", [Text(OTHERS), *_beside(cards)]))
    parts.append(Section("checks", "Checks", list(_checks(cards))))
    protocol = [block for card in cards for block in _protocol(card, several=len(cards) > 1)]
    return [*parts, Section("protocol", "Protocol", protocol)]


def _splits(cards: Sequence[Card]) -> Iterator[tuple[str, list[Card]]]:
    """Each split of any card, with the cards that have it."""
    for split in dict.fromkeys(split for card in cards for split in card["splits"]):
        yield split, [card for card in cards if split in card["splits"]]


def _results(cards: Sequence[Card]) -> Iterator[Block]:
    several, rows = len(cards) > 1, []
    for split, some in _splits(cards):
        for card in some:
            entry = card["splits"][split]
            measured = next((row for row in entry["beside"] if row["system"].startswith(f"{OVERALL}: ")), None)
            name = f"{split}\n{card['learner']['name']}" if several else split
            paper = [] if entry["paper"] is None else [entry["paper"]]
            mean = text.percent(entry["mean"]) + (f"\n{ends}" if (ends := interval(entry)) else "")
            cells = [name, mean, str(entry["runs"]), entry["status"], f"{paper[0]:g}" if paper else "–"]
            cells += [text.percent(measured["mean"]) if measured else "–"]
            rows.append([*cells, Strip(entry["accuracies"], entry["low"], entry["high"], paper)])
            rows += [[Note(f"{counted(failure['runs'], 'run')} {failure['reason']}")] for failure in entry["failures"]]
    head = ["split", "mean %", "runs", "status", "paper's overall best %", "the same network here %", "0 to 100%"]
    caption = "Per cent of test commands wholly right: mean over runs with its 95% interval. A run is a dot on the line"
    yield Table("results-table", "Accuracy.", head, rows, (1, 2, 4, 5), f"{caption}, the paper's figure a diamond.")


def interval(entry: Mapping[str, Any]) -> str:
    """The ends of an entry's interval, if it has one."""
    return "" if entry.get("low") is None else text.interval(entry)


def _differences(differences: Sequence[Card]) -> Table:
    rows = []
    for row in differences:
        ends = {"low": row["difference_low"], "high": row["difference_high"]}
        difference = "–" if row["difference"] is None else text.signed(row["difference"])
        better = "–" if row["better"] is None else f"{row['better']:.2f}"
        rows.append([row["split"], row["a"], row["b"], difference, interval(ends), str(row["pairs"]), better])
    head = ("split", "A", "B", "A − B, points", "95% interval", "pairs", "a run of A is better")
    caption = "Of means; runs of the same seed are pairs. The last column is a probability, in which ties count half."
    return Table("differences-table", "Differences.", head, rows, (3, 4, 5, 6), caption)


def _disguise(cards: Sequence[Card]) -> Table:
    rows = []
    for split, some in _splits(cards):
        for card in some:
            if entry := card["disguised"].get(split):
                plain, ends = card["splits"][split], {"low": entry["difference_low"], "high": entry["difference_high"]}
                name = f"{split}\n{card['learner']['name']}" if len(cards) > 1 else split
                means = [text.percent(plain["mean"]), text.percent(entry["mean"])]
                rows.append([name, *means, entry["verdict"], interval(ends), entry["status"]])
    head = ("split", "plain %", "disguised %", "verdict", "plain − disguised, 95% interval", "status, disguised")
    caption = "The same splits with made-up words. A learner does not care; what has read the data beforehand does."
    return Table("disguise-table", "In disguise.", head, rows, (1, 2, 4), caption)


def _breaks(cards: Sequence[Card], drawn: bool) -> Iterator[Block]:
    folds: list[Block] = []
    for split, some in _splits(cards):
        for number, card in enumerate(some):
            found, name = card["splits"][split]["breaks"], card["learner"]["name"]
            if found and found["ends"]["wrong"]:
                title = f"{split}: {name}" if len(cards) > 1 else split
                blocks = list(_break(found, f"{number}-{split}", drawn))
                wrong = f"{round(found['ends']['wrong'] / found['runs']):,} wrong answers a run"
                folds.append(Fold(f"breaks-{number}-{split}", title, wrong, blocks, open=not folds))
    yield from folds
    if not any(entry["breaks"] for card in cards for entry in card["splits"].values()):
        yield Text(NO_ANSWERS, "absent")
    elif not folds:
        yield Text("Nowhere: every answer that the ledger has is right.")


def _break(found: Card, name: str, drawn: bool) -> Iterator[Block]:
    """Where the answers on a split are wrong."""
    for said in break_words(found):
        yield Text(said)
    if drawn:
        import matplotlib as mpl
        import polars as pl

        from daxlab.report.drawing import STYLE
        from daxlab.report.splits import length_picture, slug

        with mpl.rc_context(STYLE):
            frame = pl.DataFrame(found["lengths"])
            yield length_picture({"answers": frame}, "actions", f"length-{slug(name)}", "Accuracy by length.")
    if found["constructions"]:
        counts = [(row["template"], row["wrong"], row["commands"]) for row in found["constructions"]]
        rows = [[name, f"{wrong:,.1f}", f"{of:,}", f"{100 * wrong / of:.1f}"] for name, wrong, of in counts]
        head = ("construction", "wrong", "commands", "%")
        caption = "U is the verb of a clause; wrong answers are means over runs, and the worst come first."
        yield Table(f"constructions-{name}", "Errors by construction.", head, rows, (1, 2, 3), caption)
    if found["categories"]:
        rows = [[row["category"], text.percent(row["mean"]), interval(row)] for row in found["categories"]]
        yield Table(f"categories-{name}", "Accuracy by category.", ("category", "%", "95% interval"), rows, (1, 2))


def break_words(found: Card) -> list[str]:
    """Where the answers on a split are wrong, in sentences."""
    ends, lengths = found["ends"], found["lengths"]
    shares = {part: f"{100 * ends[part] / ends['wrong']:.0f}%" for part in ("early", "late", "same")}
    lengths_of = (
        f"{shares['early']} are too short, {shares['late']} too long, {shares['same']} as long as their targets"
    )
    said = [f"Of the wrong answers of {counted(found['runs'], 'run')}, {lengths_of}."]
    counts = [(row["position"], row["count"]) for row in found["first_wrong"]]
    seen = [sum(count for position, count in counts if position <= place) for place, _ in counts]
    median = next(place for (place, _), so_far in zip(counts, seen, strict=True) if 2 * so_far >= ends["wrong"])
    first = 100 * sum(count for position, count in counts if position == 1) / ends["wrong"]
    said.append(f"Half of them depart from their target by action {median}, {first:.0f}% at the first.")
    if len(lengths) > 1:
        bins = groupby(enumerate(lengths), key=lambda item: item[0] * BINS // len(lengths))
        parts = [_of_lengths([row for _, row in rows]) for _, rows in bins]
        said.append(f"By length of the target in actions: {', '.join(parts)}.")
    return said


def _of_lengths(rows: Sequence[Card]) -> str:
    """The accuracy on commands of these lengths together."""
    ends = list(dict.fromkeys(str(row["length"]) for row in (rows[0], rows[-1])))
    commands = sum(row["commands"] for row in rows)
    return f"{' to '.join(ends)}: {fsum(row['mean'] * row['commands'] for row in rows) / commands:.1f}%"


def _beside(cards: Sequence[Card]) -> Iterator[Block]:
    for split, some in _splits(cards):
        others = some[0]["splits"][split]["beside"]
        rows = []
        for row in others:
            system = row["system"] + (f"\n{row['note']}" if row["note"] else "")
            what = f"on {row['split']}" if row["split"] != split else ""
            told = [row["told"] or "not known", row["protocol"] if row["protocol"] is not None else "not known"]
            spread = f"± {row['spread']:g} ({row['spread_kind']})" if row["spread"] is not None else interval(row)
            mean = f"{row['mean']:g}" if row["status"] != "measured" else text.percent(row["mean"])
            cells = [mean, spread, str(row["runs"] or "–"), told[0], told[1] or "the paper's"]
            name = system + (f"\n{what}" if what else "")
            source = row["source"].partition(";")[0] + (", at second hand" if row["status"] == "secondary" else "")
            rows.append([name if row["same_protocol"] else Faint(name), *cells, source])
        same = sum(row["same_protocol"] for row in others)
        head = ("system", "%", "spread", "runs", "told", "protocol", "source")
        if rows:
            about = f"{text.counted(len(rows), 'figure')}, {text.number(same)} by the paper's protocol"
            table = Table(f"beside-table-{split}", f"Beside *{split}*.", head, rows, (1, 2, 3))
            yield Fold(f"beside-{split}", split, about, [table])


def _checks(cards: Sequence[Card]) -> Iterator[Block]:
    for card in cards:
        name = card["learner"]["name"]
        if not card["checks"]:
            yield Text(f"`daxlab check` was not asked about {name}.", "absent")
            continue
        rows = [
            [found["id"], found["verdict"], found["promise"], found["reason"] or found["seen"]]
            for found in card["checks"]
        ]
        head = ("check", "verdict", "promise", "seen, or why it is an exception")
        yield Table(f"checks-{name}", f"What `daxlab check` found in {name}.", head, rows)


def protocol_rows(card: Card) -> list[list[str]]:
    """The protocol, a line each."""
    protocol = card["protocol"]
    limits = {name: {"time": duration, "memory": size}[name](value) for name, value in protocol["limits"].items()}
    seeds = protocol["seeds"]
    whole = seeds == list(range(seeds[0], seeds[-1] + 1)) if seeds else False
    rows = [
        ["data", f"{protocol['data']}, sha256 `{protocol['digest'] or 'of several versions'}`"],
        ["training", protocol["training"]],
        ["validation", protocol["validation"]],
        ["asked", protocol["asked"]],
        ["selection", protocol["selection"]],
        ["score", protocol["score"]],
        ["seeds", f"{seeds[0]} to {seeds[-1]}" if whole and len(seeds) > 2 else ", ".join(map(str, seeds))],
        ["limits of a run", ", ".join(f"{name} {limit}" for name, limit in limits.items())],
    ]
    for title, made in (("versions", protocol["versions"]), ("machines", protocol["machines"])):
        for one in made:
            parts = [f"{name} {value}" for name, value in one.items() if name != "runs"]
            rows.append([title, f"{', '.join(parts)} ({counted(one['runs'], 'run')})"])
    return [row for row in rows if row[1]]


def _protocol(card: Card, several: bool) -> Iterator[Block]:
    name, title = card["learner"]["name"], "How it was trained and scored."
    yield Table(f"protocol-{name}", f"{name}: {title}" if several else title, ("", ""), protocol_rows(card))
    rows = []
    for split, entry in card["splits"].items():
        sizes = [f"{entry[part]:,}" if entry[part] else "–" for part in ("train", "presentations", "test")]
        rows.append([split, *sizes, f"`{entry['digest']}`" if entry["digest"] else "–"])
    head = ("split", "training examples", "presentations", "test commands", "sha256")
    yield Table(f"splits-{name}", "The splits.", head, rows, (1, 2, 3))
