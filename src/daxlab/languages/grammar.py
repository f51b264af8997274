"""Reads a declaration of a language: phrase-structure rules, and what each construction means.

The notation is that of the two figures in the paper's supplement; scan.grammar is the example to read.
Here a text becomes rules, every one checked. Nothing here knows how to enumerate or to parse commands.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from daxlab.errors import InputError

MOST_RECURSION = 50  # deeper languages are larger than anything one could learn from
ANY = "any"  # the variable may stand for a phrase of any category


class GrammarError(InputError):
    """A declaration that cannot be read, with the line to mend."""


@dataclass(frozen=True)
class Rule:
    """One way to build a category, and the meaning of what is built."""

    category: str
    parts: tuple[str, ...]  # categories and words, D[1] and D[2] already replaced by what D is made of
    written: str  # the right side as the declaration has it
    meaning: tuple[str | int, ...]  # actions, and places in `parts` whose meaning goes there


@dataclass(frozen=True)
class Grammar:
    """A language as data: the rules of the category that comes first are its commands."""

    start: str
    rules: Mapping[str, tuple[Rule, ...]]  # category -> its rules
    recursion: int  # how often a category may stand inside itself
    names: Mapping[str, Mapping[str, str]]  # a style of writing -> action -> how that style writes it

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the language, in the order of the rules."""
        parts = (part for rules in self.rules.values() for rule in rules for part in rule.parts)
        return tuple(dict.fromkeys(part for part in parts if part not in self.rules))

    @property
    def recursive(self) -> frozenset[str]:
        """The categories that can stand inside themselves."""
        return frozenset(category for category in self.rules if category in self.below(category))

    def below(self, category: str) -> frozenset[str]:
        """Every category that a phrase of this category can contain."""
        return _closure(
            category,
            {
                name: {part for rule in rules for part in rule.parts if part in self.rules}
                for name, rules in self.rules.items()
            },
        )


@dataclass(frozen=True)
class _Line:
    """A line of the declaration, and where it stands."""

    number: int
    text: str
    source: str

    def error(self, what: str) -> GrammarError:
        return GrammarError(f"{self.source}, line {self.number}: {what}")


@dataclass
class _Draft:
    """A declaration as written, before its rules and meanings are brought together."""

    productions: list[tuple[str, tuple[str, ...], _Line]] = field(default_factory=list)
    variables: dict[str, frozenset[str]] = field(default_factory=dict)
    meanings: dict[tuple[str, ...], tuple[str, _Line]] = field(default_factory=dict)
    forms: dict[tuple[str, str], tuple[str, _Line]] = field(default_factory=dict)  # a category, a word of it
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    recursion: int = 0


def read(text: str, source: str, base: Mapping[str, str]) -> Grammar:
    """The grammar that `text` declares; `base` has the declarations that it may extend, by name."""
    return _Builder(_draft(text, source, base), source).grammar()


# From text to a draft.

_HEADER = re.compile(r"(grammar|meaning|names\s+(?P<style>\S+))\s*:$")


def _lines(text: str, source: str) -> Iterator[_Line]:
    for number, line in enumerate(text.splitlines(), 1):
        content = re.sub(r"(^|\s)#.*", "", line).strip()
        if content:
            yield _Line(number, content, source)


def _draft(text: str, source: str, base: Mapping[str, str]) -> _Draft:
    draft, section, style = _Draft(), "", ""
    for line in _lines(text, source):
        header = _HEADER.match(line.text)
        if header:
            section, style = header[1].split()[0], header["style"] or ""
        elif not section:
            draft = _preamble(draft, line, base)
        elif section == "grammar":
            _production(draft, line)
        elif section == "meaning":
            _meaning(draft, line)
        else:
            action, name = _two(line, "=", "an action and its name, as in WALK = I_WALK")
            draft.names.setdefault(style, {})[action] = name
    return draft


def _preamble(draft: _Draft, line: _Line, base: Mapping[str, str]) -> _Draft:
    match line.text.split():
        case ["extends", name]:
            if draft.productions:
                raise line.error("a language extends one other")
            if name not in base:
                raise line.error(f"no language is called {name!r}; there are {', '.join(sorted(base))}")
            extended = _draft(base[name], name, base)
            return replace(extended, recursion=draft.recursion or extended.recursion)
        case ["recursion", number] if re.fullmatch("[1-9][0-9]*", number):
            if len(number) > 2 or int(number) > MOST_RECURSION:
                raise line.error(f"a category may stand inside itself at most {MOST_RECURSION} times, not {number}")
            return replace(draft, recursion=int(number))
    raise line.error("expected 'extends NAME', 'recursion N', or a section: 'grammar:', 'meaning:', 'names STYLE:'")


def _two(line: _Line, mark: str, form: str) -> tuple[str, str]:
    left, found, right = line.text.partition(mark)
    if not found or not left.strip() or not right.strip():
        raise line.error(f"expected {form}")
    return left.strip(), right.strip()


