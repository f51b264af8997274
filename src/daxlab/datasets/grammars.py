"""A grammar as a dataset: its commands, and the splits that rules, seeded draws and SCAN's release give."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from daxlab.datasets import release, rules
from daxlab.datasets.core import Dataset, Sizes, Split
from daxlab.errors import InputError
from daxlab.languages import Example, Language

ABOUT = {
    "scan": "SCAN: commands and their actions (Lake and Baroni, 2018)",
    "scan-dax": "SCAN with four new verbs, dax among them",
    "synthetic-french": "a small grammar of English sentences and their French translations",
}


class GrammarDataset(Dataset):
    """The commands of a grammar. SCAN has its published splits too."""

    families = "any length-N, size-P, simple-seedN, size-P-seedN, few-PRIMITIVE-K-repN, few-around-right-K-repN"

    def __init__(self, language: Language) -> None:
        self.grammar: Language = language
        self._published = language.name == "scan" and language.names == "release"
        if language.name == "scan":
            self.license, self.source = "bsd-3-clause", "https://github.com/brendenlake/SCAN"
        elif language.name in ABOUT:
            self.license = "mit"

    @property
    def name(self) -> str:
        return self.grammar.name

    @property
    def about(self) -> str:
        return ABOUT.get(self.name, "a grammar file")

    @property
    def digest(self) -> str:
        return self.grammar.digest

    def examples(self) -> Sequence[Example]:
        return self.grammar.commands()

    def split_names(self) -> list[str]:
        """The splits; of an infinite family, the members that the paper and the release have."""
        return [*rules.names(self.grammar), *(release.NAMES if self._published else ())]

    def split(self, name: str) -> Split:
        """The split of that name: a rule or a seeded draw; of SCAN also release/… and mcd1 to mcd3."""
        split = rules.make(name, self.grammar)
        if split is None and self._published:
            split = release.release_split(name)
        if split is None:
            foreign = not self._published and name.startswith((release.PREFIX, "mcd"))
            raise self._unknown(name, hint="published splits are of scan only" if foreign else "")
        return split

    def sizes(self, names: Sequence[str] | None = None) -> Iterator[Sizes]:
        """The sizes of splits. A published split that is not on this machine has none."""
        wanted = self.split_names() if names is None else names
        for name in wanted:
            if not (self._published and name in release.NAMES):
                with suppress(InputError):  # a language may be too small for some members of a family
                    yield self.split(name).sizes
        if self._published:
            yield from release.release_sizes(wanted)

    def asks(self, split: str) -> str:
        return rules.asks(release.ours(split), self.grammar) or release.ASKS.get(split, "")

    def probes(self) -> list[Example]:
        """Each primitive, and "P twice" where the language has it."""
        primitives = self.grammar.primitives
        commands = {example.command: example for example in self.examples()}
        twice = (commands.get(f"{example.command} twice") for example in primitives)
        return [*primitives, *(example for example in twice if example is not None)]
