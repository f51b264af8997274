"""Parses commands with lark, and explains what is wrong with a text that is not a command."""

from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from itertools import islice
from re import finditer
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import GrammarError as LarkGrammarError, UnexpectedEOF, UnexpectedToken
from lark.lexer import Lexer
from lark.parsers.earley_forest import SymbolNode

from daxlab.errors import InputError
from daxlab.languages.derivation import TooLargeError, Tree, interpret, longest, shortest
from daxlab.languages.grammar import Grammar, Rule

END = "the end"  # shown among the words that can follow, where a command can end
TOO_DEEP = "phrases are nested more deeply than this grammar's 'recursion' allows"
MOST_WORDS = 10_000  # of a command; the longest command of the grammar may set a lower limit
MOST_WORDS_EARLEY = 200  # the same for Earley's algorithm, whose time grows with the cube of the length
MOST_MEANINGS = 1_000  # of a phrase, in an ambiguous grammar
SHOWN = 60  # characters of a long command shown on either side of an error


class CommandError(InputError):
    """A text that is not a command: what is wrong, where, and which words are possible there."""

    def __init__(self, what: str, text: str, start: int, end: int, expected: tuple[str, ...] = ()) -> None:
        self.what, self.text, self.start, self.end, self.expected = what, text, start, end, expected
        super().__init__(str(self))

    def __str__(self) -> str:
        if not self.text.strip():
            return self.what
        lines = [self.what, *("  " + line for line in _excerpt(self.text, self.start, self.end))]
        if self.expected:
            lines.append("  possible here: " + ", ".join(self.expected))
        return "\n".join(lines)


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def _excerpt(text: str, start: int, end: int) -> tuple[str, str]:
    """The text around an error, and a line of carets that mark it."""
    from rich.cells import cell_len  # loaded only for errors

    first, last = max(0, start - SHOWN), min(len(text), start + SHOWN)
    before = ("…" if first else "") + _visible(text[first:start])
    place = _visible(text[start : min(end, last)])
    after = _visible(text[min(end, last) : last]) + ("…" if last < len(text) else "")
    return before + place + after, " " * cell_len(before) + "^" * max(1, cell_len(place))


