"""Learners by splits: what a cell is the mean of, what stands beside it, and what a row says was given to it."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given, strategies as st
from safetensors.numpy import load_file
from scipy import stats

from after_the_paper import SHARES, Nearest, Rules
from daxlab.datasets import dataset
from daxlab.errors import InputError
from daxlab.learners import KINDS, RNN, Program, make, still_here
from daxlab.learners.core import EACH_ONCE
from daxlab.ledger import Ledger, Run, Writer
from daxlab.ledger.spec import Spec
from daxlab.paper.experiments import NETWORKS, OVERALL, both, few, size
from daxlab.paper.leaderboard import SPLITS, Entry, leaderboard, others, split_named
from daxlab.paper.published import Published, figures, of, on
from daxlab.paper.targets import RUNS
from daxlab.paper.verdicts import Scale, decide, judge
from daxlab.sweep.grid import read

ROOT = Path(__file__).parents[2]


def table(path: Path) -> dict[str, Entry]:
    with Ledger(path) as ledger:
        return {entry.learner: entry for entry in leaderboard(ledger)}


def test_a_cell_is_the_mean_of_the_runs_of_one_configuration_on_one_split(avenues: Path) -> None:
    shown = table(avenues)
    assert set(shown) == {str(learner) for learner in SHARES}
    for learner, splits in SHARES.items():
        cells = shown[str(learner)].cells
        assert [split for split, cell in cells.items() if cell.runs] == [split for split in SPLITS if split in splits]
        for split, shares in splits.items():
            cell = cells[split]
            assert cell.accuracies == pytest.approx([100 * share for share in shares], abs=0.05)  # whole commands
            assert cell.mean == fmean(cell.accuracies)
            assert cell.runs == 1 or cell.low <= cell.mean <= cell.high


def test_rows_are_in_the_order_of_their_means_and_one_that_lacks_splits_has_none(avenues: Path) -> None:
    rows = list(table(avenues).values())
    assert rows[0].learner == "rules"
    assert rows[0].mean == pytest.approx(fmean(cell.mean for cell in rows[0].cells.values()))
    assert [row.mean for row in rows[1:]] == [None] * (len(rows) - 1)


def judged(rows: dict[str, Entry]) -> Iterator[tuple[list[float], Published, str]]:
    for entry in rows.values():
        for cell in entry.cells.values():
            if cell.published and cell.runs > 1:
                yield list(cell.accuracies), cell.published, cell.verdict or ""


def test_verdicts_are_those_of_the_comparison_over_all_cells_together(avenues: Path) -> None:
    shown = list(judged(table(avenues)))
    tested = [judge(runs, it.mean, None, it.runs or RUNS, Scale(), it.deviation) for runs, it, _ in shown]
    assert [verdict for *_, verdict in shown] == decide(tested)
    assert {verdict for *_, verdict in shown} == {"agrees", "differs", "undecided"}


def test_one_run_has_no_verdict_nor_has_a_split_on_which_nothing_was_published(avenues: Path) -> None:
    cells = table(avenues)[str(Nearest(batch=1))].cells
    assert (cells["jump"].verdict, cells["jump"].published.mean) == ("shown", 60.67)
    assert cells["few-jump-8"].published is None and cells["few-jump-8"].verdict is None
    assert cells["simple"].published.mean == 99.92 and cells["simple"].verdict is None  # no runs


def test_presentations_are_updates_times_batch_and_rules_see_each_example_once(avenues: Path) -> None:
    shown = table(avenues)
    assert shown["nearest"].presentations == 70_000 * 25
    assert shown[str(Nearest(batch=1))].presentations == 70_000
    assert shown["rules"].presentations == EACH_ONCE
    assert shown[str(NETWORKS[OVERALL])].presentations == 100_000
    assert RNN(updates=300, batch=4).presentations == 1_200
    assert Program(command="answer {commands} {answers}").presentations == "not known"


def test_a_learner_that_was_told_something_says_so(avenues: Path) -> None:
    shown = table(avenues)
    assert shown["nearest"].told == Nearest.told != Rules.told
    assert shown["rules"].told == shown[str(NETWORKS[OVERALL])].told == "the training examples"


def test_parameters_are_those_that_a_run_saves_and_rules_have_none(avenues: Path) -> None:
    shown = table(avenues)
    assert shown["rules"].parameters is None
    for weights in (ROOT / "results" / "runs.db.weights").glob("*.safetensors"):
        with Ledger(ROOT / "results" / "runs.db") as ledger:
            (row,) = ledger.rows({"key": weights.stem})
        learner, saved = still_here(row["spec"]), load_file(weights)
        assert learner.parameters(dataset(row["dataset"])) == sum(array.size for array in saved.values())


def test_the_paper_s_networks_stand_beside_the_paper_s_own_figures(avenues: Path) -> None:
    cells = table(avenues)[str(NETWORKS[OVERALL])].cells
    stated = {split: cell.published.mean for split, cell in cells.items() if cell.published}
    assert stated == {"simple": 99.7, "length": 13.8, "jump": 0.08, "turn-left": 90.0}


def test_others_of_the_paper_s_family_and_earlier_versions_are_no_rows(tmp_path: Path, avenues: Path) -> None:
    small = replace(NETWORKS[OVERALL], hidden=25)
    older = Spec("jump", 0, Nearest()).facts() | {"semantics": 0}
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([Run(spec=facts, metrics={"accuracy": 1.0}) for facts in (Spec("jump", 0, small).facts(), older)])
    assert table(tmp_path / "runs.db") == {}


@pytest.mark.parametrize("column", ["simple", "few-jump-8"])
def test_our_own_draw_and_the_release_s_are_never_mixed(column: str, tmp_path: Path) -> None:
    released, own = both(size, 80) if column == "simple" else both(few, 8, 1)
    template = Spec("jump", 0).facts()

    def drawn(split: str, accuracy: float) -> Run:
        return Run(spec=template | {"split": {"name": split, "digest": split}}, metrics={"accuracy": accuracy})

    for runs, means in (
        ([drawn(released, 10.0)], {"release": 10.0}),
        ([drawn(released, 10.0), drawn(own, 90.0)], {"own": 90.0}),
    ):
        with Writer(tmp_path / "runs.db") as writer:
            writer.add(runs)
        (row,) = table(tmp_path / "runs.db").values()
        assert {row.cells[column].draw: row.cells[column].mean} == means


def test_runs_on_earlier_content_of_a_split_are_left_out(tmp_path: Path) -> None:
    facts = Spec("jump", 0).facts()
    runs = [facts | {"split": {"name": "jump", "digest": digest}} for digest in ("earlier", "latest")]
    with Writer(tmp_path / "runs.db") as writer:
        for accuracy, spec in enumerate(runs):
            writer.add([Run(spec=spec, metrics={"accuracy": float(accuracy)})])
    (row,) = table(tmp_path / "runs.db").values()
    assert row.cells["jump"].accuracies == [1.0]


def test_a_learner_that_cannot_be_made_here_keeps_what_its_runs_say(tmp_path: Path) -> None:
    """Its class is gone: what it was told is not known, and how many examples it saw stands in its fields."""
    gone = {"learner": {"kind": {"name": "gone.py:Gone", "digest": "9f"}, "updates": 30, "batch": 4}, "semantics": 1}
    plain = Spec("jump", 0).facts()
    facts = {name: plain[name] for name in ("language", "split", "seed")} | gone
    with Writer(tmp_path / "runs.db") as writer:
        writer.add([Run(spec=facts, metrics={"accuracy": 50.0})])
    (row,) = table(tmp_path / "runs.db").values()
    assert (row.presentations, row.told, row.parameters, row.cells["jump"].mean) == (120, None, None, 50.0)


def test_the_file_of_a_learner_is_only_run_if_it_has_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text((ROOT / "tests" / "everywhere" / "memory.py").read_text())
    facts = make(f"{path}:Memory").facts()
    assert str(still_here(facts)) == str(make(f"{path}:Memory"))
    path.write_text("raise RuntimeError('it was run')")
    assert still_here(facts) is None


def test_what_stands_beside_a_split_is_all_that_was_published_but_what_stands_beside_a_row(avenues: Path) -> None:
    rows = list(table(avenues).values())
    beside = {row.cells["jump"].published for row in rows}
    assert len(others("jump", rows)) == len(on("jump")) - len(beside)
    assert not beside & set(others("jump", rows))


def test_an_unknown_split_gets_the_nearest_name_and_a_draw_its_column() -> None:
    assert split_named("few-jump-8-rep3") == "few-jump-8"
    with pytest.raises(InputError, match="did you mean 'turn-left'"):
        split_named("turn-lefft")


def test_a_mean_over_several_splits_is_a_figure_of_each_only_where_it_is_100() -> None:
    assert of(["NQG-T5 (Shaw 2021)"], "mcd3").mean == 100
    assert of(["LSTM+attention (Keysers 2020)"], "mcd3") is None
    assert of(["CSL grammar coverage (Qiu 2022)", "CGPS (Li 2019)"], "length").mean == 20.3


@given(st.floats(0.1, 40), st.integers(2, 20))
def test_however_a_spread_is_stated_it_is_that_of_the_same_runs(deviation: float, runs: int) -> None:
    error = deviation / sqrt(runs)
    half = float(error * stats.t.ppf(0.975, runs - 1))
    spreads = {"sd": deviation, "standard error": error, "95% interval": half}
    stated = [Published("x", "jump", 50.0, "x", "primary", spread, kind, runs) for kind, spread in spreads.items()]
    assert [figure.deviation for figure in stated] == pytest.approx([deviation] * 3)


def test_every_published_figure_of_the_splits_can_be_judged() -> None:
    for figure in figures():
        judge([50.0, 60.0], figure.mean, None, figure.runs or RUNS, Scale(), figure.deviation)


@pytest.mark.parametrize("points", [2.0, 4.0, 5.0, 6.3])
def test_a_stated_spread_counts_as_in_a_test_of_means(points: float) -> None:
    """Ours are so alike that chance is all in theirs: 50 ± 10 over ten runs."""
    judged = judge([50 + points + wobble / 10 for wobble in range(-5, 6)] * 4, 50.0, None, 10, Scale(), 10.0)
    normal = 2 * stats.norm.sf(points / (10 / sqrt(10)))
    assert judged.p == pytest.approx(normal, rel=0.35)
    assert (judged.difference_low < 0) == (normal > 0.05)


def test_without_a_stated_spread_the_others_are_taken_to_be_as_alike_as_ours() -> None:
    alike = [99.0, 99.2, 99.1, 98.9, 99.0]
    tight, wide, unknown = (judge(alike, 91.7, None, 10, Scale(), deviation) for deviation in (0.1, 17.1, None))
    assert tight.p < 0.001 and unknown.p < 0.001 < wide.p
    assert wide.difference_low < tight.difference_low


def test_the_sweep_trains_every_learner_on_every_split_from_five_seeds_or_on_five_draws(data: Path) -> None:
    specs = read(ROOT / "specs" / "avenues.toml")
    for learner in {spec.learner for spec in specs}:
        columns = [split_named(spec.split) for spec in specs if spec.learner == learner]
        assert {split: columns.count(split) for split in columns} == dict.fromkeys(SPLITS, 5)
    assert {KINDS[spec.learner.kind] for spec in specs} == {type(spec.learner) for spec in specs}
    assert {NETWORKS[OVERALL], NETWORKS["exp3-jump-best"]} <= {spec.learner for spec in specs}


def test_every_system_that_a_kind_names_has_published_figures() -> None:
    known = {figure.system for figure in figures()}
    for kind in KINDS.values():
        if kind is not Program:
            assert set(kind().published) <= known
