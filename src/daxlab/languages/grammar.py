"""Reads the declaration of a language: phrase-structure rules, and the meaning of each construction.

The notation is that of the two figures in the paper's supplement; scan.grammar is the example to read. This file
turns text into checked rules. It neither enumerates nor parses commands.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from daxlab.errors import InputError, nearest

MOST_RECURSION = 50  # a deeper language is too large to learn from
MOST_RULES = 10_000
MOST_CATEGORIES = 1_000
MOST_DEPTH = 300  # of a derivation tree; Python's own limit on recursion is 1,000 calls
MOST_MEANING = 1_000  # actions and variables on the right side of a meaning
ANY = "any"  # the domain of a variable that stands for a phrase of any category


class GrammarError(InputError):
    """A declaration that cannot be read; the message names the line to change."""


@dataclass(frozen=True)
class Rule:
    """One way to build a category, and the meaning of the phrase."""

    category: str
    parts: tuple[str, ...]  # categories and words, with D[1] and D[2] replaced by the parts of D
    written: str  # the right side as the declaration has it
    meaning: tuple[str | int, ...]  # actions, and indices into `parts` whose meaning goes there


@dataclass(frozen=True)
class Grammar:
    """The rules of a language; the first category is that of whole commands."""

    start: str
    rules: Mapping[str, tuple[Rule, ...]]  # category -> its rules
    recursion: int  # how often a category may occur inside itself
    names: Mapping[str, Mapping[str, str]]  # style -> action -> its name in that style

    def __repr__(self) -> str:
        return f"Grammar of {self.start}: {sum(map(len, self.rules.values())):,} rules, {len(self.words):,} words"

    @property
    def all_rules(self) -> Iterator[Rule]:
        """The rules of all categories."""
        return chain.from_iterable(self.rules.values())

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the language, in the order of the rules."""
        parts = (part for rule in self.all_rules for part in rule.parts)
        return tuple(dict.fromkeys(part for part in parts if part not in self.rules))

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that its commands denote, in the order of the rules."""
        items = (item for rule in self.all_rules for item in rule.meaning)
        return tuple(dict.fromkeys(item for item in items if isinstance(item, str)))

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The categories that can occur inside themselves."""
        return frozenset(category for category in self.rules if category in self.below(category))

    @cached_property
    def shortest(self) -> Mapping[str, tuple[int, Rule]]:
        """Of each category whose phrases end: the fewest words that a phrase has, and the rule that gives them."""
        shortest: dict[str, tuple[int, Rule]] = {}
        users: dict[str, list[Rule]] = {category: [] for category in self.rules}
        for rule in self.all_rules:
            for part in self.rules.keys() & set(rule.parts):
                users[part].append(rule)
        ahead = deque(self.all_rules)
        while ahead:
            rule = ahead.popleft()
            if all(part in shortest or part not in self.rules for part in rule.parts):
                words = sum(shortest[part][0] if part in shortest else 1 for part in rule.parts)
                if rule.category not in shortest or words < shortest[rule.category][0]:
                    shortest[rule.category] = (words, rule)
                    ahead.extend(users[rule.category])
        return shortest

    def renamed(self, names: Mapping[str, str]) -> "Grammar":
        """The grammar with other names for some actions."""

        def rename(rule: Rule) -> Rule:
            meaning = tuple(names.get(item, item) if isinstance(item, str) else item for item in rule.meaning)
            return replace(rule, meaning=meaning)

        return replace(self, rules={category: tuple(map(rename, rules)) for category, rules in self.rules.items()})

    def below(self, category: str) -> frozenset[str]:
        """Every category that a phrase of this category can contain."""
        return _reachable(category, self._children)

    @cached_property
    def _children(self) -> Mapping[str, set[str]]:
        return {
            category: {part for rule in rules for part in rule.parts if part in self.rules}
            for category, rules in self.rules.items()
        }


@dataclass(frozen=True)
class _Line:
    """A line of a declaration, with its number and file."""

    number: int
    text: str
    source: str

    def error(self, message: str) -> GrammarError:
        return GrammarError(f"{self.source}, line {self.number}: {message}")


@dataclass
class _Draft:
    """A declaration as written, before each rule is given its meaning."""

    productions: list[tuple[str, tuple[str, ...], _Line]] = field(default_factory=list)
    variables: dict[str, frozenset[str]] = field(default_factory=dict)
    meanings: dict[tuple[str, ...], tuple[str, _Line]] = field(default_factory=dict)
    forms: dict[tuple[str, str], tuple[str, _Line]] = field(default_factory=dict)  # (category, word) -> its meaning
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    recursion: int = 0


