"""A network in the page, to be asked: which one, its grammar, its weights. It answers in the browser (box.js)."""

from base64 import b64encode
from collections.abc import Iterator
from importlib.resources import files

from daxlab.datasets import dataset
from daxlab.datasets.grammars import GrammarDataset
from daxlab.report import text
from daxlab.report.blocks import Asked, Block, Section
from daxlab.report.facts import Facts
from daxlab.web.bundle import compact, joined, static
from daxlab.web.content import language_facts, networks, vocabulary, weights
from daxlab.web.half import narrowed

ASKED = "jump"  # the split of the paper's question: its networks are asked first
EXAMPLES = ("jump", "jump twice", "walk and jump", "run around left twice", "left and and walk")
DRAWN = 3  # examples of another grammar


def script() -> str:
    """What computes in the page: the box with the modules that it needs, as one."""
    modules = {name: part.decode() for name, part in static().items() if name.endswith(".js")}
    return joined(modules | {"box.js": (files("daxlab.report") / "box.js").read_text(encoding="utf-8")}, "box.js")


def section(facts: Facts) -> Section:
    """The box; nothing in it where no network of the ledger has weights and a grammar."""
    return Section("ask-it", "Ask it", list(_box(facts)))


def _box(facts: Facts) -> Iterator[Block]:
    path = facts.ledger.path
    found = networks([path])
    if not found:
        return
    network = max(found, key=lambda network: (network["split"] == ASKED, network["accuracy"]))
    file, data = weights([path], network["key"]), dataset(network["dataset"])
    assert file is not None and isinstance(data, GrammarDataset), "only such networks are listed"
    told = f" It was told {network['told']}." if network["told"] else ""
    kind = ", ".join(filter(None, (network["name"], network["variant"])))
    about = (
        f"{kind}: trained on {network['split']}, right on {text.percent(network['accuracy'])}% of its test commands "
        f"(run {network['key'][:12]}).{told} It computes here, in your browser; nothing is sent."
    )
    examples: tuple[str, ...] = EXAMPLES
    if network["dataset"] != "scan":
        commands = [example.command for example in data.examples()]
        examples = tuple(commands[n * len(commands) // DRAWN] for n in range(DRAWN))
    told_to_box = compact({"language": language_facts(data.grammar), "vocabulary": vocabulary(network["dataset"])})
    yield Asked(about, examples, told_to_box.decode(), b64encode(narrowed(file.read_bytes())).decode())
