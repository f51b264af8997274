"""From the words of a command to its derivation, by lark; and what to say when there is none.

Knows grammars and text. Knows nothing of where commands come from or who reads the message.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import partial
from itertools import islice
from re import finditer
from typing import Any, Generic, TypeVar

from lark import Lark, Token, Transformer
from lark import Tree as Forest
from lark.exceptions import GrammarError as LarkGrammarError
from lark.exceptions import UnexpectedEOF, UnexpectedToken
from lark.lexer import Lexer

from daxlab.errors import InputError
from daxlab.languages.derivation import Tree, longest, shortest
from daxlab.languages.grammar import Grammar, Rule

T = TypeVar("T")
END = "the end"  # what may follow a command that could stop here
SHOWN = 60  # characters of a long command shown around the place where it breaks


class CommandError(InputError):
    """A text that is no command: what is wrong, where it stands, and what could stand there."""

    def __init__(self, what: str, text: str, start: int, end: int, expected: tuple[str, ...] = ()) -> None:
        self.what, self.text, self.start, self.end, self.expected = what, text, start, end, expected
        super().__init__(str(self))

    def __str__(self) -> str:
        if not self.text.strip():
            return self.what
        lines = [self.what, *("  " + line for line in _pointed(self.text, self.start, self.end))]
        if self.expected:
            lines.append("  what could: " + ", ".join(self.expected))
        return "\n".join(lines)


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def _pointed(text: str, start: int, end: int) -> tuple[str, str]:
    """The part of the text around a place, and a line of carets under the place."""
    from rich.cells import cell_len  # noqa: PLC0415 - only a wrong command pays for it

    first, last = max(0, start - SHOWN), min(len(text), start + SHOWN)
    before = ("…" if first else "") + _visible(text[first:start])
    place = _visible(text[start : min(end, last)])
    after = _visible(text[min(end, last) : last]) + ("…" if last < len(text) else "")
    return before + place + after, " " * cell_len(before) + "^" * max(1, cell_len(place))


class Parser(Generic[T]):
    """Parses the commands of one grammar; `build(rule, parts)` makes a value: a Tree, or the actions.

    LALR where the grammar allows it, which is many times faster; Earley where it does not.
    """

    def __init__(self, grammar: Grammar, build: Callable[[Rule, list[Any]], T]) -> None:
        self._longest = longest(grammar)
        self._example = shortest(grammar)
        self._terminals = {word: f"W{n}" for n, word in enumerate(grammar.words)}
        self._words = {terminal: word for word, terminal in self._terminals.items()} | {"$END": END}
        if grammar.recursive:
            self._build = {name: _bounded(partial(build, rule), rule, grammar) for name, rule in _numbered(grammar)}
        else:
            self._build = {name: partial(build, rule) for name, rule in _numbered(grammar)}
        self._finish = _innermost if grammar.recursive else _itself
        self._lark = self._lalr(grammar) or self._earley(grammar)

    def parse(self, text: str) -> T:
        """The value of a command."""
        # No command is longer than the longest: of a text of any size, the words up to there tell all.
        words = text.split(maxsplit=self._longest + 1)
        if not words:
            raise CommandError(f"the command is empty; try {self._example!r}", text, 0, 0)
        try:
            value: T = self._finish(self._resolved(self._lark.parse(words[: self._longest + 1])))
        except _UnknownWord as error:
            raise self._unknown(text, error.place) from None
        except (UnexpectedToken, UnexpectedEOF) as error:
            raise self._broken(text, words, error) from None
        except _NoOneMeaning as error:
            raise CommandError(str(error), text, *_place(text, 0)) from None
        if len(words) > self._longest:
            where = _place(text, self._longest)
            raise CommandError(f"no command has more than {self._longest} words", text, *where)
        return value

    def _lalr(self, grammar: Grammar) -> Lark | None:
        callbacks = type("Callbacks", (Transformer,), {name: staticmethod(f) for name, f in self._build.items()})
        try:
            return self._made(grammar, parser="lalr", strict=True, transformer=callbacks())
        except LarkGrammarError:  # not LALR(1)
            return None

    def _earley(self, grammar: Grammar) -> Lark:
        return self._made(grammar, parser="earley", ambiguity="explicit")

    def _made(self, grammar: Grammar, **options: Any) -> Lark:
        declaration = _lark(grammar, self._terminals)
        return Lark(declaration, start="c0", lexer=_words(self._terminals), keep_all_tokens=True, **options)

    def _resolved(self, value: Any) -> Any:
        """LALR has called `build` already; of an Earley forest, the value on which all derivations agree."""
        if not isinstance(value, Forest):
            return value
        parts = [self._resolved(child) for child in value.children]
        if value.data != "_ambig":
            return self._build[str(value.data)](parts)
        first, *others = (_actions(self._finish(part)) for part in parts)
        if any(other != first for other in others):
            raise _NoOneMeaning("the grammar gives this command more than one meaning")
        return parts[0]

    def _unknown(self, text: str, place: int) -> CommandError:
        start, end = _place(text, place)
        word = text[start:end][:SHOWN]
        near = get_close_matches(word.lower(), self._terminals, n=1, cutoff=0.0)[0]
        what = f"unknown word '{_visible(word)}' (word {place + 1}); the nearest known word is '{near}'"
        return CommandError(what, text, start, end)

    def _broken(self, text: str, words: list[str], error: UnexpectedToken | UnexpectedEOF) -> CommandError:
        expected = set(getattr(error, "accepts", None) or error.expected)
        at_end = isinstance(error, UnexpectedEOF) or error.token.type == "$END"
        place = min(len(words), self._longest + 1) - 1 if at_end else _number(error.token)
        if not at_end and self._stops(words[:place]):
            expected.add("$END")
        could = tuple(word for terminal, word in self._words.items() if terminal in expected)
        word = words[place][:SHOWN]
        what = f"the command cannot stop after '{word}'" if at_end else f"'{word}' cannot stand here (word {place + 1})"
        return CommandError(what, text, *_place(text, place), could)

    def _stops(self, words: list[str]) -> bool:
        try:
            self._lark.parse(words)
        except (UnexpectedToken, UnexpectedEOF, _NoOneMeaning):
            return False
        return True


class _UnknownWord(Exception):
    def __init__(self, place: int) -> None:
        self.place = place


class _NoOneMeaning(Exception):
    """A command that parses and yet means nothing, or more than one thing."""


# In a recursive grammar a value travels with how deep each category stands inside itself.


def _bounded(build: Callable[[list[Any]], Any], rule: Rule, grammar: Grammar) -> Callable[[list[Any]], Any]:
    def bounded(parts: list[Any]) -> tuple[Any, Counter[str]]:
        depth: Counter[str] = Counter()
        for part in parts:
            if isinstance(part, tuple):
                depth |= part[1]
        depth[rule.category] += 1
        if rule.category in grammar.recursive and depth[rule.category] > grammar.recursion + 1:
            raise _NoOneMeaning(f"{rule.category} stands inside itself more often than this grammar's recursion allows")
        return build([part[0] if isinstance(part, tuple) else part for part in parts]), depth

    return bounded


def _innermost(value: Any) -> Any:
    return value[0]


def _itself(value: Any) -> Any:
    return value


def _actions(value: Any) -> Any:
    return value.actions if isinstance(value, Tree) else value


def _numbered(grammar: Grammar) -> Iterator[tuple[str, Rule]]:
    """The rules, each with a name that lark takes."""
    rules = (rule for some in grammar.rules.values() for rule in some)
    return ((f"r{n}", rule) for n, rule in enumerate(rules))


def _words(terminals: dict[str, str]) -> type[Lexer]:
    """A lexer for commands already split into words; a token's position is the number of its word."""

    class Words(Lexer):
        __future_interface__ = 2

        def __init__(self, _: object) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
            for place, word in enumerate(lexer_state.text):
                terminal = terminals.get(word)
                if terminal is None:
                    raise _UnknownWord(place)
                yield Token(terminal, word, place)

    return Words


def _lark(grammar: Grammar, terminals: dict[str, str]) -> str:
    """The grammar in lark's notation; c0 is the category of whole commands."""
    category = {name: f"c{n}" for n, name in enumerate(grammar.rules)}
    options: dict[str, list[str]] = {}
    for name, rule in _numbered(grammar):
        parts = " ".join(category.get(part) or terminals[part] for part in rule.parts)
        options.setdefault(category[rule.category], []).append(f"{parts} -> {name}")
    rules = (f"{name}: {' | '.join(some)}" for name, some in options.items())
    return "\n".join(["%declare " + " ".join(terminals.values()), *rules])


def _number(token: Token) -> int:
    """The number of a token's word, which the lexer gave as its position."""
    return token.start_pos or 0


def _place(text: str, number: int) -> tuple[int, int]:
    """Where in the text a word stands."""
    word = next(islice(finditer(r"\S+", text), number, None))
    return word.start(), word.end()
