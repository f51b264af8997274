"""What one sees while networks train follows what the sweep tells."""

from daxlab.cli.watching import Watch
from daxlab.runs import Group, key
from daxlab.sweep import Plan, Spec
from daxlab.sweep.task import Progress, TooLarge

SPECS = [Spec("jump", seed) for seed in range(4)]
FACTS = [spec.facts() for spec in SPECS]
KEYS = tuple(key(fact) for fact in FACTS)


def rows(watch: Watch) -> list[tuple[str, ...]]:
    return list(zip(*(column._cells for column in watch.table().columns), strict=True))


def test_it_shows_the_runs_that_are_trained_and_no_others() -> None:
    watch = Watch(SPECS)
    group = Group(members=FACTS[2:])
    watch.hear(Plan(KEYS, 2, (group,)))
    watch.hear(Progress(group.key, 200, (3.0, 4.0), (-1, -1)))
    assert [row[1:3] for row in rows(watch)] == [("2", "200"), ("3", "200")]
    assert [row[4] for row in rows(watch)] == ["3.000", "4.000"]


def test_a_group_that_was_halved_goes_on_being_shown(capsys) -> None:
    watch = Watch(SPECS)
    whole, halves = Group(members=FACTS), [Group(members=FACTS[:2]), Group(members=FACTS[2:])]
    watch.hear(Plan(KEYS, 0, (whole,)))
    watch.hear(TooLarge(whole.key, "RESOURCE_EXHAUSTED"))
    watch.hear(Plan(KEYS, 0, tuple(halves)))
    watch.hear(Progress(halves[1].key, 400, (1.0, 2.0), (-1, -1)))
    assert "4 runs at once do not fit" in capsys.readouterr().err
    assert [row[2] for row in rows(watch)] == ["0", "0", "400", "400"]
