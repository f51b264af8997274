"""What the page is told, as plain data for JSON: languages, networks, claims, runs.

Knows ledgers and datasets; knows nothing of HTML or of who serves it. Imports no JAX.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from daxlab.datasets import dataset
from daxlab.datasets.grammars import GrammarDataset
from daxlab.datasets.rules import drawn
from daxlab.encoding import Encoding
from daxlab.errors import InputError
from daxlab.languages import Language
from daxlab.languages.derivation import longest
from daxlab.languages.parser import MOST_WORDS_EARLEY
from daxlab.learners.registry import name_and_variant
from daxlab.ledger import Ledger
from daxlab.ledger.files import is_written, snapshots_of, weights_of
from daxlab.ledger.location import RESULTS, shipped
from daxlab.symbols import SPECIAL

Facts = dict[str, Any]
FEW_SHOT = "results/few-shot.db"  # the networks of the slider, with weights
SNAPSHOTS = "results/snapshots.db"  # a network with weights on the way
MAPPED = 400  # commands of a network's map
QUESTIONS = ("jump twice", "walk and jump", "jump around left", "jump opposite right thrice")  # the page says "dax"
COMPOSED = re.compile(r"few-jump-(\d+)-rep1")
TOLD = {  # split: what a network on it has seen
    "simple": "four fifths of all commands, drawn at random",
    "release/simple_split/simple": "four fifths of all commands, drawn at random",
    "length": "every command of up to 22 actions, and none that needs more",
    "turn-left": "“turn left” only by itself, and all commands without it",
    "jump": "“jump” only by itself, and all commands without it",
}


def language_facts(language: Language) -> Facts:
    """A grammar, for language.js."""
    grammar = language.grammar
    return {
        "start": grammar.start,
        "recursion": grammar.recursion if grammar.recursive else 0,
        "longest": longest(grammar, MOST_WORDS_EARLEY),
        "rules": [[rule.category, rule.parts, rule.written, rule.meaning] for rule in grammar.all_rules],
    }


@lru_cache(maxsize=4)
def vocabulary(name: str) -> Facts:
    """The symbols of a dataset's networks in the order of their numbers, the special ones left out; how long an answer
    may be, for network.js."""
    encoding = Encoding.of(dataset(name).examples())
    first = len(SPECIAL)
    words, actions = encoding.words.symbols[first:], encoding.actions.symbols[first:]
    return {"words": words, "actions": actions, "cap": encoding.answer_time}


def ledgers(own: Path) -> list[Path]:
    """The ledger that is shown, and those that come with daxlab, of which the page has its first networks."""
    ours = [path for name in (RESULTS, FEW_SHOT, SNAPSHOTS) if (path := shipped(name))]
    return list(dict.fromkeys([own.resolve(), *ours]))


def weights(paths: Iterable[Path], key: str) -> Path | None:
    """The file of a run's weights, beside any of these ledgers."""
    return next((file for path in paths if (file := weights_of(path, key)).is_file()), None)


def networks(paths: Iterable[Path]) -> list[Facts]:
    """Every network of the paper's kind that has learned a grammar and whose weights were kept, for network.js."""
    found: dict[str, Facts] = {}
    for path in paths:
        kept = {file.stem for file in weights_of(path, "").parent.glob("*.safetensors")}
        if not kept or not is_written(path):
            continue
        with Ledger(path) as ledger:
            rows = ledger.rows({"key": sorted(kept), "learner": "rnn", "status": "done"})
        for row in sorted(rows, key=lambda row: (row["split"], row["label"], row["seed"])):
            if row["key"] not in found and _has_grammar(row["dataset"]):
                found[row["key"]] = _network(row, path)
    return list(found.values())


def _has_grammar(name: str) -> bool:
    try:
        return isinstance(dataset(name), GrammarDataset)
    except InputError:  # a file of one's own that is gone
        return False


def snapshots(paths: Iterable[Path], key: str) -> dict[int, Path]:
    """The files of a network's snapshots by update, from beside the ledger that has its weights."""
    home = next((path for path in paths if weights_of(path, key).is_file()), None)
    return snapshots_of(home, key) if home else {}


def commands(network: Facts) -> Facts:
    """Training commands of a network, for its map: those of one word, and others drawn, the same every time. Of a split
    that is not on this machine, any commands of the language."""
    data = dataset(network["dataset"])
    try:
        train, of = data.split(network["split"]).train, "its training"
    except InputError:
        train, of = tuple(data.examples()), "its language"
    every = list(dict.fromkeys(example.command for example in drawn(train, "map")))
    short = [command for command in every if " " not in command]
    return {"of": of, "commands": list(dict.fromkeys([*short, *every]))[:MAPPED]}