def _production(draft: _Draft, line: _Line) -> None:
    category, right = _two(line, "->", "a rule, as in C -> S and S")
    if not category.isidentifier():
        raise line.error(f"{category!r} is no name for a category (letters, digits and _)")
    draft.productions.append((category, tuple(right.split()), line))


def _meaning(draft: _Draft, line: _Line) -> None:
    declared = re.fullmatch(r"(?P<names>[^\[\]=]+?)\s+in\s+(?P<domain>[^\[\]=]+)", line.text)
    if declared:
        domain = frozenset(re.split(r"[,\s]+", declared["domain"].strip()))
        draft.variables |= dict.fromkeys(re.split(r"[,\s]+", declared["names"].strip()), domain)
        return
    left, right = _two(line, "=", "a meaning, as in [[x twice]] = [[x]] [[x]]")
    form = re.fullmatch(r"\[\[(?P<word>[^\s\[\]]+)\]\]\s+in\s+(?P<category>\w+)", left)
    if form:
        _form(draft, (form["category"], form["word"]), right, line)
        return
    phrase = re.fullmatch(r"\[\[(.+?)\]\]", left)
    if not phrase:
        raise line.error("the left side of a meaning is one phrase in double brackets, as in [[x twice]]")
    pattern = tuple(phrase[1].split())
    if pattern in draft.meanings:
        raise line.error(f"[[{' '.join(pattern)}]] already has a meaning")
    draft.meanings[pattern] = (right, line)


def _form(draft: _Draft, form: tuple[str, str], right: str, line: _Line) -> None:
    """[[tired]] in F = fatiguee: what a word means as one of a category, where elsewhere it means something else."""
    if form in draft.forms:
        raise line.error(f"[[{form[1]}]] in {form[0]} already has a meaning")
    if "[[" in right:
        raise line.error("what a word means in a category is written out, without [[ ]]")
    draft.forms[form] = (right, line)


# From a draft to rules.


class _Variable(NamedTuple):
    """On the right side of a meaning: here goes what this variable means."""

    name: str


