"""What was published on SCAN since the paper, figure by figure with its source, as published.json has it.

Of each system, `told` is what it is given beside the training examples, and `protocol` how its training or selection
is known to differ from the paper's: "" if it does not, None if that is not known.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

from daxlab.paper.targets import RUNS

FILE = Path(__file__).with_name("published.json")
MEANS = {"mcd-mean": "mean of mcd1 to mcd3", "all-splits": "of all splits"}  # figures of several splits at once
DRAW = re.compile(r"-rep\d+$")  # ends the name of a split that is one draw of several


@dataclass(frozen=True)
class Published:
    """A figure that somebody published: per cent of test commands wholly right."""

    system: str
    split: str
    mean: float
    source: str
    status: str  # "primary" if it was read in the authors' own text, log or code, else "secondary"
    spread: float | None = None
    spread_kind: str | None = None
    runs: int | None = None
    note: str = ""
    told: str | None = None
    protocol: str | None = None

    @property
    def deviation(self) -> float | None:
        """The standard deviation of its runs (five if it does not say how many), as far as its spread tells."""
        from scipy.special import stdtrit  # slow to load

        runs = self.runs or RUNS
        if self.spread is None or runs < 2:
            return None
        errors = {"sd": 1 / sqrt(runs), "standard error": 1.0, "95% interval": 1 / stdtrit(runs - 1, 0.975)}
        return float(self.spread * errors[self.spread_kind or "sd"] * sqrt(runs))

    @property
    def same_protocol(self) -> bool:
        """Whether it was trained as the paper's networks were, and told nothing."""
        return self.protocol == "" and self.told == "nothing"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "same_protocol": self.same_protocol}


@cache
def figures() -> tuple[Published, ...]:
    """Every figure, in the order of the file."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    sources, systems = content["sources"], content["systems"]
    return tuple(
        Published(**{**figure, **systems[figure["system"]], "source": sources[figure["source"]]})
        for figure in content["figures"]
    )


def of(systems: Sequence[str], split: str) -> Published | None:
    """The figure on a split of the first of these systems that has one; a mean of 100 over several splits is one too.

    >>> of(["NQG (ReScience replication)"], "mcd2").mean, of(["CGPS (Li 2019)"], "few-jump-8")
    (100.0, None)
    """
    for system in systems:
        own = {figure.split: figure for figure in figures() if figure.system == system}
        several = [own[name] for name in MEANS if name in own and own[name].mean == 100 and own[name] in on(split)]
        if found := own.get(split) or next(iter(several), None):
            return found
    return None


def on(split: str) -> list[Published]:
    """The figures on a split of SCAN, the best first. Those that are means over several splits say so in their note.

    >>> [figure.mean for figure in on("turn-left") if figure.same_protocol]
    [90.0]
    """
    kind = DRAW.sub("", split)
    names = {kind, "mcd-mean", "all-splits"} if kind.startswith("mcd") else {kind}
    found = [figure for figure in figures() if figure.split in names]
    return sorted(found, key=lambda figure: -figure.mean)
