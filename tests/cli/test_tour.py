"""The quick tour, as `make quickstart` runs it."""

import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from daxlab.cli import tour
from daxlab.ledger import Group, Run, Writer
from daxlab.sweep import Spec, sweep
from daxlab.sweep.status import beginning
from daxlab.watching import look
from executors import in_process

SHORT = replace(tour.NETWORK, updates=200)


def test_every_split_is_drawn_beside_the_paper_s_figure(capsys) -> None:
    tour._show({"simple": 96.0, "turn-left": None, "length": 14.0, "jump": 0.0})
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if "asks for" in line] == list(tour.ASKS)
    assert "█" * 29 + "   96.0" in shown
    assert shown.count("paper") == 1 + len(tour.ASKS)


def test_each_network_has_one_line_from_waiting_to_trained(tmp_path: Path) -> None:
    specs = {split: Spec(split, 0, SHORT).facts() for split in tour.ASKS}
    groups = {split: Group(members=[fact]) for split, fact in specs.items()}
    with Writer(tmp_path / "runs.db") as writer:
        writer.record(groups.values())
        writer.progress({}, beginning(writer.ledger, groups.values(), tour.ASKS))
        for split in ("simple", "turn-left", "length"):
            writer.begin(groups[split].key, {})
        writer.add([Run(spec=specs["simple"], group=groups["simple"].key)])
        phases = {
            groups["turn-left"].key: {"phase": "scoring", "since": time.time(), "done": 1, "of": 4},
            groups["length"].key: {"phase": "training", "since": time.time()},
        }
        writer.progress({groups["length"].key: 100}, {"phases": phases})
        now = look(tmp_path / "runs.db")
    console = Console(width=80)
    with console.capture() as captured:
        console.print(tour._picture(tmp_path, now, {}))
    head, _, *lines = (" ".join(line.split()) for line in captured.get().splitlines())
    assert "1 of 4 networks trained" in head
    wanted = [("simple", "trained ✓"), ("turn-left", "scoring 25%"), ("length", "training 50%"), ("jump", "waiting")]
    assert [(line.split()[0], phase in line) for line, (_, phase) in zip(lines, wanted, strict=True)] == [
        (split, True) for split, _ in wanted
    ]
    words = tour._words(now)
    assert words.startswith("1 of 4 networks trained, turn-left scoring (25%), length training (50%), jump waiting")


def test_a_tour_that_was_stopped_says_how_many_networks_there_are(capsys, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Writer(tmp_path / "daxlab.db") as writer:
        writer.add([Run(spec=Spec("length", 0, SHORT).facts(), metrics={"accuracy": 14.0})])
    monkeypatch.setattr(tour, "sweep", partial(sweep, executor=in_process, budget=0))
    with pytest.raises(SystemExit) as end:
        tour.main(updates=200)
    assert "1 of 4 networks are trained" in str(end.value)
    said = capsys.readouterr().out
    assert "length     asks for" in said and "jump       asks for" not in said


@pytest.mark.slow
def test_the_tour_trains_once_and_the_commands_it_ends_with_work(
    capsys, daxlab: Callable, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER", "true")  # for report --open
    monkeypatch.setattr(tour, "sweep", partial(sweep, executor=in_process))
    for _ in range(2):
        tour.main(updates=200)
    shown = capsys.readouterr().out
    assert "20,910 commands" in shown
    assert shown.count("jump twice: ") == 2  # the network's own answer
    assert "daxlab.db had it all" in shown
    ending = shown.rpartition("Three things to try:")[2]
    commands = [shlex.split(line, comments=True) for line in ending.strip().splitlines()]
    assert [command[1] for command in commands if command[0].endswith("daxlab")] == ["predict", "compare", "report"]
    for _, *arguments in commands:
        done = daxlab(*arguments)
        assert done.returncode == 0, done.stderr
