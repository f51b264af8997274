"""A network in the page, to be asked: which one, its grammar, its weights. It answers in the browser (box.js)."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files

from daxlab.datasets import dataset
from daxlab.datasets.grammars import GrammarDataset
from daxlab.errors import InputError
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
    for network in sorted(networks([path]), key=lambda one: (one["split"] == ASKED, one["accuracy"]), reverse=True):
        file = weights([path], network["key"])
        assert file is not None, "only such networks are listed"
        with suppress(InputError):  # damaged weights
            content = narrowed(file.read_bytes())
            break
    else:
        return
    data = dataset(network["dataset"])
    assert isinstance(data, GrammarDataset), "only such networks are listed"
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
    yield Asked(about, examples, told_to_box.decode(), b64encode(content).decode())
