"""The splits of a grammar: each is a rule, or a random draw that its name determines.

Every split is a pure function of a language. To add one, add one function here. Splits that only a file determines are
in release.py.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from inspect import signature
from typing import Any

from daxlab.datasets.core import TEST, Origin, Split
from daxlab.errors import InputError
from daxlab.languages import Example, Language

SHARE = 10  # Experiment 3: about one presentation in ten is of the new primitive
SIZES = (1, 2, 4, 8, 16, 32, 64)  # Experiment 1: per cent of the commands in training
SHOTS = (1, 2, 4, 8, 16, 32)  # Experiment 3: composed commands of the new primitive in training
REPLICATES = 5
TURN = "turn"  # takes a direction like the verbs do, but the template splits keep it out of both sides
NUMBER = "0|[1-9][0-9]{0,8}"  # written in one way only, because results are named by split
FILLERS = ("look", "walk", "run")  # the verbs that filler-1, -2, -3 show before "around right"


@dataclass(frozen=True)
class Sides:
    """What a split function returns: two sets, and how often to present examples that are presented more than once."""

    train: Sequence[Example]
    test: Sequence[Example]
    repeated: Mapping[Example, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """A split function, the names it answers to, and the names to show in a list."""

    pattern: str
    origin: Origin
    shown: tuple[str, ...]
    function: Callable[..., Sides]

    def match(self, name: str, language: Language) -> re.Match[str] | None:
        """Match a name; {primitive} in the pattern is any primitive of the language, {number} any number."""
        primitives = "|".join(map(re.escape, _primitives(language))) or "(?!)"
        return re.fullmatch(self.pattern.replace("{primitive}", primitives).replace("{number}", NUMBER), name)


FAMILIES: list[Family] = []


def named(pattern: str, origin: Origin, shown: Iterable[str]) -> Callable[..., Callable[..., Sides]]:
    """Register a split function under a pattern of names. The pattern's groups are the function's arguments."""

    def register(function: Callable[..., Sides]) -> Callable[..., Sides]:
        FAMILIES.append(Family(pattern, origin, tuple(shown), function))
        return function

    return register


@lru_cache(maxsize=16)
def names(language: Language) -> tuple[str, ...]:
    """The splits of a language; of an infinite family, the members that the paper and the release have."""
    language.commands()  # the error for a language that is too large is not one of those below
    there: list[str] = []
    for family in FAMILIES:
        shown = _shown(family, language)
        with suppress(InputError):  # the family has no splits of this language
            if shown and make(shown[0], language):
                there += [name for name in shown if family.match(name, language)]
    return tuple(there)


def listed(language: Language) -> list[str]:
    """The same without making a split, which takes time: a small language may lack some of these."""
    return [name for family in FAMILIES for name in _shown(family, language)]


def _shown(family: Family, language: Language) -> list[str]:
    return [
        name.format(primitive=primitive)
        for name in family.shown
        for primitive in (_primitives(language) if "{primitive}" in name else [""])
    ]


@lru_cache(maxsize=64)
def make(name: str, language: Language) -> Split | None:
    """The split of that name, or None if there is no such rule or draw."""
    for family in FAMILIES:
        match = family.match(name, language)
        if match:
            arguments, canonical = _arguments(family, match)
            sides = family.function(language, **arguments)
            if not sides.train or not sides.test:
                side = "test" if sides.train else "training"
                raise InputError(f"{language.name} has no split {name}: its {side} set would be empty")
            weights = tuple(sides.repeated.get(example, 1) for example in sides.train)
            return Split(canonical, family.origin, tuple(sides.train), weights, {TEST: tuple(sides.test)})
    return None


def asks(name: str, language: Language) -> str:
    """What a split asks for, as the first line of its function says it; nothing if there is no such split."""
    for family in FAMILIES:
        if match := family.match(name, language):
            values = {part: parameter.default for part, parameter in signature(family.function).parameters.items()}
            values |= {part: text for part, text in match.groupdict().items() if text is not None}
            line = (family.function.__doc__ or "").partition("\n")[0].removeprefix("Asks for ").removesuffix(".")
            for part, value in values.items():
                line = line.replace(f"{{{part}}}", "any verb" if value is None else str(value).replace("-", " "))
            return line
    return ""


def _arguments(family: Family, match: re.Match[str]) -> tuple[dict[str, Any], str]:
    """The function's arguments, and the canonical name of the split: default values are dropped from it."""
    parameters, arguments, canonical = signature(family.function).parameters, {}, match[0]
    for name, text in match.groupdict().items():
        if text is not None:
            arguments[name] = int(text) if parameters[name].annotation is int else text
            if arguments[name] == parameters[name].default:
                canonical = re.sub(rf"-[a-z]*{text}$", "", canonical)
    return arguments, re.sub(r"^size-80\b", "simple", canonical)


def _primitives(language: Language) -> dict[str, Example]:
    """The primitives as split names spell them: turn-left for "turn left"."""
    return {example.command.replace(" ", "-"): example for example in language.primitives}


def drawn(examples: Iterable[Example], draw: str) -> list[Example]:
    """The examples in an order that the name of the draw determines, the same on every machine: by sha256."""
    return sorted(examples, key=lambda example: sha256(f"{draw} {example.command}".encode()).digest())


def has(example: Example, phrase: str) -> bool:
    """Whether the command contains the phrase."""
    return f" {phrase} " in f" {example.command} "


# Experiment 1: random subsets.


@named(r"simple(?:-seed(?P<seed>{number}))?", "seed", ["simple"])
def simple(language: Language, seed: int = 0) -> Sides:
    """Asks for random commands; 80% seen."""
    return size(language, 80, seed)


