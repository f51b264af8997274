"""The phases of a group: what a worker tells of them, and what the ledger keeps."""

from contextlib import contextmanager
from pathlib import Path

import pytest

from daxlab.learners import RNN
from daxlab.ledger import Ledger
from daxlab.sweep import Spec, phases as timing, sweep
from daxlab.sweep.phases import Phases
from daxlab.sweep.status import At, moved, status
from daxlab.sweep.task import Entered, Finished, Progress, Started
from executors import in_process

SMALL = RNN("srn", 1, 4, updates=600)


@pytest.fixture
def clock(monkeypatch):
    """A clock that one sets."""
    now = [0.0]
    monkeypatch.setattr(timing, "monotonic", lambda: now[0])
    return now


def test_a_group_is_starting_compiling_training_and_scoring_in_this_order(tiny: Path, tmp_path: Path) -> None:
    events = []
    sweep([Spec("jump", 0, SMALL, str(tiny))], tmp_path / "runs.db", executor=in_process, show=events.append)
    entered = [event.phase for event in events if isinstance(event, Entered)]
    assert list(dict.fromkeys(entered)) == ["starting", "compiling", "training", "scoring"]
    order = [type(event) for event in events if isinstance(event, Entered | Progress | Finished)]
    assert order.index(Progress) > entered.index("training")
    assert order[-1] is Finished


def test_scoring_is_told_up_to_its_last_answer(tiny: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(timing, "TOLD_EVERY", 0.0)
    events = []
    sweep([Spec("jump", 0, SMALL, str(tiny))], tmp_path / "runs.db", executor=in_process, show=events.append)
    scored = [(event.done, event.of) for event in events if isinstance(event, Entered) and event.of]
    assert scored == sorted(scored) and len(scored) > 3
    assert scored[-1][0] == scored[-1][1] > scored[0][0]


def test_whoever_looks_at_the_ledger_sees_the_phase_as_soon_as_it_changes(tiny: Path, tmp_path: Path) -> None:
    seen = {}

    def look(event) -> None:
        if isinstance(event, Entered):
            with Ledger(tmp_path / "runs.db") as ledger:
                (group,) = status(ledger).groups
                seen[event.phase] = group.phase

    sweep([Spec("jump", 0, SMALL, str(tiny))], tmp_path / "runs.db", executor=in_process, show=look)
    assert seen == {phase: phase for phase in ("starting", "compiling", "training", "scoring")}


def test_the_last_steps_with_their_point_of_the_curve_do_not_count_as_the_pace(clock) -> None:
    group = Phases("group", "program", lambda event: None, 0.0, resumes=False)
    for clock[0], done in ((10.0, None), (12.0, 200), (14.0, 400), (19.0, 600)):
        group.enter("training") if done is None else group.step(done, ())
    group.enter("scoring")
    clock[0] = 30.0
    found = group.timing(600)
    assert (found["start_seconds"], found["step_seconds"], found["end_seconds"]) == pytest.approx((10, 0.01, 14))


def test_what_a_resumed_group_trained_before_is_not_counted(clock) -> None:
    group = Phases("group", "program", lambda event: None, 0.0, resumes=True)
    for clock[0], done in ((10.0, None), (12.0, 50_200), (14.0, 50_400), (16.0, 50_600), (18.0, 50_800)):
        group.enter("training") if done is None else group.step(done, ())
    assert group.timing(50_800)["step_seconds"] == pytest.approx(0.01)


def test_waiting_for_a_turn_is_told_and_not_counted(clock) -> None:
    @contextmanager
    def turn():
        clock[0] += 100
        yield

    told = []
    group = Phases("group", "program", told.append, 0.0, resumes=False)
    with group.awaited(turn()):
        clock[0] += 3
        group.enter("training")
    assert [event.phase for event in told] == ["waiting", "training"]
    assert group.timing(1)["start_seconds"] == pytest.approx(3)


def test_a_group_moves_from_phase_to_phase_and_its_pace_is_that_of_its_training(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.time", lambda: now[0])
    at = None
    for now[0], event in (
        (100.0, Started("g")),
        (101.0, Entered("g", "compiling")),
        (130.0, Entered("g", "training")),
        (132.0, Progress("g", 200, ())),
        (140.0, Progress("g", 1_000, ())),
    ):
        at = moved(at, event)
    assert at == At("training", 130.0, pace=0.01, first=(200, 132.0))
    at = moved(at, Entered("g", "scoring"))
    now[0] = 150.0
    assert moved(at, Entered("g", "scoring", 1, 4)) == At("scoring", 140.0, 1, 4)