def read(text: str, source: str, base: Mapping[str, str]) -> Grammar:
    """The grammar that `text` declares; `base` maps names to the declarations that it may extend."""
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
            action, name = _sides(line, "=", "an action and its name, as in WALK = I_WALK")
            draft.names.setdefault(style, {})[action] = name
    return draft


def _preamble(draft: _Draft, line: _Line, base: Mapping[str, str]) -> _Draft:
    match line.text.split():
        case ["extends", name]:
            if draft.productions:
                raise line.error("a language can extend only one other")
            if name not in base:
                raise line.error(f"no language is called {name!r}; {nearest(name, sorted(base))}")
            extended = _draft(base[name], name, base)
            return replace(extended, recursion=draft.recursion or extended.recursion)
        case ["recursion", number] if re.fullmatch("[1-9][0-9]*", number):
            if len(number) > 2 or int(number) > MOST_RECURSION:
                shown = number if len(number) < 10 else f"{number[:9]}…"
                raise line.error(f"a category can occur inside itself at most {MOST_RECURSION} times, not {shown}")
            return replace(draft, recursion=int(number))
    raise line.error("expected 'extends NAME', 'recursion N', or a section: 'grammar:', 'meaning:', 'names STYLE:'")


def _sides(line: _Line, mark: str, form: str) -> tuple[str, str]:
    left, _, right = line.text.partition(mark)
    if not left.strip() or not right.strip():
        raise line.error(f"expected {form}")
    return left.strip(), right.strip()


def _production(draft: _Draft, line: _Line) -> None:
    category, right = _sides(line, "->", "a rule, as in C -> S and S")
    if not category.isidentifier():
        raise line.error(f"{category!r} cannot name a category; use letters, digits and _")
    draft.productions.append((category, tuple(right.split()), line))


def _meaning(draft: _Draft, line: _Line) -> None:
    declared = re.fullmatch(r"(?P<names>[^\[\]=]+?)\s+in\s+(?P<domain>[^\[\]=]+)", line.text)
    if declared:
        domain = frozenset(re.split(r"[,\s]+", declared["domain"].strip()))
        draft.variables |= dict.fromkeys(re.split(r"[,\s]+", declared["names"].strip()), domain)
        return
    left, right = _sides(line, "=", "a meaning, as in [[x twice]] = [[x]] [[x]]")
    form = re.fullmatch(r"\[\[(?P<word>[^\s\[\]]+)\]\]\s+in\s+(?P<category>\w+)", left)
    if form:  # [[tired]] in F = fatiguee: what a word means in one category
        if (form["category"], form["word"]) in draft.forms:
            raise line.error(f"[[{form['word']}]] in {form['category']} already has a meaning")
        if "[[" in right:
            raise line.error("the meaning of a word in a category is written out, without [[ ]]")
        draft.forms[form["category"], form["word"]] = (right, line)
        return
    phrase = re.fullmatch(r"\[\[(.+?)\]\]", left)
    if not phrase:
        raise line.error("the left side of a meaning is one phrase in double brackets, as in [[x twice]]")
    pattern = tuple(phrase[1].split())
    if pattern in draft.meanings:
        raise line.error(f"[[{' '.join(pattern)}]] already has a meaning")
    draft.meanings[pattern] = (right, line)


# From a draft to rules.


