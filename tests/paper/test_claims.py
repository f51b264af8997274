"""Claims hold, do not hold or are undecided by where the evidence lies."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from daxlab.paper.claims import CLAIMS, claims, every, gain, within
from daxlab.paper.runs import Runs
from daxlab.runs import Ledger, Writer

RESULTS = Path(__file__).parents[2] / "results" / "runs.db"
accuracies = st.lists(st.floats(0, 100), min_size=2, max_size=6)


@given(accuracies, st.floats(1, 99))
def test_what_holds_above_a_bound_does_not_hold_below_it(runs: list[float], bound: float) -> None:
    above, below = within("x", runs, least=bound).verdict, within("x", runs, most=bound).verdict
    mirror = {"holds": "does not hold", "does not hold": "holds", "undecided": "undecided"}
    assert below == mirror[above]


def test_one_part_that_does_not_hold_decides_and_one_that_is_undecided_leaves_it_open() -> None:
    good, bad, open_ = (within("x", [99.0, 99.1, 99.0], least=bound) for bound in (50, 99.9, 99.0))
    assert (good.verdict, bad.verdict, open_.verdict) == ("holds", "does not hold", "undecided")
    assert every(good, open_).verdict == "undecided"
    assert every(good, open_, bad).verdict == "does not hold"
    assert gain("x", [3.0, 3.1, 2.9]).verdict == "holds"


def test_a_ledger_without_runs_decides_nothing_that_needs_runs(tmp_path: Path) -> None:
    with Writer(tmp_path / "empty.db") as writer:
        found = {claim.id: claim.verdict for claim in claims(Runs(writer.ledger)) if claim.id != "recombined"}
    assert set(found.values()) == {"undecided"}


@pytest.mark.results
def test_the_shipped_runs_speak_to_every_claim_but_one() -> None:
    with Ledger(RESULTS) as ledger:
        found = {claim.id: claim for claim in claims(Runs(ledger))}
    assert list(found) == [claim.id for claim in CLAIMS]
    assert {name for name, claim in found.items() if "not measured" in claim.evidence} == {"few-best"}
    assert {found[name].verdict for name in ("random", "length", "turn-left", "jump", "daxy")} == {"holds"}
