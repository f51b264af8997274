"""What is shown while runs are trained, on a terminal and elsewhere."""

from pathlib import Path

from rich.console import Console

from daxlab.cli.watching import shown, watch
from daxlab.ledger import Group, Writer
from daxlab.sweep import Plan, Spec
from daxlab.sweep.status import status
from daxlab.sweep.task import Noted, Progress

FACTS = [Spec("jump", seed).facts() for seed in range(6)]


def test_every_group_under_way_is_shown_with_its_updates_and_losses(tmp_path: Path) -> None:
    alone, together = Group(members=FACTS[:1]), Group(members=FACTS[1:])
    console = Console(record=True, width=120)
    with Writer(tmp_path / "runs.db") as writer:
        writer.record([alone, together])
        for group in (alone, together):
            writer.begin(group.key, {})
        writer.progress({alone.key: 25_000})
        losses = {alone.key: "loss 3.000"}
        console.print(shown(tmp_path / "runs.db", status(writer.ledger), losses))
    (first,) = (line for line in console.export_text(clear=False).splitlines() if "on jump, seed 0" in line)
    assert "25,000  100,000  loss 3.000" in first and first.count("━") == 5
    assert f"5 of {Spec('jump', 0).learner}" in console.export_text()


def test_in_a_terminal_the_status_is_live_while_runs_are_trained(capsys, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    group = Group(members=FACTS[:1])
    monkeypatch.setenv("COLUMNS", "200")
    with Writer(tmp_path / "runs.db") as writer, watch(tmp_path / "runs.db") as show:
        writer.record([group])
        writer.begin(group.key, {})
        show(Plan((), (), (group,)))
        show(Noted("", "a note"))
    said = capsys.readouterr().err
    assert "1 running" in said and "on jump, seed 0" in said and "a note" in said


def test_where_there_is_no_terminal_a_line_says_how_far_it_is(capsys, tmp_path: Path) -> None:
    group = Group(members=FACTS[:2])
    with Writer(tmp_path / "runs.db") as writer, watch(tmp_path / "runs.db") as show:
        writer.record([group])
        writer.begin(group.key, {})
        show(Progress(group.key, 200, (1.0, 3.0)))
        show(Progress(group.key, 400, (1.0, 3.0)))  # too soon for another line
        show(Noted("", "a note"))
    first, note = capsys.readouterr().err.splitlines()
    assert first.startswith("0 done, 2 running") and first.endswith("update 200, loss 2.000")
    assert note == "a note"
