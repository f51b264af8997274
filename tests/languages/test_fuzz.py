"""Mutated grammars and commands are either understood or refused in one sentence, and quickly."""

import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import pytest

from daxlab import InputError, Language, language
from daxlab.datasets import Sizes, dataset
from daxlab.languages.parser import CommandError
from fuzzing import parts

NESTED = """\
recursion 2
grammar:
  C -> C and S
  C -> S
  S -> ( C ) twice
  S -> walk
  S -> run
meaning:
  x, x1, x2 in any
  [[x1 and x2]] = [[x1]] [[x2]]
  [[( x ) twice]] = [[x]] [[x]]
  [[walk]] = W
  [[run]] = R
"""
FILES = sorted(resources.files("daxlab.languages").glob("*.grammar"))
GRAMMARS = [*(re.sub(r"(?m)^#.*\n", "", file.read_text()) for file in FILES), NESTED]
WEIGHTS = [1, 5, 3, 5]  # scan-dax takes longest
TOKENS = ["C", "S", "x", "[[x]]", "->", "=", "[1]", "D[2]", "in", "any", "#", "grammar:", "meaning:", "recursion", "9"]


# Grammars: each of them once kept `data list` busy for minutes, filled the memory or ended in a traceback.


def _scan_with(grammar: str = "", meaning: str = "", recursion: int = 50) -> str:
    return f"recursion {recursion}\nextends scan\ngrammar:\n{grammar}\nmeaning:\n x3 in any\n{meaning}\n"


def _lines(form: str, number: int) -> str:
    return "".join(form.format(n=n, next=n + 1) + "\n" for n in range(number))