@dataclass
class _Builder:
    """Expands the infixes, finds the meaning of each rule, and checks that every declaration is used."""

    draft: _Draft
    source: str
    used_patterns: set[tuple[str, ...]] = field(default_factory=set)
    used_forms: set[tuple[str, str]] = field(default_factory=set)

    def grammar(self) -> Grammar:
        if not self.draft.productions:
            raise GrammarError(f"{self.source}: no rules; add a section 'grammar:'")
        rules: dict[str, dict[tuple[str, ...], Rule]] = {category: {} for category, _, _ in self.draft.productions}
        if len(rules) > MOST_CATEGORIES:
            raise GrammarError(f"{self.source}: {len(rules):,} categories; a grammar can have {MOST_CATEGORIES:,}")
        number = 0
        for category, parts, line in self.draft.productions:
            for plain in self._expand_infix(parts, line):
                if plain in rules[category]:
                    raise line.error(f"the rule {category} -> {' '.join(plain)} is declared twice")
                meaning = self._meaning_of(category, plain, line)
                rules[category][plain] = Rule(category, plain, " ".join(parts), meaning)
                number += 1
                if number > MOST_RULES:
                    raise line.error(f"a grammar can have at most {MOST_RULES:,} rules; remove some")
        grammar = Grammar(
            start=self.draft.productions[0][0],
            rules={category: tuple(by_parts.values()) for category, by_parts in rules.items()},
            recursion=self.draft.recursion,
            names=self.draft.names,
        )
        _check(grammar, self.source)
        self._check_all_used(grammar)
        return grammar

    def _check_all_used(self, grammar: Grammar) -> None:
        """A declaration without effect is most likely a typing error."""
        for pattern, (_, line) in self.draft.meanings.items():
            if pattern not in self.used_patterns and line.source == self.source:
                raise line.error(f"no rule builds a phrase that matches {_brackets(pattern)}")
        for (category, word), (_, line) in self.draft.forms.items():
            if (category, word) not in self.used_forms and line.source == self.source:
                raise line.error(f"there is no rule {category} -> {word} for this meaning")
        domains = set().union(*self.draft.variables.values()) - {ANY} - set(grammar.rules)
        if domains:
            raise GrammarError(f"{self.source}: a variable is in {sorted(domains)[0]}, which is no category")
        clash = set(grammar.words) & set(self.draft.variables)
        if clash:
            raise GrammarError(f"{self.source}: {sorted(clash)[0]!r} is both a word and a variable; rename one")
        actions = set(grammar.actions)
        for style, names in self.draft.names.items():
            for action, name in names.items():
                if action not in actions:
                    raise GrammarError(f"{self.source}: names {style}: no command means {action}")
                if len(name.split()) != 1:
                    raise GrammarError(f"{self.source}: names {style}: {name!r} is not one word")
            if len(set(names.values())) < len(names):
                raise GrammarError(f"{self.source}: names {style}: two actions have the same name")

    def _expand_infix(self, parts: tuple[str, ...], line: _Line) -> Iterator[tuple[str, ...]]:
        """D[1] opposite D[2] stands for one rule for each rule of D: U opposite left, turn opposite left, …"""
        places = {n: re.fullmatch(r"(\w+)\[([1-9])\]", part) for n, part in enumerate(parts)}
        marks = {n: (place[1], int(place[2])) for n, place in places.items() if place}
        if not marks:
            yield parts
            return
        category = next(iter(marks.values()))[0]
        if list(marks.values()) != [(category, n + 1) for n in range(len(marks))]:
            raise line.error(f"an infix splits one category, in order, as in {category}[1] opposite {category}[2]")
        inner = [right for left, right, _ in self.draft.productions if left == category and len(right) == len(marks)]
        if not inner:
            raise line.error(f"{category} has no rule with {len(marks)} parts")
        for right in inner:
            yield tuple(right[marks[n][1] - 1] if n in marks else part for n, part in enumerate(parts))

    def _meaning_of(self, category: str, parts: tuple[str, ...], line: _Line) -> tuple[str | int, ...]:
        if len(parts) == 1 and (category, parts[0]) in self.draft.forms:
            self.used_forms.add((category, parts[0]))
            return tuple(self.draft.forms[category, parts[0]][0].split())
        alike = self._patterns.get(self._skeleton(parts), [])
        patterns = [pattern for pattern in alike if self._matches(pattern, parts)]
        if len(patterns) > 1:
            raise line.error(f"{' '.join(parts)!r} has two meanings: " + " and ".join(map(_brackets, patterns)))
        if patterns:
            return tuple(self._value(patterns[0]))
        if len(parts) == 1 and parts[0] in self._categories:
            return (0,)  # C -> S means what S means
        raise line.error(f"no meaning for {' '.join(parts)!r}: add [[{' '.join(parts)}]] = … under 'meaning:'")

    @cached_property
    def _categories(self) -> frozenset[str]:
        return frozenset(category for category, _, _ in self.draft.productions)

    @cached_property
    def _patterns(self) -> dict[tuple[str | None, ...], list[tuple[str, ...]]]:
        """The patterns by their skeletons: one that matches a rule's parts is among the few with the same skeleton."""
        patterns: dict[tuple[str | None, ...], list[tuple[str, ...]]] = {}
        for pattern in self.draft.meanings:
            patterns.setdefault(self._skeleton(pattern), []).append(pattern)
        return patterns

    def _skeleton(self, phrase: tuple[str, ...]) -> tuple[str | None, ...]:
        """The words of a phrase, with None for each variable and category."""
        return tuple(None if mark in self.draft.variables or mark in self._categories else mark for mark in phrase)

    def _matches(self, pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
        if len(pattern) != len(parts):
            return False
        for mark, part in zip(pattern, parts, strict=True):
            domain = self.draft.variables.get(mark)
            fits = mark == part if domain is None else part in self._categories and bool(domain & {ANY, part})
            if not fits:
                return False
        return True

    def _value(self, pattern: tuple[str, ...], within: tuple[tuple[str, ...], ...] = ()) -> list[str | int]:
        """The right side of a meaning: variables as places in the pattern, other phrases replaced by their meanings."""
        right, line = self.draft.meanings[pattern]
        self.used_patterns.add(pattern)
        if pattern in within:
            raise line.error(f"the meaning of {_brackets(pattern)} refers to itself")
        if len(within) > MOST_DEPTH:
            raise line.error(f"meanings refer to one another more than {MOST_DEPTH} times in a row; write some out")
        variables = [mark for mark in pattern if mark in self.draft.variables]
        if len(set(variables)) < len(variables):
            raise line.error(f"{_brackets(pattern)} has the same variable twice; use two, as in [[x1 and x2]]")
        value: list[str | int] = []
        for inner, action in re.findall(r"\[\[(.*?)\]\]|(\S+)", right):
            if action and re.search(r"\[\[|\]\]", action):
                raise line.error("the brackets do not match")
            phrase = tuple(inner.split())
            if action:
                value.append(action)
            elif len(phrase) == 1 and phrase[0] in variables:
                value.append(pattern.index(phrase[0]))
            elif phrase in self.draft.meanings and not any(mark in self.draft.variables for mark in phrase):
                value.extend(self._value(phrase, (*within, pattern)))
            else:
                raise line.error(
                    f"{_brackets(phrase)} is neither a variable of the left side nor a phrase with a meaning"
                )
            if len(value) > MOST_MEANING:
                raise line.error(f"a meaning can have at most {MOST_MEANING:,} actions; shorten this one")
        return value


def _brackets(phrase: tuple[str, ...]) -> str:
    return f"[[{' '.join(phrase)}]]"


def _reachable(category: str, children: Mapping[str, set[str]]) -> frozenset[str]:
    reached: set[str] = set()
    ahead = list(children[category])
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead.extend(children[name])
    return frozenset(reached)


def _check(grammar: Grammar, source: str) -> None:
    """Refuse categories that are unused, never end, only rename themselves, or nest too deeply."""
    unused = set(grammar.rules) - grammar.below(grammar.start) - {grammar.start}
    if unused:
        raise GrammarError(f"{source}: no command contains the category {', '.join(sorted(unused))}")
    renames = {
        category: {rule.parts[0] for rule in rules if len(rule.parts) == 1 and rule.parts[0] in grammar.rules}
        for category, rules in grammar.rules.items()
    }
    for category in grammar.rules:
        if category in _reachable(category, renames):
            raise GrammarError(f"{source}: {category} can be rewritten as itself; remove one of these rules")
    endless = sorted(grammar.rules.keys() - grammar.shortest.keys())
    if endless:
        raise GrammarError(f"{source}: phrases of {', '.join(endless)} never end; add a rule without recursion")
    if grammar.recursive and not grammar.recursion:
        raise GrammarError(
            f"{source}: {', '.join(sorted(grammar.recursive))} can occur inside itself without end; "
            "add a line 'recursion N' before the sections to say how often"
        )
    depth = _depth(grammar)
    if depth > MOST_DEPTH:
        change = f"lower 'recursion {grammar.recursion}'" if grammar.recursive else "use fewer categories"
        raise GrammarError(f"{source}: phrases can nest {depth:,} deep, and at most {MOST_DEPTH} is possible; {change}")


def _depth(grammar: Grammar) -> int:
    """An upper bound on the depth of a derivation tree."""
    below = {category: grammar.below(category) for category in grammar.rules}
    depth: dict[str, int] = {}
    for category in sorted(grammar.rules, key=lambda name: (len(below[name]), name not in grammar.recursive)):
        cycle = {other for other in below[category] if category in below[other]}
        own = len(cycle) * (grammar.recursion + 1) if cycle else 1
        depth[category] = own + max((depth[other] for other in below[category] - cycle), default=0)
    return depth[grammar.start]
