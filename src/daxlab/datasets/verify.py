"""Compare a release of SCAN with our rules, file by file: the same set, the same multiplicities.

Where a file was drawn at random, the drawn commands are read from the file, the rest is generated from them by the
rule, and the two must agree in full.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daxlab.datasets import release, rules
from daxlab.datasets.source import Folder, opened
from daxlab.languages import Example, Language

Verdict = Literal["same", "holds", "differs", "missing", "unknown"]
Reason = tuple[Verdict, str]
GOOD: tuple[Verdict, ...] = ("same", "holds")
SHORT = {  # some few-shot files of the release have fewer new commands than their names say
    "few_shot_split/fewshot_num32_rep3": 31,
    **{f"few_shot_split/fewshot_num64_rep{n}": shots for n, shots in enumerate((61, 61, 63, 62, 60), 1)},
}


@dataclass(frozen=True)
class Finding:
    """The result for one file. "same": as the rule says; "holds": drawn at random, and the rest is as the rule says."""

    file: str
    verdict: Verdict
    lines: int
    detail: str


class _Mismatch(Exception):
    """A pair of files cannot come from the draw that its name says."""


def verify(path: Path, language: Language) -> Iterator[Finding]:
    """A finding for each file of a release of SCAN, in its order, and for each text file that it should not have."""
    line_of = {example: release.line(example) for example in language.commands()}
    example_of = {line: example for example, line in line_of.items()}
    with opened(path, release.ALL) as folder:
        every = Counter(line_of.values())
        yield _finding(release.ALL, _lines(folder / release.ALL), every, "same", "every command of the grammar")
        simple = [line for file in release.sides(release.SIMPLE) for line in _lines(folder / file) or ()]
        order = [example_of[line] for line in simple if line in example_of]
        for pair in release.PAIRS:
            files = release.sides(pair)
            contents = [_lines(folder / file) for file in files]
            shown = [example_of[line] for line in dict.fromkeys(contents[0] or ()) if line in example_of]
            try:
                sides, *reasons = _expected(pair, shown, order, language)
            except _Mismatch as mismatch:
                sides, reasons = rules.Sides((), ()), [("differs", str(mismatch))] * 2
            train = Counter({line_of[example]: sides.repeated.get(example, 1) for example in sides.train})
            test = Counter(line_of[example] for example in sides.test)
            for file, lines, expected, reason in zip(files, contents, (train, test), reasons, strict=True):
                yield _finding(file, lines, expected, *reason)
        for file in sorted(set(_text_files(folder)) - set(release.SCAN.files)):
            yield Finding(file, "unknown", len(_lines(folder / file) or ()), "the release has no such file")


def _text_files(folder: Folder, prefix: str = "") -> Iterator[str]:
    for file in folder.iterdir():
        if file.is_dir():
            yield from _text_files(file, f"{prefix}{file.name}/")
        elif file.name.endswith(".txt"):
            yield prefix + file.name


def _lines(file: Folder) -> list[str] | None:
    return file.read_bytes().decode(errors="backslashreplace").splitlines() if file.is_file() else None


def _expected(
    pair: str, shown: Sequence[Example], order: Sequence[Example], language: Language
) -> tuple[rules.Sides, Reason, Reason]:
    """What a pair of files must contain, and why for each; `shown` is its training set, `order` the simple pair's."""
    if pair in release.BY_RULE:
        name = release.BY_RULE[pair]
        split = rules.make(name, language)
        assert split is not None, name
        repeated = dict(zip(split.train, split.weights, strict=True))
        return rules.Sides(split.train, split.test, repeated), ("same", f"our {name}"), ("same", f"our {name}")
    if pair in release.BY_SIZE:
        if Counter(order) != Counter(language.commands()):
            raise _Mismatch("cannot be checked: the simple pair, whose order it has, is not every command once")
        cut = len(order) * release.BY_SIZE[pair] // 100
        sides = rules.Sides(order[:cut], order[cut:])
        return sides, ("holds", f"the first {cut:,} of simple"), ("holds", "the rest of simple")
    if pair in release.FEW_JUMP:
        shots, noun = release.FEW_JUMP[pair], "composed jump commands"
        chosen = _chosen(shown, rules.added(language, "jump", []).test, shots, noun)
        drawn = f"{shots} {noun}, the rest by rule"
        return rules.added(language, "jump", chosen), ("holds", drawn), ("holds", f"the other {noun}")
    shots, noun = release.FEW_AROUND_RIGHT[pair], "'look around right' commands"
    chosen = _chosen(shown, rules.around_right_pool(language), SHORT.get(pair, shots), noun)
    short = f" (not {shots}: so in the release)" if pair in SHORT else ""
    drawn = f"{len(chosen)} {noun}, the rest by rule{short}"
    return rules.shown_around_right(language, chosen), ("holds", drawn), ("same", "our filler-0")


def _chosen(shown: Sequence[Example], pool: Sequence[Example], shots: int, noun: str) -> list[Example]:
    """The commands in training that were drawn from the pool."""
    possible = set(pool)
    chosen = [example for example in shown if example in possible]
    if len(chosen) != shots:
        raise _Mismatch(f"{len(chosen)} {noun} in training, not {shots}")
    return chosen


def _finding(file: str, lines: list[str] | None, expected: Counter[str], verdict: Verdict, detail: str) -> Finding:
    if lines is None:
        return Finding(file, "missing", 0, "not in this release")
    found = Counter(lines)
    if verdict != "differs" and dict(found) != dict(expected):  # faster than subtracting equals
        extra, lacking = found - expected, expected - found
        counts = f"{extra.total():,} lines too many and {lacking.total():,} too few"
        first = next(iter(extra or lacking))
        return Finding(file, "differs", len(lines), f"{counts} for {detail}; first: {first[:80]!r}")
    return Finding(file, verdict, len(lines), detail)