class Parser:
    """Parses the commands of one grammar.

    Uses LALR, which is many times faster, where the grammar allows it, and Earley's algorithm otherwise.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._terminals = {word: f"W{n}" for n, word in enumerate(grammar.words)}
        self._words = {terminal: word for word, terminal in self._terminals.items()} | {"$END": END}
        self._build = {name: partial(self._tree, rule) for name, rule in _numbered(grammar)}
        callbacks = type("Callbacks", (Transformer,), {name: staticmethod(f) for name, f in self._build.items()})
        rules, lexer = _lark(grammar, self._terminals), _words(self._terminals)
        make = partial(Lark, rules, start="c0", lexer=lexer, keep_all_tokens=True)
        try:
            self._lark = make(parser="lalr", strict=True, transformer=callbacks())
            self._most = longest(grammar, MOST_WORDS)
        except LarkGrammarError:  # not LALR(1)
            self._lark = make(parser="earley", ambiguity="forest")
            self._most = longest(grammar, MOST_WORDS_EARLEY)

    def parse(self, text: str) -> Tree:
        """The derivation of a command."""
        # Words beyond the length of the longest command need not be read.
        words = text.split(maxsplit=self._most + 1)
        if not words:
            raise CommandError(f"the command is empty; try {shortest(self._grammar)!r}", text, 0, 0)
        try:
            tree = self._resolved(self._lark.parse(words[: self._most + 1]))
        except _UnknownWord as error:
            raise self._unknown_word(text, error.place) from None
        except (UnexpectedToken, UnexpectedEOF) as error:
            raise self._syntax_error(text, words, error) from None
        except (_NoOneMeaning, TooLargeError) as error:
            raise CommandError(str(error), text, *_span(text)) from None
        except RecursionError:
            raise CommandError("phrases are nested too deeply to be parsed", text, *_span(text)) from None
        if len(words) > self._most:
            raise self._too_long(text)
        return tree

    def _too_long(self, text: str) -> CommandError:
        return CommandError(f"no command has more than {self._most:,} words", text, *_place(text, self._most))

    def _tree(self, rule: Rule, parts: list[Tree | Token]) -> Tree:
        """The tree of a phrase, from the trees and words that are its parts."""
        plain = tuple(part if isinstance(part, Tree) else str(part) for part in parts)
        actions = interpret(rule, [part.actions if isinstance(part, Tree) else () for part in plain])
        tree = Tree(rule.category, rule.written, actions, plain)
        if self._grammar.recursive and tree.depths[rule.category] > self._grammar.recursion + 1:
            raise _NoOneMeaning(TOO_DEEP)
        return tree

    def _resolved(self, parsed: Any) -> Tree:
        """The tree of a parse: LALR has built it; the derivations in an Earley forest must all agree on its meaning."""
        if isinstance(parsed, Tree):
            return parsed
        trees: list[Tree] = self._derived(parsed, {})
        if not trees:
            raise _NoOneMeaning(TOO_DEEP)
        if len({tree.actions for tree in trees}) > 1:
            raise _NoOneMeaning("this command is ambiguous: the grammar gives it more than one meaning")
        return trees[0]

    def _derived(self, node: Any, memo: dict[int, list[Any]]) -> list[Any]:
        """The trees of a node of the forest, one for each meaning and depth of recursion."""
        if not isinstance(node, SymbolNode):
            return [node.token]
        if id(node) not in memo:
            trees: dict[object, Tree] = {}
            for packed in node.children:
                for parts in self._sequences(packed, memo):
                    with suppress(_NoOneMeaning):
                        tree = self._build[packed.rule.alias](parts)
                        trees.setdefault((tree.actions, frozenset(tree.depths.items())), tree)
                    if len(trees) > MOST_MEANINGS:
                        raise TooLargeError(f"a phrase of this command has more than {MOST_MEANINGS:,} meanings")
            memo[id(node)] = list(trees.values())
        return memo[id(node)]

    def _sequences(self, packed: Any, memo: dict[int, list[Any]]) -> list[list[Any]]:
        """The parts of a phrase; the forest is binary, so a node to the left may hold several parts."""
        left = packed.left
        if left is None:
            before: list[list[Any]] = [[]]
        elif isinstance(left, SymbolNode) and left.is_intermediate:
            before = [sequence for inner in left.children for sequence in self._sequences(inner, memo)]
        else:
            before = [[part] for part in self._derived(left, memo)]
        last = self._derived(packed.right, memo)
        if len(before) * len(last) > MOST_MEANINGS**2:
            raise TooLargeError(f"a phrase of this command has more than {MOST_MEANINGS**2:,} derivations")
        return [[*sequence, part] for sequence in before for part in last]

    def _unknown_word(self, text: str, place: int) -> CommandError:
        start, end = _place(text, place)
        word = text[start:end][:SHOWN]
        near = get_close_matches(word.lower(), self._terminals, n=1, cutoff=0.0)[0]
        what = f"unknown word '{_visible(word)}' (word {place + 1}); the nearest known word is '{near}'"
        return CommandError(what, text, start, end)

    def _syntax_error(self, text: str, words: list[str], error: UnexpectedToken | UnexpectedEOF) -> CommandError:
        at_end = isinstance(error, UnexpectedEOF) or error.token.type == "$END"
        if at_end and len(words) > self._most:  # the end of what was read, not of the text
            return self._too_long(text)
        prefix = words if at_end else words[: error.token.start_pos]  # the index of a word (see _words)
        possible = tuple(word for terminal, word in self._words.items() if terminal in self._follows(prefix, error))
        place = len(prefix) - at_end  # the caret of an incomplete command is under its last word
        word = words[place][:SHOWN]
        what = f"the command cannot end after '{word}'" if at_end else f"unexpected word '{word}' (word {place + 1})"
        return CommandError(what, text, *_place(text, place), possible)

    def _follows(self, words: list[str], error: UnexpectedToken | UnexpectedEOF) -> set[str]:
        """The terminals that can follow these words."""
        if self._lark.options.parser == "lalr":
            # The state at the error will not do: LALR may have reduced there, for a look-ahead that it then refused.
            parser = self._lark.parse_interactive()
            for word in words:
                parser.feed_token(Token(self._terminals[word], word))
            return set(parser.accepts())  # type: ignore[no-untyped-call]
        try:
            self._lark.parse(words)
        except (UnexpectedToken, UnexpectedEOF):
            return set(error.expected)
        return {*error.expected, "$END"}


class _UnknownWord(Exception):
    def __init__(self, place: int) -> None:
        self.place = place


class _NoOneMeaning(Exception):
    """A command that parses but has no meaning, or more than one."""


def _numbered(grammar: Grammar) -> Iterator[tuple[str, Rule]]:
    """The rules, each with a name in lark's notation."""
    return ((f"r{n}", rule) for n, rule in enumerate(grammar.all_rules))


def _words(terminals: dict[str, str]) -> type[Lexer]:
    """A lexer for commands that are split into words; the position of a token is the index of its word."""

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
    rules = (f"{name}: {' | '.join(right)}" for name, right in options.items())
    return "\n".join(["%declare " + " ".join(terminals.values()), *rules])


def _span(text: str) -> tuple[int, int]:
    """The start and end of the command in the text."""
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _place(text: str, number: int) -> tuple[int, int]:
    """The start and end of a word in the text, given its index."""
    word = next(islice(finditer(r"\S+", text), number, None))
    return word.start(), word.end()
