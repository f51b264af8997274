"""A grammar as a dataset: its commands, and the splits that rules, seeded draws and SCAN's release give."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from daxlab.datasets import release, rules
from daxlab.datasets.core import Dataset, Sizes, Split
from daxlab.datasets.source import find
from daxlab.errors import InputError
from daxlab.languages import Example, Language
from daxlab.languages.language import shipped

ABOUT = {
    "scan": "SCAN: commands and their actions (Lake and Baroni, 2018)",
    "scan-dax": "SCAN with four new verbs, dax among them",
    "synthetic-french": "a small grammar of English sentences and their French translations",
}


class GrammarDataset(Dataset):
    """The commands of a grammar. SCAN has its published splits too."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._published = language.name == "scan" and language.names == "release"

    @property
    def name(self) -> str:
        """The grammar's name, or its file."""
        return self._language.name

    @property
    def about(self) -> str:
        """Where the grammar comes from."""
        return ABOUT.get(self.name, "a grammar that comes with daxlab" if self.name in shipped() else "a grammar file")

    @property
    def digest(self) -> str:
        """A sha256 of the rules and meanings."""
        return self._language.digest

    @property
    def grammar(self) -> Language:
        """The grammar."""
        return self._language

    def examples(self) -> Sequence[Example]:
        """Every command with its actions."""
        return self._language.commands()

    def split_names(self) -> list[str]:
        """The splits; of an infinite family, the members that the paper and the release have."""
        return list(self._names)

    @cached_property
    def _names(self) -> list[str]:
        return [*rules.names(self._language), *(release.NAMES if self._published else ())]

    @property
    def families(self) -> str:
        """Names with other numbers."""
        return "any length-N, size-P, simple-seedN, size-P-seedN, few-PRIMITIVE-K-repN, few-around-right-K-repN"

    def split(self, name: str) -> Split:
        """The split of that name: a rule or a seeded draw; of SCAN also release/… and mcd1 to mcd3."""
        split = rules.make(name, self._language)
        if split is None and self._published:
            split = release.release_split(name)
        if split is None:
            foreign = not self._published and name.startswith((release.PREFIX, "mcd"))
            raise self._unknown(name, hint="published splits are of scan only" if foreign else "")
        return split

    def sizes(self) -> Iterator[Sizes]:
        """The sizes of every split. A published split that is not on this machine has none."""
        names = self.split_names()
        here = self._published and find(release.SCAN) is not None
        for name in names:
            if name in release.MCD_NAMES and not (here and find(release.MCD)):
                yield Sizes(name, "file")
            elif not name.startswith(release.PREFIX):
                try:
                    split = self.split(name)
                except InputError:  # a language may be too small for some members of a family
                    if name in release.NAMES:
                        raise
                    continue
                tests = {test: len(examples) for test, examples in split.tests.items()}
                yield Sizes(name, split.origin, split.presentations, len(split.train), tests)
        published = [name for name in names if name.startswith(release.PREFIX)]
        if here:
            yield from release.release_sizes(published)
        else:
            yield from (Sizes(name, "file") for name in published)

    def probes(self) -> list[Example]:
        """Each primitive, and "P twice" where the language has it."""
        return list(self._probes)

    @cached_property
    def _probes(self) -> list[Example]:
        primitives = self._language.primitives
        commands = {example.command: example for example in self.examples()}
        twice = (commands.get(f"{example.command} twice") for example in primitives)
        return [*primitives, *(example for example in twice if example is not None)]
