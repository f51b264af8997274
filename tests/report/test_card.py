"""The card of a learner as a page and as a document: what is on it, and how it looks in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daxlab.analysis.card import card, differences, learner_rows
from daxlab.ledger import Ledger
from daxlab.paper.beside import beside
from daxlab.paper.experiments import NETWORKS, OVERALL
from daxlab.paper.published import on
from daxlab.report.card import with_others, written

OTHER = "exp2-best"
SPLITS = ("jump", "length", "turn-left")


@pytest.fixture(scope="module")
def cards(ledger: Path) -> list[dict[str, Any]]:
    """Two of the paper's networks in a made-up ledger, side by side."""
    made = []
    with Ledger(ledger) as known:
        for name in (OVERALL, OTHER):
            rows, _ = learner_rows(known, str(NETWORKS[name]))
            shown = [row for row in rows if row["split"] in SPLITS]
            made.append(with_others(card(known, name, shown[0]["spec"], shown), {"this ledger": known}))
    return made


def test_every_published_figure_is_there_and_grey_unless_its_protocol_is_the_papers(cards: list[dict]) -> None:
    for split, entry in cards[0]["splits"].items():
        published = [row for row in entry["beside"] if row["status"] != "measured"]
        assert len(published) == len(on(split)) > 0
        assert all(row["told"] == "nothing" and row["protocol"] == "" for row in published if row["same_protocol"])
    page, document = (written(cards[:1], [], form) for form in (".html", ".md"))
    grey = sum(not row["same_protocol"] for entry in cards[0]["splits"].values() for row in entry["beside"])
    assert page.count('class="faint"') == grey > 0
    for row in cards[0]["splits"]["jump"]["beside"]:
        assert row["system"].replace("&", "&amp;") in page and row["system"] in document


def test_the_papers_network_is_measured_in_the_first_ledger_that_has_it(ledger: Path, cards: list[dict]) -> None:
    with Ledger(ledger) as known:
        measured = [row for row in beside("length", {"here": known, "there": known}) if row["status"] == "measured"]
    assert [row["source"] for row in measured] == ["here", "here"]
    assert measured[0]["mean"] == cards[0]["splits"]["length"]["mean"] and measured[0]["same_protocol"]
    assert not measured[1]["same_protocol"], "it was chosen as the best"
    assert not any(row["status"] == "measured" for row in beside("length", {}))


def test_a_failed_run_is_counted_and_learners_are_compared_on_the_splits_that_both_have(cards: list[dict]) -> None:
    jump = cards[0]["splits"]["jump"]
    assert (jump["runs"], jump["status"]) == (3, "ok 3, failed 1")
    (row,) = differences(cards)
    assert row["split"] == "length" and row["pairs"] == 2
    assert row["difference"] == pytest.approx(
        cards[0]["splits"]["length"]["mean"] - cards[1]["splits"]["length"]["mean"]
    )


@pytest.fixture
def opened(chromium: Any, cards: list[dict], tmp_path: Path) -> Iterator[Any]:
    """Opens the card with all its folds, with the network off; complains afterwards if the browser did."""
    path, complaints = tmp_path / "card.html", list[str]()
    path.write_text(written(cards, differences(cards), ".html"), encoding="utf-8")

    def open_page(width: int, scheme: str = "light") -> Any:
        page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        return page

    yield open_page
    assert complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_never_scrolls_sideways_and_its_figures_are_inside(opened: Any, width: int) -> None:
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.eval_on_selector_all("figure svg", "all => all.map(one => one.getBoundingClientRect().right)")
    assert boxes and max(boxes) <= width


@pytest.mark.slow
def test_dark_and_light_differ_and_grey_rows_are_grey_in_both(opened: Any) -> None:
    colours = [
        [page.eval_on_selector(which, "one => getComputedStyle(one).color") for which in ("body", "tr.faint td")]
        for page in (opened(1280), opened(1280, "dark"))
    ]
    assert all(body != faint for body, faint in colours) and colours[0][0] != colours[1][0]
