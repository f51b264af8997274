"""What is shown while learners train follows the events of the sweep."""

from rich.console import Console
from rich.progress import Progress

from daxlab.cli.watching import _Bars, watch
from daxlab.runs import Group, key
from daxlab.sweep import Plan, Spec
from daxlab.sweep.task import Finished, Stopping, TooLarge
from daxlab.sweep.task import Progress as Step

SPECS = [Spec("jump", seed) for seed in range(4)]
FACTS = [spec.facts() for spec in SPECS]
KEYS = tuple(key(fact) for fact in FACTS)


def bars() -> tuple[_Bars, Progress]:
    shown = Progress(console=Console(quiet=True))
    return _Bars(SPECS, shown), shown


def seen(shown: Progress) -> list[tuple[str, float, str]]:
    return [(task.description, task.completed, task.fields["loss"]) for task in shown.tasks]


def test_there_is_a_bar_for_every_run_that_is_trained() -> None:
    ours, shown = bars()
    group = Group(members=FACTS[2:])
    ours.show(Plan(KEYS, 2, (group,)))
    ours.show(Step(group.key, 200, (3.0, 4.0), (-1, -1)))
    assert seen(shown) == [("jump, seed 2", 200, "loss 3.000"), ("jump, seed 3", 200, "loss 4.000")]
    assert {task.total for task in shown.tasks} == {SPECS[0].learner.updates}
    ours.show(Finished(group.key, (), {}))
    assert seen(shown) == []


def test_a_learner_without_losses_has_bars_too() -> None:
    ours, shown = bars()
    group = Group(members=FACTS[:1])
    ours.show(Plan(KEYS, 3, (group,)))
    ours.show(Step(group.key, 1, (), ()))
    assert seen(shown) == [("jump, seed 0", 1, "")]


def test_the_halves_of_a_group_have_bars_of_their_own() -> None:
    ours, shown = bars()
    whole, halves = Group(members=FACTS), [Group(members=FACTS[:2]), Group(members=FACTS[2:])]
    ours.show(Plan(KEYS, 0, (whole,)))
    ours.show(TooLarge(whole.key, "RESOURCE_EXHAUSTED"))
    ours.show(Plan(KEYS, 0, tuple(halves)))
    ours.show(Step(halves[1].key, 400, (1.0, 2.0), (-1, -1)))
    assert [completed for _, completed, _ in seen(shown)] == [0, 0, 400, 400]


def test_where_there_is_no_terminal_a_line_says_how_far_it_is(capsys) -> None:
    with watch(SPECS) as show:
        show(Step("abcdefgh" * 8, 200, (1.0, 3.0), (-1, -1)))
        show(Step("abcdefgh" * 8, 400, (1.0, 3.0), (-1, -1)))  # too soon for another line
        show(Stopping())
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "group abcdefgh: update 200, mean loss 2.000"
    assert len(told) == 2
