"""The search on the page: what is drawn, what is said, and that a large ledger makes no large page."""

import csv
import re
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, strategies as st

from daxlab.ledger import Ledger
from daxlab.paper.experiments import NETWORKS
from daxlab.paper.search import rankings, search
from daxlab.report import text as said
from daxlab.report.page import page
from daxlab.report.splits import MOST_LEARNERS, closely

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
        diamonds = re.findall(r"<use [^>]*stroke: ?var\(--paper", svg)
        assert len(diamonds) == 2  # the best of the experiment, and the overall best


def test_of_180_networks_a_split_shows_the_paper_s_and_the_best_closely(whole: str, searched: Path) -> None:
    with Ledger(searched) as known:
        best = {name: one["best"][0]["network"] for name, one in rankings(search(known), top=1).items()}
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
    assert "The search on <em>simple</em>, <em>length</em> and <em>turn-left</em>" in html
    assert "daxlab sweep run specs/paper-search.toml" in html


@given(st.integers(1, 40), st.integers(0, 5))
def test_all_of_a_few_networks_are_shown_and_of_many_the_paper_s_with_the_best(others: int, named: int) -> None:
    papers = [str(network) for network in NETWORKS.values()][:named]
    names = [*papers, *(f"network {n}" for n in range(others))]
    best = names[::-1]
    shown = closely(best)
    assert len(set(shown)) == len(shown) == min(len(names), MOST_LEARNERS)
    assert set(shown) <= set(names)
    assert set(shown) >= {*papers, best[0]}


def test_all_that_cannot_be_told_from_the_best_are_listed_with_their_wins(whole: str, searched: Path) -> None:
    with Ledger(searched) as known:
        ranked = rankings(search(known))
    for name, ranking in ranked.items():
        rows = data(whole, f"contenders-{name if name in EXPERIMENTS else ranking['measure']}")
        assert [(row["network"], row["wins"]) for row in rows] == [
            (row["network"], said.wins(row["share"])) for row in ranking["best"] if row["contender"]
        ]
        for sentence in said.findings(ranking):
            assert sentence.replace("'", "&#39;").replace("<", "&lt;") in whole


HERE = {"place": 29, "mean": 1.0, "runs": 5, "low": 0.5, "high": 1.5, "share": 0.02, "contender": False}
RANKING: dict[str, Any] = {
    "measure": "accuracy",
    "architectures": 180,
    "compared": 156,
    "contenders": 5,
    "best": [{"network": "LSTM", "share": 0.36}],
    "pooled": {"mean": 20.0, "sem": 1.0, "low": 18.0, "high": 22.0},
    "worth": {1: 24.5, 2: 29.0},
    "paper": {"best": {"network": "GRU", "stated": 1.2, "here": HERE}},
}


def test_how_sure_the_best_is_follows_the_numbers_and_of_one_replicate_nothing_is_said() -> None:
    sure = said.findings(RANKING)[0]
    assert "5 of 156 architectures cannot be told from the best, which has 36% of the wins" in sure
    assert "Pooled, these have 20.00% (95% interval 18.00 to 22.00)" in sure
    assert "If the best is chosen by one run of each, its other runs average 24.50%, by two 29.00%." in sure
    overall = {name: value for name, value in RANKING.items() if name not in ("pooled", "worth")}
    assert "other runs" not in said.findings(overall)[0] and "Pooled" not in said.findings(overall)[0]
    one_run = said.findings(RANKING | {"best": [{"network": "LSTM", "share": None}]})[0]
    assert one_run.startswith("5 of 156 architectures with several runs cannot be told from the best of them.")
    assert "only one replicate" in said.findings(RANKING | {"contenders": 0, "compared": 0})[0]


@pytest.mark.parametrize(("place", "words"), [(1, "is the best here"), (29, "is number 29 of 180 here")])
def test_the_paper_s_choice_is_placed(place: int, words: str) -> None:
    choice = {"network": "GRU", "stated": 1.2, "here": HERE | {"place": place}}
    (sentence,) = said.findings(RANKING | {"paper": {"best": choice}})[1:]
    assert f"The paper's choice, GRU (1.2% there, by which it was chosen), {words}" in sentence
    assert "2% of the wins" in sentence and ("can be told from the best" in sentence) == (place > 1)
    for here, other in (
        (HERE | {"runs": 1, "share": None}, "with 1.00% (one run)."),
        (None, "is not among the architectures here"),
    ):
        (sentence,) = said.findings(RANKING | {"paper": {"overall": choice | {"here": here}}})[1:]
        assert sentence.startswith("The paper's overall choice, GRU (1.2% there), ") and sentence.count("wins") == 0
        assert other in sentence
    (rank,) = said.findings(RANKING | {"measure": "rank", "paper": {"overall": choice | {"stated": None}}})[1:]
    assert "a mean rank of 1.00 (mean of five runs" in rank