@dataclass
class _Builder:
    """Works out the infixes, finds each rule its meaning, and checks that nothing is left over."""

    draft: _Draft
    source: str
    used: set[tuple[str, ...]] = field(default_factory=set)  # the patterns that have served
    formed: set[tuple[str, str]] = field(default_factory=set)  # and the forms

    def grammar(self) -> Grammar:
        if not self.draft.productions:
            raise GrammarError(f"{self.source}: no rules; a declaration has a section 'grammar:'")
        rules: dict[str, list[Rule]] = {category: [] for category, _, _ in self.draft.productions}
        for category, parts, line in self.draft.productions:
            for plain in self._infixed(parts, line):
                rule = Rule(category, plain, " ".join(parts), self._meaning_of(category, plain, line))
                if any(other.parts == rule.parts for other in rules[category]):
                    raise line.error(f"{category} -> {' '.join(plain)} stands here twice")
                rules[category].append(rule)
        grammar = Grammar(
            start=self.draft.productions[0][0],
            rules=MappingProxyType({category: tuple(some) for category, some in rules.items()}),
            recursion=self.draft.recursion,
            names=MappingProxyType({style: MappingProxyType(names) for style, names in self.draft.names.items()}),
        )
        _check(grammar, self.source)
        self._check_leftovers(grammar)
        return grammar

    def _check_leftovers(self, grammar: Grammar) -> None:
        """What is declared here and touches nothing is a slip of the pen."""
        for pattern, (_, line) in self.draft.meanings.items():
            if pattern not in self.used and line.source == self.source:
                raise line.error(f"no rule builds anything that {_brackets(pattern)} could be the meaning of")
        for (category, word), (_, line) in self.draft.forms.items():
            if (category, word) not in self.formed and line.source == self.source:
                raise line.error(f"there is no rule {category} -> {word} for this meaning")
        domains = set().union(*self.draft.variables.values()) - {ANY} - set(grammar.rules)
        if domains:
            raise GrammarError(f"{self.source}: a variable is in {sorted(domains)[0]}, which is no category")
        clash = set(grammar.words) & set(self.draft.variables)
        if clash:
            raise GrammarError(f"{self.source}: {sorted(clash)[0]!r} is both a word and a variable; rename one")
        rules = (rule for some in grammar.rules.values() for rule in some)
        actions = {item for rule in rules for item in rule.meaning if isinstance(item, str)}
        for style, names in self.draft.names.items():
            for action, name in names.items():
                if action not in actions:
                    raise GrammarError(f"{self.source}: names {style}: no command means {action}")
                if len(name.split()) != 1:
                    raise GrammarError(f"{self.source}: names {style}: {name!r} is not one word")
            if len(set(names.values())) < len(names):
                raise GrammarError(f"{self.source}: names {style}: two actions have the same name")

    def _infixed(self, parts: tuple[str, ...], line: _Line) -> list[tuple[str, ...]]:
        """D[1] opposite D[2] stands for as many rules as D has: U opposite left, turn opposite left, …"""
        places = {n: re.fullmatch(r"(\w+)\[([1-9])\]", part) for n, part in enumerate(parts)}
        marks = {n: (place[1], int(place[2])) for n, place in places.items() if place}
        if not marks:
            return [parts]
        category = next(iter(marks.values()))[0]
        if [mark for _, mark in sorted(marks.items())] != [(category, n + 1) for n in range(len(marks))]:
            raise line.error(f"an infix takes one category apart, in order, as in {category}[1] opposite {category}[2]")
        inner = [right for left, right, _ in self.draft.productions if left == category and len(right) == len(marks)]
        if not inner:
            raise line.error(f"{category} has no rule with {len(marks)} parts")
        return [tuple(some[marks[n][1] - 1] if n in marks else part for n, part in enumerate(parts)) for some in inner]

    def _meaning_of(self, category: str, parts: tuple[str, ...], line: _Line) -> tuple[str | int, ...]:
        if len(parts) == 1 and (category, parts[0]) in self.draft.forms:
            self.formed.add((category, parts[0]))
            return tuple(self.draft.forms[category, parts[0]][0].split())
        categories = {category for category, _, _ in self.draft.productions}
        found = [pattern for pattern in self.draft.meanings if self._matches(pattern, parts, categories)]
        if len(found) > 1:
            raise line.error(f"{' '.join(parts)!r} has two meanings: " + " and ".join(map(_brackets, found)))
        if found:
            value = self._value(found[0])
            return tuple(found[0].index(item.name) if isinstance(item, _Variable) else item for item in value)
        if len(parts) == 1 and parts[0] in categories:
            return (0,)  # C -> S means what S means
        raise line.error(f"no meaning for {' '.join(parts)!r}: add [[{' '.join(parts)}]] = … under 'meaning:'")

    def _matches(self, pattern: tuple[str, ...], parts: tuple[str, ...], categories: set[str]) -> bool:
        if len(pattern) != len(parts):
            return False
        for mark, part in zip(pattern, parts, strict=True):
            domain = self.draft.variables.get(mark)
            fits = mark == part if domain is None else part in categories and bool(domain & {ANY, part})
            if not fits:
                return False
        return True

    def _value(self, pattern: tuple[str, ...], within: tuple[tuple[str, ...], ...] = ()) -> list[str | _Variable]:
        """The right side of a meaning, phrases without variables worked out."""
        right, line = self.draft.meanings[pattern]
        self.used.add(pattern)
        if pattern in within:
            raise line.error(f"the meaning of {_brackets(pattern)} goes round in a circle")
        if len({mark for mark in pattern if mark in self.draft.variables}) < sum(
            mark in self.draft.variables for mark in pattern
        ):
            raise line.error(f"{_brackets(pattern)} names a variable twice; use two, as in [[x1 and x2]]")
        value: list[str | _Variable] = []
        for inner, action in re.findall(r"\[\[(.*?)\]\]|(\S+)", right):
            if action and re.search(r"\[\[|\]\]", action):
                raise line.error("brackets that do not pair up")
            phrase = tuple(inner.split())
            if action:
                value.append(action)
            elif len(phrase) == 1 and phrase[0] in pattern and phrase[0] in self.draft.variables:
                value.append(_Variable(phrase[0]))
            elif phrase in self.draft.meanings and not set(phrase) & set(self.draft.variables):
                value.extend(self._value(phrase, (*within, pattern)))
            else:
                raise line.error(
                    f"{_brackets(phrase)} is neither a variable of the left side nor a phrase with a meaning"
                )
        return value


def _brackets(phrase: tuple[str, ...]) -> str:
    return f"[[{' '.join(phrase)}]]"


def _closure(category: str, steps: Mapping[str, set[str]]) -> frozenset[str]:
    seen: set[str] = set()
    ahead = list(steps[category])
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            ahead.extend(steps[name])
    return frozenset(seen)


def _check(grammar: Grammar, source: str) -> None:
    """A category that is never used, never ends or only renames itself is a mistake in the declaration."""
    unused = set(grammar.rules) - grammar.below(grammar.start) - {grammar.start}
    if unused:
        raise GrammarError(f"{source}: no command contains the category {', '.join(sorted(unused))}")
    renames = {
        category: {rule.parts[0] for rule in rules if len(rule.parts) == 1 and rule.parts[0] in grammar.rules}
        for category, rules in grammar.rules.items()
    }
    for category in grammar.rules:
        if category in _closure(category, renames):
            raise GrammarError(
                f"{source}: {category} can be rewritten as itself, so its commands have no one derivation"
            )
    ends: set[str] = set()
    while True:
        more = {
            category
            for category, rules in grammar.rules.items()
            if any(all(part in ends or part not in grammar.rules for part in rule.parts) for rule in rules)
        }
        if more == ends:
            break
        ends = more
    if set(grammar.rules) - ends:
        raise GrammarError(
            f"{source}: the rules of {', '.join(sorted(set(grammar.rules) - ends))} never come to an end"
        )
    if grammar.recursive and not grammar.recursion:
        raise GrammarError(
            f"{source}: {', '.join(sorted(grammar.recursive))} can stand inside itself without end; "
            "add a line 'recursion N' before the sections (how often it may)"
        )
