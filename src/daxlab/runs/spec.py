"""What determines a run: a split of a language, an architecture, a protocol, a seed.

A spec is checked when it is made, and written down as plain facts, of which the run's key is a hash. Knows nothing of
how runs are grouped or where they are trained.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from daxlab.datasets import language, split
from daxlab.datasets.rules import Split
from daxlab.errors import InputError
from daxlab.protocol import SEMANTICS, Protocol
from daxlab.runs import key

CellName = Literal["srn", "lstm", "gru"]
CELLS: tuple[str, ...] = get_args(CellName)
MOST_SEEDS = 2**32


@dataclass(frozen=True)
class Architecture:
    """One of the paper's networks; the default is its overall best."""

    cell: CellName = "lstm"
    layers: int = 2
    hidden: int = 200
    attention: bool = False
    dropout: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "dropout", float(self.dropout))  # 0 and 0.0 are one architecture
        if self.cell not in CELLS:
            raise InputError(f"no cell is called {self.cell!r}; there are {', '.join(CELLS)}")
        for name, value, most in (("layers", self.layers, 100), ("hidden", self.hidden, 100_000)):
            if not 1 <= value <= most:
                raise InputError(f"{name} must be at least 1 and at most {most:,}, not {value}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout is a share from 0 to below 1, not {self.dropout}")

    @property
    def shape(self) -> str:
        """What its weights look like: all but dropout."""
        return f"{self.cell.upper()} {self.layers}x{self.hidden}{', attention' if self.attention else ''}"

    def __str__(self) -> str:
        return f"{self.shape}, dropout {self.dropout:g}"


@dataclass(frozen=True)
class Spec:
    """A run before it is one."""

    split: str
    seed: int
    architecture: Architecture = field(default_factory=Architecture)
    protocol: Protocol = field(default_factory=Protocol)
    language: str = "scan"

    def __post_init__(self) -> None:
        if not 0 <= self.seed < MOST_SEEDS:
            raise InputError(f"a seed is a whole number from 0 to {MOST_SEEDS - 1}, not {self.seed}")

    def content(self) -> Split:
        """The split itself."""
        return split(self.split, self.language)

    def facts(self) -> dict[str, Any]:
        """All that determines the run, the split and its language by what they hold."""
        return self._shown() | self._made()

    def _shown(self) -> dict[str, Any]:
        content = self.content()
        return {"language": self._language(), "split": {"name": content.name, "digest": content.digest}}

    def _made(self) -> dict[str, Any]:
        return {
            "network": asdict(self.architecture),
            "protocol": asdict(self.protocol),
            "seed": self.seed,
            "semantics": SEMANTICS,
        }

    def _language(self) -> dict[str, str]:
        """As it calls itself: a corpus that goes by several names is written down as the release that it is."""
        lang = language(self.language)
        return {"name": lang.name, "digest": lang.digest}

    @classmethod
    def of(cls, facts: Any, *, whole: bool = True, language: str | None = None) -> "Spec":
        """The spec that was written down; refused if it would no longer be the same run, or, if not whole, of the same
        language. `language`: where that is now, unless it is where it was."""
        spec = cls(
            split=facts["split"]["name"],
            seed=facts["seed"],
            architecture=Architecture(**facts["network"]),
            protocol=Protocol(**facts["protocol"]),
            language=language or facts["language"]["name"],
        )
        now = spec.facts() if whole else {"language": spec._language()}
        for part in now:
            if key(now[part]) != key(facts[part]):
                raise InputError(f"the {part} of this run is no longer what it was when the run was recorded")
        return spec


def all_facts(specs: Iterable[Spec]) -> list[dict[str, Any]]:
    """The facts of many specs; each split is looked into once."""
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    found = []
    for spec in specs:
        place = (spec.language, spec.split)
        if place not in shown:
            shown[place] = spec._shown()
        found.append(shown[place] | spec._made())
    return found