@named(r"size-(?P<percent>{number})(?:-seed(?P<seed>{number}))?", "seed", [f"size-{percent}" for percent in SIZES])
def size(language: Language, percent: int, seed: int = 0) -> Sides:
    """Asks for random commands; {percent}% seen.

    Larger training sets contain the smaller ones.
    """
    if not 0 < percent < 100:
        raise InputError(f"size-{percent}: a training set has between 1 and 99 per cent of the commands")
    order = drawn(language.commands(), f"simple-seed{seed}")
    cut = len(order) * percent // 100
    return Sides(order[:cut], order[cut:])


# Experiment 2: long action sequences.


@named(r"length(?:-(?P<cutoff>{number}))?", "rule", ["length"])
def length(language: Language, cutoff: int = 22) -> Sides:
    """Asks for over {cutoff} actions; shorter seen."""
    return Sides(
        [example for example in language.commands() if len(example.actions) <= cutoff],
        [example for example in language.commands() if len(example.actions) > cutoff],
    )


# Experiment 3: a primitive seen alone, or with a few of its compositions.


@named(r"(?P<primitive>{primitive})", "rule", ["{primitive}"])
def add_primitive(language: Language, primitive: str) -> Sides:
    """Asks for {primitive} in company; seen alone.

    Training has every command without the primitive, and the primitive alone in a tenth of the presentations.
    """
    return added(language, primitive, [])


@named(r"(?P<primitive>{primitive})-once", "rule", ["{primitive}-once"])
def add_primitive_once(language: Language, primitive: str) -> Sides:
    """Asks for {primitive} in company; seen once.

    That is, without over-sampling: every command is presented equally often.
    """
    sides = added(language, primitive, [])
    return Sides(sides.train, sides.test)


@named(
    r"few-(?P<primitive>{primitive})-(?P<shots>{number})-rep(?P<replicate>{number})",
    "seed",
    [f"few-jump-{shots}-rep{replicate}" for shots in SHOTS for replicate in range(1, REPLICATES + 1)],
)
def few_shot(language: Language, primitive: str, shots: int, replicate: int) -> Sides:
    """Asks for {primitive} in company; {shots} such seen.

    They are drawn anew for each number and replicate.
    """
    if not 1 <= shots <= SHOTS[-1]:
        raise InputError(f"few-{primitive}-{shots}: between 1 and {SHOTS[-1]} composed commands can be shown")
    composed = added(language, primitive, []).test
    return added(language, primitive, drawn(composed, f"few-{primitive}-{shots}-rep{replicate}")[:shots])


def added(language: Language, primitive: str, shown: Sequence[Example]) -> Sides:
    """Training on the rest of the language, the primitive alone, and the composed commands `shown`."""
    alone = _primitives(language)[primitive]
    new = [alone, *shown]
    others = [e for e in language.commands() if not has(e, alone.command)]
    if not others:
        raise InputError(f"{language.name} has no commands without {alone.command!r} to learn from")
    seen = {*others, *new}
    times = max(1, _rounded(_rounded(len(others), SHARE - 1), len(new)))
    return Sides([*others, *new], [e for e in language.commands() if e not in seen], dict.fromkeys(new, times))


def _rounded(number: int, divisor: int) -> int:
    return (2 * number + divisor) // (2 * divisor)  # halves go up, as in the release


# Loula, Baroni and Lake (2018): a verb and a direction never seen together.


@named(
    r"template-(?:(?P<verb>{primitive})-)?(?P<frame>(?:around-|opposite-)?right)",
    "rule",
    ["template-around-right", "template-jump-around-right", "template-opposite-right", "template-right"],
)
def template(language: Language, frame: str, verb: str | None = None) -> Sides:
    """Asks for {verb} {frame}; none seen."""
    words = frame.replace("-", " ")
    verbs = [verb] if verb else [example.command for example in language.primitives if " " not in example.command]
    commands = [e for e in language.commands() if not has(e, f"{TURN} {words}")]
    held_out = {e for e in commands if any(has(e, f"{verb} {words}") for verb in verbs)}
    return Sides([e for e in commands if e not in held_out], [e for e in commands if e in held_out])


@named(r"filler-(?P<fillers>[0-3])", "rule", [f"filler-{fillers}" for fillers in range(4)])
@lru_cache(maxsize=8)
def filler(language: Language, fillers: int) -> Sides:
    """Asks for jump around right; {fillers} verbs seen."""
    without = template(language, "around-right")
    shown = [
        e for e in without.test if not any(has(e, f"{verb} around right") for verb in ("jump", *FILLERS[fillers:]))
    ]
    return Sides([*without.train, *shown], template(language, "around-right", "jump").test)


@named(
    r"few-around-right-(?P<shots>{number})-rep(?P<replicate>{number})",
    "seed",
    [f"few-around-right-{2**n}-rep{replicate}" for n in range(11) for replicate in range(1, REPLICATES + 1)],
)
def few_around_right(language: Language, shots: int, replicate: int) -> Sides:
    """Asks for jump around right; {shots} such seen.

    They have "look" for "jump", are drawn anew for each number and replicate, and come beside those of filler-0.
    """
    pool = around_right_pool(language)
    if not 1 <= shots <= len(pool):
        raise InputError(f"few-around-right-{shots}: between 1 and {len(pool):,} commands can be shown")
    return shown_around_right(language, drawn(pool, f"few-around-right-{shots}-rep{replicate}")[:shots])


def around_right_pool(language: Language) -> list[Example]:
    """What filler-1 shows and filler-0 does not: the commands with "look around right"."""
    shown = set(filler(language, 0).train)
    return [e for e in filler(language, 1).train if e not in shown]


def shown_around_right(language: Language, shown: Sequence[Example]) -> Sides:
    """filler-0 with these commands added to its training set."""
    none = filler(language, 0)
    return Sides([*none.train, *shown], none.test)
