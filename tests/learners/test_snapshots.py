"""Snapshots are what a network was on the way; they change nothing, and survive an interruption."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from safetensors.numpy import load

from daxlab import dataset
from daxlab.engine import WINDOW
from daxlab.learners import RNN, Context, Fitted, Job
from daxlab.learners.snapshots import points

SMALL = RNN(cell="gru", layers=1, hidden=8, attention=False, dropout=0.1, updates=3 * WINDOW + 50)


@given(st.integers(1, 100), st.integers(1, 200_000))
def test_points_are_ends_of_chunks_before_the_end_and_evenly_on_a_log_scale(count: int, updates: int) -> None:
    found = points(count, updates)
    assert len(found) <= count and found == sorted(set(found))
    assert all(0 < point < updates and point % WINDOW == 0 for point in found)
    assert (updates <= WINDOW) == (not found)
    ratios = [later / earlier for earlier, later in pairwise(found)]
    step = (updates / WINDOW) ** (1 / count)
    assert all(ratio <= step * 3 + 1e-9 for ratio in ratios)


def jobs(count: int = 2) -> list[Job]:
    scan = dataset("scan")
    return [Job(replace(SMALL, dropout=0.1 * n), scan, scan.split("simple"), n) for n in range(count)]


def fitted(**context: object) -> Fitted:
    done = SMALL.fit(jobs(), Context(**context))  # type: ignore[arg-type]
    assert done is not None
    return done


@pytest.fixture(scope="module")
def whole() -> Fitted:
    return fitted(snapshots=3)


def test_snapshots_change_nothing(whole: Fitted) -> None:
    without = fitted()
    for member in (0, 1):
        assert without.weights(member) == whole.weights(member)
        assert without.curves[member] == whole.curves[member]
        assert without.snapshots(member) == {}


def test_a_snapshot_is_what_a_network_is_that_trains_no_longer_than_that(whole: Fitted) -> None:
    for update, content in whole.snapshots(1).items():
        short = [replace(job, learner=replace(job.learner, updates=update)) for job in jobs()]
        ended = short[0].learner.fit(short, Context())
        assert ended is not None
        theirs, ours = load(ended.weights(1)), load(content)
        assert theirs.keys() == ours.keys()
        assert all((theirs[name] == ours[name]).all() for name in theirs)


def test_whoever_resumes_finds_what_was_taken_before(whole: Fitted, tmp_path: Path) -> None:
    place = tmp_path / f"{'a' * 64}.safetensors"
    stop = Context(checkpoint=place, snapshots=3, progress=lambda update, _: update < 2 * WINDOW)
    assert SMALL.fit(jobs(), stop) is None
    resumed = fitted(checkpoint=place, snapshots=3)
    assert resumed.resumed
    for member in (0, 1):
        assert resumed.snapshots(member) == whole.snapshots(member)
        assert len(resumed.snapshots(member)) > 1
