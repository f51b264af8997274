"""Every figure that the paper states, by an id, as targets.json has them.

Knows what the paper says; knows nothing of what we measured.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("targets.json")
RUNS = 5  # "accuracy values here and below are averaged over the five training runs"


@dataclass(frozen=True)
class Target:
    """A published figure: a number, a bound, a range, a table, or a relation in words."""

    id: str
    experiment: str
    network: str | None = None
    value: float | None = None  # per cent of exact matches, unless `unit` says otherwise
    relation: str | None = None  # "less than", "more than", "at least": the value is a bound
    range: Sequence[float] | None = None  # its two ends
    table: dict[str, Any] | None = None
    unit: str | None = None
    approx: bool = False  # the paper says "about"
    runs: int | None = None  # that the figure averages, where the paper says so

    @property
    def figure(self) -> Any:
        """What the paper states, as plain data."""
        forms = (self.value, self.range, self.table, self.relation)
        return next((form for form in forms if form is not None), None)

    @property
    def averaged(self) -> int:
        """How many runs the figure averages: five, but Experiment 4 trained one network a condition."""
        return self.runs or (1 if self.id.startswith("exp4.") else RUNS)

    def __str__(self) -> str:
        if self.range:
            return f"{self.range[0]:g} to {self.range[1]:g}"
        if self.value is None:
            return "a table" if self.table else WRITTEN.get(self.relation or "", "")
        return f"{WRITTEN.get(self.relation or '', '')}{'about ' if self.approx else ''}{self.value:g}"


FIGURES = {"simple": "exp1", "length": "exp2", "jump": "exp3.jump", "turn-left": "exp3.turn-left"}  # ids begin so
WRITTEN = {"less than": "< ", "more than": "> ", "at least": "≥ ", "consistently worse than with": "worse"}


@cache
def paper() -> dict[str, Any]:
    """All of targets.json: networks, search, language, training, results."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@cache
def targets() -> tuple[Target, ...]:
    """The figures, in the order of the file."""
    results: list[dict[str, Any]] = paper()["results"]
    return tuple(Target(**result) for result in results)


@cache
def numbers() -> dict[str, float]:
    """The figures that are numbers, by id."""
    return {target.id: target.value for target in targets() if target.value is not None}


def target(name: str) -> Target:
    """The figure with an id."""
    return next(target for target in targets() if target.id == name)


def stated(experiment: str, kind: str = "best") -> float:
    """The figure for the best network on one of the four main experiments, or there for the overall best."""
    return numbers()[f"{FIGURES[experiment]}.{kind}"]
