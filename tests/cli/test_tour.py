"""The quick tour, as `make quickstart` runs it."""

import pytest

from daxlab.cli import tour


def test_every_split_is_drawn_beside_the_paper_s_figure(capsys) -> None:
    tour._show({"simple": 96.0, "turn-left": None, "length": 14.0, "jump": 0.0})
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if "asks for" in line] == list(tour.ASKS)
    assert "█" * 29 + "   96.0" in shown
    assert shown.count("paper") == 1 + len(tour.ASKS)


@pytest.mark.slow
def test_the_tour_trains_once_and_ends_with_what_to_ask(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        tour.main(updates=200)
    shown = capsys.readouterr().out
    assert "20,910 commands" in shown
    assert shown.count("jump twice: ") == 2  # the network's own answer
    assert "daxlab.db had it all" in shown
