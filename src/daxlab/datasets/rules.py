"""Splits: what a learner is shown, how often, and what it is asked afterwards.

Every split is a pure function of a language: a rule, or a draw that its name determines. Adding one is
adding one function here. Knows nothing of files: corpora/ has the splits that only a file determines.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from inspect import signature
from typing import Any, Literal

from daxlab.errors import InputError
from daxlab.languages import Example, Language

SHARE = 10  # Experiment 3: about one presentation in ten is of the new primitive
SIZES = (1, 2, 4, 8, 16, 32, 64)  # Experiment 1: per cent of the commands in training
SHOTS = (1, 2, 4, 8, 16, 32)  # Experiment 3: composed commands of the new primitive in training
REPLICATES = 5
TURN = "turn"  # takes a direction like the verbs do, but the template splits keep it out of both sides
NUMBER = "0|[1-9][0-9]{0,8}"  # written in one way only, because results are named by split
FILLERS = ("look", "walk", "run")  # the verbs that filler-1, -2, -3 show before "around right"

Determined = Literal["rule", "seed", "file"]


@dataclass(frozen=True)
class Split:
    """A training set of distinct commands, each with how often it is presented, and a test set."""

    name: str
    determined: Determined  # what settles who is in it
    train: tuple[Example, ...]
    test: tuple[Example, ...]
    weights: tuple[int, ...] = field(repr=False)  # one for each of `train`: its share of the presentations
    dev: tuple[Example, ...] = ()  # a third set, where a published split has one

    @property
    def presentations(self) -> int:
        """The training set's size with repetitions, as the release's files write it out."""
        return sum(self.weights)

    @cached_property
    def digest(self) -> str:
        """A sha256 of who is in it, in which order, and how often each is presented."""
        sides = ([*zip(self.train, self.weights, strict=True)], self.dev, self.test)
        return sha256(json.dumps(sides).encode()).hexdigest()


@dataclass(frozen=True)
class Parts:
    """What a split's function returns: two sets, and how often to present what is not presented once."""

    train: Sequence[Example]
    test: Sequence[Example]
    repeated: Mapping[Example, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """A split function, the names it answers to, and the names to show in a list."""

    pattern: str
    determined: Determined
    shown: tuple[str, ...]
    function: Callable[..., Parts]

    def match(self, name: str, language: Language) -> re.Match[str] | None:
        """How a name fits the pattern; {primitive} in it is any primitive of the language, {number} any number."""
        known = "|".join(map(re.escape, _primitives(language))) or "(?!)"
        return re.fullmatch(self.pattern.replace("{primitive}", known).replace("{number}", NUMBER), name)


FAMILIES: list[Family] = []


def named(pattern: str, determined: Determined, shown: Iterable[str]) -> Callable[..., Callable[..., Parts]]:
    """Registers a split under a pattern of names; its named groups are the function's arguments."""

    def register(function: Callable[..., Parts]) -> Callable[..., Parts]:
        FAMILIES.append(Family(pattern, determined, tuple(shown), function))
        return function

    return register


def names(language: Language) -> list[str]:
    """The names of the splits of a language: of families without end, the paper's and the release's members."""
    known: list[str] = []
    for family in FAMILIES:
        shown = [name.format(primitive=one) for name in family.shown for one in _spelled(name, language)]
        if _possible(shown[:1], language):
            known += [name for name in shown if family.match(name, language)]
    return known


def _spelled(shown: str, language: Language) -> Iterable[str]:
    return _primitives(language) if "{primitive}" in shown else [""]


@lru_cache(maxsize=64)
def make(name: str, language: Language) -> Split | None:
    """The split of that name, or None if no rule and no draw is called so."""
    for family in FAMILIES:
        match = family.match(name, language)
        if match:
            given, called = _given(family, match)
            parts = family.function(language, **given)
            if not parts.train or not parts.test:
                side = "test" if parts.train else "training"
                raise InputError(f"{language.name} has no split {name}: its {side} set would be empty")
            weights = tuple(parts.repeated.get(example, 1) for example in parts.train)
            return Split(called, family.determined, tuple(parts.train), tuple(parts.test), weights)
    return None


def _given(family: Family, match: re.Match[str]) -> tuple[dict[str, Any], str]:
    """The function's arguments, and the split's one name: what the function takes anyway is not in it."""
    known, given, called = signature(family.function).parameters, {}, match[0]
    for name, text in match.groupdict().items():
        if text is not None:
            given[name] = int(text) if known[name].annotation is int else text
            if given[name] == known[name].default:
                called = re.sub(rf"-[a-z]*{text}$", "", called)
    return given, re.sub(r"^size-80\b", "simple", called)


def _possible(some: list[str], language: Language) -> bool:
    try:
        return all(make(name, language) for name in some)
    except InputError:
        return False


def _primitives(language: Language) -> dict[str, Example]:
    """ "turn left" is called turn-left in the name of a split."""
    return {example.command.replace(" ", "-"): example for example in language.primitives}


def named_commands(language: Language) -> list[Example]:
    """The commands that are looked at one by one: each primitive, and "P twice" where the language has it."""
    known = {example.command: example for example in language.commands()}
    twice = [known.get(f"{example.command} twice") for example in language.primitives]
    return [*language.primitives, *(example for example in twice if example is not None)]


def drawn(examples: Iterable[Example], draw: str) -> list[Example]:
    """The examples in an order that the name of a draw determines, whoever computes it: by sha256 of both."""
    return sorted(examples, key=lambda example: sha256(f"{draw} {example.command}".encode()).digest())


def has(example: Example, phrase: str) -> bool:
    """Whether these words stand side by side in the command."""
    return f" {phrase} " in f" {example.command} "


# Experiment 1: random subsets.


@named(r"simple(?:-seed(?P<seed>{number}))?", "seed", ["simple"])
def simple(language: Language, seed: int = 0) -> Parts:
    """A random 80% of the commands for training."""
    return size(language, 80, seed)


@named(r"size-(?P<percent>{number})(?:-seed(?P<seed>{number}))?", "seed", [f"size-{percent}" for percent in SIZES])
def size(language: Language, percent: int, seed: int = 0) -> Parts:
    """A random percentage for training, the rest for test; a larger one contains the smaller (one permutation)."""
    if not 0 < percent < 100:
        raise InputError(f"size-{percent}: a training set has between 1 and 99 per cent of the commands")
    order = drawn(language.commands(), f"simple-seed{seed}")
    cut = len(order) * percent // 100
    return Parts(order[:cut], order[cut:])


# Experiment 2: long action sequences.


@named(r"length(?:-(?P<cutoff>{number}))?", "rule", ["length"])
def length(language: Language, cutoff: int = 22) -> Parts:
    """Training up to so many actions, test beyond."""
    return Parts(
        [example for example in language.commands() if len(example.actions) <= cutoff],
        [example for example in language.commands() if len(example.actions) > cutoff],
    )


# Experiment 3: a primitive seen alone, or with a few of its compositions.


@named(r"(?P<primitive>{primitive})", "rule", ["{primitive}"])
def add_primitive(language: Language, primitive: str) -> Parts:
    """Everything without the primitive, and the primitive alone for a tenth of the presentations."""
    return added(language, primitive, [])


@named(r"(?P<primitive>{primitive})-once", "rule", ["{primitive}-once"])
def add_primitive_once(language: Language, primitive: str) -> Parts:
    """The same train and test without over-sampling: every command is presented equally often."""
    parts = added(language, primitive, [])
    return Parts(parts.train, parts.test)


@named(
    r"few-(?P<primitive>{primitive})-(?P<shots>{number})-rep(?P<replicate>{number})",
    "seed",
    [f"few-jump-{shots}-rep{replicate}" for shots in SHOTS for replicate in range(1, REPLICATES + 1)],
)
def few_shot(language: Language, primitive: str, shots: int, replicate: int) -> Parts:
    """The same with some composed commands in training, drawn anew for each number and replicate."""
    if not 1 <= shots <= SHOTS[-1]:
        raise InputError(f"few-{primitive}-{shots}: between 1 and {SHOTS[-1]} composed commands can be shown")
    composed = added(language, primitive, []).test
    return added(language, primitive, drawn(composed, f"few-{primitive}-{shots}-rep{replicate}")[:shots])


def added(language: Language, primitive: str, shown: Sequence[Example]) -> Parts:
    """A primitive added to the rest of the language, alone and in the composed commands that are shown."""
    alone = _primitives(language)[primitive]
    new = [alone, *shown]
    others = [e for e in language.commands() if not has(e, alone.command)]
    if not others:
        raise InputError(f"{language.name} has no commands without {alone.command!r} to learn from")
    seen = {*others, *new}
    times = max(1, _rounded(_rounded(len(others), SHARE - 1), len(new)))
    return Parts([*others, *new], [e for e in language.commands() if e not in seen], dict.fromkeys(new, times))


def _rounded(number: int, divisor: int) -> int:
    return (2 * number + divisor) // (2 * divisor)  # halves go up, as in the release


# Loula, Baroni and Lake (2018): a verb and a direction never seen together.


@named(
    r"template-(?:(?P<verb>{primitive})-)?(?P<frame>(?:around-|opposite-)?right)",
    "rule",
    ["template-around-right", "template-jump-around-right", "template-opposite-right", "template-right"],
)
def template(language: Language, frame: str, verb: str | None = None) -> Parts:
    """Training without "VERB FRAME" (any verb, unless one is named), test with it."""
    words = frame.replace("-", " ")
    verbs = [verb] if verb else [example.command for example in language.primitives if " " not in example.command]
    commands = [e for e in language.commands() if not has(e, f"{TURN} {words}")]
    held_out = {e for e in commands if any(has(e, f"{one} {words}") for one in verbs)}
    return Parts([e for e in commands if e not in held_out], [e for e in commands if e in held_out])


@named(r"filler-(?P<fillers>[0-3])", "rule", [f"filler-{fillers}" for fillers in range(4)])
@lru_cache(maxsize=8)
def filler(language: Language, fillers: int) -> Parts:
    """Test "jump around right"; training has "around right" with none, one, two or three other verbs."""
    without = template(language, "around-right")
    shown = [
        e for e in without.test if not any(has(e, f"{verb} around right") for verb in ("jump", *FILLERS[fillers:]))
    ]
    return Parts([*without.train, *shown], template(language, "around-right", "jump").test)


@named(
    r"few-around-right-(?P<shots>{number})-rep(?P<replicate>{number})",
    "seed",
    [f"few-around-right-{2**n}-rep{replicate}" for n in range(11) for replicate in range(1, REPLICATES + 1)],
)
def few_around_right(language: Language, shots: int, replicate: int) -> Parts:
    """filler-0 and some commands of filler-1 in training, drawn anew for each number and replicate."""
    pool = around_right_pool(language)
    if not 1 <= shots <= len(pool):
        raise InputError(f"few-around-right-{shots}: between 1 and {len(pool):,} commands can be shown")
    return shown_around_right(language, drawn(pool, f"few-around-right-{shots}-rep{replicate}")[:shots])


def around_right_pool(language: Language) -> list[Example]:
    """What filler-1 shows and filler-0 does not: the commands with "look around right"."""
    known = set(filler(language, 0).train)
    return [e for e in filler(language, 1).train if e not in known]


def shown_around_right(language: Language, shown: Sequence[Example]) -> Parts:
    """filler-0 with these commands added to its training set."""
    none = filler(language, 0)
    return Parts([*none.train, *shown], none.test)
