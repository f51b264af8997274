"""Two sets of runs compared: which is better, by how much, how sure that is, and on which commands."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daxlab.api.find import runs
from daxlab.api.run import Run
from daxlab.api.runs import Runs
from daxlab.errors import InputError
from daxlab.ledger import Ledger

if TYPE_CHECKING:
    import polars as pl

MOST_SHOWN = 12  # comparisons
SHOWN = {"split": "split", "A": "learner_a", "B": "learner_b"}


class Comparison:
    """Two sets of runs, A and B, learner by learner and split by split: `frame()` has a row for each pair.

    >>> import daxlab
    >>> a = daxlab.runs(cell="gru", split="length", learner="rnn")
    >>> b = daxlab.runs(cell="srn", split="length", learner="rnn")
    >>> both = daxlab.compare(a, b)
    >>> both.frame().height, len(both.over_learners().row(0))
    (60, 9)
    """

    def __init__(self, a: Runs, b: Runs) -> None:
        self.a, self.b = a, b

    @cached_property
    def _frame(self) -> "pl.DataFrame":
        from daxlab.analysis import contrast  # polars is slow to load

        for side in (self.a, self.b):
            side.need_some()
        same = self.a.ledger.resolve() == self.b.ledger.resolve()
        if same and self.a.filters is not None and self.b.filters is not None:
            with Ledger(self.a.ledger) as ledger:
                return contrast.compare(ledger, self.a.filters, self.b.filters)
        if same:
            contrast.refuse_shared(self.a.rows, self.b.rows)
        return contrast.compared(self.a.rows, self.b.rows)

    def frame(self) -> "pl.DataFrame":
        """A row per split and pair of matched learners; daxlab.analysis.contrast.compare says what the columns are."""
        return self._frame

    def over_learners(self) -> "pl.DataFrame":
        """A row per split with several matched learners: in how many A is ahead, and the mean difference."""
        from daxlab.analysis.contrast import over_learners

        return over_learners(self._frame)

    def commands(self) -> "pl.DataFrame":
        """A row per test command: the per cent of A's and of B's runs that answer it right; A's successes first.

        For one pair of learners, of whose runs the ledger has answers.
        """
        from daxlab.analysis.contrast import items

        row = self._only()
        with ExitStack() as stack:
            of_a, of_b = (stack.enter_context(Ledger(side.ledger)) for side in (self.a, self.b))
            return items(of_a, row["keys_a"], row["keys_b"], of_b)

    @property
    def difference(self) -> tuple[float, float | None, float | None]:
        """A's mean minus B's, in points, with the ends of its 95% interval. For one pair of learners.

        >>> import daxlab
        >>> whole, half = ({"learner": "grammar", "repair": repair} for repair in (True, False))
        >>> [round(end, 2) for end in daxlab.compare(whole, half, split="jump").difference]
        [0.02, -0.55, 0.06]
        """
        row = self._only()
        return row["difference"], row["difference_low"], row["difference_high"]

    def _only(self) -> dict[str, Any]:
        pairs = self._pairs()
        if len(pairs) != 1:
            raise InputError(f"these are {len(pairs)} pairs of learners: choose runs of one pair, or see frame()")
        return pairs[0]

    def _pairs(self) -> list[dict[str, Any]]:
        rows = self._frame.iter_rows(named=True)
        return [row for row in rows if row["learner_a"] and row["learner_b"]]

    def _unmatched(self) -> str:
        left = self._frame.height - len(self._pairs())
        return f"{left} without a partner on the other side" if left else ""

    def __repr__(self) -> str:
        lines = []
        for row in self._pairs()[:MOST_SHOWN]:
            lines.append(f"{row['split']}: A − B is {_points(row, 'difference')} points{_sure(row)}")
            lines += [f"  {side.upper()} {row[f'learner_{side}']}: {_side(row, side)}" for side in "ab"]
        more = len(self._pairs()) - MOST_SHOWN
        rest = [f"… and {more} more: frame() has them all"] if more > 0 else []
        return "\n".join([*lines, *rest, *filter(None, [self._unmatched()])])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in (*SHOWN, "A %", "B %", "A − B", "a run of A is better"))
        body = ""
        for row in self._pairs()[:MOST_SHOWN]:
            cells = [*(row[name] for name in SHOWN.values()), _side(row, "a"), _side(row, "b")]
            cells += [_points(row, "difference"), "–" if row["better"] is None else f"{row['better']:.2f}"]
            body += f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>"
        more = len(self._pairs()) - MOST_SHOWN
        rest = [f"… and {more} more: frame() has them all"] if more > 0 else []
        return f"<table><tr>{head}</tr>{body}</table><p>{'; '.join([*rest, *filter(None, [self._unmatched()])])}</p>"


def compare(
    a: "Runs | Run | Mapping[str, Any]",
    b: "Runs | Run | Mapping[str, Any]",
    *,
    ledger: str | Path | None = None,
    **where: Any,
) -> Comparison:
    """Compare two sets of runs: by how much A is better than B, how sure that is, and on which commands.

    Each side is some runs, or filters for them; `where` filters both. Learners are matched that differ in nothing but
    what tells the two sides apart, and runs of the same seed are pairs.

    >>> import daxlab
    >>> daxlab.compare({"hidden": 25}, {"hidden": 50}, split="jump", cell="gru", layers=1, dropout=0, attention=True)
    jump: A − B is -0.15 (-3.37 to 3.24) points; a run of A is better than one of B with probability 0.24
      A GRU 1x25, attention, dropout 0: 0.08 (0.02 to 3.43), 5 runs
      B GRU 1x50, attention, dropout 0: 0.23 (0.09 to 3.48), 5 runs
    """
    both = Comparison(*(_side_of(side, ledger, where) for side in (a, b)))
    both.frame()  # whoever asks for what cannot be compared is told here
    return both


def _side_of(side: "Runs | Run | Mapping[str, Any]", ledger: str | Path | None, where: Mapping[str, Any]) -> Runs:
    if isinstance(side, Mapping):
        return runs(ledger, **{**where, **side})
    if isinstance(side, Run):
        side = side.alone()
    if not isinstance(side, Runs):
        raise InputError(f"what is compared are runs, or filters such as {{'hidden': 50}}, not {side!r}")
    return side.where(**where) if where else side


def _points(row: Mapping[str, Any], name: str) -> str:
    ends = f" ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})" if row[f"{name}_low"] is not None else ""
    return "–" if row[name] is None else f"{row[name]:.2f}{ends}"


def _side(row: Mapping[str, Any], side: str) -> str:
    mean, low, high, count = (row[f"{name}_{side}"] for name in ("mean", "low", "high", "runs"))
    if mean is None:
        return "no accuracy"
    return f"{mean:.2f}{'' if low is None else f' ({low:.2f} to {high:.2f})'}, {count} run{'s' * (count != 1)}"


def _sure(row: Mapping[str, Any]) -> str:
    better = row["better"]
    return "" if better is None else f"; a run of A is better than one of B with probability {better:.2f}"
