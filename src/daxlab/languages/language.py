"""A language: its commands, their meanings and their derivations, loaded by name or from a file.

Knows nothing of splits, arrays or networks.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from daxlab.errors import InputError, nearest
from daxlab.languages.derivation import Example, Examples, TooLargeError, Tree, phrases
from daxlab.languages.grammar import Grammar, read

if TYPE_CHECKING:
    from daxlab.languages.parser import Parser

MOST_BYTES = 1_000_000  # of a file
MOST_WORDS = 12  # of a language in a line
AS_DECLARED = "paper"  # the style whose names are those of the declaration


@dataclass(frozen=True, eq=False)
class Language:
    """The commands that a grammar generates, and their meanings. Load one with `daxlab.language`."""

    name: str  # the argument of `daxlab.language`: a shipped name, or a path
    names: str  # the style of the actions' names: "release", "paper", or another one that the grammar declares
    grammar: Grammar

    def __repr__(self) -> str:
        """Its name and its words.

        >>> language("scan-dax")
        Language scan-dax: and after twice thrice opposite left right turn around walk look run …
        """
        first = " ".join(self.words[:MOST_WORDS])
        return f"Language {self.name}: {first}{' …' if len(self.words) > MOST_WORDS else ''}"

    def commands(self) -> tuple[Example, ...]:
        """Every command with its actions, always in the same order."""
        return self._commands

    def translate(self, text: str) -> tuple[str, ...]:
        """The actions that a command denotes; CommandError if the text is not a command."""
        return self._parser.parse(text).actions

    def tree(self, text: str) -> Tree:
        """The derivation of a command, with the meaning of each phrase."""
        return self._parser.parse(text)

    @property
    def words(self) -> tuple[str, ...]:
        return self.grammar.words

    @property
    def actions(self) -> tuple[str, ...]:
        return self.grammar.actions

    @cached_property
    def primitives(self) -> tuple[Example, ...]:
        """For each action the shortest commands that denote it alone, such as "jump" and "turn left"."""
        alone = [(example, len(example.command.split())) for example in self.commands() if len(example.actions) == 1]
        fewest = {example.actions: words for example, words in sorted(alone, key=lambda pair: -pair[1])}
        return tuple(example for example, words in alone if words == fewest[example.actions])

    @cached_property
    def digest(self) -> str:
        """The sha256 of the rules and meanings."""
        rules = [(rule.category, rule.parts, rule.meaning) for rule in self.grammar.all_rules]
        return sha256(json.dumps((self.grammar.start, rules, self.grammar.recursion)).encode()).hexdigest()

    @cached_property
    def _commands(self) -> tuple[Example, ...]:
        try:
            examples = phrases(self.grammar)
        except TooLargeError as error:
            change = f"lower 'recursion {self.grammar.recursion}'" if self.grammar.recursive else "remove some rules"
            raise InputError(f"{self.name} is too large to list: {error}; {change}") from None
        meanings: dict[str, tuple[str, ...]] = {}
        for example in examples:
            if meanings.setdefault(example.command, example.actions) != example.actions:
                raise InputError(f"{self.name} gives {example.command!r} more than one meaning")
        return Examples(Example(*meaning) for meaning in meanings.items())

    @cached_property
    def _parser(self) -> "Parser":
        from daxlab.languages.parser import Parser  # lark is slow to load

        return Parser(self.grammar)


def language(name: str, names: str = "release") -> Language:
    """Load a language by its name ("scan", "scan-dax") or from a .grammar file.

    `names` is the style of the actions' names: "release" (I_JUMP, I_TURN_LEFT) or "paper" (JUMP, LTURN).
    """
    if name in shipped():
        return _read(name, shipped()[name], names)
    path = Path(name)
    if path.suffix != ".grammar" and not path.exists():
        hint = nearest(name, shipped())
        raise InputError(f"no language is called {name!r}, and there is no file {path.absolute()}; {hint}")
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"{name} is not a grammar: it is larger than {MOST_BYTES:,} bytes")
        return _read(name, content.decode("utf-8-sig"), names)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read the language {name}: {reason}") from None


@cache
def shipped() -> Mapping[str, str]:
    """The declarations of the languages that are part of daxlab, by name."""
    files = (file for file in resources.files("daxlab.languages").iterdir() if file.name.endswith(".grammar"))
    return dict(sorted((file.name.removesuffix(".grammar"), file.read_text()) for file in files))


@lru_cache(maxsize=16)  # a language keeps all its commands in memory
def _read(name: str, declaration: str, style: str) -> Language:
    grammar = read(declaration, name, shipped())
    styles = [*grammar.names, AS_DECLARED]
    if style not in styles and style != "release":
        raise InputError(f"{name} has no names called {style!r} for its actions; {nearest(style, styles)}")
    return Language(name, style, grammar.renamed(grammar.names.get(style, {})))
