"""What is shown while learners train follows the events of the sweep."""

from rich.console import Console
from rich.progress import Progress

from daxlab.cli.watching import View, watch
from daxlab.runs import Group, Run, key
from daxlab.sweep import Plan, Spec
from daxlab.sweep.task import Finished, Noted, TooLarge
from daxlab.sweep.task import Progress as Step

SPECS = [Spec("jump", seed) for seed in range(4)]
FACTS = [spec.facts() for spec in SPECS]
KEYS = tuple(key(fact) for fact in FACTS)


def view() -> tuple[View, Progress]:
    bars = Progress(console=Console(quiet=True))
    return View(bars), bars


def seen(bars: Progress) -> list[tuple[str, float, str]]:
    return [(task.description, task.completed, task.fields["loss"]) for task in bars.tasks]


def test_there_is_a_bar_for_all_runs_and_for_every_group_under_way_with_the_loss_of_each_run() -> None:
    shows, bars = view()
    group = Group(members=FACTS[2:])
    shows.show(Plan(KEYS, KEYS[2:], (group,)))
    shows.show(Step(group.key, 25_000, (3.0, 4.0), (-1, -1)))
    assert seen(bars) == [("runs", 0.5, ""), (f"2 runs of {SPECS[0].learner}", 25_000, "loss 3.000 4.000")]
    assert [task.total for task in bars.tasks] == [2, SPECS[0].learner.updates]
    shows.show(Finished(group.key, tuple(Run(spec=fact) for fact in FACTS[2:]), {}))
    assert seen(bars) == [("runs", 2, "")]


def test_a_group_of_many_runs_has_their_mean_loss() -> None:
    shows, bars = view()
    group = Group(members=[Spec("jump", seed).facts() for seed in range(6)])
    shows.show(Plan(KEYS, KEYS, (group,)))
    shows.show(Step(group.key, 200, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (-1,) * 6))
    assert seen(bars)[1][2] == "mean loss 3.500"


def test_a_learner_without_losses_has_a_bar_too() -> None:
    shows, bars = view()
    group = Group(members=FACTS[:1])
    shows.show(Plan(KEYS, KEYS[:1], (group,)))
    shows.show(Step(group.key, 1, (), ()))
    assert seen(bars)[1:] == [("jump, seed 0", 1, "")]


def test_the_halves_of_a_group_have_bars_of_their_own() -> None:
    shows, bars = view()
    whole, halves = Group(members=FACTS), [Group(members=FACTS[:2]), Group(members=FACTS[2:])]
    shows.show(Plan(KEYS, KEYS, (whole,)))
    shows.show(Step(whole.key, 200, (1.0,) * 4, (-1,) * 4))
    shows.show(TooLarge(whole.key, "RESOURCE_EXHAUSTED"))
    shows.show(Plan(KEYS, (), tuple(halves)))
    shows.show(Step(halves[1].key, 400, (1.0, 2.0), (-1, -1)))
    assert [task.total for task in bars.tasks] == [4, SPECS[0].learner.updates]
    assert seen(bars)[1][1] == 400


def test_where_there_is_no_terminal_a_line_says_how_far_it_is(capsys) -> None:
    group = Group(members=FACTS[:1])
    with watch() as show:
        show(Plan(KEYS, KEYS, (group,)))
        show(Step(group.key, 200, (2.0,), (-1,)))
        show(Step(group.key, 400, (2.0,), (-1,)))  # too soon for another line
        show(Noted("", "a note"))
        show(Finished(group.key, (Run(spec=FACTS[0]),), {}))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["jump, seed 0: 200 of 100,000 updates, loss 2.000", "a note", "1 of 1 runs"]