def _network(row: Facts, home: Path) -> Facts:
    name, variant = name_and_variant(row["spec"])
    network = {
        "key": row["key"],
        "name": name,
        "variant": variant,
        "cell": row["fields"]["cell"].upper(),
        "dataset": row["dataset"],
        "split": row["split"],
        "seed": row["seed"],
        "told": TOLD.get(row["split"], ""),
        "accuracy": row["accuracy"],
        "train": row["train_accuracy"],
        "seen": [],
        "snapshots": list(snapshots_of(home, row["key"])),
    }
    if match := COMPOSED.fullmatch(row["split"]):
        train = dataset(row["dataset"]).split(row["split"]).train
        commands = sorted({e.command for e in train if "jump" in e.command.split()} - {"jump"}, key=len)
        several = f"{match[1]} longer command{'' if match[1] == '1' else 's'}"
        network |= {"shots": int(match[1]), "seen": commands}
        network["told"] = f"“jump” by itself and in {several}, and all commands without it"
    elif row["split"] == "jump":
        network["shots"] = 0
    return network


def then(own: Path) -> list[Facts]:
    """Of each learner of another kind one run on each split of a grammar that has its answers in the ledger."""
    chosen: dict[tuple[str, ...], Facts] = {}
    with Ledger(own) as ledger:
        answered = ledger.having("greedy")
        for row in sorted(ledger.rows({"status": "done"}), key=lambda row: (row["label"], row["split"], row["seed"])):
            if row["learner"] != "rnn" and row["key"] in answered and _has_grammar(row["dataset"]):
                chosen.setdefault((row["dataset"], row["label"], row["split"]), _then(row))
    return list(chosen.values())


def _then(row: Facts) -> Facts:
    parts = ("key", "dataset", "split", "seed", "accuracy")
    return {part: row[part] for part in parts} | {"name": row["label"], "told": "", "then": True}


def asked(own: Path, key: str) -> Facts:
    """A run with its answers to its test set, as it gave them when it was trained; none where the ledger lacks them."""
    from daxlab.analysis.answers import answers  # polars is slow to load

    with Ledger(own) as ledger:
        (row,) = ledger.rows({"key": ledger.find(key)})
        frame = answers(ledger, row["key"]).drop_nulls("answer").select("command", "answer")
    return _then(row) | {"answers": {command: " ".join(answer) for command, answer in frame.iter_rows()}}


def ladder(networks: Sequence[Facts]) -> list[str]:
    """One network for each number of composed commands: all of the kind that has most such numbers."""
    by_kind: dict[tuple[str, str, str], dict[int, str]] = {}
    for network in networks:
        if "shots" in network:
            kind = by_kind.setdefault((network["name"], network["variant"], network["dataset"]), {})
            kind.setdefault(network["shots"], network["key"])
    fullest = max(by_kind.values(), key=len, default={})
    return [fullest[shots] for shots in sorted(fullest)]


def first(networks: Sequence[Facts]) -> list[str]:
    """The networks that answer beside the reader: one of each cell that heard jump alone, and the ladder's last."""
    alone: dict[str, str] = {}
    for network in networks:
        if network.get("shots") == 0 and network["dataset"] == "scan":
            alone.setdefault(network["cell"], network["key"])
    chosen = [alone[cell] for cell in sorted(alone, reverse=True)][:2]
    return [*chosen, *[key for key in ladder(networks)[-1:] if key not in chosen]]


def page(own: Path, *, live: bool = False, report: str | None = None) -> Facts:
    """What every view needs. `live`: whether it is served, so that it can be asked again; `report`: the address of a
    report that lies beside it."""
    kept, other = networks(ledgers(own)), then(own) if live else []
    names = sorted({"scan"} | {run["dataset"] for run in [*kept, *other]})
    grammars = {name: data for name in names if isinstance(data := dataset(name), GrammarDataset)}
    return {
        "live": live,
        "report": report,
        "ledger": own.name,
        "questions": QUESTIONS,
        "languages": {name: language_facts(data.grammar) for name, data in grammars.items()},
        "vocabularies": {name: vocabulary(name) for name in grammars},
        "networks": kept,
        "then": other,
        "first": first(kept),
        "ladder": ladder(kept),
    }


def claims(own: Path) -> list[Facts]:
    """The paper's findings, and whether each holds in the ledger's runs; of one that has none, in the shipped ones."""
    from daxlab.paper.claims import claims as claimed  # polars is slow to load
    from daxlab.paper.runs import Runs

    for path in ledgers(own):
        with Ledger(path) as ledger:
            rows = claimed(Runs(ledger))
        if any(row.measured for row in rows):
            break
    parts = ("id", "experiment", "claim", "verdict", "evidence", "anchor")
    return [{part: getattr(row, part) for part in parts} for row in rows]


def runs(ledger: Ledger, where: Facts | None = None) -> Facts:
    """Every run, in brief: the settings, and of each run the number of its setting and what was measured."""
    settings: dict[str, int] = {}
    parts: list[Facts] = []
    rows = []
    for row in ledger.each_row(where):
        setting = {name: row[name] for name in ("dataset", "split", "learner", "label", "fields")}
        number = settings.setdefault(repr(setting), len(settings))
        if number == len(parts):
            parts.append(setting)
        measured = [row[name] for name in ("accuracy", "train_accuracy", "oracle_accuracy", "seconds")]
        rows.append([row["key"][:12], number, row["seed"], row["status"], *map(_rounded, measured), row["finished"]])
    columns = [
        "key",
        "setting",
        "seed",
        "status",
        "accuracy",
        "train_accuracy",
        "oracle_accuracy",
        "seconds",
        "finished",
    ]
    return {"settings": parts, "columns": columns, "runs": rows}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
