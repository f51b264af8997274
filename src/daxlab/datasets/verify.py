"""Compare a release of SCAN with our rules, file by file: the same set, the same multiplicities.

Where a file was drawn at random, the drawn commands are read from the file, the rest is generated from them by the
rule, and the two must agree in full.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from daxlab.datasets import release, rules
from daxlab.datasets.source import Files, opened, read
from daxlab.languages import Example, Language

Verdict = Literal["same", "holds", "differs", "missing", "unknown"]
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
    """A file has what it should not have, or lacks something."""


class _Side(NamedTuple):
    """What a file must contain, and why."""

    lines: Counter[str]
    verdict: Verdict
    detail: str


def verify(path: Path, language: Language) -> Iterator[Finding]:
    """A finding for each file of a release of SCAN, in its order, and for each text file that it should not have."""
    with opened(path, release.ALL) as files:
        yield from _Release(files, language).findings()


class _Release:
    def __init__(self, files: Files, language: Language) -> None:
        self._files = files
        self._language = language
        self._line = {example: release.line(example) for example in language.commands()}
        self._example = {line: example for example, line in self._line.items()}
        self._permutation: list[str] = []  # simple's train lines, then its test lines

    def findings(self) -> Iterator[Finding]:
        whole = _Side(Counter(self._line.values()), "same", "every command of the grammar")
        yield _finding(release.ALL, self._read(release.ALL), whole)
        for pair in release.PAIRS:
            files = release.sides(pair)
            contents = [self._read(file) for file in files]
            try:
                sides = self._expected(pair, *(lines or [] for lines in contents))
            except _Mismatch as mismatch:
                sides = (_Side(Counter(), "differs", str(mismatch)),) * 2
            yield from map(_finding, files, contents, sides)
        for file in sorted(self._files.keys() - set(release.SCAN.files)):
            if file.endswith(".txt"):
                yield Finding(file, "unknown", len(self._read(file) or []), "the release has no such file")

    def _read(self, file: str) -> list[str] | None:
        if file not in self._files:
            return None
        return read(self._files[file]).decode(errors="backslashreplace").splitlines()

    def _expected(self, pair: str, train: list[str], test: list[str]) -> tuple[_Side, _Side]:
        if pair in release.BY_RULE:
            name = release.BY_RULE[pair]
            made = rules.make(name, self._language)
            assert made is not None, name
            sides = rules.Sides(made.train, made.test, dict(zip(made.train, made.weights, strict=True)))
            return self._sides(sides, ("same", f"our {name}"), ("same", f"our {name}"))
        if pair == release.SIMPLE:
            return self._simple(train, test)
        if pair in release.BY_SIZE:
            if Counter(self._permutation) != Counter(self._line.values()):
                raise _Mismatch("cannot be checked: its order is that of the simple pair, which is not whole")
            cut = len(self._line) * release.BY_SIZE[pair] // 100
            first, rest = Counter(self._permutation[:cut]), Counter(self._permutation[cut:])
            return _Side(first, "holds", f"the first {cut:,} of simple"), _Side(rest, "holds", "the rest of simple")
        if pair in release.FEW_JUMP:
            pool = rules.added(self._language, "jump", []).test
            chosen, drawn = self._chosen(pool, train, release.FEW_JUMP[pair], "composed jump commands")
            sides = rules.added(self._language, "jump", chosen)
            return self._sides(sides, ("holds", drawn), ("holds", "the other composed jump commands"))
        pool = rules.around_right_pool(self._language)
        shots = release.FEW_AROUND_RIGHT[pair]
        chosen, drawn = self._chosen(pool, train, SHORT.get(pair, shots), "'look around right' commands")
        drawn += f" (not {shots}: so in the release)" if pair in SHORT else ""
        sides = rules.shown_around_right(self._language, chosen)
        return self._sides(sides, ("holds", drawn), ("same", "our filler-0"))

    def _simple(self, train: list[str], test: list[str]) -> tuple[_Side, _Side]:
        self._permutation = [*train, *test]
        cut, every = len(self._line) * 80 // 100, Counter(self._line.values())
        if len(train) != cut:
            raise _Mismatch(f"{len(train):,} commands in training, not 80% ({cut:,})")
        return (
            _Side(every - Counter(test), "holds", "80%, none of them in test"),
            _Side(every - Counter(train), "holds", "20%, all that is not in training"),
        )

    def _chosen(self, pool: Sequence[Example], train: list[str], shots: int, noun: str) -> tuple[list[Example], str]:
        """The commands that were drawn from the pool, and a description."""
        possible = {self._line[example] for example in pool}
        chosen = [self._example[line] for line in dict.fromkeys(train) if line in possible]
        if len(chosen) != shots:
            raise _Mismatch(f"{len(chosen)} {noun} in training, not {shots}")
        return chosen, f"{shots} {noun}, the rest by rule"

    def _sides(self, sides: rules.Sides, train: tuple[Verdict, str], test: tuple[Verdict, str]) -> tuple[_Side, _Side]:
        shown = Counter({self._line[example]: sides.repeated.get(example, 1) for example in sides.train})
        return _Side(shown, *train), _Side(Counter(self._line[example] for example in sides.test), *test)


def _finding(file: str, lines: list[str] | None, side: _Side) -> Finding:
    if lines is None:
        return Finding(file, "missing", 0, "not in this release")
    if side.verdict == "differs":
        return Finding(file, "differs", len(lines), side.detail)
    extra, lacking = Counter(lines) - side.lines, side.lines - Counter(lines)
    if not extra and not lacking:
        return Finding(file, side.verdict, len(lines), side.detail)
    counts = f"{extra.total():,} lines too many and {lacking.total():,} too few"
    first = next(iter(extra or lacking))
    return Finding(file, "differs", len(lines), f"{counts} for {side.detail}; first: {first[:80]!r}")
