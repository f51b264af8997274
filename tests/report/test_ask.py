"""The box that asks a network, in a real browser, from disk, with the network off."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daxlab import language
from daxlab.analysis.answers import answers
from daxlab.ledger import Ledger
from daxlab.report import ask
from daxlab.report.facts import Facts
from daxlab.report.page import written

from .conftest import RESULTS

WIDTHS = [375, 1280]


@pytest.fixture(scope="module")
def box_html() -> str:
    """A page with nothing but the box, of the shipped ledger."""
    with Ledger(RESULTS) as known:
        return written("Ask it", [], [ask.section(Facts(known))])


@pytest.fixture(params=WIDTHS)
def box(chromium: Any, box_html: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    path = tmp_path / "report.html"
    path.write_text(box_html, encoding="utf-8")
    complaints: list[str] = []
    context = chromium.new_context(viewport={"width": request.param, "height": 900}, offline=True)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: asked.url != path.as_uri() and complaints.append(f"asked for {asked.url[:80]}"))
    page.goto(path.as_uri())
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= request.param
    context.close()
    assert complaints == []


def test_a_ledger_without_weights_has_no_box(html: str, other_html: str, empty_html: str) -> None:
    for page in (html, other_html, empty_html):
        assert 'id="ask-box"' not in page and 'href="#ask-it"' not in page
        assert page.count("<script") == 1


@pytest.mark.results
def test_the_box_weighs_little_and_its_scripts_are_allowed_by_hash(box_html: str) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', box_html)
    (scripts,) = re.findall(r"script-src ([^;]+);", policy)
    assert re.fullmatch(r"'sha256-\S{44}' 'sha256-\S{44}'", scripts)
    assert "connect-src" not in policy and policy.startswith("default-src 'none'")
    parts = re.findall(r'(?s)<script type="(?:application/json|module)".*?</script>', box_html)
    assert len(parts) == 3 and sum(map(len, parts)) < 700_000


@pytest.mark.slow
@pytest.mark.results
def test_it_answers_what_the_ledger_has_and_says_what_is_right(box: Any) -> None:
    key = re.search(r"\(run ([0-9a-f]{12})\)", box.inner_text("section"))[1]
    with Ledger(RESULTS) as known:
        frame = answers(known, known.find(key))[::700]
    assert len(frame) > 5
    for command, answer, right in frame.select("command", "answer", "right").iter_rows():
        box.fill("#ask-command", command)
        box.keyboard.press("Enter")
        shown = [list.split("\n") for list in box.locator("#ask-box ol").all_inner_texts()]
        assert [item for item in shown[0] if item != "(stops too early)"] == list(answer)
        assert box.locator("output b").inner_text() == ("✓ right" if right else "✗ wrong")
        assert right or tuple(shown[1]) == language("scan").translate(command)


@pytest.mark.slow
@pytest.mark.results
def test_words_in_no_order_unknown_words_and_none(box: Any) -> None:
    box.get_by_role("button", name="left and and walk").click()
    assert "Not licensed by the grammar" in box.inner_text("output")
    assert box.locator("#ask-box ol").count() == 1
    box.fill("#ask-command", "<b>dax</b>")
    box.get_by_role("button", name="Ask", exact=True).click()
    assert "never saw the word “<b>dax</b>”" in box.inner_text("output")
    box.fill("#ask-command", "  ")
    box.keyboard.press("Enter")
    assert box.inner_text("output") == "Type a command."
