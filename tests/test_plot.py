"""`daxlab.plot`: figures of runs on Matplotlib axes say what the runs say."""

from pathlib import Path

import matplotlib as mpl
import pytest

import daxlab
from daxlab import InputError

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


def numbers(axes) -> list[float]:
    """Where the dots of an axes are, across."""
    return sorted(x for line in axes.lines if line.get_marker() == "o" for x in line.get_xdata())


def test_every_run_is_a_dot_on_the_line_of_its_learner(searched: Path) -> None:
    runs = daxlab.runs(searched, split="jump", hidden=25, layers=1, dropout=0.1)
    axes = daxlab.plot.accuracies(runs)
    assert numbers(axes) == sorted(runs.accuracies)
    assert {text.get_text() for text in axes.texts} >= {run.label for run in runs}


def test_a_comparison_draws_the_runs_of_both_sides(searched: Path) -> None:
    a, b = (
        daxlab.runs(searched, split="jump", hidden=hidden, layers=1, dropout=0.1, cell="gru") for hidden in (25, 50)
    )
    axes = daxlab.plot.comparison(daxlab.compare(a, b))
    assert numbers(axes) == sorted(a.accuracies + b.accuracies)


def test_figures_go_onto_axes_that_one_has(trained: Path) -> None:
    from matplotlib.figure import Figure

    runs = daxlab.runs(trained)
    drawings = [daxlab.plot.accuracies, daxlab.plot.learning, daxlab.plot.lengths, daxlab.plot.errors]
    figure = Figure()
    for draw, axes in zip([*drawings, daxlab.plot.attention], figure.subplots(5), strict=True):
        given = (runs[0], "walk twice") if draw is daxlab.plot.attention else (runs,)
        assert draw(*given, ax=axes) is axes
        assert axes.has_data()


def test_a_new_figure_is_larger_than_what_is_said_in_it(trained: Path) -> None:
    """Nothing is cut off."""
    axes = daxlab.plot.accuracies(daxlab.runs(trained))
    renderer = axes.figure.canvas.get_renderer()
    whole = axes.figure.bbox
    for text in axes.texts:
        box = text.get_window_extent(renderer)
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and box.y1 <= whole.y1


def test_the_map_shows_the_weights(trained: Path) -> None:
    run = daxlab.runs(trained)[0]
    axes = daxlab.plot.attention(run, "walk twice")
    shades = [patch.get_alpha() for patch in axes.patches]
    weights = run.attention("walk twice")["weight"]
    assert shades == pytest.approx([0.05 + 0.9 * weight for weight in weights])


def test_accuracy_by_size_and_by_shots_is_that_of_the_runs() -> None:
    best = daxlab.runs(learner="rnn", hidden=200, layers=2, cell="lstm", attention=False, dropout=0.5, ledger="shipped")
    simple = best.where(split="release/simple_split/simple").accuracies
    axes = daxlab.plot.sizes(best)
    line = next(line for line in axes.lines if line.get_linestyle() == "-")
    assert line.get_ydata()[-1] == pytest.approx(sum(simple) / len(simple))
    axes = daxlab.plot.shots(best)
    assert axes.get_xticklabels()[0].get_text() == "0"


def test_what_cannot_be_drawn_is_one_sentence(searched: Path, trained: Path) -> None:
    for draw, complaint in (
        (lambda: daxlab.plot.accuracies(daxlab.runs(searched)), "choose fewer"),
        (lambda: daxlab.plot.accuracies(daxlab.runs(trained, split="length")), "has split=length"),
        (lambda: daxlab.plot.shots(daxlab.runs(trained, seed=[])), "no run"),
        (lambda: daxlab.plot.sizes(daxlab.runs(trained)), "says anything by commands in training"),
        (lambda: daxlab.plot.errors(daxlab.runs(trained), by="length"), "errors\\('length'\\)"),
        (lambda: daxlab.plot.lengths(dict.fromkeys("abcd", daxlab.runs(trained))), "has room for 3"),
    ):
        with pytest.raises(InputError, match=complaint):
            draw()
