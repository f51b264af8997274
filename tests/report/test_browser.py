"""The page in a real browser, from disk, with the network off."""

import csv
import re
from collections.abc import Iterator
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.slow

WIDTHS = {"phone": 375, "desk": 1280}


@pytest.fixture(scope="module")
def address(html: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


def _outside(asked: str, complaints: list[str]) -> None:
    if not asked.startswith("data:"):
        complaints.append(f"asked for {asked[:80]}")


@pytest.fixture
def opened(chromium: Any, address: str) -> Iterator[Any]:
    """Opens the page with all its folds; complains afterwards if the browser did, or if anything else was asked for."""
    complaints: list[str] = []
    contexts = []

    def open_page(width: int = 1280, scheme: str = "light") -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda request: request.url != address and complaints.append(f"asked for {request.url[:80]}")
        )
        page.goto(address)
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_every_figure_is_visible_and_inside_the_page(opened: Any, width: int) -> None:
    page = opened(width)
    boxes = page.eval_on_selector_all(
        "figure svg",
        "all => all.map(one => { const box = one.getBoundingClientRect(); return [one.closest('figure').id, box.left,"
        " box.right, box.width, box.height, getComputedStyle(one).visibility] })",
    )
    assert len(boxes) == page.locator("figure").count() > 20
    for name, left, right, wide, high, visibility in boxes:
        assert wide > 250 and high > 30, name
        assert left >= 0 and right <= width, name
        assert visibility == "visible", name


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_the_page_never_scrolls_sideways(opened: Any, width: int) -> None:
    page = opened(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A wide table scrolls in its own box, and the box can be reached by keyboard.
    assert page.eval_on_selector_all(".scroll", "all => all.every(one => one.tabIndex === 0)")


def test_letters_of_figures_are_readable_on_a_phone(opened: Any) -> None:
    page = opened(375)
    sizes = page.eval_on_selector_all(
        "figure svg text",
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize)"
        " * one.ownerSVGElement.getBoundingClientRect().width / one.ownerSVGElement.viewBox.baseVal.width)",
    )
    assert min(sizes) >= 8.5


COLOURS = """() => [['body', 'backgroundColor'], ['figure svg text', 'fill'], ['td.verdict', 'color'],
  ['.strip circle', 'fill']].map(([which, what]) => getComputedStyle(document.querySelector(which))[what])"""


def test_dark_and_light_differ_by_scheme_and_by_the_button_and_nothing_is_stored(opened: Any) -> None:
    light, dark = (opened(scheme=scheme) for scheme in ("light", "dark"))
    by_scheme = [page.evaluate(COLOURS) for page in (light, dark)]
    assert all(a != b for a, b in zip(*by_scheme, strict=True))
    button = light.get_by_role("button", name="Switch between light and dark")
    button.focus()
    light.keyboard.press("Enter")
    assert light.evaluate(COLOURS) == by_scheme[1]
    light.keyboard.press("Enter")
    assert light.evaluate(COLOURS) == by_scheme[0]
    assert light.evaluate("document.cookie") == ""


def test_print_is_light_and_without_buttons(opened: Any) -> None:
    light, dark = opened(), opened(scheme="dark")
    dark.emulate_media(media="print", color_scheme="dark")
    assert dark.evaluate(COLOURS) == light.evaluate(COLOURS)
    assert not dark.locator("#theme").is_visible()
    assert not dark.locator(".get").first.is_visible()


SAVED = """link => { link.addEventListener('click', event => event.preventDefault(), { once: true });
  link.click(); return link.href; }"""


def test_every_figure_can_be_saved_as_svg_and_its_data_as_csv(opened: Any) -> None:
    page = opened()
    for figure in page.locator("figure").all():
        name = figure.get_attribute("id")
        svg, data = (figure.get_by_text(kind, exact=True) for kind in ("SVG", "CSV"))
        assert (svg.get_attribute("download"), data.get_attribute("download")) == (f"{name}.svg", f"{name}.csv")
        text = content(svg.evaluate(SAVED))
        assert ElementTree.fromstring(text).get("viewBox")
        assert "var(" not in text
        head, *rows = csv.reader(StringIO(content(data.get_attribute("href"))))
        assert rows and all(len(row) == len(head) for row in rows), name


def content(address: str) -> str:
    assert address.startswith("data:")
    return unquote(address.partition(",")[2])


def test_a_click_saves_a_file(opened: Any, tmp_path: Path) -> None:
    page = opened()
    for kind in ("SVG", "CSV"):
        with page.expect_download() as waiting:
            page.locator("#contrast-overall").get_by_text(kind, exact=True).click()
        waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    assert ElementTree.parse(tmp_path / "contrast-overall.svg").getroot().get("viewBox")
    assert len(list(csv.reader((tmp_path / "contrast-overall.csv").open(encoding="utf-8")))) > 1


def test_headings_are_in_order_and_figures_have_words(opened: Any) -> None:
    page = opened()
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(one => +one.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    labels = page.eval_on_selector_all(
        "svg", "all => all.map(one => [one.getAttribute('role'), one.getAttribute('aria-label')])"
    )
    assert all(role == "img" and re.search(r"\w", label or "") for role, label in labels)


def test_the_keyboard_comes_to_the_text_first(opened: Any) -> None:
    page = opened()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"
