"""What is shown while runs are trained, on a terminal and elsewhere."""

import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from daxlab import watching
from daxlab.ledger import Group, Run, Writer
from daxlab.sweep import Plan, Spec
from daxlab.sweep.status import beginning
from daxlab.sweep.task import Entered, Noted, Progress, Started
from daxlab.watching import in_words, look, shown, watch

FACTS = [Spec("jump", seed).facts() for seed in range(6)]
LABEL = str(Spec("jump", 0).learner)


def lines(path: Path, width: int = 80) -> list[str]:
    """What stands in a terminal."""
    console = Console(record=True, width=width, file=StringIO())
    console.print(shown(path, look(path)))
    return console.export_text().splitlines()


def line_of(path: Path, beginning: str) -> str:
    (line,) = (line for line in lines(path) if line.startswith(beginning))
    return " ".join(line.split())


@pytest.fixture
def four(tmp_path: Path):
    """A ledger in which a sweep of four runs has begun: its path, its writer, its groups."""
    groups = [Group(members=[fact]) for fact in FACTS[:4]]
    with Writer(tmp_path / "runs.db") as writer:
        writer.record(groups)
        writer.progress({}, beginning(writer.ledger, groups, ["jump"]))
        for group in groups[:3]:
            writer.begin(group.key, {})
        yield tmp_path / "runs.db", writer, groups


def note(writer: Writer, phases: dict[str, dict], updates: dict[str, int] | None = None) -> None:
    writer.progress(updates or {}, {"phases": phases})


def test_each_group_has_a_line_with_its_phase_and_those_that_wait_come_last(four) -> None:
    path, writer, (first, second, third, _) = four
    now = time.time()
    compiling = {"phase": "compiling", "since": now - 36}
    training = {"phase": "training", "since": now - 9, "pace": 0.001}
    scoring = {"phase": "scoring", "since": now - 30, "done": 3_000, "of": 4_000}
    note(
        writer,
        {first.key: compiling, second.key: training, third.key: scoring},
        {second.key: 50_000, third.key: 100_000},
    )
    assert line_of(path, "jump, seed 0") == "jump, seed 0 compiling 36 s so far"
    assert line_of(path, "jump, seed 1") == "jump, seed 1 ━━━━━━━━ training 50% 50 s left"
    assert line_of(path, "jump, seed 2") == "jump, seed 2 ━━━━━━━━━━━━━━━━ scoring 75% 10 s left"
    assert line_of(path, "jump, seed 3") == "jump, seed 3 waiting"
    assert LABEL in map(str.strip, lines(path))
    assert max(map(len, lines(path))) <= 80


def test_a_group_of_several_runs_is_one_line_and_labels_that_differ_are_told_apart(tmp_path: Path) -> None:
    other = Spec("jump", 0, Spec("jump", 0).learner.__class__(hidden=7)).facts()
    together, alone = Group(members=FACTS[:5]), Group(members=[other])
    with Writer(tmp_path / "runs.db") as writer:
        writer.record([together, alone])
        writer.progress({}, beginning(writer.ledger, [together, alone], ["jump"]))
        text = "\n".join(lines(tmp_path / "runs.db", 200))
    assert f"5 of {LABEL}" in text
    assert "jump, seed 0" in text


def test_in_words_a_sweep_is_counts_phases_and_the_time_left(four) -> None:
    path, writer, (first, second, third, _) = four
    writer.add([Run(spec=FACTS[0], group=first.key)])
    training = {"phase": "training", "since": time.time(), "pace": 0.001}
    scoring = {"phase": "scoring", "since": time.time() - 10, "done": 1, "of": 2}
    note(writer, {second.key: training, third.key: scoring}, {second.key: 60_000})
    words = in_words(look(path))
    assert words.startswith("1 of 4 runs trained, 1 training (60%), 1 scoring (50%), about ")
    assert words.endswith("left, scoring not counted")  # no run was timed before


def test_time_goes_on_between_two_looks(four, monkeypatch) -> None:
    path, writer, groups = four
    note(writer, {groups[0].key: {"phase": "compiling", "since": time.time()}})
    now = watching._aged(look(path), 20)
    assert now.groups[0].seconds == pytest.approx(20, abs=5)


def test_in_a_terminal_the_picture_is_live_while_runs_are_trained(capsys, four, monkeypatch) -> None:
    path, _, (first, *_) = four
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    monkeypatch.setenv("COLUMNS", "200")
    with watch(path) as show:
        show(Plan((), (), ()))
        show(Started(first.key))
        show(Entered(first.key, "scoring", 1, 4))  # not written down by anybody
        show(Noted("", "a note"))
    said = capsys.readouterr().err
    assert "3 running" in said and "jump, seed 0" in said and "25%" in said and "a note" in said


def test_where_there_is_no_terminal_a_line_now_and_then_says_how_far_it_is_even_if_nothing_is_heard(
    capsys, four, monkeypatch
) -> None:
    path, _, (first, *_) = four
    monkeypatch.setattr(watching, "FIRST_LINE", 0.05)
    said = ""
    with watch(path) as show:
        show(Plan((), (), ()))
        show(Progress(first.key, 25_000, (1.0, 3.0)))
        show(Noted("", "a note"))
        while "trained" not in said:
            said += capsys.readouterr().err
            time.sleep(0.05)
    noted, line = said.splitlines()
    assert noted == "a note"
    assert line.startswith("0 of 4 runs trained, 1 training (25%), 2 starting")