LARGE = {
    "a third clause": (_scan_with("C -> S and S and S", "[[x1 and x2 and x3]] = [[x1]]"), "300,000 commands"),
    "five recursive categories": (
        _scan_with("U -> ( C )", "[[( x )]] = [[x]]"),
        "too large to list: .* lower 'recursion 50'",
    ),
    "few commands in many states": (
        "recursion 50\ngrammar:\n A -> b B\n A -> d D\n B -> a A\n B -> d D\n D -> b B\n D -> c\n"
        "meaning:\n x in any\n [[a x]] = A\n [[b x]] = B\n [[d x]] = D\n [[c]] = C\n",
        "lower 'recursion 50'",
    ),
    "actions doubled at every level": (
        "recursion 50\ngrammar:\n C -> very C\n C -> go\nmeaning:\n x in any\n [[very x]] = [[x]] [[x]]\n [[go]] = G\n",
        "20,000,000 words and actions",
    ),
    "words doubled at every level": (
        f"grammar:\n{_lines('C{n} -> C{next} C{next}', 60)} C60 -> a\nmeaning:\n x, y in any\n [[x y]] = A\n [[a]]=A\n",
        "20,000,000 words and actions",
    ),
    "a rule of ten thousand parts": (
        f"grammar:\n C -> {'S ' * 10_000}\n S -> a\n S -> b\nmeaning:\n x{' x'.join(map(str, range(10_000)))} in any\n"
        f" [[x{' x'.join(map(str, range(10_000)))}]] = A\n [[a]] = A\n [[b]] = B\n",
        "300,000 commands",
    ),
    "a meaning for each of many rules": (
        f"grammar:\n{_lines('C -> v{n} D', 9_000)}{_lines('D -> a{n}', 40)}"
        f"meaning:\n x in any\n{_lines('[[v{n} x]] = A', 9_000)}{_lines('[[a{n}]] = A', 40)}",
        "300,000 commands",
    ),
    "many rules in a long chain": (
        f"grammar:\n{''.join(_lines(f'C{n} -> a{{n}} C{n + 1}', 10) for n in range(900))} C900 -> a\n"
        f"meaning:\n x in any\n{_lines('[[a{n} x]] = A', 10)} [[a]] = A\n",
        "nest 901 deep",
    ),
    "a meaning that doubles": (
        f"grammar:\n C -> a0\nmeaning:\n{_lines('[[a{n}]] = [[a{next}]] [[a{next}]]', 60)} [[a60]] = A\n",
        "line 5.: .* at most 1,000 actions",
    ),
    "a long chain of meanings": (
        f"grammar:\n C -> a0\nmeaning:\n{_lines('[[a{n}]] = [[a{next}]]', 2000)} [[a2000]] = A\n",
        "line 305: .* more than 300 times",
    ),
    "a long chain of categories": (
        f"grammar:\n{_lines('C{n} -> C{next}', 900)} C900 -> a\nmeaning:\n [[a]] = A\n",
        "nest 901 deep",
    ),
    "many recursive categories": (
        f"recursion 50\ngrammar:\n{_lines('C{n} -> a C{next}', 30)} C30 -> a C0\n C30 -> a\n"
        "meaning:\n x in any\n [[a x]] = A\n [[a]] = A\n",
        "nest 1,581 deep, .* lower 'recursion 50'",
    ),
    "too many rules": (
        f"grammar:\n{_lines('C -> a{n}', 20_000)}meaning:\n{_lines('[[a{n}]] = A', 20_000)}",
        "line 10002: .* at most 10,000 rules",
    ),
    "a recursion of many digits": (f"recursion {'9' * 5000}\n", "line 1: .* at most 50 times, not 999999999…"),
    "too many categories": (
        f"grammar:\n{_lines('C{n} -> C{next}', 2000)} C2000 -> a\nmeaning:\n [[a]] = A\n",
        "2,001 categories; a grammar can have 1,000",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_grammar_that_is_too_large_is_refused_at_once(name: str, tmp_path: Path) -> None:
    grammar, message = LARGE[name]
    assert re.search(message, str(list_splits(grammar, tmp_path, seconds=2)))


def test_a_command_of_too_many_actions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "doubling.grammar"
    path.write_text(LARGE["actions doubled at every level"][0])
    assert len(language(str(path)).translate("very " * 10 + "go")) == 1024
    for interpret in (language(str(path)).translate, language(str(path)).tree):
        with time_limit(10), pytest.raises(CommandError, match="more than 100,000 actions"):
            interpret("very " * 50 + "go")


def test_a_command_of_too_many_meanings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ambiguous.grammar"
    path.write_text(
        "recursion 30\ngrammar:\n C -> C or C\n C -> a\n C -> b\nmeaning:\n x, y in any\n"
        " [[x or y]] = [[x]] [[y]] [[y]]\n [[a]] = A\n [[b]] = B\n"
    )
    with time_limit(10), pytest.raises(CommandError, match="more than"):
        language(str(path)).translate("a or b or " * 20 + "a")


@pytest.mark.parametrize("seeds", [range(40), *parts(400, of=2_000)])
def test_mutated_grammars_are_listed_or_refused_in_one_sentence(seeds: range, tmp_path: Path) -> None:
    understood = 0
    for seed in seeds:
        answer = list_splits(mutated_grammar(random.Random(seed)), tmp_path)
        understood += isinstance(answer, list)
        assert "\n" not in answer, f"seed {seed}"
    assert understood > len(seeds) / 20


def mutated_grammar(chance: random.Random) -> str:
    """A shipped grammar with a few lines, words or characters changed."""
    [text] = chance.choices(GRAMMARS, WEIGHTS)
    if chance.random() < 0.5:
        text = f"recursion {chance.choice([1, 2, 3, 7, 20, 50])}\n{text}"
    edits = [_change_line, _change_token, _change_character, *[_change_category, _change_meaning] * 5]
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(edits)(text, chance)
    return text


def _edit(parts: list[str], chance: random.Random, new: str) -> None:
    """Drop, duplicate, swap, replace or insert one of the parts."""
    if not parts:
        return
    at, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    match chance.randrange(5):
        case 0:
            del parts[at]
        case 1:
            parts.insert(other, parts[at])
        case 2:
            parts[at], parts[other] = parts[other], parts[at]
        case 3:
            parts[at] = new
        case 4:
            parts.insert(at, new)


def _change_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    _edit(lines, chance, chance.choice(chance.choice(GRAMMARS).splitlines()))
    return "\n".join(lines)


def _change_token(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    at = chance.randrange(len(lines))
    tokens = lines[at].split()
    _edit(tokens, chance, chance.choice([*TOKENS, *text.split()]))
    lines[at] = " ".join(tokens)
    return "\n".join(lines)


def _change_category(text: str, chance: random.Random) -> str:
    """Replace a category of a rule by another, in place or in a copy of the rule."""
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if "->" in line]
    categories = sorted({lines[n].split("->")[0].strip() for n in rules})
    if not rules:
        return text
    at = chance.choice(rules)
    tokens = lines[at].split()
    places = [n for n, token in enumerate(tokens) if token in categories]
    if places:
        tokens[chance.choice(places)] = chance.choice(categories)
    lines[at : at + chance.randrange(2)] = [" ".join(tokens)]
    return "\n".join(lines)


def _change_meaning(text: str, chance: random.Random) -> str:
    """Edit the right side of a meaning."""
    lines = text.splitlines()
    meanings = [n for n, line in enumerate(lines) if "]] " in line and "=" in line]
    if not meanings:
        return text
    at = chance.choice(meanings)
    left, _, right = lines[at].partition("=")
    tokens = right.replace("]] [[", "]]\0[[").replace("]] ", "]]\0").split("\0")
    _edit(tokens, chance, chance.choice(["", "A", *tokens]))
    lines[at] = f"{left}= {' '.join(tokens)}"
    return "\n".join(lines)


def _change_character(text: str, chance: random.Random) -> str:
    characters = list(text)
    _edit(characters, chance, chance.choice("CSUx[]=->#0123456789 \n\té"))
    return "".join(characters)


class TooSlow(Exception):
    """Raised inside code that exceeds its time limit."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow after so many seconds of CPU time; wall time depends on what else the machine does."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def list_splits(grammar: str, folder: Path, seconds: float = 30) -> list[Sizes] | str:
    """The splits that `daxlab data list` shows, or the message of its error."""
    path = folder / "mutant.grammar"
    path.write_text(grammar)
    with time_limit(seconds):
        try:
            return list(dataset(str(path)).sizes())
        except InputError as error:
            return str(error)


# Commands of SCAN.


def interpret(command: str) -> list[str]:
    """The actions of a command of SCAN, by the paper's definitions and without a grammar."""
    words = command.split()
    for conjunction in ("and", "after"):
        if conjunction in words:
            at = words.index(conjunction)
            first, second = interpret(" ".join(words[:at])), interpret(" ".join(words[at + 1 :]))
            return first + second if conjunction == "and" else second + first
    if words[-1] in ("twice", "thrice"):
        return interpret(" ".join(words[:-1])) * (2 if words[-1] == "twice" else 3)
    verb = [] if words[0] == "turn" else [f"I_{words[0].upper()}"]
    if len(words) == 1:
        return verb
    turn = [f"I_TURN_{words[-1].upper()}"]
    match words[1:-1]:
        case ["around"]:
            return (turn + verb) * 4
        case ["opposite"]:
            return turn + turn + verb
    return turn + verb


def mutated_command(scan: Language, chance: random.Random) -> str:
    """A command with a few words dropped, repeated, swapped, misspelt or inserted."""
    words = chance.choice(scan.commands()).command.split()
    for _ in range(chance.randint(0, 3)):
        new = chance.choice(scan.words)
        misspelt = new[: chance.randrange(len(new))] + chance.choice("xé\x00\u202e跳'[") + new[1:]
        _edit(words, chance, chance.choice([new, new, misspelt]))
    return chance.choice([" ", " ", "  ", "\t", "\u00a0"]).join(words)


@pytest.mark.parametrize("seeds", [range(500), *parts(20_000, of=200_000)])
def test_mutated_commands_are_interpreted_or_refused_in_one_sentence(seeds: range, scan: Language) -> None:
    commands = {example.command for example in scan.commands()}
    for seed in seeds:
        text = mutated_command(scan, random.Random(seed))
        command = " ".join(text.split())
        if command in commands:
            assert list(scan.translate(text)) == interpret(command)
        else:
            with pytest.raises(CommandError) as caught:
                scan.translate(text)
            assert "\n" not in caught.value.what, f"seed {seed}"
