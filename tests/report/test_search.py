"""The search on the page: what is drawn, what is said, and that a large ledger makes no large page."""

import csv
import re
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, strategies as st

from daxlab.paper.experiments import NETWORKS
from daxlab.paper.search import choices, search
from daxlab.report import text as said
from daxlab.report.page import page
from daxlab.report.splits import MOST_LEARNERS, closely
from daxlab.runs import Ledger

EXPERIMENTS = ("simple", "length", "jump", "turn-left")


@pytest.fixture(scope="module")
def whole(searched: Path) -> str:
    with Ledger(searched) as known:
        return page(known)


def data(html: str, name: str) -> list[dict[str, str]]:
    (found,) = re.findall(rf'download="{name}.csv" href="data:text/csv;charset=utf-8,([^"]+)"', html)
    return list(csv.DictReader(StringIO(unquote(found))))


def test_a_whole_search_is_seen_on_every_experiment(whole: str, searched: Path) -> None:
    with Ledger(searched) as known:
        means = {(row["experiment"], row["network"]): row["mean"] for row in search(known).to_dicts()}
    for name in EXPERIMENTS:
        rows = data(whole, f"search-panels-{name}")
        assert len(rows) == 180
        assert all(abs(float(row["mean"]) - means[name, row["network"]]) < 1e-9 for row in rows)
        assert len(data(whole, f"search-worth-{name}")) == 3 + 2 + 2 + 5 + 3
    assert whole.count("all 180 architectures have runs") == 4
    assert "overall, by mean rank" in whole


def test_the_paper_s_networks_are_marked_in_their_panels(whole: str) -> None:
    for name in EXPERIMENTS:
        svg = whole[whole.index(f'<figure id="search-panels-{name}"') :]
        svg = svg[: svg.index("</svg>")]
        diamonds = re.findall(r"<use [^>]*stroke: var\(--paper", svg)
        assert len(diamonds) == 2  # the best of the experiment, and the overall best


def test_of_180_networks_a_split_shows_the_paper_s_and_the_best_closely(whole: str, searched: Path) -> None:
    with Ledger(searched) as known:
        best = {name: one["best"][0]["network"] for name, one in choices(search(known)).items()}
    for name in EXPERIMENTS:
        fold = whole[whole.index(f'id="split-{name}"') :]
        fold = fold[: fold.index("</details>")]
        shown = [one.partition(":")[0] for one in re.findall(r"<h4>(.*?)</h4>", fold)]
        assert set(shown) == {best[name], *map(str, NETWORKS.values())}
        assert f"{180 - len(shown)} other learners are left out" in fold
    assert len(whole) < 3e6


def test_a_search_of_one_experiment_says_what_measures_the_others(html: str) -> None:
    assert '<figure id="search-panels-jump"' in html
    assert '<figure id="search-panels-length"' not in html
    assert "Not measured in this ledger: the search on <em>simple</em>, <em>length</em> and <em>turn-left</em>" in html
    assert "daxlab sweep run specs/paper-search.toml" in html


def test_without_a_search_there_is_one_sentence(empty_html: str) -> None:
    assert "Not measured in this ledger: the search over 180 architectures" in empty_html
    assert "daxlab sweep run specs/paper-search.toml" in empty_html


@given(st.integers(1, 40), st.integers(0, 5))
def test_all_of_a_few_networks_are_shown_and_of_many_the_paper_s_with_the_best(others: int, named: int) -> None:
    papers = [str(network) for network in NETWORKS.values()][:named]
    names = [*papers, *(f"network {n}" for n in range(others))]
    best = names[::-1]
    shown = closely(best)
    assert len(set(shown)) == len(shown) == min(len(names), MOST_LEARNERS)
    assert set(shown) <= set(names)
    assert set(shown) >= {*papers, best[0]}


def test_a_choice_measured_again_is_told_with_its_spread_and_of_one_replicate_nothing_is() -> None:
    found = {"again": 24.5, "scores": [20.0, 29.0]}
    assert "24.50 on the one left out, on average (20.00 to 29.00, two such choices)" in said.regressing(found, "")
    assert "cannot be told" in said.regressing({"again": None, "scores": []})


@pytest.mark.parametrize(("place", "words"), [(1, "the best here too"), (29, "here number 29 of 180")])
def test_the_paper_s_choice_is_placed(place: int, words: str) -> None:
    here = {"place": place, "mean": 1.0, "runs": 1, "low": None, "high": None}
    assert words in said.chosen({"network": "LSTM", "stated": 1.2, "here": here}, 180)
    assert "no runs on this split here" in said.chosen({"network": "LSTM", "stated": 1.2, "here": None}, 180)
